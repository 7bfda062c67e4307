#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# 200000 random calls of the device, with LONG=1 a million, each of which must do what the
# interface says.
#
# Control: A kernel that complains fails the run, see the check debug.
# Takes: 35 s
. checks/lib/checks.sh

MACHINE=qemu
# One of them wakes the other one.
CPUS=2

build_kernel
calls=200000
[ -z "$LONG" ] || calls=1000000
# States of all kinds, without which the emulated machine ends sooner.
selftest_job <<END
modprobe idle_latency_sim 'states=FAST:2000:1000 IRQS:9000:3000:irqs DEMOTES:20000:15000:demote=10 REJECTS:30000:20000:reject=7' || exit
sh nic.sh take 0000:00:04.0 || exit
code=0
stress/fuzz_test $calls || code=\$?
rmmod idle_latency_sim || exit
exit \$code
END
# Each session waits for grace periods of RCU several times. Without that wait
# there is time for more sessions.
ktap_job machine fuzz "$TMP/job" 1800 rcupdate.rcu_expedited=1
checks_end
