#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# kselftest.sh [COLLECTION...]: run collections of selftests with the kernel's own
# runner in the emulated machine; without arguments, the one that disturbs nobody.
set -eu
. scripts/lib/emulation.sh

[ $# -gt 0 ] || set -- idle_latency

build_kernel
# One of them reads from a disk.
machine_job "$TMP/job" sh -c "sh /disk && exec ./run_kselftest.sh$(printf ' -c %s' "$@")"
say kselftest "running on $(machine_name)"
code=0
machine_run "$TMP/machine" "$TMP/job" 1800 || code=$?
keep_results "$TMP/machine/out" console.log job.log
[ "$code" -eq 0 ] || die "the selftests failed (console: $OUT/console.log)"
