#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The driver as modules for the unmodified kernel of this distribution.
#
# Control: A version that nobody tried is named.
# Takes: 20 s
. checks/lib/checks.sh

# The headers of the newest kernel that the package brought.
KDIR=$(find /lib/modules -maxdepth 2 -name build | sort -V | tail -n 1)
export KDIR
say modules "against $KDIR"
expect 'modules: they build' scripts/modules.sh
expect 'modules: without a warning' no_warning "$CACHE/log/modules.log"
for module in idle_latency idle_latency_sim; do
	expect "modules: $module.ko is for that kernel" \
		[ "$(modinfo -F vermagic out/modules/$module.ko | cut -d ' ' -f 1)" = \
		"$(basename "${KDIR%/build}")" ]
done

# says_untested: a kernel that is not among those that were tested gets its modules, too.
says_untested()
{
	sed -i 's/^TESTED := .*/TESTED := 5.4/' out/modules/Kbuild
	external_build out/modules "$KDIR" modules >"$TMP/said" &&
		grep -q '^idle_latency: this was tested with Linux 5\.4, and this is [0-9]' "$TMP/said"
}
expect 'modules: a kernel that nobody tried is named' says_untested

# built_with VERSION: the configuration of a kernel that clang built, CONFIG_CLANG_VERSION.
built_with()
{
	mkdir -p "$TMP/headers/include/config"
	echo "CONFIG_CLANG_VERSION=$1" >"$TMP/headers/include/config/auto.conf"
	external_compiler "$TMP/headers"
}
expect 'modules: gcc for a kernel built with gcc' [ "$(built_with 0)" = '' ]
expect 'modules: clang-19 for a kernel built with that' [ "$(built_with 190107)" = LLVM=-19 ]
expect 'modules: any clang where that is not there' [ "$(built_with 60001)" = LLVM=1 ]
expect 'modules: no headers' [ "$(KDIR=/nonexistent external_headers 2>&1 | grep -c 'linux-headers-')" -eq 1 ]
checks_end
