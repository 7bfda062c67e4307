# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The unit tests, built and run by the kernel's own tool. What sources this has emulation.sh.

KUNIT_TESTS=drivers/idle_latency/tests

# kunit_begin NAME: prepare the tree, and the directory BUILDING/files for what NAME
# builds in it. The cache is locked from here to kunit_end.
kunit_begin()
{
	cache_lock
	prepare_tree
	start_log kernel
	build_begin "$CACHE/build/$(hash_text "$1" "$TREE" "$(gcc --version | sed 1q)")"
}

kunit_end()
{
	build_end
	cache_unlock
}

# kunit_tool COMMAND ARGUMENTS...: kunit.py in the tree; "run" fails when a test does.
kunit_tool()
{
	command=$1
	shift
	env -C "$TREE" ./tools/testing/kunit/kunit.py "$command" --jobs "$JOBS" \
		--build_dir "$BUILDING/files" "$@"
}
