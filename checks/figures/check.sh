#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Benchmark: does the measurement reach its figures on the emulated 3770K, on which an instruction
# always takes as long? README.md has the figures.
#
# Control: Results that are one beyond each bound are found out.
# Takes: 90 s
set -eu
. scripts/lib/emulation.sh
. checks/lib/checks.sh

CPU_MODEL=corei7_ivy_bridge_3770k

# judge_figures DIR: judge the files that the job left.
judge_figures()
{
	judge figures/judge "$1"
}

# The verdict must see figures that are not reached.
negative_control()
{
	cp -R "$TMP/machine/out" "$TMP/doctored"
	awk -F, -v OFS=, -v wake="$(figure_bound 'WakeLatency median, stamps around enter')" \
		-v spread="$(figure_bound 'WakeLatency spread, stamps around enter')" \
		-v intr="$(figure_bound 'IntrLatency median')" \
		'NR == 2 { $13 = wake + 1; $16 = $12 + spread + 1; $17 = intr + 1 } { print }' \
		"$TMP/machine/out/enter/summary.csv" >"$TMP/doctored/enter/summary.csv"
	# 20 us more from each sample to the next
	awk -F, -v OFS=, '
		NR == 1 { for (i = 1; i <= NF; i++) number[$i] = i }
		NR > 1 { $number["ltime_ns"] = sprintf("%.0f", $number["ltime_ns"] + 20000 * NR) }
		{ print }' "$TMP/machine/out/rate-long/datapoints.csv" \
		>"$TMP/doctored/rate-long/datapoints.csv"
	[ "$(judge_figures "$TMP/doctored" | grep -c ^FAIL)" -eq 4 ] || return
	# Nothing but launch distances that are 20 us too large
	cp -R "$TMP/machine/out" "$TMP/too-large"
	awk -F, -v OFS=, '
		NR == 1 { for (i = 1; i <= NF; i++) number[$i] = i }
		NR > 1 { $number["ldist_ns"] += 20000 }
		{ print }' "$TMP/machine/out/rate-long/datapoints.csv" \
		>"$TMP/too-large/rate-long/datapoints.csv"
	judge_figures "$TMP/too-large" | grep ^FAIL >"$TMP/judged"
	[ "$(grep -c 'between samples beyond' "$TMP/judged") $(wc -l <"$TMP/judged")" = '1 1' ]
}

# ticking: IntrLatency where the tick is not stopped, which it is not with nohz=off.
ticking()
{
	machine_job "$TMP/job" idle_latency/latency_test --plain --machine bochs --methods tdt \
		--states C1 --samples 2000 --ldist 20000:100000 --out /out
	machine_run "$TMP/ticking" "$TMP/job" 600 nohz=off || return
	figure figure 'IntrLatency median while the tick goes on' "$(awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) number[$i] = i }
		NR == 2 { print $number["intr_median_ns"] }' "$TMP/ticking/out/summary.csv")"
}

build_kernel
say figures "measuring $CPU_MODEL in Bochs"
if ! machine_run "$TMP/machine" checks/figures/guest 1800; then
	failed 'figure: the run'
	checks_end figures
fi
judged figure judge_figures "$TMP/machine/out"
expect 'figure: doctored results are found out' negative_control
expect 'figure: it is measured while the tick goes on' ticking
checks_end figures
