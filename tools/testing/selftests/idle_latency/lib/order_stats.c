// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "order_stats.h"

static int compare(const void *left, const void *right)
{
	const __u64 *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

void sort_samples(__u64 *samples, size_t count)
{
	qsort(samples, count, sizeof(*samples), compare);
}

__u64 order_stat(const __u64 *sorted, size_t count, __u64 quantile)
{
	__u64 rank = (quantile * count + QUANTILE_ONE - 1) / QUANTILE_ONE;

	return sorted[rank ? rank - 1 : 0];
}

/* Whether at least one sample may lie above the quantile. */
static bool offer(const __u64 *sorted, size_t count, __u64 quantile,
		  __u64 *stat)
{
	if (count * (QUANTILE_ONE - quantile) < QUANTILE_ONE)
		return false;
	*stat = order_stat(sorted, count, quantile);
	return true;
}

struct order_stats order_stats(const __u64 *sorted, size_t count)
{
	struct order_stats stats = {
		.min = sorted[0],
		.median = order_stat(sorted, count, QUANTILE_ONE / 2),
		.max = sorted[count - 1],
	};

	stats.has_p99 = offer(sorted, count, 990000000, &stats.p99);
	stats.has_p999 = offer(sorted, count, 999000000, &stats.p999);
	stats.has_p9999 = offer(sorted, count, 999900000, &stats.p9999);
	return stats;
}
