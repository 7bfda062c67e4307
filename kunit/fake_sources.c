// SPDX-License-Identifier: GPL-2.0-only
/*
 * The event sources once more, with a CPU and a network card that are in memory.
 */
#define IDLE_LATENCY_FAKE_HARDWARE

#include "../timer.c"
#include "../nic.c"
#include "../nic_card.c"
#include "../nic_clock.c"
