#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What latency_test shows while it measures: in place on a terminal, which the console of the
# machine is, and some lines elsewhere.
set -eu
. scripts/lib/emulation.sh
. checks/lib/checks.sh
CHECK=terminal
. checks/lib/bench.sh

ESCAPE=$(printf '\033')

# between BEGIN END: what the console has between two lines.
between()
{
	sed -n "/^$1/,/^$2/p" "$TMP/terminal/console" | tr '\r' '\n'
}

shows()
{
	[ "$(between "$1" "$2" | grep -c -e "$3")" -ge "$4" ]
}

# lines NAME PATTERN: how many lines of a file of the job have it.
lines()
{
	grep -c -e "$2" "$TMP/terminal/out/$1" || true
}

build_kernel
bench terminal 1 'C1:900 C1E:12000 C3:40000 C6:95000' <<'END'
test_all()
{
	./latency_test --plain --machine qemu --cpus 0 --methods hrt --samples 3000 "$@"
}
echo place-begins >/dev/console
test_all </dev/null >/dev/console 2>&1
echo top-begins >/dev/console
test_all --top </dev/null >/dev/console 2>&1
echo top-ends >/dev/console
test_all --ldist 4000000:5000000 --states C6 >/out/lines
test_all --quiet >/out/quiet
./latency_test --cpus 0 --methods hrt --samples 300 --quiet >/out/quiet-ktap
./latency_test --top >/out/top-file 2>&1
echo "$?" >>/out/top-file
./latency_test --top --quiet </dev/null >/dev/console 2>/out/top-quiet
echo "$?" >>/out/top-quiet
true
END

expect 'terminal: rate, time and part that is discarded, in place' \
	shows place-begins top-begins "$ESCAPE\\[1A.*/s, [0-9]* s left" 2
expect 'terminal: --top goes back over its rows' \
	shows top-begins top-ends "$ESCAPE\\[[0-9]*A" 2
expect 'terminal: --top shows verdicts as they come' shows top-begins top-ends '| FAIL' 2
expect 'terminal: and the table in the end' \
	shows top-begins top-ends '^0    hrt    C6 .* FAIL: above the limit' 1
expect 'terminal: a file gets no escape sequences' [ "$(lines lines "$ESCAPE")" -eq 0 ]
expect 'terminal: a file gets a line in ten seconds' [ "$(lines lines 's left')" -ge 1 ]
expect 'terminal: and some tens of lines in all' [ "$(lines lines .)" -le 60 ]
expect 'terminal: --quiet has FAIL and the table only' \
	[ "$(lines quiet 'armed [0-9]\|s left\|^PASS')/$(lines quiet '^FAIL')/$(lines quiet '^0    hrt    C')" = 0/2/4 ]
expect 'terminal: --quiet in KTAP has all results' \
	[ "$(lines quiet-ktap '^\(not \)\?ok ')/$(lines quiet-ktap 'armed [0-9]')" = 5/0 ]
expect 'terminal: --top takes a terminal' \
	[ "$(cat "$TMP/terminal/out/top-file")" = 'latency_test: --top takes a terminal as its output
1' ]
expect 'terminal: --top takes no --quiet' \
	[ "$(cat "$TMP/terminal/out/top-quiet")" = 'latency_test: --top takes no --quiet beside it
1' ]
checks_end terminal
