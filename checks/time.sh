#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# latency_test without options, as the runner of kselftest runs it: it ends within the
# 45 s that a program has, and every row has its part of the time.
#
# Control: A run of 2 s has too little time, and says so.
# Takes: 35 s
. checks/lib/bench.sh

build_kernel

# as_run NAME CPUS TRUTH [OPTIONS...]: the default run; the seconds that it took in the
# machine are in seconds, its results in ktap.
as_run()
{
	default=$1
	shift
	bench "$default" "$1" "$2" <<-END
	begin=\$(cut -d ' ' -f 1 /proc/uptime)
	./latency_test --out /out/all $3 >/out/ktap
	echo \$? >/out/code
	echo "\$begin \$(cut -d ' ' -f 1 /proc/uptime)" >/out/seconds
	END
	OUT_OF=$TMP/$default/out
}

# in_time SECONDS: the run took less.
in_time()
{
	echo "time: $default: from and to, in s: $(cat "$OUT_OF/seconds")"
	awk -v most="$1" '{ exit !($2 - $1 < most) }' "$OUT_OF/seconds"
}

# every_row NUMBER LEAST: there are as many rows, each with that many samples at least.
every_row()
{
	csv 'NR > 1 { all++; enough += @valid >= least } END { exit !(all == rows && enough == rows) }' \
		rows="$1" least="$2" "$OUT_OF/all/summary.csv"
}

# have NUMBER VERDICT: as many rows have it.
have()
{
	[ "$(csv '@verdict == verdict' verdict="$2" "$OUT_OF/all/summary.csv" | wc -l)" -eq "$1" ]
}

# As many results as the plan says: one for each row, one for the accounting and one for the kernel.
planned()
{
	plan=$(sed -n 's/^1\.\.//p' "$OUT_OF/ktap")
	results=$(grep -c -E '^(not )?ok [0-9]+ ' "$OUT_OF/ktap")
	[ "$plan" -eq "$results" ] && [ "$plan" -eq $(($1 + 2)) ]
}

# The whole of a default run that has ROWS rows with at least LEAST samples.
whole()
{
	expect "time: $1: within 45 s" in_time 45
	expect "time: $1: $2 rows with $3 samples or more" every_row "$2" "$3"
	expect "time: $1: the plan has a result for each row" planned "$2"
}

# The error of nic is 731 ns, and C1 declares 1000.
as_run slow '' 'C1:200 C1E:12000 C3:40000 C6:95000' ''
whole slow 12 3000
expect 'time: slow: C1E and C6 are FAIL by all methods' have 6 FAIL
expect 'time: slow: FAIL is the exit code' [ "$(cat "$OUT_OF/code")" -eq 1 ]
expect 'time: slow: and not ok in KTAP' \
	[ "$(grep -c '^not ok .* # *above the limit$' "$OUT_OF/ktap")" -eq 6 ]

# C1 is off in favour of C1E there.
QEMU_MODEL=alder_lake
STATES='C1:900 C1E:1500 C6:150000 C8:250000 C10:500000'
as_run hybrid 4 "$STATES" '--methods hrt,tdt'
whole hybrid 16 300
expect 'time: hybrid: every row is PASS' have 16 PASS
expect 'time: hybrid: both types of core' \
	[ "$(grep -c -x '# cpu0: core type core\|# cpu2: core type atom' "$OUT_OF/ktap")" -eq 2 ]

# As few seconds are too little for states of 5 to 20 ms per sample, but nothing is lost.
as_run short '' "$STATES" '--seconds 2'
# The default leaves 5 s of the 45 for everything but measuring.
expect 'time: short: within 7 s' in_time 7
expect 'time: short: the plan has a result for each row' planned 12
expect 'time: short: a row without enough samples says so' \
	grep -q '^ok .* # SKIP too few samples$' "$OUT_OF/ktap"
expect 'time: short: and how long it needs' \
	grep -q '^# SKIP cpu0 nic C10: too few samples: it needs [0-9.]* s, and all up to it --seconds [0-9]*$' \
	"$OUT_OF/ktap"
expect 'time: short: what is cheap has its samples' grep -q '^ok [0-9]* cpu0.tdt.C1E$' "$OUT_OF/ktap"

# Three times ten times 5 ms in two states would take 146 s.
QEMU_MODEL=skylake_mobile
as_run mobile '' \
	'C1:200 C1E:9000 C3:60000 C6:80000 C7s:110000 C8:180000 C9:400000 C10:800000' ''
whole mobile 24 300
expect 'time: mobile: every row is PASS' have 24 PASS
expect 'time: mobile: it says which launch distances are short' \
	grep -q '^# cpu0 .*C9,C10: launch distances of 1 to 2 times the target residency' "$OUT_OF/ktap"
checks_end
