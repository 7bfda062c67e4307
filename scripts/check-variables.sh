#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Check the variables given to make: one line and exit code 2 for the first that
# has an invalid value.
set -eu
. scripts/lib/machine-bochs.sh

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

# Before it is installed the emulator cannot say which models it has.
takes='a model of Bochs, see "bochs --help cpu"'
matches "$CPU_MODEL" '[a-z0-9_]+' || invalid CPU_MODEL "$CPU_MODEL" "$takes"
if command -v bochs >/dev/null; then
	bochs_cpu_models | grep -q -x "$CPU_MODEL" ||
		invalid CPU_MODEL "$CPU_MODEL" "$takes"
fi

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

if ! matches "$OUT" '[^[:space:]]+' || { [ -e "$OUT" ] && [ ! -d "$OUT" ]; }; then
	invalid OUT "$OUT" 'the path of a directory, without white space'
fi

if [ -n "$KDIR" ] && { ! matches "$KDIR" '[^[:space:]:]+' || [ ! -d "$KDIR" ]; }; then
	invalid KDIR "$KDIR" 'the directory of a kernel tree, without white space or colon'
fi

matches "$LONG" '1?' || invalid LONG "$LONG" '1 or nothing'

between "$JOBS" 1 1024 || invalid JOBS "$JOBS" 'a number from 1 to 1024'

if ! matches "$IDLE_LATENCY_CACHE" '/[^[:space:]:]+' ||
	{ [ -e "$IDLE_LATENCY_CACHE" ] && [ ! -d "$IDLE_LATENCY_CACHE" ]; }; then
	invalid IDLE_LATENCY_CACHE "$IDLE_LATENCY_CACHE" \
		'the absolute path of a directory, without white space or colon'
fi
