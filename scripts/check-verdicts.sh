#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The verdict, where the truth is known: on the emulated processor, whose idle states cost
# what TRUTH says and reach the hardware state or do not.
set -eu
. scripts/lib/emulation.sh
. scripts/lib/checks.sh
CHECK=verdicts
. scripts/lib/bench.sh

# judge_rows NAME MEASURED WANT: the summary of a bench, see judges/verdicts.py.
judge_rows()
{
	judge verdicts "$1 $2" "$3" "$TMP/$1/out/$2/summary.csv"
}

# rows NAME MEASURED WANT: the same as results.
rows()
{
	judged "verdicts: $1 $2" judge_rows "$@"
}

# said NAME MEASURED PATTERN: the program did; what it said of the state is shown if not.
said()
{
	grep -q -E "$3" "$TMP/$1/out/$2.log" && return
	grep -w C6 "$TMP/$1/out/$2.log"
	return 1
}

# The longest WakeLatency in ns of four Xeon generations: table 10 of the thesis that
# emulator/processor.md calls waltr. Compared with what intel_idle declares, four states
# of Ivy Bridge, three of Haswell, three of Broadwell and two of Skylake take longer.
table_10()
{
	xeon ivy_bridge_ep 'C1:19270 C1E:21765 C3:78807 C6:82794' \
		'nic C1 FAIL; nic C1E FAIL; nic C3 FAIL; nic C6 FAIL'
	xeon haswell_ep 'C1:14956 C1E:15911 C3:59617 C6:69727' \
		'nic C1 FAIL; nic C1E FAIL; nic C3 FAIL; nic C6 PASS'
	xeon broadwell_ep 'C1:15153 C1E:18661 C3:71803 C6:74895' \
		'nic C1 FAIL; nic C1E FAIL; nic C3 FAIL; nic C6 PASS'
	# C1 is entered with interrupts enabled there.
	xeon skylake_sp 'C1:15471 C1E:16141 C6:108573' \
		'nic C1 FAIL; nic C1E FAIL; nic C6 PASS'
	for xeon in ivy_bridge_ep haswell_ep broadwell_ep skylake_sp; do
		column $xeon all nic '' verdict
	done >"$TMP/table-10"
	expect "verdicts: table 10: 12 FAIL and 3 PASS, are $(tally FAIL) and $(tally PASS)" \
		[ "$(tally FAIL) $(tally PASS) $(wc -l <"$TMP/table-10")" = '12 3 15' ]
	over=$(($(column ivy_bridge_ep all nic C6 max_ns) - 82000))
	expect "verdicts: table 10: C6 of Ivy Bridge by 794 ns and up to 40 of nic, are $over" \
		[ $((over >= 794 && over <= 834)) -eq 1 ]
}

# xeon MODEL TRUTH WANT
xeon()
{
	QEMU_MODEL=$1
	echo 'measure all --methods nic --samples 300' >"$TMP/measure"
	bench "$1" '' "$2" <"$TMP/measure"
	rows "$1" all "$3"
	QEMU_MODEL=i7_3770k
}

# tally VERDICT: how many there are in table 10.
tally()
{
	grep -c -x "$1" "$TMP/table-10" || true
}

# draw: what the states of some boots take, within 100 ns of what they declare. Each has
# five latencies, one after the other in the time of residence; they rise, so that an
# event that comes too early does not take longer than those that it is among.
draw()
{
	awk -v seed=14 '
		# The minimal standard generator of Park and Miller
		function random(n)
		{
			seed = seed * 16807 % 2147483647
			return seed % n
		}
		function draw_state(name, declared,    k, j, ns)
		{
			for (k = 0; k < 5; k++) {
				ns = declared + random(201) - 100
				for (j = k; j && truth[j - 1] > ns; j--)
					truth[j] = truth[j - 1]
				truth[j] = ns
			}
			for (k = 0; k < 5; k++)
				print boot, k, name, declared, truth[k]
		}
		BEGIN {
			for (boot = 1; boot <= 7; boot++) {
				draw_state("C1", 1000)
				draw_state("C1E", 20000)
				draw_state("C3", 500000)
			}
		}'
}

# near_truth BOOT: as TRUTH, with a step each 200 us.
near_truth()
{
	awk -v boot="$1" '
		$1 == boot && $2 == 0 { text = text " " $3 ":" $5 }
		$1 == boot && $2 > 0 {
			text = text ($2 == 1 ? ":" : ",") "after=" 500000 + 200000 * $2 "/" $5
		}
		END { print text }' "$TMP/drawn"
}

# near_verdicts BOOT NUMBER: of the three states, as judges/near.py takes them.
near_verdicts()
{
	for state in C1 C1E C3; do
		echo "boot-$1.$state.$2" "$(column "near-$1" "$2" hrt $state verdict)" \
			"$(column "near-$1" "$2" hrt $state max_ns)"
	done
}

judge_near()
{
	awk '{ print "boot-" $1 "." $3 "." $2, $4, $5 }' "$TMP/drawn" >"$TMP/near-drawn"
	judge near "$TMP/near-drawn" "$1"
}

# What takes too long is PASS once, and is missing once; what does not is SKIP.
near_can_fail()
{
	awk '{ far = $2 == "FAIL" && $3 % 1000 > 50 }
		far && ++wrong == 1 { $2 = "PASS" }
		far && wrong == 2 { next }
		$2 == "PASS" && ++skipped == 5 { $2 = "SKIP" }
		{ print }' "$TMP/near-measured" >"$TMP/near-doctored"
	judge_near "$TMP/near-doctored" >"$TMP/judged"
	[ "$(grep -c '^FAIL .* must be ' "$TMP/judged")" -eq 3 ]
}

# How near can a truth be to what is declared, 1, 20 and 500 us? Each truth has launch
# distances that end in the middle of its step, or what comes before the first.
near()
{
	TABLE=C1:1:1,C1E:20:20,C3:500:500,C6:600:600
	draw >"$TMP/drawn"
	: >"$TMP/near-measured"
	for boot in 1 2 3 4 5 6 7; do
		bench "near-$boot" '' "$(near_truth $boot)" <<-'EOF'
			for number in 0 1 2 3 4; do
				from=$((600000 + 200000 * number))
				measure $number --methods hrt --states C1,C1E,C3 --samples 20 \
					--ldist $from:$((from + 50000)) >/out/$number.log
			done
		EOF
		for number in 0 1 2 3 4; do
			near_verdicts $boot $number
		done >>"$TMP/near-measured"
	done
	TABLE=
	judged 'verdicts: near' judge_near "$TMP/near-measured"
	expect 'verdicts: near: doctored verdicts are found out' near_can_fail
}

# C6 that the core does not get to. With residencies as short as can be, so that less time
# is spent on a busy CPU.
not_reached()
{
	TABLE=C1:1:1,C1E:10:10,C3:59:59,C6:80:80
	bench not-reached 1x2 'C1:900 C1E:9000 C3:30000 C6:40000:demote=1' <<-'EOF'
		measure demoted --methods hrt,nic --states C6 --samples 50 >/out/demoted.log
		for cpu in 0 1; do
			msr $cpu 0xe2 = $(($(msr $cpu 0xe2 | cut -d " " -f 2) & ~(3 << 25)))
		done
		spin 1
		measure sibling --methods hrt --states C6 --samples 50 --ldist 100000:150000 \
			>/out/sibling.log
	EOF
	TABLE=
	rows not-reached demoted 'hrt C6 SKIP the state was not reached; nic C6 SKIP the state was not reached'
	expect 'verdicts: not-reached demoted: the cause is named' said not-reached demoted \
		'CC6 advanced in [0-9]+ of [0-9]+:.* demotion on'
	rows not-reached sibling 'hrt C6 SKIP the state was not reached'
	expect 'verdicts: not-reached sibling: the cause is named' said not-reached sibling \
		'CC6 advanced in [0-9]+ of [0-9]+:.* busy SMT sibling cpu 1'
}

# row_but_for NAME MEASURED METHOD STATE PASS: the row that must be. Another interrupt may wake
# the CPU just before an event, which then comes when the CPU has just gone idle again: as a
# sample, or within the first us, where it is discarded as one that came before. Which of these
# events may be above the limit has to be judged apart from that.
row_but_for()
{
	if [ "$(column "$1" "$2" "$3" "$4" above)" != 0 ]; then
		echo "$3 $4 FAIL"
	elif [ "$(column "$1" "$2" "$3" "$4" discarded_above)" != 0 ]; then
		echo "$3 $4 SKIP discarded events above the limit"
	else
		echo "$3 $4 $5"
	fi
}

# slow NAME MEASURED METHOD STATE FILE: of each event there that is above the limit for the
# driver, how long the CPU was idle, in ns. Where an event came within 1 us of TBI, the driver
# takes its latency from the end of that. What came before TBI has neither of the two times, and
# is never above the limit: MWAIT does not wait for what is pending.
slow()
{
	awk -F, -v method="$3" -v state="$4" \
		-v declared="$(column "$1" "$2" "$3" "$4" declared_ns)" '
		NR == 1 { for (i = 1; i <= NF; i++) number[$i] = i; next }
		$number["method"] == method && $number["state"] == state {
			late = $number["silent_ns"] < 1000 ? 1000 - $number["silent_ns"] : 0
			if ($number["wake_ns"] - late - $number["error_ns"] > declared)
				print $number["silent_ns"] + $number["wake_ns"]
		}' "$TMP/$1/out/$2/$5"
}

# within NAME MEASURED METHOD STATE NS: for what is above the limit, the CPU was not idle for
# longer than that, whether it was discarded or not.
within()
{
	for events in datapoints.csv discarded.csv; do
		slow "$1" "$2" "$3" "$4" "$events" >"$TMP/slow" || return
		awk -v longest="$5" '$1 > longest { exit 1 }' "$TMP/slow" || return
	done
}

# recorded NAME MEASURED METHOD STATE: the discarded events that the driver counted as above the
# limit are as many as slow finds, so that each was judged. One that was lost has no record.
recorded()
{
	slow "$1" "$2" "$3" "$4" discarded.csv >"$TMP/slow" || return
	[ "$(wc -l <"$TMP/slow")" = "$(column "$1" "$2" "$3" "$4" discarded_above)" ]
}

# few NAME MEASURED METHOD STATE: 2 % of the samples at most are above the limit, with what
# was discarded. For each of them, another interrupt had to wake the CPU some 15 us before
# the event: one in a row is to be expected at most.
few()
{
	over=$(($(column "$1" "$2" "$3" "$4" above) + $(column "$1" "$2" "$3" "$4" discarded_above)))
	[ $((50 * over)) -le "$(column "$1" "$2" "$3" "$4" valid)" ]
}

# excused NAME MEASURED METHOD STATE: what row_but_for makes of the events above the limit is
# only for those that were judged, and for few.
excused()
{
	recorded "$@" && few "$@"
}

# only_entering NAME MEASURED: what took too long came while C3 was entered, as the CPU was
# idle for no longer than the entry and the exit take, 70 us, and the instructions from TBI
# to MWAIT.
only_entering()
{
	[ "$(column "$1" "$2" hrt C3 valid)" -ge 500 ] && within "$1" "$2" hrt C3 71000
}

# doctor NAME MEASURED FILE STATE SILENT_NS WAKE_NS [TIMES]: leave as "doctored" what was
# measured, but for one more row in that file, or as many, with these times in the state by
# hrt.
doctor()
{
	rm -rf "$TMP/doctored"
	mkdir -p "$TMP/doctored/out"
	cp -R "$TMP/$1/out/$2" "$TMP/doctored/out"
	awk -F, -v OFS=, -v state="$4" -v silent_ns="$5" -v wake_ns="$6" -v times="${7:-1}" '
		NR == 1 { for (i = 1; i <= NF; i++) number[$i] = i }
		$number["method"] == "hrt" && $number["state"] == state {
			$number["silent_ns"] = silent_ns
			$number["wake_ns"] = wake_ns
			row = $0
		}
		END { while (times--) print row }' "$TMP/$1/out/$2/datapoints.csv" >>"$TMP/doctored/out/$2/$3"
}

# count_more MEASURED STATE NUMBER: the driver counted so many more in "doctored".
count_more()
{
	awk -F, -v OFS=, -v state="$2" -v more="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) number[$i] = i }
		$number["method"] == "hrt" && $number["state"] == state {
			$number["discarded_above"] += more
		}
		{ print }' "$TMP/doctored/out/$1/summary.csv" >"$TMP/summary"
	mv "$TMP/summary" "$TMP/doctored/out/$1/summary.csv"
}

# entering_can_fail: C3 takes too long 32 us after TBI, as a sample or as a discarded event;
# not where it is still entered.
entering_can_fail()
{
	for file in datapoints.csv discarded.csv; do
		doctor package entered "$file" C3 500 69500
		only_entering doctored entered || return
		doctor package entered "$file" C3 32000 69500
		! only_entering doctored entered || return
	done
}

# excused_can_fail: more discarded events were counted than there are records, as of one that was
# lost, or than have a latency above the limit; fewer were; or 20 of 500 are above it. Not as
# many as there are.
excused_can_fail()
{
	doctor package entered discarded.csv C3 500 69500
	! excused doctored entered hrt C3 || return
	count_more entered C3 1
	excused doctored entered hrt C3 || return
	count_more entered C3 1
	! excused doctored entered hrt C3 || return
	# None, and 58.9 us from 1 us after TBI
	for pair in ' ' '400 59500'; do
		doctor package entered discarded.csv C3 "${pair% *}" "${pair#* }"
		excused doctored entered hrt C3 || return
		count_more entered C3 1
		! excused doctored entered hrt C3 || return
	done
	doctor package entered discarded.csv C3 500 69500 20
	count_more entered C3 20
	recorded doctored entered hrt C3 && ! excused doctored entered hrt C3
}

# C6 declares what is between the cost of the core, 50 us, and that with its package, 91 us.
# C3 takes too long only for who comes while it is entered: within 30 us, though the program
# that reads the samples may keep the CPU awake for longer than that.
package()
{
	TABLE=C1:1:1,C1E:10:10,C3:59:59,C6:80:80
	bench package 2 'C1:900 C1E:9000 C3:40000:entry=30000 C6:50000:package=41000' <<-'EOF'
		measure idle --methods hrt,nic --states C6 --samples 200 >/out/idle.log
		measure entry --methods hrt --states C3 --samples 500 --keep-discarded \
			>/out/entry.log
		measure entered --methods hrt --states C3 --samples 500 --ldist 1000000:1500000 \
			--keep-discarded >/out/entered.log
		config=$(msr 0 0xe2 | cut -d " " -f 2)
		for cpu in 0 1; do msr $cpu 0xe2 = $((config & ~7)); done
		measure limited --methods hrt,nic --states C6 --samples 200 >/out/limited.log
		for cpu in 0 1; do msr $cpu 0xe2 = $config; done
		spin 1
		measure busy --methods hrt,nic --states C6 --samples 200 --ldist 100000:150000 \
			>/out/busy.log
	EOF
	TABLE=
	rows package idle 'hrt C6 FAIL; nic C6 FAIL'
	rows package limited 'hrt C6 PASS core-only; nic C6 PASS core-only'
	rows package busy 'hrt C6 PASS core-only; nic C6 PASS core-only'
	rows package entry 'hrt C3 FAIL'
	expect 'verdicts: package entry: only what comes while it is entered takes too long' \
		only_entering package entry
	expect 'verdicts: package entered: the same' only_entering package entered
	expect 'verdicts: package entered: a doctored event is found out' entering_can_fail
	expect 'verdicts: package entry: each event that was counted has a record' \
		recorded package entry hrt C3
	expect 'verdicts: package entered: the same, and few are above the limit' \
		excused package entered hrt C3
	expect 'verdicts: package entered: a doctored count is found out' excused_can_fail
	rows package entered "$(row_but_for package entered hrt C3 PASS)"
}

# ahead NAME METHOD: the CPU was ahead of each event of C6 by as much as it could: it woke up
# 17.6 us after it, or as long after it had gone idle as the exit takes. The rest is
# instructions, from TBI to MWAIT above all. That is so of discarded events, too, as far as
# they are above the limit.
ahead()
{
	awk -F, -v method="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) number[$i] = i; next }
		$number["method"] == method && $number["state"] == "C6" {
			samples++
			left = 95000 - $number["silent_ns"]
			late += $number["wake_ns"] > (left > 17600 ? left : 17600) + 1000
		}
		END { exit !(samples >= 200 && !late) }' "$TMP/$1/out/all/datapoints.csv" &&
		within "$1" all "$2" C6 96000
}

# ahead_can_fail: C6 takes as long as if nobody had foreseen the event, as a sample or as a
# discarded event; not where the CPU has just gone idle.
ahead_can_fail()
{
	for file in datapoints.csv discarded.csv; do
		doctor prewake all "$file" C6 500 94500
		ahead doctored hrt || return
		doctor prewake all "$file" C6 400000 95000
		! ahead doctored hrt || return
	done
}

# lower_bounds NAME C1: a bench of a CPU that is ahead of its timers, with this qualifier
# of C1 by a timer.
lower_bounds()
{
	bench "$1" '' 'C1:900 C1E:9000 C3:40000 C6:95000 prewake=17600' <<-'EOF'
		measure all --methods hrt,tdt,nic --samples 200 --states C1,C6 \
			--ldist 330000:3000000 --keep-discarded
	EOF
	for method in hrt tdt; do
		expect "verdicts: $1: the CPU is ahead of $method" ahead "$1" $method
		expect "verdicts: $1: few events by $method are above the limit, and each has a record" \
			excused "$1" all $method C6
	done
	expect "verdicts: $1: it is not ahead of nic" not_ahead "$1"
	rows "$1" all "hrt C1 PASS $2; tdt C1 PASS $2; nic C1 PASS unverified; $(row_but_for "$1" all hrt C6 'PASS lower-bound'); $(row_but_for "$1" all tdt C6 'PASS lower-bound'); nic C6 FAIL"
}

not_ahead()
{
	! ahead "$1" nic
}

# C6 of 95 us where 82 are declared, of a CPU that wakes up ahead of its timers.
prewake()
{
	QEMU_MODEL=ivy_bridge_ep
	lower_bounds prewake unverified+lower-bound
	expect 'verdicts: prewake: a doctored event is found out' ahead_can_fail
	QEMU_MODEL=i7_3770k
	# Of this model nobody says that it does so, but nic and the timers disagree.
	lower_bounds foreseen unverified
}

# latencies TABLE: of its states, in one line.
latencies()
{
	echo "$1" | tr , '\n' | cut -d : -f 2 | paste -s -d ' '
}

# lowered TABLE: STATE=TABLE for each state whose latency can be 1 us less: latencies have
# to rise and to be above 0.
lowered()
{
	echo "$1" | awk -F, '{
		for (i = 1; i <= NF; i++) {
			split($i, state, ":")
			if (state[2] - 1 > previous)
				print state[1] "=" with(i, state[1] ":" state[2] - 1 ":" state[3])
			previous = state[2]
		}
	}
	function with(number, text,    i, line)
	{
		for (i = 1; i <= NF; i++)
			line = line (i > 1 ? "," : "") (i == number ? text : $i)
		return line
	}'
}

# The table that is proposed where each state takes too long, and C1E longer than C3
# declares, is right and not larger than need be.
proposal()
{
	truth='C1:2500 C1E:60000 C3:60500 C6:95000'
	bench proposal '' "$truth" <<-'EOF'
		measure all --methods hrt --samples 200 >/out/all.log
	EOF
	rows proposal all 'hrt C1 FAIL; hrt C1E FAIL; hrt C3 FAIL; hrt C6 FAIL'
	proposed=$(grep -o -m 1 'intel_idle\.table=[A-Za-z0-9:,]*' "$TMP/proposal/out/all.log" |
		sed -n '1s/.*=//p')
	expect "verdicts: proposal: latencies of the line $proposed must be 3 61 62 96" \
		[ "$(latencies "$proposed")" = '3 61 62 96' ]
	[ -n "$proposed" ] || return 0

	TABLE=$proposed
	bench proposed '' "$truth" <<-'EOF'
		measure all --methods hrt --samples 200
	EOF
	rows proposed all 'hrt C1 PASS unverified; hrt C1E PASS unverified; hrt C3 PASS; hrt C6 PASS'
	for each in $(lowered "$proposed"); do
		TABLE=${each#*=}
		echo "measure all --methods hrt --samples 200 --states ${each%%=*}" >"$TMP/measure"
		bench "lower-${each%%=*}" '' "$truth" <"$TMP/measure"
		rows "lower-${each%%=*}" all "hrt ${each%%=*} FAIL"
	done
	TABLE=
	expect 'verdicts: proposal: three latencies can be lower' \
		[ "$(lowered "$proposed" | cut -d = -f 1 | paste -s -d ' ')" = 'C1 C1E C6' ]
}

# run_virtual NAME FORCE QUANTILE: make run, in a machine that says that it is virtual.
run_virtual()
{
	code=0
	MACHINE=qemu CPU_MODEL=i7_3770k QEMU_CPU_PROPERTIES=,hypervisor=on METHODS=hrt \
		SAMPLES=100 LDIST='' CPUS='' TRUTH='C1:900 C1E:9000 C3:40000 C6:70000' \
		FORCE=$2 QUANTILE=$3 OUT="$TMP/$1/out/all" \
		scripts/run.sh >"$TMP/$1.log" 2>&1 || code=$?
	tail -n 5 "$TMP/$1.log"
}

virtual()
{
	say verdicts 'a virtual machine'
	run_virtual virtual '' ''
	rows virtual all 'hrt C1 SKIP in a virtual machine; hrt C1E SKIP in a virtual machine; hrt C3 SKIP in a virtual machine; hrt C6 SKIP in a virtual machine'
	expect 'verdicts: virtual: the run says that nothing could be measured' \
		grep -q 'nothing could be measured' "$TMP/virtual.log"

	run_virtual forced 1 0.9
	rows forced all 'hrt C1 PASS unverified+virtual; hrt C1E PASS unverified+virtual; hrt C3 PASS virtual; hrt C6 PASS virtual'
	expect 'verdicts: forced: the run' [ "$code" -eq 0 ]
	expect 'verdicts: forced: the rule is QUANTILE' \
		[ "$(column forced all hrt '' rule | grep -c '0\.9')" -eq 4 ]
}

# signal NAME SIGNAL C1E CODE: end a measurement of C1E, which takes so long, and C6 in the
# first of these rows; the program ends with the code.
signal()
{
	bench "$1" '' "C1:900 C1E:$3 C3:40000 C6:70000" <<-END
		./latency_test --plain --machine qemu --cpus 0 --methods hrt --states C1E,C6 \
			--samples 900000 --out /out/all >/out/all.log &
		measuring=\$!
		sleep 2
		kill -$2 \$measuring
		code=0
		wait \$measuring || code=\$?
		[ \$code -eq $4 ]
	END
}

# What was measured until Ctrl-C, or until the time is over, is judged.
interrupted()
{
	signal int INT 12000 1
	rows int all 'hrt C1E FAIL; hrt C6 SKIP interrupted'
	signal term TERM 9000 130
	rows term all 'hrt C1E SKIP interrupted; hrt C6 SKIP interrupted'
}

# Verdict, qualifier and reason that are wrong, a contradiction, and a row too few.
rows_can_fail()
{
	mkdir -p "$TMP/doctored/out/all"
	awk -F, -v OFS=, '
		NR == 1 { for (i = 1; i <= NF; i++) number[$i] = i }
		$5 == "tdt" && $7 == "C1" { next }
		$5 == "hrt" && $7 == "C1" { $number["verdict"] = "FAIL"; $number["qualifier"] = "" }
		$5 == "nic" && $7 == "C1" { $number["qualifier"] = "" }
		$5 == "hrt" && $7 == "C6" { $number["verdict"] = "PASS"; $number["qualifier"] = "core-only" }
		$5 == "tdt" && $7 == "C6" { $number["verdict"] = "SKIP"; $number["reason"] = "undecided" }
		{ print }' "$TMP/prewake/out/all/summary.csv" >"$TMP/doctored/out/all/summary.csv"
	judge_rows doctored all 'hrt C1 PASS unverified+lower-bound; tdt C1 PASS unverified+lower-bound; nic C1 PASS unverified; hrt C6 PASS lower-bound; tdt C6 SKIP interrupted; nic C6 FAIL' >"$TMP/judged"
	[ "$(grep -c ^FAIL "$TMP/judged")" -eq 6 ]
}

build_kernel
QEMU_MODEL=i7_3770k
table_10
not_reached
package
prewake
expect 'verdicts: doctored rows are found out' rows_can_fail
proposal
virtual
interrupted
near
cat "$TMP"/*/out/*.log >"$TMP/logs"
accounted verdicts "$TMP/logs"
checks_end verdicts
