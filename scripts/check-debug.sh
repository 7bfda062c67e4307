#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The selftests on a kernel that looks for faults, on several CPUs with simulated
# idle states. Times mean nothing there; what counts is that every session ends
# as defined and that the kernel has nothing to complain of.
set -eu
. scripts/lib/emulation.sh
. scripts/lib/checks.sh

MACHINE=qemu
QEMU_CPUS=4

cat configs/machine.config configs/debug.config >"$TMP/debug.config"
MACHINE_CONFIG=$TMP/debug.config
build_kernel
say debug "running on $(machine_name)"
code=0
machine_run "$TMP/machine" scripts/guest/debug 1800 || code=$?
ktap debug "$TMP/machine/out/job.log"
expect 'debug: the run, without complaints of the kernel' [ "$code" -eq 0 ]
checks_end debug
