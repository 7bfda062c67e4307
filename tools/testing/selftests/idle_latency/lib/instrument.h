/* SPDX-License-Identifier: GPL-2.0 */
/* What the instrument adds to a latency, and on which side of a limit that leaves it. */
#ifndef INSTRUMENT_H
#define INSTRUMENT_H

#include <linux/idle_latency.h>

#include "statistics.h"

/*
 * What a sample may be wrong by beside error_ns of its record is its doubt, in ns: as much
 * either way, and what can only have made the latency longer.
 */

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
__u64 verdict_least(const struct idle_latency_record *sample);

struct doubt {
	__u64 either_ns;
	__u64 longer_ns;
};

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

struct doubt instrument_doubt(const struct instrument *instrument,
			      const struct idle_latency_record *sample);

/*
 * The longest launch distance at which the rate of the timer is wrong by no more than a tenth of
 * this limit.
 */
__u64 instrument_ldist_most(const struct instrument *instrument, __u64 limit_ns);

/* The largest that the latency may be, which is the smallest limit that it is below. */
__u64 instrument_most(const struct instrument *instrument,
		      const struct idle_latency_record *sample);

/* All that it may be too long by, and the latency less that. */
__u64 instrument_excess(const struct instrument *instrument,
			const struct idle_latency_record *sample);
__u64 instrument_least(const struct instrument *instrument,
		       const struct idle_latency_record *sample);

/* All of the doubt. */
__u64 instrument_uncertain(const struct instrument *instrument,
			   const struct idle_latency_record *sample);

/*
 * Where a latency is with its error and its doubt: ABOVE the limit even without what made it
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
