#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# "make kselftest TARGETS=idle_latency" as somebody runs it who has prepared nothing: no
# module is loaded, the card has its own driver or none. What is measured all the same, what
# is skipped and with which reason, and that everything is as before afterwards, also
# when a program or what it started was killed.
#
# Control: What is not there, in use or broken on purpose is not ok, with its reason.
# Takes: 250 s
. checks/lib/checks.sh
. checks/lib/steps.sh

MACHINE=qemu
# Well below what intel_idle declares.
TRUTH='C1:900 C1E:9000 C3:40000 C6:73800'

# guest NAME <STEPS: run the steps of a job, see checks/default/guest.
guest()
{
	GUEST=$1
	steps checks/default/guest - >"$TMP/job"
	run_job "$1" "default: $1" "$TMP/job" 1800
	left_nothing
}

# no_failure NAME
no_failure()
{
	silent "default: $GUEST: $1: nothing is 'not ok'" \
		sed -n -E '/^(# )*not ok /p' "$TMP/$GUEST/out/$1.log"
}

# What several steps are expected to say.
BY_NIC='ok [0-9]+ cpu0\.nic\.C6$'
BUSY='SKIP device in use'

build_kernel

QUICK='--methods nic --states C6 --samples 20'

QEMU_INTEL_IDLE=yes
# It is about the card: checks/fleet/check.sh and checks/plain/check.sh run all programs.
guest one-cpu <<END
modprobe igb || exit
tests all -t idle_latency:latency_test
as_before card-down measure $QUICK
ip link set eth0 up
as_before card-up measure $QUICK
ip link set eth0 down
rmmod igb
as_before card-free measure $QUICK
modprobe idle_latency && sh /kselftest/idle_latency/nic.sh take \$card || exit
as_before card-taken measure $QUICK
END
no_failure all
said all 'C6 is measured by hrt' 'ok [0-9]+ cpu0\.hrt\.C6$'
said all 'the card stays with its driver' \
	'cpu0\.nic\.C1 # SKIP card has a driver: name nic with --methods'
said card-down 'it is measured with' "$BY_NIC"
said card-up 'the reason' 'cpu0\.nic\.C6 # SKIP card in use'
said card-free 'it is measured with' "$BY_NIC"
said card-taken 'it is measured with' "$BY_NIC"

# Not the one of busybox here.
# shellcheck disable=SC2034 # lib/image.sh uses it
GUEST_LINKED=/usr/sbin/modprobe
CPUS=4
guest four-cpus <<END
modprobe igb || exit
tests all -t idle_latency:abi_test -t idle_latency:session_test
as_before card-down measure $QUICK
for moment in 0.1 2; do
	for signal in TERM INT KILL; do
		as_before \$signal-\$moment ended \$moment \$signal --methods nic --samples 3000
	done
done
as_before survivor-0.3 without_survivor 0.3 $QUICK
as_before second on_second_cpu
as_before killed-trace killed_trace
as_before no-modprobe without_modprobe
as_before bridged find_fake ln -s ../../br0 net/eth9/master
as_before unbridged find_fake true
modprobe idle_latency || exit
as_before busy beside_stream measure
as_before busy-test beside_stream /kselftest/idle_latency/abi_test
as_before at-once both_at_once
export KSELFTEST_LATENCY_TEST_ARGS=--methods=dth
tests typo -t idle_latency:latency_test
export KSELFTEST_LATENCY_TEST_ARGS=--cpus=7
tests no-cpu -t idle_latency:latency_test
export KSELFTEST_LATENCY_TEST_ARGS=--states=C6P
tests no-state -t idle_latency:latency_test
unset KSELFTEST_LATENCY_TEST_ARGS
as_before nowhere measure --out /nowhere/out
modprobe -r idle_latency
file=\$(find /lib/modules -name idle_latency.ko)
echo broken >\$file
as_before refused measure
as_before refused-test /kselftest/idle_latency/abi_test
rm \$file /lib/modules/*/modules.*.bin
depmod
tests absent -c idle_latency
# What init would load at the end.
sh /disk
sysctl -w kernel.modules_disabled=1
as_before no-more /kselftest/idle_latency/abi_test
END
no_failure all
said second 'it runs on the CPU that is allowed' '^cpu 2$'
said killed-trace 'it was killed' '^killed while it traced$'
no_failure killed-trace
said killed-trace 'it traces again' '^ok 1 trace.carries_the_record'
said no-modprobe 'the reason' '# SKIP no modprobe: install kmod'
said bridged 'the card is' '^used 0000:01:00.0$'
said unbridged 'the card is' '^bound 0000:01:00.0$'
said card-down 'it is measured with' "$BY_NIC"
said survivor-0.3 'the survivor was killed' '^killed [0-9]'
said survivor-0.3 'it goes on' "$BY_NIC"
for step in TERM-2 INT-2; do
	said $step 'what was not measured' '# SKIP interrupted'
done
for step in busy busy-test; do
	said $step 'the reason' "$BUSY"
	ended_with $step 4
done
said at-once 'one has the device' '^ok [0-9]+ [a-z_]+\.'
said at-once 'the other one waits, and is skipped' "$BUSY"
no_failure at-once
said typo 'it is not ok' '^not ok 1 selftests: idle_latency: latency_test # exit=1$'
said typo 'it says what is wrong' '^# Bail out! --methods takes .*, not .dth'
for step in no-cpu no-state; do
	said $step 'it is skipped' '^ok 1 selftests: idle_latency: latency_test # SKIP$'
done
said no-cpu 'it says which' '^# # CPU 7 is not online$'
said no-state 'it says which' '^# # C6P is none of C1, '
said nowhere 'it says why' '^not ok 1 --out takes a directory whose parent exists$'
ended_with nowhere 1
said no-more 'the reason' 'SKIP the kernel takes no more modules'
ended_with no-more 4
for step in refused refused-test; do
	said $step 'the reason' 'not ok 1 the module idle_latency cannot be loaded'
	ended_with $step 1
done
no_failure absent
said absent 'the reason' 'SKIP no driver: set CONFIG_IDLE_LATENCY'
expect 'default: four-cpus: absent: each of the seven programs is skipped' \
	[ "$(grep -c '^ok [0-9]* selftests: .* # SKIP$' "$TMP/$GUEST/out/absent.log")" -eq 7 ]

CPUS=2
QEMU_INTEL_IDLE=no
guest no-idle-states <<END
tests all -t idle_latency:sim_test
as_before simulated beside_stream wait_for 10 simulating
as_before no-such-cpu simulate_on 4
END
no_failure all
expect 'default: no-idle-states: one CPU has simulated states' \
	[ "$(grep /state1 "$TMP/$GUEST/out/simulated.log")" = /sys/devices/system/cpu/cpu0/cpuidle/state1 ]
said no-such-cpu 'the kernel log says so' 'parameter "cpus" is no list of CPUs'
said all 'the simulation was measured' '^ok [0-9]+ selftests: idle_latency: sim_test$'

# A hypervisor that has the idle states of the processor. What it lets be written means nothing.
# shellcheck disable=SC2034 # lib/machine-qemu.sh uses these
CPUS='' QEMU_INTEL_IDLE=yes QEMU_CPU_PROPERTIES=,hypervisor=on
guest virtual <<END
as_before sim /kselftest/idle_latency/sim_test
as_before measure measure --methods hrt --states C1
as_before settings measure --plain --force --set promotion=on
END
said sim 'the reason' '# SKIP this virtual machine has idle states'
ended_with sim 4
said measure 'the reason' '# SKIP in a virtual machine'
ended_with measure 4
said settings 'the reason' '^SKIP: settings are refused: this is a virtual machine'
ended_with settings 4
checks_end
