/* SPDX-License-Identifier: GPL-2.0 */
/* Whether the measured WakeLatency keeps to the declared exit latency. */
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

struct verdict {
	enum verdict_result result;
	char reason[256];
};

struct verdict_rule {
	/* from sysfs, so truncated to microseconds */
	__u64 declared_ns;
	/* judge against limit_ns instead */
	bool has_limit;
	__u64 limit_ns;
	/* parts per billion; QUANTILE_ONE: the maximum */
	__u64 quantile;
	/* how many samples make a verdict */
	size_t wanted;
};

struct verdict_evidence {
	/* sorted WakeLatency of the samples that have one, in ns */
	const __u64 *wake;
	size_t wake_count;
	/* samples, also those that have an IntrLatency only */
	size_t valid;
	/* the largest error_ns of them */
	__u64 floor_ns;
	const struct idle_latency_counts *counts;
};

const char *verdict_name(enum verdict_result result);
void verdict_judge(const struct verdict_rule *rule,
		   const struct verdict_evidence *evidence,
		   struct verdict *verdict);
void verdict_skip(struct verdict *verdict, const char *reason);

#endif
