// SPDX-License-Identifier: GPL-2.0
#include <linux/idle_latency.h>

#include "launch_distance.h"

/*
 * How long a CPU takes to come back depends on how long it was away, so a
 * decade is covered.
 */
#define DECADE		10

static __u64 capped(__u64 ns)
{
	return ns < IDLE_LATENCY_LDIST_MAX_NS ? ns : IDLE_LATENCY_LDIST_MAX_NS;
}

__u64 launch_distance_least(unsigned int source)
{
	return source == IDLE_LATENCY_SOURCE_NIC ?
	       IDLE_LATENCY_LDIST_MIN_NIC_NS : IDLE_LATENCY_LDIST_MIN_NS;
}

/*
 * Beginning with the target residency, because nobody enters a state for less
 * on purpose, and hardware may demote such an entry to a shallower state.
 */
struct launch_distance launch_distance_counted(__u64 residency_ns,
					       __u64 least_ns)
{
	__u64 from = capped(residency_ns > least_ns ? residency_ns : least_ns) +
		     LAUNCH_DISTANCE_ARMING_NS;

	return (struct launch_distance) {
		.from_ns = capped(from),
		.to_ns = capped(from * DECADE),
	};
}

/*
 * Beginning with the minimum of the source, although an event that is nearer
 * than what arming takes is late and gives no sample: what it takes differs
 * between machines, and a larger minimum would leave out the begin of the entry
 * on the quick ones. The price is the few us out of the target residency in
 * which events are discarded. Where it is that short itself, hardly any event
 * would be left.
 */
bool launch_distance_entry(__u64 residency_ns, __u64 least_ns,
			   struct launch_distance *entry)
{
	if (residency_ns < least_ns || residency_ns < LAUNCH_DISTANCE_ARMING_NS)
		return false;
	*entry = (struct launch_distance) {
		.from_ns = least_ns,
		.to_ns = capped(residency_ns),
	};
	return true;
}
