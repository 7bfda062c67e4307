/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the instrument adds to a latency, on which side of a limit that leaves it, and whether the
 * latencies that were measured keep to the declared exit latency.
 */
#ifndef VERDICT_H
#define VERDICT_H

#include "records.h"
#include "statistics.h"

struct method;

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

/* What was discarded for another reason, too, may have been longer for that reason. */
static inline bool record_pending(const struct idle_latency_record *record)
{
	return record->flags & IDLE_LATENCY_RECORD_PENDING &&
	       record->reasons == 1U << IDLE_LATENCY_DISCARD_BEFORE_IDLE;
}

/* The first access takes half as long again when the link has to wake up. */
static inline bool record_link_asleep(const struct idle_latency_record *record)
{
	return 2ULL * record->warmup_ns > 3ULL * record->latch_ns;
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
	/* the latter, if the link to the card was awake */
	__u64 awake_ns;
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

enum verdict_result {
	VERDICT_PASS,
	VERDICT_FAIL,
	VERDICT_SKIP,
};

/* What a PASS does not say; several can apply. The end of the table explains them. */
enum {
	QUALIFIER_UNVERIFIED = 1,
	QUALIFIER_VIRTUAL = 2,
	QUALIFIER_LOWER_BOUND = 4,
	QUALIFIER_CORE_ONLY = 8,
	QUALIFIER_UPPER_BOUND = 16,
	QUALIFIER_UNPROVEN = 32,
	QUALIFIER_FEW_ABOVE = 64,
};

struct verdict {
	enum verdict_result result;
	/* of a FAIL: the firmware declares what does not hold, and not the kernel */
	bool firmware;
	/* of a PASS, else 0 */
	unsigned int qualifiers;
	/* constant, without figures and commas; "" for a PASS */
	const char *reason;
	/* one sentence */
	char figures[1024];
	/* samples that are above the limit */
	size_t above;
	/* discarded events above the limit, for all reasons */
	__u64 discarded_above;
	/* samples that reached the state, and those that are known to have its package state */
	size_t reached;
	size_t package;
	/* samples that count, those of them that are above, and those that are not below */
	size_t counted;
	size_t counted_above;
	size_t counted_open;
	/*
	 * One-sided bounds at 95 % of the probability of a sample above: from those that
	 * count and are not below, and from those that are above among all samples.
	 */
	double p_upper;
	double p_lower;
	/*
	 * The smallest limit that all samples are below, and the smallest that a
	 * quantile of 99.99 % passes, where there are enough samples for that.
	 */
	__u64 smallest_pass_ns;
	__u64 smallest_p9999_ns;
	/* the smallest that no sample is above */
	__u64 none_above_ns;
	bool has_p9999;
};

struct verdict_rule {
	/* declared exit latency, or what --limit-ns says */
	__u64 limit_ns;
	/* target residency */
	__u64 residency_ns;
	/* parts per billion; QUANTILE_ONE: the maximum */
	__u64 quantile;
	/* how many samples that count make a PASS */
	size_t wanted;
	/* a counter tells whether the state was reached */
	bool counter_known;
	/* its name, such as "CC6", or NULL */
	const char *counter;
	/* what is declared includes the module or the package, or nobody knows whether it does */
	bool included[SCOPES];
	/* ... of other CPUs that are held: in how many samples it must be asleep, or 0 */
	size_t asleep_wanted[SCOPES];
	/* the firmware has declared it */
	bool firmware;
	/* the events are those of a card, which may lose them by itself */
	bool by_card;
	/* a timer that the CPU may wake ahead of */
	bool lower_bound;
	/* by a timer: how many samples nic has of the state, and how many reached it */
	size_t nic_count;
	size_t nic_reached;
	/* in a virtual machine; C1, for which the CPU enters C1E */
	bool virtual, promoted;
	struct instrument instrument;
	/* for the session: what the CPU may take from TBI to the idle instruction */
	__u64 entry_ns;
	/* nic: the timer that wakes the awake CPU, too; NULL: none does */
	const struct method *timer;
	/* the method with the smallest error of those that work here, or NULL; its median */
	const char *best;
	__u64 best_error_ns;
	/* for states that are entered with interrupts enabled: IntrLatency of the awake CPU */
	size_t awake_count;
	struct order_stats awake;
};

/* All of it is summed over the sessions of the state. */
struct verdict_evidence {
	const struct idle_latency_record *samples;
	size_t count;
	const struct idle_latency_counts *counts;
	/* of discarded events, as far as they were kept */
	const struct idle_latency_record *discarded;
	size_t discarded_count;
	/* why a session ended early: constant, without commas; or NULL */
	const char *error;
	/* what on this machine usually keeps a CPU out of the state, or "" */
	const char *causes;
	/* the interrupts that the CPU took meanwhile, such as "CAL 298", or "" */
	const char *interrupts;
};

/*
 * Whether so many of n above a limit contradict that it is this quantile, in parts per billion:
 * of 40 rows at the quantile itself, one is wrong in 4 % at most.
 */
bool verdict_contradicts(__u64 n, __u64 above, __u64 quantile);

const char *verdict_name(enum verdict_result result);

/* "unverified+lower-bound", until the next call; "" for none. */
const char *verdict_qualifiers(unsigned int qualifiers);

/* How many of some samples count, by the counter where there is one. */
struct verdict_counted {
	size_t all;
	/* in which the module or the package is known to have been asleep */
	size_t asleep[SCOPES];
};

/* Samples as they come. */
struct verdict_counting {
	/* how many have no WakeLatency, and how many have; the state is counted for some */
	size_t kinds[2];
	bool counter;
	/* of either kind, those that were silent for long enough, without the state and with it */
	struct verdict_counted silent[2][2];
};

void verdict_count(struct verdict_counting *counting, const struct idle_latency_record *sample,
		   __u64 residency_ns);
struct verdict_counted verdict_counted(const struct verdict_counting *counting);

/*
 * Latencies of the samples that count, of the kind that most samples have, as far as 32 bits
 * have room for them. Returns how many. @latencies: room for all samples
 */
size_t verdict_latencies(const struct verdict_rule *rule, const struct verdict_evidence *evidence,
			 __u32 *latencies);

void verdict_judge(const struct verdict_rule *rule, const struct verdict_evidence *evidence,
		   struct verdict *verdict);

/* There is nothing to judge. */
void verdict_skip(struct verdict *verdict, const char *reason);

#endif
