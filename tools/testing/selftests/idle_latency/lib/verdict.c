// SPDX-License-Identifier: GPL-2.0
/*
 * The verdict on one CPU, method and idle state.
 *
 * One sample above the limit refutes what is declared, whatever else happened.
 * PASS on the other hand needs that nothing can hide: enough samples that
 * reached the state, all of them below the limit, and no slow wake-up among the
 * discarded events.
 */
#include <stdlib.h>

#include "tally.h"

/* How improbable it has to be that so many samples are above a quantile by chance. */
#define QUANTILE_ALPHA	0.001

/* Of what the counter of a state advances, one part in so many may be between the events. */
#define BETWEEN_PART	20

/* The counters of the package are read for one event of eight, by chance for fewer of few. */
#define PACKAGE_READ_PART	16

const char *verdict_name(enum verdict_result result)
{
	switch (result) {
	case VERDICT_PASS:
		return "PASS";
	case VERDICT_FAIL:
		return "FAIL";
	default:
		return "SKIP";
	}
}

void verdict_qualifiers_text(unsigned int qualifiers, char *text, size_t size)
{
	static const char * const names[] = {
		"unverified", "virtual", "lower-bound", "core-only",
		"upper-bound", "unproven", "few-above",
	};
	struct text all = text_begin(text, size);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (qualifiers & 1U << i)
			text_add(&all, "%s%s", all.used ? "+" : "", names[i]);
}

void verdict_skip(struct verdict *verdict, const char *reason)
{
	*verdict = (struct verdict) {
		.result = VERDICT_SKIP, .reason = reason, .p_upper = 1,
	};
}

bool verdict_contradicts(__u64 n, __u64 above, __u64 quantile)
{
	return binomial_at_least(n, above, allowed(quantile)) < QUANTILE_ALPHA;
}

static void count_flags(const struct verdict_evidence *evidence,
			struct verdict *verdict)
{
	verdict->reached = evidence_flag(evidence, IDLE_LATENCY_RECORD_REACHED);
	verdict->package = evidence_flag(evidence, IDLE_LATENCY_RECORD_PACKAGE);
}

/* The smallest number of samples above a limit with which it is not proven. */
static __u64 too_many(__u64 counted, double p)
{
	__u64 above = 0;

	while (binomial_at_most(counted, above, p) < BINOMIAL_ALPHA)
		above++;
	return above;
}

/* The figure is left out where there is no memory for it. */
static void find_p9999(const struct verdict_rule *rule,
		       const struct verdict_evidence *evidence,
		       const struct tally *tally, struct verdict *verdict)
{
	__u64 above = too_many(tally->counted, allowed(USUAL_QUANTILE));
	__u64 *sorted;

	if (!above)
		return;
	sorted = malloc(evidence->count * sizeof(*sorted));
	if (!sorted)
		return;
	for (size_t i = 0; i < evidence->count; i++)
		sorted[i] = instrument_most(&rule->instrument, &evidence->samples[i]);
	sort_samples(sorted, evidence->count);
	verdict->has_p9999 = true;
	verdict->smallest_p9999_ns = sorted[evidence->count - above];
	free(sorted);
}

static __u64 lost(const struct verdict_evidence *evidence)
{
	return evidence->counts->discarded[IDLE_LATENCY_DISCARD_LOST];
}

/* One event may be lost with the interrupt of something else. */
static bool loses_events(const struct verdict_rule *rule,
			 const struct verdict_evidence *evidence)
{
	return !rule->by_card && !evidence->error && lost(evidence) >= 2;
}

static const char *why_above(const struct verdict_rule *rule,
			     const struct tally *tally)
{
	if (rule->quantile == QUANTILE_ONE)
		return tally->above ? "above the limit" : NULL;
	if (verdict_contradicts(tally->judged + tally->slow,
				tally->above +
				minus_or_0(tally->slow, tally->doubtful),
				rule->quantile))
		return "the quantile is above the limit";
	return NULL;
}

static const char *why_too_few(const struct verdict_rule *rule,
			       const struct verdict_evidence *evidence,
			       const struct tally *tally, size_t reached)
{
	bool enough = evidence->count >= rule->wanted &&
		      reached < rule->wanted;

	if (tally->reach_known && (enough || tally->silent >= rule->wanted))
		return "the state was not reached";
	return "too few samples";
}

/* Whether it would be FAIL if all that may be above was. */
static bool is_undecided(const struct verdict_rule *rule,
			 const struct tally *tally)
{
	if (rule->quantile == QUANTILE_ONE)
		return tally->open || tally->intr_above || tally->asleep;
	return verdict_contradicts(tally->counted + tally->slow,
				   open_events(tally), rule->quantile);
}

/* With a quantile, what was discarded above the limit is among the samples above. */
static const char *why_discarded(const struct verdict_rule *rule,
				 const struct verdict_evidence *evidence,
				 const struct tally *tally)
{
	if (rule->by_card && lost(evidence))
		return "the card's events were lost";
	if (rule->quantile != QUANTILE_ONE || !tally->slow)
		return NULL;
	return lost(evidence) ? "an event was lost" :
				"discarded events above the limit";
}

static const char *why_skip(const struct verdict_rule *rule,
			    const struct verdict_evidence *evidence,
			    const struct tally *tally,
			    const struct verdict *verdict)
{
	const char *discarded = why_discarded(rule, evidence, tally);

	if (is_undecided(rule, tally))
		return tally->asleep ? "the link may sleep" : "undecided";
	/* It explains what was lost as well, such as by a card that went away. */
	if (evidence->error)
		return evidence->error;
	if (discarded)
		return discarded;
	if (tally->counted < rule->wanted)
		return why_too_few(rule, evidence, tally, verdict->reached);
	if (is_selected(evidence->counts) ||
	    (tally->reach_known && 2 * tally->counted < tally->silent))
		return "selected";
	return NULL;
}

/* A CPU that updates the counter late counts for an event what belongs to the one before. */
static bool is_unverified(const struct tally *tally,
			  const struct idle_latency_counts *counts)
{
	return !tally->reach_known ||
	       counts->between_cyc >
	       (counts->advanced_cyc + counts->between_cyc) / BETWEEN_PART;
}

/* The first samples of a session, and those in which another core was awake, may miss it. */
static bool is_core_only(const struct verdict_rule *rule,
			 const struct tally *tally)
{
	return rule->package_included &&
	       (!tally->package_read ||
		2 * tally->counted_package < tally->package_read ||
		PACKAGE_READ_PART * tally->counted_package < rule->wanted);
}

static unsigned int find_qualifiers(const struct verdict_rule *rule,
				    const struct verdict_evidence *evidence,
				    const struct tally *tally)
{
	unsigned int qualifiers = 0;

	if (is_unverified(tally, evidence->counts))
		qualifiers |= QUALIFIER_UNVERIFIED;
	if (rule->virtual)
		qualifiers |= QUALIFIER_VIRTUAL;
	if (rule->lower_bound)
		qualifiers |= QUALIFIER_LOWER_BOUND;
	if (is_core_only(rule, tally))
		qualifiers |= QUALIFIER_CORE_ONLY;
	if (!tally->wake)
		qualifiers |= QUALIFIER_UPPER_BOUND;
	if (rule->quantile == QUANTILE_ONE)
		return qualifiers;
	if (!is_proven(rule, tally))
		qualifiers |= QUALIFIER_UNPROVEN;
	if (tally->above || open_events(tally))
		qualifiers |= QUALIFIER_FEW_ABOVE;
	return qualifiers;
}

static void conclude(const struct verdict_rule *rule,
		     const struct verdict_evidence *evidence,
		     const struct tally *tally, struct verdict *verdict)
{
	/* This is true of any verdict; the others say what a PASS leaves open. */
	if (rule->virtual)
		verdict->qualifiers = QUALIFIER_VIRTUAL;
	verdict->result = VERDICT_FAIL;
	verdict->reason = why_above(rule, tally);
	if (verdict->reason) {
		verdict->firmware = rule->firmware;
		if (rule->firmware)
			verdict->reason = "declared by the firmware";
		return;
	}
	verdict->reason = "events were lost";
	if (rule->quantile == QUANTILE_ONE && loses_events(rule, evidence))
		return;
	verdict->result = VERDICT_SKIP;
	verdict->reason = why_skip(rule, evidence, tally, verdict);
	if (verdict->reason)
		return;
	verdict->result = VERDICT_PASS;
	verdict->reason = "";
	verdict->qualifiers = find_qualifiers(rule, evidence, tally);
}

void verdict_judge(const struct verdict_rule *rule,
		   const struct verdict_evidence *evidence,
		   struct verdict *verdict)
{
	struct tally tally = tally_evidence(rule, evidence);

	*verdict = (struct verdict) {
		.above = tally.above,
		.discarded_above = discards_above(evidence->counts),
		.p_upper = binomial_upper(tally.counted, tally.open,
					  BINOMIAL_ALPHA),
		.p_lower = binomial_lower(tally.judged, tally.above,
					  BINOMIAL_ALPHA),
		.smallest_pass_ns = tally.most_ns,
		.none_above_ns = tally.least_ns,
	};
	count_flags(evidence, verdict);
	find_p9999(rule, evidence, &tally, verdict);
	conclude(rule, evidence, &tally, verdict);
	say_figures(rule, evidence, &tally, verdict);
}
