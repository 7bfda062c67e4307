/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the verdict have in common; others take verdict.h. */
#ifndef TALLY_H
#define TALLY_H

#include "verdict.h"

/* The samples by what the rule asks of them. */
struct tally {
	const struct verdict_rule *rule;
	const struct verdict_evidence *evidence;
	/* most have a WakeLatency; false: only an IntrLatency */
	bool wake;
	bool reach_known;
	size_t above;
	/* above, but for what the link to the card may have added */
	size_t asleep;
	/* without a WakeLatency: all, those above by their zone, and those that this explains */
	size_t intr;
	size_t intr_above;
	size_t explained;
	/* the largest latency with all that it may be wrong by, without, and this alone */
	__u64 most_ns;
	__u64 least_ns;
	__u64 error_ns;
	/* that reached the state, and that are known to have its package state */
	size_t reached;
	size_t package;
	/* with a SilentTime of at least the target residency */
	size_t silent;
	/* ... that reached the state, as far as that is known */
	size_t counted;
	/* ... for which the counters of module and package were read, and in which it was asleep */
	size_t scope_read[SCOPES];
	size_t scope_asleep[SCOPES];
	/* ... that are above the limit, and that are not below it */
	size_t counted_above;
	size_t open;
	/* ... that are within: how many, how far the limit is below one, and above one */
	size_t within;
	__u64 farthest_over_ns;
	__u64 nearest_under_ns;
	/* discarded events above the limit, but for what a card has lost */
	__u64 slow;
	/* so many of these at most may be within their error */
	__u64 doubtful;
};

/* The quantile that Intel's tables are said to be. */
#define USUAL_QUANTILE	999900000ULL

struct tally tally_evidence(const struct verdict_rule *rule,
			    const struct verdict_evidence *evidence);

/* The probability of an exceedance that the rule allows. */
static inline double allowed(__u64 quantile)
{
	return (double)(QUANTILE_ONE - quantile) / QUANTILE_ONE;
}

/* What may be above of what counts. */
static inline __u64 open_events(const struct tally *tally)
{
	return tally->open + tally->slow;
}

/* Whether it is shown that the quantile is not above the limit. */
static inline bool is_proven(const struct tally *tally)
{
	return binomial_at_most(tally->counted + tally->slow, open_events(tally),
				allowed(tally->rule->quantile)) < BINOMIAL_ALPHA;
}

/* Whether half of the events or more were discarded because the machine was busy. */
static inline bool is_selected(const struct idle_latency_counts *counts)
{
	return discards_selecting(counts) && discards_selecting(counts) >= counts->delivered;
}

/* Puts what was found in words. */
void say_figures(const struct tally *tally, struct verdict *verdict);

#endif
