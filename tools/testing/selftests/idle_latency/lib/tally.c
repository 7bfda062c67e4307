// SPDX-License-Identifier: GPL-2.0
/*
 * What the instrument adds to a latency, and the samples and the discarded events of a row,
 * counted by what the rule asks of them.
 */
#include <math.h>

#include "plan.h"
#include "tally.h"

/*
 * How improbable it has to be that the awake CPU explains what is called above: a FAIL is to be
 * wrong in 1 of 1000 rows at most, as there may be hundreds of them. There are three tests.
 */
#define AWAKE_ALPHA	(0.001 / 3)

#define PPB		1000000000ULL

/* A timer without a deadline counts down in ticks of its own. The product has more than 64 bits. */
static __u64 timer_doubt(const struct instrument *instrument,
			 const struct idle_latency_record *sample)
{
	__u64 rate_ns = ceil((double)sample->ldist_ns * instrument->rate_ppb / PPB);
	bool counts_down = sample->source == IDLE_LATENCY_SOURCE_HRT &&
			   !(sample->flags & IDLE_LATENCY_RECORD_DEADLINE);

	return counts_down ? instrument->tick_ns + rate_ns : 0;
}

__u64 instrument_ldist_most(const struct instrument *instrument, __u64 limit_ns)
{
	double most_ns = (double)limit_ns / 10 * PPB / instrument->rate_ppb;

	return most_ns < IDLE_LATENCY_LDIST_MAX_NS ? most_ns : IDLE_LATENCY_LDIST_MAX_NS;
}

/*
 * The first access to the card takes longer than the next one where the link to it sleeps, and
 * so may the interrupt have: by as much.
 */
static __u64 link_doubt(const struct idle_latency_record *sample)
{
	return record_link_asleep(sample) ? sample->warmup_ns - sample->latch_ns : 0;
}

struct bounds instrument_bounds(const struct instrument *instrument,
				const struct idle_latency_record *sample)
{
	const __u64 latency_ns = record_latency(sample), error_ns = sample->error_ns;
	const bool wake = record_has_wake(sample);
	/* As much either way. */
	struct bounds bounds = { .uncertain_ns = timer_doubt(instrument, sample) };

	bounds.most_ns = plus_capped(latency_ns, plus_capped(error_ns, bounds.uncertain_ns));
	/* What can only have made it longer; an IntrLatency has that on the awake CPU, too. */
	if (wake)
		bounds.uncertain_ns = plus_capped(bounds.uncertain_ns,
						  plus_capped(instrument->delivery_ns,
							      instrument->software_ns));
	bounds.awake_ns = minus_or_0(latency_ns, plus_capped(error_ns, bounds.uncertain_ns));
	if (wake)
		bounds.uncertain_ns = plus_capped(bounds.uncertain_ns, link_doubt(sample));
	bounds.excess_ns = plus_capped(error_ns, bounds.uncertain_ns);
	bounds.least_ns = minus_or_0(latency_ns, bounds.excess_ns);
	return bounds;
}

enum zone verdict_zone(const struct instrument *instrument, __u64 limit_ns,
		       const struct idle_latency_record *sample)
{
	const struct bounds bounds = instrument_bounds(instrument, sample);

	if (bounds.most_ns <= limit_ns)
		return ZONE_BELOW;
	if (bounds.least_ns <= limit_ns || (record_has_wake(sample) && instrument->unknown))
		return ZONE_WITHIN;
	return ZONE_ABOVE;
}

/*
 * How many samples are above the limit by more than @awake_ns, which @awake_above samples of the
 * awake CPU are above at most, but for those that may be so because of what they have in common
 * with these: as many as are not improbable when so many of the awake CPU are, where each sample
 * of both is as likely to be one of them.
 */
static size_t count_unexplained(const struct tally *tally, __u64 awake_ns, size_t awake_above)
{
	const struct verdict_rule *rule = tally->rule;
	const __u64 limit_ns = plus_capped(rule->limit_ns, awake_ns);
	size_t above = 0, explained = 0, beyond;

	for (size_t i = 0; i < tally->evidence->count; i++) {
		const struct idle_latency_record *sample = &tally->evidence->samples[i];

		above += !record_has_wake(sample) &&
			 instrument_bounds(&rule->instrument, sample).least_ns > limit_ns;
	}
	beyond = above + 1;
	while (explained + 1 < beyond) {
		size_t middle = explained + (beyond - explained) / 2;

		if (tail_test_p(rule->awake_count, tally->intr, awake_above + middle,
				middle) < AWAKE_ALPHA)
			beyond = middle;
		else
			explained = middle;
	}
	return above - explained;
}

/*
 * Without a WakeLatency, a sample has what it takes to get to the handler, which is slow at times,
 * such as when the kernel brings its time up to date: on the awake CPU, too. So samples of the
 * state less the limit are compared with those of the awake CPU, above three of its latencies: many
 * samples that are a little too slow show above the median, and few slow ones above the largest.
 * Without any of the awake CPU, all may be explained.
 */
static size_t unexplained_intr(const struct tally *tally)
{
	const struct order_stats *awake = &tally->rule->awake;
	size_t count = tally->rule->awake_count;
	size_t above = larger(count_unexplained(tally, awake->max, 0),
			      count_unexplained(tally, awake->median, count / 2));

	if (awake->has_p99)
		above = larger(above, count_unexplained(tally, awake->p99, count / 100));
	return above;
}

/*
 * Each sample is judged by the latency that it has: a few of the other kind than most do not
 * count, but may be exceedances like all others. Without a WakeLatency there is no SilentTime
 * either. It is shorter than the launch distance by what arming took.
 */
static __u64 silent_ns(const struct idle_latency_record *sample)
{
	return record_has_wake(sample) ? sample->silent_ns :
	       minus_or_0(sample->ldist_ns, LAUNCH_DISTANCE_ARMING_NS);
}

static bool is_silent(const struct tally *tally, const struct idle_latency_record *sample)
{
	return record_has_wake(sample) == tally->wake &&
	       silent_ns(sample) >= tally->rule->residency_ns;
}

static void note_within(struct tally *tally, __u64 ns)
{
	const __u64 limit_ns = tally->rule->limit_ns;
	__u64 under_ns = minus_or_0(limit_ns, ns);

	tally->farthest_over_ns = larger(tally->farthest_over_ns, minus_or_0(ns, limit_ns));
	if (!tally->within++ || under_ns < tally->nearest_under_ns)
		tally->nearest_under_ns = under_ns;
}

static void tally_latency(struct tally *tally, const struct idle_latency_record *sample,
			  bool counts)
{
	const struct instrument *instrument = &tally->rule->instrument;
	const struct bounds bounds = instrument_bounds(instrument, sample);
	const __u64 limit_ns = tally->rule->limit_ns;
	enum zone zone = verdict_zone(instrument, limit_ns, sample);

	tally->most_ns = larger(tally->most_ns, bounds.most_ns);
	tally->least_ns = larger(tally->least_ns, bounds.least_ns);
	tally->error_ns = larger(tally->error_ns, bounds.excess_ns);
	tally->intr += !record_has_wake(sample);
	if (record_has_wake(sample))
		tally->above += zone == ZONE_ABOVE;
	else
		tally->intr_above += zone == ZONE_ABOVE;
	tally->asleep += zone == ZONE_WITHIN && !instrument->unknown && bounds.awake_ns > limit_ns;
	tally->counted_above += counts && zone == ZONE_ABOVE;
	tally->open += counts && zone != ZONE_BELOW;
	if (counts && zone == ZONE_WITHIN)
		note_within(tally, record_latency(sample));
}

static bool is_counted(const struct tally *tally, const struct idle_latency_record *sample)
{
	return is_silent(tally, sample) &&
	       (sample->flags & IDLE_LATENCY_RECORD_REACHED || !tally->reach_known);
}

static void tally_sample(struct tally *tally, const struct idle_latency_record *sample)
{
	bool reached = sample->flags & IDLE_LATENCY_RECORD_REACHED;
	bool package = sample->flags & IDLE_LATENCY_RECORD_PACKAGE;
	bool silent = is_silent(tally, sample);
	bool counts = is_counted(tally, sample);

	tally->reached += reached;
	tally->package += package;
	tally->silent += silent;
	tally->counted += counts;
	for (enum scope scope = 0; counts && scope < SCOPES; scope++) {
		tally->scope_read[scope] += scope_known(sample, scope);
		tally->scope_asleep[scope] += scope_asleep(sample, scope);
	}
	tally_latency(tally, sample, counts);
}

static struct tally tally_kinds(const struct verdict_rule *rule,
				const struct verdict_evidence *evidence)
{
	struct tally tally = { .rule = rule, .evidence = evidence };
	size_t wakes = 0, known = 0;

	for (size_t i = 0; i < evidence->count; i++) {
		wakes += record_has_wake(&evidence->samples[i]);
		known += !!(evidence->samples[i].flags & IDLE_LATENCY_RECORD_COUNTED);
	}
	tally.wake = 2 * wakes > evidence->count;
	/* Where the CPU has the counter but it was never valid, nothing is known either. */
	tally.reach_known = rule->counter_known && known;
	return tally;
}

static struct tally tally_samples(const struct verdict_rule *rule,
				  const struct verdict_evidence *evidence)
{
	struct tally tally = tally_kinds(rule, evidence);

	for (size_t i = 0; i < evidence->count; i++)
		tally_sample(&tally, &evidence->samples[i]);
	if (tally.intr_above) {
		size_t above = unexplained_intr(&tally);

		tally.above += above;
		tally.explained = tally.intr_above - above;
	}
	return tally;
}

void verdict_count(struct verdict_counting *counting, const struct idle_latency_record *sample,
		   __u64 residency_ns)
{
	const bool wake = record_has_wake(sample);
	const bool reached = sample->flags & IDLE_LATENCY_RECORD_REACHED;
	struct verdict_counted *counted = &counting->silent[wake][reached];

	counting->kinds[wake]++;
	counting->counter |= !!(sample->flags & IDLE_LATENCY_RECORD_COUNTED);
	if (silent_ns(sample) < residency_ns)
		return;
	counted->all++;
	for (enum scope scope = 0; scope < SCOPES; scope++)
		counted->asleep[scope] += scope_asleep(sample, scope);
}

/* As those that have a verdict are counted: of the kind that most are of. */
struct verdict_counted verdict_counted(const struct verdict_counting *counting)
{
	const bool wake = counting->kinds[true] > counting->kinds[false];
	const struct verdict_counted *of = counting->silent[wake];
	struct verdict_counted counted = of[true];

	if (counting->counter)
		return counted;
	counted.all += of[false].all;
	for (enum scope scope = 0; scope < SCOPES; scope++)
		counted.asleep[scope] += of[false].asleep[scope];
	return counted;
}

size_t verdict_latencies(const struct verdict_rule *rule, const struct verdict_evidence *evidence,
			 __u32 *latencies)
{
	const struct tally tally = tally_kinds(rule, evidence);
	size_t count = 0;

	for (size_t i = 0; i < evidence->count; i++)
		if (is_counted(&tally, &evidence->samples[i]))
			latencies[count++] = smaller(record_latency(&evidence->samples[i]), ~0U);
	return count;
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
	if (record_has_wake(discarded))
		return verdict_zone(&rule->instrument, rule->limit_ns, discarded) != ZONE_ABOVE;
	return (__s64)(discarded->tai_cyc - discarded->tintr_cyc) > 0;
}

/* Nothing is known of what was not kept, and a spurious event of a card may be a lost one. */
struct tally tally_evidence(const struct verdict_rule *rule,
			    const struct verdict_evidence *evidence)
{
	const struct idle_latency_counts *counts = evidence->counts;
	struct tally tally = tally_samples(rule, evidence);

	tally.slow = discards_above(counts);
	tally.doubtful = minus_or_0(counts->kept, evidence->discarded_count);
	for (size_t i = 0; i < evidence->discarded_count; i++)
		tally.doubtful += is_doubtful(rule, &evidence->discarded[i]);
	if (rule->by_card) {
		tally.slow -= counts->above[IDLE_LATENCY_DISCARD_LOST];
		tally.doubtful += counts->above[IDLE_LATENCY_DISCARD_SPURIOUS];
	}
	return tally;
}
