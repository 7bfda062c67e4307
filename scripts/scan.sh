#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Say what this machine can measure, and what would spoil results; as much as that can be
# told, where the driver cannot be built.
set -eu
. scripts/lib/common.sh
. scripts/lib/external.sh
. scripts/lib/machine-host.sh

[ "$(id -u)" -eq 0 ] || die 'looking at this machine needs root'
refusal=$(host_refusal)
[ -z "$refusal" ] || say scan "make run MACHINE=host would refuse: $refusal"
if ! (host_prepare); then
	say scan 'without the driver, for the reason above'
	host_build
	host_run --scan || true
	exit
fi
host_prepare
host_run --scan
