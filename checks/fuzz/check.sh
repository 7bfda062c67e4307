#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A million random calls of the device, each of which must do what the interface
# says.
#
# Control: A kernel that complains fails the run, see the check debug.
# Takes: 50 s
set -eu
. scripts/lib/emulation.sh
. checks/lib/checks.sh

MACHINE=qemu

build_kernel
say fuzz "a million random calls on $(machine_name)"
# Each session waits for grace periods of RCU several times. Without that wait
# there is time for more sessions.
ktap_job machine fuzz checks/fuzz/guest 1800 rcupdate.rcu_expedited=1
checks_end
