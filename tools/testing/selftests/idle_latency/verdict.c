// SPDX-License-Identifier: GPL-2.0
/*
 * The verdict on one CPU, method and idle state.
 *
 * FAIL when the largest WakeLatency, or the chosen quantile of it, is above
 * the declared exit latency by more than what the comparison cannot see: the
 * part of a microsecond that sysfs cut off, and the error of the measurement.
 */
#include <stdio.h>

#include "discards.h"
#include "order_stats.h"
#include "verdict.h"

/* A latency that sysfs shows as N us is less than N us + 1 us. */
#define TRUNCATION_NS	999

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

void verdict_skip(struct verdict *verdict, const char *reason)
{
	verdict->result = VERDICT_SKIP;
	snprintf(verdict->reason, sizeof(verdict->reason), "%s", reason);
}

static __u64 limit_of(const struct verdict_rule *rule, __u64 floor_ns)
{
	if (rule->has_limit)
		return rule->limit_ns + floor_ns;
	return rule->declared_ns + TRUNCATION_NS + floor_ns;
}

static size_t count_above(const struct verdict_evidence *evidence, __u64 limit)
{
	size_t above = 0;

	for (size_t i = 0; i < evidence->wake_count; i++)
		above += evidence->wake[i] > limit;
	return above;
}

/*
 * With n samples and none above the limit, the probability of one above it is
 * less than 3/n with 95 % confidence. That bound is what was asked for with
 * the number of samples, and fewer do not give it. Moreover, where most
 * events were discarded, the few left may be those that were let through
 * because they were quick.
 */
static bool too_few(const struct verdict_rule *rule,
		    const struct verdict_evidence *evidence)
{
	return evidence->valid < rule->wanted;
}

static void skip_too_few(const struct verdict_evidence *evidence, size_t above,
			 struct verdict *verdict)
{
	char most[64];

	verdict->result = VERDICT_SKIP;
	discards_most_text(evidence->counts, most, sizeof(most));
	snprintf(verdict->reason, sizeof(verdict->reason),
		 "too few samples: %zu of %llu armed, %zu of them above the limit; most discarded: %s",
		 evidence->valid, evidence->counts->armed, above, most);
}

static void quantile_text(__u64 quantile, char *text, size_t size)
{
	if (quantile == QUANTILE_ONE)
		snprintf(text, size, "maximum");
	else
		snprintf(text, size, "quantile %.9g",
			 (double)quantile / QUANTILE_ONE);
}

static void limit_text(const struct verdict_rule *rule, __u64 floor_ns,
		       char *text, size_t size)
{
	if (rule->has_limit)
		snprintf(text, size, "%llu ns (limit %llu + floor %llu)",
			 limit_of(rule, floor_ns), rule->limit_ns, floor_ns);
	else
		snprintf(text, size,
			 "%llu ns (declared %llu + truncation %u + floor %llu)",
			 limit_of(rule, floor_ns), rule->declared_ns,
			 TRUNCATION_NS, floor_ns);
}

static void say_fail(const struct verdict_rule *rule,
		     const struct verdict_evidence *evidence, __u64 judged,
		     size_t above, struct verdict *verdict)
{
	char quantile[32], limit[96];

	quantile_text(rule->quantile, quantile, sizeof(quantile));
	limit_text(rule, evidence->floor_ns, limit, sizeof(limit));
	snprintf(verdict->reason, sizeof(verdict->reason),
		 "%s %llu ns is above %s; %zu of %zu samples are", quantile,
		 judged, limit, above, evidence->wake_count);
}

static void say_pass(const struct verdict_rule *rule,
		     const struct verdict_evidence *evidence, size_t above,
		     struct verdict *verdict)
{
	size_t count = evidence->wake_count;
	char limit[96], quantile[32];

	limit_text(rule, evidence->floor_ns, limit, sizeof(limit));
	quantile_text(rule->quantile, quantile, sizeof(quantile));
	if (above)
		snprintf(verdict->reason, sizeof(verdict->reason),
			 "%s is not above %s; %zu of %zu samples are", quantile,
			 limit, above, count);
	else if (count <= 3)
		snprintf(verdict->reason, sizeof(verdict->reason),
			 "none of %zu samples above %s", count, limit);
	else
		snprintf(verdict->reason, sizeof(verdict->reason),
			 "none of %zu samples above %s: p < 3/%zu at 95 %%",
			 count, limit, count);
}

static void judge_wake(const struct verdict_rule *rule,
		       const struct verdict_evidence *evidence, size_t above,
		       struct verdict *verdict)
{
	__u64 judged = order_stat(evidence->wake, evidence->wake_count,
				  rule->quantile);

	if (judged > limit_of(rule, evidence->floor_ns)) {
		verdict->result = VERDICT_FAIL;
		say_fail(rule, evidence, judged, above, verdict);
	} else {
		verdict->result = VERDICT_PASS;
		say_pass(rule, evidence, above, verdict);
	}
}

void verdict_judge(const struct verdict_rule *rule,
		   const struct verdict_evidence *evidence,
		   struct verdict *verdict)
{
	size_t above = count_above(evidence,
				   limit_of(rule, evidence->floor_ns));

	if (too_few(rule, evidence))
		skip_too_few(evidence, above, verdict);
	else if (evidence->wake_count < evidence->valid)
		verdict_skip(verdict,
			     "the state is entered with interrupts enabled, so only IntrLatency is known");
	else
		judge_wake(rule, evidence, above, verdict);
}
