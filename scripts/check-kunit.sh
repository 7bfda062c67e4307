#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The unit tests, counted by case.
set -eu
. scripts/lib/common.sh
. scripts/lib/checks.sh

code=0
scripts/kunit.sh >"$TMP/kunit" 2>&1 || code=$?

# "[time] [PASSED] case"; the lines of suites have something else at the front.
sed -n 's/^\[[0-9:]*\] \[\([A-Z]*\)\] /\1 /p' "$TMP/kunit" >"$TMP/cases"
while read -r result case; do
	case $result in
	PASSED)
		passed "kunit: $case"
		;;
	*)
		# None may be skipped.
		failed "kunit: $case: $result"
		;;
	esac
done <"$TMP/cases"

[ "$code" -eq 0 ] || cat "$TMP/kunit"
expect 'kunit: all suites ran and passed' [ "$code" -eq 0 -a -s "$TMP/cases" ]
checks_end kunit
