/* SPDX-License-Identifier: GPL-2.0 */
/* What /proc/interrupts counts for a CPU. */
#ifndef INTERRUPTS_H
#define INTERRUPTS_H

#include <stdbool.h>

#include <linux/types.h>

/* Returns false where there is no such row, NMI or CAL for example. */
bool interrupts_of_row(unsigned int cpu, const char *row, __u64 *count);

/* Those of devices, which are the rows with a number. */
__u64 interrupts_of_devices(unsigned int cpu);

#endif
