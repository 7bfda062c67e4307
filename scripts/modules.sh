#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Build the driver as modules for the kernel whose headers are in KDIR (default:
# those of the running kernel), into out/modules/.
set -eu
. scripts/lib/common.sh
. scripts/lib/external.sh

headers=$(external_headers)
rm -rf out/modules
external_source out/modules
say modules "building for $headers (log: $CACHE/log/modules.log)"
external_build out/modules "$headers" modules
ls out/modules/*.ko
