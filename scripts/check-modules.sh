#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The driver as modules for the unmodified kernel of this distribution.
set -eu
. scripts/lib/common.sh
. scripts/lib/checks.sh

# headers: those of the newest kernel that the package brought.
headers()
{
	find /lib/modules -maxdepth 2 -name build | sort -V | tail -n 1
}

# no_warning LOG: of the compiler or of modpost.
no_warning()
{
	! grep -i -E 'warning|error' "$1"
}

KDIR=$(headers)
export KDIR
say modules "against $KDIR"
expect 'modules: they build' scripts/modules.sh
expect 'modules: without a warning' no_warning "$CACHE/log/modules.log"
for module in idle_latency idle_latency_core idle_latency_sim; do
	expect "modules: $module.ko is for that kernel" \
		[ "$(modinfo -F vermagic out/modules/$module.ko | cut -d ' ' -f 1)" = \
		"$(basename "${KDIR%/build}")" ]
done
checks_end modules
