/* SPDX-License-Identifier: GPL-2.0 */
/* The network card that is bound to the driver idle_latency. */
#ifndef CARD_H
#define CARD_H

#include <stdbool.h>
#include <stddef.h>

#define CARD_DRIVER	"/sys/bus/pci/drivers/idle_latency"

/* Finds its address, such as 0000:01:00.0; false when there is none. */
bool card_find(char *address, size_t size);

/* Take it from the driver, and give it again. */
bool card_unbind(const char *address);
bool card_bind(const char *address);

#endif
