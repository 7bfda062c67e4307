/* SPDX-License-Identifier: GPL-2.0 */
/* Which interrupts a CPU took while something was measured, by name. */
#ifndef INTERRUPTS_H
#define INTERRUPTS_H

#include <stdio.h>

#include "idle_latency_util.h"

/* More than a machine has; those of others are not counted. */
#define INTERRUPTS_MAX	4096

/* What a CPU took since it came up. Too large for a stack. */
struct interrupts {
	size_t count;
	struct interrupt {
		/* as /proc/interrupts has it: "CAL", and of a device "27 eth0-rx-0" */
		char name[32];
		__u64 taken;
	} interrupt[INTERRUPTS_MAX];
};

/* What all CPUs took: the numbers of an interrupt are one for each CPU, in their order. */
struct interrupt_table {
	struct cpu_list cpus;
	size_t count;
	char (*names)[sizeof(((struct interrupt *)0)->name)];
	__u64 *taken;
};

/* @file: /proc/interrupts. Without memory there are fewer. interrupts_free() in any case. */
void interrupts_parse(FILE *file, struct interrupt_table *table);
void interrupts_read_all(struct interrupt_table *table);
void interrupts_free(struct interrupt_table *table);

/* Those of one CPU. */
void interrupts_of(const struct interrupt_table *table, unsigned int cpu,
		   struct interrupts *interrupts);
void interrupts_read(unsigned int cpu, struct interrupts *interrupts);

/*
 * Returns false where there is no such row.
 * @row: NMI or CAL for example; NULL: those of devices, which are the rows with a number, but
 *	for the card of nic: its row comes and goes with the session
 */
bool interrupts_of_row(unsigned int cpu, const char *row, __u64 *sum);

/* How often the CPU took the one with this index between the two. */
__u64 interrupts_taken(const struct interrupts *before, const struct interrupts *after, size_t at);

/*
 * Those that came in between, the most frequent first: "CAL 298, 27 eth0-rx-0 12"; not more than
 * @most of them, and no NMIs, which are told apart, nor the interrupts of the event source.
 * @own: the name of these; NULL: none is theirs alone
 */
void interrupts_between(const struct interrupts *before, const struct interrupts *after,
			const char *own, size_t most, char *text, size_t size);

#endif
