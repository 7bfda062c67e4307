#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The page WAYS.md leads to what it names.
#
# Control: A way to a file that is not there, and to a function that is not in its file, are found
#   out.
# Takes: 1 s; first
. checks/lib/checks.sh

# ways_lead PAGE: print each way of it that ends nowhere.
ways_lead()
{
	# shellcheck disable=SC2016 # a pattern
	sed -n 's/^|[^|]*| `\([^`]*\)` | `\([^`]*\)` |$/\1 \2/p' "$1" >"$TMP/ways"
	[ -s "$TMP/ways" ] || echo "$1: there is none"
	while read -r file words; do
		grep -q -F -e "$words" "$file" 2>/dev/null || echo "$1: $file: $words"
	done <"$TMP/ways"
}

silent 'WAYS.md: each way leads there' ways_lead WAYS.md
rows=$(grep -c '^| [a-z]' WAYS.md)
expect 'WAYS.md: each row is a way' [ "$(wc -l <"$TMP/ways")" -eq $((rows - 1)) ]
sed 's/judge\.c/no_judge.c/; s/verdict_judge/no_verdict_judge/' WAYS.md >"$TMP/wrong"
expect 'WAYS.md: two ways that lead nowhere are found out' \
	[ "$(ways_lead "$TMP/wrong" | grep -c no_)" -eq 2 ]
checks_end
