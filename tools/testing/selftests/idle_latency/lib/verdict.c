// SPDX-License-Identifier: GPL-2.0
/*
 * The verdict on one CPU, method and idle state.
 *
 * One sample above the limit refutes what is declared, whatever else happened.
 * PASS on the other hand needs that nothing can hide: enough samples that
 * reached the state, all of them below the limit, and no slow wake-up among the
 * discarded events.
 */
#include <math.h>
#include <stdlib.h>

#include "comparison.h"
#include "measure.h"

#define PPB		1000000000ULL

/* The quantile that Intel's tables are said to be. */
#define USUAL_QUANTILE	999900000ULL

/*
 * How improbable it has to be that the awake CPU explains what is called above: a FAIL is to be
 * wrong in 1 of 1000 rows at most, as there may be hundreds of them. There are three tests.
 */
#define AWAKE_ALPHA	(0.001 / 3)

/* Likewise that samples are above a quantile by chance. */
#define QUANTILE_ALPHA	0.001

/* Of what the counter of a state advances, one part in so many may be between the events. */
#define BETWEEN_PART	20

/* The counters of the package are read for one event of eight, by chance for fewer of few. */
#define PACKAGE_READ_PART	16

#define BIT_OF(counter)	(1U << IDLE_LATENCY_RESIDENCY_##counter)
#define PACKAGE_COUNTERS (BIT_OF(PC2) | BIT_OF(PC3) | BIT_OF(PC6) | BIT_OF(PC7) | \
			  BIT_OF(PC8) | BIT_OF(PC9) | BIT_OF(PC10))

/* The samples by what the rule asks of them. */
struct tally {
	/* most have a WakeLatency; false: only an IntrLatency */
	bool wake;
	bool reach_known;
	size_t judged;
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
	/* with a SilentTime of at least the target residency */
	size_t silent;
	/* ... that reached the state, as far as that is known */
	size_t counted;
	/* ... for which the counters of the package were read, and that had its state */
	size_t package_read;
	size_t counted_package;
	/* ... that are not below the limit */
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

/* Sums and differences that end at the largest and the smallest number. */
static __u64 plus(__u64 a, __u64 b)
{
	return a + b < a ? ~0ULL : a + b;
}

static __u64 minus(__u64 a, __u64 b)
{
	return a > b ? a - b : 0;
}

static bool has_wake(const struct idle_latency_record *sample)
{
	return sample->flags & IDLE_LATENCY_RECORD_WAKE;
}

static __u64 latency(const struct idle_latency_record *sample)
{
	return has_wake(sample) ? sample->wake_ns : sample->intr_ns;
}

__u64 verdict_least(const struct idle_latency_record *sample)
{
	return minus(latency(sample), sample->error_ns);
}

/* The product has more than 64 bits. */
static __u64 part_of(__u64 ns, __u64 ppb)
{
	return ceil((double)ns * ppb / PPB);
}

/* A timer without a deadline counts down in ticks of its own. */
static __u64 timer_doubt(const struct instrument *instrument,
			 const struct idle_latency_record *sample)
{
	if (sample->source != IDLE_LATENCY_SOURCE_HRT ||
	    sample->flags & IDLE_LATENCY_RECORD_DEADLINE)
		return 0;
	return instrument->tick_ns + part_of(sample->ldist_ns,
					     instrument->rate_ppb);
}

__u64 instrument_ldist_most(const struct instrument *instrument, __u64 limit_ns)
{
	double most_ns = (double)limit_ns / 10 * PPB / instrument->rate_ppb;

	return most_ns < IDLE_LATENCY_LDIST_MAX_NS ? most_ns :
						     IDLE_LATENCY_LDIST_MAX_NS;
}

/*
 * The first access to the card takes longer than the next one where the link to it sleeps, and
 * so may the interrupt have: by as much.
 */
static __u64 link_doubt(const struct idle_latency_record *sample)
{
	if (2ULL * sample->warmup_ns <= 3ULL * sample->latch_ns)
		return 0;
	return sample->warmup_ns - sample->latch_ns;
}

/* What makes an IntrLatency longer is seen on the awake CPU, too. */
struct doubt instrument_doubt(const struct instrument *instrument,
			      const struct idle_latency_record *sample)
{
	struct doubt doubt = { .either_ns = timer_doubt(instrument, sample) };

	if (has_wake(sample))
		doubt.longer_ns = plus(plus(instrument->delivery_ns,
					    instrument->software_ns),
				       link_doubt(sample));
	return doubt;
}

__u64 instrument_uncertain(const struct instrument *instrument,
			   const struct idle_latency_record *sample)
{
	struct doubt doubt = instrument_doubt(instrument, sample);

	return plus(doubt.either_ns, doubt.longer_ns);
}

/* The largest that the latency may be, which is the smallest limit that it is below. */
static __u64 most(const struct instrument *instrument,
		  const struct idle_latency_record *sample)
{
	struct doubt doubt = instrument_doubt(instrument, sample);

	return plus(latency(sample), plus(sample->error_ns, doubt.either_ns));
}

/* All that it may be too long by. */
static __u64 excess(const struct instrument *instrument,
		    const struct idle_latency_record *sample)
{
	return plus(sample->error_ns, instrument_uncertain(instrument, sample));
}

static __u64 least(const struct instrument *instrument,
		   const struct idle_latency_record *sample)
{
	return minus(latency(sample), excess(instrument, sample));
}

enum zone verdict_zone(const struct instrument *instrument, __u64 limit_ns,
		       const struct idle_latency_record *sample)
{
	if (most(instrument, sample) <= limit_ns)
		return ZONE_BELOW;
	if (least(instrument, sample) <= limit_ns)
		return ZONE_WITHIN;
	return has_wake(sample) && instrument->unknown ? ZONE_WITHIN :
							 ZONE_ABOVE;
}

/* Whether only the link to the card makes a sample uncertain. */
static bool is_asleep(const struct instrument *instrument, __u64 limit_ns,
		      const struct idle_latency_record *sample)
{
	struct idle_latency_record awake = *sample;

	awake.warmup_ns = awake.latch_ns;
	return verdict_zone(instrument, limit_ns, sample) == ZONE_WITHIN &&
	       verdict_zone(instrument, limit_ns, &awake) == ZONE_ABOVE;
}

static size_t count_intr_above(const struct verdict_rule *rule,
			       const struct verdict_evidence *evidence,
			       __u64 limit_ns)
{
	size_t above = 0;

	for (size_t i = 0; i < evidence->count; i++) {
		const struct idle_latency_record *sample =
			&evidence->samples[i];

		above += !has_wake(sample) &&
			 least(&rule->instrument, sample) > limit_ns;
	}
	return above;
}

/*
 * How many samples of the state may be above a latency because of what they have in common with
 * those of the awake CPU: as many as are not improbable when so many of the awake CPU are, where
 * each sample of both is as likely to be one of them.
 */
static size_t explained(const struct verdict_rule *rule, size_t intr,
			size_t awake_above, size_t above)
{
	size_t low = 0, beyond = above + 1;

	while (low + 1 < beyond) {
		size_t middle = low + (beyond - low) / 2;

		if (tail_test_p(rule->awake_count, intr, awake_above + middle,
				middle) < AWAKE_ALPHA)
			beyond = middle;
		else
			low = middle;
	}
	return low;
}

/*
 * Above the limit by more than @awake_ns, which @awake_above samples of the awake CPU are above
 * at most.
 */
static size_t count_unexplained(const struct verdict_rule *rule,
				const struct verdict_evidence *evidence,
				size_t intr, __u64 awake_ns, size_t awake_above)
{
	size_t above = count_intr_above(rule, evidence,
					plus(rule->limit_ns, awake_ns));

	return above - explained(rule, intr, awake_above, above);
}

static __u64 larger(__u64 a, __u64 b)
{
	return a > b ? a : b;
}

/*
 * Without a WakeLatency, a sample has what it takes to get to the handler, which is slow at times,
 * such as when the kernel brings its time up to date: on the awake CPU, too. So samples of the
 * state less the limit are compared with those of the awake CPU, above three of its latencies: many
 * samples that are a little too slow show above the median, and few slow ones above the largest.
 * Without any of the awake CPU, all may be explained.
 */
static size_t unexplained_intr(const struct verdict_rule *rule,
			       const struct verdict_evidence *evidence,
			       size_t intr)
{
	const struct order_stats *awake = &rule->awake;
	size_t count = rule->awake_count;
	size_t above = count_unexplained(rule, evidence, intr, awake->max, 0);

	if (awake->has_p99)
		above = larger(above, count_unexplained(rule, evidence, intr,
							awake->p99,
							count / 100));
	return larger(above, count_unexplained(rule, evidence, intr,
					       awake->median, count / 2));
}

/*
 * Without a WakeLatency there is no SilentTime either. It is shorter than the
 * launch distance by what arming took.
 */
static bool is_silent(const struct verdict_rule *rule,
		      const struct idle_latency_record *sample)
{
	__u64 silent = has_wake(sample) ? sample->silent_ns :
		minus(sample->ldist_ns, LAUNCH_DISTANCE_ARMING_NS);

	return silent >= rule->residency_ns;
}

static size_t count_flag(const struct verdict_evidence *evidence, __u32 flag)
{
	size_t count = 0;

	for (size_t i = 0; i < evidence->count; i++)
		count += !!(evidence->samples[i].flags & flag);
	return count;
}

static void note_within(struct tally *tally, __u64 limit_ns, __u64 ns)
{
	__u64 under_ns = minus(limit_ns, ns);

	tally->farthest_over_ns = larger(tally->farthest_over_ns,
					 minus(ns, limit_ns));
	if (!tally->within || under_ns < tally->nearest_under_ns)
		tally->nearest_under_ns = under_ns;
	tally->within++;
}

static void tally_errors(struct tally *tally,
			 const struct instrument *instrument,
			 const struct idle_latency_record *sample)
{
	tally->most_ns = larger(tally->most_ns, most(instrument, sample));
	tally->least_ns = larger(tally->least_ns, least(instrument, sample));
	tally->error_ns = larger(tally->error_ns, excess(instrument, sample));
}

/* By the zone of a sample that counts, or does not. */
static void tally_zone(struct tally *tally, const struct verdict_rule *rule,
		       const struct idle_latency_record *sample, bool counts)
{
	enum zone zone = verdict_zone(&rule->instrument, rule->limit_ns,
				      sample);

	if (has_wake(sample))
		tally->above += zone == ZONE_ABOVE;
	else
		tally->intr_above += zone == ZONE_ABOVE;
	tally->asleep += is_asleep(&rule->instrument, rule->limit_ns, sample);
	if (!counts || zone == ZONE_BELOW)
		return;
	tally->open++;
	if (zone == ZONE_WITHIN)
		note_within(tally, rule->limit_ns, latency(sample));
}

static void tally_sample(struct tally *tally, const struct verdict_rule *rule,
			 const struct idle_latency_record *sample)
{
	bool reached = !tally->reach_known ||
		       sample->flags & IDLE_LATENCY_RECORD_REACHED;
	bool silent = has_wake(sample) == tally->wake &&
		      is_silent(rule, sample);
	bool counts = silent && reached;

	tally->judged++;
	tally->intr += !has_wake(sample);
	tally_errors(tally, &rule->instrument, sample);
	tally_zone(tally, rule, sample, counts);
	tally->silent += silent;
	tally->counted += counts;
	tally->package_read += counts &&
			       sample->residency_present & PACKAGE_COUNTERS;
	tally->counted_package += counts &&
				  sample->flags & IDLE_LATENCY_RECORD_PACKAGE;
}

/*
 * Where the CPU has the counter but it was never valid, nothing is known of
 * the state either. Each sample is judged by the latency that it has: a few
 * of the other kind do not count, but may be exceedances like all others.
 */
static struct tally tally_samples(const struct verdict_rule *rule,
				  const struct verdict_evidence *evidence)
{
	struct tally tally = {
		.wake = 2 * count_flag(evidence, IDLE_LATENCY_RECORD_WAKE) >
			evidence->count,
		.reach_known = rule->counter_known &&
			count_flag(evidence, IDLE_LATENCY_RECORD_COUNTED),
	};

	for (size_t i = 0; i < evidence->count; i++)
		tally_sample(&tally, rule, &evidence->samples[i]);
	if (tally.intr_above) {
		size_t above = unexplained_intr(rule, evidence, tally.intr);

		tally.above += above;
		tally.explained = tally.intr_above - above;
	}
	return tally;
}

size_t verdict_counted(const struct idle_latency_record *samples, size_t count,
		       __u64 residency_ns)
{
	const struct verdict_rule rule = {
		.residency_ns = residency_ns, .counter_known = true,
	};
	const struct verdict_evidence evidence = {
		.samples = samples, .count = count,
	};

	return tally_samples(&rule, &evidence).counted;
}

/*
 * The driver counts a discarded event as above without what the instrument adds. Where the
 * event fired before idle, entry_ns was taken off; an IntrLatency has the handlers of others.
 */
static bool is_doubtful(const struct verdict_rule *rule,
			const struct idle_latency_record *discarded)
{
	if (verdict_least(discarded) <= rule->limit_ns)
		return false;
	if (has_wake(discarded))
		return verdict_zone(&rule->instrument, rule->limit_ns,
				    discarded) != ZONE_ABOVE;
	return (__s64)(discarded->tai_tsc - discarded->tintr_tsc) > 0;
}

/* Nothing is known of what was not kept, and a spurious event of a card may be a lost one. */
static void tally_discarded(struct tally *tally,
			    const struct verdict_rule *rule,
			    const struct verdict_evidence *evidence)
{
	const struct idle_latency_counts *counts = evidence->counts;

	tally->slow = discards_above(counts);
	tally->doubtful = minus(counts->kept, evidence->discarded_count);
	for (size_t i = 0; i < evidence->discarded_count; i++)
		tally->doubtful += is_doubtful(rule, &evidence->discarded[i]);
	if (!rule->by_card)
		return;
	tally->slow -= counts->above[IDLE_LATENCY_DISCARD_LOST];
	tally->doubtful += counts->above[IDLE_LATENCY_DISCARD_SPURIOUS];
}

static void count_flags(const struct verdict_evidence *evidence,
			struct verdict *verdict)
{
	verdict->reached = count_flag(evidence, IDLE_LATENCY_RECORD_REACHED);
	verdict->package = count_flag(evidence, IDLE_LATENCY_RECORD_PACKAGE);
}

/* The probability of an exceedance that the rule allows. */
static double allowed(__u64 quantile)
{
	return (double)(QUANTILE_ONE - quantile) / QUANTILE_ONE;
}

bool verdict_contradicts(__u64 n, __u64 above, __u64 quantile)
{
	return binomial_at_least(n, above, allowed(quantile)) < QUANTILE_ALPHA;
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
		sorted[i] = most(&rule->instrument, &evidence->samples[i]);
	sort_samples(sorted, evidence->count);
	verdict->has_p9999 = true;
	verdict->smallest_p9999_ns = sorted[evidence->count - above];
	free(sorted);
}

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

/* What may be above of what counts. */
static __u64 open_events(const struct tally *tally)
{
	return tally->open + tally->slow;
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

/* Whether half of the events or more were discarded because the machine was busy. */
static bool is_selected(const struct idle_latency_counts *counts)
{
	return discards_selecting(counts) &&
	       discards_selecting(counts) >= counts->delivered;
}

static bool is_proven(const struct verdict_rule *rule,
		      const struct tally *tally)
{
	return binomial_at_most(tally->counted + tally->slow,
				open_events(tally),
				allowed(rule->quantile)) < BINOMIAL_ALPHA;
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

static void say_figures(const struct verdict_rule *rule,
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
				minus(tally->slow, tally->doubtful),
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
	struct tally tally = tally_samples(rule, evidence);

	tally_discarded(&tally, rule, evidence);
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
