// SPDX-License-Identifier: GPL-2.0
/* Tests on two sets of samples. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "comparison.h"
#include "verdict.h"

static __u64 margin_of(const struct margin *margin, __u64 ns)
{
	__u64 largest = ns * margin->percent / 100;

	if (largest < margin->least_ns)
		largest = margin->least_ns;
	if (largest < margin->error_ns)
		largest = margin->error_ns;
	return largest;
}

__u64 margin_reduce(const struct margin *margin, __u64 ns)
{
	__u64 off = margin_of(margin, ns);

	return ns > off ? ns - off : 0;
}

/* The samples from @from on that are equal to @value. */
static size_t count_equal(const struct sample_set *set, size_t from,
			  __u64 value)
{
	size_t end = from;

	while (end < set->count && set->sorted[end] == value)
		end++;
	return end - from;
}

struct rank_test rank_test(const struct sample_set *a,
			   const struct sample_set *b)
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

		if (equal > test.ties)
			test.ties = equal;
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

/*
 * As for other tests that approximate what is counted: of either set, ten samples at least have to
 * differ from the value that most samples have.
 */
static bool is_normal(const struct rank_test *test, size_t a, size_t b)
{
	double less = a < b ? a : b;

	return less * (a + b - test->ties) / (a + b) >= 10;
}

double rank_test_p(const struct rank_test *test)
{
	return erfc(test->z / sqrt(2)) / 2;
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

/* Where there is no such choice, lgamma() is infinite, and so the number of choices is 0. */
static double log_choose(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/*
 * The sum begins at k and goes away from the mean, as those in statistics.c: from the other end,
 * the first term may be too small for a double.
 */
static double sum_from(double a, double b, double above, double k, int step)
{
	double term = exp(log_choose(b, k) + log_choose(a, above - k) -
			  log_choose(a + b, above));
	double sum = term;

	for (; term > sum * DBL_EPSILON; k += step) {
		if (step > 0)
			term *= (above - k) * (b - k) /
				((k + 1) * (a - above + k + 1));
		else
			term *= k * (a - above + k) /
				((above - k + 1) * (b - k + 1));
		sum += term;
	}
	return sum;
}

double tail_test_p(size_t a, size_t b, size_t above, size_t k)
{
	if (k > (double)above * b / ((double)a + b))
		return sum_from(a, b, above, k, 1);
	return 1 - sum_from(a, b, above, (double)k - 1, -1);
}
