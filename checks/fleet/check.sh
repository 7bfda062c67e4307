#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What the fleets that test kernels get of the selftests, which they run as they run all
# selftests: on a machine where everything passes, one where a state takes longer than it
# declares, one where a program takes longer than the runner gives it, one that has no idle
# states. What they must get is in checks/fleet/table; one that has not the driver either is in
# checks/default/check.sh. And whether the files for them in fleet/ are in order.
#
# Control: Logs that were changed in each of eight ways are found out.
# Takes: 90 s
. checks/lib/checks.sh

MACHINE=qemu

# fleet_judge MACHINE LOG: the log, and what each program printed where that is apart.
fleet_judge()
{
	logs=$TMP/$1/out/programs
	[ -d "$logs" ] || logs=
	judge fleet/judge "$BASE/tools/testing/kunit/kunit.py" \
		checks/fleet/table "$1" "$2" ${logs:+"$logs"}
}

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
	judged "fleet: $1" fleet_judge "$1" "$TMP/$1/out/log"
}

# doctored SCRIPT QUESTION: the answer is FAIL when a script of sed has changed the log of
# the machine where everything passes.
doctored()
{
	sed -E "$1" "$TMP/pass/out/log" >"$TMP/doctored"
	! cmp -s "$TMP/pass/out/log" "$TMP/doctored" || return
	fleet_judge pass "$TMP/doctored" >"$TMP/answers"
	grep -q -x "FAIL fleet: pass: $2" "$TMP/answers"
}

# One for each question. The runner opens the log with its own plan.
negative_controls()
{
	doctored 's/^ok ([0-9]+ selftests: .*: latency_test)/not ok \1 # exit=1/' \
		'each program ends as it must' &&
		doctored '/^# ok [0-9]+ cpu0.hrt.C6$/d' 'plans are what was run' &&
		doctored '2s/$/1/' 'plans are what was run' &&
		doctored '0,/^(# ok .* # )SKIP/s//\1skip/' 'numbers of results' &&
		doctored 's/^# ok ([0-9]+ cpu0.hrt.C6)$/# not ok \1/' 'numbers of results' &&
		doctored 's/^(# ok [0-9]+ cpu0.hrt.)C6$/\1C7/' 'results of latency_test' &&
		doctored 's/^(# ok [0-9]+ cpu0.hrt.)C3$/\1C6/' 'names of tests' &&
		doctored '0,/^(# ok .* # SKIP .*)/s//\1 of 3/' 'no reason of a SKIP has a figure'
}

judged 'fleet: files' judge fleet/files fleet

build_kernel

QEMU_INTEL_IDLE=yes
TRUTH='C1:900 C1E:9000 C3:40000 C6:75000'
fleet_run pass 0 '--samples 300 --quantile 0.9999' '-c idle_latency'
expect 'fleet: doctored logs are found out' negative_controls

TRUTH='C1:900 C1E:9000 C3:40000 C6:95000'
two='-t idle_latency:trace_test -t idle_latency:latency_test'
fleet_run fail 1 '--samples 300 --quantile 0.9999' "$two -p /out/programs"

# In 5 s it does not get to the second state, and has to say so of all.
fleet_run timeout 1 '--samples 1000000' "$two -o 5"

# What KernelCI and others have most of: the driver, but no idle states.
QEMU_INTEL_IDLE=no
fleet_run virtual 0 '' '-c idle_latency'
checks_end
