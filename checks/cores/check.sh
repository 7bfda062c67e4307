#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What latency_test says of processors that are more than one kind of core: modules that sleep when
# all of their cores do, two core types under one table, and one whose first wake-ups take longer.
# One without residency counters is in checks/kinds/check.sh.
#
# Control: With the module asleep, a state is FAIL that is PASS core-only beside a core that is not
# held; of first samples nothing is said where they do not differ.
# Takes: 50 s
. checks/lib/bench.sh

# Modules of four cores. 270 us are declared; the core takes 200, and 241 with its module. A limit
# of PM QoS, 20 us, lets the other cores of the module enter C1E, and no more; then one of them is
# busy for 20 of 40 ms.
modules()
{
	QEMU_MODEL=sierra_forest
	bench modules 8 'C1:900 C1E:1900 C6S:200000:module=41000 C6SP:200000:module=41000' <<-'EOF'
		C6S='--states C6S --samples 100'
		measure idle $C6S --methods nic >/out/idle.log
		for cpu in 1 2 3; do
			echo 20 >/sys/devices/system/cpu/cpu$cpu/power/pm_qos_resume_latency_us
		done
		measure alone $C6S --methods nic >/out/alone.log
		measure held $C6S --methods hrt,nic --hold module >/out/held.log
		measure package --states C6SP --methods nic --samples 100 --hold package >/out/package.log
		load 20000 20000 &
		spinning=$!
		taskset -p 2 $! >/dev/null
		measure loaded $C6S --methods nic --hold module >/out/loaded.log
		kill $spinning
		spinning=
		ends 0 ./latency_test --plain --machine qemu --cpus 0-7 --states C6S --methods hrt \
			--samples 50 --out /out/all >/out/all.log
	EOF
	rows modules idle 'nic C6S PASS'
	says modules idle 'the share is said' '; the module reached its state in [0-9]+ of [0-9]+$'
	rows modules alone 'nic C6S PASS core-only'
	says modules alone 'the share is said' '; the module reached its state in 0 of [0-9]+$'
	rows modules held 'hrt C6S PASS; nic C6S PASS'
	rows modules package 'nic C6SP PASS'
	rows modules loaded 'nic C6S PASS'
	says modules loaded 'the difference is said' 'with the module asleep C6S takes 41 us longer'
	expect 'cores: modules all: one CPU is measured once more with its module held' once_more
	bench slow-module 4 'C6S:200000:module=80000' <<-'EOF'
		measure held --states C6S --methods nic --samples 100 --hold module >/out/held.log
		for cpu in 1 2 3; do
			echo 20 >/sys/devices/system/cpu/cpu$cpu/power/pm_qos_resume_latency_us
		done
		measure alone --states C6S --methods nic --samples 100 >/out/alone.log
	EOF
	rows slow-module held 'nic C6S FAIL'
	rows slow-module alone 'nic C6S PASS core-only'
}

once_more()
{
	csv 'NR > 1 { print @cpu, @concurrent, @hold, @verdict, @qualifier }' OFS=' ' \
		"$TMP/modules/out/all/summary.csv" >"$TMP/rows"
	cat "$TMP/rows"
	[ "$(grep -v ' yes ' "$TMP/rows")" = '0 no module PASS lower-bound' ]
}

# cost_by_type: all periods in C6 cost what is said of the type, or of one CPU. None ends by what came
# before it.
cost_by_type()
{
	none types '@event_ns < @enter_ns' &&
		none types '@hint == "0x20" && left != (@cpu == 3 ? 152000 : @cpu == 2 ? 150000 : 100000)' &&
		some types '@hint == "0x20" && @cpu < 2' && some types '@hint == "0x20" && @cpu == 2' &&
		some types '@hint == "0x20" && @cpu == 3'
}

# CPUs 2 and 3 are efficient cores, and take longer in C6 than the one table declares, 140 us.
types()
{
	QEMU_MODEL=meteor_lake
	bench types 4 'C1E:900 C6@3:152000 C6@atom:150000 C6:100000 C10:250000' <<-'EOF'
		program='./latency_test --plain --machine qemu --samples 100 --methods'
		ends 1 $program nic --out /out/both >/out/both.log
		ends 0 $program hrt --states C6 --cpus type=core --out /out/core >/out/core.log
		ends 1 $program hrt --states C6 --cpus type=atom --out /out/atom >/out/atom.log
		ends 4 ./latency_test --plain --cpus type=big >/out/none.log
	EOF
	expect 'cores: types: C6 costs what is said of the type, and of one CPU' cost_by_type
	expect 'cores: types both: two results of a state' \
		[ "$(csv '@state == "C6" { print @cpu, @verdict }' OFS=' ' \
			"$TMP/types/out/both/summary.csv" | paste -s -d ' ')" = '0 PASS 2 FAIL' ]
	says types both 'what is larger is proposed' \
		'intel_idle\.table=C1E:2:2,C6:15[0-9]:420,C10:310:930$'
	says types both 'it is said whose that is' \
		'^One table serves the core types core and atom, and .*: C6 10[0-9] and 15[0-9] us'
	says types atom 'all CPUs of that type' \
		'^FAIL all:atom hrt C6: above the limit: 2 of 2 CPUs FAIL \(2-3\)'
	says types core 'all CPUs of that type' '^PASS all:core hrt C6: .*2 of 2 CPUs PASS'
	expect 'cores: types core: one type has a table of its own' \
		not grep 'One table' "$TMP/types/out/core.log"
	says types none 'a type that is not there' '^core types here: core atom$'
}

# first STATE N: of all samples the first N are said to be slower by 4 us.
first()
{
	says first all "$1: $2 samples" \
		"^cpu0 hrt $1: the first $2 samples are slower by 4 us: a median WakeLatency"
}

# Of C1E, C3 and C6 the first 20, 200 and 50 idle periods take 4 us more. Some give no sample.
firsts()
{
	QEMU_MODEL=i7_3770k
	bench first '' 'C1:900 C1E:4000:first=20/4000 C3:40000:first=200/4000
		C6:50000:first=50/4000' <<-'EOF'
		measure all --methods hrt --samples 600 >/out/all.log
	EOF
	want='hrt C1 PASS unverified; hrt C1E PASS unverified'
	rows first all "$want; hrt C3 PASS lower-bound; hrt C6 PASS lower-bound"
	first C1E '(1[5-9]|20)'
	first C3 '(19[0-9]|200)'
	first C6 '(4[0-9]|50)'
	expect 'cores: first all: C1: nothing is said' \
		not grep '^cpu0 hrt C1: the first' "$TMP/first/out/all.log"
	expect 'cores: first all: it is in environment.txt' \
		[ "$(grep -c 'samples are slower by 4 us' "$TMP/first/out/all/environment.txt")" -eq 3 ]
	says first all 'and in the table' \
		'^0    hrt    C6 .*\| PASS.*; the first [0-9]+ samples are slower by 4 us$'
}

build_kernel
modules
types
firsts
checks_end
