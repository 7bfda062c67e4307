#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Print what a patch of intel_idle's tables takes, from the results in OUT.
set -eu
. scripts/lib/common.sh
. scripts/lib/source.sh
. scripts/lib/results.sh

[ -f "$OUT/summary.csv" ] ||
	die "there are no results in $OUT: run \"make run ENERGY=1\" first, or say with OUT= where they are"
method=$(echo "$METHODS" | tr -d ' ')
# Of several ones, the tool takes one.
[ "${#method}" -eq 3 ] || method=
get_source
code=0
tool table --kernel "$BASE" ${method:+--method "$method"} "$OUT" || code=$?
exit "$code"
