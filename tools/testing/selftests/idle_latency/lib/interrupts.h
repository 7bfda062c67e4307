/* SPDX-License-Identifier: GPL-2.0 */
/* Which interrupts a CPU took while something was measured, by name. */
#ifndef INTERRUPTS_H
#define INTERRUPTS_H

#include <stdio.h>

#include "idle_latency_util.h"

/* More than a machine has; those of others are not counted. */
#define INTERRUPTS_MAX	4096

/*
 * What all CPUs took since they came up: the numbers of an interrupt are one for each CPU, in
 * their order.
 */
struct interrupt_table {
	struct cpu_list cpus;
	size_t count;
	/* as /proc/interrupts has it: "CAL", and of a device "27 eth0-rx-0" */
	char (*names)[32];
	__u64 *taken;
};

/* @file: /proc/interrupts. Without memory there are fewer. interrupts_free() in any case. */
void interrupts_parse(FILE *file, struct interrupt_table *table);
void interrupts_read_all(struct interrupt_table *table);
void interrupts_free(struct interrupt_table *table);

/*
 * Returns false where there is no such row.
 * @row: NMI or CAL for example; NULL: those of devices, which are the rows with a number, but
 *	for the card of nic: its row comes and goes with the session
 */
bool interrupts_of_row(unsigned int cpu, const char *row, __u64 *sum);

/*
 * How often a CPU took each of those of @after between the two. Returns how many there are: none
 * where the CPU is offline then. @taken: INTERRUPTS_MAX
 */
size_t interrupts_taken(const struct interrupt_table *before, const struct interrupt_table *after,
			unsigned int cpu, __u64 *taken);

/*
 * Those that a CPU took in between, the most frequent first: "CAL 298, 27 eth0-rx-0 12"; not
 * more than @most of them, and no NMIs, which are told apart, nor the interrupts of the event
 * source.
 * @own: the name of these; NULL: none is theirs alone
 */
void interrupts_between(const struct interrupt_table *before,
			const struct interrupt_table *after, unsigned int cpu, const char *own,
			size_t most, char *text, size_t size);

#endif
