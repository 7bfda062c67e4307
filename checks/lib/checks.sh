# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Results of checks: a line each, and a line in the file RESULTS for check.sh to
# count. A check script fails when one of its checks did. What explains a FAIL is said
# right before it, after the result before that: check.sh shows no more than this.
set -eu
. scripts/lib/emulation.sh

: "${RESULTS:=$TMP/results}"
FAILED=0
# Its name, as scripts/check.sh has it.
CHECK=${0#checks/}
CHECK=${CHECK%.sh}
CHECK=${CHECK%/check}

# result PASS|FAIL|SKIP NAME
result()
{
	[ "$1" != FAIL ] || FAILED=1
	echo "$*" | tee -a "$RESULTS"
}

# checks_end: the last line of the check, and the seconds of CPU that it took with all that it
# started.
checks_end()
{
	times >"$TMP/times"
	tr ms '  ' <"$TMP/times" |
		awk '{ seconds += 60 * ($1 + $3) + $2 + $4 } END { printf "%.0f\n", seconds }' >"$RESULTS.cpu"
	echo "END $CHECK" >>"$RESULTS"
	exit "$FAILED"
}

# expect NAME COMMAND...: the command, a test, succeeds.
expect()
{
	name=$1
	shift
	if "$@"; then
		result PASS "$name"
	else
		result FAIL "$name"
	fi
}

# file_says FILE PATTERN: some line does; the end of the file is shown if not.
file_says()
{
	grep -q -E -e "$2" "$1" && return
	tail -n 40 "$1"
	return 1
}

# not COMMAND...: the command fails.
not()
{
	! "$@"
}

# within SECONDS COMMAND...: wait until it succeeds.
within()
{
	seconds=$1
	shift
	until "$@"; do
		[ "$seconds" -gt 0 ] || return 1
		seconds=$((seconds - 1))
		sleep 1
	done
}

# finds PATTERN COMMAND...: a judge does, in what it says FAIL of.
finds()
{
	pattern=$1
	shift
	"$@" >"$TMP/found" || true
	grep -q "^FAIL .*$pattern" "$TMP/found"
}

# finds_all COUNT COMMAND...: so many results of a judge are FAIL.
finds_all()
{
	count=$1
	shift
	[ "$("$@" | grep -c ^FAIL)" -eq "$count" ]
}

# copy DIR: what is here, without what git does not track.
copy()
{
	mkdir "$1"
	git ls-files -z | cpio -0 -p -d --quiet "$1"
}

# run_here NAME VARIABLE=VALUE...: what "make run" does with these, whose results are in
# $TMP/NAME/out/all; CODE is what it ended with.
run_here()
{
	run=$1
	shift
	CODE=0
	env LDIST='' "$@" OUT="$TMP/$run/out/all" scripts/run.sh >"$TMP/$run.log" 2>&1 || CODE=$?
	tail -n 5 "$TMP/$run.log"
}

# selftest_job <STEPS: write $TMP/job, whose steps are taken where the selftests are.
selftest_job()
{
	{
		echo 'cd /kselftest/idle_latency || exit'
		cat
	} >"$TMP/job"
}

# run_job DIR SUBJECT JOB SECONDS [KERNEL_ARGUMENTS]: run the job on a machine, which leaves its
# files in $TMP/DIR. It has to end with 0; CODE is what it ended with.
run_job()
{
	say "$CHECK" "${2#"$CHECK: "} on $(machine_name)"
	CODE=0
	machine_run "$TMP/$1" "$3" "$4" "${5-}" || CODE=$?
	if [ "$CODE" -ne 0 ]; then
		tail -n 20 "$TMP/$1/out/job.log" || true
		cat "$TMP/$1/complaint" || true
		echo "the job ended with exit code $CODE"
	fi
	expect "$2: the run" [ "$CODE" -eq 0 ]
}

# ktap_job DIR SUBJECT JOB SECONDS [KERNEL_ARGUMENTS]: the same of one that prints KTAP.
ktap_job()
{
	run_job "$@"
	ktap "$2" "$TMP/$1/out/job.log"
}

# silent NAME COMMAND...: the command succeeds and prints nothing.
silent()
{
	name=$1
	shift
	if "$@" >"$TMP/silent" 2>&1 && [ ! -s "$TMP/silent" ]; then
		result PASS "$name"
	else
		cat "$TMP/silent"
		result FAIL "$name"
	fi
}

# our_scripts: what checks are made of.
our_scripts()
{
	contents scripts
	contents checks
}
OUR_SCRIPTS=$(our_scripts)

# remembered INPUTS COMMAND...: run the command, unless it succeeded and printed nothing when it was
# run with the same INPUTS, arguments and scripts of ours. INPUTS is a text with all else that it
# depends on. The cache has an empty file for each; its lock need not be held.
remembered()
{
	silence=$CACHE/silence/$(hash_text "$OUR_SCRIPTS" "$@")
	shift
	[ ! -e "$silence" ] || return 0
	remembered_code=0
	"$@" >"$TMP/remembered" 2>&1 || remembered_code=$?
	cat "$TMP/remembered"
	[ "$remembered_code" -eq 0 ] || return "$remembered_code"
	# A script that was edited meanwhile may have been run as it was before, or after.
	[ ! -s "$TMP/remembered" ] && [ "$OUR_SCRIPTS" = "$(our_scripts)" ] || return 0
	mkdir -p "${silence%/*}"
	: >"$silence"
}

# Debian's sparse does not know the newest operator of the kernel, and the kernel refuses to use it
# then; the one it knows is the same but for const.
# shellcheck disable=SC2034 # used in checks
SPARSE='sparse -D__typeof_unqual__=__typeof__'

# without_macros: without what it makes of the MODULE_ macros of a kernel that is newer than it.
without_macros()
{
	grep -v ':1: error: bad constant expression$' || true
}

# no_warning LOG: neither the compiler nor modpost has one.
no_warning()
{
	! grep -i -E 'warning|error' "$1"
}

# judge PROGRAM ARGUMENT...: one of those in checks/, which may import those of checks/lib, and
# would leave its byte code; by the interpreter that Debian's packages are for.
judge()
{
	program=$1
	shift
	PYTHONPATH=checks/lib /usr/bin/python3 -B "checks/$program.py" "$@"
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
		PASS\ * | SKIP\ * | FAIL\ *)
			result "${line%% *}" "${line#* }"
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
		result FAIL "$judging: the judge came to no result, exit code $judge_code"
	fi
}

# run_unit_tests MODULE...: print a result for each test of these modules of idle-latency. Debian's
# packages are for the interpreter of Debian. With LONG=1 files are changed in 2000 ways, which
# takes minutes.
run_unit_tests()
{
	mutations=${LONG:+2000}
	MUTATIONS=${mutations:-200} \
		PYTHONPATH=tools/power/idle_latency:tools/power/idle_latency/tests \
		/usr/bin/python3 -B -m unittest -v "$@" >"$TMP/tests" 2>&1 ||
		sed -n '/^====/,$p' "$TMP/tests"
	# What a test says of itself is in a line between its name and its result.
	sed -n -E "/^test_\w+ \([^ ]*\)\$/N
		s/^test_\w+ \(([^ ]*)\)(\n.*)? \.\.\. ok\$/PASS $CHECK: \1: ok/p
		s/^(FAIL|ERROR): \w+ \(([^ ]*)\).*/FAIL $CHECK: \2: see above/p" "$TMP/tests"
	tail -n 1 "$TMP/tests" | grep -q '^OK'
}

# unit_tests MODULE...: the same as results.
unit_tests()
{
	judged "$CHECK: $*" run_unit_tests "$@"
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
		result FAIL "$1: events are unaccounted for"
	else
		result PASS "$1: every event is accounted for"
	fi
}

# ktap NAME LOG...: take over the results of programs, or of the runner of kselftest and
# its programs, in the kernel of the source BASE. What may be skipped is in checks/lib/skips.
ktap()
{
	run=$1
	shift
	judged "$run" judge lib/ktap results --kunit "$BASE/tools/testing/kunit/kunit.py" \
		--skips checks/lib/skips --cases "${RESULTS%.results}.cases" "$run" "$@"
}

# judge_collection MACHINE LOG... [OPTION...]: of the runner and, where that is apart, a directory with
# what the programs printed, against checks/NAME/table, see plain/judge.py.
judge_collection()
{
	judge plain/judge --kunit "$BASE/tools/testing/kunit/kunit.py" "$CHECK" "$@"
}

# csv PROGRAM [NAME=VALUE|FILE]...: awk on CSV files, where @NAME is the cell in the column of that
# name; file is the number of the file.
# shellcheck disable=SC2016 # a program of awk
csv()
{
	program=$(printf '%s\n' "$1" | sed 's/@\([a-z0-9_]*\)/$number["\1"]/g')
	shift
	awk -F, -v OFS=, "FNR == 1 { file++; for (i = 1; i <= NF; i++) number[\$i] = i } $program" "$@"
}

# share FILE WHICH SO LOW HIGH [LEAST]: of the rows for which WHICH holds, in terms of csv, LOW to HIGH
# in a hundred are SO; there are LEAST of them, or one.
share()
{
	printf '%s: %s: ' "${1#"$TMP/"}" "$3"
	csv "FNR > 1 && ($2) { rows++; so += ($3) != 0 }
		END {
			print so + 0 \" of \" rows + 0 \" rows\"
			exit !(rows >= ${6:-1} && so * 100 >= rows * $4 && so * 100 <= rows * $5)
		}" "$1"
}

# all_are FILE WHICH SO [LEAST]: all of them are.
all_are()
{
	share "$1" "$2" "$3" 100 100 "${4-}"
}

# column NAME MEASURED METHOD STATE COLUMN: of a row of the summary of what a job measured; of all
# rows of the method without STATE.
column()
{
	csv '@method == method && (state == "" || @state == state) { print @'"$5 }" \
		method="$3" state="$4" "$TMP/$1/out/$2/summary.csv"
}

# cell_is NAME MEASURED METHOD STATE COLUMN VALUE
cell_is()
{
	[ "$(column "$1" "$2" "$3" "$4" "$5")" = "$6" ]
}

# verdicts NAME MEASURED METHOD: of all its rows, in one line.
verdicts()
{
	column "$1" "$2" "$3" '' verdict | paste -s -d ' '
}

# doctor DIR [FILE STATEMENTS]...: leave a copy of the directory as $TMP/doctored, with the rows of
# these CSV files as the statements of awk make them.
doctor()
{
	sound=$1
	shift
	rm -rf "$TMP/doctored"
	cp -R "$sound" "$TMP/doctored"
	while [ $# -gt 0 ]; do
		csv "FNR > 1 { $2 } { print }" "$sound/$1" >"$TMP/doctored/$1"
		shift 2
	done
}

# doctored DIR FILE STATEMENTS COMMAND...: the command succeeds with such a copy.
doctored()
{
	doctor "$1" "$2" "$3" || return
	shift 3
	"$@"
}
