// SPDX-License-Identifier: GPL-2.0
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

struct sample_set sample_set_of(const __u32 *samples, size_t count, __u64 *room)
{
	for (size_t i = 0; i < count; i++)
		room[i] = samples[i];
	sort_samples(room, count);
	return (struct sample_set) { room, count };
}

__u64 order_stat(const __u64 *sorted, size_t count, __u64 quantile)
{
	__u64 rank = (quantile * count + QUANTILE_ONE - 1) / QUANTILE_ONE;

	return sorted[rank ? rank - 1 : 0];
}

/* Whether at least one sample may lie above the quantile. */
static bool offer(const __u64 *sorted, size_t count, __u64 quantile, __u64 *stat)
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
	stats.has_p9999 = offer(sorted, count, 999900000, &stats.p9999);
	return stats;
}

__u64 median_of_samples(__u64 *samples, size_t count)
{
	sort_samples(samples, count);
	return order_stat(samples, count, QUANTILE_ONE / 2);
}

/* How often something happens: in n trials, each with the probability p. */
struct distribution {
	double n;
	double p;
	/* hypergeometric, if any: n are drawn from a and b, and those of b are counted */
	double a;
	double b;
};

/* Where there is no such choice, lgamma() is infinite, and so the number of choices is 0. */
static double log_choose(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

static double log_probability(const struct distribution *of, double k)
{
	if (of->a + of->b > 0)
		return log_choose(of->b, k) + log_choose(of->a, of->n - k) -
		       log_choose(of->a + of->b, of->n);
	return log_choose(of->n, k) + k * log(of->p) + (of->n - k) * log1p(-of->p);
}

/* By what factor k + 1 is more probable than k. */
static double rise(const struct distribution *of, double k)
{
	double odds = of->p / (1 - of->p);

	if (of->a + of->b > 0)
		odds = (of->b - k) / (of->a - of->n + k + 1);
	return odds * (of->n - k) / (k + 1);
}

/*
 * Sums begin at k and go away from the mean. From the other end, the first
 * term may be too small for a double, and then all of them are 0. They end when
 * a term does not change the sum any more: the one after the last is 0.
 *
 * Where p is 0 or 1, all terms on the side that is summed are 0: the logarithm
 * of 0 is never multiplied by 0 there.
 */
static double sum_from(const struct distribution *of, double k, bool upwards)
{
	double term = exp(log_probability(of, k)), sum = term;

	for (; term > sum * DBL_EPSILON; sum += term)
		term = upwards ? term * rise(of, k++) : term / rise(of, --k);
	return sum;
}

static double at_least(const struct distribution *of, double k, double mean)
{
	return k > mean ? sum_from(of, k, true) : 1 - sum_from(of, k - 1, false);
}

double binomial_at_least(__u64 n, __u64 k, double p)
{
	if (!k)
		return 1;
	if (k > n)
		return 0;
	return at_least(&(struct distribution) { .n = n, .p = p }, k, n * p);
}

double binomial_at_most(__u64 n, __u64 k, double p)
{
	const struct distribution of = { .n = n, .p = p };

	if (k >= n)
		return 1;
	return k < n * p ? sum_from(&of, k, false) : 1 - sum_from(&of, k + 1, true);
}

double tail_test_p(size_t a, size_t b, size_t above, size_t k)
{
	const struct distribution of = { .n = above, .a = a, .b = b };

	return at_least(&of, k, of.n * of.b / (of.a + of.b));
}

/*
 * The p at which the tail is BINOMIAL_ALPHA: that from k upwards, which grows with p, or that from
 * k downwards, which shrinks. Ends when no double is left between the two.
 */
static double bisect(__u64 n, __u64 k, bool upwards)
{
	double low = 0, high = 1;

	for (;;) {
		double p = low + (high - low) / 2;
		bool beyond = upwards ? binomial_at_least(n, k, p) > BINOMIAL_ALPHA :
					binomial_at_most(n, k, p) < BINOMIAL_ALPHA;

		if (p <= low || p >= high)
			return p;
		if (beyond)
			high = p;
		else
			low = p;
	}
}

double binomial_lower(__u64 n, __u64 k)
{
	return k && k <= n ? bisect(n, k, true) : 0;
}

double binomial_upper(__u64 n, __u64 k)
{
	return bisect(n, k, false);
}

/*
 * Of all N trials k are seen, and mu, the sum of n p, are expected. That is at least m times the
 * sum of the p, where m are the trials of the stratum that was tried the least. Trials whose
 * probabilities differ come to k or fewer no more often than N trials with the probability mu / N
 * do, where k <= mu - 1 (W. Hoeffding, On the Distribution of the Number of Successes in
 * Independent Trials, Annals of Mathematical Statistics 27, 1956, theorem 4). So the bound of
 * Clopper and Pearson from N and k is one of mu / N, and times N / m one of the sum of the p. Where
 * all strata were tried as often, that is the bound of N trials; else it is the worst case, in
 * which the stratum that was tried the least has all that may have been missed. One that was not
 * tried at all may have the probability 1.
 */
double binomial_mean_upper(const struct trials *strata, size_t count)
{
	struct trials all = { };
	size_t tried = 0;
	__u64 least = 0;
	double upper;

	for (size_t i = 0; i < count; i++) {
		if (!strata[i].n)
			continue;
		least = tried++ ? smaller(least, strata[i].n) : strata[i].n;
		all.n += strata[i].n;
		all.k += strata[i].k;
	}
	if (!tried)
		return 1;
	upper = all.n * binomial_upper(all.n, all.k);
	/* Of a single stratum it is exact anyway. */
	if (tried > 1 && upper < all.k + 1)
		upper = all.n;
	upper /= (double)least * tried;
	return (tried * (upper < 1 ? upper : 1) + (count - tried)) / count;
}

__u64 binomial_smallest_n(__u64 k, double p)
{
	__u64 low = k, high = k + 1;

	if (p <= 0)
		return 0;
	while (binomial_at_most(high, k, p) >= BINOMIAL_ALPHA)
		high *= 2;
	while (high - low > 1) {
		__u64 n = low + (high - low) / 2;

		if (binomial_at_most(n, k, p) < BINOMIAL_ALPHA)
			high = n;
		else
			low = n;
	}
	return high;
}

__u64 margin_reduce(const struct margin *margin, __u64 ns)
{
	__u64 least_ns = larger(margin->least_ns, margin->error_ns);

	return minus_or_0(ns, larger(ns * margin->percent / 100, least_ns));
}

/* The samples from @from on that are equal to @value. */
static size_t count_equal(const struct sample_set *set, size_t from, __u64 value)
{
	size_t end = from;

	while (end < set->count && set->sorted[end] == value)
		end++;
	return end - from;
}

struct rank_test rank_test(const struct sample_set *a, const struct sample_set *b)
{
	double pairs = (double)a->count * b->count;
	double n = (double)a->count + b->count, ties = 0;
	struct rank_test test = {};
	size_t i = 0, j = 0;

	while (i < a->count || j < b->count) {
		__u64 value = j == b->count ||
			      (i < a->count && a->sorted[i] < b->sorted[j]) ?
			      a->sorted[i] : b->sorted[j];
		double of_a = count_equal(a, i, value);
		double of_b = count_equal(b, j, value);
		double equal = of_a + of_b;

		test.ties = larger(test.ties, equal);
		test.u += of_b * (i + of_a / 2);
		ties += equal * (equal * equal - 1);
		i += of_a;
		j += of_b;
	}
	if (!pairs)
		return test;
	test.variance = pairs / 12 * (n + 1 - ties / (n * (n - 1)));
	if (test.variance > 0)
		test.z = (test.u - pairs / 2) / sqrt(test.variance);
	return test;
}

double rank_test_p(const struct rank_test *test)
{
	return erfc(test->z / sqrt(2)) / 2;
}

/*
 * As for other tests that approximate what is counted: of either set, ten samples at least have to
 * differ from the value that most samples have.
 */
static bool is_normal(const struct rank_test *test, size_t a, size_t b)
{
	double less = smaller(a, b);

	return less * (a + b - test->ties) / (a + b) >= 10;
}

double larger_p(const struct sample_set *a, const struct sample_set *b,
		const struct margin *margin, __u64 *room)
{
	const struct sample_set reduced = { .sorted = room, .count = b->count };
	struct rank_test test;

	for (size_t i = 0; i < b->count; i++)
		room[i] = margin_reduce(margin, b->sorted[i]);
	test = rank_test(a, &reduced);
	return is_normal(&test, a->count, b->count) ? rank_test_p(&test) : 0.5;
}

/*
 * Of the samples of both, as many as there are of @a are the smallest: whether more of the others
 * are of @b than by chance. This is exact, however many samples are equal.
 */
static double exact_p(const struct sample_set *a, const struct sample_set *b)
{
	__u64 threshold = 0;
	size_t i = 0, j = 0;

	while (i + j < a->count)
		if (j == b->count || a->sorted[i] <= b->sorted[j])
			threshold = a->sorted[i++];
		else
			threshold = b->sorted[j++];
	while (i < a->count && a->sorted[i] <= threshold)
		i++;
	while (j < b->count && b->sorted[j] <= threshold)
		j++;
	return tail_test_p(a->count, b->count, a->count - i + b->count - j, b->count - j);
}

bool is_larger(const struct sample_set *a, const struct sample_set *b,
	       const struct margin *margin, double alpha, __u64 *room)
{
	const struct sample_set reduced = { room, b->count };

	return larger_p(a, b, margin, room) <= alpha / 2 || exact_p(a, &reduced) <= alpha / 2;
}
