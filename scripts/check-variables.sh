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
. scripts/lib/results.sh
. scripts/lib/experiment.sh
. checks/lib/index.sh
value=

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

# rises FROM:TO[:MORE]: numbers of ns in the range of launch distances.
rises()
{
	from=${1%%:*} to=${1#*:}
	between "$from" 1 50000000 && between "${to%%:*}" "$from" 50000000
}

# invalid NAME TAKES
invalid()
{
	eval "value=\$$1"
	printf '%s=%s: takes %s\n' "$1" "$value" "$2" >&2
	exit 2
}

# must NAME TAKES COMMAND...: the command, a test, succeeds, or the value is invalid.
must()
{
	named=$1 text=$2
	shift 2
	"$@" || invalid "$named" "$text"
}

# is NAME PATTERN TAKES: the whole value matches.
is()
{
	eval "value=\$$1"
	matches "$value" "$2" || invalid "$1" "$3"
}

case $PWD in
*[[:space:]:]*)
	printf 'this repository is in %s: builds take no white space and no colon there; move it\n' \
		"$PWD" >&2
	exit 2
	;;
esac

is MACHINE 'bochs|host|qemu' 'bochs (default), qemu or host'
for switch in FORCE LONG LIST; do
	is $switch '1?' '1 or nothing'
done
must SAMPLES 'a number from 1 to 100000' between "$SAMPLES" 1 100000
must JOBS 'a number from 1 to 1024' between "$JOBS" 1 1024

state='[A-Za-z0-9_-]{1,15}:[0-9]{1,10}:[0-9]{1,10}(:[a-z0-9=/,]+)?'
is SIM "( *$state( +$state)* *)?" '"NAME:declared_ns:actual_ns ...", simulated idle states'
[ -z "$SIM" ] || must SIM 'nothing without MACHINE=qemu' [ "$MACHINE" = qemu ]

# is_model COMMAND: it lists that model of a CPU.
is_model()
{
	matches "$CPU_MODEL" '[a-z0-9_]+' && "$1" | grep -q -x -F -e "$CPU_MODEL"
}

# bochs_takes: before it is installed the emulator cannot say which models it has.
bochs_takes()
{
	if command -v bochs >/dev/null; then
		bochs_cpu_models
	else
		echo "$CPU_MODEL"
	fi
}

case $MACHINE in
host)
	# The CPU is what it is, and this the default.
	is CPU_MODEL corei7_ivy_bridge_3770k 'nothing with MACHINE=host'
	;;
qemu)
	must CPU_MODEL "one of $(qemu_cpu_models | paste -s -d ' ')" is_model qemu_cpu_models
	;;
bochs)
	must CPU_MODEL 'a model of Bochs, see "bochs --help cpu"' is_model bochs_takes
	;;
esac

# steps_rise WORD: the times of its options after= do, and are four at most.
steps_rise()
{
	printf '%s\n' "$1" | grep -o 'after=[0-9]*' | cut -d = -f 2 >"$RISES"
	[ "$(wc -l <"$RISES")" -le 4 ] && sort -n -c -u "$RISES" 2>/dev/null
}

# check_truth: each word is one of those that emulator/idle/config.c takes.
check_truth()
{
	must TRUTH 'nothing without MACHINE=qemu' [ "$MACHINE" = qemu ]
	must TRUTH 'nothing together with SIM' [ -z "$SIM" ]

	states=$(qemu_states "$CPU_MODEL" | paste -s -d '|')
	ns='(0|[1-9][0-9]{0,8})'
	n='[1-9][0-9]{0,8}'
	level='C([0-9]|10)'
	option="(entry|spread|package|power)=$ns|level=$level|after=$ns/$ns(/$level)?"
	option="$option|outlier=$n/$ns|demote=$n"
	state="($states):$ns(:($option)(,($option))*)?"
	word="$state|prewake(=$ns)?|no-pc6|(seed|awake|uncore)=$ns|rapl=[0-9]{1,10}"
	word="$word|frequency=[1-9][0-9]{0,2}|ramp=$ns/[1-9][0-9]{0,2}"
	words="\"NAME:exit_ns[:option,...] ... [word ...]\" with numbers up to 999999999, see \"make help\"; $CPU_MODEL has the states $(echo "$states" | tr '|' ' '); cannot use"

	is TRUTH '.*' 'a single line'
	for each in $TRUTH; do
		must TRUTH "$words '$each'" matches "$each" "$word"
	done
	must TRUTH 'each state and each word once' \
		[ -z "$(echo "$TRUTH" | tr ' ' '\n' | sed 's/[:=].*//' | grep . | sort | uniq -d)" ]
	RISES=$(mktemp)
	trap 'rm -f "$RISES"' EXIT
	for each in $TRUTH; do
		must TRUTH 'options after= of a state with rising times, four at most' steps_rise "$each"
		case $each in
		"${states%%|*}":*demote=*)
			invalid TRUTH 'demote= of a state that has one before it'
			;;
		rapl=*)
			must TRUTH 'rapl= up to 4294967295' [ "${each#*=}" -le 4294967295 ]
			;;
		esac
	done
}
[ -z "$TRUTH" ] || check_truth

check_cpus()
{
	[ "$MACHINE" = qemu ] && matches "$CPUS" '[1-8](x[1-8](x[1-8])?)?' &&
		[ $(($(echo "$CPUS" | tr x '*'))) -le 8 ]
}
[ -z "$CPUS" ] ||
	must CPUS 'CORES[xTHREADS[xPACKAGES]] with MACHINE=qemu, 8 CPUs at most' check_cpus

if [ -n "$TABLE" ]; then
	us='[1-9][0-9]{0,5}'
	entry="[A-Za-z0-9]{1,15}:($us:($us)?|:$us)"
	takes='"NAME:latency:residency,...", idle states and us'
	is TABLE "$entry(,$entry)*" "$takes"
	must TABLE "$takes" [ "${#TABLE}" -lt 256 ]
	must TABLE 'nothing with MACHINE=host or SIM' [ "$MACHINE,$SIM" = "${MACHINE#host}," ]
fi

is KERNEL '(debian-(12|13|13-backports))?' 'debian-12, debian-13 or debian-13-backports'
[ -z "$KERNEL" ] || must KERNEL 'nothing with MACHINE=host, KDIR or HZ' \
	[ "$MACHINE,$KDIR,$HZ" = "${MACHINE#host},,250" ]

must HZ '250 (default) or 1000, of the kernel of an emulated machine' \
	matches "$MACHINE,$HZ" '.*,250|(bochs|qemu),1000'

is METHODS ' *(hrt|tdt|nic)( +(hrt|tdt|nic))* *' 'one or more of "hrt tdt nic"'
[ "$MACHINE" != bochs ] || is METHODS '[hrtd ]*' \
	'"hrt tdt" in Bochs, which has no card for nic; with MACHINE=qemu or host also nic'

if [ -n "$LDIST" ]; then
	takes='FROM:TO, two numbers of ns from 1 to 50000000, the first not above the second'
	is LDIST '[0-9]+:[0-9]+' "$takes"
	must LDIST "$takes" rises "$LDIST"
fi

if [ -n "$SWEEP" ]; then
	takes='FROM:TO:STEP%, two numbers of ns from 1 to 50000000, the first not above the second, and a whole number of percent from 1 to 100 with its sign, such as 20000:2000000:10%'
	is SWEEP '[0-9]+:[0-9]+:([1-9][0-9]?|100)%' "$takes"
	must SWEEP "$takes" rises "$SWEEP"
	must SWEEP 'nothing together with LDIST' [ -z "$LDIST" ]
	steps=$(sweep_steps "$SWEEP")
	must SWEEP "longer steps, or fewer SAMPLES: $steps steps of $SAMPLES are more than 1000000" \
		[ $((steps * SAMPLES)) -le 1000000 ]
fi

takes='a number such as 0.9999, above 0 and up to 1, with nine digits at most'
is QUANTILE '(1|0\.[0-9]{1,9})?' "$takes"
[ -z "$QUANTILE" ] || is QUANTILE '.*[1-9].*' "$takes"

is HOLD '(core|module|package|all)?' 'core, module, package or all'
[ -z "$HOLD" ] || must HOLD 'nothing in Bochs, which has one CPU here: MACHINE=qemu or host' \
	[ "$MACHINE" != bochs ]

word='((prewake|demotion|promotion)=(on|off)|package-limit=pc([0-9]|10))'
takes='one or more of "prewake=off demotion=off promotion=off package-limit=pc2", each once, with off or on, or pc0 to pc10'
is SET "($word([ ,]+$word)*)?" "$takes"
must SET "$takes" [ -z "$(echo "$SET" | tr ', ' '\n' | sed 's/=.*//' | grep . | sort | uniq -d)" ]

# is_directory PATH: or becomes one.
is_directory()
{
	[ -d "$1" ] || [ ! -e "$1" ]
}

case ${OUT##*/} in
'' | . | .. | -*)
	invalid OUT 'the path of a directory, with its name at the end'
	;;
esac
takes='the path of a directory, without white space'
is OUT '[^-[:space:]][^[:space:]]*' "$takes"
must OUT "$takes" is_directory "$OUT"

takes='the absolute path of a directory, without white space, colon or comma'
is IDLE_LATENCY_CACHE '/[^[:space:]:,]+' "$takes"
must IDLE_LATENCY_CACHE "$takes" is_directory "$IDLE_LATENCY_CACHE"

if [ -n "$KDIR" ]; then
	takes='the directory of a kernel tree, without white space or colon'
	is KDIR '[^[:space:]:]+' "$takes"
	must KDIR "$takes" [ -d "$KDIR" ]
fi

# runs NAME: directories with results, separated by blanks, or nothing.
runs()
{
	takes='directories with the results of "make run", without commas, separated by blanks'
	is "$1" '( *[^[:space:],-][^[:space:],]*( +[^[:space:],-][^[:space:],]*)* *)?' "$takes"
	for run in $value; do
		must "$1" "$takes; $run has no summary.csv" [ -f "$run/summary.csv" ]
	done
}

# in_turn NAME: how to measure one kind of runs, whose variables have valid values.
in_turn()
{
	takes='variables TRUTH, TABLE or KERNEL as in "make run", such as TRUTH="C1:900", in A and in B'
	is "$1" " *$EXPERIMENT_SETTING( +$EXPERIMENT_SETTING)* *" "$takes"
	must "$1" "$takes, and no SIM" [ -z "$SIM" ]
	case $MACHINE,$value,$TRUTH in
	bochs,*)
		invalid "$1" "$takes, with MACHINE=qemu or host"
		;;
	qemu,*seed=*)
		invalid "$1" "$takes, without seed=, of which each run has one of its own"
		;;
	qemu,*)
		with_settings "$value" env A= B= RUNS_EACH= scripts/check-variables.sh || exit
		;;
	host,*)
		is "$1" ' *KERNEL="?[A-Za-z0-9.+~_-]+"? *' \
			"KERNEL=RELEASE with MACHINE=host, as uname -r prints it"
		;;
	esac
}

if is_setting "$A" || is_setting "$B"; then
	in_turn A
	in_turn B
else
	runs A
	runs B
	must RUNS_EACH 'nothing where A and B are directories' [ -z "$RUNS_EACH" ]
fi
is RUNS_EACH '(6|8|10|12)?' 'an even number from 6 to 12 (default 10): fewer decide nothing'
runs RUNS

takes='names of checks, separated by blanks, which "make check LIST=1" lists'
is STEPS '[a-z0-9 -]*' "$takes"
for step in $STEPS; do
	must STEPS "$takes; '$step' is none" check_file "$step" >/dev/null
done
