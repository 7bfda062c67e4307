#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The unmodified kernels of Debian, with the driver as modules: how the modules are built,
# what is measured against what the emulated processor cost, in Bochs how far the stamps
# are, the card with the kernel's own driver, and a kernel that refuses the modules. One
# release; with LONG=1 all of them.
#
# Control: Samples that are wrong in one state, or in all, are found out.
# Takes: 180 s
. checks/lib/bench.sh

# for_kernel MODULE: it is for this kernel, and has symbol versions where that has them.
for_kernel()
{
	file=$BUILT_KERNEL/lib/modules/$release/updates/$1.ko
	[ "$(modinfo -F vermagic "$file" | cut -d ' ' -f 1)" = "$release" ] || return
	! grep -q -x CONFIG_MODVERSIONS=y "$BUILT_KERNEL/.config" ||
		modprobe --dump-modversions "$file" | grep -q module_layout
}

# measured EXIT...: the states C1, C1E, C3 and C6, with these exit latencies, by all methods.
measured()
{
	bench=$KERNEL-$1
	true_bench "$bench" '' "C1=$1 C1E=$2 C3=$3 C6=$4" --probe "$KERNEL" <<-END
	measure all --methods hrt,tdt,nic --samples 1000
	END
}

# all_by_probe DATAPOINTS: every record says where its stamps are from.
all_by_probe()
{
	csv 'NR > 1 && @stamp != "probe" { wrong++ } END { exit NR < 1000 || wrong }' "$1"
}

# in_bochs: the largest median there, which by the tracepoint is further from the emulated wake-up, of
# 10 ns at most, than 50 ns.
in_bochs()
{
	MACHINE=bochs
	machine_job "$TMP/job" idle_latency/latency_test --plain --machine bochs \
		--methods 'hrt tdt' --samples 1000 --out /out
	run_job "$KERNEL-bochs" "debian: $release: in Bochs" "$TMP/job" 1200
	MACHINE=qemu
	medians=$(csv 'NR > 1 { print @median_ns }' "$TMP/$KERNEL-bochs/out/summary.csv" | sort -n)
	expect "debian: $release: no median in Bochs is too small" \
		[ "$(echo "$medians" | sed -n 1p)" -ge 50 ]
	figure "debian: $release" "largest WakeLatency median in Bochs, $KERNEL" \
		"$(echo "$medians" | tail -n 1)"
}

# judge_can_fail: samples that are 30 ns off in one state only, and 300 in all.
judge_can_fail()
{
	for wrong in 'C3 30 largest less smallest' "C1|C1E|C3|C6 300 $KERNEL"; do
		echo "$wrong" | {
			read -r states ns what
			doctor "$TMP/$bench" out/all/datapoints.csv \
				"if (@state ~ /^($states)\$/) @wake_ns += $ns"
			[ "$(judge_truth doctored all --probe "$KERNEL" |
				grep -c "^FAIL .*median - truth, $what")" -eq 3 ]
		} || return
	done
}

# igb: the kernel's own driver has the card, lends it for a measurement of simulated states,
# and gets it back.
igb()
{
	QEMU_INTEL_IDLE=no
	run_job "$KERNEL-igb" "debian: $release: igb" checks/lib/igb 1800
	QEMU_INTEL_IDLE=yes
	judged "debian: $release: igb" sed -e '/^PASS cpu0 /d' \
		-e "s/^\(PASS\|FAIL\) /\1 debian: $release: igb: /" "$TMP/$KERNEL-igb/out/job.log"
}

# refused ARGUMENT: the kernel, told this, takes no module that is not signed, and the
# program says so.
refused()
{
	cat >"$TMP/job" <<-'END'
	cd /kselftest/idle_latency && ./latency_test --plain --seconds 5
	[ $? -eq 4 ]
	END
	machine_run "$TMP/$KERNEL-refused" "$TMP/job" 300 "$1" &&
		grep 'signed' "$TMP/$KERNEL-refused/out/job.log"
}

check_kernel()
{
	build_kernel
	release=$(basename "$BUILT_KERNEL/lib/modules"/*)
	say debian "$KERNEL: $release"
	expect "debian: $release: the modules build without a warning" \
		no_warning "$BUILT_KERNEL/modules.log"
	for module in idle_latency idle_latency_sim; do
		expect "debian: $release: $module.ko" for_kernel $module
	done
	measured 900 12000 40000 95000
	# What C1 has left, 100 ns, the way to the tracepoint may have taken.
	for method in hrt tdt nic; do
		expect "debian: $release: verdicts by $method" \
			[ "$(verdicts "$bench" all $method)" = 'SKIP FAIL PASS FAIL' ]
	done
	expect "debian: $release: each record says that the stamps are the tracepoint's" \
		all_by_probe "$TMP/$bench/out/all/datapoints.csv"
	expect "debian: $release: wrong samples are found out" judge_can_fail
	measured 700 5000 200000 500000
	in_bochs
	igb
	expect "debian: $release: a kernel that enforces signatures is explained" \
		refused module.sig_enforce=1
}

for KERNEL in debian-12 ${LONG:+debian-13 debian-13-backports}; do
	check_kernel
done
checks_end
