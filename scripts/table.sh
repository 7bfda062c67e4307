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
# shellcheck disable=SC2086 # a list
set -- $METHODS
# Of several ones, the tool takes one.
[ $# -eq 1 ] || set --
get_source
code=0
tool table --kernel "$BASE" ${1:+--method "$1"} "$OUT" || code=$?
exit "$code"
