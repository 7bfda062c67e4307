// SPDX-License-Identifier: GPL-2.0
/* Exact order statistics, and tails of the binomial distribution. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "statistics.h"

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

__u64 median_of_samples(__u64 *samples, size_t count)
{
	sort_samples(samples, count);
	return order_stat(samples, count, QUANTILE_ONE / 2);
}

static double log_probability(__u64 n, __u64 k, double p)
{
	return lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0) +
	       k * log(p) + (n - k) * log1p(-p);
}

/*
 * Sums begin at k and go away from the mean. From the other end, the first
 * term may be too small for a double, and then all of them are 0. They end when
 * a term does not change the sum any more: the one after the last is 0.
 *
 * Where p is 0 or 1, all terms on the side that is summed are 0: the logarithm
 * of 0 is never multiplied by 0 there.
 */
static double sum_upwards(__u64 n, __u64 k, double p)
{
	double term = exp(log_probability(n, k, p)), sum = term;

	for (; term > sum * DBL_EPSILON; k++) {
		term *= p / (1 - p) * (n - k) / (k + 1);
		sum += term;
	}
	return sum;
}

static double sum_downwards(__u64 n, __u64 k, double p)
{
	double term = exp(log_probability(n, k, p)), sum = term;

	for (; term > sum * DBL_EPSILON; k--) {
		term *= (1 - p) / p * k / (n - k + 1);
		sum += term;
	}
	return sum;
}

double binomial_at_least(__u64 n, __u64 k, double p)
{
	if (!k)
		return 1;
	if (k > n)
		return 0;
	return k > n * p ? sum_upwards(n, k, p) :
			   1 - sum_downwards(n, k - 1, p);
}

double binomial_at_most(__u64 n, __u64 k, double p)
{
	if (k >= n)
		return 1;
	return k < n * p ? sum_downwards(n, k, p) :
			   1 - sum_upwards(n, k + 1, p);
}

/*
 * The p at which the tail is alpha: that from k upwards, which grows with p, or
 * that from k downwards, which shrinks. Ends when no double is left between the
 * two.
 */
static double bisect(__u64 n, __u64 k, double alpha, bool upwards)
{
	double low = 0, high = 1;

	for (;;) {
		double p = low + (high - low) / 2;
		bool beyond = upwards ? binomial_at_least(n, k, p) > alpha :
					binomial_at_most(n, k, p) < alpha;

		if (p <= low || p >= high)
			return p;
		if (beyond)
			high = p;
		else
			low = p;
	}
}

double binomial_lower(__u64 n, __u64 k, double alpha)
{
	if (!k || k > n)
		return 0;
	return bisect(n, k, alpha, true);
}

double binomial_upper(__u64 n, __u64 k, double alpha)
{
	return bisect(n, k, alpha, false);
}

__u64 binomial_smallest_n(__u64 k, double p, double alpha)
{
	__u64 low = k, high = k + 1;

	if (p <= 0)
		return 0;
	while (binomial_at_most(high, k, p) >= alpha)
		high *= 2;
	while (high - low > 1) {
		__u64 n = low + (high - low) / 2;

		if (binomial_at_most(n, k, p) < alpha)
			high = n;
		else
			low = n;
	}
	return high;
}
