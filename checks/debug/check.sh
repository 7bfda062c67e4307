#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The selftests on kernels that look for faults, on four CPUs with simulated idle
# states. Times mean nothing there; what counts is that every session ends as
# defined and that the kernel has nothing to complain of. With LONG=1 there are more of
# these kernels, and the same with the stamps of the probe.
#
# Control: A module that uses memory after it was freed fails the run.
# Takes: 200 s
. checks/lib/checks.sh

MACHINE=qemu
QEMU_CPUS=4
QEMU_COUNTED=no
# The kernel has the governor haltpoll in a guest of KVM only.
QEMU_CPU_PROPERTIES=,kvm-cpuid=on

machine_configs=${MACHINE_CONFIGS% configs/plain.config}

# Which line a card interrupts by comes from the MP table, see configs/debug.config.
NO_ACPI_LINES=acpi=noirq

# debug_kernel VARIANT: build the kernel with configs/VARIANT.config.
debug_kernel()
{
	MACHINE_CONFIGS="$machine_configs configs/$1.config"
	build_kernel
}

# governors: those between which the tests switch.
governors()
{
	[ "$(tr ' ' '\n' <"$TMP/debug/out/governors" | grep . | sort | paste -s -d ' ')" = \
		'haltpoll ladder menu teo' ]
}

# debug_run VARIANT [KERNEL_ARGUMENTS]: run everything on the kernel that was built.
debug_run()
{
	long_job "$TMP/job" checks/debug/guest
	# A complaint of the kernel fails it, too.
	ktap_job "$1" "$1" "$TMP/job" 2400 "${2-}"
}

# complains: a kernel that finds faults in itself fails the run, though the job
# did not notice. See Documentation/fault-injection/provoke-crashes.rst.
complains()
{
	code=0
	echo 'echo READ_AFTER_FREE >/sys/kernel/debug/provoke-crash/DIRECT' >"$TMP/job"
	machine_run "$TMP/faulty" "$TMP/job" 300 "$NO_ACPI_LINES" 2>"$TMP/complaints" ||
		code=$?
	[ "$code" -eq 125 ] && grep -q "KASAN: slab-use-after-free" "$TMP/complaints"
}

debug_kernel debug
debug_run debug "$NO_ACPI_LINES"
expect 'debug: no governor is asked: haltpoll, ladder, menu and teo are there' governors
expect 'debug: a fault of the kernel fails the run' complains
if [ -n "$LONG" ]; then
	for variant in rt kcsan; do
		debug_kernel $variant
		debug_run $variant
	done
fi
checks_end
