// SPDX-License-Identifier: GPL-2.0-only
/*
 * The event sources, with a CPU and a network card that are in memory.
 */
#include "fake_hardware.h"

#include "../timer.c"
#include "../nic.c"
#include "../nic_card.c"
#include "../nic_clock.c"
