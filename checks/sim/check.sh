#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Does the measurement find the truth? Simulated idle states with a known exit
# latency, on a machine whose time is counted in instructions.
#
# Control: Times that are wrong in one state, in all, or noisy, and an error without the ticks
#   of a clock, are found out.
# Takes: 50 s
. checks/lib/checks.sh

MACHINE=qemu
# Here a cycle is a ns, so that CLOCK_MONOTONIC, which counts these, can be compared with stamps.
QEMU_TSC_KHZ=1000000

# judge_truth DIR: judge the files that the job left in DIR.
judge_truth()
{
	judge sim/judge "$1/enter/datapoints.csv" "$1/probe/datapoints.csv"
}

# sim_verdict RUN STATE VERDICT
sim_verdict()
{
	verdict=$(column machine "$1" hrt "$2" verdict)
	echo "sim: $2 is $verdict: $(column machine "$1" hrt "$2" reason)"
	expect "sim: $2 is $3" [ "$verdict" = "$3" ]
}

# Three outliers, of which some may be discarded.
above_counted()
{
	above=$(column machine outlier hrt RARE above)
	[ "$above" -ge 1 ] && [ "$above" -le 3 ]
}

# By up to 3 us, and what one state varies by anyway.
spread_as_asked()
{
	csv '@state == "SPREAD" { print @wake_ns }' "$TMP/machine/out/kinds/datapoints.csv" |
		sort -n | awk 'NR == 1 { least = $1 }
			END { exit !($1 - least > 2700 && $1 - least <= 3200) }'
}

# shellcheck disable=SC2016 # a program of awk
absent_counters()
{
	csv 'NR > 1 {
			for (name in number)
				present += name ~ /_pct$/ && $number[name] != ""
		}
		END { exit NR < 2 || present }' "$TMP/machine/out/enter/datapoints.csv"
}

# wrong_figures STATEMENTS: change the samples with stamps around enter, and print how many
# figures are wrong then.
wrong_figures()
{
	doctor "$TMP/machine/out" enter/datapoints.csv "$1"
	judge_truth "$TMP/doctored" | grep -c ^FAIL
}

# A clock that is wrong by 200 ns in one state, and one with noise; one that is late by
# 10 us always, and one that is early.
negative_control()
{
	[ "$(wrong_figures 'if (@state == "NS5000") @wake_ns += 200
		if (@state == "NS0") @wake_ns += 3 * (NR % 100)')" -eq 2 ] &&
		[ "$(wrong_figures '@wake_ns += 10000')" -eq 1 ] && [ "$(wrong_figures '@wake_ns -= 100')" -eq 1 ]
}

# make run fails when a verdict is FAIL, after all is printed and written.
run_fails()
{
	run_here run CPU_MODEL=i7_3770k SIM=OVER:20000:20300 SAMPLES=200 METHODS=hrt
	[ "$CODE" -eq 1 ] && grep -q 'a verdict is FAIL' "$TMP/run.log" &&
		[ "$(column run all hrt OVER verdict)" = FAIL ] &&
		[ "$(wc -l <"$TMP/run/out/all/datapoints.csv")" -eq 201 ]
}

# The log of simulated states: each of some hundred periods took what was asked for, but
# for the rounding of cycles, or nothing where an interrupt was pending; and one ended a few ns
# before TAI of each sample.
# shellcheck disable=SC2016 # a program of awk
log_of_states()
{
	csv 'FNR == 1 { header[file] = $0; next }
		file == 1 {
			took = @exit_ns - @event_ns
			wrong += took && (took < 20290 || took > 20300)
			waited += took != 0
			wrong += @hint != "0x01" || @level != "C1" || @package != "PC0"
			left[++n] = @exit_ns
			next
		}
		{
			while (at < n && left[at + 1] + 0 <= @tai_tsc + 0)
				at++
			samples++
			late += @tai_tsc - left[at] > 100
		}
		END {
			exit !(header[1] == "cpu,hint,enter_ns,event_ns,exit_ns,level,package" &&
			       waited > 200 && samples == 200 && !wrong && !late)
		}' "$TMP/run/out/all/truth.csv" "$TMP/run/out/all/datapoints.csv"
}

# A kernel that has switched the local APIC off cannot see a pending interrupt there.
needs_apic()
{
	echo "! modprobe idle_latency_sim states=C1:2000:1000" >"$TMP/job"
	machine_run "$TMP/nolapic" "$TMP/job" 300 nolapic &&
		grep -q 'the kernel does not use the local APIC' "$TMP/nolapic/out/dmesg.log"
}

# On a CPU without MWAIT, a simulated state looks at the local APIC all the time.
polls_apic()
{
	cat >"$TMP/job" <<-'EOF'
		! grep -q -w monitor /proc/cpuinfo || exit
		modprobe idle_latency_sim states=NS5000:9000:5000 || exit
		cd /kselftest/idle_latency && ./latency_test --plain --methods hrt --samples 500
	EOF
	QEMU_CPU_PROPERTIES=,monitor=off
	machine_run "$TMP/polling" "$TMP/job" 300 &&
		grep -q '^PASS cpu0 hrt NS5000: .* none of 500 ' "$TMP/polling/out/job.log"
}

# latencies_within_error FILE: no sample is further from the median than its error.
latencies_within_error()
{
	csv 'NR > 1 { print @wake_ns, @error_ns }' "$1" | sort -t , -n | awk -F, '
		{ wake[NR] = $1; error[NR] = $2 }
		END {
			for (i = 1; i <= NR; i++) {
				off = wake[i] - wake[int(NR / 2)]
				wrong += off > error[i] || -off > error[i]
			}
			exit !(NR == 500 && !wrong)
		}'
}

# stamps_within_error FILE: no two TAI are further apart from the truth than the error of
# a sample: one cycle of the TSC is one ns here, and so what CLOCK_MONOTONIC says beyond
# the TSC has to be constant.
stamps_within_error()
{
	csv 'NR > 1 {
			beyond = @ltime_ns + @wake_ns - @tai_tsc
			if (NR == 2 || beyond < least)
				least = beyond
			if (NR == 2 || beyond > most)
				most = beyond
			if (NR == 2 || @error_ns < error)
				error = @error_ns
		}
		END { exit !(NR == 501 && most - least <= error) }' "$1"
}

# The ticks of the ACPI timer are 279 ns long. A time from it may be that old: the one
# that goes with a stamp, and the one from which the timer was programmed. A deadline of the
# TSC would tell when that fires.
coarse_clock()
{
	cat >"$TMP/job" <<-'EOF'
		grep -x acpi_pm /sys/devices/system/clocksource/clocksource0/current_clocksource || exit
		modprobe idle_latency_sim states=NS5000:9000:5000 || exit
		cd /kselftest/idle_latency && ./latency_test --plain --methods hrt --samples 500 --out /out/run
	EOF
	machine_run "$TMP/coarse" "$TMP/job" 300 'clocksource=acpi_pm lapic=notscdeadline' &&
		latencies_within_error "$TMP/coarse/out/run/datapoints.csv" &&
		stamps_within_error "$TMP/coarse/out/run/datapoints.csv"
}

# One whose error is as if the clock had no ticks.
coarse_is_judged()
{
	doctor "$TMP/coarse/out/run" datapoints.csv '@error_ns -= 280'
	! latencies_within_error "$TMP/doctored/datapoints.csv" &&
		! stamps_within_error "$TMP/doctored/datapoints.csv"
}

build_kernel
run_job machine sim checks/sim/guest 1800
[ "$CODE" -eq 0 ] || checks_end

accounted sim "$TMP/machine/out/job.log"
judged sim judge_truth "$TMP/machine/out"
expect 'sim: doctored results are found out' negative_control

expect 'sim: counters that read as zero are absent' absent_counters

# 100 ns below, which is more than the stamps add, and 300 ns above, which is more than the
# software, some 220 ns here; both are less than the whole microseconds in which sysfs tells
# what is declared.
sim_verdict limits UNDER20 PASS
sim_verdict limits OVER20 FAIL
sim_verdict limits UNDER500 PASS
sim_verdict limits OVER500 FAIL
sim_verdict outlier RARE FAIL
expect 'sim: the summary says how many samples exceeded' above_counted
sim_verdict kinds IRQS PASS
expect 'sim: a state with interrupts enabled is judged by IntrLatency' \
	all_are "$TMP/machine/out/kinds/summary.csv" '@state == "IRQS"' \
	'"+" @qualifier "+" ~ /[+]upper-bound[+]/'
sim_verdict kinds DEMOTES PASS
expect 'sim: entries that were demoted are discarded' \
	grep -q -E 'hrt DEMOTES: .*other_state [0-9]+' "$TMP/machine/out/job.log"
sim_verdict kinds REJECTS PASS
# Each seventh entry, and with it more than a tenth of the samples.
expect 'sim: idle is entered again when an entry was rejected' [ "$(
	csv '@state == "REJECTS" && @idle_periods == 2' "$TMP/machine/out/kinds/datapoints.csv" |
		wc -l)" -gt 50 ]
expect 'sim: a latency is spread as far as was asked for' spread_as_asked
expect 'sim: nothing is simulated without a local APIC' needs_apic
expect 'sim: a run with a FAIL ends with an error' run_fails
expect 'sim: simulated states are logged' log_of_states
expect 'sim: the error of a sample includes the ticks of a coarse clock' coarse_clock
expect 'sim: an error without these ticks is found out' coarse_is_judged
expect 'sim: states work without MWAIT' polls_apic
checks_end
