# SPDX-License-Identifier: GPL-2.0-or-later
#
# The devices of the emulated machine; a board selects what it cannot do without.

CONFIG_I440FX=y
CONFIG_Q35=y
CONFIG_PCIE_PORT=y
CONFIG_XIO3130=y
CONFIG_I210=y
