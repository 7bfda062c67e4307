#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Each of the broken drivers in checks/broken fails the tests that are there for what is wrong
# with it, and those tests pass with the driver as it is.
#
# checks/broken/check.sh TEST: one of those tests, with the driver that is here.
#
# Control: The same tests pass with the driver as it is.
# Takes: 600 s; LONG
. checks/lib/bench.sh

# The tests, each on a machine of its own. A FAIL is what most of them are for.

session()
{
	program session idle_latency/session_test -V hrt_probe -V tdt -V nic \
		-t sigkill_leaves_nothing_behind -t delivers_what_was_asked_for
}

contamination()
{
	program contamination idle_latency/stress/contamination_test -V hrt_probe -V tdt -V tdt_probe -V nic -V nic_probe \
		-t nmi -t another_state_is_entered
}

# program NAME COMMAND...: with simulated states, on four CPUs.
program()
{
	name=$1
	shift
	QEMU_INTEL_IDLE='' CPUS=4
	SIM='NS1000:9000:1000 NS40000:50000:40000 DEMOTES:20000:15000:demote=10'
	machine_job "$TMP/job" "$@"
	ktap_job "$name" "broken: $name" "$TMP/job" 900
}

samples()
{
	bench samples '' 'C1:900 C1E:9000 C3:40000 C6:70000' <<-END
	measure all --methods hrt --samples 1000
	END
	accounted 'broken: samples' "$TMP/samples/out/job.log"
	true_samples samples all --exits 'C1=900 C1E=9000 C3=40000 C6=70000' --alone
}

# try NAME TEST: run it in the directory NAME, which has a copy of what is here.
try()
{
	say broken "$1"
	: >"$TMP/$1.results"
	RESULTS=$TMP/$1.results env -C "$TMP/$1" checks/broken/check.sh "$2" \
		>"$TMP/$1.log" 2>&1 || true
}

# found NAME RESULT: it got to its end, and said FAIL of that, a regular expression.
found()
{
	grep -q -x 'END broken' "$TMP/$1.results" && grep -q -E "^FAIL .*$2" "$TMP/$1.results" && return
	tail -n 20 "$TMP/$1.log"
	return 1
}

# passes NAME: it got to its end, and said nothing else than PASS.
passes()
{
	grep -q -x 'END broken' "$TMP/$1.results" && grep -q '^PASS ' "$TMP/$1.results" &&
		! grep '^FAIL ' "$TMP/$1.results" && return
	tail -n 20 "$TMP/$1.log"
	return 1
}

# broken PATCH TEST RESULT: with the driver of that patch, the test fails with this result.
broken()
{
	copy "$TMP/$1"
	patch -d "$TMP/$1" -p1 --quiet <"checks/broken/$1.patch"
	try "$1" "$2"
	expect "broken: a driver that $(sed 1q "checks/broken/$1.patch")" found "$1" "$3"
}

if [ $# -gt 0 ]; then
	build_kernel
	"$1"
	checks_end
fi

for test in session contamination samples; do
	copy "$TMP/sound-$test"
	try "sound-$test" "$test"
	expect "broken: nothing is found in the driver as it is: $test" passes "sound-$test"
done
broken loses-a-record samples 'events are unaccounted for'
broken leaves-a-state-forced session 'sigkill_leaves_nothing_behind'
broken attributes-to-another-state contamination another_state_is_entered
broken has-tai-late samples 'median - truth'
broken misses-nmis contamination nmi
checks_end
