#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Which lines of the driver the unit tests execute under User Mode Linux, as gcov counts them and
# gcovr shows them: a line for each file and one for their total, which must be 95 % or more.
set -eu
. scripts/lib/kunit.sh

# What does not count: it cannot run where there is neither an x86 CPU nor a card, and has no
# decision that could be made without. All other files do.
GLUE='x86.c joins cpuidle and the files below to a session
limit.c joins what limit.h decides to cpuidle
force.c calls cpuidle
counters.c model-specific registers
interrupts.c the counters and the local APIC of an x86 CPU
probe.c reads the TSC in the idle loop
residency.c model-specific registers
stamps.c stamps that cpuidle takes, which User Mode Linux does not have
declared.c states of cpuidle, likewise
hardware.h instructions and accesses that the tests have a fake of
nic_pci.c binds a PCI device and gets its interrupt
sim.c idle states that the local APIC ends
sim_log.c the log of sim.c, written in its idle states
sim_log.h likewise'

# unknown_files: those of GLUE that are no more, and those that count and were not built.
unknown_files()
{
	for name in $glue; do
		[ -e "$DRIVER/$name" ] || echo "$name"
	done
	for file in "$DRIVER"/*.c; do
		name=${file##*/}
		echo "$glue" | grep -q -x -F -e "$name" || [ -e "$OBJECTS/${name%.c}.gcno" ] || echo "$name"
	done
}

kunit_begin coverage
DRIVER=$TREE/drivers/idle_latency
OBJECTS=$BUILDING/files/drivers/idle_latency
progress coverage "building and running under User Mode Linux (log: $CACHE/log/coverage.log)"
# Counts of an earlier run would be added to.
find "$BUILDING/files" -name '*.gcda' -delete
start_log coverage
# What gcc before and after version 7 has write the counts at the end is in sections of
# different names, and the linker script of User Mode Linux knows the first only. The
# makefile adds to this variable.
export UM_GCOV_OPT='-Wl,-fini=__gcov_exit'
logged coverage kunit_tool run --kunitconfig "$KUNIT_TESTS" \
	--kunitconfig tools/testing/kunit/configs/coverage_uml.config
glue=$(echo "$GLUE" | cut -d ' ' -f 1)
unknown=$(unknown_files | paste -s -d ' ')
[ -z "$unknown" ] || die "not there, or not built under User Mode Linux: $unknown; test them, or \
say in scripts/coverage.sh why not"
code=0
env -C "$DRIVER" gcovr --filter '[^/]*$' --exclude "($(echo "$glue" | paste -s -d '|'))\$" \
	--fail-under-line 95 "$OBJECTS" || code=$?
kunit_end
exit "$code"
