// SPDX-License-Identifier: GPL-2.0
#include <math.h>

#include "instrument.h"

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
	if (2ULL * sample->warmup_ns <= 3ULL * sample->latch_ns)
		return 0;
	return sample->warmup_ns - sample->latch_ns;
}

struct bounds instrument_bounds(const struct instrument *instrument,
				const struct idle_latency_record *sample)
{
	/* As much either way, and what can only have made the latency longer. */
	__u64 either_ns = timer_doubt(instrument, sample), longer_ns = 0;
	struct bounds bounds;

	/* What makes an IntrLatency longer is seen on the awake CPU, too. */
	if (record_has_wake(sample))
		longer_ns = plus_capped(plus_capped(instrument->delivery_ns,
						    instrument->software_ns), link_doubt(sample));
	bounds.most_ns = plus_capped(record_latency(sample),
				     plus_capped(sample->error_ns, either_ns));
	bounds.uncertain_ns = plus_capped(either_ns, longer_ns);
	bounds.excess_ns = plus_capped(sample->error_ns, bounds.uncertain_ns);
	bounds.least_ns = minus_or_0(record_latency(sample), bounds.excess_ns);
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

bool instrument_asleep(const struct instrument *instrument, __u64 limit_ns,
		       const struct idle_latency_record *sample)
{
	struct idle_latency_record awake = *sample;

	awake.warmup_ns = awake.latch_ns;
	return verdict_zone(instrument, limit_ns, sample) == ZONE_WITHIN &&
	       verdict_zone(instrument, limit_ns, &awake) == ZONE_ABOVE;
}
