#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Selftests, counted by case: session_test, trace_test, survive_test, sessions_test, keep_test and
# latency_test on the emulated processor with three CPUs and a network card, whose idle states cost
# less than they declare; with LONG=1 also both targets by the kernel's own runner in Bochs.
# Without LONG=1, that runs the default one in checks/fleet/check.sh and checks/plain/check.sh.
#
# Control: A driver that leaves a state forced fails it, see checks/broken/.
# Takes: 120 s
. checks/lib/checks.sh

# collection RUN NAME
collection()
{
	code=0
	OUT=$TMP/$1 scripts/kselftest.sh "$2" || code=$?
	ktap "$1" "$TMP/$1/job.log"
	expect "$1: the run" [ "$code" -eq 0 ]
}

if [ -n "$LONG" ]; then
	build_kernel
	collection kselftest idle_latency
	collection kselftest-stress idle_latency/stress
fi
MACHINE=qemu
build_kernel

# shellcheck disable=SC2034 # lib/machine-qemu.sh uses these
QEMU_MODEL=i7_3770k QEMU_INTEL_IDLE=yes CPUS=3 TRUTH='C1:200 C1E:9000 C3:40000 C6:70000'
# What needs several CPUs, of which one wakes the measured one and one is offline, a network card and
# the deadline timer, which the machine of the kernel's own runner does not have together. The other
# variants run with several CPUs in checks/debug/check.sh.
selftest_job <<'END'
sh nic.sh take 0000:00:04.0 || exit
code=0
echo 0 >/sys/devices/system/cpu/cpu2/online
./abi_test -t offline_cpu || code=1
echo 1 >/sys/devices/system/cpu/cpu2/online
./session_test -v hrt -v hrt_probe -v tdt -v nic || code=1
./trace_test || code=1
stress/survive_test -v hrt_probe -v tdt -v nic_probe -v write -v ipi || code=1
stress/sessions_test || code=1
stress/keep_test || code=1
./latency_test || code=1
exit $code
END
ktap_job processor kselftest-processor "$TMP/job" 3000
checks_end
