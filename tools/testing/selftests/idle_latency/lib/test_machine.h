/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of the device need to know of the machine they run on. */
#ifndef TEST_MACHINE_H
#define TEST_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/idle_latency.h>

#include "cpuidle_sysfs.h"

/* Near enough for a test to be quick, too far for an event to come early. */
#define TEST_LDIST_FROM_NS	20000
#define TEST_LDIST_TO_NS	200000
#define TEST_LDIST_NIC		5

/* Ends the program with a SKIP where the device cannot be tested. */
void machine_required(void);

/* The lowest online CPU and its shallowest state that is not POLL, by hrt. */
bool machine_config(struct idle_latency_config *config);

/* Another source; with a card, far enough for the accesses to it that come first. */
void machine_use(struct idle_latency_config *config, __u32 source, __u64 flags);

/* Finds the state of a CPU with this name. */
bool machine_state(unsigned int cpu, const char *name, __u32 *state);

/*
 * Chooses the deepest state that a session of this configuration can force, with
 * the device open at @fd. Returns false when there is none.
 */
bool machine_deepest(int fd, struct idle_latency_config *config);

/*
 * Is the CPU still forced to enter the state? Nothing in sysfs says so, but then it
 * enters no other, even while this one is disabled. The answer is no where that cannot
 * be found out: the CPU has no other state, or the governor is haltpoll.
 */
bool machine_is_forced(unsigned int cpu, unsigned int state);

/* Cycles of the TSC in a ns of CLOCK_MONOTONIC_RAW. Takes 200 ms. */
double machine_tsc_rate(void);

/* Finds a CPU that is there but offline. */
bool machine_offline_cpu(unsigned int *cpu);

/* Finds a CPU that can be taken offline. */
bool machine_spare_cpu(unsigned int *cpu);
bool machine_set_online(unsigned int cpu, bool online);

/* Whether two readings show the same states and the same disable files. */
bool same_disable(const struct idle_states *before,
		  const struct idle_states *after);

/* How often other states than this one were entered between two readings. */
__u64 other_usage(const struct idle_states *before,
		  const struct idle_states *after, unsigned int state);

/* Writes what the disable files said then. */
bool put_back_disable(unsigned int cpu, const struct idle_states *before);

void sleep_ms(unsigned int ms);

#endif
