/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Exact order statistics, how sure one can be of a probability, and whether two sets of samples
 * differ by more than chance.
 */
#ifndef STATISTICS_H
#define STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

static inline __u64 larger(__u64 a, __u64 b)
{
	return a > b ? a : b;
}

static inline __u64 smaller(__u64 a, __u64 b)
{
	return a < b ? a : b;
}

/* Sums and differences that end at the largest and the smallest number. */

static inline __u64 plus_capped(__u64 a, __u64 b)
{
	return a + b < a ? ~0ULL : a + b;
}

static inline __u64 minus_or_0(__u64 a, __u64 b)
{
	return a > b ? a - b : 0;
}

static inline __u64 distance(__u64 a, __u64 b)
{
	return a > b ? a - b : b - a;
}

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
	__u64 p9999;
	__u64 max;
	bool has_p99;
	bool has_p9999;
};

void sort_samples(__u64 *samples, size_t count);

/*
 * The smallest sample that at least this part of all samples does not exceed.
 * There is at least one sample, and they are sorted.
 */
__u64 order_stat(const __u64 *sorted, size_t count, __u64 quantile);
struct order_stats order_stats(const __u64 *sorted, size_t count);

/* Sorts them first. There is at least one. */
__u64 median_of_samples(__u64 *samples, size_t count);

/*
 * How sure one can be of the probability of an event that was seen k times in
 * n trials: exact tails of the binomial distribution, and the bounds of Clopper
 * and Pearson that follow from them.
 */

/* One-sided bounds at 95 %: each of them is wrong in at most 5 % of cases. */
#define BINOMIAL_ALPHA	0.05

/* Of n trials, each with the probability p, at least or at most k. */
double binomial_at_least(__u64 n, __u64 k, double p);
double binomial_at_most(__u64 n, __u64 k, double p);

/*
 * One-sided bounds of the probability of what was seen k times in n trials,
 * with the confidence of 95 %. Nothing is known, so that they are 0 and 1,
 * where n is 0 or k is above n.
 */
double binomial_lower(__u64 n, __u64 k);
double binomial_upper(__u64 n, __u64 k);

/*
 * The smallest n with which k show that the probability is below p: the upper
 * bound is below it. 0 where there is none, because p is 0.
 */
__u64 binomial_smallest_n(__u64 k, double p);

/*
 * The same, upper bound only, of the mean of the probabilities of several strata, such as CPUs,
 * each of which has been tried n times. Each has the same weight, however often it was tried.
 */
struct trials {
	__u64 n;
	__u64 k;
};

double binomial_mean_upper(const struct trials *strata, size_t count);

/*
 * Whether two sets of samples differ by more than chance, and by more than a margin. All of it
 * holds for skewed and for discrete data: only the order of samples counts, and equal ones share
 * their rank. Tests are one-sided: p is the probability of what was seen, or more of it, where
 * @b has no larger samples than @a.
 */
struct sample_set {
	const __u64 *sorted;
	size_t count;
};

/* @room: for as many, which the set is in */
struct sample_set sample_set_of(const __u32 *samples, size_t count, __u64 *room);

/*
 * What two runs may differ by without being called different: the largest of what both
 * measurements may be wrong by together, a time, and a part of the latency.
 */
struct margin {
	__u64 error_ns;
	__u64 least_ns;
	unsigned int percent;
};

/* Of which nobody would say that something has changed: it is less than two boots differ by. */
#define MARGIN_LEAST_NS	50
#define MARGIN_PERCENT	2

/* A sample less the margin, 0 at least. It grows with the sample, so that order is kept. */
__u64 margin_reduce(const struct margin *margin, __u64 ns);

/*
 * The test of Mann and Whitney: the sum of midranks, by its normal approximation with the
 * variance that ties leave, and without a correction for continuity.
 */
struct rank_test {
	/* in how many pairs the sample of @b is the larger one; equal ones are half */
	double u;
	double variance;
	/* (u - mean) / sqrt(variance); 0 where all samples are equal */
	double z;
	/* samples of both that are equal to each other, at most */
	size_t ties;
};

struct rank_test rank_test(const struct sample_set *a, const struct sample_set *b);
double rank_test_p(const struct rank_test *test);

/*
 * Of @above samples that are above a threshold, @k or more are of @b: exact where samples can be
 * exchanged (hypergeometric distribution). @a and @b: all samples of each
 */
double tail_test_p(size_t a, size_t b, size_t above, size_t k);

/*
 * Whether @b is larger than @a by more than the margin: by the test of Mann and Whitney. Where so
 * many samples are equal that the normal approximation is none, p is 0.5, and the exact tests have
 * to tell. @room: for b->count samples, and left with them less the margin
 */
double larger_p(const struct sample_set *a, const struct sample_set *b,
		const struct margin *margin, __u64 *room);

/*
 * The same with an exact test beside it, so that it does not matter how many samples are equal:
 * whether @b is larger, which both together say wrongly with a probability of alpha at most.
 */
bool is_larger(const struct sample_set *a, const struct sample_set *b,
	       const struct margin *margin, double alpha, __u64 *room);

#endif
