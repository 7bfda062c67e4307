/* SPDX-License-Identifier: GPL-2.0 */
/* How far ahead events are armed. */
#ifndef LAUNCH_DISTANCE_H
#define LAUNCH_DISTANCE_H

#include <linux/types.h>

struct launch_distance {
	__u64 from_ns;
	__u64 to_ns;
};

/* The launch distances that suit a state with this target residency. */
struct launch_distance launch_distance_for(__u64 residency_us);

#endif
