# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Results of checks: a line each, and a line in the file RESULTS for check.sh to
# count. A check script fails when one of its checks did. What explains a FAIL is said
# right before it, after the result before that: check.sh shows no more than this.

: "${RESULTS:=$TMP/results}"
FAILED=0

passed()
{
	echo "PASS $*" | tee -a "$RESULTS"
}

failed()
{
	FAILED=1
	echo "FAIL $*" | tee -a "$RESULTS"
}

skipped()
{
	echo "SKIP $*" | tee -a "$RESULTS"
}

# checks_end NAME: the last line of scripts/check-NAME.sh.
checks_end()
{
	echo "END $1" >>"$RESULTS"
	exit $FAILED
}

# expect NAME COMMAND...: the command, a test, succeeds.
expect()
{
	name=$1
	shift
	if "$@"; then
		passed "$name"
	else
		failed "$name"
	fi
}

# ran NAME CODE DIR: the job that machine_run ran in DIR has ended with 0; what is said
# of it if not.
ran()
{
	if [ "$2" -ne 0 ]; then
		tail -n 20 "$3/out/job.log" || true
		cat "$3/complaint" || true
		echo "the job ended with exit code $2"
	fi
	expect "$1: the run" [ "$2" -eq 0 ]
}

# silent NAME COMMAND...: the command succeeds and prints nothing.
silent()
{
	name=$1
	shift
	if "$@" >"$TMP/silent" 2>&1 && [ ! -s "$TMP/silent" ]; then
		passed "$name"
	else
		cat "$TMP/silent"
		failed "$name"
	fi
}

# take_over FILE: results of a judge, PASS or FAIL and a text in each line.
take_over()
{
	while read -r verdict text; do
		case $verdict in
		PASS)
			passed "$text"
			;;
		*)
			failed "$text"
			;;
		esac
	done <"$1"
}

# accounted NAME FILE: latency_test, whose output that is, had events and found that each
# of them has become something.
accounted()
{
	if ! grep -q ' armed [0-9]' "$2" || grep '^accounting:' "$2"; then
		failed "$1: events are unaccounted for"
	else
		passed "$1: every event is accounted for"
	fi
}

# skips PATTERN FILE: the runner of kselftest skipped what matches, and nothing else.
skips()
{
	! grep '# SKIP' "$2" | grep -v -E "$1"
}

# ktap NAME FILE: take over the results of the runner of kselftest, those of its
# programs and those of their cases.
ktap()
{
	sed -n -E 's/^(# )?((not )?ok) [0-9]+ (.*)$/\2 \4/p' "$2" >"$TMP/ktap"
	while read -r line; do
		case $line in
		ok*'# SKIP'*)
			skipped "$1: ${line#ok }"
			;;
		ok*)
			passed "$1: ${line#ok }"
			;;
		*)
			failed "$1: ${line#not ok }"
			;;
		esac
	done <"$TMP/ktap"
	[ -s "$TMP/ktap" ] || failed "$1: no test ran"
}
