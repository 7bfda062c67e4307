#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Compare the runs A with the runs B, or the methods of the run A with each other, or measure both
# kinds of runs in turn and compare them. The last line is the answer. Fails unless B is the same or
# faster; the exit code is that of the comparison, or 7 where another kernel has to be booted first.
set -eu
. scripts/lib/common.sh
. scripts/lib/machine-host.sh
. scripts/lib/results.sh
. scripts/lib/experiment.sh
: "${HOST_BOOT=$(cat /proc/sys/kernel/random/boot_id)}"

# with_commas LIST: its words, which are not to be expanded.
with_commas()
{
	set -f
	# shellcheck disable=SC2086 # a list
	echo $1 | tr ' ' ,
}

# end CODE: what make takes for a success is one.
end()
{
	[ "$1" -ne 4 ] || exit 0
	exit "$1"
}

# can_run RUN: which on this machine takes the kernel that it is of, booted since the run before.
# Else it says what to boot, in OUT/boot-next, too.
can_run()
{
	[ "$MACHINE" = host ] || return 0
	kernel=$(settings "$(experiment_of "$1")" | sed 's/^KERNEL=//')
	if [ "$kernel" = "$HOST_RELEASE" ] && ! grep -q -s -x -e "$HOST_BOOT" "$OUT/boots"; then
		rm -f "$OUT/boot-next"
		return
	fi
	echo "$kernel" >"$OUT/boot-next"
	return 1
}

# runs KIND: those that were measured, with commas.
runs()
{
	experiment_runs "$1-" | sed "s|^|$OUT/|" | paste -s -d ,
}

# look: what the runs say that were measured, in OUT/comparison.txt. Fails when the experiment has to
# go on; else ANSWER is the exit code of the comparison.
look()
{
	of_a=$(runs a)
	of_b=$(runs b)
	ANSWER=0
	# Of one run it is known how many rows there are.
	case $of_a,$of_b in
	,* | *,)
		first=${of_a:-$of_b}
		tool compare --planned "$RUNS_EACH" "${first%%,*}" >"$OUT/comparison.txt" || ANSWER=$?
		[ "$ANSWER" -ne 0 ]
		return
		;;
	esac
	tool compare --planned "$RUNS_EACH" "$of_a" "$of_b" >"$OUT/comparison.txt" || ANSWER=$?
	case $ANSWER in
	5 | 6)
		[ -z "$(experiment_next)" ]
		;;
	esac
}

# measure_in_turn: in blocks of two A and two B, until the answer is there.
measure_in_turn()
{
	: "${RUNS_EACH:=10}"
	KINDS=$(printf 'a %s\nb %s\n' "$A" "$B")
	EXPERIMENT=compare
	experiment_begin $((RUNS_EACH / 2)) 2
	run=$(experiment_next)
	while [ -n "$run" ]; do
		if ! can_run "$run"; then
			echo "idle_latency: boot $(cat "$OUT/boot-next") and run the same again: $run is next"
			exit 7
		fi
		experiment_measure "$run" || experiment_failed "$run"
		[ "$MACHINE" != host ] || echo "$HOST_BOOT" >>"$OUT/boots"
		! look || break
		run=$(experiment_next)
	done
	look || true
	cat "$OUT/comparison.txt"
	end "$ANSWER"
}

if [ -z "$A" ]; then
	printf 'idle_latency: say what to compare, such as: make compare A=out/a B=out/b\n' >&2
	exit 2
fi
! is_setting "$A" || measure_in_turn
code=0
tool compare "$(with_commas "$A")" ${B:+"$(with_commas "$B")"} || code=$?
# That methods differ is no failure.
[ -n "$B" ] || [ "$code" -ne 3 ] || code=0
end "$code"
