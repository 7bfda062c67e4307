/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which CPUs are measured at the same time. Two threads of a core are not, as each would keep the
 * other one's core awake, nor is the core of the CPU on which this program reads the records.
 */
#ifndef PHASES_H
#define PHASES_H

#include "idle_latency_util.h"

/* What of a CPU matters for that. */
struct phase_cpu {
	unsigned int cpu;
	/* the CPUs of a core, and those of a package, have the same numbers */
	unsigned int core;
	unsigned int package;
	/* this program may run there */
	bool allowed;
	/* it is to be measured */
	bool wanted;
	/* from 1 on, set by phases_plan(); 0: in none */
	unsigned int phase;
};

struct phases {
	size_t cpus;
	struct phase_cpu cpu[CPU_LIST_MAX];
	/* those from 1 on, and the CPU that does the housekeeping in each */
	unsigned int count;
	unsigned int housekeeping[CPU_LIST_MAX + 1];
};

/* Of housekeeping: this program may run nowhere but where something is measured. */
#define NO_CPU	(~0U)

/*
 * Sets the phases: in each of them one thread of each core at most, and no core that does the
 * housekeeping. First of all cores but one, then of their siblings, then the CPU that did the
 * housekeeping, whose place one takes that has been measured.
 * @most: so many CPUs at once at most
 */
void phases_plan(struct phases *phases, size_t most);

/* How many CPUs a phase has. */
size_t phases_size(const struct phases *phases, unsigned int phase);
size_t phases_largest(const struct phases *phases);

/* Whether the CPU is the first one of its package that is measured. */
bool phases_first_of_package(const struct phases *phases, unsigned int cpu);

/* Reads what the machine has. @measured: what is to be measured, of which some are isolated */
void phases_read(struct phases *phases, const struct cpu_list *measured);

/*
 * Of how many records the buffer of a session has to be: as few as a reader needs that comes ten
 * times a second, and no more than so many sessions have room for in what is a fair share of the
 * memory of the kernel. With less than it needs, the session waits for the reader.
 * @sample_ns: what a sample takes
 */
unsigned int phases_buffer(__u64 sample_ns, size_t sessions);

#endif
