#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Which lines of the driver the unit tests execute under User Mode Linux, by gcov: a line
# for each file and one for their total, which must be 95 % or more. scripts/coverage.py
# says which files count, and why the others do not.
set -eu
. scripts/lib/emulation.sh
. scripts/lib/kunit.sh

kunit_begin coverage
progress coverage "building and running under User Mode Linux (log: $CACHE/log/coverage.log)"
# Counts of an earlier run would be added to.
find "$BUILDING/files" -name '*.gcda' -delete
start_log coverage
# What gcc before and after version 7 has write the counts at the end is in sections of
# different names, and the linker script of User Mode Linux knows the first only. The
# makefile adds to this variable.
export UM_GCOV_OPT='-Wl,-fini=__gcov_exit'
code=0
logged coverage kunit_tool run --kunitconfig "$KUNIT_TESTS" \
	--kunitconfig tools/testing/kunit/configs/coverage_uml.config
scripts/coverage.py "$TREE/drivers/idle_latency" "$BUILDING/files" || code=$?
kunit_end
exit "$code"
