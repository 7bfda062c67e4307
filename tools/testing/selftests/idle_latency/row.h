/* SPDX-License-Identifier: GPL-2.0 */
/* What is known of one CPU, method and idle state. */
#ifndef ROW_H
#define ROW_H

#include <stdbool.h>
#include <stddef.h>

#include "cpuidle_sysfs.h"
#include "options.h"
#include "order_stats.h"
#include "verdict.h"

struct row {
	unsigned int cpu;
	const struct method *method;
	struct idle_state state;
	/* false: no session ran, and only the verdict is valid below */
	bool ran;
	/* enum idle_latency_stamp; 0: no sample */
	unsigned int stamp;
	struct idle_latency_counts counts;
	__u64 elapsed_ns;
	size_t valid;
	/* valid with at least one sample */
	struct order_stats intr;
	__u64 floor_ns;
	/* valid where all samples have a WakeLatency */
	bool has_wake;
	struct order_stats wake;
	struct verdict verdict;
};

static inline __u64 row_declared_ns(const struct row *row)
{
	return row->state.latency_us * 1000;
}

#endif
