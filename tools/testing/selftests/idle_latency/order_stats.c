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

struct order_stats order_stats(const __u64 *sorted, size_t count)
{
	return (struct order_stats) {
		.min = sorted[0],
		.median = order_stat(sorted, count, QUANTILE_ONE / 2),
		.p99 = order_stat(sorted, count, 990000000),
		.p999 = order_stat(sorted, count, 999000000),
		.p9999 = order_stat(sorted, count, 999900000),
		.max = sorted[count - 1],
	};
}
