#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What the documentation does with the results, by the tools that it names.
set -eu
. scripts/lib/emulation.sh
. checks/lib/checks.sh
CHECK=recipes
. checks/lib/bench.sh

DOCUMENT=Documentation/admin-guide/pm/idle-latency.rst

# finds_wrong SED_SCRIPT: of a document that was changed so, a command is FAIL.
finds_wrong()
{
	sed "$1" "$DOCUMENT" >"$TMP/document"
	! cmp -s "$DOCUMENT" "$TMP/document" &&
		judge recipes/judge "$TMP/document" "$TMP/recipes/out/run" | grep ^FAIL
}

build_kernel
bench recipes 1 'C1:900 C1E:9000:spread=900 C3:40000:outlier=200/90000 C6:60000:spread=9000' <<'END'
measure run --methods hrt,nic --samples 1000
END
judged recipes judge recipes/judge "$DOCUMENT" "$TMP/recipes/out/run"
expect 'recipes: one of nine is found out' finds_wrong 's/LIMIT 10/LIMIT 9/'
expect 'recipes: another percentile is found out' finds_wrong 's/part >= 0.99/part >= 0.9/'
expect 'recipes: another filter is found out' finds_wrong 's/wake_ns > 60000/wake_ns > 65000/'
expect 'recipes: a picture without marks is found out' finds_wrong 's/ notitle pt "\*"/ notitle with dots/'
expect 'recipes: a missing command is found out' finds_wrong '/mlr.*-a p99/d'
checks_end recipes
