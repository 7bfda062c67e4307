#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The unmodified kernels of Debian, with the driver as modules: how the modules are built,
# what is measured against what the emulated processor cost, in Bochs how far the stamps
# are, other CPUs held and settings kept, what packages draw, wake-ups by other CPUs, the card with
# the kernel's own driver, and a kernel that refuses the modules. One release; with LONG=1 all of them.
#
# Control: Samples that are wrong in one state, or in all, are found out.
# Takes: 270 s
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
	run_job "$KERNEL-igb" "debian: $release: igb" checks/lib/net-driver 1800
	QEMU_INTEL_IDLE=yes
	judged "debian: $release: igb" sed -e '/^PASS cpu0 /d' \
		-e "s/^\(PASS\|FAIL\) /\1 debian: $release: igb: /" "$TMP/$KERNEL-igb/out/job.log"
}

# demoted MEASURED: how many samples of it did not reach the state.
demoted()
{
	csv 'NR > 1 { print @valid - @reached }' "$TMP/$kept/out/$1/summary.csv"
}

# keep: CPUs are held, of which one is isolated, one has no tick where it is busy, and one keeps the
# time for that; one of them goes offline, and comes back. Otherwise they may enter C1E only. C6 is
# demoted every third time unless that is switched off.
keep()
{
	KERNEL_ARGUMENTS='isolcpus=3 nohz_full=2'
	kept=$KERNEL-keep
	bench "$kept" 4 'C1:900 C1E:9000 C3:40000 C6:30000:package=41000,demote=3' <<-'EOF'
		C6='--cpus 1 --states C6 --methods hrt --samples 100 --ldist 350000:450000'
		cpus=/sys/devices/system/cpu
		for cpu in 0 2 3; do
			echo 20 >$cpus/cpu$cpu/power/pm_qos_resume_latency_us
		done
		measure alone $C6 >/out/alone.log
		measure held $C6 --hold package --set demotion=off >/out/held.log
		{ sleep 1.5; echo 0 >$cpus/cpu3/online; sleep 0.5; echo 1 >$cpus/cpu3/online; } &
		measure back $C6 --samples 2000 --hold package >/out/back.log
		wait
		{ sleep 1.5; echo 0 >$cpus/cpu3/online; } &
		measure gone $C6 --samples 2000 --hold package >/out/gone.log
		wait
		for name in $cpus/cpu2/cpuidle/state*/name; do
			[ "$(cat $name)" != C6 ] || echo 1 >${name%name}disable
		done
		ends 4 ./latency_test --plain $C6 --hold package >/out/disabled.log
		ends 4 ./latency_test --plain --cpus 1 --methods ipi --waker 2 >/out/waker.log
		mount -t securityfs securityfs /sys/kernel/security || exit
		echo integrity >/sys/kernel/security/lockdown || exit
		ends 4 ./latency_test --plain $C6 --set demotion=off >/out/locked-down.log
		modprobe -r idle_latency && echo 1 >/sys/module/module/parameters/sig_enforce || exit
		ends 4 ./latency_test --plain $C6 >/out/signed.log
	EOF
	KERNEL_ARGUMENTS=
	# The core is in the state, and with the others held the package, too.
	rows "$kept" alone 'hrt C6 PASS lower-bound+core-only'
	rows "$kept" held 'hrt C6 PASS lower-bound'
	expect "debian: $release: keep: held: nothing is demoted" [ "$(demoted held)" -eq 0 ]
	expect "debian: $release: keep: alone: a third is" [ "$(demoted alone)" -gt 0 ]
	expect "debian: $release: keep: held: a CPU that ticks is said" \
		said "$kept" held 'cpu1: held cpu 0 keeps the time of a nohz_full system: its tick goes on'
	expect "debian: $release: keep: one that came back is held again" \
		not said "$kept" back 'at its end'
	expect "debian: $release: keep: one that went offline is said" \
		said "$kept" gone 'cpu1 hrt C6: at its end 2 of 3 CPUs were held'
	expect "debian: $release: keep: what the limit cannot do is said" \
		said "$kept" disabled '^SKIP cpu1 hrt C6: nobody can force this state on a CPU that is to be held'
	expect "debian: $release: keep: a kernel that is locked down is" \
		said "$kept" locked-down '^SKIP: settings are refused: the kernel is locked down'
	expect "debian: $release: keep: a waker without a tick is refused" \
		said "$kept" waker 'SKIP cpu1 ipi C6: the waker is isolated or nohz_full'
	expect "debian: $release: a kernel that enforces signatures is explained" \
		said "$kept" signed 'signed'
	# The kernel looks at that first, and says otherwise what lockdown restricts.
	expect "debian: $release: and is what refused the module" \
		grep -q 'Loading of unsigned module is rejected' "$TMP/$kept/out/dmesg.log"
}

# energy: both numbers of a row: the kernel's modules read the counters.
energy()
{
	truth='C1:900:power=15000 C1E:6000:power=6000 C3:40000:power=2500,rest=1500
		C6:70000:power=700,rest=300 awake=20000 rest=5000'
	bench "$KERNEL-energy" 1 "$truth" <<-'EOF'
		energy/energy_test --plain --out /out/energy --states C3,C6
	EOF
	judged "debian: $release: energy" judge energy/judge "$KERNEL" 1 "$truth" \
		"$TMP/$KERNEL-energy/out/energy" C3,C6
}

# by_another_cpu: another CPU wakes the measured one, but none that is isolated.
by_another_cpu()
{
	KERNEL_ARGUMENTS=isolcpus=1
	bench "$KERNEL-waker" 3 'C1:900 C3:40000 C6:70000:write=80000,ipi=72000' <<-'EOF'
		measure waker --methods 'write ipi' --states C1,C6 --samples 100
		ends 4 ./latency_test --plain --cpus 0 --methods ipi --waker 1 >/out/isolated.log
	EOF
	KERNEL_ARGUMENTS=
	expect "debian: $release: waker: one that is isolated is refused" \
		grep -q 'SKIP cpu0 ipi C6: the waker is isolated' "$TMP/$KERNEL-waker/out/isolated.log"
	expect "debian: $release: waker: and is not chosen" \
		grep -q '^cpu0: woken by cpu2: package' "$TMP/$KERNEL-waker/out/job.log"
	true_samples "$KERNEL-waker" waker --probe "$KERNEL" --error 300 \
		--exits 'write:C6=80000 ipi:C6=72000'
}

for KERNEL in debian-12 ${LONG:+debian-13 debian-13-backports}; do
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
		all_are "$TMP/$bench/out/all/datapoints.csv" 1 '@stamp == "probe"' 999
	expect "debian: $release: wrong samples are found out" judge_can_fail
	measured 700 5000 200000 500000
	keep
	energy
	by_another_cpu
	in_bochs
	igb
done
checks_end
