// SPDX-License-Identifier: GPL-2.0
#include <linux/idle_latency.h>

#include "launch_distance.h"

/*
 * An event that is nearer fires while the CPU is still on its way into idle,
 * and is discarded.
 */
#define NEAREST_NS	20000ULL

/*
 * How long a CPU takes to come back depends on how long it was away, so a
 * decade is covered.
 */
#define DECADE		10

static __u64 capped(__u64 ns)
{
	return ns < IDLE_LATENCY_LDIST_MAX_NS ? ns : IDLE_LATENCY_LDIST_MAX_NS;
}

/*
 * Beginning with the target residency, because nobody enters a state for less
 * on purpose, and hardware may demote such an entry to a shallower state.
 */
struct launch_distance launch_distance_for(__u64 residency_us)
{
	__u64 from = residency_us * 1000;

	if (from < NEAREST_NS)
		from = NEAREST_NS;
	return (struct launch_distance) {
		.from_ns = capped(from),
		.to_ns = capped(from * DECADE),
	};
}
