#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The emulated processor, with one CPU: intel_idle measured in states that cost what is
# known, by every method; and each thing that a state can cost, against what was asked
# for and against the log of the processor. And a kernel that complains fails a run.
#
# Control: A log, times, counters and energy that were changed are found out.
# Takes: 70 s
. checks/lib/bench.sh

ALL='C1=900 C1E=12000 C3=40000 C6=95000'
# In percent of the TSC's rate, and what it is for so many ns after an exit.
FREQUENCY=100
RAMP=6000/40

# figures NAME EXITS: by all methods.
figures()
{
	true_bench "$1" '' "$2" --alone --counters 'c0_pct cc3_pct cc6_pct pc3_pct pc6_pct' <<-'EOF'
		measure all --methods hrt,tdt,nic --samples 1000
	EOF
}

# A sample that is 50 ns off, an exit latency that is not what was asked for, a counter
# that misses 2 %, and samples without their periods.
judge_can_fail()
{
	doctor "$TMP/table" out/all/datapoints.csv '
		if (@method == "hrt" && !changed++) @wake_ns += 50
		if (@state == "C6") @cc6_pct -= 2' out/truth.csv '
		if (@hint == "0x10") @event_ns = sprintf("%.0f", @event_ns - 10)
		if (NR > 2000 && NR % 1000 == 0) next'
	judge_truth doctored all --exits "$ALL" >"$TMP/judged"
	[ "$(grep -c '^FAIL .*without an idle period\|^FAIL .*another exit latency\|^FAIL .*further from the log\|^FAIL .*residency' "$TMP/judged")" -eq 4 ]
}

# outliers NAME: one in 20 of the entries of C1E, within five standard deviations.
outliers()
{
	all=$(periods "$1" '@hint == "0x01"' | wc -l)
	rare=$(periods "$1" '@hint == "0x01" && left == 900000' | wc -l)
	echo "processor: $rare outliers in $all entries"
	[ "$(periods "$1" '@hint == "0x01" && left == 9000' | wc -l)" -eq $((all - rare)) ] &&
		awk -v n="$all" -v k="$rare" 'BEGIN {
			off = k - n / 20
			exit !(n >= 900 && off * off <= 25 * n * 0.05 * 0.95) }'
}

# The counters of a sample in C6, whose residence goes through three levels.
steps_counted()
{
	woken "$1" steps | csv '
		@state == "C6" && @idle_periods == 1 {
			idle = @event_ns - @enter_ns
			cc3 = idle < 60000 ? 0 : idle < 200000 ? idle - 60000 : 140000
			cc6 = idle < 200000 ? 0 : idle - 200000
			share = 100 / @interval_ns
			off3 = @cc3_pct - cc3 * share
			off6 = @cc6_pct - cc6 * share
			samples++
			wrong += off3 > 1 || off3 < -1 || off6 > 1 || off6 < -1
		}
		END { exit !(samples > 500 && !wrong) }'
}

# median NAME MEASURED METHOD STATE LOW HIGH: that of WakeLatency is between these.
median()
{
	value=$(column "$1" "$2" "$3" "$4" median_ns)
	[ "$value" -ge "$5" ] && [ "$value" -le "$6" ]
}

# judge_power DOMAIN SETTINGS [READINGS]: the readings of it against the log.
judge_power()
{
	judge processor/power "$1" "0x00=8000 0x01=7000 0x10=6000 0x20=5000 $2" "$TMP/power/out/truth.csv" \
		"${3-$TMP/power/out/$1}"
}

# judge_frequency RECORDS: what the driver has read of the frequency against the log.
judge_frequency()
{
	in_ns "$1" >"$TMP/records.csv" || return
	judge processor/frequency "$FREQUENCY" "${RAMP%/*}" "${RAMP#*/}" "$TMP/ramp/out/truth.csv" \
		"$TMP/records.csv"
}

build_kernel

figures table "$ALL"
for method in hrt tdt; do
	expect "processor: table: verdicts by $method" \
		[ "$(verdicts table all $method)" = 'PASS FAIL PASS FAIL' ]
done
# Its error is 731 ns.
expect 'processor: table: verdicts by nic' \
	[ "$(verdicts table all nic)" = 'SKIP FAIL PASS FAIL' ]
# C7, which the processor has no state for. All of them zero would be a CPU without counters.
expect 'processor: table: a counter that is zero is recorded' \
	all_are "$TMP/table/out/all/datapoints.csv" 1 '@cc7_pct == "0.00"'
expect 'processor: a wrong log, times and counters are found out' judge_can_fail
figures span 'C1=700 C1E=5000 C3=200000 C6=500000'

# Everything that a state can cost.
bench costs '' 'C1:900:spread=500 C1E:9000:outlier=20/900000 C3:40000:entry=30000
	C6:2000:level=C1,after=60000/40000/C3,after=200000/95000/C6' <<'EOF'
	measure spread --methods hrt --states C1 --samples 1000
	measure outlier --methods hrt --states C1E --samples 1000
	measure entry --methods hrt --states C3 --samples 1000 --ldist 1000:100000
	measure steps --methods hrt --states C6 --samples 1000 --ldist 20000:500000
EOF
expect 'processor: spread: never outside' none costs '@hint == "0x00" && (left < 900 || left > 1400)'
expect 'processor: spread: least' some costs '@hint == "0x00" && left < 950'
expect 'processor: spread: most' some costs '@hint == "0x00" && left > 1350'
expect 'processor: outliers at their rate and size' outliers costs
expect 'processor: entry: events come during it' some costs '@hint == "0x10" && idle < 30000'
expect 'processor: entry: events come after it' some costs '@hint == "0x10" && idle >= 30000'
expect 'processor: entry: and wait until it is over' none costs \
	'@hint == "0x10" && left != 40000 + (idle < 30000 ? 30000 - idle : 0)'
expect 'processor: steps: before the first' none costs \
	'@hint == "0x20" && idle < 60000 && (left != 2000 || @level != "C1")'
expect 'processor: steps: after the first' none costs \
	'@hint == "0x20" && idle >= 60000 && idle < 200000 && (left != 40000 || @level != "C3")'
expect 'processor: steps: after the second' none costs \
	'@hint == "0x20" && idle >= 200000 && (left != 95000 || @level != "C6")'
for condition in 'idle < 60000' 'idle >= 60000 && idle < 200000' 'idle >= 200000'; do
	expect "processor: steps: $condition" some costs "@hint == \"0x20\" && $condition"
done
expect 'processor: steps: the counters of the levels' steps_counted costs

# Wake-up ahead of timers, and the bit that switches it off; demotion, likewise.
bench prewake '' 'C1:900 C1E:9000 C6:73800:demote=5 C3:40000 prewake=17600' <<'EOF'
	measure on --methods hrt,tdt,nic --states C1,C6 --samples 300
	msr 0 0x1fc = $(($(msr 0 0x1fc | cut -d " " -f 2) | 1 << 30))
	msr 0 0xe2 = $(($(msr 0 0xe2 | cut -d " " -f 2) & ~(3 << 25)))
	msr 0 0xe2 | cut -d " " -f 1 >/out/since
	measure off --methods hrt,tdt,nic --states C1,C6 --samples 300
	msr 0 0x1fc = $(($(msr 0 0x1fc | cut -d " " -f 2) | 1 << 1))
	measure promotion --methods hrt --states C1 --samples 300
EOF
for method in hrt tdt; do
	expect "processor: prewake: C6 by $method" median prewake on $method C6 17600 17620
	expect "processor: prewake: C1 by $method costs what it does" \
		median prewake on $method C1 900 920
	expect "processor: prewake off: C6 by $method" median prewake off $method C6 73800 73820
done
expect 'processor: prewake: nic is not foreseen' median prewake on nic C6 73800 73840
expect 'processor: prewake: the environment says so' \
	grep -q 'timer pre-wake on' "$TMP/prewake/out/on/environment.txt"
expect 'processor: prewake: and that it is off' \
	grep -q 'timer pre-wake off' "$TMP/prewake/out/off/environment.txt"
since=$(cat "$TMP/prewake/out/since")
expect 'processor: demotion: each fifth entry' some prewake "@enter_ns < $since && @hint == \"0x20\" && @level == \"C3\""
expect 'processor: C1E promotion: C1 costs what C1E does' \
	median prewake promotion hrt C1 9000 9020
expect 'processor: C1E promotion: the verdict names it' \
	grep -q 'FAIL cpu0 hrt C1: .*; C1E promotion is on' "$TMP/prewake/out/job.log"
expect 'processor: demotion: there are entries without it' some prewake \
	"@enter_ns > $since && @hint == \"0x20\" && @level == \"C6\""
expect 'processor: demotion: off in MSR_PKG_CST_CONFIG_CONTROL' none prewake \
	"@enter_ns > $since && @hint == \"0x20\" && @level == \"C3\""

# frequencies NAME PERCENT: all samples have this one, but for the last ns that APERF counts.
frequencies()
{
	off="@frequency_pct / $2 - 1"
	all_are "$TMP/$1/out/on/datapoints.csv" 1 "$off <= 0.001 && $off >= -0.001" 201
}

# Never before the deadline.
bench early '' 'C1:900 C6:73800 prewake frequency=80' <<'EOF'
	measure on --methods hrt --states C6 --samples 300
	measure quiet --methods hrt --states C6 --samples 300 --quiet >/out/quiet.log
	complain()
	{
		{
			sleep 0.5
			modprobe idle_latency_sim states=A:9000:1000
			echo $1 >/proc/sys/kernel/tainted
		} 2>/dev/null &
	}
	complain 512
	./latency_test --cpus 0 --methods hrt --states C6 --samples 1000 >/out/warned
	echo $? >>/out/warned
	complain 128
	./latency_test --cpus 0 --methods hrt --states C6 --samples 1000 --plain >/out/died
	echo $? >>/out/died
	complain 64
	./latency_test --cpus 0 --methods hrt --states C6 --samples 1000 >/out/fine
	echo $? >>/out/fine
EOF
expect 'processor: prewake=0: no wake-up takes less than 0' none early 'left < 0'
# lines NAME PATTERN: how many of that file have it.
lines()
{
	grep -c -e "$2" "$TMP/early/out/$1.log" || true
}

expect 'processor: a file gets no escape sequences' [ "$(lines job "$(printf '\033')")" -eq 0 ]
expect 'processor: --quiet has the table, and neither progress nor PASS' \
	[ "$(lines job 'hrt C6: .* armed [0-9]')/$(lines quiet 'armed [0-9]\|s left\|^PASS')/$(lines quiet '^0    hrt    C6')" = 1/0/1 ]
# ends_with NAME CODE LINE...: the exit code is in the last line.
ends_with()
{
	file=$TMP/early/out/$1
	[ "$(tail -n 1 "$file")" = "$2" ] || return
	shift 2
	for line in "$@"; do
		grep -q -E -x "$line" "$file" || return
	done
}

expect 'processor: the kernel complained' ends_with warned 1 \
	'not ok [0-9]+ kernel # +the kernel complained' '# kernel: .* is registered, boot without it .*' 'ok [0-9]+ accounting'
expect 'processor: the kernel complained: for people' ends_with died 1 \
	'kernel: FAIL: the kernel complained' 'kernel: .* is registered, boot without it .*'
expect 'processor: the kernel did not complain' ends_with fine 0 'ok [0-9]+ kernel'
expect 'processor: statistics.csv: is written between rows only where there is one CPU' \
	[ "$(csv '@what == "smi"' "$TMP/early/out/on/statistics.csv" | wc -l)" -eq 1 ]
expect 'processor: prewake=0: C6 by hrt' median early on hrt C6 0 20
expect 'processor: frequency: always the same' frequencies early 80

# The exit becomes dear while the CPU sleeps: it begins in time all the same.
bench late '' 'C1:900 C6:2000:entry=3000,after=60000/40000,after=200000/95000 prewake=1000 ramp=999999999/120' <<'EOF'
	measure on --methods hrt --states C6 --samples 1000 --ldist 20000:500000
EOF
# Whoever slept for longer than it takes to enter C6 and to leave it before its first step woke up
# within 1000 ns, and the instructions around that.
expect 'processor: prewake and steps: C6 by hrt' \
	all_are "$TMP/late/out/on/datapoints.csv" '@silent_ns > 5000' '@wake_ns <= 1020' 901
expect 'processor: frequency: a ramp without an end' frequencies late 120

# A ramp that ends while the frequency is measured.
bench ramp '' "C1:900 C6:95000 frequency=$FREQUENCY ramp=$RAMP" <<'EOF'
	session 1 4 1 1000 300000 3000000 >/out/records.csv
	measure all --methods hrt,nic --states C1,C6 --samples 300
EOF
judged 'processor: frequency' judge_frequency "$TMP/ramp/out/records.csv"
# One sample is wrong by 2 %.
expect 'processor: frequency: a wrong one is found out' doctored "$TMP/ramp/out" \
	records.csv 'if (NR == 500) @aperf_cyc = int(@aperf_cyc * 1.02)' \
	finds 'within 1%' judge_frequency "$TMP/doctored/records.csv"
expect 'processor: frequency: what differs is said' \
	grep -q "the frequency after the wake-up was between" "$TMP/ramp/out/job.log"
expect 'processor: frequency: and what does not is not' \
	[ "$(lines job 'the frequency after')" -eq 0 ]

# What it draws in the 10 s between two updates of the register; and how that is updated.
bench power '' 'C1:900:power=8000 C1E:9000:power=7000 C3:40000:power=6000 C6:95000:power=5000
	awake=20000 rest=10000 rapl=4290500000' <<'EOF'
	for times in '4000 0' '1000 10' '4000 0'; do msr 0 0x611 $times; done >/out/package
	for times in '4000 0' '1000 10' '4000 0'; do msr 0 0x639 $times; done >/out/cores
	msr 0 0x611 20000 0 >/out/updates
	for number in 0x660 0x3fa 0x619 0x606; do msr 0 $number; done >/out/registers
EOF
judged 'processor: power: package' judge_power package 'awake=20000 rest=10000'
judged 'processor: power: cores' judge_power cores 'awake=20000 rest=0'
judged 'processor: power: updates' judge_power updates ''
# It is off by 40 units of 2^-16 J, 20 us of the highest power.
awk 'NR > 4500 { $2 = sprintf("%.0f", $2 + 40) } { print }' "$TMP/power/out/package" \
	>"$TMP/doctored-power"
expect 'processor: power: wrong energy is found out' finds 'energy' \
	judge_power package 'awake=20000 rest=10000' "$TMP/doctored-power"
expect 'processor: registers: absent ones fault' \
	[ "$(grep -n fault "$TMP/power/out/registers" | cut -d : -f 1 | paste -s -d ' ')" = '1 3' ]

checks_end
