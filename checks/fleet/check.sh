#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What the fleets that test kernels get of the selftests, which they run as they run all
# selftests: on a machine where everything passes, one where a state takes longer than it
# declares, one where a program takes longer than the runner gives it, and one that has no idle
# states. What they must get is in checks/fleet/table; one that has not the driver either is in
# checks/default/check.sh. And whether the files for them in fleet/ are in order.
#
# Control: What fails for another reason is found out; other logs that were changed are in
#   checks/plain/check.sh, which has the same judge.
# Takes: 90 s
. checks/lib/checks.sh

MACHINE=qemu

# fleet_run MACHINE CODE ARGUMENTS OPTIONS: run selftests there with the options, and with arguments
# for latency_test; the runner has to end with CODE. Judge what it printed.
fleet_run()
{
	cat >"$TMP/job" <<-END
	cd /kselftest || exit
	export KSELFTEST_LATENCY_TEST_ARGS='$3'
	{ ./run_kselftest.sh $4 2>&1; echo \$? >/out/code; } | tee /out/log
	END
	run_job "$1" "fleet: $1" "$TMP/job" 1200
	[ "$CODE" -eq 0 ] || return 0
	expect "fleet: $1: the exit code of the runner" [ "$(cat "$TMP/$1/out/code")" = "$2" ]
	logs=$TMP/$1/out/programs
	[ -d "$logs" ] || logs=
	judged "fleet: $1" judge_collection "$1" "$TMP/$1/out/log" ${logs:+"$logs"} \
		--cases "${RESULTS%.results}.cases"
}

judged 'fleet: files' judge fleet/files fleet

build_kernel

QEMU_INTEL_IDLE=yes
# C1 takes so little that the error of nic, 731 ns, leaves it below the 1000 that it declares.
TRUTH='C1:200 C1E:9000 C3:40000 C6:75000'
fleet_run pass 0 '--samples 300 --quantile 0.9999' '-c idle_latency'
expect 'fleet: pass: latency_test comes first' \
	grep -q '^ok 1 selftests: idle_latency: latency_test$' "$TMP/pass/out/log"

TRUTH='C1:200 C1E:9000 C3:40000 C6:95000'
two='-t idle_latency:trace_test -t idle_latency:latency_test'
fleet_run fail 1 '--samples 300 --quantile 0.9999' "$two -p /out/programs"

# In 5 s it does not get to the second state, and has to say so of all.
fleet_run timeout 1 '--samples 1000000' "$two -o 5"
sed 's/ # TIMEOUT 5 seconds$/ # exit=1/' "$TMP/timeout/out/log" >"$TMP/doctored"
expect 'fleet: a program that is to be FAIL for another reason is found out' \
	finds 'latency_test: is to be FAIL: TIMEOUT' judge_collection timeout "$TMP/doctored"

# What KernelCI and others have most of: the driver, but no idle states.
QEMU_INTEL_IDLE=no
fleet_run virtual 0 '' '-c idle_latency'
checks_end
