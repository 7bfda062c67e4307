# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# What reads results. It needs no kernel tree, and runs on any machine.

# tool ARGUMENT...: idle-latency, by the interpreter that Debian's numpy and scipy are for.
tool()
{
	/usr/bin/python3 -B tools/power/idle_latency/idle-latency "$@"
}
