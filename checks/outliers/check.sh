#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Nothing hides among the discarded: states of the emulated processor that take 0.9, 5 and
# 20 ms once in 20 times, longer than a tick. Each such wake-up that an event had to wait
# for is a sample above the limit, or a discarded event above it. With LONG=1 also where
# ticks are four times as many.
#
# Control: Samples that are missing, or as quick as the rest, are found out.
# Takes: 20 s
. checks/lib/bench.sh

TRUTH='C1:900 C1E:9000:outlier=20/900000 C3:15000:outlier=20/5000000 C6:25000:outlier=20/20000000'

# judge_outliers NAME DIR: the files that a bench left in DIR.
judge_outliers()
{
	in_ns "$2/datapoints.csv" >"$TMP/samples.csv" || return
	in_ns "$2/discarded.csv" >"$TMP/discarded.csv" || return
	judge outliers/judge "$1" '0x01=C1E=900000 0x10=C3=5000000 0x20=C6=20000000' \
		"$TMP/$1/out/truth.csv" "$2/summary.csv" "$TMP/samples.csv" "$TMP/discarded.csv"
}

# outliers NAME: measure, on the kernel that was built.
outliers()
{
	bench "$1" '' "$TRUTH" <<-'EOF'
		measure all --methods hrt,tdt,nic --states C1E,C3,C6 --samples 5000 \
			--ldist 50000:90000 --keep-discarded >/out/all.log
	EOF
	accounted "outliers: $1" "$TMP/$1/out/all.log"
	judged "outliers: $1" judge_outliers "$1" "$TMP/$1/out/all"
}

# Of each method, the outliers of one state are as quick as the rest, and two samples of
# another one are missing.
judge_can_fail()
{
	doctor "$TMP/hz-$HZ/out/all" datapoints.csv '
		if (@state == "C3" && @wake_ns > 4000000) @wake_ns = 15018
		if (@state == "C6" && ++count[@method] <= 2) next'
	judge_outliers "hz-$HZ" "$TMP/doctored" >"$TMP/judged"
	for method in hrt tdt nic; do
		for pattern in 'C3: hidden; ' 'C3: verdict: ' 'C6: records: '; do
			grep -q "^FAIL .* $method $pattern" "$TMP/judged" || return 1
		done
	done
}

# Declared so that all samples count.
TABLE=C1:1:1,C1E:10:10,C3:20:20,C6:30:30
QEMU_MODEL=i7_3770k
HZ=250
build_kernel
outliers hz-250
expect 'outliers: doctored samples are found out' judge_can_fail
if [ -n "$LONG" ]; then
	HZ=1000
	build_kernel
	expect 'outliers: HZ=1000: the kernel has it' \
		grep -q -x CONFIG_HZ=1000 "$BUILT_KERNEL/.config"
	outliers hz-1000
fi
checks_end
