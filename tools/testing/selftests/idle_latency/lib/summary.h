/* SPDX-License-Identifier: GPL-2.0 */
/* What the records of a row say, before they are judged. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include "collect.h"
#include "verdict.h"

/*
 * Whether the first samples that count differ from those after them, as those of a machine do that
 * was cold or asleep. It is a remark, and no part of the verdict.
 */
struct drift {
	/* how many do; 0: none */
	size_t first;
	bool slower;
	/* no more were looked at */
	bool may_be_more;
	__u64 median_ns;
	__u64 others_ns;
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
	/* the interrupts that the CPU took meanwhile, but for those of the source, or "" */
	char interrupts[256];
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
	/*
	 * The 1st and the 99th percentile of the frequency after the wake-up, which of up to 100
	 * samples are the extremes, in 0.01 % of the rate of the TSC. 0: it is known of none.
	 */
	__u64 frequency_low;
	__u64 frequency_high;
	struct drift drift;
	/* valid where all samples have a WakeLatency */
	bool has_wake;
	struct order_stats wake;
	struct stratum strata[STRATA];
	/*
	 * A sweep: a row measured at one launch distance after the other, so that it shows where
	 * the latency depends on how long the CPU was away.
	 */
	struct stratum *steps;
	size_t step_count;
};

/*
 * @limit_ns: samples are above this
 * Returns false without memory, with what does not need any. summary_free() in any case.
 */
bool summarise(const struct row *row, const struct collection *collection,
	       const struct instrument *instrument, __u64 limit_ns, struct summary *summary);
void summary_free(struct summary *summary);

/* @latencies: of the samples that count, in their order. Without memory nothing is found. */
void drift_find(struct summary *summary, const __u32 *latencies, size_t count);

/* How many samples are above in all strata. */
size_t summary_above(const struct summary *summary);

/* "WakeLatency", or "IntrLatency". */
const char *summary_latency(const struct summary *summary);

/*
 * Between which values the frequency after the wake-up was; false where it is not known, or these
 * differ by no more than 5 %.
 */
bool summary_frequency_text(const struct summary *summary, char *line, size_t size);

/* "slower", "faster" or "". */
const char *step_change_name(enum step_change change);

/*
 * Fills in what the samples of the row say of each step, and whether it differs from the last
 * one before it that has samples. Where the latency jumps in the middle of a step, that differs
 * from neither of its neighbours by more than the margin in most samples; so a step is compared
 * with the one before that, too, unless there was a change in between. Returns false without
 * memory.
 */
bool sweep_summarise(struct summary *summary, const struct idle_latency_record *samples);

/*
 * Successive steps that are all slower, or all faster. Steps differ by most of their samples: a
 * jump is after the middle of the step that the first one differs from, which would differ
 * itself otherwise, and before the middle of the last one.
 */
struct slope {
	size_t before;
	size_t last;
	enum step_change change;
};

/* The first slope from the step @from on; false where there is none. */
bool sweep_slope(const struct summary *summary, size_t from, struct slope *slope);
void sweep_slope_text(const struct summary *summary, const struct slope *slope,
		      char *line, size_t size);

/* Whether the last step has samples: without, nothing is known of the longest launch distances. */
bool sweep_ended(const struct summary *summary);

/* Where the largest latency is at an end of the sweep; false where it is not. */
bool sweep_edge_text(const struct summary *summary, char *line, size_t size);

/* Where it is at launch distances that are not measured by default. */
bool sweep_hidden_text(const struct summary *summary, struct launch_distance usual,
		       char *line, size_t size);

/* Reports all of that; @environment: NULL, or where it is also written to. */
void sweep_report(const struct summary *summary, FILE *environment);

#endif
