/* SPDX-License-Identifier: GPL-2.0 */
/* The machine of the fuzzer, and what a session must leave as it was. */
#ifndef FUZZ_MACHINE_H
#define FUZZ_MACHINE_H

#include "fuzz_model.h"

#define MACHINE_CPUS_MAX 8

struct machine_cpu {
	unsigned int cpu;
	/* as they were, and with what the disable files must say now */
	struct idle_states found;
	struct idle_states states;
	/* what the device knows of those that can be used, and which the CPU enters */
	struct idle_latency_state known[IDLE_STATES_MAX];
	bool usable[IDLE_STATES_MAX];
	bool entered[IDLE_STATES_MAX];
};

struct machine {
	struct machine_cpu cpus[MACHINE_CPUS_MAX];
	size_t cpu_count;
	/* the lowest number that no CPU can have */
	unsigned int beyond_cpus;
	bool has_offline_cpu;
	unsigned int offline_cpu;
	bool has_source[IDLE_LATENCY_SOURCE_NIC + 1];
};

/* Returns NULL, or why nothing can be measured here. */
const char *machine_find(struct machine *machine);
const struct machine_cpu *find_cpu(const struct machine *machine,
				   unsigned int cpu);

/* These return NULL, or what is wrong. */

/* The disable files and the number of users of the module. */
const char *machine_look(const struct machine *machine,
			 const struct model *model);

/* Each state is still entered. Only where no session is running. */
const char *machine_enter(const struct machine *machine);

/* Disables or enables a state for user space, the measured one, too. */
const char *machine_toggle(struct machine *machine, struct dice *dice);

/* Undoes machine_toggle(). */
const char *machine_restore(struct machine *machine);

#endif
