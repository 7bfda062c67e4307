#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Compare the runs A with the runs B, or measure both in turn and compare them. The last line is
# the answer. Fails unless B is the same or faster; the exit code is that of the comparison, or 7
# where another kernel has to be booted first.
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
	case $1 in
	0 | 4)
		exit 0
		;;
	esac
	exit "$1"
}

# measure_in_turn: until the answer is there.
measure_in_turn()
{
	: "${RUNS_EACH:=10}"
	experiment_begin
	run=$(experiment_next)
	while [ -n "$run" ]; do
		if ! experiment_can_run "$run"; then
			echo "idle_latency: boot $(cat "$OUT/boot-next") and run the same again: $run is next"
			exit 7
		fi
		experiment_measure "$run"
		! experiment_look || break
		run=$(experiment_next)
	done
	experiment_look || true
	cat "$OUT/comparison.txt"
	end "$ANSWER"
}

if [ -z "$A" ] || [ -z "$B" ]; then
	printf 'idle_latency: say what to compare, such as: make compare A=out/a B=out/b\n' >&2
	exit 2
fi
! is_setting "$A" || measure_in_turn
code=0
tool compare "$(with_commas "$A")" "$(with_commas "$B")" || code=$?
end "$code"
