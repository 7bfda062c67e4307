#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Run the unit tests under User Mode Linux with the kernel's own tool.
set -eu
. scripts/lib/common.sh
. scripts/lib/source.sh
. scripts/lib/tree.sh
. scripts/lib/kernel.sh

cache_lock
find_source
make_overlay
update_tree
start_log kernel
build_begin "$CACHE/build/$(hash_text kunit "$TREE" "$(gcc --version | sed 1q)")"
progress kunit "building and running under User Mode Linux"
code=0
cd "$TREE" && ./tools/testing/kunit/kunit.py run --jobs "$JOBS" \
	--build_dir "$BUILDING/files" --kunitconfig drivers/idle_latency/tests || code=$?
build_end
cache_unlock
exit "$code"
