/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _IDLE_LATENCY_LIMIT_H
#define _IDLE_LATENCY_LIMIT_H

#include <linux/cpuidle.h>
#include <linux/minmax.h>
#include <linux/types.h>

/* As find_deepest_state() of cpuidle does it. */
static inline int idle_latency_deepest_within(const struct cpuidle_driver *drv,
					      const struct cpuidle_device *dev, u64 limit_ns)
{
	u64 deepest_ns = 0;
	int index = 0;

	for (int i = 1; i < drv->state_count; i++) {
		u64 exit_ns = drv->states[i].exit_latency_ns;

		if (dev->states_usage[i].disable || exit_ns <= deepest_ns ||
		    exit_ns > limit_ns)
			continue;

		deepest_ns = exit_ns;
		index = i;
	}

	return index;
}

/**
 * idle_latency_find_limit() - find the limit within which a CPU enters one idle state only
 * @drv: the cpuidle driver of the CPU
 * @dev: its cpuidle device
 * @index: index of the state, which exists
 *
 * Return: the limit, in ns; 0 when there is none, because the state is disabled, because one
 * before it has the same exit latency, or because it is the one that polls and the least limit,
 * 1 ns, leads to another one.
 */
static inline u64 idle_latency_find_limit(const struct cpuidle_driver *drv,
					  const struct cpuidle_device *dev, int index)
{
	/* POLL has an exit latency of 0, which means no limit. */
	u64 limit_ns = max_t(u64, drv->states[index].exit_latency_ns, 1);

	return idle_latency_deepest_within(drv, dev, limit_ns) == index ? limit_ns : 0;
}

#endif /* _IDLE_LATENCY_LIMIT_H */
