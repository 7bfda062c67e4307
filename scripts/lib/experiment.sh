# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Two kinds of runs that are measured in turn, each kind with variables of its own, such as
# TRUTH="C1:900". All that is known of an experiment is in its directory OUT: experiment says
# what it is of, order has the runs in the order in which they are measured, and each run that
# was measured has a directory of its own. So it goes on where it was interrupted.

EXPERIMENT_SETTING='(TRUTH|TABLE|KERNEL)=("[^"]*"|[^"[:space:]]+)'

# is_setting TEXT: it says how to measure, and is no list of directories.
is_setting()
{
	printf '%s\n' "$1" | grep -E -q '^ *(TRUTH|TABLE|KERNEL)='
}

# settings TEXT: its variables, NAME=VALUE, one on a line.
settings()
{
	printf '%s\n' "$1" | grep -E -o "$EXPERIMENT_SETTING" | tr -d '"'
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

# experiment_order: drawn in blocks of two A and two B: a-1, b-1, b-2, a-2, and so on.
experiment_order()
{
	for _ in $(seq $((RUNS_EACH / 2))); do
		printf 'a\na\nb\nb\n' | shuf
	done | awk '{ print $1 "-" ++count[$1] }'
}

# experiment_begin: draw the order, unless OUT has it already.
experiment_begin()
{
	# shellcheck disable=SC2153 # they are those of make
	what=$(printf '%s\n' "A=$A" "B=$B" "RUNS_EACH=$RUNS_EACH" "MACHINE=$MACHINE" \
		"CPU_MODEL=$CPU_MODEL" "METHODS=$METHODS" "SAMPLES=$SAMPLES" "LDIST=$LDIST" \
		"SWEEP=$SWEEP" "QUANTILE=$QUANTILE" "HOLD=$HOLD" "SET=$SET" "CPUS=$CPUS" "HZ=$HZ" \
		"TRUTH=$TRUTH" "TABLE=$TABLE" "KERNEL=$KERNEL")
	mkdir -p "$OUT"
	if [ -e "$OUT/experiment" ]; then
		[ "$(cat "$OUT/experiment")" = "$what" ] ||
			die "$OUT has another experiment, see $OUT/experiment: take another directory with OUT="
	else
		experiment_order >"$OUT/order"
		echo "$what" >"$OUT/experiment"
	fi
}

# experiment_next: the next run that is to be measured, or nothing.
experiment_next()
{
	while read -r run; do
		[ -e "$OUT/$run" ] || {
			echo "$run"
			break
		}
	done <"$OUT/order"
}

# experiment_of RUN: the text with its settings.
experiment_of()
{
	case $1 in
	a-*)
		echo "$A"
		;;
	*)
		echo "$B"
		;;
	esac
}

# experiment_can_run RUN: which on this machine takes the kernel that it is of, booted since the
# run before. Else it says what to boot, in OUT/boot-next, too.
experiment_can_run()
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

# experiment_run: measure with the variables as they are. Where everything is emulated, the number
# makes it another run: the kernel mixes its command line into its random numbers.
experiment_run()
{
	if [ "$MACHINE" = qemu ]; then
		TRUTH="$TRUTH seed=$number"
		RUN_NUMBER=$number
		export RUN_NUMBER TRUTH
	else
		# It is the kernel that runs.
		unset KERNEL
	fi
	OUT=$OUT/measuring
	export OUT
	scripts/run.sh
}

# experiment_measure RUN: that a verdict is FAIL is a result.
experiment_measure()
{
	number=$(grep -n -x -e "$1" "$OUT/order" | cut -d : -f 1)
	say compare "$1, run $number of $((2 * RUNS_EACH)): $(experiment_of "$1")"
	rm -rf "$OUT/measuring"
	with_settings "$(experiment_of "$1")" experiment_run >"$OUT/$1.log" 2>&1 || true
	[ -f "$OUT/measuring/summary.csv" ] || {
		tail -n 5 "$OUT/$1.log" >&2
		die "$1 could not be measured (log: $OUT/$1.log)"
	}
	[ "$MACHINE" != host ] || echo "$HOST_BOOT" >>"$OUT/boots"
	mv "$OUT/measuring" "$OUT/$1"
}

# experiment_runs KIND: those that were measured, with commas.
experiment_runs()
{
	i=1
	list=
	while [ -e "$OUT/$1-$i" ]; do
		list=$list,$OUT/$1-$i
		i=$((i + 1))
	done
	echo "${list#,}"
}

# experiment_look: what the runs say that were measured, in OUT/comparison.txt. Fails when the
# experiment has to go on; else ANSWER is the exit code of the comparison.
experiment_look()
{
	of_a=$(experiment_runs a)
	of_b=$(experiment_runs b)
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
