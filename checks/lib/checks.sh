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

# checks_end NAME: the last line of the check NAME.
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

# no_warning LOG: neither the compiler nor modpost has one.
no_warning()
{
	! grep -i -E 'warning|error' "$1"
}

# judge PROGRAM ARGUMENT...: one of those in checks/, which may import those of checks/lib, and
# would leave its byte code.
judge()
{
	program=$1
	shift
	PYTHONPATH=checks/lib python3 -B "checks/$program.py" "$@"
}

# judged NAME COMMAND...: results of a judge, PASS, SKIP or FAIL and a text in each line;
# other lines explain the FAIL after them. There is one at least, and the command succeeds.
judged()
{
	judging=$1
	shift
	judge_code=0
	"$@" >"$TMP/judged" || judge_code=$?
	while IFS= read -r line; do
		case $line in
		PASS\ *)
			passed "${line#PASS }"
			;;
		SKIP\ *)
			skipped "${line#SKIP }"
			;;
		FAIL\ *)
			failed "${line#FAIL }"
			;;
		FIGURE\ *)
			echo "${line#FIGURE }" >>"${RESULTS%.results}.figures"
			;;
		*)
			echo "$line"
			;;
		esac
	done <"$TMP/judged"
	if [ "$judge_code" -ne 0 ] || ! grep -q -E '^(PASS|FAIL) ' "$TMP/judged"; then
		failed "$judging: the judge came to no result, exit code $judge_code"
	fi
}

# figure SUBJECT NAME VALUE: it is what the document that has this figure says it must be.
figure()
{
	judged "$1" judge lib/figures judge "$@"
}

# figure_bound NAME
figure_bound()
{
	judge lib/figures bound "$1"
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

# ktap NAME LOG...: take over the results of programs, or of the runner of kselftest and
# its programs, in the kernel of the source BASE. What may be skipped is in checks/lib/skips.
ktap()
{
	run=$1
	shift
	judged "$run" checks/lib/ktap.py results --kunit "$BASE/tools/testing/kunit/kunit.py" \
		--skips checks/lib/skips --cases "${RESULTS%.results}.cases" "$run" "$@"
}
