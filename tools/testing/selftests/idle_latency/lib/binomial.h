/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How sure one can be of the probability of an event that was seen k times in
 * n trials: exact tails of the binomial distribution, and the bounds of Clopper
 * and Pearson that follow from them.
 */
#ifndef BINOMIAL_H
#define BINOMIAL_H

#include <linux/types.h>

/* One-sided bounds at 95 %: each of them is wrong in at most 5 % of cases. */
#define BINOMIAL_ALPHA	0.05

/* Of n trials, each with the probability p, at least or at most k. */
double binomial_at_least(__u64 n, __u64 k, double p);
double binomial_at_most(__u64 n, __u64 k, double p);

/*
 * One-sided bounds of the probability of what was seen k times in n trials,
 * with the confidence 1 - alpha. Nothing is known, so that they are 0 and 1,
 * where n is 0 or k is above n.
 */
double binomial_lower(__u64 n, __u64 k, double alpha);
double binomial_upper(__u64 n, __u64 k, double alpha);

/*
 * The smallest n with which k show that the probability is below p: the upper
 * bound is below it. 0 where there is none, because p is 0.
 */
__u64 binomial_smallest_n(__u64 k, double p, double alpha);

#endif
