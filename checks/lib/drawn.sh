# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# What make, or another PROGRAM, says of runs, and runs that are drawn instead of measured.

# make as a user has it, who says nothing else.
# shellcheck disable=SC2034 # used in PROGRAM
MAKE='env -u MACHINE -u CPU_MODEL -u TRUTH -u CPUS -u OUT -u LDIST -u SWEEP make --no-print-directory'

# made CODE TEXT ARGUMENT...: PROGRAM ends with this code, and says this, a regular expression.
made()
{
	want=$1
	text=$2
	shift 2
	code=0
	$PROGRAM "$@" >"$TMP/said" 2>&1 || code=$?
	file_says "$TMP/said" "$text" && [ "$code" -eq "$want" ] && return
	echo "the exit code is $code, must be $want, and '$text' be said"
	return 1
}

# said TEXT: it did that, too.
said()
{
	file_says "$TMP/said" "$1"
}

# drawn PRELUDE <PYTHON: leave a copy of what make takes in $TMP/drawn, in which a program of Python
# draws runs by its environment, after the commands PRELUDE; "made" is that of the tool's tests.
drawn()
{
	mkdir "$TMP/drawn"
	cp -R Makefile checks emulator scripts tools "$TMP/drawn"
	echo : >"$TMP/drawn/scripts/deps.sh"
	cat >"$TMP/drawn/draw.py"
	cat >"$TMP/drawn/scripts/run.sh" <<-END
	#!/bin/sh
	$1
	PYTHONPATH=tools/power/idle_latency:tools/power/idle_latency/tests /usr/bin/python3 -B draw.py
	END
}
