#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Benchmark: does the measurement reach its figures on the emulated 3770K, on which an instruction
# always takes as long? README.md has the figures.
#
# Control: Results that are one beyond each bound are found out.
# Takes: 120 s
. checks/lib/checks.sh

CPU_MODEL=corei7_ivy_bridge_3770k

# The verdict must see figures that are not reached.
negative_control()
{
	# 20 us more from each sample to the next
	doctor "$TMP/machine/out" enter/summary.csv "if (NR == 2) {
			@median_ns = $(figure_bound 'WakeLatency median, stamps around enter') + 1
			@max_ns = @min_ns + $(figure_bound 'WakeLatency spread, stamps around enter') + 1
			@intr_median_ns = $(figure_bound 'IntrLatency median') + 1
		}" rate-long/datapoints.csv '@ltime_ns = sprintf("%.0f", @ltime_ns + 20000 * NR)'
	finds_all 4 judge figures/judge "$TMP/doctored" || return
	# Nothing but launch distances that are 20 us too large
	doctor "$TMP/machine/out" rate-long/datapoints.csv '@ldist_ns += 20000'
	judge figures/judge "$TMP/doctored" | grep ^FAIL >"$TMP/judged"
	[ "$(grep -c 'between samples beyond' "$TMP/judged") $(wc -l <"$TMP/judged")" = '1 1' ]
}

# ticking: IntrLatency where the tick is not stopped, which it is not with nohz=off.
ticking()
{
	machine_job "$TMP/job" idle_latency/latency_test --plain --machine bochs --methods tdt \
		--states C1 --samples 2000 --ldist 20000:100000 --out /out
	machine_run "$TMP/ticking" "$TMP/job" 600 nohz=off || return
	figure figure 'IntrLatency median while the tick goes on' \
		"$(column ticking . tdt C1 intr_median_ns)"
}

build_kernel
selftest_job <<'END'
set -e
# measure NAME OPTIONS...
measure()
{
	name=$1
	shift
	./latency_test --plain --machine bochs --cpu-model corei7_ivy_bridge_3770k \
		--out "/out/$name" "$@"
}
measure enter --methods hrt,tdt --stamp enter --samples 5000
measure probe --methods hrt,tdt --stamp probe --samples 2000
measure rate-long --methods hrt --states C1 --ldist 1:4000000 --samples 5000
measure rate-short --methods hrt --states C1 --ldist 20000:100000 --samples 20000
END
run_job machine figure "$TMP/job" 1800
[ "$CODE" -eq 0 ] || checks_end
judged figure judge figures/judge "$TMP/machine/out"
expect 'figure: doctored results are found out' negative_control
expect 'figure: it is measured while the tick goes on' ticking
checks_end
