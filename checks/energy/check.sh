#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The other number of a row: what packages draw in each idle state and with each number of idle CPUs,
# and from which length on a state pays, by the energy counters of the emulated processor against
# what it was told to draw; the verdict on target residencies; and the table that a patch of intel_idle
# takes. With LONG=1 in 20 runs with noise, and the powers that papers have.
#
# Control: States that pay later than their table says are FAIL, one that never pays, too, and powers
#   that were changed are found out.
# Takes: 60 s
. checks/lib/bench.sh

# in_guest OPTION...: the part of a job that measures; a verdict that is FAIL is a result.
in_guest()
{
	cat <<-END
		code=0
		begin=\$(cut -d ' ' -f 1 /proc/uptime)
		energy/energy_test --plain --out /out/energy $* >/out/energy.log 2>&1 || code=\$?
		echo "\$begin \$(cut -d ' ' -f 1 /proc/uptime)" >/out/seconds
		cat /out/energy.log
		[ "\$code" -le 1 ] || exit "\$code"
	END
}

judge_energy()
{
	judge energy/judge "$1" "$2" "$3" "$4" "$PACKAGE_STATES"
}

# energy NAME CPUS TRUTH [OPTION...]: measure and judge.
energy()
{
	of=$1 shape=$2 truth=$3
	shift 3
	in_guest "$@" >"$TMP/measuring"
	bench "$of" "$shape" "$truth" <"$TMP/measuring"
	judged "energy: $of" judge_energy "$of" "$shape" "$truth" "$TMP/$of/out/energy"
}

# verdicts_are NAME VERDICT...: of the states, the shallowest first.
verdicts_are()
{
	of=$1
	shift
	[ "$(awk -F , 'NR > 1 { print $7 }' "$TMP/$of/out/energy/residency.csv" | paste -s -d ' ')" = "$*" ]
}

# judge_finds FILE STATEMENTS PATTERN: of the run "right", once a file is changed.
judge_finds()
{
	doctor "$TMP/right/out/energy" "$1" "$2"
	judge_energy right 1 "$RIGHT" "$TMP/doctored" | grep -q "^FAIL .*$3"
}

# table_part PART: what a patch of the table takes, from the run "right".
table_part()
{
	tool table --kernel "$BASE" --part "$1" "$TMP/right/out/energy"
}

# without_numbers: latencies and residencies as N.
without_numbers()
{
	sed -E 's/(exit_latency|target_residency) = [0-9]+/\1 = N/'
}

# numbers_only: the table is that of the source, but for these.
numbers_only()
{
	table_part table | without_numbers >"$TMP/rows" || return
	sed -n '/^static struct cpuidle_state ivb_cstates/,/^};/p' "$BASE/drivers/idle/intel_idle.c" |
		without_numbers | diff - "$TMP/rows"
}

# pasted: the source of v7.3 with the table in place of its own. Residencies, which differ by some us
# from run to run, are the largest ones that has_row() takes, so that the cache has the kernel.
pasted()
{
	table_part table | sed -e '/"C1E"/,/residency/s/residency = .*,/residency = 19,/' \
		-e '/"C3"/,/residency/s/residency = .*,/residency = 123,/' \
		-e '/"C6"/,/residency/s/residency = .*,/residency = 264,/' >"$TMP/rows"
	sed -e "/^static struct cpuidle_state ivb_cstates/r $TMP/rows" \
		-e '/^static struct cpuidle_state ivb_cstates/,/^};/d' "$BASE/drivers/idle/intel_idle.c"
}

# table_rows: of the table, as in the line: STATE:LATENCY:RESIDENCY.
table_rows()
{
	table_part table | awk '
		/\.name/ { gsub(/[",]/, "", $3); name = $3 }
		/\.exit_latency/ { latency = $3 + 0 }
		/\.target_residency/ { print name ":" latency ":" $3 + 0 }'
}

# has_row STATE LATENCY RESIDENCY_FROM RESIDENCY_TO: in us, of the table.
has_row()
{
	table_rows | awk -F : -v state="$1" -v latency="$2" -v from="$3" -v to="$4" '
		$1 == state { print "energy: table: " $0; ok = $2 == latency && $3 >= from && $3 <= to }
		END { exit !ok }'
}

# without_c1 <ROWS: that of C1 without its residency, which may be larger in the line: the kernel takes
# it from the latency on.
without_c1()
{
	sed '/^C1:/s/:[0-9]*$//'
}

# line_has_table: four rows, which are those of the table. That has C7, too, which was not there.
line_has_table()
{
	table_rows | without_c1 >"$TMP/table-rows"
	table_part line | sed 's/.*=//' | tr , '\n' | without_c1 >"$TMP/line-rows"
	[ "$(wc -l <"$TMP/line-rows")" -eq 4 ] && not grep -v -x -F -f "$TMP/table-rows" "$TMP/line-rows"
}

# lowered: each latency of the line by 1 us, and residencies to 0.4 of themselves where the parameter
# takes that: not below the latency.
lowered()
{
	table_part line | sed 's/.*=//' | tr ',' '\n' | awk -F : '{
		latency = $2 - 1
		residency = int(0.4 * $3)
		print $1 ":" latency ":" (residency > latency ? residency : $3)
	}' | paste -s -d ,
}

# both NAME [NOISE]: a machine with the table TABLE, of which both numbers are measured.
both()
{
	{
		echo 'measure energy --methods hrt --samples 300 --states POLL,C1,C1E,C3,C6'
		in_guest
	} >"$TMP/measuring"
	bench "$1" 1 "$RIGHT ${2-}" <"$TMP/measuring"
}

# latencies_are NAME VERDICTS: all but that of POLL, which has an IntrLatency and no verdict.
latencies_are()
{
	csv '
		NR > 1 && @state == "POLL" {
			poll = @verdict == "SKIP" && @valid >= 300 && @intr_median_ns > 0 &&
			       @median_ns == ""
			next
		}
		NR > 1 { rows++; wrong += @verdict !~ must }
		END { exit !(poll && rows == 4 && !wrong) }' \
		must="$2" "$TMP/$1/out/energy/summary.csv"
}

# declares NAME STATE US...: the kernel of the run.
declares()
{
	of=$1
	shift
	while [ $# -gt 0 ]; do
		csv '@state == state { found = @declared_ns == 1000 * us } END { exit !found }' \
			state="$1" us="$2" "$TMP/$of/out/energy/summary.csv" || return
		shift 2
	done
}

build_kernel

QEMU_MODEL=i7_3770k PACKAGE_STATES=C3,C6
# They pay from 17, 114 and 250 us on, and 20, 156 and 300 us are declared.
RIGHT='C1:1900:power=15000 C1E:8000:power=6000 C3:40000:power=2500,rest=1500
	C6:70000:power=700,rest=300 awake=20000 rest=5000'
both right noise=2
judged 'energy: right' judge_energy right 1 "$RIGHT" "$TMP/right/out/energy"
expect 'energy: right: verdicts' verdicts_are right SKIP PASS PASS PASS
expect 'energy: a power that was changed is found out' \
	judge_finds energy.csv '@mw = sprintf("%.1f", @mw * 1.05)' 'C6, 1 of 1 idle, package'
expect 'energy: a break-even that was changed is found out' \
	judge_finds residency.csv '@break_even_ns = int(@break_even_ns * 1.06)' 'C6: break-even'
expect 'energy: a verdict that was changed is found out' \
	judge_finds residency.csv '@verdict = "FAIL"' 'C6: verdict'

# What a patch of intel_idle takes: the numbers that were measured, and nothing else.
expect 'energy: table: differs from the source in numbers only' numbers_only
expect 'energy: table: C1E' has_row C1E 9 16 19
expect 'energy: table: C3' has_row C3 41 110 123
expect 'energy: table: C6' has_row C6 71 237 264
pasted >"$TMP/intel_idle.c"
own=$BUILT_KERNEL
build_kernel_with "$TMP/intel_idle.c" drivers/idle/intel_idle.c
both pasted
BUILT_KERNEL=$own
expect 'energy: table: v7.3 with it declares what was measured' declares pasted C1E 9 C3 41 C6 71
expect 'energy: table: its latencies are PASS in v7.3' latencies_are pasted '^PASS$'
expect 'energy: table: its residencies are PASS in v7.3' verdicts_are pasted SKIP PASS PASS PASS
expect 'energy: table: the line has its numbers' line_has_table
TABLE=$(lowered)
both lowered
expect 'energy: table: no latency is PASS that is 1 us lower' latencies_are lowered '^(FAIL|SKIP)$'
expect 'energy: table: C3 and C6 at 0.4 of their residencies are FAIL' \
	verdicts_are lowered SKIP PASS FAIL FAIL
TABLE=

# From 40 and 800 us on, and C3 draws more than C1E. Who was killed before leaves nothing held. And
# the counters wrap meanwhile: each is 60 J below its end when the machine is switched on.
in_guest --states C1,C1E,C3 >"$TMP/measure"
{
	echo 'energy/energy_test >/out/killed.log 2>&1 &'
	echo 'sleep 1; kill -KILL $!; wait $! || true'
	echo 'cat /sys/class/powercap/intel-rapl:0/energy_uj >/out/before'
	cat "$TMP/measure"
	echo 'cat /sys/class/powercap/intel-rapl:0/energy_uj >/out/after'
} >"$TMP/killed"
WRONG='C1:900:power=15000 C1E:11000:power=8700 C3:40000:power=9000,rest=5000
	C6:70000:power=700,rest=300 awake=20000 rest=5000 rapl=4291035000'
bench wrong 1 "$WRONG" <"$TMP/killed"
judged 'energy: wrong' judge_energy wrong 1 "$WRONG" "$TMP/wrong/out/energy"
expect 'energy: wrong: verdicts' verdicts_are wrong SKIP FAIL FAIL
expect 'energy: wrong: the counter wrapped' \
	[ "$(cat "$TMP/wrong/out/before")" -gt "$(cat "$TMP/wrong/out/after")" ]

# Each core counts, and the last one makes a difference to the package.
energy cores 2 'C1:900:power=15000 C1E:6000:power=6000 C3:40000:power=2500,rest=1500
	C6:70000:power=0,rest=1000 awake=8000 rest=4000' --states C3,C6

# Why nothing is measured: Sierra Forest has its counters by TPMI only, which is not emulated. What
# is laid over /sys/class is a battery.
QEMU_MODEL=sierra_forest
bench none 1 'C1:900' <<'EOF'
	ends 4 energy/energy_test --plain >/out/counter.log
	ends 4 energy/energy_test >/out/ktap.log
	ends 1 energy/energy_test --seconds 0 2>/out/seconds.log
	ends 1 energy/energy_test --watts 2>/out/unknown.log
	ends 1 energy/energy_test now 2>/out/argument.log
	ends 4 energy/energy_test --plain --states C9 >/out/state.log
	ends 1 energy/energy_test --plain --out /proc/none 2>/out/out.log
	mkdir -p /tmp/class/power_supply/BAT0
	echo Discharging >/tmp/class/power_supply/BAT0/status
	mount -o bind /tmp/class /sys/class || exit
	ends 4 energy/energy_test --plain >/out/battery.log
	umount /sys/class
EOF
expect 'energy: no counter: which kernels and processors have one' said none counter RAPL_TPMI
expect 'energy: no counter: KTAP' said none ktap '^1\.\.0 # SKIP '
expect 'energy: --seconds 0' said none seconds 'takes a number from 1 on'
expect 'energy: an unknown option' said none unknown '^energy_test takes these'
expect 'energy: an argument' said none argument "unknown argument 'now'"
expect 'energy: an unknown state' said none state 'no state is called C9'
expect 'energy: a directory that cannot be made' said none out "cannot write to '/proc/none'"
expect 'energy: on battery' said none battery '^SKIP: the machine runs on battery'

# seeds NAME TRUTH STATES VERDICT...: twenty runs with noise.
seeds()
{
	of_seeds=$1 seeds_truth=$2 seeds_states=$3
	shift 3
	for seed in $(seq 20); do
		energy "$of_seeds-$seed" 1 "$seeds_truth noise=2 seed=$seed" --states "$seeds_states"
		expect "energy: $of_seeds $seed: verdicts" verdicts_are "$of_seeds-$seed" "$@"
	done
}

# published MODEL STATES TRUTH: what a paper says that a package draws.
published()
{
	QEMU_MODEL=$1
	energy "$1" 1 "$3" --states "$2"
}

if [ -n "$LONG" ]; then
	QEMU_MODEL=i7_3770k
	seeds right "$RIGHT" C1,C1E,C3,C6 SKIP PASS PASS PASS
	# C3 for 2.5 times less than it takes, and the others for 2.5 times more
	TABLE=C1E:10:42,C3:41:46,C6:71:625
	seeds off "$RIGHT" C1,C1E,C3,C6 SKIP PASS FAIL PASS
	for seed in $(seq 20); do
		expect "energy: off $seed: energy is left" \
			[ "$(grep -c 'C1E,.*PASS,energy is left\|C6,.*PASS,energy is left' \
				"$TMP/off-$seed/out/energy/residency.csv")" -eq 2 ]
	done
	TABLE=
	QEMU_MODEL=sapphire_rapids PACKAGE_STATES=C6
	# Four cores of two threads each.
	begin=$(date +%s)
	energy threads 4x2 'C1:900:power=9000 C1E:8000:power=4000 C6:190000:power=400,rest=9000
		awake=12000 rest=30000' --seconds 15
	expect 'energy: threads: takes 4 minutes at most' [ $(($(date +%s) - begin)) -le 240 ]
	# shellcheck disable=SC2016 # a program of awk
	expect 'energy: threads: takes 20 s of the guest at most' \
		awk '{ exit !($2 - $1 <= 20) }' "$TMP/threads/out/seconds"
	seeds spr 'C1:900:power=9000 C1E:2000:power=4000 C6:190000:power=400,rest=9000
		awake=12000 rest=30000' C1E,C6 SKIP PASS
	QEMU_MODEL=i7_6700k PACKAGE_STATES=C3,C6,C7s,C8
	seeds skl 'C1:900:power=9000 C1E:2000:power=4000 C3:60000:power=2000,rest=1500
		C6:70000:power=1500,rest=1000 C7s:100000:power=1200,rest=800 C8:130000:power=300,rest=500
		awake=20000 rest=5000' C7s,C8 SKIP PASS

	# Oberhauser, figures 5.3, 5.4, 5.7c and 5.8c; of a core and of the package.
	PACKAGE_STATES=C3,C6,C7s,C8
	published i7_6700k C1E,C3,C8 'C1:900:power=13000 C1E:2000:power=1000,rest=910
		C3:60000:power=900,rest=540 C6:70000:power=900,rest=540 C7s:90000:power=900,rest=540
		C8:180000:power=500,rest=520 awake=50000 rest=910'
	published i7_4790 C1,C3,C6 'C1:900:power=28000 C1E:2000:power=14000
		C3:33000:power=4000,rest=2640 C6:34000:power=4000,rest=2930 C7s:35000:power=4000,rest=2930
		awake=66500 rest=2000'
	# What AMD's processor says of C3 is 0.
	PACKAGE_STATES=
	published ryzen_5600g C1,C2,C3 'C1:9460:power=4430 C2:26800:power=3500 C3:311000:power=0
		awake=61900'
	expect 'energy: ryzen_5600g: C3 is 0 W' \
		said ryzen_5600g energy 'C3, .*: 0 W: the counter stands still'
	# Pairs of siblings are a core (Sleep Well, figure 6: 8 W for each pair, more for the last one).
	QEMU_MODEL=i7_4790 PACKAGE_STATES=C3,C6,C7s
	energy siblings 4x2 'C1:900:power=6000 C1E:2000:power=3000 C3:33000:power=900,rest=2000
		C6:60000:power=0,rest=2500 C7s:61000:power=0,rest=2500 awake=8000 rest=5500' --states C3,C6
fi
checks_end
