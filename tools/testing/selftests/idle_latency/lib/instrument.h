/* SPDX-License-Identifier: GPL-2.0 */
/* What the instrument adds to a latency, and on which side of a limit that leaves it. */
#ifndef INSTRUMENT_H
#define INSTRUMENT_H

#include <linux/idle_latency.h>

#include "statistics.h"

static inline bool record_has_wake(const struct idle_latency_record *sample)
{
	return sample->flags & IDLE_LATENCY_RECORD_WAKE;
}

/* WakeLatency, or IntrLatency where there is none. */
static inline __u64 record_latency(const struct idle_latency_record *sample)
{
	return record_has_wake(sample) ? sample->wake_ns : sample->intr_ns;
}

/* The same less its error. */
static inline __u64 verdict_least(const struct idle_latency_record *sample)
{
	return minus_or_0(record_latency(sample), sample->error_ns);
}

/* What the instrument adds to the samples of a row, as far as their records have it not. */
struct instrument {
	/* nic: what the card needs longer than a timer to interrupt the awake CPU, at most */
	__u64 delivery_ns;
	/* what the CPU takes from TBI to TAI where the idle instruction does not wait, at most */
	__u64 software_ns;
	/*
	 * hrt without a deadline: the tick of the timer, and by how much its rate may be wrong,
	 * in parts per billion of the launch distance
	 */
	__u64 tick_ns;
	__u64 rate_ppb;
	/* NULL, or which of these could not be measured: then no sample is above */
	const char *unknown;
};

/*
 * The longest launch distance at which the rate of the timer is wrong by no more than a tenth of
 * this limit.
 */
__u64 instrument_ldist_most(const struct instrument *instrument, __u64 limit_ns);

/* What a latency may be. */
struct bounds {
	/* the largest, which is the smallest limit that it is below */
	__u64 most_ns;
	/* all that it may be too long by, and the latency less that */
	__u64 excess_ns;
	__u64 least_ns;
	/* what it may be wrong by beside error_ns of its record */
	__u64 uncertain_ns;
};

struct bounds instrument_bounds(const struct instrument *instrument,
				const struct idle_latency_record *sample);

static inline __u64 instrument_uncertain(const struct instrument *instrument,
					 const struct idle_latency_record *sample)
{
	return instrument_bounds(instrument, sample).uncertain_ns;
}

/*
 * Where a latency is with all that it may be wrong by: ABOVE the limit even without what made it
 * longer, or BELOW it, which includes the limit itself, even with all of its error.
 */
enum zone {
	ZONE_BELOW,
	ZONE_WITHIN,
	ZONE_ABOVE,
};

enum zone verdict_zone(const struct instrument *instrument, __u64 limit_ns,
		       const struct idle_latency_record *sample);

/* Whether only the link to the card makes a sample uncertain. */
bool instrument_asleep(const struct instrument *instrument, __u64 limit_ns,
		       const struct idle_latency_record *sample);

#endif
