#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The selftests, counted by case: by the kernel's own runner in the emulated machine; and
# what that lacks something for, on the emulated processor with two CPUs and a network
# card, whose idle states cost less than they declare.
set -eu
. scripts/lib/emulation.sh
. scripts/lib/checks.sh

code=0
OUT=$TMP/kselftest scripts/kselftest.sh idle_latency idle_latency/stress || code=$?
MACHINE=qemu
build_kernel
ktap kselftest "$TMP/kselftest/job.log"
expect 'kselftest: the run' [ "$code" -eq 0 ]

# shellcheck disable=SC2034 # lib/machine-qemu.sh uses these
QEMU_MODEL=i7_3770k QEMU_INTEL_IDLE=yes CPUS=2 TRUTH='C1:900 C1E:9000 C3:40000 C6:70000'
SIM=
say kselftest "running on $(machine_name)"
code=0
machine_run "$TMP/processor" scripts/guest/selftests 3000 || code=$?
ktap kselftest-processor "$TMP/processor/out/job.log"
ran kselftest-processor "$code" "$TMP/processor"
checks_end kselftest
