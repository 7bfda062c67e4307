/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether two sets of samples differ by more than chance. All of it holds for skewed and for
 * discrete data: only the order of samples counts, and equal ones share their rank.
 *
 * Samples are sorted, as by sort_samples().
 */
#ifndef COMPARISON_H
#define COMPARISON_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

struct sample_set {
	const __u64 *sorted;
	size_t count;
};

/*
 * The test of Mann and Whitney: the sum of the midranks, by its normal approximation with the
 * variance that ties leave, without a correction for continuity.
 */
struct rank_test {
	/* of @b: how often a sample of it is the larger one of two, ties half */
	double u;
	double variance;
	/* (u - mean) / sqrt(variance); 0 where all samples are equal */
	double z;
	/* u / (a->count * b->count): P(b > a) + P(b = a) / 2 */
	double share;
};

struct rank_test rank_test(const struct sample_set *a,
			   const struct sample_set *b);

/* One-sided p that @b has the larger samples: the upper tail of the normal distribution. */
double rank_test_p(const struct rank_test *test);

/* How many samples are above a threshold. */
size_t count_above(const struct sample_set *set, __u64 threshold);

/*
 * P(K >= k), where K of the @above samples that are above a threshold are among @b of all @a + @b
 * samples: exact where samples are exchangeable (hypergeometric distribution).
 */
double tail_test_p(size_t a, size_t b, size_t above, size_t k);

/*
 * Exact interval of a quantile from order statistics: the two-sided confidence is at least
 * 1 - @alpha. Ranks count from 1; those that no sample has are 0 and @count + 1, and the
 * interval is open there.
 * @quantile: in parts per billion
 */
struct rank_interval {
	size_t low;
	size_t high;
};

struct rank_interval quantile_ranks(size_t count, __u64 quantile,
				    double alpha);

/* Multiplies p values so that all of them hold together (Holm), in place; 1 at most. */
void holm_adjust(double *p, size_t count);

/*
 * Replicates: P that as large a sum of @b, or a larger one, is drawn from all figures of @a and
 * @b, by trying all selections. @a_count + @b_count is REPLICATES_MAX at most.
 */
#define REPLICATES_MAX	20

double permutation_p(const __u64 *a, size_t a_count, const __u64 *b,
		     size_t b_count);

#endif
