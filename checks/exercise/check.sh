#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# "make exercise": all combinations of settings in drawn order, and a page that says what each
# changes, on the emulated processor, against what TRUTH says; and, with runs that are drawn instead
# of measured, that it goes on where it was killed and skips what the machine refuses. The tests of
# the tool draw thousands of experiments, with and without a difference. What it leaves on a machine
# when it is killed is in checks/host/check.sh.
#
# Control: Runs whose settings were exchanged, and settings that change nothing.
# Takes: 95 s
. checks/lib/checks.sh
. checks/lib/drawn.sh

PROGRAM="$MAKE exercise"

# prewake=off takes 9 us longer, hold nothing, and there is no package limit below pc2. The fifth run
# waits while there is a file "wait".
# shellcheck disable=SC2016 # expanded by the script
draw_runs()
{
	drawn 'while [ -e wait ] && [ "$RUN_NUMBER" -eq 5 ]; do
		touch waiting
		sleep 0.1
	done
	case $SET in
	*package-limit=pc[01]*)
		echo "package-limit=pc0 cannot be set"
		echo "SKIP: the model of CPU has \"no\" such package limit"
		exit 4
		;;
	esac' <<-'END'
	import os
	import numpy as np
	import made
	generator = np.random.default_rng(int(os.environ['RUN_NUMBER']))
	latency = 60000 + 9000 * ('prewake=off' in os.environ['SET'])
	made.write(os.environ['OUT'], [made.row('C6', latency * generator.normal(1, .005) *
	                                        generator.normal(1, .01, 400))])
	END
}

# in_copy CODE TEXT ARGUMENT...
in_copy()
{
	(cd "$TMP/drawn" && made "$@")
}

# measured: how many runs of the copy were.
measured()
{
	find "$TMP/drawn/out/exercise" -mindepth 2 -name summary.csv | grep -v -c measuring
}

# gone PID: it has ended, whether somebody has waited for it or not.
gone()
{
	[ -z "$(tr -d '\0' 2>/dev/null <"/proc/$1/cmdline")" ]
}

# killed_in_the_fifth: its script is, and the run that it waits for ends with it, without a result.
killed_in_the_fifth()
{
	touch "$TMP/drawn/wait"
	(cd "$TMP/drawn" && exec $PROGRAM VARY="$EIGHT" RUNS_EACH=2 >"$TMP/killed" 2>&1) &
	program=$!
	within 120 test -e "$TMP/drawn/waiting"
	script=$(pgrep -P "$program" -f scripts/exercise.sh)
	run=$(pgrep -P "$script" -f scripts/run.sh)
	kill -KILL "$script"
	wait "$program" || true
	within 10 gone "$run"
	rm "$TMP/drawn/wait"
	gone "$run" && [ "$(measured)" -eq 4 ]
}

check_drawn()
{
	EIGHT='prewake=on,off hold=none,core package-limit=pc2,pc6'
	draw_runs
	expect 'exercise: DRY=1 says what is to be done' in_copy 0 \
		'^32 of 32 runs are left, about [0-9]+ min: nothing was measured' VARY="$EIGHT" DRY=1
	expect 'exercise: each combination, and how long it takes' \
		said '^block 4: prewake=off hold=core package-limit=pc6, about [0-9]+ s$'
	expect 'exercise: and measures nothing' [ "$(measured)" -eq 0 ]
	expect 'exercise: killed in the fifth of eight' killed_in_the_fifth
	order=$(cat "$TMP/drawn/out/exercise/order")
	expect 'exercise: DRY=1 says what is left' in_copy 0 \
		'^12 of 16 runs are left' VARY="$EIGHT" RUNS_EACH=2 DRY=1
	expect 'exercise: it goes on' \
		in_copy 0 '^prewake=off: C6 by hrt takes [89]\.[0-9]+ us longer' VARY="$EIGHT" RUNS_EACH=2
	expect 'exercise: in the same order' [ "$order" = "$(cat "$TMP/drawn/out/exercise/order")" ]
	expect 'exercise: and measures none twice' [ "$(grep -c ', run ' "$TMP/said")" -eq 12 ]
	expect 'exercise: what changes nothing' said '^hold=core: C6 by hrt: no difference found'
	# Each block of eight runs has every combination once.
	expect 'exercise: in blocks' \
		[ -z "$(awk -F - 'seen[$1, int((NR - 1) / 8)]++' "$TMP/drawn/out/exercise/order")" ]
	expect 'exercise: another one in the same directory' \
		in_copy 2 'has another experiment' VARY='prewake=on,off hold=none,all'
	expect 'exercise: what is refused is skipped' in_copy 0 \
		'^prewake=off package-limit=pc0 was not measured: package-limit=pc0 cannot be set: .*"no" such' \
		VARY='prewake=on,off package-limit=pc0,pc2' RUNS_EACH=3 OUT=out/refused
	expect 'exercise: with the reason on the page' grep -q \
		'prewake=off package-limit=pc0</td><td[^>]*>package-limit=pc0 cannot be set: the model of CPU' \
		"$TMP/drawn/out/refused/index.html"
	expect 'exercise: what is left is compared' said '^prewake=off: C6 by hrt takes [89]\.'
	expect 'exercise: nothing changes anything' in_copy 0 '^no setting makes a difference$' \
		VARY='hold=none,core' RUNS_EACH=5 OUT=out/same
	expect 'exercise: all is refused' in_copy 2 'nothing could be measured' \
		VARY='package-limit=pc0,pc1' OUT=out/nothing
}

# pattern WORD...: what a line has, in this order.
pattern()
{
	printf '%s.*' "$@"
}

# What TRUTH says: without pre-wake 150 us, and 192.83 with the package; with it 17.58, whatever the
# limit of the package is. What the machine refuses is drawn above, and in checks/keep/check.sh.
check_measured()
{
	expect 'exercise: measured: pre-wake and package limit' made 0 \
		'^settings make a difference: of 6 comparisons 2 are slower and 0 faster$' \
		CPU_MODEL=sapphire_rapids METHODS=hrt SAMPLES=100 RUNS_EACH=2 OUT="$TMP/exercise" \
		VARY='prewake=on,off package-limit=pc2,pc6' \
		TRUTH='C1:900 C1E:1900 C6:150000:package=42830 prewake=17580'
	expect 'exercise: measured: pre-wake' said "$(pattern \
		'^prewake=off: C6 by hrt takes 15[34] us longer' ' on average: ' \
		'with package-limit=pc2 13[23] us longer' 'with package-limit=pc6 175 us longer')"
	expect 'exercise: measured: the package limit matters without pre-wake only' said "$(pattern \
		'^package-limit=pc6: C6 by hrt takes 21\.[3-5] us longer' ' on average: ' \
		'with prewake=on no difference found' 'with prewake=off 42\.[89] us longer')"
	expect 'exercise: measured: nothing in other states' \
		[ "$(grep -c -E ': (C1|C1E) by hrt: no difference found' "$TMP/said")" -eq 4 ]
	sed -i 's/,on,/,?,/; s/,off,/,on,/; s/,?,/,off,/' "$TMP/exercise/exercise.csv"
	tool exercise "$TMP/exercise" >"$TMP/said" || true
	expect 'exercise: measured: exchanged settings are found out' \
		said '^prewake=on: C6 by hrt takes 15[34] us longer'
}

say exercise 'settings and what they change'
unit_tests test_exercise
check_drawn
check_measured
checks_end
