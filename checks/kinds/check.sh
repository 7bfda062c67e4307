#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Emulated processors of other kinds: modules of cores that sleep when all of them do, one of AMD,
# and one whose states change from boot to boot. What each costs and shows, also after the wake-up,
# against what was asked for and against the log of the processor. Two types of core, and first
# entries that take longer, are in checks/cores/check.sh.
#
# Control: A log and counters of modules that were changed are found out, and a CPU that wakes up
#   later.
# Takes: 40 s
. checks/lib/bench.sh

# judge_modules [LOG [COUNTERS]]
judge_modules()
{
	judge kinds/modules "${1-$TMP/modules/out/truth.csv}" "${2-$TMP/modules/out/counters}"
}

# A module that sleeps while one of its cores does not, and a counter that is 1 % off.
modules_are_judged()
{
	doctor "$TMP/modules" out/truth.csv '
		if (@module == "MC0" && @hint == "0x22" && !changed++) @module = "MC6"'
	awk '{ $3 = int($3 * 1.01) } { print }' "$TMP/modules/out/counters" >"$TMP/doctored-counters"
	finds ': modules in the log' judge_modules "$TMP/doctored/out/truth.csv" &&
		finds ': counters of modules' \
			judge_modules "$TMP/modules/out/truth.csv" "$TMP/doctored-counters"
}

# asleep MEASURED LOW HIGH: in so many in a hundred of its samples the module slept, but for the time
# that waking up takes.
asleep()
{
	share "$TMP/modules/out/$1/datapoints.csv" 1 '@mc6_pct > 75' "$2" "$3" 300
}

# factor NAME HINT NS: of the periods of a state that takes NS, all have one factor: print it.
factor()
{
	csv '@hint == hint { print (@exit_ns - @event_ns) / ns }' hint="$2" ns="$3" \
		"$TMP/$1/out/truth.csv" | sort -u | awk '
		{ print $1 }
		END { exit NR != 1 }'
}

# one_factor NAME: C1E and C6 of that boot have the same.
one_factor()
{
	shallow=$(factor "$1" 0x01 1000000) && deep=$(factor "$1" 0x20 3000000) || return
	echo "kinds: $1: exits take $shallow and $deep times as long"
	awk -v a="$shallow" -v b="$deep" 'BEGIN { exit !(a == b && a != 1 && a > 0.8 && a < 1.2) }'
}

# later METHOD: the page has 2000 ns more for CPU 1, but for some instructions, of which each takes 2 ns.
later()
{
	sed -n "/>After the wake-up</,/<\/table>/s|<tr><td[^>]*>cpu\([01]\) $1 C6</td>|\1 |p" \
		"$TMP/page/index.html" | sed 's/<[^>]*>/ /g' | awk -v method="$1" '
		{ handled[$1] = $2; awake[$1] = $3; longer[$1] = $4; p[$1] = $5 }
		END {
			more = handled[1] - handled[0]
			print "kinds: afterwards: by " method ": " handled[0] " and " handled[1] " ns, awake " \
				awake[0] " ns, p " p[0] " and " p[1]
			exit !(NR == 2 && more >= 1980 && more <= 2020 && awake[0] > 0 &&
				longer[1] == handled[1] - awake[1] && p[1] < 1e-9)
		}'
}

# as_long METHOD [DIR]: what is later than the wake-up makes no WakeLatency longer.
as_long()
{
	csv '@state == "C6" && @method == method { median[@cpu] = @median_ns; verdict[@cpu] = @verdict }
		END {
			print "kinds: afterwards: WakeLatency by " method ": " median[0] " and " median[1] " ns"
			exit !(median[0] >= 70000 && median[1] - median[0] <= 4 && median[0] - median[1] <= 4 &&
				verdict[0] == "PASS" && verdict[1] == "PASS")
		}' method="$1" "${2-$TMP/afterwards}"/out/[01]/summary.csv
}

build_kernel

QEMU_MODEL=sierra_forest
bench modules 8 'C1:200 C1E:700 C6S:100000:module=40000 C6SP:150000:package=30000' <<'EOF'
	cd /sys/devices/system/cpu
	for file in cluster package core; do
		cat cpu1/topology/${file}_cpus_list cpu5/topology/${file}_cpus_list
	done >/out/topology
	cd /kselftest/idle_latency
	C6S='--methods hrt --states C6S --samples 300 --ldist 800000:1500000'
	measure held $C6S --hold module
	for cpu in 0 4; do msr $cpu 0x664; done >/out/before
	spin 1
	measure busy $C6S
	for cpu in 0 4; do msr $cpu 0x664; done >/out/after
	# The log has an idle period when it ends.
	for cpu in 0 1 2 3 4 5 6 7; do msr $cpu 0xe7; done >/out/ended
	paste -d ' ' /out/before /out/after | awk '{ print $1, $3, $4 - $2 }' >/out/counters
EOF
expect 'kinds: modules: the topology' \
	[ "$(paste -s -d ' ' "$TMP/modules/out/topology")" = '0-3 4-7 0-7 0-7 1 5' ]
expect 'kinds: modules: held, it sleeps' asleep held 95 100
expect 'kinds: modules: with a busy core, it does not' asleep busy 0 0
judged 'kinds: modules' judge_modules
expect 'kinds: modules: what was changed is found out' modules_are_judged
expect 'kinds: modules: waking it up takes longer' some modules \
	'@module == "MC6" && @package == "PC0" && @hint == "0x22" && left == 140000'
expect 'kinds: modules: and a core alone does not' some modules \
	'@module == "MC0" && @hint == "0x22" && left == 100000'

QEMU_MODEL=ryzen_5600g
bench amd '' 'C1:9460 C2:26800 C3:311000 awake=20000 rest=10000' <<'EOF'
	measure all --methods hrt --samples 300
	ends 4 ./latency_test --plain --cpus 0 --set demotion=off >/out/set.log
	for times in '4000 0' '1000 10' '4000 0'; do msr 0 0xc001029a $times; done >/out/cores
	for number in 0xc0010299 0xc001029a 0xc001029b 0x606 0x611 0xe2 0x1fc; do
		msr 0 $number
	done >/out/registers
EOF
expect 'kinds: amd: MWAIT and each port cost what is said' none amd \
	'(@hint == "0x00" && left != 9460) || (@hint == "0x10" && left != 26800) ||
	(@hint == "0x20" && left != 311000)'
for hint in 0x00 0x10 0x20; do
	expect "kinds: amd: and are there: $hint" some amd "@hint == \"$hint\""
done
expect 'kinds: amd: verdicts by hrt' [ "$(verdicts amd all hrt)" = 'FAIL FAIL PASS' ]
says amd job 'what is not known of C3' \
	'^PASS cpu0 hrt C3: unverified.*; unverified: no counter on this CPU tells of the state'
says amd set 'settings of another vendor are refused' \
	'^SKIP: a setting is not known on this model of CPU'
expect 'kinds: amd: no register of Intel' \
	[ "$(grep -n fault "$TMP/amd/out/registers" | cut -d : -f 1 | paste -s -d ' ')" = '4 5 6 7' ]
judged 'kinds: amd: energy of the core' judge processor/power cores \
	'0x00=0 0x10=0 0x20=0 awake=20000 rest=0' "$TMP/amd/out/truth.csv" "$TMP/amd/out/cores"

QEMU_MODEL=i7_3770k
bench afterwards 2 'C1:900 C6:70000 C6@1:70000:after-exit=2000' <<'EOF'
	for cpu in 0 1; do
		measure $cpu --cpus $cpu --methods hrt,nic --states POLL,C6 --samples 300
	done
EOF
tool report --out "$TMP/page" "$TMP/afterwards/out/0" "$TMP/afterwards/out/1"
for method in hrt nic; do
	expect "kinds: afterwards: $method: the handler is later" later $method
	expect "kinds: afterwards: $method: the wake-up is not" as_long $method
done
doctor "$TMP/afterwards" out/1/summary.csv 'if (@state == "C6") @median_ns += 2000'
expect 'kinds: afterwards: a wake-up that is later is found out' not as_long hrt "$TMP/doctored"

for seed in 1 2; do
	bench boot-$seed '' "C1E:1000000 C6:3000000 boot=2 seed=$seed" <<-'EOF'
	measure all --methods hrt --states C1E,C6 --samples 20
	EOF
	expect "kinds: boot: one factor for all, seed $seed" one_factor boot-$seed
done
expect 'kinds: boot: another seed, another factor' \
	[ "$(factor boot-1 0x20 3000000)" != "$(factor boot-2 0x20 3000000)" ]
checks_end
