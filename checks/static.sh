#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What can be told without running: shellcheck, checkpatch, and the warnings of
# gcc, clang and sparse; with LONG=1 of 32-bit programs, too.
set -eu
. scripts/lib/common.sh
. scripts/lib/source.sh
. scripts/lib/tree.sh
. scripts/lib/kernel.sh
. scripts/lib/i386.sh
. checks/lib/checks.sh

# warnings BUILD MAKE_ARGUMENTS...: build our folders with every warning.
warnings()
{
	build_begin "$CACHE/build/$(hash_text warnings "$TREE" "$KERNEL_ARCH" "$@")"
	start_log kernel
	machine_config >"$TMP/machine.config"
	configure "$BUILDING/files" "$TMP/machine.config" "$@"
	logged kernel kernel_make O="$BUILDING/files" "$@" prepare
	# make would say nothing about what is built already.
	rm -rf "$BUILDING/files/drivers/idle_latency"
	code=0
	kernel_make -s O="$BUILDING/files" W=1 "$@" drivers/idle_latency/ \
		>"$TMP/warnings" 2>&1 || code=$?
	build_end
	# What Debian's sparse makes of the MODULE_ macros of a kernel that is
	# newer than it.
	grep -v ':1: error: bad constant expression$' "$TMP/warnings" || true
	return "$code"
}

# selftest_warnings: build the selftests with every warning.
selftest_warnings()
{
	logged kernel kernel_make O="$TMP/$KERNEL_ARCH" headers
	selftests_make "$TMP/$KERNEL_ARCH" -s >/dev/null
}

# Files of ours that checkpatch understands, in the tree.
our_files()
{
	find drivers kunit include tools -type f \
		\( -name '*.[ch]' -o -name Kconfig -o -name Makefile -o -name '*.mk' \) |
		sed 's|^kunit/|drivers/idle_latency/tests/|'
}

# Debian's sparse does not know the newest operator of the kernel, and the kernel
# refuses to use it then; the one it knows is the same but for const.
CHECK='sparse -D__typeof_unqual__=__typeof__'

say static 'shellcheck, checkpatch, compiler warnings'
silent shellcheck shellcheck -x -a scripts/*.sh scripts/guest/* .ci/run \
	checks/*.sh checks/*/check.sh checks/lib/igb checks/lib/as-before \
	checks/*/guest checks/debug/faulty checks/host/user checks/nic/affinity checks/nic/cards \
	tools/testing/selftests/idle_latency/*.sh

cache_lock
find_source
make_overlay
update_tree
our_files >"$TMP/our-files"
silent checkpatch env -C "$TREE" xargs -a "$TMP/our-files" \
	scripts/checkpatch.pl --strict --quiet --terse --no-summary --show-types --file
silent 'gcc and sparse' warnings C=2 CHECK="$CHECK"
silent clang warnings CC=clang-19
silent 'gcc, selftests' selftest_warnings
if [ -n "$LONG" ]; then
	i386_kernel
	silent 'gcc and sparse, 32 bits' warnings C=2 CHECK="$CHECK"
	# Where the harness of kselftest would print a pointer.
	SELFTEST_CFLAGS="$SELFTEST_CFLAGS -Wno-pointer-to-int-cast"
	silent 'gcc, selftests, 32 bits' selftest_warnings
fi
cache_unlock
checks_end static
