#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# How much of the driver the unit tests execute.
#
# Control: None but the bound: 95 % of all lines.
# Takes: 120 s; LONG
. checks/lib/checks.sh

code=0
scripts/coverage.sh >"$TMP/coverage" 2>&1 || code=$?
cat "$TMP/coverage"
expect "coverage: $(grep '^total ' "$TMP/coverage" | tr -s ' ')" [ "$code" -eq 0 ]
checks_end
