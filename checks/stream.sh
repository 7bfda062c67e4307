#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# 100000 records in one session, with LONG=1 a million, for a fast reader and for a slow one.
#
# Control: A driver that loses records is found out, see the check broken.
# Takes: 20 s; first
. checks/lib/checks.sh

MACHINE=qemu

build_kernel
records=100000
[ -z "$LONG" ] || records=1000000
machine_job "$TMP/job" idle_latency/stream_test $records
ktap_job machine stream "$TMP/job" 3000
checks_end
