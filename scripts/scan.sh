#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Say what this machine can measure, and what would spoil results.
set -eu
. scripts/lib/common.sh
. scripts/lib/external.sh
. scripts/lib/machine-host.sh

[ "$(id -u)" -eq 0 ] || die 'looking at this machine needs root'
refusal=$(host_refusal)
[ -z "$refusal" ] || say scan "make run MACHINE=host would refuse: $refusal"
host_prepare
host_run --scan
