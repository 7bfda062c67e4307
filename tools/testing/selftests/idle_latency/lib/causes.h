/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What keeps a CPU out of a deep idle state: work on CPUs that have to be idle with it, and what
 * the firmware has set.
 */
#ifndef CAUSES_H
#define CAUSES_H

#include <linux/idle_latency.h>

#include "idle_latency_util.h"

/* How a CPU has spent its time since the boot, in ticks of USER_HZ. */
struct cpu_time {
	__u64 busy;
	__u64 idle;
};

/* Too large for a stack. */
struct causes {
	/* the CPU that is to be idle */
	unsigned int cpu;
	/* of its core and of its package; the CPU itself is in both */
	struct cpu_list siblings;
	struct cpu_list package;
	struct cpu_time before[CPU_LIST_MAX];
	struct cpu_time after[CPU_LIST_MAX];
};

/*
 * Says what has kept a CPU out of a state meanwhile, joined by ", "; nothing
 * when nothing was found.
 */
void causes_text(struct causes *causes, unsigned int cpu, const struct idle_latency_state *state,
		 char *text, size_t size);

/*
 * Whether the firmware declares a state with this name, not the cpuidle driver, nor whoever gave
 * the parameter table of intel_idle.
 */
bool causes_firmware(const char *driver, const char *state, const char *table);

/* Reads the times of all CPUs, CPU_LIST_MAX; 0 of those that are not online. */
void causes_read_times(struct cpu_time *times);

/* Parses the line of a CPU in /proc/stat; other lines return false. */
bool causes_parse(const char *line, unsigned int *cpu, struct cpu_time *time);

/* Whether a CPU has worked so much that others were kept awake with it. */
bool causes_busy(const struct cpu_time *before, const struct cpu_time *after);

/* As causes_text(), from what is in @causes. */
void causes_describe(const struct causes *causes, const struct idle_latency_state *state,
		     char *text, size_t size);

#endif
