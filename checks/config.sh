#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Is everything that the selftests ask of a kernel in one that is configured as
# kselftest says: the fragments of the targets merged on a defconfig?
#
# Control: An option that the kernel does not take is found.
# Takes: 20 s
. checks/lib/checks.sh

# merge FRAGMENT: configure $TMP/config with it.
merge()
{
	mkdir -p "$TMP/config"
	logged kernel kernel_make O="$TMP/config" x86_64_defconfig
	logged kernel env -C "$TMP/config" "$TREE/scripts/kconfig/merge_config.sh" \
		-m .config "$(realpath "$1")"
	logged kernel kernel_make O="$TMP/config" olddefconfig
}

# lost FRAGMENT: the lines of it that the kernel did not take.
lost()
{
	grep '^CONFIG_' "$1" | grep -v -x -F -f "$TMP/config/.config" || true
}

# elsewhere: what the collection says on a machine that is not x86.
elsewhere()
{
	mkdir "$TMP/arm64"
	logged kernel make -C "$TREE/tools/testing/selftests" ARCH=arm64 O="$TMP/arm64" \
		TARGETS=idle_latency INSTALL_PATH="$TMP/elsewhere" install
	"$TMP/elsewhere/run_kselftest.sh" -c idle_latency >"$TMP/said"
	cat "$TMP/said"
	grep -q -x 'ok 1 selftests: idle_latency: skip.sh # SKIP' "$TMP/said"
}

say config 'merging the fragments of the selftests on x86_64_defconfig'
cache_lock
prepare_tree
start_log kernel
SELFTESTS=tools/testing/selftests/idle_latency
for fragment in config stress/kernel.config; do
	merge "$SELFTESTS/$fragment"
	silent "config: $fragment" lost "$SELFTESTS/$fragment"
done
# What the patterns of "make kselftest-merge" find, which is for the kernels of all tests.
expect 'config: fault injection and the like are for stress alone' \
	[ "$(cd "$SELFTESTS" && find . -name config -o -name 'config.*')" = ./config ]
expect 'config: on arm64, the collection is skipped' elsewhere
cache_unlock
# What cannot be set where FUNCTION_TRACER is.
echo CONFIG_ENABLE_DEFAULT_TRACERS=y >"$TMP/impossible"
expect 'config: what the kernel does not take is found' [ -n "$(lost "$TMP/impossible")" ]
checks_end
