# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Everything that a run on an emulated machine needs, and what reads its results.

. scripts/lib/common.sh
. scripts/lib/source.sh
. scripts/lib/tree.sh
. scripts/lib/kernel.sh
. scripts/lib/external.sh
. scripts/lib/debian.sh
. scripts/lib/image.sh
. scripts/lib/i386.sh
. scripts/lib/emulator.sh
. scripts/lib/machine-bochs.sh
. scripts/lib/machine-qemu.sh
. scripts/lib/machine.sh
. scripts/lib/results.sh
