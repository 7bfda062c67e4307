// SPDX-License-Identifier: GPL-2.0-only
/*
 * Make a CPU enter one idle state by cpuidle_force_state(), also one that the limit of idle
 * injection cannot reach. See limit.c for what each of these functions returns.
 */
#include <linux/cpuidle.h>

#include "x86.h"

int idle_latency_force_state(unsigned int cpu, int index)
{
	return cpuidle_force_state(cpu, index);
}

void idle_latency_unforce_state(unsigned int cpu)
{
	cpuidle_unforce_state(cpu);
}

bool idle_latency_was_forced(const struct idle_latency_session *session,
			     const struct cpuidle_stamps *stamps)
{
	return stamps->forced;
}
