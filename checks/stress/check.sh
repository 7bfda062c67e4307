#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Do the programs that disturb others leave nothing behind? One of their processes is
# killed, or gets another signal, at moments that are chosen by chance, when there may be nothing
# to undo, and as soon as there is something; with LONG=1 at more moments, and each program in
# each of five ways.
#
# Control: With nobody left to undo it, what was changed is seen.
# Takes: 80 s
. checks/lib/checks.sh

MACHINE=qemu
CPUS=4

build_kernel
long_job "$TMP/job" checks/stress/guest
ktap_job stress stress "$TMP/job" 3000
expect 'stress: programs are killed when there is something to undo' \
	[ "$(grep -c '^ok .*: SIGKILL when there is something to undo$' "$TMP/stress/out/job.log")" -eq 3 ]
expect 'stress: what is left when nobody is left to undo it is seen' \
	grep -q '^# +.*pm_test.*\[freezer\]' "$TMP/stress/out/job.log"
checks_end
