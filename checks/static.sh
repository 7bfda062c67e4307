#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What can be told without running: checks/README.md, shellcheck, and the warnings of gcc, clang and
# sparse; with LONG=1 of 32-bit programs, too, and checkpatch of files, where checks/series.sh has
# that of the patches.
#
# Control: A script and a source that are wrong, and a table that differs, are found out.
# Takes: 10 s
. checks/lib/checks.sh
. checks/lib/index.sh

# warnings BUILD MAKE_ARGUMENTS...: build our folders with every warning.
warnings()
{
	# What the cache says of a build that was killed is no warning.
	build_begin "$CACHE/build/$(hash_text warnings "$TREE" "$KERNEL_ARCH" "$@")" >"$TMP/begun"
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
	without_macros <"$TMP/warnings"
	return "$code"
}

# sources_and_tools: what warnings depend on, apart from their arguments.
sources_and_tools()
{
	echo "$TREE_ID $KERNEL_ARCH"
	machine_config
	gcc --version
	clang-19 --version
	sparse --version
	as --version
	ld --version
	make --version
}

# selftest_warnings: those of the selftests that machines have, which are made with every warning. The
# log, which has them, names what was compiled.
selftest_warnings()
{
	grep -q -E '\<(CC|gcc) .*latency_test\>' "${SELFTESTS%/files}/log" || echo 'the log has no latency_test'
	grep ': warning: ' "${SELFTESTS%/files}/log" || true
}

# refuses COMMAND...: it finds something.
refuses()
{
	! "$@" >"$TMP/refused"
}

# scripts_and_tool: what shellcheck depends on, which follows a script into what it includes, apart
# from scripts/ and checks/.
scripts_and_tool()
{
	shellcheck --version
	cat .shellcheckrc
	contents .ci
	contents tools/testing/selftests/idle_latency
}

say static 'shellcheck, checkpatch, compiler warnings'
# shellcheck disable=SC2046 # a list
silent shellcheck remembered "$(scripts_and_tool)" shellcheck -x -a scripts/*.sh scripts/guest/* .ci/run \
	$(check_files) checks/lib/net-driver checks/lib/as-before checks/*/guest \
	checks/host/user tools/testing/selftests/idle_latency/*.sh
# shellcheck disable=SC2016 # not to be expanded
printf '#!/bin/sh\necho $1\n' >"$TMP/wrong.sh"
expect 'shellcheck: a script that is wrong is found out' refuses shellcheck "$TMP/wrong.sh"

describe_checks >"$TMP/described"
checks_readme >"$TMP/README.md"
silent 'checks/README.md is what the checks say' diff -u checks/README.md "$TMP/README.md"
# shellcheck disable=SC2016 # a program of awk
silent 'each check says what it proves, its control and its time' \
	awk -F '\t' '!($2 && $4 && $5)' "$TMP/described"
sed -i '$s/ |$/  |/' "$TMP/README.md"
expect 'checks/README.md: a row that differs is found out' \
	refuses cmp checks/README.md "$TMP/README.md"

cache_lock
prepare_tree
printf 'int x = ( 1 );\n' >"$TMP/wrong.c"
expect 'checkpatch: a source that is wrong is found out' refuses \
	"$TREE/scripts/checkpatch.pl" --no-tree --strict --terse --file "$TMP/wrong.c"
silent 'gcc and sparse' remembered "$(sources_and_tools)" warnings C=2 CHECK="$SPARSE"
silent clang remembered "$(sources_and_tools)" warnings CC=clang-19
# What does not compile ends the check, and is shown.
update_selftests
silent 'gcc, selftests' selftest_warnings
if [ -n "$LONG" ]; then
	# Files of ours that checkpatch understands, in the tree.
	find arch drivers kunit include tools -type f \
		\( -name '*.[ch]' -o -name Kconfig -o -name Makefile -o -name '*.mk' \) |
		sed 's|^kunit/|drivers/idle_latency/tests/|' >"$TMP/our-files"
	silent checkpatch env -C "$TREE" xargs -a "$TMP/our-files" \
		scripts/checkpatch.pl --strict --quiet --terse --no-summary --show-types --file
	i386_kernel
	silent 'gcc and sparse, 32 bits' remembered "$(sources_and_tools)" warnings C=2 CHECK="$SPARSE"
	# Where the harness of kselftest would print a pointer.
	SELFTEST_CFLAGS="$SELFTEST_CFLAGS -Wno-pointer-to-int-cast"
	update_selftests
	silent 'gcc, selftests, 32 bits' selftest_warnings
fi
cache_unlock
checks_end
