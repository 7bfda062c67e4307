# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Kinds of runs that are measured in turn, each kind with variables of its own. KINDS has a line for
# each: its name, which has no "-", and what it is measured with, such as TRUTH="C1:900". EXPERIMENT
# is the target of make. All that is known of an experiment is in its directory OUT: experiment says
# what it is of, order has the runs in the order in which they are measured, and each run that
# was measured has a directory of its own. So it goes on where it was interrupted.

# shellcheck disable=SC2034 # check-variables.sh uses it
EXPERIMENT_SETTING='(TRUTH|TABLE|KERNEL)=("[^"]*"|[^"[:space:]]+)'

# is_setting TEXT: it says how to measure, and is no list of directories.
is_setting()
{
	printf '%s\n' "$1" | grep -E -q '^ *(TRUTH|TABLE|KERNEL)='
}

# settings TEXT: its variables, NAME=VALUE, one on a line.
settings()
{
	printf '%s\n' "$1" | grep -E -o '[A-Z]+=("[^"]*"|[^"[:space:]]+)' | tr -d '"'
}

# with_settings TEXT COMMAND...: run it with these variables, in a subshell.
with_settings()
(
	while IFS= read -r setting; do
		export "${setting?}"
	done <<-END
	$(settings "$1")
	END
	shift
	"$@"
)

# experiment_order BLOCKS EACH: drawn in blocks that have so many runs of each kind, for two of each
# of a and b: a-1, b-1, b-2, a-2, and so on.
experiment_order()
{
	for _ in $(seq "$1"); do
		for _ in $(seq "$2"); do
			printf '%s\n' "$KINDS" | cut -d ' ' -f 1
		done | shuf
	done | awk '{ print $1 "-" ++count[$1] }'
}

# experiment_begin BLOCKS EACH: draw the order, unless OUT has it already. Where nothing was measured
# yet, it may have that of another experiment.
experiment_begin()
{
	# shellcheck disable=SC2153 # they are those of make
	what=$(printf '%s\n' "$KINDS" "blocks=$1 each=$2" "MACHINE=$MACHINE" \
		"CPU_MODEL=$CPU_MODEL" "METHODS=$METHODS" "SAMPLES=$SAMPLES" "LDIST=$LDIST" \
		"SWEEP=$SWEEP" "QUANTILE=$QUANTILE" "MEASURE=$MEASURE" "HOLD=$HOLD" "SET=$SET" \
		"WAKER=$WAKER" "CARD=$CARD" "CPUS=$CPUS" "HZ=$HZ" "TRUTH=$TRUTH" "TABLE=$TABLE" "KERNEL=$KERNEL" \
		"KDIR=$KDIR" "ENERGY=$ENERGY" "FORCE=$FORCE")
	mkdir -p "$OUT"
	begun=$(experiment_runs '')
	[ -n "$begun" ] || rm -f "$OUT"/*.refused
	[ "$(cat "$OUT/experiment" 2>/dev/null)" != "$what" ] || return 0
	[ -z "$begun" ] ||
		die "$OUT has another experiment, see $OUT/experiment: take another directory with OUT="
	experiment_order "$1" "$2" >"$OUT/order"
	echo "$what" >"$OUT/experiment"
}

# experiment_runs KIND-: those of the kind that were measured, or all where it is empty, in the order
# of their numbers.
experiment_runs()
{
	[ ! -e "$OUT/order" ] || grep -e "^$1" "$OUT/order" | sort -t - -k 2,2n -k 1,1n | while read -r run; do
		[ ! -e "$OUT/$run" ] || echo "$run"
	done
}

# experiment_next: the next run that is to be measured, or nothing. There is none of a kind that
# was refused.
experiment_next()
{
	while read -r run; do
		[ -e "$OUT/$run" ] || [ -e "$OUT/${run%-*}.refused" ] || {
			echo "$run"
			break
		}
	done <"$OUT/order"
}

# experiment_of RUN: the text with its settings.
experiment_of()
{
	printf '%s\n' "$KINDS" | sed -n "s/^${1%-*} //p"
}

# experiment_run: measure with the variables as they are. Where everything is emulated, the number
# makes it another run, whose seed is that of TRUTH and the number: the kernel mixes its command line
# into its random numbers. It ends when the experiment is killed, and puts everything back.
experiment_run()
{
	if [ "$MACHINE" = qemu ]; then
		seed=$(printf ' %s\n' "$TRUTH" | sed -n 's/.* seed=\([0-9]*\).*/\1/p')
		TRUTH="$(printf ' %s\n' "$TRUTH" | sed 's/ seed=[0-9]*//') seed=$((${seed:-0} + number))"
		RUN_NUMBER=$number
		export RUN_NUMBER TRUTH
	else
		# It is the kernel that runs.
		unset KERNEL
	fi
	OUT=$OUT/measuring
	export OUT
	exec setpriv --pdeathsig TERM scripts/run.sh
}

# experiment_measure RUN: that a verdict is FAIL is a result. Fails where there is none, which is 4
# where nothing can be measured so; why is in OUT/RUN.log.
# shellcheck disable=SC2153 # the scripts that read this file have EXPERIMENT
experiment_measure()
{
	number=$(grep -n -x -e "$1" "$OUT/order" | cut -d : -f 1)
	say "$EXPERIMENT" "$1, run $number of $(wc -l <"$OUT/order"): $(experiment_of "$1")"
	rm -rf "$OUT/measuring"
	run_code=0
	began=$(date +%s)
	with_settings "$(experiment_of "$1")" experiment_run >"$OUT/$1.log" 2>&1 || run_code=$?
	case $run_code in
	0 | 1)
		[ -f "$OUT/measuring/summary.csv" ] || return 1
		mv "$OUT/measuring" "$OUT/$1"
		echo $(($(date +%s) - began)) >>"$OUT/seconds"
		;;
	*)
		return "$run_code"
		;;
	esac
}

# experiment_failed RUN: end with the end of what it said.
experiment_failed()
{
	tail -n 5 "$OUT/$1.log" >&2
	die "$1 could not be measured (log: $OUT/$1.log)"
}
