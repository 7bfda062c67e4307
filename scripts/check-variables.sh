#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Check the variables given to make: one line and exit code 2 for the first that
# has an invalid value.
# Values are not to be expanded.
set -euf
: "${A=}" "${B=}" "${RUNS_EACH=}" "${STEPS=}" "${LIST=}"
. scripts/lib/machine-bochs.sh
. scripts/lib/machine-qemu.sh
. scripts/lib/sweep.sh
. scripts/lib/experiment.sh
. checks/lib/index.sh

# invalid NAME VALUE TAKES
invalid()
{
	printf '%s=%s: takes %s\n' "$1" "$2" "$3" >&2
	exit 2
}

# matches VALUE PATTERN: the whole value, which is one line, matches.
matches()
{
	case $1 in
	*'
'*)
		return 1
		;;
	esac
	printf '%s\n' "$1" | grep -E -x -q -e "$2"
}

# between VALUE LOW HIGH: a decimal number in that range.
between()
{
	matches "$1" '[1-9][0-9]{0,8}' && [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]
}

case $PWD in
*[[:space:]:]*)
	printf 'this repository is in %s: builds take no white space and no colon there; move it\n' \
		"$PWD" >&2
	exit 2
	;;
esac

case $MACHINE in
bochs | host | qemu)
	;;
*)
	invalid MACHINE "$MACHINE" 'bochs (default), qemu or host'
	;;
esac

if [ -n "$SIM" ]; then
	state='[A-Za-z0-9_-]{1,15}:[0-9]{1,10}:[0-9]{1,10}(:[a-z0-9=/,]+)?'
	matches "$SIM" " *$state( +$state)* *" ||
		invalid SIM "$SIM" '"NAME:declared_ns:actual_ns ...", simulated idle states'
	[ "$MACHINE" = qemu ] || invalid SIM "$SIM" 'nothing without MACHINE=qemu'
fi

check_bochs_model()
{
	takes='a model of Bochs, see "bochs --help cpu"'
	matches "$CPU_MODEL" '[a-z0-9_]+' || invalid CPU_MODEL "$CPU_MODEL" "$takes"
	# Before it is installed the emulator cannot say which models it has.
	if command -v bochs >/dev/null; then
		bochs_cpu_models | grep -q -x -F -e "$CPU_MODEL" ||
			invalid CPU_MODEL "$CPU_MODEL" "$takes"
	fi
}

if [ "$MACHINE" = host ]; then
	# The CPU is what it is, and this the default.
	[ "$CPU_MODEL" = corei7_ivy_bridge_3770k ] ||
		invalid CPU_MODEL "$CPU_MODEL" 'nothing with MACHINE=host'
elif [ "$MACHINE" = qemu ]; then
	{ matches "$CPU_MODEL" '[a-z0-9_]+' &&
		qemu_cpu_models | grep -q -x -F -e "$CPU_MODEL"; } ||
		invalid CPU_MODEL "$CPU_MODEL" "one of $(qemu_cpu_models | paste -s -d ' ')"
else
	check_bochs_model
fi

# steps_rise WORD: the times of its options after= do, and are four at most.
steps_rise()
{
	printf '%s\n' "$1" | grep -o 'after=[0-9]*' | cut -d = -f 2 >"$RISES"
	[ "$(wc -l <"$RISES")" -le 4 ] && sort -n -c -u "$RISES" 2>/dev/null
}

# check_truth: each word is one of those that emulator/idle/config.c takes.
check_truth()
{
	[ "$MACHINE" = qemu ] || invalid TRUTH "$TRUTH" 'nothing without MACHINE=qemu'
	[ -z "$SIM" ] || invalid TRUTH "$TRUTH" 'nothing together with SIM'

	states=$(qemu_states "$CPU_MODEL" | paste -s -d '|')
	ns='(0|[1-9][0-9]{0,8})'
	n='[1-9][0-9]{0,8}'
	level='C([0-9]|10)'
	option="(entry|spread|package|power)=$ns|level=$level|after=$ns/$ns(/$level)?"
	option="$option|outlier=$n/$ns|demote=$n"
	state="($states):$ns(:($option)(,($option))*)?"
	word="$state|prewake(=$ns)?|no-pc6|(seed|awake|uncore)=$ns|rapl=[0-9]{1,10}"
	takes="\"NAME:exit_ns[:option,...] ... [word ...]\" with numbers up to 999999999, see \"make help\"; $CPU_MODEL has the states $(echo "$states" | tr '|' ' '); cannot use"

	matches "$TRUTH" '.*' || invalid TRUTH "$TRUTH" 'a single line'
	for each in $TRUTH; do
		matches "$each" "$word" || invalid TRUTH "$TRUTH" "$takes '$each'"
	done
	[ -z "$(echo "$TRUTH" | tr ' ' '\n' | sed 's/[:=].*//' | grep . | sort | uniq -d)" ] ||
		invalid TRUTH "$TRUTH" 'each state and each word once'
	RISES=$(mktemp)
	trap 'rm -f "$RISES"' EXIT
	for each in $TRUTH; do
		steps_rise "$each" ||
			invalid TRUTH "$TRUTH" 'options after= of a state with rising times, four at most'
		case $each in
		"${states%%|*}":*demote=*)
			invalid TRUTH "$TRUTH" 'demote= of a state that has one before it'
			;;
		rapl=*)
			[ "${each#*=}" -le 4294967295 ] ||
				invalid TRUTH "$TRUTH" 'rapl= up to 4294967295'
			;;
		esac
	done
}
[ -z "$TRUTH" ] || check_truth

check_cpus()
{
	takes='CORES[xTHREADS[xPACKAGES]] with MACHINE=qemu, 8 CPUs at most'
	{ [ "$MACHINE" = qemu ] && matches "$CPUS" '[1-8](x[1-8](x[1-8])?)?' &&
		[ $(($(echo "$CPUS" | tr x '*'))) -le 8 ]; } || invalid CPUS "$CPUS" "$takes"
}
[ -z "$CPUS" ] || check_cpus

if [ -n "$TABLE" ]; then
	us='[1-9][0-9]{0,5}'
	entry="[A-Za-z0-9]{1,15}:($us:($us)?|:$us)"
	{ matches "$TABLE" "$entry(,$entry)*" && [ "${#TABLE}" -lt 256 ]; } ||
		invalid TABLE "$TABLE" '"NAME:latency:residency,...", idle states and us'
	{ [ "$MACHINE" != host ] && [ -z "$SIM" ]; } ||
		invalid TABLE "$TABLE" 'nothing with MACHINE=host or SIM'
fi

case $KERNEL in
'')
	;;
debian-12 | debian-13 | debian-13-backports)
	[ "$MACHINE,$KDIR,$HZ" = "${MACHINE#host},,250" ] ||
		invalid KERNEL "$KERNEL" 'nothing with MACHINE=host, KDIR or HZ'
	;;
*)
	invalid KERNEL "$KERNEL" 'debian-12, debian-13 or debian-13-backports'
	;;
esac

case $MACHINE,$HZ in
*,250 | bochs,1000 | qemu,1000)
	;;
*)
	invalid HZ "$HZ" '250 (default) or 1000, of the kernel of an emulated machine'
	;;
esac

matches "$METHODS" ' *(hrt|tdt|nic)( +(hrt|tdt|nic))* *' ||
	invalid METHODS "$METHODS" 'one or more of "hrt tdt nic"'
case $MACHINE,$METHODS in
bochs,*nic*)
	invalid METHODS "$METHODS" '"hrt tdt" in Bochs, which has no card for nic; with MACHINE=qemu or host also nic'
	;;
esac

between "$SAMPLES" 1 100000 ||
	invalid SAMPLES "$SAMPLES" 'a number from 1 to 100000'

if [ -n "$LDIST" ]; then
	takes='FROM:TO, two numbers of ns from 1 to 50000000, the first not above the second'
	matches "$LDIST" '[0-9]+:[0-9]+' || invalid LDIST "$LDIST" "$takes"
	from=${LDIST%:*}
	to=${LDIST#*:}
	{ between "$from" 1 50000000 && between "$to" "$from" 50000000; } ||
		invalid LDIST "$LDIST" "$takes"
fi

check_sweep()
{
	takes='FROM:TO:STEP%, two numbers of ns from 1 to 50000000, the first not above the second, and a whole number of percent from 1 to 100 with its sign, such as 20000:2000000:10%'
	matches "$SWEEP" '[0-9]+:[0-9]+:([1-9][0-9]?|100)%' || invalid SWEEP "$SWEEP" "$takes"
	from=${SWEEP%%:*}
	to=${SWEEP#*:}
	to=${to%:*}
	{ between "$from" 1 50000000 && between "$to" "$from" 50000000; } ||
		invalid SWEEP "$SWEEP" "$takes"
	[ -z "$LDIST" ] || invalid SWEEP "$SWEEP" 'nothing together with LDIST'
	steps=$(sweep_steps "$SWEEP")
	[ $((steps * SAMPLES)) -le 1000000 ] ||
		invalid SWEEP "$SWEEP" "longer steps, or fewer SAMPLES: $steps steps of $SAMPLES are more than 1000000"
}
[ -z "$SWEEP" ] || check_sweep

if [ -n "$QUANTILE" ]; then
	{ matches "$QUANTILE" '1|0\.[0-9]{1,9}' && matches "$QUANTILE" '.*[1-9].*'; } ||
		invalid QUANTILE "$QUANTILE" 'a number such as 0.9999, above 0 and up to 1, with nine digits at most'
fi

matches "$FORCE" '1?' || invalid FORCE "$FORCE" '1 or nothing'

case ${OUT##*/} in
'' | . | .. | -*)
	invalid OUT "$OUT" 'the path of a directory, with its name at the end'
	;;
esac

if ! matches "$OUT" '[^-[:space:]][^[:space:]]*' || { [ -e "$OUT" ] && [ ! -d "$OUT" ]; }; then
	invalid OUT "$OUT" 'the path of a directory, without white space'
fi

# runs LIST: directories with results, separated by blanks.
runs()
{
	matches "$1" ' *[^[:space:],-][^[:space:],]*( +[^[:space:],-][^[:space:],]*)* *' || return
	for run in $1; do
		[ ! -f "$run/summary.csv" ] || continue
		takes="$takes; $run has no summary.csv"
		return 1
	done
}

# in_turn NAME TEXT: how to measure one kind of runs, whose variables have valid values.
in_turn()
{
	takes='variables TRUTH, TABLE or KERNEL as in "make run", such as TRUTH="C1:900", in A and in B'
	matches "$2" " *$EXPERIMENT_SETTING( +$EXPERIMENT_SETTING)* *" || invalid "$1" "$2" "$takes"
	[ -z "$SIM" ] || invalid "$1" "$2" "$takes, and no SIM"
	case $MACHINE,$2,$TRUTH in
	bochs,*)
		invalid "$1" "$2" "$takes, with MACHINE=qemu or host"
		;;
	qemu,*seed=*)
		invalid "$1" "$2" "$takes, without seed=, of which each run has one of its own"
		;;
	qemu,*)
		with_settings "$2" env A= B= RUNS_EACH= scripts/check-variables.sh || exit
		;;
	host,*)
		matches "$2" ' *KERNEL="?[A-Za-z0-9.+~_-]+"? *' ||
			invalid "$1" "$2" "KERNEL=RELEASE with MACHINE=host, as uname -r prints it"
		;;
	esac
}

takes='directories with the results of "make run", without commas, separated by blanks'
if is_setting "$A" || is_setting "$B"; then
	in_turn A "$A"
	in_turn B "$B"
else
	[ -z "$A" ] || runs "$A" || invalid A "$A" "$takes"
	[ -z "$B" ] || runs "$B" || invalid B "$B" "$takes"
	[ -z "$RUNS_EACH" ] || invalid RUNS_EACH "$RUNS_EACH" 'nothing where A and B are directories'
fi
matches "$RUNS_EACH" '(6|8|10|12)?' ||
	invalid RUNS_EACH "$RUNS_EACH" 'an even number from 6 to 12 (default 10): fewer decide nothing'
[ -z "$RUNS" ] || runs "$RUNS" || invalid RUNS "$RUNS" "$takes"

if [ -n "$KDIR" ] && { ! matches "$KDIR" '[^[:space:]:]+' || [ ! -d "$KDIR" ]; }; then
	invalid KDIR "$KDIR" 'the directory of a kernel tree, without white space or colon'
fi

matches "$LONG" '1?' || invalid LONG "$LONG" '1 or nothing'

takes='names of checks, separated by blanks, which "make check LIST=1" lists'
! [ "$STEPS" ] || matches "$STEPS" '[a-z0-9 -]+' || invalid STEPS "$STEPS" "$takes"
for step in $STEPS; do
	check_file "$step" >/dev/null || invalid STEPS "$STEPS" "$takes; '$step' is none"
done

matches "$LIST" '1?' || invalid LIST "$LIST" '1 or nothing'

between "$JOBS" 1 1024 || invalid JOBS "$JOBS" 'a number from 1 to 1024'

if ! matches "$IDLE_LATENCY_CACHE" '/[^[:space:]:,]+' ||
	{ [ -e "$IDLE_LATENCY_CACHE" ] && [ ! -d "$IDLE_LATENCY_CACHE" ]; }; then
	invalid IDLE_LATENCY_CACHE "$IDLE_LATENCY_CACHE" \
		'the absolute path of a directory, without white space, colon or comma'
fi
