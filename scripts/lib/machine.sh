# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Runs of a job on a test machine, and what they came to.

SPLATS='WARNING: |BUG: |Oops|Kernel panic|KASAN|UBSAN|possible .* detected|INFO: task |rcu.* stall|soft lockup|hard LOCKUP|kmemleak: [0-9]+ new|general protection|unable to handle|Call Trace:'

# splats FILE...: the lines that say that the kernel found a fault in itself.
splats()
{
	grep -h -E "$SPLATS" "$@"
}

# no_result DIR PROBLEM: say why a machine left no result, with the end of what
# the emulator and its console said.
no_result()
{
	tail -q -n 20 "$1/output" "$1/console" >&2
	echo "idle_latency: $2" >&2
}

# machine_run DIR JOB SECONDS [KERNEL_ARGUMENTS]: run JOB on the machine of
# CPU_MODEL and show its output. Afterwards DIR has out/console.log, and in out/
# what the job left there, with job.log, its output, and dmesg.log. Returns the
# exit code of the job, or 125 when the machine failed.
machine_run()
{
	mkdir -p "$1/out"
	bochs_run "$1" "$CPU_MODEL" "$3" "$2" "${4-}"
	sed 's/\r$//' "$1/console" >"$1/out/console.log"
	if ! tar -C "$1" -xf "$1/disk" 2>"$1/tar.log" || [ ! -s "$1/status" ]; then
		no_result "$1" "$(cat "$1/problem" 2>/dev/null ||
			echo 'the machine ended without a result; the end of its output and console is above')"
		return 125
	fi
	rm -f "$1/disk" "$1/image"
	if splats "$1/out/console.log" "$1/out/dmesg.log" >&2; then
		echo 'idle_latency: the kernel of the machine reported the above' >&2
		return 125
	fi
	return "$(cat "$1/status")"
}

# machine_job FILE COMMAND ARGUMENT...: write a job that runs one command.
machine_job()
{
	file=$1
	shift
	printf '#!/bin/sh\ncd /kselftest || exit\nexec' >"$file"
	printf " '%s'" "$@" >>"$file"
	echo >>"$file"
}

# keep_results DIR FILE...: copy what is there to OUT.
keep_results()
{
	from=$1
	shift
	mkdir -p "$OUT"
	for file in "$@"; do
		rm -f "$OUT/$file"
		[ ! -f "$from/$file" ] || cp "$from/$file" "$OUT"
	done
}
