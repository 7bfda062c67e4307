// SPDX-License-Identifier: GPL-2.0
#include <math.h>

#include "instrument.h"

#define PPB		1000000000ULL

__u64 verdict_least(const struct idle_latency_record *sample)
{
	return minus_or_0(record_latency(sample), sample->error_ns);
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

	if (record_has_wake(sample))
		doubt.longer_ns = plus_capped(plus_capped(instrument->delivery_ns,
							  instrument->software_ns),
					 link_doubt(sample));
	return doubt;
}

__u64 instrument_uncertain(const struct instrument *instrument,
			   const struct idle_latency_record *sample)
{
	struct doubt doubt = instrument_doubt(instrument, sample);

	return plus_capped(doubt.either_ns, doubt.longer_ns);
}

__u64 instrument_most(const struct instrument *instrument,
		      const struct idle_latency_record *sample)
{
	struct doubt doubt = instrument_doubt(instrument, sample);

	return plus_capped(record_latency(sample), plus_capped(sample->error_ns, doubt.either_ns));
}

__u64 instrument_excess(const struct instrument *instrument,
			const struct idle_latency_record *sample)
{
	return plus_capped(sample->error_ns, instrument_uncertain(instrument, sample));
}

__u64 instrument_least(const struct instrument *instrument,
		       const struct idle_latency_record *sample)
{
	return minus_or_0(record_latency(sample), instrument_excess(instrument, sample));
}

enum zone verdict_zone(const struct instrument *instrument, __u64 limit_ns,
		       const struct idle_latency_record *sample)
{
	if (instrument_most(instrument, sample) <= limit_ns)
		return ZONE_BELOW;
	if (instrument_least(instrument, sample) <= limit_ns)
		return ZONE_WITHIN;
	return record_has_wake(sample) && instrument->unknown ? ZONE_WITHIN :
							 ZONE_ABOVE;
}

bool instrument_asleep(const struct instrument *instrument, __u64 limit_ns,
		       const struct idle_latency_record *sample)
{
	struct idle_latency_record awake = *sample;

	awake.warmup_ns = awake.latch_ns;
	return verdict_zone(instrument, limit_ns, sample) == ZONE_WITHIN &&
	       verdict_zone(instrument, limit_ns, &awake) == ZONE_ABOVE;
}
