// SPDX-License-Identifier: GPL-2.0
/* The samples and the discarded events of a row, counted by what the rule asks of them. */
#include "plan.h"
#include "tally.h"

/*
 * How improbable it has to be that the awake CPU explains what is called above: a FAIL is to be
 * wrong in 1 of 1000 rows at most, as there may be hundreds of them. There are three tests.
 */
#define AWAKE_ALPHA	(0.001 / 3)

#define BIT_OF(counter)	(1U << IDLE_LATENCY_RESIDENCY_##counter)
#define PACKAGE_COUNTERS (BIT_OF(PC2) | BIT_OF(PC3) | BIT_OF(PC6) | BIT_OF(PC7) | \
			  BIT_OF(PC8) | BIT_OF(PC9) | BIT_OF(PC10))

size_t evidence_flag(const struct verdict_evidence *evidence, __u32 flag)
{
	size_t count = 0;

	for (size_t i = 0; i < evidence->count; i++)
		count += !!(evidence->samples[i].flags & flag);
	return count;
}

static size_t count_intr_above(const struct verdict_rule *rule,
			       const struct verdict_evidence *evidence,
			       __u64 limit_ns)
{
	size_t above = 0;

	for (size_t i = 0; i < evidence->count; i++) {
		const struct idle_latency_record *sample =
			&evidence->samples[i];

		above += !record_has_wake(sample) &&
			 instrument_least(&rule->instrument, sample) > limit_ns;
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
					plus_capped(rule->limit_ns, awake_ns));

	return above - explained(rule, intr, awake_above, above);
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
							awake->p99, count / 100));
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
	__u64 silent = record_has_wake(sample) ? sample->silent_ns :
		minus_or_0(sample->ldist_ns, LAUNCH_DISTANCE_ARMING_NS);

	return silent >= rule->residency_ns;
}

static void note_within(struct tally *tally, __u64 limit_ns, __u64 ns)
{
	__u64 under_ns = minus_or_0(limit_ns, ns);

	tally->farthest_over_ns = larger(tally->farthest_over_ns,
					 minus_or_0(ns, limit_ns));
	if (!tally->within || under_ns < tally->nearest_under_ns)
		tally->nearest_under_ns = under_ns;
	tally->within++;
}

static void tally_errors(struct tally *tally,
			 const struct instrument *instrument,
			 const struct idle_latency_record *sample)
{
	tally->most_ns = larger(tally->most_ns, instrument_most(instrument, sample));
	tally->least_ns = larger(tally->least_ns, instrument_least(instrument, sample));
	tally->error_ns = larger(tally->error_ns, instrument_excess(instrument, sample));
}

/* By the zone of a sample that counts, or does not. */
static void tally_zone(struct tally *tally, const struct verdict_rule *rule,
		       const struct idle_latency_record *sample, bool counts)
{
	enum zone zone = verdict_zone(&rule->instrument, rule->limit_ns,
				      sample);

	if (record_has_wake(sample))
		tally->above += zone == ZONE_ABOVE;
	else
		tally->intr_above += zone == ZONE_ABOVE;
	tally->asleep += instrument_asleep(&rule->instrument, rule->limit_ns, sample);
	if (!counts || zone == ZONE_BELOW)
		return;
	tally->open++;
	if (zone == ZONE_WITHIN)
		note_within(tally, rule->limit_ns, record_latency(sample));
}

static void tally_sample(struct tally *tally, const struct verdict_rule *rule,
			 const struct idle_latency_record *sample)
{
	bool reached = !tally->reach_known ||
		       sample->flags & IDLE_LATENCY_RECORD_REACHED;
	bool silent = record_has_wake(sample) == tally->wake &&
		      is_silent(rule, sample);
	bool counts = silent && reached;

	tally->judged++;
	tally->intr += !record_has_wake(sample);
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
		.wake = 2 * evidence_flag(evidence, IDLE_LATENCY_RECORD_WAKE) >
			evidence->count,
		.reach_known = rule->counter_known &&
			evidence_flag(evidence, IDLE_LATENCY_RECORD_COUNTED),
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
	if (record_has_wake(discarded))
		return verdict_zone(&rule->instrument, rule->limit_ns,
				    discarded) != ZONE_ABOVE;
	return (__s64)(discarded->tai_cyc - discarded->tintr_cyc) > 0;
}

/* Nothing is known of what was not kept, and a spurious event of a card may be a lost one. */
static void tally_discarded(struct tally *tally,
			    const struct verdict_rule *rule,
			    const struct verdict_evidence *evidence)
{
	const struct idle_latency_counts *counts = evidence->counts;

	tally->slow = discards_above(counts);
	tally->doubtful = minus_or_0(counts->kept, evidence->discarded_count);
	for (size_t i = 0; i < evidence->discarded_count; i++)
		tally->doubtful += is_doubtful(rule, &evidence->discarded[i]);
	if (!rule->by_card)
		return;
	tally->slow -= counts->above[IDLE_LATENCY_DISCARD_LOST];
	tally->doubtful += counts->above[IDLE_LATENCY_DISCARD_SPURIOUS];
}

struct tally tally_evidence(const struct verdict_rule *rule,
			    const struct verdict_evidence *evidence)
{
	struct tally tally = tally_samples(rule, evidence);

	tally_discarded(&tally, rule, evidence);
	return tally;
}
