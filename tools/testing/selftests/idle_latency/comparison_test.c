// SPDX-License-Identifier: GPL-2.0
/* The tests on two sets of samples, by values that others have computed. */
#include <math.h>

#include "kselftest_harness.h"
#include "statistics.h"
#include "idle_latency_util.h"

/* References are exact to nine digits. */
static bool near(double seen, double expected)
{
	return fabs(seen - expected) <= fabs(expected) / NS_PER_SEC;
}

static struct sample_set set_of(const __u64 *sorted, size_t count)
{
	return (struct sample_set) { .sorted = sorted, .count = count };
}

/* By hand: 23.5 of 30 pairs, and the variance with ties of 2, 2 and 5 is 27. */
TEST(ranks)
{
	const __u64 a[] = { 1, 1, 2, 3, 3, 3 }, b[] = { 2, 3, 3, 4, 5 };
	const struct sample_set set_a = set_of(a, ARRAY_SIZE(a));
	const struct sample_set set_b = set_of(b, ARRAY_SIZE(b));
	struct rank_test test = rank_test(&set_a, &set_b);

	EXPECT_EQ(23.5, test.u);
	EXPECT_EQ(27.0, test.variance);
	EXPECT_TRUE(near(test.z, 1.635825763));
	/* The reference has nine digits after the point. */
	EXPECT_LE(fabs(2 * rank_test_p(&test) - 0.101876059), 1.0 / NS_PER_SEC);
	test = rank_test(&set_b, &set_a);
	EXPECT_EQ(6.5, test.u);
}

/* The variance of one sample of each is 1 / 4, and u is 1 instead of 1 / 2. */
TEST(ranks_of_two_samples)
{
	const __u64 a = 1, b = 2;
	const struct sample_set set_a = set_of(&a, 1), set_b = set_of(&b, 1);

	EXPECT_TRUE(near(rank_test(&set_a, &set_b).z, 1));
	EXPECT_TRUE(near(rank_test(&set_b, &set_a).z, -1));
}

TEST(ranks_of_equal_samples)
{
	const __u64 same[] = { 7, 7, 7 };
	const struct sample_set set = set_of(same, ARRAY_SIZE(same));
	const struct sample_set none = set_of(NULL, 0);
	struct rank_test test = rank_test(&set, &set);

	EXPECT_EQ(0.0, test.z);
	EXPECT_EQ(0.5, rank_test_p(&test));
	test = rank_test(&set, &none);
	EXPECT_EQ(0.5, rank_test_p(&test));
	EXPECT_EQ(0.0, rank_test(&none, &none).variance);
}

/* From @at on. */
static void rising(__u64 *samples, size_t count, __u64 at, __u64 step)
{
	for (size_t i = 0; i < count; i++)
		samples[i] = at + i * step;
}

/*
 * Of 80 samples, 40 are equal, so that half of the smaller set differ from these: just the ten
 * that the test takes. With one more it does not.
 */
TEST(ranks_of_many_equal_samples)
{
	const struct margin none = {};
	__u64 a[20], b[60], room[61];
	const struct sample_set set_a = set_of(a, ARRAY_SIZE(a));
	const struct sample_set set_b = set_of(b, ARRAY_SIZE(b));
	struct rank_test test;

	rising(a, 10, 1, 1);
	rising(a + 10, 10, 100, 0);
	rising(b, 30, 100, 0);
	rising(b + 30, 30, 201, 1);
	rising(room, ARRAY_SIZE(room), ~0ULL, 0);
	test = rank_test(&set_a, &set_b);
	EXPECT_LT(rank_test_p(&test), 0.01);
	EXPECT_EQ(rank_test_p(&test), larger_p(&set_a, &set_b, &none, room));
	/* It has written to as much of the room as there are samples. */
	EXPECT_EQ(~0ULL, room[60]);
	b[30] = 100;
	EXPECT_EQ(0.5, larger_p(&set_a, &set_b, &none, room));
	EXPECT_EQ(0.5, larger_p(&set_b, &set_a, &none, room));
}

TEST(tail)
{
	EXPECT_TRUE(near(tail_test_p(5000, 5000, 30, 22), 0.007984608263));
	EXPECT_TRUE(near(tail_test_p(5000, 5000, 6, 6), 0.01560156719));
	EXPECT_TRUE(near(tail_test_p(30000, 30000, 10, 9), 0.01073706097));
	EXPECT_TRUE(near(tail_test_p(5000, 10000, 16, 15), 0.01366542779));
	/* Of ten with five above, four or five are of the second five: 26 of 252. */
	EXPECT_TRUE(near(tail_test_p(5, 5, 5, 4), 26 / 252.));
	EXPECT_TRUE(near(tail_test_p(5, 5, 5, 2), 226 / 252.));
	EXPECT_EQ(1.0, tail_test_p(5, 5, 5, 0));
	EXPECT_EQ(0.0, tail_test_p(5, 5, 5, 6));
	EXPECT_EQ(0.0, tail_test_p(5, 5, 3, 4));
	EXPECT_TRUE(near(tail_test_p(5, 5, 5, 1), 251 / 252.));
	/* Two of these must be of the second five, and are all of them in 10 of 120. */
	EXPECT_EQ(1.0, tail_test_p(5, 5, 7, 2));
	EXPECT_TRUE(near(tail_test_p(5, 5, 7, 3), 110 / 120.));
	EXPECT_EQ(1.0, tail_test_p(5, 5, 0, 0));
}

TEST(margin)
{
	struct margin margin = {
		.error_ns = 10, .least_ns = 50, .percent = 2,
	};

	EXPECT_EQ(50ULL, margin_reduce(&margin, 100));
	EXPECT_EQ(2450ULL, margin_reduce(&margin, 2500));
	EXPECT_EQ(9800ULL, margin_reduce(&margin, 10000));
	EXPECT_EQ(0ULL, margin_reduce(&margin, 50));
	EXPECT_EQ(0ULL, margin_reduce(&margin, 5));
	margin.error_ns = 300;
	EXPECT_EQ(9700ULL, margin_reduce(&margin, 10000));
	EXPECT_EQ(19600ULL, margin_reduce(&margin, 20000));
}

TEST_HARNESS_MAIN
