#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# 32 bits: the programs on a 64-bit kernel; with LONG=1 also the cases of the verdict that draw
# thousands of rows, and a 32-bit kernel, which has no cpuidle_force_state(): there the limit of idle
# injection forces the state.
#
# Control: A state 5 % above what it declares is FAIL.
# Takes: 40 s
. checks/lib/checks.sh

MACHINE=qemu

# is_elf32 FILE
is_elf32()
{
	readelf -h "$1" | grep -q -E '^ *Class: *ELF32$'
}

# near NAME STATE ACTUAL_NS: was that latency measured? What comes on top of it is
# less than half of what the verdict has to tell apart.
near()
{
	above=$(($(column "$1" . hrt "$2" median_ns) - $3))
	echo "bits32: $1: median - actual of $2 is $above ns"
	[ "$above" -ge 0 ] && [ "$above" -le 500 ]
}

# run NAME MACHINE: the job with BUILT_KERNEL, which is one for MACHINE.
run()
{
	long_job "$TMP/job" checks/bits32/guest
	ktap_job "$1" "bits32: $1" "$TMP/job" 900
	ktap "bits32: $1: kunit" "$TMP/$1/out/kunit.log"
	accounted "bits32: $1" "$TMP/$1/out/job.log"
	expect "bits32: $1: the kernel is for $2" \
		[ "$(cat "$TMP/$1/out/machine")" = "$2" ]
	expect "bits32: $1: the latency of UNDER" near "$1" UNDER 19000
	expect "bits32: $1: the latency of OVER" near "$1" OVER 23100
	expect "bits32: $1: 5 % below the declared latency is PASS" cell_is "$1" . hrt UNDER verdict PASS
	expect "bits32: $1: 5 % above the declared latency is FAIL" cell_is "$1" . hrt OVER verdict FAIL
}

# programs_are_32_bits: those of BUILT_KERNEL.
programs_are_32_bits()
{
	for program in verdict_test abi_test session_test latency_test; do
		expect "bits32: $program is a 32-bit program" \
			is_elf32 "$BUILT_KERNEL/kselftest/idle_latency/$program"
	done
}

compat()
{
	SELFTEST_CFLAGS=-m32 SELFTEST_LDFLAGS=-static
	build_kernel
	programs_are_32_bits
	run compat x86_64
	# TIES has the exit latency of OVER, which is before it.
	expect 'bits32: compat: a state with the same latency is PASS' cell_is compat . hrt TIES verdict PASS
}

i386()
{
	i386_kernel
	MACHINE_CONFIGS="$MACHINE_CONFIGS configs/limit.config"
	build_kernel
	programs_are_32_bits
	i386_busybox
	expect 'bits32: busybox is a 32-bit program' is_elf32 "$BUSYBOX"
	# They are what add_applets asks that one for.
	expect 'bits32: it has the applets of the one of this machine' \
		[ "$("$BUSYBOX" --list-full)" = "$(busybox --list-full)" ]
	run i386 i686
	expect 'bits32: i386: a state with the same latency is SKIP' cell_is i386 . hrt TIES verdict SKIP
	expect 'bits32: i386: and the reason is said' cell_is i386 . hrt TIES reason \
		'a state before it has the same latency: needs CONFIG_IDLE_LATENCY_FORCE'
}

compat
[ -z "$LONG" ] || i386
checks_end
