#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Run the selftests with the kernel's own runner in the emulated machine.
set -eu
. scripts/lib/emulation.sh

build_kernel
# One of them reads from a disk.
machine_job "$TMP/job" sh -c 'sh /disk && exec ./run_kselftest.sh -c idle_latency'
say kselftest "running on $(machine_name)"
code=0
machine_run "$TMP/machine" "$TMP/job" 1800 || code=$?
keep_results "$TMP/machine/out" console.log job.log
[ "$code" -eq 0 ] || die "the selftests failed (console: $OUT/console.log)"
