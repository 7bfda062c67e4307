// SPDX-License-Identifier: GPL-2.0
/* What a verdict is made of, in one sentence. */
#include "tally.h"

static void say_above(struct text *text, const struct tally *tally)
{
	const __u64 limit_ns = tally->rule->limit_ns;
	const size_t count = tally->evidence->count;

	if (!count) {
		text_add(text, "there is no sample");
		return;
	}
	text_add(text, "%s less its error of up to %llu ns is above %llu ns in ",
		 tally->wake ? "WakeLatency" : "IntrLatency", tally->error_ns, limit_ns);
	if (!tally->above)
		text_add(text, "none of %zu samples", count);
	else
		text_add(text, "%zu of %zu samples, by up to %llu ns", tally->above, count,
			 tally->least_ns - limit_ns);
}

/* What a milder rule would say, because tables are made by it. */
static void say_usual(struct text *text, const struct tally *tally)
{
	bool in_order = !verdict_contradicts(tally->evidence->count, tally->above, USUAL_QUANTILE);

	text_add(text, ", which would%s be in order for a table that is a 99.99th percentile",
		 in_order ? "" : " not");
}

static void say_probability(struct text *text, const struct tally *tally,
			    const struct verdict *verdict)
{
	const __u64 quantile = tally->rule->quantile;

	text_add(text, ": ");
	if (verdict->p_lower > 0)
		text_add(text, "%.3g <= ", verdict->p_lower);
	text_add(text, "p <= %.3g at 95 %%", verdict->p_upper);
	if (quantile != QUANTILE_ONE)
		text_add(text, ", where quantile %.9g allows %.3g",
			 (double)quantile / QUANTILE_ONE, allowed(quantile));
	else if (!verdict->discarded_above)
		say_usual(text, tally);
	if (quantile != QUANTILE_ONE && verdict->result == VERDICT_PASS && !is_proven(tally))
		text_add(text, "; with %llu that may be above, %llu samples prove it",
			 open_events(tally),
			 binomial_smallest_n(open_events(tally), allowed(quantile)));
}

static void say_added(struct text *text, const struct instrument *instrument)
{
	if (instrument->unknown)
		text_add(text, "; %s could not be measured", instrument->unknown);
	if (instrument->delivery_ns)
		text_add(text, "; of the error, delivery by the card is %llu ns",
			 instrument->delivery_ns);
	if (instrument->rate_ppb)
		text_add(text, "; the rate of the timer may be wrong by %llu ppm",
			 instrument->rate_ppb / 1000 + 1);
	if (instrument->software_ns)
		text_add(text,
			 "; of the error, the software around the idle instruction is %llu ns",
			 instrument->software_ns);
}

/* Which error would decide: one of them above, or all of them below, would be enough. */
static void say_within(struct text *text, const struct tally *tally)
{
	const struct verdict_rule *rule = tally->rule;
	__u64 error_ns = tally->farthest_over_ns ? tally->farthest_over_ns :
						   tally->nearest_under_ns + 1;

	text_add(text,
		 "; %zu of %zu samples that count are within their error: an error below %llu ns would decide",
		 tally->within, tally->counted, error_ns);
	if (rule->best && rule->best_error_ns < error_ns)
		text_add(text, ", and %s has %llu ns", rule->best, rule->best_error_ns);
	if (tally->wake)
		say_added(text, &rule->instrument);
}

static void say_awake(struct text *text, const struct tally *tally)
{
	const struct verdict_rule *rule = tally->rule;

	text_add(text, "; ");
	if (tally->explained)
		text_add(text, "%zu more may be: ", tally->explained);
	if (rule->awake_count)
		text_add(text,
			 "the awake CPU gets to the handler in %llu ns in the median and in up to %llu ns in %zu samples",
			 rule->awake.median, rule->awake.max, rule->awake_count);
	else
		text_add(text,
			 "in what time the awake CPU gets to the handler is not known");
}

static void say_discarded(struct text *text, const struct idle_latency_counts *counts)
{
	char above[256];

	discards_text(counts, true, above, sizeof(above));
	text_add(text, "; discarded: %s", above);
}

static void say_reached(struct text *text, const struct tally *tally)
{
	const struct verdict_rule *rule = tally->rule;
	const char *causes = tally->evidence->causes;

	text_add(text, "; %s covers SilentTime in %zu of %zu",
		 rule->counter ? rule->counter : "the counter of the state",
		 tally->reached, tally->evidence->count);
	if (*causes)
		text_add(text, ": %s", causes);
	/* The CPU may look at when its timer is due, which it cannot of a card. */
	if (2 * tally->reached < tally->evidence->count && 2 * rule->nic_reached > rule->nic_count)
		text_add(text, "%s by timer, as nic has %zu of %zu", *causes ? "," : ":",
			 rule->nic_reached, rule->nic_count);
}

static void say_most(struct text *text, const struct tally *tally)
{
	const struct idle_latency_counts *counts = tally->evidence->counts;

	discards_add_most(text, counts);
	if (discards_mostly_interrupts(counts) && *tally->evidence->interrupts)
		text_add(text, ", and meanwhile the CPU took %s", tally->evidence->interrupts);
}

static void say_too_few(struct text *text, const struct tally *tally)
{
	text_add(text, "; %zu of %zu wanted samples count", tally->counted, tally->rule->wanted);
	if (tally->silent < tally->evidence->count)
		text_add(text, "; SilentTime is at least %llu ns in %zu",
			 tally->rule->residency_ns, tally->silent);
	text_add(text, "; %llu armed, most discarded: ", tally->evidence->counts->armed);
	say_most(text, tally);
}

static void say_selected(struct text *text, const struct tally *tally)
{
	const struct idle_latency_counts *counts = tally->evidence->counts;

	text_add(text, "; %llu of %llu events were discarded, most: ", discards_total(counts),
		 counts->armed);
	say_most(text, tally);
}

/* Why nothing tells whether the CPU was in the state. */
static void say_unverified(struct text *text, const struct tally *tally)
{
	const struct idle_latency_counts *counts = tally->evidence->counts;
	const __u64 between = counts->between_cyc, all = counts->advanced_cyc + between;
	const char *counter = tally->rule->counter ?: "the counter of the state";

	text_add(text, "; unverified: ");
	if (!tally->rule->counter_known)
		text_add(text, "no counter on this CPU tells of the state");
	else if (!tally->reach_known)
		text_add(text, "%s was never valid", counter);
	else
		text_add(text, "%.0f %% of what %s advances is between the events",
			 100.0 * between / all, counter);
}

static void say_scope(struct text *text, const struct tally *tally, enum scope scope)
{
	if (tally->scope_read[scope])
		text_add(text, "; the %s reached its state in %zu of %zu", scope_name(scope),
			 tally->scope_asleep[scope], tally->scope_read[scope]);
	else
		text_add(text, "; where the %s was is not known", scope_name(scope));
}

void say_figures(const struct tally *tally, struct verdict *verdict)
{
	struct text text = text_begin(verdict->figures, sizeof(verdict->figures));
	const size_t count = tally->evidence->count;

	say_above(&text, tally);
	if (count)
		say_probability(&text, tally, verdict);
	if (tally->above && tally->rule->promoted)
		text_add(&text, "; C1E promotion is on: what is entered may be C1E");
	if (tally->within)
		say_within(&text, tally);
	if (tally->asleep)
		text_add(&text, "; %zu more would be above if the link to the card was awake",
			 tally->asleep);
	if (tally->intr_above)
		say_awake(&text, tally);
	if (verdict->discarded_above)
		say_discarded(&text, tally->evidence->counts);
	if (tally->reach_known && tally->reached < count)
		say_reached(&text, tally);
	if (tally->counted < tally->rule->wanted)
		say_too_few(&text, tally);
	else if (is_selected(tally->evidence->counts))
		say_selected(&text, tally);
	if (verdict->qualifiers & QUALIFIER_UNVERIFIED)
		say_unverified(&text, tally);
	for (enum scope scope = 0; scope < SCOPES; scope++)
		if (tally->rule->included[scope])
			say_scope(&text, tally, scope);
}
