#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Other machines than the default one: those that lack what a measurement needs, and with LONG=1
# CPU models of Bochs with other idle states.
#
# Control: Where counters differ, or a state has no timer, it says so.
# Takes: 30 s
. checks/lib/checks.sh

# machine NAME KERNEL_ARGUMENTS COMMAND...: run the command there. Its output is
# $TMP/NAME/out/job.log, its exit code CODE.
machine()
{
	name=$1
	arguments=$2
	shift 2
	say machines "$name, $(machine_name)"
	machine_job "$TMP/job" "$@"
	CODE=0
	machine_run "$TMP/$name" "$TMP/job" 900 "$arguments" || CODE=$?
}

# measure_model NAME MODEL
measure_model()
{
	CPU_MODEL=$2
	machine "$1" '' idle_latency/latency_test --plain --machine bochs \
		--cpu-model "$CPU_MODEL" --samples 200 --out /out
	expect "$1: the run" [ "$CODE" -eq 0 ]
}

# all_end_with NAME TEXT [OTHERS]: the shares of all samples, after the number of idle periods, are
# TEXT; where counters of the package are read, for one event of eight only, those of others
# are OTHERS.
# shellcheck disable=SC2016 # a program of awk
all_end_with()
{
	csv 'NR > 1 {
			shares = $18
			for (i = 19; i <= 31; i++) shares = shares "," $i
			read = @event % 8 == 0
			reads += read
			if (shares != (read ? text : others)) {
				print
				differs = 1
			}
		}
		END { exit differs || !reads }' text="$2" others="${3-$2}" "$TMP/$1/out/datapoints.csv"
}

# same_median NAME OTHER COLUMN: as an instruction takes one ns, 9 reads and what stores
# them take more than these 14 ns.
same_median()
{
	apart=$(($(column "$1" . hrt C1 "$3") - $(column "$2" . hrt C1 "$3")))
	echo "$1: $apart ns more than $2"
	[ "${apart#-}" -lt 14 ]
}

build_kernel
if [ -n "$LONG" ]; then
	measure_model haswell corei7_haswell_4770
	expect 'haswell: hrt passes in every state' \
		[ "$(verdicts haswell . hrt)" = 'PASS PASS PASS PASS PASS' ]
	expect 'haswell: tdt is skipped where the kernel does not use the deadline timer' \
		[ "$(verdicts haswell . tdt)" = 'SKIP SKIP SKIP SKIP SKIP' ]

	measure_model sandy-bridge corei7_sandy_bridge_2600k
	expect 'sandy-bridge: hrt passes in every state' \
		[ "$(verdicts sandy-bridge . hrt)" = 'PASS PASS PASS PASS' ]
fi

CPU_MODEL=corei7_ivy_bridge_3770k
# Those of the model do not advance; what they leave is C1. One that is zero is in
# checks/processor/check.sh.
COUNTERS=0.00,100.00,0.00,0.00,0.00,,0.00,0.00,0.00,0.00,,,,
OF_THE_CORE=0.00,100.00,0.00,0.00,0.00,,,,,,,,,
# CC1, CC3, CC6, CC7, MC6, PC2, PC3, PC6 to PC10, MPERF and APERF
BOCHS_MSRS='0x660 0x3fc 0x3fd 0x3fe 0x664 0x60d 0x3f8 0x3f9 0x3fa 0x630 0x631 0x632 0xe7 0xe8'
machine all-counters '' idle_latency/latency_test --plain --methods hrt --states C1 \
	--samples 100 --out /out
expect 'all-counters: those that the model has are recorded, and no others' \
	all_end_with all-counters $COUNTERS $OF_THE_CORE
BOCHS_MSRS=
machine no-counters '' idle_latency/latency_test --plain --methods hrt --states C1 \
	--samples 100 --out /out
expect 'no-counters: nothing is recorded' all_end_with no-counters ,,,,,,,,,,,,,
expect 'all-counters: reading them is in no WakeLatency' \
	same_median all-counters no-counters median_ns
expect 'all-counters: reading them is in no IntrLatency' \
	same_median all-counters no-counters intr_median_ns

MACHINE=qemu
# shellcheck disable=SC2034 # lib/machine-qemu.sh uses it
QEMU_INTEL_IDLE=yes
# Both timers ask for the same of the kernel.
machine no-highres highres=off sh -c '
	idle_latency/latency_test --plain --methods hrt,tdt --states C1 --samples 10 >/out/rows.log
	[ $? -eq 4 ] && idle_latency/abi_test'
expect 'no-highres: nothing is measured, nor tested' [ "$CODE" -eq 4 ]
expect 'no-highres: it says why of each row' \
	[ "$(grep -c 'SKIP cpu0 [a-z]* C1: .*distrusts the TSC' "$TMP/no-highres/out/rows.log")" -eq 2 ]
expect 'no-highres: and of the tests' \
	grep -q 'SKIP the kernel has no high-resolution timers' "$TMP/no-highres/out/job.log"

# Without ARAT the timer of the local APIC stops in C3 and C6. What latency_test says of that is in
# checks/acpi/check.sh.
machine no-arat clearcpuid=ht,arat sh -c '
	idle_latency/abi_test -t a_timer_is_a_source_where_it_goes_on || exit
	! modprobe idle_latency_sim 2>/dev/null &&
		! modprobe idle_latency_sim states=A:2000:1000 2>/dev/null'
ktap no-arat "$TMP/no-arat/out/job.log"
expect 'sim-refused: the simulation does not load' [ "$CODE" -eq 0 ]
expect 'sim-refused: it says that it needs states' \
	grep -q 'parameter "states" is missing' "$TMP/no-arat/out/dmesg.log"
expect 'sim-refused: it says which driver is there' \
	grep -q 'cpuidle driver intel_idle is registered' "$TMP/no-arat/out/dmesg.log"
checks_end
