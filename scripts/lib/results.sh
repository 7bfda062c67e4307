# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# What reads results, and how many there are. It needs no kernel tree, and runs on any machine.

# tool ARGUMENT...: idle-latency, by the interpreter that Debian's numpy and scipy are for.
tool()
{
	/usr/bin/python3 -B tools/power/idle_latency/idle-latency "$@"
}

# sweep_steps SWEEP: as latency_test counts those of FROM:TO:STEP%.
sweep_steps()
{
	echo "$1" | awk -F '[:%]' '{
		for (from = $1; from <= $2; steps++)
			from += int(from * $3 / 100) > 1 ? int(from * $3 / 100) : 1
		print steps
	}'
}
