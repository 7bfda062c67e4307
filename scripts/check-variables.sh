#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Check the variables given to make: one line and exit code 2 for the first that
# has an invalid value.
# Values are not to be expanded.
set -euf
: "${A=}" "${B=}" "${RUNS_EACH=}" "${STEPS=}" "${LIST=}" "${VARY=}" "${DRY=}"
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

# each_once WORDS: no name, or no value, is there twice.
each_once()
{
	[ -z "$(echo "$1" | tr ', ' '\n' | grep . | sort | uniq -d)" ]
}

# is NAME PATTERN TAKES [COMMAND...]: the whole value matches, and the command succeeds.
is()
{
	eval "value=\$$1"
	matches "$value" "$2" || invalid "$1" "$3"
	named=$1 text=$3
	shift 3
	[ $# -eq 0 ] || must "$named" "$text" "$@"
}

# without_bochs NAME: it is not set in Bochs.
without_bochs()
{
	eval "value=\$$1"
	[ -z "$value" ] || must "$1" 'nothing in Bochs, which has one CPU here: MACHINE=qemu or host' \
		[ "$MACHINE" != bochs ]
}

case $PWD in
*[[:space:]:]*)
	printf 'this repository is in %s: builds take no white space and no colon there; move it\n' \
		"$PWD" >&2
	exit 2
	;;
esac

is MACHINE 'bochs|host|qemu' 'bochs (default), qemu or host'
for switch in FORCE ENERGY LONG LIST DRY; do
	is $switch '1?' '1 or nothing'
done
must SAMPLES 'a number from 1 to 100000' between "$SAMPLES" 1 100000
must JOBS 'a number from 1 to 1024' between "$JOBS" 1 1024

state='[A-Za-z0-9_-]{1,15}:[0-9]{1,10}:[0-9]{1,10}(:[a-z0-9=/,]+)?'
is SIM "( *$state( +$state)* *)?" '"NAME:declared_ns:actual_ns ...", simulated idle states'
[ -z "$SIM" ] || must SIM 'nothing without MACHINE=qemu' [ "$MACHINE" = qemu ]

# is_model COMMAND...: it lists that model of a CPU.
is_model()
{
	matches "$CPU_MODEL" '[a-z0-9_]+' && "$@" | grep -q -x -F -e "$CPU_MODEL"
}

# bochs_has [MODEL]: before it is installed the emulator cannot say what it has, and has that one.
bochs_has()
{
	if command -v bochs >/dev/null; then
		bochs_cpu_models
	else
		echo "${1-}"
	fi
}

# of_other MACHINE COMMAND: words for a model that the other emulator has.
of_other()
{
	! is_model "$2" || printf ', and this one with MACHINE=%s' "$1"
}

case $MACHINE in
host)
	# The CPU is what it is, and this the default.
	is CPU_MODEL corei7_ivy_bridge_3770k 'nothing with MACHINE=host'
	;;
qemu)
	is_model qemu_cpu_models || invalid CPU_MODEL \
		"one of $(qemu_cpu_models | paste -s -d ' ')$(of_other bochs bochs_has)"
	;;
bochs)
	{ ! is_model qemu_cpu_models && is_model bochs_has "$CPU_MODEL"; } || invalid CPU_MODEL \
		"a model of Bochs, see \"bochs --help cpu\"$(of_other qemu qemu_cpu_models)"
	;;
esac

# steps_rise WORD: the times of its options after= do, and are four at most.
steps_rise()
{
	printf '%s\n' "$1" | grep -o 'after=[0-9]*' | cut -d = -f 2 >"$RISES"
	[ "$(wc -l <"$RISES")" -le 4 ] && sort -n -c -u "$RISES" 2>/dev/null
}

# cpu_count: of the emulated machine.
cpu_count()
{
	echo $(($(echo "${CPUS:-1}" | tr x '*')))
}

check_cpus()
{
	n='[1-9][0-9]?'
	[ "$MACHINE" = qemu ] && matches "$CPUS" "$n(x$n(x$n)?)?" && [ "$(cpu_count)" -le 32 ]
}
[ -z "$CPUS" ] ||
	must CPUS 'CORES[xTHREADS[xPACKAGES]] with MACHINE=qemu, 32 CPUs at most' check_cpus

# lacks WORD: print what the word of TRUTH is about and the processor has not.
lacks()
{
	state="state[[:blank:]]*${1%%[:@]*}[[:blank:]].*"
	while IFS='|' read -r pattern line what; do
		! matches "$1" "$pattern" || qemu_has "$CPU_MODEL" "$line" || echo "$what"
	done <<-END
		.+@[a-z]+:.*|hybrid|types of core
		.+[:,]module=.*|${state}[[:blank:]]MC.*|module state in this one
		.+[:,]package=.*|${state}[[:blank:]]PC.*|package state in this one
		.+[:,]rest=.*|${state}[[:blank:]]PC.*|package state in this one
		.+[:,]demote=.*|cst-config .*|register to switch demotion off
		no-pc6|cst-config .*=PC2.*|limit of package states
		prewake.*|power-ctl .*|register to switch pre-wake off
		stuck=.*|power-ctl .*|MSR_POWER_CTL
	END
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
	option="(entry|write|ipi|spread|after-exit|module|package|power|rest)=$ns|level=$level|after=$ns/$ns(/$level)?"
	option="$option|(outlier|first)=$n/$ns|demote=$n"
	cpu='0|[1-9][0-9]?|core|atom'
	state="($states)(@($cpu))?:$ns(:($option)(,($option))*)?"
	word="$state|prewake(=$ns)?|no-pc6|(seed|awake|thread|rest)=$ns|rapl=[0-9]{1,10}"
	word="$word|delivery=$ns/$ns/$ns/$ns|tsc-ahead=(0|[1-9][0-9]?)/$ns|(boot|noise)=([1-9]|1[0-9]|20)"
	word="$word|stuck=[1-5]?[0-9]|stuck=6[0-3]|frequency=[1-9][0-9]{0,2}|ramp=$ns/[1-9][0-9]{0,2}"
	words="\"NAME[@CPU]:exit_ns[:option,...] ... [word ...]\" with numbers up to 999999999, see \"make help\"; $CPU_MODEL has the states $(echo "$states" | tr '|' ' '); cannot use"

	is TRUTH '.*' 'a single line'
	for each in $TRUTH; do
		must TRUTH "$words '$each'" matches "$each" "$word"
		lacking=$(lacks "$each" | head -n 1)
		must TRUTH "what $CPU_MODEL has, and it has no $lacking; cannot use '$each'" [ -z "$lacking" ]
	done
	must TRUTH 'each state, of all CPUs or of one, and each word once' \
		[ -z "$(echo "$TRUTH" | tr ' ' '\n' | sed 's/[:=].*//' | grep . | sort | uniq -d)" ]
	RISES=$(mktemp)
	trap 'rm -f "$RISES"' EXIT
	for each in $TRUTH; do
		must TRUTH 'options after= of a state with rising times, four at most' steps_rise "$each"
		case $each in
		"${states%%|*}"[:@]*demote=*)
			invalid TRUTH 'demote= of a state that has one before it'
			;;
		rapl=*)
			must TRUTH 'rapl= up to 4294967295' [ "${each#*=}" -le 4294967295 ]
			;;
		*@core:*)
			;;
		*@atom:*)
			must TRUTH "nothing of efficient cores, of which there are none with CPUS=$CPUS; cannot use '$each'" \
				[ "$(echo "${CPUS:-1}" | cut -d x -f 1)" -gt 1 ]
			;;
		tsc-ahead=* | *@*)
			cpu=${each#*[=@]}
			must TRUTH "CPUs 0 to $(($(cpu_count) - 1)), as CPUS says; cannot use '$each'" \
				[ "${cpu%%[/:]*}" -lt "$(cpu_count)" ]
			;;
		esac
	done
}
[ -z "$TRUTH" ] || check_truth

if [ -n "$TABLE" ]; then
	us='[1-9][0-9]{0,5}'
	entry="[A-Za-z0-9]{1,15}:($us:($us)?|:$us)"
	is TABLE "$entry(,$entry)*" '"NAME:latency:residency,...", idle states and us' [ "${#TABLE}" -lt 256 ]
	must TABLE 'nothing with MACHINE=host or SIM' [ "$MACHINE,$SIM" = "${MACHINE#host}," ]
fi

is KERNEL '(debian-(12|13|13-backports))?' 'debian-12, debian-13 or debian-13-backports'
[ -z "$KERNEL" ] || must KERNEL 'nothing with MACHINE=host, KDIR or HZ' \
	[ "$MACHINE,$KDIR,$HZ" = "${MACHINE#host},,250" ]

must HZ '250 (default) or 1000, of the kernel of an emulated machine' \
	matches "$MACHINE,$HZ" '.*,250|(bochs|qemu),1000'

is METHODS ' *(hrt|tdt|nic|write|ipi)( +(hrt|tdt|nic|write|ipi))* *' \
	'one or more of "hrt tdt nic write ipi"'
[ "$MACHINE" != bochs ] || is METHODS '[hrtd ]*' \
	'"hrt tdt" in Bochs, which has no card and no other CPU; with MACHINE=qemu or host also nic, write and ipi'

[ -z "$LDIST" ] || is LDIST '[0-9]+:[0-9]+' \
	'FROM:TO, two numbers of ns from 1 to 50000000, the first not above the second' rises "$LDIST"

if [ -n "$SWEEP" ]; then
	is SWEEP '[0-9]+:[0-9]+:([1-9][0-9]?|100)%' \
		'FROM:TO:STEP%, two numbers of ns from 1 to 50000000, the first not above the second, and a whole number of percent from 1 to 100 with its sign, such as 20000:2000000:10%' \
		rises "$SWEEP"
	must SWEEP 'nothing together with LDIST' [ -z "$LDIST" ]
	steps=$(sweep_steps "$SWEEP")
	must SWEEP "longer steps, or fewer SAMPLES: $steps steps of $SAMPLES are more than 1000000" \
		[ $((steps * SAMPLES)) -le 1000000 ]
fi

is QUANTILE '(1|0\.[0-9]{0,8}[1-9][0-9]{0,8})?' \
	'a number such as 0.9999, above 0 and up to 1, with nine digits at most' [ "${#QUANTILE}" -le 11 ]

cpu='[0-9]{1,4}(-[0-9]{1,4})?'
is MEASURE "(all|type=(core|atom)|$cpu(,$cpu)*)?" \
	'all, type=core, type=atom, or a list of CPUs such as 0,2-3'
without_bochs MEASURE

is HOLD '(core|module|package|all)?' 'core, module, package or all'
without_bochs HOLD

is WAKER '(sibling|module|package|remote|[0-9]{1,4})?' 'sibling, module, package, remote or a CPU'
[ -z "$WAKER" ] || must WAKER 'nothing without write or ipi in METHODS' \
	matches "$METHODS" '.*(write|ipi).*'

property='(interrupts|read-out-ns|read-back-ns|irq-ns|l1-exit-ns|l1-idle-ns|drift-ppb|fault|fault-every|ptm-request-ns|ptm-response-ns)'
is CARD "((i210|i226)(,$property=[a-z0-9-]+|,port=(root|ptm|switch))*)?" \
	'i210 or i226, with properties of emulator/README.md such as i226,l1-idle-ns=10000'
[ -z "$CARD" ] || must CARD 'nothing but with MACHINE=qemu' [ "$MACHINE" = qemu ]

[ -z "$ENERGY" ] || must ENERGY 'nothing in Bochs or with SIM: MACHINE=qemu or host' \
	[ "$MACHINE,$SIM" = "${MACHINE#bochs}," ]

word='((prewake|demotion|promotion|aspm)=(on|off)|package-limit=pc([0-9]|10))'
is SET "($word([ ,]+$word)*)?" \
	'one or more of "prewake=off demotion=off promotion=off package-limit=pc2 aspm=off", each once, with off or on, or pc0 to pc10' \
	each_once "$(echo "$SET" | sed 's/=[^ ,]*//g')"

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
is OUT '[^-[:space:]][^[:space:]]*' 'the path of a directory, without white space' is_directory "$OUT"
is IDLE_LATENCY_CACHE '/[^[:space:]:,]+' \
	'the absolute path of a directory, without white space, colon or comma' \
	is_directory "$IDLE_LATENCY_CACHE"
[ -z "$KDIR" ] || is KDIR '[^[:space:]:]+' \
	'the directory of a kernel tree, without white space or colon' [ -d "$KDIR" ]

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
	case $MACHINE in
	bochs)
		invalid "$1" "$takes, with MACHINE=qemu or host"
		;;
	qemu)
		with_settings "$value" env A= B= RUNS_EACH= scripts/check-variables.sh || exit
		;;
	host)
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
	[ -n "$VARY" ] || must RUNS_EACH 'nothing where A and B are directories' [ -z "$RUNS_EACH" ]
fi

# check_vary: names that SET and HOLD have, and values of each.
check_vary()
{
	takes='one or more of "prewake=on,off demotion=on,off promotion=on,off package-limit=pc2,pc6 aspm=on,off hold=none,core,module,package,all", each name and each value once, and 64 combinations at most'
	switch='(prewake|demotion|promotion|aspm)=(on|off)(,(on|off))*'
	limit='package-limit=pc([0-9]|10)(,pc([0-9]|10))*'
	hold='hold=(none|core|module|package|all)(,(none|core|module|package|all))*'
	names=$(echo "$VARY" | tr ' ' '\n' | sed 's/=.*//')
	is VARY " *($switch|$limit|$hold)( +($switch|$limit|$hold))* *" "$takes" each_once "$names"
	count=1
	for each in $VARY; do
		must VARY "$takes" each_once "${each#*=}"
		count=$((count * $(echo "${each#*=}" | tr , '\n' | wc -l)))
	done
	must VARY "$takes" [ "$count" -le 64 ]
	must VARY 'two values of one of them at least' [ "$count" -gt 1 ]
	must VARY 'nothing in Bochs: MACHINE=qemu or host' [ "$MACHINE" != bochs ]
	must VARY 'nothing that is in SET, too' each_once "$names $(echo "$SET" | sed 's/=[^ ,]*//g')"
	case $VARY in
	*hold=*)
		must HOLD 'nothing where VARY has hold=' [ -z "$HOLD" ]
		;;
	esac
	must SIM 'nothing together with VARY' [ -z "$SIM" ]
	case $TRUTH in
	*seed=*)
		invalid TRUTH 'no seed= together with VARY, where each run has one of its own'
		;;
	esac
	is RUNS_EACH '([2-9]|[12][0-9]|3[0-2])?' 'a number from 2 to 32 of runs of each combination'
}

if [ -n "$VARY" ]; then
	check_vary
else
	must DRY 'nothing without VARY' [ -z "$DRY" ]
	is RUNS_EACH '(6|8|10|12)?' 'an even number from 6 to 12 (default 10): fewer decide nothing'
fi
runs RUNS

takes='names of checks, separated by blanks, which "make check LIST=1" lists'
is STEPS '[a-z0-9 -]*' "$takes"
for step in $STEPS; do
	must STEPS "$takes; '$step' is none" check_file "$step" >/dev/null
done
