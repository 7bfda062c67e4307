/* SPDX-License-Identifier: GPL-2.0 */
/* Exact order statistics, by nearest rank. */
#ifndef ORDER_STATS_H
#define ORDER_STATS_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

/* Quantiles are in parts per billion, so that a rank is exact. */
#define QUANTILE_ONE	1000000000ULL

/*
 * A quantile above which not even one sample may lie is but the maximum under
 * another name: has_ is false then, and the quantile is 0.
 */
struct order_stats {
	__u64 min;
	__u64 median;
	__u64 p99;
	__u64 p999;
	__u64 p9999;
	__u64 max;
	bool has_p99;
	bool has_p999;
	bool has_p9999;
};

void sort_samples(__u64 *samples, size_t count);

/*
 * The smallest sample that at least this part of all samples does not exceed.
 * There is at least one sample, and they are sorted.
 */
__u64 order_stat(const __u64 *sorted, size_t count, __u64 quantile);
struct order_stats order_stats(const __u64 *sorted, size_t count);

#endif
