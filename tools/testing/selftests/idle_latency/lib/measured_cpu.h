/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What has to be known of a CPU to judge its idle states: what they declare, and
 * what a wake-up takes beside the state.
 */
#ifndef MEASURED_CPU_H
#define MEASURED_CPU_H

#include <stdio.h>

#include "row.h"

struct measured_cpu {
	unsigned int cpu;
	/* as sysfs names them */
	struct idle_states states;
	/* what the driver says of each; all of it is 0 where it says nothing */
	struct idle_latency_state info[IDLE_STATES_MAX];
	/*
	 * By each of methods[]: the awake CPU, which is in the state that polls,
	 * and the shallowest idle state where the stamps are those of the probe.
	 */
	struct row awake[METHODS];
	struct row shallowest[METHODS];
};

/* Reads what is known of the states. */
void measured_cpu_read(int fd, unsigned int cpu, struct measured_cpu *measured);

/*
 * Those that can be judged: a state that polls is not idle, and what declares no
 * latency has nothing to be held to.
 */
void measured_cpu_judged(const struct measured_cpu *measured,
			 struct idle_states *judged);

/* A hypervisor decides what the idle states do. */
bool measured_cpu_virtual(const struct measured_cpu *measured);

/*
 * Measures what a wake-up takes beside the state. Returns NULL, or what was
 * wrong with the accounting of the driver.
 */
const char *measured_cpu_prepare(int fd, struct measured_cpu *measured,
				 const struct options *options);

/* Reports it, and writes it to @file unless that is NULL. */
void measured_cpu_report(const struct measured_cpu *measured, FILE *file);

/* Sets what it says in the rule for a method of methods[]. */
void measured_cpu_rule(const struct measured_cpu *measured,
		       const struct method *method, struct verdict_rule *rule);

#endif
