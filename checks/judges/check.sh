#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Do the programs that judge find what is wrong?
#
# Control: Each trial is one: it has what the judge must find.
# Takes: 5 s; first
set -eu
. scripts/lib/common.sh
. scripts/lib/source.sh
. checks/lib/checks.sh
. scripts/lib/machine.sh

# splats_of CONSOLE LOG: how many lines of these say that the kernel found a fault in itself.
splats_of()
{
	printf '%b' "$1" >"$TMP/console.log"
	printf '%b' "$2" >"$TMP/dmesg.log"
	splats "$TMP/console.log" "$TMP/dmesg.log" | grep -c . || true
}

cached_source || {
	cache_lock
	find_source
	cache_unlock
}
judged 'judges: KTAP' judge judges/test_ktap "$BASE/tools/testing/kunit/kunit.py"

NMI='NMI backtrace for cpu 3\nCall Trace:\n'
expect 'judges: splats: not what a test asks for' [ "$(splats_of "$NMI" "$NMI$NMI")" -eq 0 ]
expect 'judges: splats: nor half of that on the console' \
	[ "$(splats_of 'Call Trace:\n' "$NMI")" -eq 0 ]
expect 'judges: splats: a call trace that nobody asked for' \
	[ "$(splats_of "$NMI" "${NMI}Call Trace:\n")" -eq 1 ]
expect 'judges: splats: what only the console has' [ "$(splats_of 'BUG: here\n' '')" -eq 1 ]
checks_end judges
