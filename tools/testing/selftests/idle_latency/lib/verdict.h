/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether the latencies that were measured keep to the declared exit latency.
 *
 * Each sample is compared with its own error: an exceedance is a WakeLatency
 * that is above the limit even when all of its error is taken off. It is
 * certain when that is so even after taking off what the method may have added
 * beside the error; else it is uncertain.
 */
#ifndef VERDICT_H
#define VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/idle_latency.h>

enum verdict_result {
	VERDICT_PASS,
	VERDICT_FAIL,
	VERDICT_SKIP,
};

/*
 * What a PASS does not say; several can apply.
 *
 * UNVERIFIED: no counter tells whether the state was reached.
 * VIRTUAL: a hypervisor decides what the state does.
 * LOWER_BOUND: the CPU may have woken ahead of the timer.
 * CORE_ONLY: the declared value includes the package, which mostly did not
 *	reach its state.
 * UPPER_BOUND: only IntrLatency is known, which is not below WakeLatency.
 */
enum {
	QUALIFIER_UNVERIFIED = 1,
	QUALIFIER_VIRTUAL = 2,
	QUALIFIER_LOWER_BOUND = 4,
	QUALIFIER_CORE_ONLY = 8,
	QUALIFIER_UPPER_BOUND = 16,
};

struct verdict {
	enum verdict_result result;
	/* of a PASS, else 0 */
	unsigned int qualifiers;
	/* constant, without figures and commas; "" for a PASS */
	const char *reason;
	/* one sentence */
	char figures[512];
	/* exceedances among the samples, certain or not */
	size_t above;
	/* discarded events above the limit, for all reasons */
	__u64 discarded_above;
	/* samples that reached the state, and the package state */
	size_t reached;
	size_t package;
	/*
	 * One-sided bounds at 95 % of the probability of an exceedance: from
	 * all that were seen among the samples that count, and from those that
	 * are certain among all samples.
	 */
	double p_upper;
	double p_lower;
	/*
	 * The smallest limit that no sample exceeds, and the smallest that a
	 * quantile of 99.99 % passes, where there are enough samples for that.
	 */
	__u64 smallest_pass_ns;
	__u64 smallest_p9999_ns;
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
	/* IDLE_LATENCY_STATE_PACKAGE */
	bool package_included;
	/* a timer that the CPU may wake ahead of */
	bool lower_bound;
	/* in a virtual machine */
	bool virtual;
	/* what the card needs longer to deliver an interrupt than a timer */
	__u64 delivery_ns;
	/* probe stamps: bound on the way from ->enter() to the tracepoint */
	__u64 probe_way_ns;
	/* one of these two applies and could not be measured */
	bool added_unknown;
	/*
	 * The largest IntrLatency of the awake CPU, for states that are entered
	 * with interrupts enabled.
	 */
	bool has_awake;
	__u64 awake_max_ns;
};

/* All of it is summed over the sessions of the state. */
struct verdict_evidence {
	const struct idle_latency_record *samples;
	size_t count;
	const struct idle_latency_counts *counts;
	/* why a session ended early: constant, without commas; or NULL */
	const char *error;
	/* what on this machine usually keeps a CPU out of the state, or "" */
	const char *causes;
};

const char *verdict_name(enum verdict_result result);

/* "unverified+lower-bound"; "" for none. */
void verdict_qualifiers_text(unsigned int qualifiers, char *text, size_t size);

/* The smallest limit that the sample does not exceed. */
__u64 verdict_least_limit(const struct idle_latency_record *sample);

/* Whether the sample is an exceedance, certain or not. */
bool verdict_above(const struct idle_latency_record *sample, __u64 limit_ns);

/*
 * How many of these samples count, by the counter where there is one. Where the
 * exit latency includes the package and that got to its state in half of them or
 * more, only those: as many are wanted for a PASS that is not core-only.
 */
size_t verdict_counted(const struct idle_latency_record *samples, size_t count,
		       __u64 residency_ns, bool package_included);

void verdict_judge(const struct verdict_rule *rule,
		   const struct verdict_evidence *evidence,
		   struct verdict *verdict);

/* There is nothing to judge. */
void verdict_skip(struct verdict *verdict, const char *reason);

#endif
