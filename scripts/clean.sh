#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Remove the results and what was built; keep what was downloaded.
set -eu
. scripts/lib/common.sh

exec 8>>"$CACHE/host.lock"
flock -n 8 || die 'a measurement of this machine goes on: end it first'
cache_lock
rm -rf out
for name in apt build busybox-i386 disk emulator kernel log root selftests silence source tree; do
	rm -rf "${CACHE:?}/$name"
done
cache_unlock
