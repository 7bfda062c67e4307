#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Prepare the kernel tree with the series applied, and print its path.
set -eu
. scripts/lib/common.sh
. scripts/lib/source.sh
. scripts/lib/tree.sh

cache_lock
prepare_tree
cache_unlock
echo "$TREE"
