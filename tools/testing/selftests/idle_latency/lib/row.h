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

/* The launch distances that a row is measured at are in one or two ranges. */
struct stratum {
	struct launch_distance ldist;
	/* index of its first sample, and how many follow */
	size_t first;
	size_t count;
	size_t above;
	/* the largest WakeLatency, or IntrLatency where there is none */
	__u64 slowest_ns;
};

/*
 * Where the samples that count are taken, and the wake-ups during entry into the
 * state, which only have to keep to the declared exit latency like all others.
 */
enum stratum_index { STRATUM_COUNTED, STRATUM_ENTRY, STRATA };

struct row {
	unsigned int cpu;
	const struct method *method;
	/* sysfs gives the name and the index */
	struct idle_state state;
	/* what is declared, by the driver */
	struct idle_latency_state info;
	/* the same CPU and state by nic, or NULL */
	const struct row *nic;
	/* false: no session ran, and only the verdict is valid below */
	bool ran;
	/* enum idle_latency_stamp; 0: no sample */
	unsigned int stamp;
	struct idle_latency_counts counts;
	__u64 elapsed_ns;
	size_t valid;
	/* a counter tells whether the state, or its package state, was reached */
	bool counted;
	bool package_counted;
	/* valid with at least one sample */
	struct order_stats intr;
	__u64 median_error_ns;
	/* valid where all samples have a WakeLatency */
	bool has_wake;
	struct order_stats wake;
	struct stratum strata[STRATA];
	struct verdict verdict;
};

static inline bool row_by_nic(const struct row *row)
{
	return row->method->source == IDLE_LATENCY_SOURCE_NIC;
}

#endif
