/* SPDX-License-Identifier: GPL-2.0 */
/* CPUs of a package, and for how long they were in the state that they are held in. */
#ifndef HELD_H
#define HELD_H

#include "idle_latency_util.h"
#include "keep.h"

struct package {
	unsigned int number;
	/* core by core, siblings beside each other; the first one reads the counters */
	struct cpu_list cpus;
};

/* The packages with CPUs that are online, by their first CPU. Returns how many there are. */
#define PACKAGES_MAX	64
size_t packages_find(struct package *packages);

/* Of some CPUs, in one state. */
struct idle_sum {
	__u64 entries;
	__u64 ns;
};

/* Returns false where sysfs has no such state of a CPU. */
bool idle_sum_read(const unsigned int *cpus, size_t count, unsigned int state,
		   struct idle_sum *sum);

#endif
