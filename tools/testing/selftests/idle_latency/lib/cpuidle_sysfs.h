/* SPDX-License-Identifier: GPL-2.0 */
/* What cpuidle says about the idle states of a CPU. */
#ifndef CPUIDLE_SYSFS_H
#define CPUIDLE_SYSFS_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

/* CPUIDLE_STATE_MAX and CPUIDLE_NAME_LEN of the kernel */
#define IDLE_STATES_MAX		10
#define IDLE_STATE_NAME_LEN	16

/* More than the kernel has. */
#define IDLE_GOVERNORS_MAX	8

struct idle_state {
	char name[IDLE_STATE_NAME_LEN + 1];
	unsigned int index;
	__u64 latency_us;
	__u64 residency_us;
	__u64 disable;
	__u64 usage;
};

struct idle_states {
	struct idle_state state[IDLE_STATES_MAX];
	size_t count;
};

struct idle_governors {
	char name[IDLE_GOVERNORS_MAX][IDLE_STATE_NAME_LEN + 1];
	size_t count;
	/* the one that is used */
	char used[IDLE_STATE_NAME_LEN + 1];
};

/* Returns false where no cpuidle driver is registered. */
bool cpuidle_driver(char *name, size_t size);

/* Returns false where the CPU has no idle states. */
bool cpuidle_states(unsigned int cpu, struct idle_states *states);

/* What the disable file of a state says; all bits where there is none. */
__u64 cpuidle_disabled(unsigned int cpu, unsigned int state);

/* Writes the disable file of a state. */
bool cpuidle_disable(unsigned int cpu, unsigned int state, bool disable);

/* Returns false where the governor cannot be changed. */
bool cpuidle_governors(struct idle_governors *governors);
bool cpuidle_use_governor(const char *name);

/*
 * The states that can be judged: POLL is not idle, and what declares no
 * latency has nothing to be held to.
 */
void idle_states_judged(const struct idle_states *all,
			struct idle_states *judged);

/*
 * Those of @all in a comma-separated list of names and indexes. Returns false,
 * and the item in @unknown, where there is no such state.
 */
bool idle_states_choose(const struct idle_states *all, const char *list,
			struct idle_states *chosen, char *unknown, size_t size);

#endif
