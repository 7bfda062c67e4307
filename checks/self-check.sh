#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The self check of latency_test: on the emulated processor all instruments are in order. Where
# the link of the card sleeps, and where there is no TSC-deadline timer, so that hrt has the rate
# that the kernel has calibrated, it says so. What is disabled is left alone.
#
# Control: A link that sleeps and a timer without deadline are found out.
# Takes: 15 s
. checks/lib/bench.sh

# self_check NAME: in KTAP, and what it says in plain lines of a single source.
self_check()
{
	bench "$1" 1 'C1:900 C1E:9000 C3:40000 C6:70000' <<'END'
	state=/sys/devices/system/cpu/cpu0/cpuidle/state3
	cat $state/name $state/usage >/out/before
	case $(cat /proc/cmdline) in
	*notscdeadline*)
		echo 1 >$state/disable
		;;
	esac
	began=$(cut -d . -f 1 /proc/uptime)
	./latency_test --self-check --cpus 0 >/out/ktap
	echo $? >/out/code
	echo $(($(cut -d . -f 1 /proc/uptime) - began)) >/out/seconds
	./latency_test --self-check --plain --cpus 0 --methods hrt >/out/plain
	cat $state/name $state/usage >/out/after
	true
END
	cat "$TMP/$1/out/ktap"
	expect "self-check: $1: in two minutes" [ "$(cat "$TMP/$1/out/seconds")" -le 120 ]
}

# finds NAME ITEM VERDICT [TEXT]: in the line, and in the result in KTAP.
finds()
{
	log=$TMP/$1/out/ktap
	case $3 in
	ok)
		result="^ok [0-9]* self-check.cpu0.$2\$"
		;;
	differs)
		result="^not ok [0-9]* self-check.cpu0.$2\\( \\|\$\\)"
		;;
	*)
		result="^ok [0-9]* self-check.cpu0.$2 # SKIP "
		;;
	esac
	expect "self-check: $1: $2 is $3${4:+: $4}" eval \
		"grep -q '^# self-check: cpu0.$2: $3: .*${4-}' '$log' && grep -q '$result' '$log'"
}

# all_but NAME ITEM...: all others are ok.
all_but()
{
	machine=$1
	shift
	for item in agree.tdt agree.nic slope.hrt slope.tdt slope.nic tsc-step deadline warmup \
		residency.C1 residency.C1E residency.C3 residency.C6 software crystal; do
		case " $* " in
		*" $item "*)
			;;
		*)
			finds "$machine" "$item" ok
			;;
		esac
	done
}

# used_as_before NAME: C3 was not entered meanwhile.
used_as_before()
{
	grep -q -x C3 "$TMP/$1/out/before" && cmp "$TMP/$1/out/before" "$TMP/$1/out/after"
}

build_kernel
self_check steady
all_but steady residency.C1 residency.C1E crystal
finds steady crystal 'not possible here' 'CPUID 15H'
finds steady residency.C1 'not possible here' 'no counter'
expect 'self-check: steady: nothing differs' [ "$(cat "$TMP/steady/out/code")" -eq 0 ]
expect 'self-check: steady: C3 is entered' not used_as_before steady
expect 'self-check: plain lines have the same items' \
	[ "$(grep -c '^self-check: cpu0\.' "$TMP/steady/out/plain")" -eq 14 ]
expect 'self-check: what --methods leaves out is not taken' \
	grep -q '^self-check: cpu0.agree.nic: not possible here: ' "$TMP/steady/out/plain"

STEADY=$QEMU_CARD
QEMU_CARD=$STEADY,l1-exit-ns=5000,l1-idle-ns=300
KERNEL_ARGUMENTS=lapic=notscdeadline
self_check other
finds other warmup differs 'the link sleeps'
finds other deadline 'not possible here'
finds other agree.tdt 'not possible here'
finds other slope.hrt differs 'ppm of the launch distance'
finds other slope.nic ok
finds other residency.C3 'not possible here' 'the state is disabled'
finds other residency.C6 ok
expect 'self-check: other: C3, which is disabled, is not entered' used_as_before other
expect 'self-check: other: it fails' [ "$(cat "$TMP/other/out/code")" -eq 1 ]

# Long enough awake for the first access to the card, but not for the interrupt.
QEMU_CARD=$STEADY,l1-exit-ns=5000,l1-idle-ns=10000
KERNEL_ARGUMENTS=
self_check sleepy
finds sleepy warmup differs 'the link sleeps: .* asleep in 0 of'
all_but sleepy warmup residency.C1 residency.C1E crystal
checks_end
