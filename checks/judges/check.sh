#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Do the programs that judge find what is wrong?
#
# Control: Each trial is one: it has what the judge must find.
# Takes: 5 s; first
. checks/lib/checks.sh

# splats_of CONSOLE LOG: how many lines of these say that the kernel found a fault in itself.
splats_of()
{
	printf '%b' "$1" >"$TMP/console.log"
	printf '%b' "$2" >"$TMP/dmesg.log"
	splats "$TMP/console.log" "$TMP/dmesg.log" | grep -c . || true
}

get_source
judged 'judges: KTAP' judge judges/test_ktap "$BASE/tools/testing/kunit/kunit.py"

NMI='NMI backtrace for cpu 3\nCall Trace:\n'
expect 'judges: splats: not what a test asks for' [ "$(splats_of "$NMI" "$NMI$NMI")" -eq 0 ]
expect 'judges: splats: nor half of that on the console' \
	[ "$(splats_of 'Call Trace:\n' "$NMI")" -eq 0 ]
expect 'judges: splats: a call trace that nobody asked for' \
	[ "$(splats_of "$NMI" "${NMI}Call Trace:\n")" -eq 1 ]
expect 'judges: splats: what only the console has' [ "$(splats_of 'BUG: here\n' '')" -eq 1 ]
# told WANT CELL VALUE...: of a document that says CELL of a figure, with values that were measured, by
# all checks or with WHOLE= by a part of them.
WHOLE=--all
told()
{
	mkdir -p "$TMP/documents/emulator"
	: >"$TMP/documents/emulator/processor.md"
	printf '| figure | measured | must be |\n|---|---|---|\n| x | %s | pin: <= 30 |\n' "$2" \
		>"$TMP/documents/README.md"
	want=$1
	shift 2
	printf 'x\t%s\n' "$@" >"$TMP/measured"
	env -C "$TMP/documents" python3 -B "$PWD/checks/lib/figures.py" compare ${WHOLE:+"$WHOLE"} "$TMP/measured" \
		>"$TMP/told"
	cat "$TMP/told"
	grep -q "^$want " "$TMP/told"
}

expect 'judges: figures: a document is right' told PASS '20 ns' 20 21
expect 'judges: figures: it says too much' told FAIL '20 ns' 17
expect 'judges: figures: it says too little' told FAIL '20 ns' 23
expect 'judges: figures: runs differ by as much' told PASS '8 +-2 ns' 6
expect 'judges: figures: and by no more' told FAIL '8 +-2 ns' 5
expect 'judges: figures: its range is right' told PASS '10 to 20 ns' 10 15 20
expect 'judges: figures: its range is too small' told FAIL 'up to 12 ns' 14
expect 'judges: figures: its range is too large' told FAIL '10 to 20 ns' 12 15
WHOLE=
expect 'judges: figures: a part of the checks need not have the largest' told PASS '10 to 20 ns' 12 15
expect 'judges: figures: but nothing beyond it' told FAIL '10 to 20 ns' 12 23
: >"$TMP/none"
expect 'judges: figures: nobody measured it' eval \
	"env -C '$TMP/documents' python3 -B '$PWD/checks/lib/figures.py' compare --all '$TMP/none' | grep -q '^FAIL '"
FIGURE='WakeLatency median, cpu_idle probe'
expect 'judges: figures: a bound is one' eval \
	"judge lib/figures judge judges '$FIGURE' $(($(figure_bound "$FIGURE") + 1)) | grep -q '^FAIL ' &&
	judge lib/figures judge judges '$FIGURE' $(figure_bound "$FIGURE") | grep -q '^PASS '"
checks_end
