// SPDX-License-Identifier: GPL-2.0
/*
 * The verdict on one CPU, method and idle state.
 *
 * One sample above the limit refutes what is declared, whatever else happened.
 * PASS on the other hand needs that nothing can hide: enough samples that
 * reached the state, all of them below the limit, and no slow wake-up among the
 * discarded events.
 */
#include "tally.h"

/* How improbable it has to be that so many samples are above a quantile by chance. */
#define QUANTILE_ALPHA	0.001

/* Of what the counter of a state advances, one part in so many may be between the events. */
#define BETWEEN_PART	20

/* The counters of the package are read for one event of eight, by chance for fewer of few. */
#define PACKAGE_READ_PART	16

const char *verdict_name(enum verdict_result result)
{
	static const char * const names[] = { "PASS", "FAIL", "SKIP" };

	return names[result];
}

const char *verdict_qualifiers(unsigned int qualifiers)
{
	static char words[96];
	static const char * const names[] = {
		"unverified", "virtual", "lower-bound", "core-only",
		"upper-bound", "unproven", "few-above",
	};
	struct text all = text_begin(words, sizeof(words));

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (qualifiers & 1U << i)
			text_add(&all, "%s%s", all.used ? "+" : "", names[i]);
	return words;
}

void verdict_skip(struct verdict *verdict, const char *reason)
{
	*verdict = (struct verdict) { .result = VERDICT_SKIP, .reason = reason, .p_upper = 1 };
}

bool verdict_contradicts(__u64 n, __u64 above, __u64 quantile)
{
	return binomial_at_least(n, above, allowed(quantile)) < QUANTILE_ALPHA;
}

static size_t count_above(const struct tally *tally, __u64 limit_ns)
{
	const struct verdict_evidence *evidence = tally->evidence;
	size_t above = 0;

	for (size_t i = 0; i < evidence->count; i++)
		above += instrument_bounds(&tally->rule->instrument,
					   &evidence->samples[i]).most_ns > limit_ns;
	return above;
}

/* The smallest limit that fewer samples are above than would leave it unproven. */
static void find_p9999(const struct tally *tally, struct verdict *verdict)
{
	__u64 above = 0, low_ns = 0, high_ns = tally->most_ns;

	while (binomial_at_most(tally->counted, above, allowed(USUAL_QUANTILE)) < BINOMIAL_ALPHA)
		above++;
	if (!above)
		return;
	while (low_ns < high_ns) {
		const __u64 middle_ns = low_ns + (high_ns - low_ns) / 2;

		if (count_above(tally, middle_ns) < above)
			high_ns = middle_ns;
		else
			low_ns = middle_ns + 1;
	}
	verdict->has_p9999 = true;
	verdict->smallest_p9999_ns = high_ns;
}

static bool by_maximum(const struct tally *tally)
{
	return tally->rule->quantile == QUANTILE_ONE;
}

static __u64 lost(const struct tally *tally)
{
	return tally->evidence->counts->discarded[IDLE_LATENCY_DISCARD_LOST];
}

static const char *why_above(const struct tally *tally)
{
	__u64 slow = minus_or_0(tally->slow, tally->doubtful);

	if (by_maximum(tally))
		return tally->above ? "above the limit" : NULL;
	if (verdict_contradicts(tally->evidence->count + tally->slow, tally->above + slow,
				tally->rule->quantile))
		return "the quantile is above the limit";
	return NULL;
}

static const char *why_too_few(const struct tally *tally)
{
	const size_t wanted = tally->rule->wanted;
	bool enough = tally->evidence->count >= wanted && tally->reached < wanted;

	if (tally->reach_known && (enough || tally->silent >= wanted))
		return "the state was not reached";
	return "too few samples";
}

/* Whether it would be FAIL if all that may be above was. */
static bool is_undecided(const struct tally *tally)
{
	if (by_maximum(tally))
		return tally->open || tally->intr_above || tally->asleep;
	return verdict_contradicts(tally->counted + tally->slow, open_events(tally),
				   tally->rule->quantile);
}

static const char *why_skip(const struct tally *tally)
{
	if (is_undecided(tally))
		return tally->asleep ? "the link may sleep" : "undecided";
	/* It explains what was lost as well, such as by a card that went away. */
	if (tally->evidence->error)
		return tally->evidence->error;
	if (tally->rule->by_card && lost(tally))
		return "the card's events were lost";
	/* With a quantile, what was discarded above the limit is among the samples above. */
	if (by_maximum(tally) && tally->slow)
		return lost(tally) ? "an event was lost" : "discarded events above the limit";
	if (tally->counted < tally->rule->wanted)
		return why_too_few(tally);
	if (is_selected(tally->evidence->counts) ||
	    (tally->reach_known && 2 * tally->counted < tally->silent))
		return "selected";
	return NULL;
}

/* A CPU that updates the counter late counts for an event what belongs to the one before. */
static bool is_unverified(const struct tally *tally)
{
	const struct idle_latency_counts *counts = tally->evidence->counts;

	return !tally->reach_known ||
	       counts->between_cyc > (counts->advanced_cyc + counts->between_cyc) / BETWEEN_PART;
}

/*
 * The first samples of a session, and those in which another core was awake, may miss it. Where the
 * others are held, a part of the samples is no sign of where the package is in most of its life:
 * it counts how many had its state.
 */
static bool is_missed(const struct tally *tally, enum scope scope)
{
	const struct verdict_rule *rule = tally->rule;
	const size_t asleep = tally->scope_asleep[scope], read = tally->scope_read[scope];

	if (!rule->included[scope])
		return false;
	if (rule->asleep_wanted[scope])
		return asleep < rule->asleep_wanted[scope];
	return !read || 2 * asleep < read || PACKAGE_READ_PART * asleep < rule->wanted;
}

static bool is_core_only(const struct tally *tally)
{
	return is_missed(tally, SCOPE_MODULE) || is_missed(tally, SCOPE_PACKAGE);
}

static unsigned int find_qualifiers(const struct tally *tally)
{
	const struct verdict_rule *rule = tally->rule;
	unsigned int qualifiers = (is_unverified(tally) ? QUALIFIER_UNVERIFIED : 0) |
				  (rule->virtual ? QUALIFIER_VIRTUAL : 0) |
				  (rule->lower_bound ? QUALIFIER_LOWER_BOUND : 0) |
				  (is_core_only(tally) ? QUALIFIER_CORE_ONLY : 0) |
				  (tally->wake ? 0 : QUALIFIER_UPPER_BOUND);

	if (by_maximum(tally))
		return qualifiers;
	return qualifiers | (is_proven(tally) ? 0 : QUALIFIER_UNPROVEN) |
	       (tally->above || open_events(tally) ? QUALIFIER_FEW_ABOVE : 0);
}

static void conclude(const struct tally *tally, struct verdict *verdict)
{
	const struct verdict_rule *rule = tally->rule;

	/* This is true of any verdict; the others say what a PASS leaves open. */
	verdict->qualifiers = rule->virtual ? QUALIFIER_VIRTUAL : 0;
	verdict->result = VERDICT_FAIL;
	verdict->reason = why_above(tally);
	if (verdict->reason) {
		verdict->firmware = rule->firmware;
		if (rule->firmware)
			verdict->reason = "declared by the firmware";
		return;
	}
	/* One event may be lost with the interrupt of something else. */
	verdict->reason = "events were lost";
	if (by_maximum(tally) && !rule->by_card && !tally->evidence->error && lost(tally) >= 2)
		return;
	verdict->result = VERDICT_SKIP;
	verdict->reason = why_skip(tally);
	if (verdict->reason)
		return;
	verdict->result = VERDICT_PASS;
	verdict->reason = "";
	verdict->qualifiers = find_qualifiers(tally);
}

void verdict_judge(const struct verdict_rule *rule, const struct verdict_evidence *evidence,
		   struct verdict *verdict)
{
	const struct tally tally = tally_evidence(rule, evidence);

	*verdict = (struct verdict) {
		.above = tally.above,
		.discarded_above = discards_above(evidence->counts),
		.reached = tally.reached,
		.package = tally.package,
		.counted = tally.counted,
		.counted_above = smaller(tally.counted_above, tally.above),
		.counted_open = tally.open,
		.p_upper = binomial_upper(tally.counted, tally.open),
		.p_lower = binomial_lower(evidence->count, tally.above),
		.smallest_pass_ns = tally.most_ns,
		.none_above_ns = tally.least_ns,
	};
	find_p9999(&tally, verdict);
	conclude(&tally, verdict);
	say_figures(&tally, verdict);
}
