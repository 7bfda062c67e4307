#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Comparisons of runs on the emulated processor, which are alike but for the seed of its states, or
# of which one has slower states; and of pairs that are drawn from one of them.
#
# Control: Copies of a run, and runs that are slower by a known part.
# Takes: 260 s
. checks/lib/bench.sh
. checks/lib/drawn.sh
. scripts/lib/experiment.sh

PROGRAM='tool compare'

# measured SEED C1E C3 C6 NAME [OPTIONS]...: runs with these exit latencies, in one boot.
measured()
{
	boot=seed-$1
	truth="C1E:$2:spread=900 C3:$3:outlier=1000/90000 C6:$4:spread=9000 seed=$1"
	shift 4
	printf 'measure %s --methods hrt --states C1E,C3,C6 --samples 2000 %s\n' "$@" >"$TMP/measure"
	bench "$boot" 1 "$truth" <"$TMP/measure"
	while [ $# -gt 0 ]; do
		mv "$TMP/$boot/out/$1" "$MEASURED"
		shift 2
	done
}

# make_compare CODE TEXT ARGUMENT...: make does.
make_compare()
(
	PROGRAM="$MAKE compare"
	made "$@"
)

# is_last TEXT: of what make said; its own error comes after that.
is_last()
{
	grep -v '^make' "$TMP/said" | tail -n 1 | grep -q -e "$1" && return
	cat "$TMP/said"
	return 1
}

# list KIND: the five runs of it, with commas.
list()
{
	echo "$MEASURED/$1-1,$MEASURED/$1-2,$MEASURED/$1-3,$MEASURED/$1-4,$MEASURED/$1-5"
}

# found PAIRS PERMILLE [exact]: how many of the pairs were found to differ, row by row, in
# a file.
found()
{
	/usr/bin/python3 -B tools/power/idle_latency/tests/resample.py "$MEASURED/a-1" "$@" \
		>"$TMP/found"
	cat "$TMP/found"
}

# no_alarms PERCENT
no_alarms()
{
	[ "$(awk -v percent="$1" '/^any/ { print $2 <= $4 * percent / 100 }' "$TMP/found")" = 1 ]
}

# all_slower: each pair, in each row.
all_slower()
{
	[ "$(awk '!/^any/ && $3 == 100 && $4 + $5 == 0' "$TMP/found" | wc -l)" -eq 3 ] &&
		grep -q -x 'any 100 of 100' "$TMP/found"
}

measure_all()
{
	MEASURED=$TMP/runs
	mkdir -p "$MEASURED"
	set -- far '--ldist 400000:500000'
	for i in 1 2 3 4 5; do
		measured "$i" 9000 40000 60000 "a-$i" '' "b-$i" '' "$@"
		measured "2$i" 9450 42000 63000 "slow-$i" ''
		set --
	done
}

check_runs()
{
	for pair in '1 2' '2 3' '3 4' '4 5' '5 1'; do
		expect "compare: seeds $pair: the same" \
			made 0 '^B is the same' "$MEASURED/a-${pair% *}" "$MEASURED/b-${pair#* }"
	done
	expect 'compare: 5 % slower' made 3 '^these runs differ$' "$MEASURED/a-1" "$MEASURED/slow-1"
	expect 'compare: in words' \
		made 3 '^cpu0 hrt C3 became slower by 2.00 us' "$MEASURED/a-1" "$MEASURED/slow-1"
	expect 'compare: 5 % faster' \
		made 3 '^cpu0 hrt C3 became faster by 2.00 us' "$MEASURED/slow-1" "$MEASURED/a-1"
}

check_replicates()
{
	expect 'compare: five runs of each kind are the same' \
		made 0 '^B is the same' "$(list a)" "$(list b)"
	expect 'compare: five runs are slower' made 1 '^B is slower' "$(list a)" "$(list slow)"
	expect 'compare: five runs are faster' made 4 '^B is faster' "$(list slow)" "$(list a)"
	expect 'compare: four runs would find nothing' \
		made 6 '^4 and 4 runs are too few for 3 rows: take 5 of each,' \
		"$MEASURED/a-1,$MEASURED/a-2,$MEASURED/a-3,$MEASURED/a-4" \
		"$MEASURED/slow-1,$MEASURED/slow-2,$MEASURED/slow-3,$MEASURED/slow-4"
	cp -R "$MEASURED/a-1" "$TMP/copy"
	expect 'compare: a run and its copy' \
		made 2 'have the same samples' "$(list a),$TMP/copy" "$(list slow)"
}

check_make()
{
	expect 'make compare: the same' make_compare 0 '^B is the same' A="$MEASURED/a-1" B="$MEASURED/b-1"
	expect 'make compare: two runs' make_compare 2 '^these runs differ' \
		A="$MEASURED/a-1" B="$MEASURED/slow-1"
	expect 'make compare: the answer is the last line' is_last '^these runs differ$'
	expect 'make compare: slower' make_compare 2 '^B is slower' \
		A="$(list a | tr , ' ')" B="$(list slow | tr , ' ')"
	expect 'make compare: faster' make_compare 0 '^B is faster' \
		A="$(list slow | tr , ' ')" B="$(list a | tr , ' ')"
	expect 'make compare: not comparable' make_compare 2 '^A and B are not comparable' \
		A="$MEASURED/a-1" B="$MEASURED/far"
	expect 'make compare: nothing to compare with' \
		make_compare 2 '^idle_latency: say what to compare' B="$MEASURED/a-1"
	expect 'make compare: one method of one run' \
		make_compare 2 'has one method of each state: compare takes two' A="$MEASURED/a-1"
	expect 'make compare: no run' make_compare 2 '^B=.*: takes directories' A="$MEASURED/a-1" B=/tmp
	for setting in 'TRUTH=C7:900' 'TRUTH="C1:900' SAMPLES=5 out; do
		expect "make compare: refused: A=$setting" \
			make_compare 2 '^[A-Z]*=.*: takes ' A="$setting" B='TRUTH=C1:900'
	done
	expect 'make compare: refused: RUNS_EACH=4' \
		make_compare 2 '^RUNS_EACH=4: takes an even number' A=TRUTH=C1:1 B=TRUTH=C1:2 RUNS_EACH=4
	expect 'make compare: refused: a table with MACHINE=host' \
		make_compare 2 '^A=.*: takes KERNEL=RELEASE' MACHINE=host A=TABLE=C1:1:1 B=KERNEL=7.3
}

# C6 takes as long as TRUTH says, and runs differ by half a percent. On a host, the kernel KERNEL
# runs that HOST_RELEASE says, and no packages are asked for.
draw_runs()
{
	drawn '[ ! -e stop ] || exit 1' <<-'END'
	import os, re
	import numpy as np
	import made
	truth = os.environ['TRUTH']
	numbers = re.findall('[0-9]+', truth + ' ' + os.environ.get('HOST_BOOT', ''))
	generator = np.random.default_rng([int(number) for number in numbers])
	latency = int((re.findall(r'C6:(\d+)', truth) or [60000])[0])
	states = [f'C{i}' for i in range(2, 6)] + ['C6']
	made.write(os.environ['OUT'], [made.row(name, (latency if name == 'C6' else 20000) *
	                                        generator.normal(1, .005) * generator.normal(1, .01, 400))
	                               for name in states])
	END
}

# in_turn CODE TEXT ARGUMENT...: make compare in the copy; the last line is the text.
in_turn()
{
	(cd "$TMP/drawn" && make_compare "$@") && is_last "$2"
}

# drawn_orders COUNT: so many experiments are not all in the same order.
drawn_orders()
{
	for _ in $(seq "$1"); do
		(
			KINDS=$(printf 'a\nb\n')
			experiment_order 5 2 | paste -s
		)
	done | sort -u | wc -l
}

same_host()
{
	HOST_RELEASE=$1 HOST_BOOT=$2
	export HOST_RELEASE HOST_BOOT
	shift 2
	in_turn "$@" MACHINE=host A=KERNEL=1.0 B=KERNEL=2.0 RUNS_EACH=8 OUT=out/host
}

# boots: as OUT/boot-next says, until there is an answer; two times the same boot is one too many.
boots()
{
	boot=1
	same_host 0.9 0 2 '^idle_latency: boot [12].0 and run the same again' || return
	while [ -e "$TMP/drawn/out/host/boot-next" ]; do
		kernel=$(cat "$TMP/drawn/out/host/boot-next")
		same_host "$kernel" "$boot" "$1" "$2" >"$TMP/answered" && break
		same_host "$kernel" "$boot" 2 'and run the same again: [ab]-[0-9]* is next' || return
		boot=$((boot + 1))
	done
	[ "$boot" -eq 16 ]
}

check_in_turn()
{
	draw_runs
	expect 'in turn: slower' in_turn 2 '^B is slower' A='TRUTH="C6:60000"' B='TRUTH="C6:63000"'
	# Each four runs are two of A and two of B.
	expect 'in turn: in blocks' [ -z "$(awk '{ of[$0 ~ /^a/]++ } NR % 4 == 0 && of[0] != of[1]' \
		"$TMP/drawn/out/compare/order")" ]
	expect 'in turn: orders are drawn' [ "$(drawn_orders 10)" -gt 5 ]
	expect 'in turn: another experiment in the same directory' \
		in_turn 2 'has another experiment' A='TRUTH="C6:60000"' B='TRUTH="C6:64000"'
	expect 'in turn: the same' in_turn 0 '^B is the same' A=TRUTH=C6:60000 B=TRUTH=C6:60000 OUT=out/same
	expect 'in turn: faster' in_turn 0 '^B is faster' A=TRUTH=C6:60000 B=TRUTH=C6:50000 OUT=out/faster
	touch "$TMP/drawn/stop"
	expect 'in turn: a run fails' \
		in_turn 2 'could not be measured' A=TRUTH=C6:60000 B=TRUTH=C6:66000 RUNS_EACH=8 OUT=out/again
	rm "$TMP/drawn/stop"
	order=$(cat "$TMP/drawn/out/again/order")
	expect 'in turn: it goes on' \
		in_turn 2 '^B is slower' A=TRUTH=C6:60000 B=TRUTH=C6:66000 RUNS_EACH=8 OUT=out/again
	expect 'in turn: in the same order' [ "$order" = "$(cat "$TMP/drawn/out/again/order")" ]
	expect 'in turn: too few for so many rows' \
		in_turn 2 '^A and B are not decided' A=TRUTH=C6:6 B=TRUTH=C6:7 RUNS_EACH=6 OUT=out/few
	expect 'in turn: it says how many it takes, after one run' \
		grep -q '^6 and 6 runs are too few for 5 rows: take 8 of each' "$TMP/said"
	expect 'in turn: and measures no other' [ ! -e "$TMP/drawn/out/few/a-2" ]
	expect 'in turn: two kernels of a host' boots 0 '^B is the same'
}

# On the emulated processor, whose runs of the same repeat but for the number of the run.
check_experiment()
{
	expect 'compare: measured in turn: slower' \
		make_compare 2 '^B is slower' A='TRUTH="C1:700 C1E:7000 C3:50000 C6:70000:spread=2000"' \
		B='TRUTH="C1:700 C1E:7000 C3:50000 C6:74000:spread=2000"' RUNS_EACH=8 METHODS=hrt \
		SAMPLES=300 LDIST= SWEEP= OUT="$TMP/experiment"
	expect 'compare: measured in turn: C6 is' grep -q '^cpu0 hrt C6: slower' "$TMP/said"
	expect 'compare: measured in turn: others are not' \
		[ "$(grep -c '^cpu0 hrt [^ ]*: slower' "$TMP/said")" -eq 1 ]
}

# Twenty experiments on the emulated processor, whose exits take times that differ by 2 % from boot to
# boot: 9 % more are found in each of them, in C6 and in no other state.
check_boots()
{
	same='C1:700 C1E:7000 C3:40000 boot=2'
	for experiment in $(seq 20); do
		seed=seed=$((100 * experiment))
		expect "compare: 9 % with 2 % between boots, $seed" \
			make_compare 2 '^B is slower' A="TRUTH=\"$same C6:70000 $seed\"" \
			B="TRUTH=\"$same C6:76300 $seed\"" RUNS_EACH=10 METHODS=hrt SAMPLES=300 LDIST= SWEEP= \
			OUT="$TMP/$seed"
		expect "compare: in C6 only, $seed" [ "$(sed -n 's/^\(cpu0 hrt [^ ]*\): slower.*/\1/p' "$TMP/said")" = \
			'cpu0 hrt C6' ]
	done
}

# Pairs from one run, whose samples have no errors here, and no margin: each finding counts. Of
# pairs that are alike, 5 % may differ; that more than 10 % of 200 do, or more than 7 % of 1000,
# would happen by chance once in 400 times.
check_pairs()
{
	alike=200
	most=10
	if [ -n "$LONG" ]; then
		alike=1000
		most=7
	fi
	found $alike 0 exact
	expect "compare: $alike pairs that are alike: at most $most % alarms" no_alarms $most
	found $alike 0
	expect "compare: $alike pairs that are alike, with the margin: at most $most % alarms" \
		no_alarms $most
	expect 'compare: and each of them is decided' \
		[ -z "$(awk -v pairs="$alike" '!/^any/ && $3 + $4 + $5 != pairs' "$TMP/found")" ]
	found 100 50
	expect 'compare: 5 % slower is found in 100 of 100 pairs, in each row' all_slower
	found 100 10 exact
	expect 'compare: 1 % slower is found in 100 of 100 pairs without a margin' all_slower
	found 100 10
	expect "compare: 1 % slower is within the margin: at most $most % alarms" no_alarms $most
}

build_kernel
measure_all
# They draw 1000 experiments.
unit_tests test_statistics test_compare
check_runs
check_replicates
check_pairs
check_make
check_in_turn
if [ -n "$LONG" ]; then
	check_experiment
	check_boots
fi
checks_end
