/* SPDX-License-Identifier: GPL-2.0 */
/* What the records of a row say, before they are judged. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include "collect.h"
#include "instrument.h"

struct step;

/* Of a stratum or a step. */
struct range {
	struct launch_distance ldist;
	size_t wanted;
	size_t count;
	size_t above;
	/* the largest WakeLatency, or IntrLatency where there is none */
	__u64 slowest_ns;
};

struct summary {
	const struct row *row;
	/* false: no session ran, and nothing below is valid */
	bool ran;
	/* enum idle_latency_stamp; 0: no sample */
	unsigned int stamp;
	/* all samples have RECORD_DEADLINE */
	bool deadline;
	struct idle_latency_counts counts;
	__u64 elapsed_ns;
	size_t valid;
	/* a counter tells whether the state, or its package state, was reached */
	bool counted;
	bool package_counted;
	/* valid with at least one sample */
	struct order_stats intr;
	__u64 median_error_ns;
	/* what the samples may be wrong by beside their errors, and its median */
	struct instrument instrument;
	__u64 median_uncertain_ns;
	/* valid where all samples have a WakeLatency */
	bool has_wake;
	struct order_stats wake;
	struct range strata[STRATA];
	struct step *steps;
	size_t step_count;
};

/*
 * @limit_ns: samples are above this
 * Returns false without memory, with what does not need any. summary_free() in any case.
 */
bool summarise(const struct row *row, const struct collection *collection,
	       const struct instrument *instrument, __u64 limit_ns, struct summary *summary);
void summary_free(struct summary *summary);

/* How many samples are above in all strata. */
size_t summary_above(const struct summary *summary);

/* "WakeLatency", or "IntrLatency". */
const char *summary_latency(const struct summary *summary);

#endif
