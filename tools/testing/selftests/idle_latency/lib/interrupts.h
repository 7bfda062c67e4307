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

/* @file: /proc/interrupts */
void interrupts_parse(FILE *file, unsigned int cpu, struct interrupts *interrupts);

void interrupts_read(unsigned int cpu, struct interrupts *interrupts);

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
