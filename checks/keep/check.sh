#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The machine in the condition that one asks for, on the emulated processor: other CPUs are held in
# the state that is measured, busy or not, and settings are kept for a run and put back, also when
# the program is killed while a user writes to the same registers; with LONG=1 in 200 kills.
#
# Control: Without what was held or set, each of these runs comes to something else; and a package
# state, medians and bits that were changed are found out.
# Takes: 100 s
. checks/lib/bench.sh

gcc -O2 -static -Iinclude/uapi -o "$TMP/hold" checks/keep/hold.c
GUEST_PROGRAMS="$GUEST_PROGRAMS $TMP/hold"

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

# C6 takes 50 us, and 91 with its package; 95 are declared. After the limits of the package, one of
# PM QoS, 20 us, lets the other CPUs enter C1E, and no more. Then each of them is busy for 1 of 5 ms,
# and at last one all the time.
held()
{
	TABLE=C1:1:1,C1E:10:10,C3:59:59,C6:95:95
	bench held 4 'C1:900 C1E:9000 C3:40000 C6:50000:package=41000' <<-'EOF'
		refuse()
		{
			ends 4 ./latency_test --plain --cpus 0 $C6 --set "$2" >"/out/$1.log"
		}
		C6='--states C6 --samples 300 --ldist 120000:220000'
		refuse beyond package-limit=pc9
		refuse unknown prewake=off
		refuse no-link aspm=on
		hold limit 2 &
		keeping=$!
		sleep 1
		refuse otherwise package-limit=pc0
		measure same $C6 --methods hrt --samples 30 --set package-limit=pc2 >/out/same.log
		kill $keeping
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
		ends 4 ./latency_test --plain --cpus 0 $C6 --methods hrt --hold all >/out/refused.log
		kill $holding
		# No such CPU, and no such state.
		ends 6 hold 9 4 2>/dev/null
		ends 2 hold 0 9 2>/dev/null
		./latency_test --plain --cpus 1 $C6 --methods hrt --samples 100000 --seconds 2 \
			>/out/measured.log &
		measuring=$!
		sleep 1
		ends 16 hold 1 4 2>/out/hold.log
		wait $measuring || exit

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
	says held beyond 'a limit that the model has not is refused' \
		'^SKIP: the model of CPU has no such package limit'
	says held unknown 'a setting that the model has not is refused' \
		'^SKIP: a setting is not known on this model of CPU'
	says held unknown 'it is named' 'prewake=off cannot be set'
	says held no-link 'a card that is below no root port has no link' \
		'^SKIP: the kernel does not switch the link of the card'
	says held otherwise 'what another program keeps otherwise is refused' \
		'^SKIP: another program keeps a setting otherwise'
	expect 'keep: held same: what it keeps likewise is not' columns held same package-limit=pc2,
	rows held limited 'hrt C6 PASS lower-bound+core-only'
	says held locked 'a limit that is locked is refused' \
		'^SKIP: a setting is locked by the firmware'
	expect 'keep: held unlocked: demotion is not locked' columns held unlocked demotion=off,
	rows held idle 'hrt C6 PASS; nic C6 PASS'
	kept package held idle datapoints.csv
	rows held alone 'hrt C6 PASS core-only; nic C6 PASS core-only'
	expect 'keep: held idle: the columns say what is held' columns held idle ,package
	expect 'keep: held alone: and that nothing is' columns held alone ,
	says held none 'a core of one CPU has nothing to hold' \
		'cpu0: nothing is held: its core has no other CPU'
	expect 'keep: held none: the column says so' columns held none ,
	says held refused 'what another program holds is refused' \
		'^SKIP cpu0 hrt C6: somebody else measures or forces a CPU'
	rows held loaded 'hrt C6 PASS lower-bound'
	says held loaded 'collection goes on until 300 have the package state' \
		'the package reached its state in 3[0-9][0-9] of [0-9]+'
	says held loaded 'the difference is said' 'with the package asleep C6 takes 41 us longer'
	rows held loaded-alone 'hrt C6 PASS lower-bound+core-only'
	rows held busy 'hrt C6 PASS lower-bound+core-only'
	says held busy 'the share is said' 'the package reached its state in [0-9]+ of [0-9]+'
	expect 'keep: held: a package state that was changed is found out' doctored "$TMP/held" \
		out/idle/datapoints.csv 'if (@package == "PC6" && n++ % 50 == 0) @package = "PC0"' \
		finds '' kept_judge package doctored idle datapoints.csv
}

# The sibling of the measured CPU may enter C1E only, unless it is held. The module is what shares a
# second-level cache, which is a core here.
threads()
{
	TABLE=C1:1:1,C1E:10:10,C3:59:59,C6:95:95
	bench threads 2x2 'C1:900 C1E:9000 C3:40000 C6:50000' <<-'EOF'
		C6='--states C6 --methods hrt --samples 100 --ldist 120000:220000 --seconds 2'
		echo 20 >/sys/devices/system/cpu/cpu1/power/pm_qos_resume_latency_us
		measure alone $C6 >/out/alone.log
		measure core $C6 --hold core >/out/core.log
		measure module $C6 --hold module >/out/module.log
		{ sleep 1; adjtimex -q -f 655360; sleep 0.5; echo 0 >/sys/devices/system/cpu/cpu1/online; } &
		measure gone $C6 --samples 10000 --hold core >/out/gone.log
	EOF
	TABLE=
	says threads alone 'the core does not get there' '^SKIP cpu0 hrt C6: the state was not reached'
	says threads gone 'a clock that is adjusted is said' \
		'clock was adjusted, by which hrt goes: its rate by 10\.000 ppm'
	expect 'keep: threads core: and none that is not' not said threads core adjusted
	for scope in core module; do
		says threads $scope "with its sibling held it does" '^PASS cpu0 hrt C6'
		expect "keep: threads $scope: the column says so" columns threads $scope ,$scope
	done
	says threads gone 'a held CPU that went offline is said' \
		'cpu0 hrt C6: at its end 0 of 1 CPUs were held'
	expect 'keep: threads core: none went' not said threads core 'at its end'
}

# kills COUNT SETTINGS: the part of a job in which the program that keeps them is killed so often at
# moments that are drawn, and what registers and intel_c1_demotion say before, meanwhile and after
# goes to kills.csv; and what a user wrote to one of these meanwhile, but for every fourth.
kills()
{
	cat <<-END
	count=$1
	settings=$2
	END
	cat <<-'END'
	file=/sys/devices/system/cpu/cpuidle/intel_c1_demotion
	awk 'BEGIN { srand(1); while (n++ < 9999) print int(1000 * rand()) }' >/tmp/drawn
	exec 7</tmp/drawn
	of()
	{
		case $1 in
		file)
			cat $file 2>/dev/null || echo 0
			;;
		*)
			msr 0 "$1" | cut -d " " -f 2
			;;
		esac
	}
	# flipped NUMBER BIT...: some of the bits are others.
	flipped()
	{
		value=$1
		shift
		for bit in "$@"; do
			read -r drawn <&7
			[ $((drawn % 2)) -eq 0 ] || value=$((value ^ 1 << bit))
		done
		echo $value
	}
	# try REGISTER VALUE: writes it, which a lock of the firmware may prevent.
	try()
	{
		value=$2
		[ "$(msr 0 $1 = $2)" = fault ] || written=$1
	}
	# user NUMBER: sets what he wrote, and to what.
	user()
	{
		written=
		case $(($1 % 4)) in
		1)
			[ -e $file ] || return
			written=file value=$(flipped 0 0)
			echo $value >$file
			;;
		2)
			try 0x1fc "$(flipped "$(of 0x1fc)" 1 20 30)"
			;;
		3)
			bits='20 25 26 28'
			[ $(($(of 0xe2) >> 15 & 1)) -eq 1 ] || bits="0 1 10 $bits"
			try 0xe2 "$(flipped "$(of 0xe2)" $bits)"
			;;
		esac
	}
	mkdir /out/kills
	echo kill,what,before,user,meanwhile,after >/out/kills/kills.csv
	for i in $(seq $count); do
		for what in file 0x1fc 0xe2; do of $what; done >/tmp/before
		./latency_test --plain --cpus 0 --states C6 --methods hrt --samples 100000 \
			--seconds 5 --set "$settings" >/out/killed.log 2>&1 &
		program=$!
		read -r drawn <&7
		sleep "$(printf 0.%03d "$drawn")"
		user "$i"
		read -r drawn <&7
		sleep "$(printf 0.%03d "$drawn")"
		for what in file 0x1fc 0xe2; do of $what; done >/tmp/meanwhile
		kill -KILL $program
		wait $program
		while grep -q -x latency_test /proc/[0-9]*/comm 2>/dev/null; do sleep 0.1; done
		for what in file 0x1fc 0xe2; do
			said=
			[ "$written" != $what ] || said=$value
			read -r before <&8
			read -r meanwhile <&9
			echo "$i,$what,$before,$said,$meanwhile,$(of $what)"
		done 8</tmp/before 9</tmp/meanwhile >>/out/kills/kills.csv
	done
	END
}

# left_in NAME: neither bit that was set is left; what would be is found out.
left_in()
{
	kept kills "$1" kills kills.csv
	expect "keep: $1: a bit that is left is found out" doctored "$TMP/$1" out/kills/kills.csv \
		'if (@user == "" && @meanwhile != @before) @after = @meanwhile' \
		finds '' kept_judge kills doctored kills kills.csv
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
	EOF
	rows slow off 'hrt C6 FAIL; tdt C6 FAIL; nic C6 FAIL'
	kept medians slow off summary.csv
	expect 'keep: slow off: the column says what is set' columns slow off prewake=off,
	expect 'keep: slow off: and so does environment.txt' \
		grep -q -x 'set: prewake=off' "$TMP/slow/out/off/environment.txt"
	expect 'keep: slow on: hrt says less' says_less slow on hrt
	expect 'keep: slow off: and here it does not' not says_less slow off hrt
	expect 'keep: slow on: the medians differ' finds '' kept_judge medians slow on summary.csv
}

# says_less NAME MEASURED METHOD: a timer cannot say how long the state takes. Where another timer woke
# the CPU right before, it does not foresee this one, which waits for all of the exit, 93 us: such
# events, of which one in a hundred is more than was ever seen, are above the limit, and no PASS.
says_less()
{
	[ "$(column "$1" "$2" "$3" C6 median_ns)" -lt 18000 ] || return
	[ "$(column "$1" "$2" "$3" C6 qualifier)" != lower-bound ] || return 0
	above=$(($(column "$1" "$2" "$3" C6 above) + $(column "$1" "$2" "$3" C6 discarded_above)))
	[ "$above" -ge 1 ] && [ $((100 * above)) -le "$(column "$1" "$2" "$3" C6 armed)" ]
}

# reached NAME MEASURED: all samples of all rows were in the state.
reached()
{
	all_are "$TMP/$1/out/$2/summary.csv" 1 '@reached == @valid'
}

# Every third entry is demoted: by C3 demotion, and on Sapphire Rapids by C1 demotion, for which
# intel_idle has a file, which says of one bit what is in two.
demotion()
{
	{
		cat <<-'END'
			measure off $C6 --set "demotion=off prewake=off" >/out/off.log
			measure demoted $C6 --set prewake=off >/out/demoted.log
			ends 4 ./latency_test --plain --cpus 0 --set promotion=off >/out/stuck.log
		END
		kills "10${LONG:+0}" prewake=off,demotion=off
		cat <<-'END'
			# What the user wrote stays.
			msr 0 0x1fc = $(sed -n 1p /out/before)
			msr 0 0xe2 = $(sed -n 2p /out/before)
		END
	} >"$TMP/killing"
	set_bench quick '' 'C1:900 C1E:9000 C3:40000 C6:79000:demote=3 prewake=17580 stuck=1' \
		<"$TMP/killing"
	left_in quick
	says quick stuck 'what the CPU does not take is refused' \
		'^SKIP: the CPU does not take a setting: it reads back differently'
	rows quick off 'hrt C6 PASS; tdt C6 PASS; nic C6 PASS'
	expect 'keep: quick off: all samples reached the state' reached quick off
	expect 'keep: quick demoted: not all did' not reached quick demoted
	expect 'keep: quick off: the column says what is set' \
		columns quick off 'prewake=off demotion=off,'

	QEMU_MODEL=sapphire_rapids
	{
		cat <<-'END'
			C6='--states C6 --methods hrt,nic --samples 200'
			file=/sys/devices/system/cpu/cpuidle/intel_c1_demotion
			# One bit of two, which only the driver can put back; then both.
			measure one $C6 --set demotion=off >/out/one.log
			msr 0 0xe2 | cut -d " " -f 2 >/out/one-after
			echo 1 >$file
			cat $file >/out/file-before
			measure off $C6 --set demotion=off >/out/off.log
			cat $file >/out/file-after
			measure demoted $C6 >/out/demoted.log
		END
		kills "10${LONG:+0}" prewake=off,demotion=off,promotion=on,package-limit=pc2
	} >"$TMP/killing"
	bench file '' 'C1:900 C1E:1900 C6:150000:demote=3' <"$TMP/killing"
	left_in file
	expect 'keep: file one: all samples reached the state' reached file one
	expect 'keep: file one: one bit is put back' \
		[ $(($(cat "$TMP/file/out/one-after") >> 26 & 5)) -eq 1 ]
	expect 'keep: file off: all samples reached the state' reached file off
	expect 'keep: file off: intel_idle did that' \
		grep -q -x 'intel_c1_demotion: 0' "$TMP/file/out/off/environment.txt"
	expect 'keep: file demoted: not all did' not reached file demoted
	expect 'keep: file: it is as before' cmp "$TMP/file/out/file-before" "$TMP/file/out/file-after"
	QEMU_MODEL=i7_3770k
}

# link_is FILE VALUE...: what l1_aspm said.
link_is()
{
	of=$1
	shift
	[ "$(paste -s -d ' ' "$TMP/link/out/$of")" = "$*" ]
}

# The link to the card: it is switched for the run, and back; of a card that has no L1 it is not.
link()
{
	card=$QEMU_CARD
	QEMU_CARD=$card,l1-idle-ns=10000,l1-exit-ns=8800 QEMU_PORT=root
	{
		echo "link=/sys/bus/pci/devices/$(qemu_card_address)/link/l1_aspm card=$(qemu_card_address)"
		cat <<-'END'
			C6='--states C6 --methods nic --samples 100'
			measure off $C6 --set aspm=off >/out/off.log
			cat $link >/out/after
			./latency_test --plain --machine qemu --cpus 0 $C6 --samples 100000 --set aspm=off \
				>/out/killed.log &
			sleep 2
			cat $link >/out/during
			kill -KILL $!
			wait $! || true
			sleep 1
			cat $link >>/out/during
			sh nic.sh give $card unbound
			ends 4 ./latency_test --plain --machine qemu --cpus 0 --methods hrt --set aspm=off \
				>/out/none.log
		END
	} >"$TMP/linking"
	bench link '' 'C6:70000' <"$TMP/linking"
	expect 'keep: link off: the card wakes the CPU without waiting' [ \
		"$(column link off nic C6 median_ns)" -lt 71000 ]
	expect 'keep: link off: the column says what is set' columns link off 'aspm=off,'
	expect 'keep: link off: it is put back' link_is after 1
	expect 'keep: link: and when the program is killed' link_is during 0 1
	says link none 'there has to be a card' \
		'^SKIP: there is no card whose link could be set: measure by nic'

	QEMU_CARD=$card
	bench link-on '' 'C6:70000' <<-'EOF'
		ends 4 ./latency_test --plain --machine qemu --cpus 0 --methods nic --set aspm=on \
			>/out/refused.log
	EOF
	expect 'keep: link-on: the policy is against it' \
		said link-on refused '^SKIP: the policy of the kernel leaves L1 off'
	QEMU_PORT=
}

build_kernel
QEMU_MODEL=i7_3770k
held
threads
prewake
demotion
link
cat "$TMP"/*/out/*.log >"$TMP/logs"
accounted keep "$TMP/logs"
checks_end
