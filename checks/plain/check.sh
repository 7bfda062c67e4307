#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The default run of the selftests on machines that know nothing of it: guests of QEMU as
# people and kernel CI have them, with none of the arguments that other checks give the kernel,
# and emulated processors; with LONG=1 more of them, and a kernel that is configured as
# distributions do. What each program comes to and why is in checks/plain/table, and
# nothing else is accepted.
#
# Control: Logs with another result, reason, name or program are refused.
# Takes: 80 s
. checks/lib/checks.sh
. checks/lib/steps.sh

MACHINE=qemu
QEMU_KERNEL_ARGUMENTS='console=ttyS0,115200 panic=-1'
QEMU_CARD=
# What a user has, and not what busybox takes it for.
GUEST_LINKED=/usr/sbin/modprobe

# With MONITOR: a CPU that has no MWAIT spins in a simulated idle state and reads the local APIC
# all the while, and QEMU needs half a minute for a second of that.
SKYLAKE=Skylake-Server,+invtsc,+monitor

# machine NAME [KERNEL_ARGUMENTS [COMMAND]]: the default run there, after the command, which
# prepares the machine and finds that it is what it should be.
machine()
{
	GUEST=$1
	printf '%s\n' "{ ${3:-:}; } || exit" run_tests | steps checks/plain/guest - >"$TMP/job"
	run_job "$1" "plain: $1" "$TMP/job" 1800 "${2-}"
	left_nothing
	judged "plain: $1" judge_collection "$1" "$TMP/$1/out/run.log" --cases "${RESULTS%.results}.cases"
}

# guest NAME CPU CPUS [KERNEL_ARGUMENTS [COMMAND]]: a machine with a CPU of QEMU's own.
guest()
{
	QEMU_CPU_LITERAL=$2 CPUS=$3
	machine "$1" "${4-}" "${5-}"
}

# refused WHAT EDIT PATTERN: the judge has something against the log of epyc-invtsc once sed has
# edited it, and says so.
refused()
{
	sed -E "$2" "$TMP/epyc-invtsc/out/run.log" >"$TMP/doctored"
	judge_collection epyc-invtsc "$TMP/doctored" >"$TMP/refusal" || true
	expect "plain: the judge refuses $1" \
		grep -q -E "^FAIL plain: epyc-invtsc: $3" "$TMP/refusal"
}

# processor NAME MODEL CPUS [KERNEL_ARGUMENTS [COMMAND]]: the same with an emulated one, whose
# idle states take less than they declare.
processor()
{
	# shellcheck disable=SC2034 # lib/machine-qemu.sh uses these
	QEMU_CPU_LITERAL='' QEMU_INTEL_IDLE=yes QEMU_MODEL=$2 CPUS=$3
	machine "$1" "${4-}" "${5-}"
}

build_kernel

guest skylake 'Skylake-Server,-invtsc' 4
guest epyc-invtsc 'EPYC,+invtsc' 4
refused "a case that is 'not ok'" '/^# ok [0-9]+ /{s/ok/not ok/;:all;n;b all}' ''
refused 'a wrong reason' 's/# SKIP .*/# SKIP no reason/' '.*: is not to be skipped'
refused 'a case that is not skipped' 's/^(# ok .*) # SKIP.*/\1/' '.* is permitted to be skipped'
refused 'two cases of one name' 's/^(# ok [0-9]+ session\.hrt\.)[a-z_]+$/\1same/' \
	'session_test_session_hrt_same_: is the name of two cases'
refused 'a program that did not run' '/selftests: idle_latency: abi_test$/d' \
	'abi_test: has 0 results'

guest idle-poll 'Skylake-Server,+invtsc' 1 idle=poll
processor processor i7_3770k 1

if [ -n "$LONG" ]; then
	guest qemu64-1 qemu64 1
	guest qemu64 qemu64 4
	guest skylake-1 'Skylake-Server,-invtsc' 1
	guest epyc-1 EPYC 1
	guest epyc EPYC 4
	guest epyc-invtsc-1 'EPYC,+invtsc' 1
	guest tsc-unstable 'EPYC,+invtsc' 4 tsc=unstable
	guest idle-halt "$SKYLAKE" 4 idle=halt
	guest nosmt "$SKYLAKE" 2x2 nosmt 'online 0,2'
	processor processor-4 haswell_ep 4
	processor processor-nosmt skylake_sp 2x2 nosmt 'online 0,2'
	# Simulated states use MWAIT in a guest only, see above.
	QEMU_CPU_PROPERTIES=,hypervisor=on
	processor processor-max-cstate alder_lake 2 intel_idle.max_cstate=0 '! driver intel_idle'
	QEMU_CPU_PROPERTIES=
	processor processor-tsc-unstable granite_rapids 2 tsc=unstable

	HZ=1000
	MACHINE_CONFIGS="$MACHINE_CONFIGS configs/distribution.config"
	build_kernel
	guest distribution "$SKYLAKE" 4
	guest nohz-full "$SKYLAKE" 4 nohz_full=1-3
	# Linux v7.3 does not boot where CPU 0 is isolated from the scheduler, too: it stops at
	# the BUG() of select_fallback_rq(), as no other CPU is online for its first workers.
	guest isolated "$SKYLAKE" 4 isolcpus=managed_irq,0
	guest haltpoll "$SKYLAKE,kvm-cpuid=on" 4 '' \
		'modprobe cpuidle_haltpoll force=1 && driver haltpoll'
	guest lockdown-signed "$SKYLAKE" 1 lockdown=confidentiality
	guest lockdown-unsigned "$SKYLAKE" 1 lockdown=confidentiality unsign
	processor processor-nohz-full sapphire_rapids 4 nohz_full=1-3
	processor processor-isolated broadwell_ep 2 isolcpus=managed_irq,0
	processor processor-lockdown-signed ivy_bridge_ep 1 lockdown=confidentiality
fi
checks_end
