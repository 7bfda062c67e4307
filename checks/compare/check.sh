#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Comparisons of runs on the emulated processor, which are alike but for the seed of its states, or
# of which one has slower states; and of pairs that are drawn from one of them.
#
# Control: Copies of a run, and runs that are slower by a known part.
# Takes: 150 s
set -eu
. scripts/lib/emulation.sh
. checks/lib/checks.sh
. scripts/lib/results.sh
CHECK=compare
. checks/lib/bench.sh

# measured NAME SEED C1E C3 C6 [OPTION...]: a run with these exit latencies.
measured()
{
	run=$1
	truth="C1E:$3:spread=900 C3:$4:outlier=200/90000 C6:$5:spread=9000 seed=$2"
	shift 5
	bench "$run" 1 "$truth" <<-END
	measure run --methods hrt --states C1E,C3,C6 --samples 5000 $*
	END
	mv "$TMP/$run/out/run" "$MEASURED/$run"
}

# compared CODE TEXT ARGUMENT...: the program ends with this code, and says this.
compared()
{
	want=$1
	text=$2
	shift 2
	code=0
	"$PROGRAM" "$@" >"$TMP/compared" 2>&1 || code=$?
	[ "$code" -eq "$want" ] && grep -q -e "$text" "$TMP/compared" && return
	cat "$TMP/compared"
	echo "the exit code is $code, must be $want, and '$text' be said"
	return 1
}

# list KIND: the five runs of it, with commas.
list()
{
	echo "$MEASURED/$1-1,$MEASURED/$1-2,$MEASURED/$1-3,$MEASURED/$1-4,$MEASURED/$1-5"
}

# doctored SED_SCRIPT FILE: a copy of a run with that file changed.
doctored()
{
	rm -rf "$TMP/doctored"
	cp -R "$MEASURED/a-1" "$TMP/doctored"
	sed -i "$1" "$TMP/doctored/$2"
	! cmp -s "$MEASURED/a-1/$2" "$TMP/doctored/$2"
}

# refused SED_SCRIPT FILE LINE: of a run that is changed so, that line is named.
refused()
{
	doctored "$1" "$2" &&
		compared 2 "doctored/$2:$3: " "$MEASURED/a-1" "$TMP/doctored" &&
		compared 2 "doctored/$2:$3: " "$TMP/doctored" "$MEASURED/a-1"
}

# found PAIRS PERMILLE [exact]: how many of the pairs were found to differ, row by row, in
# a file.
found()
{
	"$TMP/resample" "$MEASURED/a-1" "$@" >"$TMP/found"
	cat "$TMP/found"
}

# no_alarms PERCENT
no_alarms()
{
	[ "$(awk -v percent="$1" '/^any/ { print $2 <= $4 * percent / 100 }' "$TMP/found")" = 1 ]
}

# nothing_open: nor was a pair not decided.
nothing_open()
{
	[ "$(awk '!/^any/ && $3 + $4 + $5 != 1000' "$TMP/found" | wc -l)" -eq 0 ]
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
	for i in 1 2 3 4 5; do
		measured "a-$i" "$i" 9000 40000 60000
		measured "b-$i" "1$i" 9000 40000 60000
		measured "slow-$i" "2$i" 9450 42000 63000
	done
	measured far 1 9000 40000 60000 --ldist 400000:500000
	measured probe 1 9000 40000 60000 --stamp probe
}

check_runs()
{
	for i in 1 2 3 4 5; do
		expect "compare: seeds: pair $i is the same" \
			compared 0 '^B is the same' "$MEASURED/a-$i" "$MEASURED/b-$i"
	done
	expect 'compare: 5 % slower' compared 1 '^B is slower' "$MEASURED/a-1" "$MEASURED/slow-1"
	expect 'compare: in words' \
		compared 1 '^cpu0 hrt C3 became slower by 2.00 us' "$MEASURED/a-1" "$MEASURED/slow-1"
	expect 'compare: 5 % faster' compared 0 '^B is faster' "$MEASURED/slow-1" "$MEASURED/a-1"
	expect 'compare: within a margin of 10 %' \
		compared 0 '^B is the same' --margin 10 "$MEASURED/a-1" "$MEASURED/slow-1"
	expect 'compare: KTAP' compared 1 '^not ok 3 cpu0.hrt.C6$' --ktap "$MEASURED/a-1" "$MEASURED/slow-1"
	expect 'compare: KTAP has a plan' \
		compared 0 '^1..3$' --ktap "$MEASURED/a-1" "$MEASURED/b-1"
	expect 'compare: what differs in the environment' \
		compared 0 '^  only in B: cpu0: state2 C1E, exit latency 99 us' "$MEASURED/a-1" "$TMP/table"
}

check_replicates()
{
	expect 'compare: five runs of each kind are the same' \
		compared 0 '^B is the same' "$(list a)" "$(list b)"
	expect 'compare: five runs are slower' compared 1 '^B is slower' "$(list a)" "$(list slow)"
	expect 'compare: five runs are faster' compared 0 '^B is faster' "$(list slow)" "$(list a)"
	expect 'compare: four runs would find nothing' \
		compared 2 '^4 and 4 runs are too few for 3 rows: take 5 of each,' \
		"$MEASURED/a-1,$MEASURED/a-2,$MEASURED/a-3,$MEASURED/a-4" \
		"$MEASURED/slow-1,$MEASURED/slow-2,$MEASURED/slow-3,$MEASURED/slow-4"
}

check_refusals()
{
	expect 'compare: other launch distances' \
		compared 2 'C6 cannot be compared: the launch distances differ' \
		"$MEASURED/a-1" "$MEASURED/far"
	expect 'compare: other stamps' \
		compared 2 'C6 cannot be compared: the stamps differ' "$MEASURED/a-1" "$MEASURED/probe"
	doctored 's/^qemu,/bochs,/' summary.csv
	expect 'compare: another machine' \
		compared 2 'they are of different machines' "$MEASURED/a-1" "$TMP/doctored"
	doctored '/,C6,/d' summary.csv
	sed -i '/,C6,/d' "$TMP/doctored"/d*.csv
	expect 'compare: a row is missing' \
		compared 2 'C6 cannot be compared: B has no sample' "$MEASURED/a-1" "$TMP/doctored"
	cp -R "$MEASURED/a-1" "$TMP/copy"
	expect 'compare: a run and its copy' \
		compared 2 'have the same samples' "$(list a),$TMP/copy" "$(list slow)"
	expect 'compare: a number that is none' refused '100s/,enter,/,enter,C9/' datapoints.csv 100
	expect 'compare: a latency that was changed' \
		refused '200s/^\(\([^,]*,\)\{8\}\)/\11/' datapoints.csv 200
	expect 'compare: a line that was removed' refused 300d datapoints.csv 300
	expect 'compare: a line that was cut off' refused '400s/,[^,]*$//' datapoints.csv 400
	expect 'compare: a summary that was changed' \
		refused '3s/^\(\([^,]*,\)\{12\}\)/\11/' summary.csv 3
	expect 'compare: no such run' \
		compared 2 'nowhere/summary.csv: No such file' "$MEASURED/a-1" "$TMP/nowhere"
	expect 'compare: one run only' compared 2 'takes two directories' "$MEASURED/a-1"
	expect 'compare: a margin that is none' \
		compared 2 'margin takes a number' --margin 2.5 "$MEASURED/a-1" "$MEASURED/b-1"
}

# make_compare CODE TEXT ARGUMENT...: the same by make.
make_compare()
{
	want=$1
	text=$2
	shift 2
	code=0
	env -u MACHINE -u CPU_MODEL -u TRUTH -u CPUS make compare "$@" >"$TMP/made" 2>&1 || code=$?
	[ "$code" -eq "$want" ] && grep -q -e "$text" "$TMP/made" && return
	cat "$TMP/made"
	return 1
}

check_make()
{
	expect 'make compare: the same' make_compare 0 '^B is the same' A="$MEASURED/a-1" B="$MEASURED/b-1"
	expect 'make compare: slower' make_compare 2 '^idle_latency: B is slower, see above' \
		A="$MEASURED/a-1" B="$MEASURED/slow-1"
	expect 'make compare: not comparable' \
		make_compare 2 '^idle_latency: A and B were not compared' A="$MEASURED/a-1" B="$MEASURED/far"
	expect 'make compare: several' make_compare 0 '^B is the same' \
		A="$(list a | tr , ' ')" B="$(list b | tr , ' ')"
	expect 'make compare: nothing to compare with' \
		make_compare 2 '^idle_latency: say what to compare' A="$MEASURED/a-1"
	expect 'make compare: no run' make_compare 2 '^B=.*: takes directories' A="$MEASURED/a-1" B=/tmp
}

# Pairs from one run, whose samples have no errors here, and no margin: each finding counts.
check_pairs()
{
	results_compile checks/compare/resample.c "$TMP/resample"
	found 1000 0 exact
	expect 'compare: 1000 pairs that are alike: at most 7 % alarms' no_alarms 7
	found 1000 0
	expect 'compare: 1000 pairs that are alike, with the margin: at most 7 % alarms' no_alarms 7
	expect 'compare: and each of them is decided' nothing_open
	found 100 50
	expect 'compare: 5 % slower is found in 100 of 100 pairs, in each row' all_slower
	found 100 10 exact
	expect 'compare: 1 % slower is found in 100 of 100 pairs without a margin' all_slower
	found 100 10
	expect 'compare: 1 % slower is within the margin: at most 7 % alarms' no_alarms 7
}

build_kernel
measure_all
start_log results
results_program latency_compare
doctored 's/state2 C1E, exit latency 10 us/state2 C1E, exit latency 99 us/' environment.txt
cp -R "$TMP/doctored" "$TMP/table"
check_runs
check_replicates
check_refusals
check_pairs
check_make
checks_end compare
