#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Benchmark: does the measurement reach its figures on the emulated 3770K, whose
# runs are the same each time? scripts/figures.awk has the figures.
set -eu
. scripts/lib/emulation.sh
. scripts/lib/checks.sh

CPU_MODEL=corei7_ivy_bridge_3770k

# judge_figures DIR: judge the files that the job left.
judge_figures()
{
	awk -f scripts/figures.awk run=enter "$1/enter/summary.csv" \
		run=probe "$1/probe/summary.csv" \
		run=rate-long "$1/rate-long/datapoints.csv" \
		run=rate-short "$1/rate-short/datapoints.csv"
}

# The verdict must see figures that are not reached.
negative_control()
{
	cp -R "$TMP/machine/out" "$TMP/doctored"
	awk -F, -v OFS=, 'NR == 2 { $13 = 17; $16 = $12 + 17; $17 = 607 } { print }' \
		"$TMP/machine/out/enter/summary.csv" >"$TMP/doctored/enter/summary.csv"
	[ "$(judge_figures "$TMP/doctored" | grep -c ^FAIL)" -eq 3 ]
}

build_kernel
say figures "measuring $CPU_MODEL in Bochs"
if ! machine_run "$TMP/machine" scripts/guest/figures 1800; then
	failed 'figure: the run'
	checks_end figures
fi
judge_figures "$TMP/machine/out" >"$TMP/judged"
take_over "$TMP/judged"
expect 'figure: doctored results are found out' negative_control
checks_end figures
