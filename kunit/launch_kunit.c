// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests for the choice of the launch distance.
 */
#include <kunit/test.h>
#include <linux/limits.h>

#include "../convert.h"

struct ldist_case {
	const char *name;
	u64 from;
	u64 to;
	u64 random;
	u64 ldist;
};

static const struct ldist_case ldist_cases[] = {
	{ "lowest random number is the smallest", 20000, 100000, 0, 20000 },
	{ "highest random number is the largest", 20000, 100000, U64_MAX, 100000 },
	{ "middle random number is the middle", 20000, 100000, 1ULL << 63, 60000 },
	{ "one value only, lowest", 5, 5, 0, 5 },
	{ "one value only, highest", 5, 5, U64_MAX, 5 },
	{ "two values, last of the first half", 1, 2, (1ULL << 63) - 1, 1 },
	{ "two values, first of the second half", 1, 2, 1ULL << 63, 2 },
	{ "the whole of 64 bits", 0, U64_MAX, 12345, 12345 },
	{ "all but one of 64 bits", 1, U64_MAX, U64_MAX, U64_MAX },
};

KUNIT_ARRAY_PARAM_DESC(ldist, ldist_cases, name);

static void choose_ldist(struct kunit *test)
{
	const struct ldist_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, idle_latency_choose_ldist(c->from, c->to, c->random), c->ldist);
}

/* Random numbers that are evenly spread give every distance equally often. */
static void choose_ldist_is_uniform(struct kunit *test)
{
	unsigned int seen[10] = {};

	for (u64 i = 0; i < 1000; i++) {
		u64 ldist = idle_latency_choose_ldist(100, 109, i * (U64_MAX / 1000));

		KUNIT_ASSERT_GE(test, ldist, 100);
		KUNIT_ASSERT_LE(test, ldist, 109);
		seen[ldist - 100]++;
	}

	/* 1000 points do not end exactly on the borders: one may go either way. */
	for (int i = 0; i < ARRAY_SIZE(seen); i++) {
		KUNIT_EXPECT_GE(test, seen[i], 99);
		KUNIT_EXPECT_LE(test, seen[i], 101);
	}
}

static struct kunit_case launch_test_cases[] = {
	KUNIT_CASE_PARAM(choose_ldist, ldist_gen_params),
	KUNIT_CASE(choose_ldist_is_uniform),
	{}
};

static struct kunit_suite launch_suite = {
	.name = "idle_latency_launch",
	.test_cases = launch_test_cases,
};

kunit_test_suite(launch_suite);
