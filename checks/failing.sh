#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A machine or a job that fails, fails the run, with the right message.
set -eu
. scripts/lib/emulation.sh
. checks/lib/checks.sh

# machine_ends CODE SECONDS MESSAGE COMMAND...: a job ends with that code and
# with that message. KERNEL_ARGUMENTS are added to those of the machine.
machine_ends()
{
	want=$1
	seconds=$2
	message=$3
	shift 3
	machine_job "$TMP/job" "$@"
	rm -rf "$TMP/machine"
	code=0
	machine_run "$TMP/machine" "$TMP/job" "$seconds" "$KERNEL_ARGUMENTS" \
		>"$TMP/machine.log" 2>&1 || code=$?
	tail -n 20 "$TMP/machine.log"
	echo "the run ended with exit code $code"
	[ "$code" -eq "$want" ] && grep -q "$message" "$TMP/machine.log"
}

build_kernel
say failing 'machines that fail'
KERNEL_ARGUMENTS=
expect 'machine: the exit code of the job' \
	machine_ends 42 300 nonsense sh -c 'echo nonsense; exit 42'
expect 'machine: a warning of the kernel' \
	machine_ends 125 300 'kernel of the machine reported' \
	sh -c 'echo "<4>WARNING: CPU: 0 PID: 1 at nowhere" >/dev/kmsg'
expect 'machine: no result' \
	machine_ends 125 300 'ended without a result' poweroff -f
expect 'machine: no end' \
	machine_ends 125 20 'did not end within 20 s' sh -c 'while :; do :; done'
KERNEL_ARGUMENTS=rdinit=/nonexistent
expect 'machine: a panic of the kernel' \
	machine_ends 125 300 'Kernel panic' true
checks_end failing
