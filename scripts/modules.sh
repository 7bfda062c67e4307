#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Build the driver as modules for the kernel whose headers are in KDIR (default:
# those of the running kernel), into out/modules/.
set -eu
. scripts/lib/common.sh

KDIR=${KDIR:-/lib/modules/$(uname -r)/build}
[ -f "$KDIR/Makefile" ] ||
	die "no kernel headers in $KDIR: install linux-headers-$(uname -r), or give theirs as KDIR="

rm -rf out/modules
mkdir -p out/modules
cp -R drivers/idle_latency/*.[ch] include out/modules
cp drivers/idle_latency/Makefile out/modules/Makefile.driver
cp scripts/external/* out/modules
start_log modules
say modules "building for $KDIR (log: $CACHE/log/modules.log)"
logged modules make -C "$KDIR" -j "$JOBS" M="$PWD/out/modules" modules
ls out/modules/*.ko
