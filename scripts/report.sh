#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Write a page about the results in RUNS, or in OUT where no RUNS are given, to OUT/index.html.
set -eu
. scripts/lib/common.sh
. scripts/lib/results.sh

: "${RUNS:=$OUT}"
[ "$RUNS" != "$OUT" ] || [ -f "$OUT/summary.csv" ] ||
	die "there are no results in $OUT: run \"make run\" first, or say with RUNS= where they are"

# The names are not to be expanded.
set -f
code=0
# shellcheck disable=SC2086 # a list
tool report --out "$OUT" $RUNS || code=$?
[ "$code" -eq 0 ] || exit "$code"
say report "page is in $OUT/index.html"
