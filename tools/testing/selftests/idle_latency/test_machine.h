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

/* Finds a CPU that is there but offline. */
bool machine_offline_cpu(unsigned int *cpu);

/* Finds a CPU that can be taken offline. */
bool machine_spare_cpu(unsigned int *cpu);
bool machine_set_online(unsigned int cpu, bool online);

/* Whether two readings show the same states and the same disable files. */
bool same_disable(const struct idle_states *before,
		  const struct idle_states *after);

/* How often other states than @held were entered between two readings. */
__u64 other_usage(const struct idle_states *before,
		  const struct idle_states *after, unsigned int held);

void sleep_ms(unsigned int ms);

#endif
