#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The checks, or with STEPS some of them, and the count of their results in the last line. With
# LONG=1 there are more of them, and some do more. Emulators use one CPU each and wait for disks
# and for other programs, so one check more than there are CPUs in the smallest machine runs at a
# time. What a check says is in a log of its own; shown are its begin and its end, what takes
# minutes to build, each FAIL with what was said since the result before it, and at the end how
# long each took. With LIST=1 they are listed.
set -eu
. checks/lib/index.sh
if [ -n "$LIST" ]; then
	list_checks
	exit
fi
. scripts/lib/common.sh

# Each check has its machines.
export MACHINE=bochs CPU_MODEL=corei7_ivy_bridge_3770k HZ=250
export SIM='' TRUTH='' CPUS='' TABLE='' QUANTILE='' MEASURE='' HOLD='' SET='' FORCE='' KERNEL=''
export SWEEP='' WAKER='' CARD=''
export RUNS='' A='' B=''

export IDLE_LATENCY_SEEN="$TMP/seen"
mkdir "$IDLE_LATENCY_SEEN"

LOGS=out/check
rm -rf "$LOGS"
mkdir -p "$LOGS"

# What says that the driver is broken must not share the CPUs with what takes long.
ROWS_OF_FIRST=2
ROWS=3
exec 3>&1
export IDLE_LATENCY_PROGRESS=3

# count VERDICT FILE...: the results of that kind.
count()
{
	verdict=$1
	shift
	cat "$@" | grep -c "^$verdict " || true
}

# last_error LOG: what the script said last, an error where there is one.
last_error()
{
	{ grep '^idle_latency: ' "$1" || cat "$1"; } | sed 's/^idle_latency: //' |
		grep . | tail -n 1
}

# explain NAME: each FAIL, with the 40 lines before it, back to the result before.
explain()
{
	awk '
		NR == FNR { result[$0]; next }
		!($0 in result) { said[++n] = $0; next }
		/^FAIL / {
			print ""
			for (i = n > 40 ? n - 39 : 1; i <= n; i++)
				print "    " said[i]
			print
		}
		{ n = 0 }' "$LOGS/$1.results" "$LOGS/$1.log"
}

# conclude NAME CODE SECONDS: what came of a check, in one piece.
conclude()
{
	results=$LOGS/$1.results
	log=$LOGS/$1.log
	grep -q -x "END $1" "$results" ||
		echo "FAIL $1: did not get to its end, exit code $2: $(last_error "$log")" |
		tee -a "$log" >>"$results"
	echo "$1 $3 $(cat "$results.cpu" 2>/dev/null || echo '?')" >>"$LOGS/times"
	failed=$(count FAIL "$results")
	state=passed
	[ "$failed" -eq 0 ] || state=FAILED
	{
		flock 8
		explain "$1"
		say check "$1: $state after $3 s: $(count PASS "$results") passed," \
			"$failed failed, $(count SKIP "$results") skipped"
	} 8>"$TMP/terminal"
}

# take: the next check, which nobody has begun.
take()
{
	{
		flock 9
		sed -n 1p "$TMP/queue"
		sed -i 1d "$TMP/queue"
	} 9>"$TMP/queue.lock"
}

# stop_early NAME: that one is first and failed, so that no other check would say more. Those of
# the other rows are broken off.
stop_early()
{
	say check "$1 failed: nothing else is run"
	: >"$TMP/stopped"
	flock "$TMP/queue.lock" truncate -s 0 "$TMP/queue"
	cat "$TMP"/row-* 2>/dev/null | sed 's/^/-/' | xargs -r kill -- 2>/dev/null || true
}

# run_queue ROW: one check after the other, in the background and as a group, so that a signal ends
# it and what it started at once.
run_queue()
{
	BACKGROUND=
	trap 'kill -- "-$BACKGROUND" 2>/dev/null; exit 143' TERM
	while check=$(take) && [ -n "$check" ]; do
		say check "$check: begins (log: $LOGS/$check.log)"
		: >"$LOGS/$check.results"
		began=$(date +%s)
		RESULTS=$PWD/$LOGS/$check.results setsid "$(check_file "$check")" >"$LOGS/$check.log" 2>&1 &
		BACKGROUND=$!
		echo "$!" >"$TMP/row-$1"
		code=0
		wait $! || code=$?
		rm "$TMP/row-$1"
		if [ -e "$TMP/stopped" ]; then
			rm "$LOGS/$check.results"
			continue
		fi
		conclude "$check" "$code" $(($(date +%s) - began))
		case "$first " in
		*" $check "*)
			[ "$failed" -eq 0 ] || stop_early "$check"
			;;
		esac
	done
}

# show_times: how long each check took, how much of the CPUs, and what its comment says.
show_times()
{
	describe_checks | awk -F '\t' '
		NR == FNR { split($0, field, " "); took[field[1]] = field[2]; cpu[field[1]] = field[3]; next }
		$1 in took { printf "%-14s %5d s, %5s s of CPU, usually %d s\n", $1, took[$1], cpu[$1], $2 }' \
		"$LOGS/times" - | sort -k 2,2nr
	echo "in all         $(printf %5d $(($(date +%s) - begin))) s"
}

# judge_all NAME COMMAND...: judge what several checks found together.
judge_all()
{
	of_all=$LOGS/$1
	shift
	python3 -B "$@" >"$of_all.log" ||
		echo "FAIL $of_all: the judge came to no result" >>"$of_all.log"
	grep -E '^(PASS|FAIL) ' "$of_all.log" >"$of_all.results" || true
	grep -v -E '^(PASS|FAIL) ' "$of_all.log" || true
}

# run_checks ROWS NAME...: so many at a time.
run_checks()
{
	rows=$1
	shift
	printf '%s\n' "$@" >"$TMP/queue"
	for row in $(seq "$rows"); do
		run_queue "$row" &
		BACKGROUND="$BACKGROUND $!"
	done
	for pid in $BACKGROUND; do
		wait "$pid" || echo "FAIL check: a row of checks ended too early" >>"$LOGS/rows.results"
	done
	BACKGROUND=
}

begin=$(date +%s)
first=$(checks_of first | sed 's/^/ /' | tr -d '\n')
# shellcheck disable=SC2046 # a list
run_checks $ROWS_OF_FIRST $(checks_of first)
# shellcheck disable=SC2046 # a list
[ -e "$TMP/stopped" ] || run_checks $ROWS $(checks_of rest)
for check in $(checks_of alone); do
	[ -e "$TMP/stopped" ] || run_checks 1 "$check"
done

echo
show_times
whole=
[ -n "$STEPS" ] || [ -e "$TMP/stopped" ] || whole=--all
find "$LOGS" -name '*.figures' -exec cat {} + >"$TMP/figures"
judge_all figures-of-documents checks/lib/figures.py compare $whole "$TMP/figures"
# What some of them skip others may run.
[ -z "$whole" ] ||
	judge_all everywhere checks/lib/ktap.py everywhere --skips checks/lib/skips "$LOGS"/*.cases
cat "$LOGS"/*.results | grep '^FAIL ' || true
passed=$(count PASS "$LOGS"/*.results)
failed=$(count FAIL "$LOGS"/*.results)
echo "idle_latency: $passed passed, $failed failed, $(count SKIP "$LOGS"/*.results) skipped"
[ "$passed" -gt 0 ] && [ "$failed" -eq 0 ]
