# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# How many steps a sweep has.

# sweep_steps SWEEP: as latency_test counts those of FROM:TO:STEP%.
sweep_steps()
{
	echo "$1" | awk -F '[:%]' '{
		for (from = $1; from <= $2; steps++)
			from += int(from * $3 / 100) > 1 ? int(from * $3 / 100) : 1
		print steps
	}'
}
