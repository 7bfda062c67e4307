#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The selftests on kernels that look for faults, on four CPUs of the emulated processor. The tests of
# simulated idle states run on a machine that has no others. Times mean nothing there; what counts is
# that every session ends as defined and that the kernel has nothing to complain of. Without LONG=1,
# STEPS=debug runs the first of these kernels, with the stamps around enter only.
#
# Control: A module that uses memory after it was freed fails the run.
# Takes: 700 s; LONG
. checks/lib/checks.sh

MACHINE=qemu
CPUS=4
# The kernel has the governor haltpoll in a guest of KVM only. Without la57: an interrupt while
# identify_cpu() fills in anew what the CPU can do finds no five levels of page tables, and then KASAN
# takes all addresses for wild.
QEMU_CPU_PROPERTIES=,kvm-cpuid=on,la57=off

machine_configs=${MACHINE_CONFIGS% configs/plain.config}

# Which line a card interrupts by comes from the MP table, see configs/debug.config.
NO_ACPI_LINES=acpi=noirq

# debug_kernel VARIANT: build the kernel with configs/VARIANT.config.
debug_kernel()
{
	MACHINE_CONFIGS="$machine_configs configs/$1.config"
	build_kernel
}

# debug_job FUNCTION: the job that calls it, of checks/debug/guest.
debug_job()
{
	long_job "$TMP/job" checks/debug/guest
	echo "run $1" >>"$TMP/job"
}

# simulated VARIANT [KERNEL_ARGUMENTS]: with simulated idle states. A complaint of the kernel fails it, too.
simulated()
{
	debug_job simulated
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

# intel_idle: there are idle states of the emulated processor in what the function runs after that. What
# it sets is for this machine only.
intel_idle()
{
	QEMU_INTEL_IDLE=yes QEMU_MODEL=i7_3770k CPUS=$1
	QEMU_CPU_PROPERTIES=,la57=off
	TRUTH='C1:900 C1E:6000 C3:40000:power=2500 C6:70000:power=700 awake=20000'
}

# sessions VARIANT [KERNEL_ARGUMENTS]: of eight CPUs, again and again, with the states of the emulated
# processor: a CPU that simulates a state takes the time of the others.
sessions()
(
	cat >"$TMP/job" <<-'EOF'
		modprobe idle_latency || exit
		cd /kselftest/idle_latency && stress/sessions_test 60000
	EOF
	intel_idle 8
	ktap_job "$1-sessions" "$1-sessions" "$TMP/job" 7200 "$(machine_arguments) ${2-}"
	exit "$FAILED"
)

# held_and_killed: who holds all CPUs of an emulated processor in order to measure what they take is
# killed again and again.
held_and_killed()
(
	cat >"$TMP/job" <<-'EOF'
		cd /kselftest/idle_latency
		modprobe idle_latency
		for hundredths in 05 10 20 35 50 70 95; do
			energy/energy_test --plain --states C1E,C6 >/out/energy.log &
			sleep 1.$hundredths
			kill -KILL $!
			wait $!
			[ $? -eq 137 ] || exit 1
		done
		energy/energy_test --plain --seconds 1 --states C1E,C6 >/out/energy.log
		case $? in
		0 | 1 | 4) ;;
		*) exit 1 ;;
		esac
	EOF
	intel_idle 2
	machine_run "$TMP/held" "$TMP/job" 1200 "$(machine_arguments) $NO_ACPI_LINES" || return
	grep 'package 0 C6, 2 of 2 CPUs idle' "$TMP/held/out/energy.log"
)

# The card that has PTM, below a root port that answers to it.
other_card()
{
	cat >"$TMP/job" <<-'EOF'
		modprobe idle_latency_sim 'states=FAST:2000:1000 SLOW:50000:40000' || exit
		cd /kselftest/idle_latency || exit
		echo 0 >/sys/module/suspend/parameters/pm_test_delay || exit
		sh nic.sh take 0000:01:00.0 || exit
		stress/survive_test -v nic
	EOF
	QEMU_CARD_MODEL=i226 QEMU_PORT=ptm
	ktap_job "$1-i226" "$1-i226" "$TMP/job" 2400
	QEMU_CARD_MODEL=i210 QEMU_PORT=
}

# on_processor VARIANT [KERNEL_ARGUMENTS]: with the idle states of the emulated processor.
on_processor()
(
	debug_job processor
	intel_idle 4
	ktap_job "$1-processor" "$1-processor" "$TMP/job" 7200 "$(machine_arguments) ${2-}"
	exit "$FAILED"
)

# more VARIANT [KERNEL_ARGUMENTS]: what takes long, on the kernel that was built.
more()
{
	other_card "$1"
	sessions "$@" || FAILED=1
}

debug_kernel debug
simulated debug "$NO_ACPI_LINES"
expect 'debug: no governor is asked: haltpoll, ladder, menu and teo are there' \
	[ "$(tr -s ' ' '\n' <"$TMP/debug/out/governors" | sort | paste -s -d ' ')" = \
	'haltpoll ladder menu teo' ]
expect 'debug: a fault of the kernel fails the run' complains
expect 'debug: all CPUs are held, and who holds them is killed' held_and_killed
on_processor debug "$NO_ACPI_LINES" || FAILED=1
if [ -n "$LONG" ]; then
	more debug "$NO_ACPI_LINES"
	for variant in rt kcsan; do
		debug_kernel $variant
		simulated $variant
		on_processor $variant || FAILED=1
		more $variant
	done
fi
checks_end
