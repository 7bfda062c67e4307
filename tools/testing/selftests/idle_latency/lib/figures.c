// SPDX-License-Identifier: GPL-2.0
/* What a verdict is made of, in one sentence. */
#include "tally.h"

static void say_above(struct text *text, const struct verdict_rule *rule,
		      const struct tally *tally)
{
	if (!tally->judged) {
		text_add(text, "there is no sample");
		return;
	}
	text_add(text, "%s less its error of up to %llu ns is above %llu ns in ",
		 tally->wake ? "WakeLatency" : "IntrLatency", tally->error_ns,
		 rule->limit_ns);
	if (!tally->above)
		text_add(text, "none of %zu samples", tally->judged);
	else
		text_add(text, "%zu of %zu samples, by up to %llu ns",
			 tally->above, tally->judged,
			 tally->least_ns - rule->limit_ns);
}

static void say_bounds(struct text *text, const struct verdict *verdict)
{
	text_add(text, ": ");
	if (verdict->p_lower > 0)
		text_add(text, "%.3g <= ", verdict->p_lower);
	text_add(text, "p <= %.3g at 95 %%", verdict->p_upper);
}

/* What a milder rule would say, because tables are made by it. */
static void say_usual(struct text *text, const struct tally *tally)
{
	bool in_order = !verdict_contradicts(tally->judged, tally->above,
					     USUAL_QUANTILE);

	text_add(text,
		 ", which would%s be in order for a table that is a 99.99th percentile",
		 in_order ? "" : " not");
}

static void say_quantile(struct text *text, const struct verdict_rule *rule)
{
	text_add(text, ", where quantile %.9g allows %.3g",
		 (double)rule->quantile / QUANTILE_ONE,
		 allowed(rule->quantile));
}

static void say_needed(struct text *text, const struct verdict_rule *rule,
		       const struct tally *tally)
{
	text_add(text, "; with %llu that may be above, %llu samples prove it",
		 open_events(tally),
		 binomial_smallest_n(open_events(tally),
				     allowed(rule->quantile),
				     BINOMIAL_ALPHA));
}

/* One of them above, or all of them below, would be enough. */
static __u64 deciding_error_ns(const struct tally *tally)
{
	return tally->farthest_over_ns ? tally->farthest_over_ns :
					 tally->nearest_under_ns + 1;
}

static void say_added(struct text *text, const struct instrument *instrument)
{
	if (instrument->unknown)
		text_add(text, "; %s could not be measured",
			 instrument->unknown);
	if (instrument->delivery_ns)
		text_add(text,
			 "; of the error, delivery by the card is %llu ns",
			 instrument->delivery_ns);
	if (instrument->rate_ppb)
		text_add(text,
			 "; the rate of the timer may be wrong by %llu ppm",
			 instrument->rate_ppb / 1000 + 1);
	if (instrument->software_ns)
		text_add(text,
			 "; of the error, the software around the idle instruction is %llu ns",
			 instrument->software_ns);
}

/* Which error would decide. */
static void say_within(struct text *text, const struct verdict_rule *rule,
		       const struct tally *tally)
{
	__u64 error_ns = deciding_error_ns(tally);

	text_add(text,
		 "; %zu of %zu samples that count are within their error: an error below %llu ns would decide",
		 tally->within, tally->counted, error_ns);
	if (rule->best && rule->best_error_ns < error_ns)
		text_add(text, ", and %s has %llu ns", rule->best,
			 rule->best_error_ns);
	if (tally->wake)
		say_added(text, &rule->instrument);
}

static void say_awake(struct text *text, const struct verdict_rule *rule,
		      const struct tally *tally)
{
	if (tally->explained)
		text_add(text, "; %zu more may be: ", tally->explained);
	else
		text_add(text, "; ");
	if (rule->awake_count)
		text_add(text,
			 "the awake CPU gets to the handler in %llu ns in the median and in up to %llu ns in %zu samples",
			 rule->awake.median, rule->awake.max,
			 rule->awake_count);
	else
		text_add(text,
			 "in what time the awake CPU gets to the handler is not known");
}

static void say_discarded(struct text *text,
			  const struct idle_latency_counts *counts)
{
	char above[256];

	discards_above_text(counts, above, sizeof(above));
	text_add(text, "; discarded: %s", above);
}

static void say_reached(struct text *text, const struct verdict_rule *rule,
			const struct verdict_evidence *evidence,
			const struct verdict *verdict)
{
	text_add(text, "; %s covers SilentTime in %zu of %zu",
		 rule->counter ? rule->counter : "the counter of the state",
		 verdict->reached, evidence->count);
	if (*evidence->causes)
		text_add(text, ": %s", evidence->causes);
	/* The CPU may look at when its timer is due, which it cannot of a card. */
	if (2 * verdict->reached < evidence->count && 2 * rule->nic_reached > rule->nic_count)
		text_add(text, "%s by timer, as nic has %zu of %zu",
			 *evidence->causes ? "," : ":", rule->nic_reached, rule->nic_count);
}

/* Where the tick of the CPU comes first, more time gives no more samples. */
static void say_most(struct text *text, const struct verdict_rule *rule,
		     const struct idle_latency_counts *counts)
{
	char most[64];

	discards_most_text(counts, most, sizeof(most));
	text_add(text, "%s", most);
	if (rule->keeps_time && discards_mostly_timers(counts))
		text_add(text,
			 ", because the CPU ticks for those of nohz_full: measure one of these");
}

static void say_too_few(struct text *text, const struct verdict_rule *rule,
			const struct verdict_evidence *evidence,
			const struct tally *tally)
{
	text_add(text, "; %zu of %zu wanted samples count", tally->counted,
		 rule->wanted);
	if (tally->silent < tally->judged)
		text_add(text, "; SilentTime is at least %llu ns in %zu",
			 rule->residency_ns, tally->silent);
	text_add(text, "; %llu armed, most discarded: ",
		 evidence->counts->armed);
	say_most(text, rule, evidence->counts);
}

static void say_package(struct text *text, const struct tally *tally)
{
	if (tally->package_read)
		text_add(text, "; the package reached its state in %zu of %zu",
			 tally->counted_package, tally->package_read);
	else
		text_add(text, "; where the package was is not known");
}

static void say_selected(struct text *text, const struct verdict_rule *rule,
			 const struct idle_latency_counts *counts)
{
	text_add(text, "; %llu of %llu events were discarded, most: ",
		 discards_total(counts), counts->armed);
	say_most(text, rule, counts);
}

static void say_probability(struct text *text, const struct verdict_rule *rule,
			    const struct tally *tally,
			    const struct verdict *verdict)
{
	say_bounds(text, verdict);
	if (rule->quantile == QUANTILE_ONE) {
		if (!verdict->discarded_above)
			say_usual(text, tally);
		return;
	}
	say_quantile(text, rule);
	if (verdict->result == VERDICT_PASS && !is_proven(rule, tally))
		say_needed(text, rule, tally);
}

void say_figures(const struct verdict_rule *rule,
		 const struct verdict_evidence *evidence,
			const struct tally *tally, struct verdict *verdict)
{
	struct text text = text_begin(verdict->figures,
				      sizeof(verdict->figures));

	say_above(&text, rule, tally);
	if (tally->judged)
		say_probability(&text, rule, tally, verdict);
	if (tally->within)
		say_within(&text, rule, tally);
	if (tally->asleep)
		text_add(&text,
			 "; %zu more would be above if the link to the card was awake",
			 tally->asleep);
	if (tally->intr_above)
		say_awake(&text, rule, tally);
	if (verdict->discarded_above)
		say_discarded(&text, evidence->counts);
	if (tally->reach_known && verdict->reached < evidence->count)
		say_reached(&text, rule, evidence, verdict);
	if (tally->counted < rule->wanted)
		say_too_few(&text, rule, evidence, tally);
	else if (is_selected(evidence->counts))
		say_selected(&text, rule, evidence->counts);
	if (rule->package_included &&
	    (!tally->package_read ||
	     tally->counted_package < tally->package_read))
		say_package(&text, tally);
}
