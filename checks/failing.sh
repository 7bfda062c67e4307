#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A machine or a job that fails, fails the run, with the right message; a signal ends a run; and a
# broken driver ends "make check" within three minutes.
#
# Control: It is one: machines, jobs and a driver that fail.
# Takes: 65 s
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

# members SESSION: the processes in it, but for those that only wait to be reaped.
members()
{
	cat /proc/[0-9]*/stat 2>/dev/null |
		awk -v session="$1" '$6 == session && $3 != "Z" { print $1 }'
}

ended()
{
	[ -z "$(members "$1")" ]
}

# A run that measures for minutes is told to end, and does before it has any results.
ends_at_once()
{
	SAMPLES=100000 OUT="$TMP/run" setsid scripts/run.sh >"$TMP/run.log" 2>&1 &
	BACKGROUND=$!
	result=0
	within 300 grep -q 'timer pre-wake' "$TMP/run.log" && kill "$BACKGROUND" &&
		within 300 ended "$BACKGROUND" || result=1
	! grep -q 'results are in' "$TMP/run.log" || result=1
	members "$BACKGROUND" | xargs -r kill -KILL
	BACKGROUND=
	return "$result"
}

# broken_is_red: in a copy whose driver takes the rate of the TSC for one kHz more than it is, the
# unit tests fail, and nothing but what is first is run to its end.
broken_is_red()
{
	copy "$TMP/broken"
	source=$(grep -l -r 'div_u64_rem(cyc, khz, &rest)' drivers/idle_latency)
	sed -i 's/div_u64_rem(cyc, khz, &rest)/div_u64_rem(cyc, khz + 1, \&rest)/' "$TMP/broken/$source"
	! cmp -s "$source" "$TMP/broken/$source" || return
	began=$(date +%s)
	code=0
	env -u LIST -u STEPS -u IDLE_LATENCY_PROGRESS make -C "$TMP/broken" check LONG= \
		>"$TMP/broken.log" 2>&1 3>&- &
	BACKGROUND=$!
	wait "$BACKGROUND" || code=$?
	BACKGROUND=
	took=$(($(date +%s) - began))
	cat "$TMP/broken.log"
	echo "failing: make check ended with $code after $took s"
	[ "$code" -eq 2 ] && [ "$took" -le 180 ] && grep -q '^FAIL kunit: ' "$TMP/broken.log" &&
		grep -q ' failed: nothing else is run$' "$TMP/broken.log"
}

# It boots sooner, and what a machine came to is told of both in the same way.
MACHINE=qemu
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
# The overlay that keeps a disk as it is has a timer of its own after 600 s, see emulator/time. The
# CPU is busy then.
truncate -s 1M "$TMP/lasting"
QEMU_DISKS=$TMP/lasting
# shellcheck disable=SC2016 # for the machine to expand
expect 'machine: a timer of the block layer' machine_ends 0 300 '^later$' \
	sh -c 'sleep 598; until grep -q "^60[1-9]" /proc/uptime; do :; done; echo later'
QEMU_DISKS=
# Bochs has to end for itself then.
MACHINE=bochs KERNEL_ARGUMENTS=rdinit=/nonexistent
expect 'machine: a panic of the kernel' \
	machine_ends 125 300 'Kernel panic' true
KERNEL_ARGUMENTS=
expect 'run: a signal ends it and its emulator' ends_at_once
expect 'make check: with a broken driver it is red within three minutes' broken_is_red
checks_end
