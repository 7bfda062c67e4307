#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Do the programs that disturb others leave nothing behind? One of their processes is
# killed, or gets another signal, at moments that are chosen by chance; with LONG=1 at
# more of them, and each program in each of five ways.
set -eu
. scripts/lib/emulation.sh
. scripts/lib/checks.sh

MACHINE=qemu
QEMU_CPUS=4
# Whatever else this machine does, the card has to find its clock right.
QEMU_COUNTED=yes

# struck: some programs end by themselves before it is their turn, and some have not begun
# yet to change anything, or have undone it. When they do depends on how fast this machine
# is, so that the number varies; a check that strikes at nothing finds none.
struck()
{
	awk '/^# [0-9]+ strikes: / { strikes = $2; killed = $4; found = $9 }
		END { exit !(strikes && killed >= strikes / 2 && found >= 2 && found >= killed / 6) }' \
		"$TMP/stress/out/job.log"
}

build_kernel
say stress "killing what disturbs others on $(machine_name)"
code=0
long_job "$TMP/job" scripts/guest/stress
machine_run "$TMP/stress" "$TMP/job" 3000 || code=$?
ktap stress "$TMP/stress/out/job.log"
expect 'stress: the run' [ "$code" -eq 0 ]
expect 'stress: half of the strikes hit a process, and a sixth of these find something to undo' \
	struck
expect 'stress: what is left when nobody is left to undo it is seen' \
	grep -q '^# +.*pm_test.*\[freezer\]' "$TMP/stress/out/job.log"
checks_end stress
