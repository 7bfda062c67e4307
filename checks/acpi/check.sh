#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The cpuidle driver acpi_idle, of the unmodified kernel of Debian, whose idle states ACPI
# declares: by MWAIT and by reading ports on the emulated processor, with LONG=1 also by HLT on
# the Ryzen of Bochs. What is measured against what the states cost, verdicts against what ACPI
# declares, and states that stop the timer.
#
# Control: States that take longer than ACPI declares are FAIL.
# Takes: 40 s
. checks/lib/bench.sh

KERNEL=debian-12
# The port of C2 is what C3 of the processor is, and that of C3 its C6. C1 is C1E, as the
# processor promotes it, which intel_idle would switch off.
EXITS='C1=9000 C2=40000 C3=95000'

# acpi NAME <JOB: with acpi_idle.
acpi()
{
	KERNEL_ARGUMENTS=intel_idle.max_cstate=0
	bench "$1" '' 'C1:900 C1E:9000 C3:40000 C6:95000'
}

start_log acpi
build_kernel

QEMU_PROCESSOR_LINES='port 0x1814 0x10
port 0x1815 0x20
acpi C1 1 2
acpi C3 2 59
acpi C6 3 80'
acpi states <<'END'
	measure all --methods hrt,tdt,nic --samples 1000
	code=0
	./latency_test --cpus 0 --methods hrt --samples 100 >/out/ktap || code=$?
	echo $code >/out/ktap-code
END
expect 'acpi: the driver is acpi_idle' cell_is states all hrt C1 driver acpi_idle
# Reading a port is longer than MWAIT.
true_samples states all --probe acpi_idle --exits "$EXITS"
accounted 'acpi: states' "$TMP/states/out/job.log"
for method in hrt tdt nic; do
	expect "acpi: verdicts by $method" \
		[ "$(verdicts states all $method)" = 'FAIL PASS FAIL' ]
	expect "acpi: what the firmware declares is named as the reason by $method" \
		[ "$(column states all $method '' reason | paste -s -d ,)" = \
		'declared by the firmware,,declared by the firmware' ]
done
expect 'acpi: in KTAP, that is XFAIL' [ "$(
	grep -c '^ok .*cpu0\.hrt\.C[13] # XFAIL declared by the firmware$' "$TMP/states/out/ktap")" -eq 2 ]
expect 'acpi: and ends with 0' [ "$(cat "$TMP/states/out/ktap-code")" -eq 0 ]
for port in 0x10 0x20; do
	expect "acpi: the processor was in the state of the port, $port" some states "@hint == \"$port\""
done

# Without ARAT the timer of the CPU stops in all states but C1: only nic can measure them.
QEMU_CPU_PROPERTIES=,arat=off
acpi stops <<'END'
	measure all --methods hrt,tdt,nic --samples 100
END
QEMU_CPU_PROPERTIES=
for method in hrt tdt; do
	expect "acpi: the timer stops: refused by $method" [ "$(
		grep -c "^SKIP cpu0 $method C[23]: the timer of the CPU stops in this state: use nic" \
			"$TMP/stops/out/job.log")" -eq 2 ]
done
expect 'acpi: the timer stops: verdicts by nic' [ "$(verdicts stops all nic)" = 'FAIL PASS FAIL' ]

# What Bochs emulates costs next to nothing. It says that this model has no state of MWAIT, so
# that C1 is entered by HLT, with interrupts enabled. MWAITX, by which the kernel of an AMD CPU
# waits for a time, waits for ever there. What the kernel says of microcode is no fault of it.
if [ -n "$LONG" ]; then
	MACHINE=bochs CPU_MODEL=ryzen
	logged acpi iasl -p "$TMP/cst" checks/acpi/cst.asl
	ACPI_TABLE=$TMP/cst.aml
	machine_job "$TMP/job" idle_latency/latency_test --plain --machine bochs --methods hrt \
		--samples 1000 --out /out/all
	run_job ryzen 'acpi: ryzen' "$TMP/job" 900 'clearcpuid=ht,mwaitx mitigations=off'
	expect 'acpi: ryzen: the driver is acpi_idle' cell_is ryzen all hrt C1 driver acpi_idle
	expect 'acpi: ryzen: verdicts by hrt' [ "$(verdicts ryzen all hrt)" = PASS ]
fi
checks_end
