#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The unit tests, counted by case. With LONG=1 also on x86_64.
#
# Control: A driver whose arithmetic is wrong fails it, see the check failing.
# Takes: 30 s; first
. checks/lib/checks.sh

# kunit NAME ARCH
kunit()
{
	code=0
	scripts/kunit.sh "$2" >"$TMP/kunit" 2>&1 || code=$?

	# "[time] [PASSED] case"; the lines of suites have something else at the front.
	sed -n 's/^\[[0-9:]*\] \[\([A-Z]*\)\] /\1 /p' "$TMP/kunit" >"$TMP/cases"
	while read -r result case; do
		case $result:$2:$case in
		PASSED:*)
			result PASS "$1: $case"
			;;
		# What User Mode Linux does not have x86_64 has.
		SKIPPED:um:*'(needs CONFIG_HOTPLUG_CPU)')
			result SKIP "$1: $case"
			;;
		*)
			result FAIL "$1: $case: $result"
			;;
		esac
	done <"$TMP/cases"

	[ "$code" -eq 0 ] || cat "$TMP/kunit"
	expect "$1: all suites ran and passed" [ "$code" -eq 0 -a -s "$TMP/cases" ]
}

kunit kunit um
[ -z "$LONG" ] || kunit 'kunit on x86_64' x86_64
checks_end
