#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Is the page about results what it should be, in a browser? Are its marks those that follow from
# the samples, and does what judges that find a page that is not like this?
#
# Control: Pages and results that were changed are found out.
# Takes: 90 s
set -eu
. scripts/lib/common.sh
. scripts/lib/results.sh
. checks/lib/checks.sh

# Debian's packages are for the interpreter of Debian.
page()
{
	PYTHONPATH=checks/lib /usr/bin/python3 -B checks/report/page.py "$@"
}

# make_runs KIND...
make_runs()
{
	for kind in "$@"; do
		python3 -B checks/report/make_runs.py "$kind" "$TMP/$kind"
	done
}

# report NAME RUN...: write a page to $TMP/page/NAME.
report()
{
	page_name=$1
	shift
	"$PROGRAM" --out "$TMP/page/$page_name" "$@"
}

# page_bytes NAME
page_bytes()
{
	stat -c %s "$TMP/page/$1/index.html"
}

# found EXPRESSION CHECK PAGE RUN...: sed changes the page about these runs, and that is FAIL.
found()
{
	expression=$1
	check=$2
	original=$TMP/page/$3/index.html
	shift 3
	mkdir -p "$TMP/doctored"
	sed "$expression" "$original" >"$TMP/doctored/index.html"
	! cmp -s "$original" "$TMP/doctored/index.html" || return 1
	page doctored "$TMP/doctored/index.html" "$@" >"$TMP/judgement"
	grep -q "^FAIL page: doctored: $check: " "$TMP/judgement"
}

check_judge()
{
	while IFS='|' read -r name expression check; do
		expect "report: found: $name" found "$expression" "$check" small "$TMP/small"
	done <<-'END'
		an overlapping element|0,/<figcaption>/s//<figcaption style="margin-top:-60px">/|nothing overlaps
		a text of a plot on another one|0,/y="13.9"/s//y="33.9"/|texts of plots do not overlap
		a missing mark|0,/<path d="M[0-9. ]*h0"/s//<path/;0,/<path\/>/s///|figures have the marks that they say
		a missing mark that nothing counts|0,/data-marks="40"/s//data-marks="39"/;0,/<path d="M[0-9. ]*h0"\/>/s///|the marks are those of the samples
		a mark that has moved|0,/d="M[0-9.]* \([0-9.]*h0\)/s//d="M99 \1/|the marks are those of the samples
		a message on the console|s/<h1>/<script>console.error("no")<\/script><h1>/|no message on the console
		an image from elsewhere|s/<h1>/<img alt="" src="http:\/\/192.0.2.1\/a.png"><h1>/|nothing from elsewhere
		an image that is asked for|s/<h1>/<img alt="" src="http:\/\/192.0.2.1\/a.png"><h1>/|no request
		a page that is too wide|s/<h1>/<h1 style="width:1500px">/|as wide as the window
		text that is too small|s/svg text{font:12px/svg text{font:9px/|text of 9 px and more
		text that is too pale|s/--soft:#57606a/--soft:#a0a8b0/|contrast of 4.5 and more
		an id twice|s/<h1>/<h1 id="verdicts">/|each id once
		a link to nothing|s/<h1>/<h1><a href="#nothing">a<\/a>/|links lead to something
		a page that is never dark|s/prefers-color-scheme:dark/prefers-color-scheme:never/|light and dark differ
		a declared latency that has moved|/declared/{n;s/M\([0-9]\)/M1\1/}|the marks are those of the samples
		another number at an axis|0,/middle">\([0-9]\)/s//middle">9\1/|the marks are those of the samples
		another median in the table|0,/"median">\([0-9]\)/s//"median">9\1/|the table is the summary
		a dark page on paper|s/@media screen and/@media/|printed on white paper
		what is no HTML|s/<h1>/<h1><\/b>/|valid HTML
	END
	while IFS='|' read -r name expression check; do
		expect "report: found: of two runs: $name" \
			found "$expression" "$check" two "$TMP/small" "$TMP/moved"
	done <<-'END'
		another median in what changed|s/\(data-label="run 2">\)\([0-9]\)/\19\2/|what changed has the samples that were compared
		a change that is not first|0,/class="slower"/s//class=""/|what changed comes first
		a run by the name of another program|s/ in run 1 and / in A and /|what changed names the runs as its columns do
		the same run twice|s/ in run 1 and \([0-9]* of [0-9]*\) in run 2 / in run 1 and \1 in run 1 /|what changed names the runs as its columns do
		the run without samples|s/run 2 has no sample/run 1 has no sample/|what changed names the runs as its columns do
		a measured time among the differences|s/<h2>What changed/& of awake IntrLatency/|what was measured is no difference of environments
		runs in another order|s/id="run1-row1"/id="x"/;s/id="run2-row1"/id="run1-row1"/;s/id="x"/id="run2-row1"/|runs of a row follow each other
		another axis in one run|0,/data-y="[^"]*"/s//data-y="1 2"/|a row has the same axes in all runs
	END
}

# refused PATTERN COMMAND...: it ends with 2 after one line, and leaves the page before it.
refused()
{
	pattern=$1
	shift
	code=0
	cp "$TMP/page/small/index.html" "$TMP/before"
	"$@" >"$TMP/said" 2>&1 || code=$?
	[ "$code" -eq 2 ] && [ "$(wc -l <"$TMP/said")" -eq 1 ] && grep -q -E "$pattern" "$TMP/said" &&
		cmp -s "$TMP/before" "$TMP/page/small/index.html" &&
		[ ! -e "$TMP/page/small/index.html.partial" ]
}

check_refusals()
{
	cp -R "$TMP/small" "$TMP/wrong"
	sed -i '7s/,[0-9]*,/,many,/' "$TMP/wrong/datapoints.csv"
	expect 'report: refused: a line that latency_test does not write' \
		refused "/wrong/datapoints.csv:7: " report small "$TMP/wrong"
	expect 'report: refused: no such run' \
		refused '/none/summary.csv: No such file' report small "$TMP/none"
	expect 'report: refused: without gnuplot' refused 'install the package gnuplot-nox' \
		env PATH=/nonexistent "$PROGRAM" --out "$TMP/page/small" "$TMP/small"
	expect 'report: refused: a directory that cannot be made' refused 'Not a directory' \
		"$PROGRAM" --out "$TMP/small/summary.csv/page" "$TMP/small"
}

# used_ms: set USED to the time in ms that processors spent on what the shell has run so far.
used_ms()
{
	times >"$TMP/times"
	USED=$(tr ms '  ' <"$TMP/times" | awk '
		NR == 2 { printf "%.0f", 60000 * ($1 + $3) + 1000 * ($2 + $4) }')
}

# in_time SECONDS COMMAND...: it needs no more of a processor, whoever else needs that.
in_time()
{
	used_ms
	began=$USED
	seconds=$1
	shift
	"$@" || return
	used_ms
	echo "took $((USED - began)) ms"
	[ "$((USED - began))" -le "$((1000 * seconds))" ]
}

# small_page NAME: of 5 MB at most.
small_page()
{
	echo "$(page_bytes "$1") bytes"
	[ "$(page_bytes "$1")" -lt 5000000 ]
}

say report 'pages about runs, in a browser'
results_program latency_report
make_runs small moved eight million
mkdir "$TMP/page"

silent 'report: nothing but the page: small' report small "$TMP/small"
judged 'page: small' page small "$TMP/page/small/index.html" "$TMP/small"
silent 'report: nothing but the page: two' report two "$TMP/small" "$TMP/moved"
judged 'page: two' page two "$TMP/page/two/index.html" "$TMP/small" "$TMP/moved"
expect 'report: the difference comes first' \
	[ "$(grep -o -m 1 '<section id="[a-z]*"' "$TMP/page/two/index.html")" = \
	'<section id="differences"' ]
report eight "$TMP/eight"
judged 'page: eight' page eight "$TMP/page/eight/index.html" "$TMP/eight"
expect 'report: 8 rows of 5000 samples in less than 5 MB' small_page eight
expect 'report: a million samples in 10 s of a processor' in_time 10 report million "$TMP/million"
expect 'report: a million samples in less than 5 MB' small_page million
judged 'page: million' page million "$TMP/page/million/index.html" "$TMP/million"

check_judge
check_refusals
checks_end report
