#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The selftests in the emulated machine, counted by case.
set -eu
. scripts/lib/common.sh
. scripts/lib/checks.sh

OUT=$TMP/out
export OUT
code=0
scripts/kselftest.sh idle_latency idle_latency/stress || code=$?
ktap kselftest "$OUT/console.log"
expect 'kselftest: the run' [ "$code" -eq 0 ]
checks_end kselftest
