// SPDX-License-Identifier: GPL-2.0
#include "budget.h"

/*
 * Between two events of a session: waking the program and the thread that arms,
 * and going idle again. Some 30 us on an idle machine; more than that leaves the
 * estimate on the safe side, and what is not used goes to the rows that follow.
 */
#define BETWEEN_NS	100000ULL

__u64 budget_cost(struct launch_distance ldist, __u64 exit_latency_ns,
		  size_t samples)
{
	return samples * ((ldist.from_ns + ldist.to_ns) / 2 + exit_latency_ns +
			  BETWEEN_NS);
}

__u64 budget_share(__u64 left_ns, __u64 cost, __u64 all_costs)
{
	/* The product of two times in ns has more than 64 bits. */
	return (double)left_ns * cost / all_costs;
}
