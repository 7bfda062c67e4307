/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How far ahead events are armed. A state is measured in two strata: those
 * wake-ups that count, after its target residency, and those before it, which
 * may still be in its entry and have to keep to the exit latency, too.
 */
#ifndef LAUNCH_DISTANCE_H
#define LAUNCH_DISTANCE_H

#include <stdbool.h>

#include <linux/types.h>

struct launch_distance {
	__u64 from_ns;
	__u64 to_ns;
};

/*
 * By how much SilentTime may be shorter than the launch distance: arming an
 * event and going idle take some us.
 */
#define LAUNCH_DISTANCE_ARMING_NS	20000ULL

/* The smallest launch distance of one of enum idle_latency_source. */
__u64 launch_distance_least(unsigned int source);

/* The launch distances of the samples that count. */
struct launch_distance launch_distance_counted(__u64 residency_ns,
					       __u64 least_ns);

/* Those below them; false where there are none. */
bool launch_distance_entry(__u64 residency_ns, __u64 least_ns,
			   struct launch_distance *entry);

#endif
