#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Do the programs that judge find what is wrong?
set -eu
. scripts/lib/common.sh
. scripts/lib/source.sh
. scripts/lib/checks.sh

cache_lock
find_source
cache_unlock
judged 'judges: KTAP' python3 -B scripts/lib/test_ktap.py "$BASE/tools/testing/kunit/kunit.py"
checks_end judges
