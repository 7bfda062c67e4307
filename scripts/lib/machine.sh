# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Runs of a job on a test machine, and what they came to.

SPLATS='WARNING: |BUG: |Oops|Kernel panic|KASAN|UBSAN|possible .* detected|INFO: task |rcu.* stall|soft lockup|hard LOCKUP|kmemleak: [0-9]+ new|general protection|unable to handle|Call Trace:'

# splats CONSOLE LOG: the lines that say that the kernel found a fault in itself. Where a CPU
# is when it gets an NMI is no fault: a test has the kernel print that, of several CPUs at
# the same time. The console shows nothing meanwhile, but the thread that writes to it may be
# late, and then it shows the second half of that, so a call trace alone counts in the log.
splats()
{
	awk -v splats="$SPLATS" '
		FILENAME == ARGV[1] && /NMI backtrace|Call Trace:/ { next }
		/NMI backtrace for cpu [0-9]+\r?$/ { asked_for++ }
		/Call Trace:/ && asked_for { asked_for--; next }
		$0 ~ splats { print; found = 1 }
		END { exit !found }' "$1" "$2"
}

# follow_machine DIR SECONDS PID: show what the job prints on the console of an
# emulator until that ends; in the background, so that a signal ends all of it at once.
# Bochs calls power-off a panic, so how a machine ended is told by what it wrote, not by
# its exit code.
follow_machine()
{
	tail --pid="$3" -n +1 -f "$1/console" |
		sed -u -e 's/\r$//' -e '1,/^idle_latency: job begins$/d' \
			-e '/^idle_latency: job ends$/,$d' &
	BACKGROUND="$3 $!"
	wait $!
	status=0
	wait "$3" || status=$?
	# shellcheck disable=SC2034 # clean_up uses it
	BACKGROUND=
	[ "$status" -ne 137 ] || echo "the machine did not end within $2 s" >"$1/problem"
}

# in_ns FILE: print what the machine wrote, a CSV file, with ns for cycles of the TSC.
in_ns()
{
	khz=$QEMU_TSC_KHZ
	[ "$MACHINE" = qemu ] || khz=$(bochs_tsc_khz)
	awk -v khz="$khz" -f scripts/in_ns.awk "$1"
}

# machine_run DIR JOB SECONDS [KERNEL_ARGUMENTS]: run JOB on the machine of
# CPU_MODEL and show its output. Afterwards DIR has out/console.log, and in out/
# what the job left there, with job.log, its output, and dmesg.log. Returns the
# exit code of the job, or 125 when the machine failed, and why is in DIR/complaint.
machine_run()
{
	mkdir -p "$1/out"
	truncate -s 512M "$1/disk"
	: >"$1/console"
	echo 'the machine ended without a result; the end of its output and console is above' >"$1/problem"
	"${MACHINE}_run" "$1" "$2" "$3" "${4-}"
	sed 's/\r$//' "$1/console" >"$1/out/console.log"
	# Of an emulated processor; that of simulated states is converted below.
	[ ! -f "$1/truth.csv" ] || mv "$1/truth.csv" "$1/out"
	if ! tar -C "$1" -xf "$1/disk" 2>"$1/tar.log" || [ ! -s "$1/status" ]; then
		{
			tail -q -n 20 "$1/output" "$1/console"
			sed 's/^/idle_latency: /' "$1/problem"
		} >"$1/complaint"
		cat "$1/complaint" >&2
		return 125
	fi
	rm -f "$1/disk" "$1/image"
	[ ! -f "$1/out/truth-cycles.csv" ] || in_ns "$1/out/truth-cycles.csv" >"$1/out/truth.csv"
	if splats "$1/out/console.log" "$1/out/dmesg.log" >"$1/complaint"; then
		echo 'idle_latency: the kernel of the machine reported the above' >>"$1/complaint"
		cat "$1/complaint" >&2
		return 125
	fi
	return "$(cat "$1/status")"
}

# machine_name: what it is, for messages.
machine_name()
{
	if [ "$MACHINE" = bochs ]; then
		echo "$CPU_MODEL in Bochs"
	elif [ -n "$QEMU_CPU_LITERAL" ]; then
		echo "$QEMU_CPU_LITERAL in QEMU, ${CPUS:-1} CPUs"
	elif [ "$QEMU_INTEL_IDLE" = yes ]; then
		echo "$QEMU_MODEL in QEMU${CPUS:+, $CPUS CPUs}"
	else
		echo "QEMU with ${CPUS:-1} CPUs and simulated idle states"
	fi
}

# machine_arguments: what the kernel is told. The number of a run says nothing to it.
machine_arguments()
{
	[ -z "${TABLE-}" ] || echo "intel_idle.table=$TABLE"
	[ -z "${RUN_NUMBER-}" ] || echo "run=$RUN_NUMBER"
}

# machine_job FILE COMMAND ARGUMENT...: write a job that runs one command, with the idle
# states of SIM where that is set, and keeps what these did. It ends with the exit code of
# the command, or with 5 where the kernel did not take TABLE.
machine_job()
{
	file=$1
	shift
	{
		printf '#!/bin/sh\ncd /kselftest || exit\n'
		[ -z "${TABLE-}" ] || printf 'sh /table %s || exit 5\n' "$TABLE"
		[ -z "$SIM" ] ||
			printf "modprobe idle_latency_sim 'states=%s' || exit\n" "$SIM"
		[ "$MACHINE" != qemu ] ||
			printf 'sh idle_latency/nic.sh take %s || exit\n' "$(qemu_card_address)"
		printf "'%s' " "$@"
		printf "\ncode=\$?\n"
		[ -z "$SIM" ] ||
			echo 'cat /sys/kernel/debug/idle_latency_sim/truth >/out/truth-cycles.csv'
		echo "exit \$code"
	} >"$file"
}

# long_job FILE JOB: the same job, which knows whether LONG is set.
long_job()
{
	{
		echo "LONG=$LONG"
		cat "$2"
	} >"$1"
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
