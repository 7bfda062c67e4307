/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A sweep: a row measured at one launch distance after the other, so that it shows where the
 * latency depends on how long the CPU was away.
 */
#ifndef SWEEP_H
#define SWEEP_H

#include "summary.h"

/* Against an earlier step. */
enum step_change {
	STEP_SAME,
	STEP_SLOWER,
	STEP_FASTER,
};

/* One session. */
struct step {
	struct range range;
	/* index of its first sample */
	size_t first;
	/* events of it */
	__u64 discarded;
	/* valid with at least one sample: WakeLatency, or IntrLatency without it in the summary */
	struct order_stats latency;
	__u64 median_error_ns;
	/* SilentTime; valid with a WakeLatency in the summary */
	__u64 silent_min_ns;
	__u64 silent_median_ns;
	__u64 silent_max_ns;
	enum step_change change;
	/* index of the step that it differs from */
	size_t before;
};

/* "slower", "faster" or "". */
const char *step_change_name(enum step_change change);

/*
 * Fills in what the samples of the row say of each step, and whether it differs from the last
 * one before it that has samples. Where the latency jumps in the middle of a step, that differs
 * from neither of its neighbours by more than the margin in most samples; so a step is compared
 * with the one before that, too, unless there was a change in between. Returns false without
 * memory.
 */
bool sweep_summarise(struct summary *summary,
		     const struct idle_latency_record *samples);

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

/* Reports all of that. */
void sweep_report(const struct summary *summary);

#endif
