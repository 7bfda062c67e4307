#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Measure with all combinations of the settings in VARY, in blocks that have each of them once, in
# drawn order, and write a page that says what each setting changes. The last line is the answer.
# With DRY=1, say what would be measured and how long that takes, and do nothing.
set -eu
. scripts/lib/common.sh
. scripts/lib/machine-qemu.sh
. scripts/lib/results.sh
. scripts/lib/experiment.sh

CPUIDLE=/sys/devices/system/cpu/cpu0/cpuidle

# combinations: NAME=VALUE ..., a line each, in the order of VARY.
combinations()
{
	all=
	for word in $VARY; do
		all=$(printf '%s\n' "$all" | while read -r before; do
			echo "${word#*=}" | tr , '\n' | sed "s/^/${before:+$before }${word%%=*}=/"
		done)
	done
	echo "$all"
}

# kinds: each combination by its number, with HOLD and SET. What is the same in all runs may be in
# these as well.
kinds()
{
	combinations | awk -v hold="$HOLD" -v set="$SET" '{
		held = hold
		these = set
		for (i = 1; i <= NF; i++)
			if (sub(/^hold=/, "", $i))
				held = $i == "none" ? "" : $i
			else
				these = these (these ? " " : "") $i
		printf "%d HOLD=\"%s\" SET=\"%s\"\n", NR, held, these
	}'
}

# blocks: RUNS_EACH. Of two values that are compared there are 24 runs, so that a difference of three
# times what runs differ by is found in any of a dozen rows; and at least four of each combination,
# of which one learns what runs differ by.
blocks()
{
	[ -z "$RUNS_EACH" ] || {
		echo "$RUNS_EACH"
		return
	}
	most=$(for word in $VARY; do
		echo "$word" | tr , '\n' | wc -l
	done | sort -n | tail -n 1)
	runs=$((23 * most / (2 * $(combinations | wc -l)) + 1))
	echo $((runs < 4 ? 4 : runs))
}

# host_states: the target residency and the exit latency of each idle state of this machine, in us.
host_states()
{
	for state in "$CPUIDLE"/state*; do
		[ ! -e "$state/latency" ] || paste "$state/residency" "$state/latency"
	done
}

# run_seconds: about how long a run takes: what those took that were measured already; else, in an
# emulator, the start of the machine and 4500 samples in a second; else what latency_test plans.
run_seconds()
{
	if [ -e "$OUT/seconds" ]; then
		awk '{ all += $1 } END { printf "%.0f\n", all / NR }' "$OUT/seconds"
		return
	fi
	steps=1
	[ -z "$SWEEP" ] || steps=$(sweep_steps "$SWEEP")
	of=$(echo "$METHODS" | wc -w)
	if [ "$MACHINE" = qemu ]; then
		echo $((5 + of * $(qemu_states "$CPU_MODEL" | wc -l) * SAMPLES * steps / 4500))
		return
	fi
	# us between two events, beside the launch distance, which is 1 to 10 times the residency
	host_states | awk -v samples=$((SAMPLES * of * steps)) -v ldist="${LDIST:-$SWEEP}" '
		$2 {
			each = 5.5 * ($1 + 20) + 0.1 * $1 / 2
			if (split(ldist, ends, ":") > 1)
				each = (ends[1] + ends[2]) / 2000
			us += each + $2 + 100
		}
		END { printf "%.0f\n", 3 + samples * us / 1000000 }'
}

# dry: what is left to do.
dry()
{
	seconds=$(run_seconds)
	left=0
	while read -r run; do
		if [ ! -e "$OUT/$run" ] && [ ! -e "$OUT/${run%-*}.refused" ]; then
			left=$((left + 1))
			echo "block ${run#*-}: $(combinations | sed -n "${run%-*}p"), about $seconds s"
		fi
	done <"$OUT/order"
	echo "$left of $(wc -l <"$OUT/order") runs are left, about $(((left * seconds + 59) / 60)) min: nothing was measured"
}

# refuse RUN CODE: a combination that the machine does not take is not tried again; what it says is the
# reason.
refuse()
{
	reason=$(sed -n 's/^SKIP: //p' "$OUT/$1.log" | head -n 1)
	words=$(grep ' cannot be set$' "$OUT/$1.log" | head -n 1)
	if [ "$2" -ne 4 ] || [ -z "$reason" ]; then
		experiment_failed "$1"
	fi
	reason=${words:+$words: }$reason
	say exercise "$(combinations | sed -n "${1%-*}p") is skipped: $reason"
	echo "$reason" >"$OUT/${1%-*}.refused"
}

# plan: exercise.csv, which idle-latency reads: the runs, and a line for each combination that was
# refused.
plan()
{
	echo "run,block,reason,$(echo "$VARY" | tr -s ' ' '\n' | sed -n 's/=.*//p' | paste -s -d ,)"
	for run in $(experiment_runs ''); do
		echo "$run,${run#*-},,$(values "${run%-*}")"
	done
	for refused in "$OUT"/*.refused; do
		[ -e "$refused" ] || continue
		kind=$(basename "$refused" .refused)
		echo ",0,\"$(sed 's/"/""/g' "$refused")\",$(values "$kind")"
	done
}

# values KIND: of its combination, with commas.
values()
{
	combinations | sed -n "$1p" | tr ' ' '\n' | sed 's/.*=//' | paste -s -d ,
}

if [ -z "$VARY" ]; then
	printf 'idle_latency: say what to vary, such as: make exercise VARY="prewake=on,off hold=none,package"\n' >&2
	exit 2
fi
EXPERIMENT=exercise
KINDS=$(kinds)
experiment_begin "$(blocks)" 1
if [ -n "$DRY" ]; then
	dry
	exit
fi
run=$(experiment_next)
while [ -n "$run" ]; do
	code=0
	experiment_measure "$run" || code=$?
	[ "$code" -eq 0 ] || refuse "$run" "$code"
	run=$(experiment_next)
done
[ -n "$(experiment_runs '')" ] || die 'nothing could be measured, for the reasons above'
plan >"$OUT/exercise.csv"
/usr/bin/python3 -c 'import matplotlib, numpy, scipy' 2>/dev/null ||
	die "all runs are in $OUT: with the packages python3-numpy python3-scipy python3-matplotlib the same command says what the settings change, and so does \"idle-latency exercise $OUT\" on another machine"
code=0
tool exercise "$OUT" >"$OUT/exercise.txt" || code=$?
[ "$code" -ne 2 ] || exit 2
say exercise "the page is $OUT/index.html"
cat "$OUT/exercise.txt"
