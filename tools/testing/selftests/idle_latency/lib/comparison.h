/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether two sets of samples differ by more than chance, and by more than a margin. All of it
 * holds for skewed and for discrete data: only the order of samples counts, and equal ones share
 * their rank.
 *
 * Samples are sorted, as by sort_samples(). Tests are one-sided: p is the probability of what
 * was seen, or more of it, where @b has no larger samples than @a.
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

struct rank_test rank_test(const struct sample_set *a,
			   const struct sample_set *b);
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

#endif
