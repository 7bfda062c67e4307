/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the time that a run has is shared by its rows: so that all of them get the
 * same number of samples, because a PASS of each needs the same number.
 */
#ifndef BUDGET_H
#define BUDGET_H

#include <stddef.h>

#include <linux/types.h>

#include "launch_distance.h"

/*
 * What @samples samples take at these launch distances in a state with this exit
 * latency, in ns: the mean of the distances, the exit, and what the program and
 * the driver do between two events.
 */
__u64 budget_cost(struct launch_distance ldist, __u64 exit_latency_ns,
		  size_t samples);

/*
 * The share of the first of some costs, when @left_ns are left for all of them:
 * what it costs where that is enough, and a proportional part of the rest.
 */
__u64 budget_share(__u64 left_ns, __u64 cost, __u64 all_costs);

#endif
