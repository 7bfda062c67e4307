#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The machine in the condition that one asks for, on the emulated processor: other CPUs are held in
# the state that is measured, busy or not, and settings are kept for a run and put back.
#
# Control: Without what was held or set, each of these runs comes to something else; and a package
# state and medians that were changed are found out.
# Takes: 160 s
. checks/lib/bench.sh

for program in hold load; do
	gcc -O2 -static -Iinclude/uapi -o "$TMP/$program" "checks/keep/$program.c"
	GUEST_PROGRAMS="$GUEST_PROGRAMS $TMP/$program"
done

# rows NAME MEASURED WANT: the summary of a bench, see verdicts/rows.py.
rows()
{
	judged "keep: $1 $2" judge verdicts/rows "$1 $2" "$3" "$TMP/$1/out/$2/summary.csv"
}

# said NAME MEASURED PATTERN: the program did.
said()
{
	grep -q -E "$3" "$TMP/$1/out/$2.log" && return
	tail -n 20 "$TMP/$1/out/$2.log"
	return 1
}

# columns NAME MEASURED SET,HOLD: the two columns of all rows.
columns()
{
	[ "$(csv 'NR > 1 { print @set "," @hold }' "$TMP/$1/out/$2/summary.csv" | sort -u)" = "$3" ]
}

# kept_judge SUBJECT NAME MEASURED FILE: see judge.py.
kept_judge()
{
	judge keep/judge "$1" "$2 $3" "$TMP/$2/out/$3/$4"
}

# kept SUBJECT NAME MEASURED FILE: the same as results.
kept()
{
	judged "keep: $2 $3" kept_judge "$@"
}

# not_kept SUBJECT NAME MEASURED FILE: they are not what they must be.
not_kept()
{
	kept_judge "$@" | grep -q ^FAIL
}

# C6 takes 50 us, and 91 with its package; 95 are declared. After the limits of the package, one of
# PM QoS, 20 us, lets the other CPUs enter C1E, and no more. Then each of them is busy for 1 of 5 ms,
# and at last one all the time.
held()
{
	TABLE=C1:1:1,C1E:10:10,C3:59:59,C6:95:95
	bench held 4 'C1:900 C1E:9000 C3:40000 C6:50000:package=41000' <<-'EOF'
		refuse()
		{
			code=0
			./latency_test --plain --cpus 0 $C6 --set "$2" >"/out/$1.log" || code=$?
			[ $code -eq 4 ] || exit 1
		}
		C6='--states C6 --samples 300 --ldist 120000:220000'
		refuse beyond package-limit=pc9
		measure limited $C6 --methods hrt --samples 30 --hold package \
			--set package-limit=pc2 >/out/limited.log
		config=$(msr 0 0xe2 | cut -d " " -f 2)
		msr 0 0xe2 = $((config | 1 << 15))
		refuse locked package-limit=pc2
		measure unlocked $C6 --methods hrt --samples 30 --set demotion=off >/out/unlocked.log

		for cpu in 1 2 3; do
			echo 20 >/sys/devices/system/cpu/cpu$cpu/power/pm_qos_resume_latency_us
		done
		measure alone $C6 --methods hrt,nic --samples 150 >/out/alone.log
		measure idle $C6 --methods hrt,nic --samples 150 --hold package >/out/idle.log
		measure none $C6 --methods hrt --hold core >/out/none.log

		# Long enough for RCU and the watchdogs to complain, which would fail the job.
		hold 1 4 &
		holding=$!
		sleep 60
		code=0
		./latency_test --plain --cpus 0 $C6 --methods hrt --hold all >/out/refused.log || code=$?
		kill $holding
		[ $code -eq 4 ] || exit
		hold 9 4 2>/dev/null && exit 1
		./latency_test --plain --cpus 1 $C6 --methods hrt --samples 100000 --seconds 2 \
			>/out/measured.log &
		measuring=$!
		sleep 1
		code=0
		hold 1 4 2>/out/hold.log || code=$?
		wait $measuring || exit
		[ $code -eq 16 ] || exit 1

		for cpu in 1 2 3; do
			load 1000 4000 &
			spinning="$spinning $!"
			taskset -p $((1 << cpu)) $! >/dev/null
		done
		measure loaded $C6 --methods hrt --hold package >/out/loaded.log
		measure loaded-alone $C6 --methods hrt >/out/loaded-alone.log
		spin 1
		measure busy $C6 --methods hrt --hold all --seconds 2 >/out/busy.log
	EOF
	TABLE=
	expect 'keep: held beyond: a limit that the model has not is refused' \
		said held beyond '^SKIP: the model of CPU has no such package limit'
	rows held limited 'hrt C6 PASS lower-bound+core-only'
	expect 'keep: held locked: a limit that is locked is refused' \
		said held locked '^SKIP: a setting is locked by the firmware'
	expect 'keep: held unlocked: demotion is not locked' columns held unlocked demotion=off,
	rows held idle 'hrt C6 PASS; nic C6 PASS'
	kept package held idle datapoints.csv
	rows held alone 'hrt C6 PASS core-only; nic C6 PASS core-only'
	expect 'keep: held idle: the columns say what is held' columns held idle ,package
	expect 'keep: held alone: and that nothing is' columns held alone ,
	expect 'keep: held none: a core of one CPU has nothing to hold' \
		said held none 'cpu0: nothing is held: its core has no other CPU'
	expect 'keep: held none: the column says so' columns held none ,
	expect 'keep: held refused: what another program holds is refused' \
		said held refused '^SKIP cpu0 hrt C6: somebody else measures or forces a CPU'
	rows held loaded 'hrt C6 PASS lower-bound'
	expect 'keep: held loaded: collection goes on until 300 have the package state' \
		said held loaded 'the package reached its state in 3[0-9][0-9] of [0-9]+'
	expect 'keep: held loaded: the difference is said' \
		said held loaded 'with the package asleep C6 takes 41 us longer'
	rows held loaded-alone 'hrt C6 PASS lower-bound+core-only'
	rows held busy 'hrt C6 PASS lower-bound+core-only'
	expect 'keep: held busy: the share is said' \
		said held busy 'the package reached its state in [0-9]+ of [0-9]+'
	expect 'keep: held: a package state that was changed is found out' package_can_fail
}

package_can_fail()
{
	doctor "$TMP/held" out/idle/datapoints.csv \
		'if (@package == "PC6" && n++ % 50 == 0) @package = "PC0"'
	not_kept package doctored idle datapoints.csv
}

# set_bench NAME CPUS TRUTH <JOB: the registers that settings are in are as before at its end.
set_bench()
{
	{
		cat <<-'END'
		registers()
		{
			for register in 0x1fc 0xe2; do msr 0 $register | cut -d " " -f 2; done
		}
		C6='--states C6 --methods hrt,tdt,nic --samples 300'
		registers >/out/before
		END
		cat
		echo 'registers >/out/after'
	} >"$TMP/settings"
	bench "$1" "$2" "$3" <"$TMP/settings"
	expect "keep: $1: registers are as before" cmp "$TMP/$1/out/before" "$TMP/$1/out/after"
}

# C6 wakes up 17.58 us after its timers, whatever it takes: 92.83 us, where 82 are declared.
prewake()
{
	QEMU_MODEL=ivy_bridge_ep
	set_bench slow '' 'C1:900 C1E:9000 C3:40000 C6:92830 prewake=17580' <<-'EOF'
		measure on $C6 --ldist 330000:3000000 >/out/on.log
		measure off $C6 --set prewake=off >/out/off.log
		./latency_test --plain --cpus 0 --states C6 --set prewake=off,promotion=on >/out/killed.log &
		sleep 2
		registers >/out/meanwhile
		kill -KILL $!
		sleep 1
	EOF
	rows slow off 'hrt C6 FAIL; tdt C6 FAIL; nic C6 FAIL'
	kept medians slow off summary.csv
	expect 'keep: slow off: the column says what is set' columns slow off prewake=off,
	expect 'keep: slow off: and so does environment.txt' \
		grep -q -x 'set: prewake=off' "$TMP/slow/out/off/environment.txt"
	expect 'keep: slow on: hrt says less' lower_bound slow on hrt
	expect 'keep: slow on: the medians differ' not_kept medians slow on summary.csv
	expect 'keep: slow: before the kill the registers were others' registers_differ slow
}

registers_differ()
{
	! cmp -s "$TMP/$1/out/before" "$TMP/$1/out/meanwhile"
}

# lower_bound NAME MEASURED METHOD
lower_bound()
{
	[ "$(column "$1" "$2" "$3" C6 qualifier)" = lower-bound ]
}

# reached NAME MEASURED: all samples of all rows were in the state.
reached()
{
	csv 'NR > 1 { n++; missed += @reached != @valid } END { exit !n || missed }' \
		"$TMP/$1/out/$2/summary.csv"
}

not_reached()
{
	! reached "$@"
}

# Every third entry is demoted: by C3 demotion, and on Sapphire Rapids by C1 demotion, for which
# intel_idle has a file, which says of one bit what is in two.
demotion()
{
	set_bench quick '' 'C1:900 C1E:9000 C3:40000 C6:79000:demote=3 prewake=17580' <<-'EOF'
		measure off $C6 --set "demotion=off prewake=off" >/out/off.log
		measure demoted $C6 --set prewake=off >/out/demoted.log
	EOF
	rows quick off 'hrt C6 PASS; tdt C6 PASS; nic C6 PASS'
	expect 'keep: quick off: all samples reached the state' reached quick off
	expect 'keep: quick demoted: not all did' not_reached quick demoted
	expect 'keep: quick off: the column says what is set' \
		columns quick off 'prewake=off demotion=off,'

	QEMU_MODEL=sapphire_rapids
	bench file '' 'C1:900 C1E:1900 C6:150000:demote=3' <<-'EOF'
		C6='--states C6 --methods hrt,nic --samples 200'
		file=/sys/devices/system/cpu/cpuidle/intel_c1_demotion
		cat $file >/out/file-before
		measure off $C6 --set demotion=off >/out/off.log
		cat $file >/out/file-after
		measure demoted $C6 >/out/demoted.log
	EOF
	expect 'keep: file off: all samples reached the state' reached file off
	expect 'keep: file off: intel_idle did that' \
		grep -q -x 'intel_c1_demotion: 0' "$TMP/file/out/off/environment.txt"
	expect 'keep: file demoted: not all did' not_reached file demoted
	expect 'keep: file: it is as before' cmp "$TMP/file/out/file-before" "$TMP/file/out/file-after"
	QEMU_MODEL=i7_3770k
}

# What a hypervisor lets be written does not mean anything.
virtual()
{
	QEMU_CPU_PROPERTIES=,hypervisor=on
	bench virtual '' 'C6:79000' <<-'EOF'
		code=0
		./latency_test --plain --force --cpus 0 --set promotion=on >/out/refused.log || code=$?
		[ $code -eq 4 ]
	EOF
	QEMU_CPU_PROPERTIES=
	expect 'keep: virtual: settings are refused' \
		said virtual refused '^SKIP: settings are refused: this is a virtual machine'
}

build_kernel
QEMU_MODEL=i7_3770k
held
prewake
demotion
virtual
cat "$TMP"/*/out/*.log >"$TMP/logs"
accounted keep "$TMP/logs"
checks_end
