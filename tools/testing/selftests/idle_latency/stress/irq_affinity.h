/* SPDX-License-Identifier: GPL-2.0 */
/* Where the interrupts of devices go. */
#ifndef IRQ_AFFINITY_H
#define IRQ_AFFINITY_H

#include <stddef.h>

#define IRQ_AFFINITY_MAX 1024

struct irq_affinity {
	char path[64];
	char cpus[256];
};

/* What was before. */
struct irq_affinities {
	struct irq_affinity irq[IRQ_AFFINITY_MAX];
	size_t count;
};

/* Sends the interrupts of all devices to a CPU, as far as they can be moved. */
void irq_affinity_move(struct irq_affinities *before, unsigned int cpu);
void irq_affinity_restore(struct irq_affinities *before);

#endif
