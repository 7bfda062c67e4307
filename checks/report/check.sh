#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Is the page about results what it should be, and small, and soon there? The tests of the tool
# compute each of its marks from the samples, find pages that were doctored, and give it files that
# were changed in 200 ways; and they have it write tables of intel_idle.
#
# Control: Pages and results that were changed are found out.
# Takes: 40 s
. checks/lib/checks.sh

TESTS=tools/power/idle_latency/tests

# used_ms: set USED to the time in ms that processors spent on what the shell has run so far.
used_ms()
{
	times >"$TMP/times"
	USED=$(tr ms '  ' <"$TMP/times" | awk '
		NR == 2 { printf "%.0f", 60000 * ($1 + $3) + 1000 * ($2 + $4) }')
}

# read_lines: work of the same kind as a page's: numpy reads a million lines of text and numbers.
read_lines()
{
	/usr/bin/python3 -c 'import io, numpy
numpy.loadtxt(io.BytesIO(b"0,C6,nan,1.5\n" * 1000000), "U8,U16,f8,f4", delimiter=",")'
}

# The processor of these figures reads two million such lines in so many ms.
LINES_MS=1000

# in_time SECONDS COMMAND...: it needs no more of a processor, whoever else needs that. A slower
# one, or one that others slow down, needs longer for a million lines before and after it, too, and
# may take longer.
in_time()
{
	seconds=$1
	shift
	used_ms
	began=$USED
	read_lines
	used_ms
	before=$USED
	"$@" || return
	used_ms
	after=$USED
	read_lines
	used_ms
	reads=$((USED - after + before - began))
	[ "$reads" -ge "$LINES_MS" ] || reads=$LINES_MS
	limit=$((1000 * seconds * reads / LINES_MS))
	echo "took $((after - before)) ms of $limit ms; two million lines take $reads ms"
	[ "$((after - before))" -le "$limit" ]
}

# small_page NAME: of 5 MB at most.
small_page()
{
	bytes=$(stat -c %s "$TMP/page/$1/index.html")
	echo "$bytes bytes"
	[ "$bytes" -lt 5000000 ]
}

# judge_page NAME: what the tests of the tool have against the page of a run of real size.
judge_page()
{
	PYTHONPATH=$TESTS /usr/bin/python3 -B -c 'import sys, judge
with open(sys.argv[1], encoding="utf-8") as page:
    print(*judge.complaints(page.read(), sys.argv[2:]), sep="\n", end="")' \
		"$TMP/page/$1/index.html" "$TMP/$1"
}

say report 'pages about runs'
unit_tests test_runs test_page test_energy test_table
for kind in eight million; do
	python3 -B "$TESTS/make_runs.py" "$kind" "$TMP/$kind"
done
expect 'report: 8 rows of 5000 samples in 5 s of a processor' \
	in_time 5 tool report --out "$TMP/page/eight" "$TMP/eight"
expect 'report: 8 rows of 5000 samples in less than 5 MB' small_page eight
silent 'report: the page of 8 rows is right' judge_page eight
expect 'report: a million samples in 10 s of a processor' \
	in_time 10 tool report --out "$TMP/page/million" "$TMP/million"
expect 'report: a million samples in less than 5 MB' small_page million
checks_end
