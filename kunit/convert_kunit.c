// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests for the conversion of TSC cycles to ns.
 */
#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/module.h>

#include "../convert.h"

/* Seconds in a hundred years. */
#define CENTURY		(100ULL * 365 * 24 * 60 * 60)

struct convert_case {
	const char *name;
	u64 cyc;
	u32 khz;
	u64 ns;
};

static const struct convert_case convert_cases[] = {
	{ "nothing is nothing", 0, 1000000, 0 },
	{ "1 GHz is 1 ns a cycle", 123456789, 1000000, 123456789 },
	{ "a cycle of 5 GHz rounds down to 0", 1, 5000000, 0 },
	{ "4 cycles of 5 GHz round down to 0", 4, 5000000, 0 },
	{ "5 cycles of 5 GHz are 1 ns", 5, 5000000, 1 },
	{ "9 cycles of 5 GHz round down to 1", 9, 5000000, 1 },
	{ "a rate that does not divide 1 GHz", 7, 3000000, 2 },
	{ "one cycle below a millisecond", 2399999, 2400000, 999999 },
	{ "a millisecond", 2400000, 2400000, 1000000 },
	{ "one cycle above a millisecond", 2400001, 2400000, 1000000 },
	{ "a prime rate", 2399987ULL * 1000, 2399987, 1000000000 },
	{ "slowest rate", 3, 1, 3000000 },
	{ "fastest rate", U32_MAX, U32_MAX, 1000000 },
	{ "fastest rate, one cycle less", U32_MAX - 1, U32_MAX, 999999 },
	{ "2^32 cycles", 1ULL << 32, 2000000, 1ULL << 31 },
	{ "2^53 cycles", 1ULL << 53, 4000000, 1ULL << 51 },
	{ "a century at 5 GHz", CENTURY * 5000000000ULL, 5000000, CENTURY * 1000000000ULL },
	{ "the last cycle at 1 GHz", U64_MAX, 1000000, U64_MAX },
	{ "the last cycle at 5 GHz", U64_MAX, 5000000, 3689348814741910323ULL },
	{ "the last cycle at the fastest rate", U64_MAX, U32_MAX, 4294967297000000ULL },
	{ "the last ms that fits", 18446744073709ULL, 1, 18446744073709000000ULL },
	{ "the first ms that does not", 18446744073710ULL, 1, U64_MAX },
	{ "the last cycle that fits, rest included", U64_MAX - 1, 1000000, U64_MAX - 1 },
	{ "too long at 999.999 MHz", U64_MAX, 999999, U64_MAX },
	{ "far too long", U64_MAX, 1, U64_MAX },
};

KUNIT_ARRAY_PARAM_DESC(convert, convert_cases, name);

static void cyc_to_ns(struct kunit *test)
{
	const struct convert_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, idle_latency_cyc_to_ns(c->cyc, c->khz), c->ns);
}

/* More cycles are never less time, also where milliseconds meet. */
static void cyc_to_ns_never_goes_back(struct kunit *test)
{
	const u32 khz = 2399987;
	u64 last = 0;

	for (u64 cyc = 0; cyc < 3ULL * khz; cyc += 97) {
		u64 ns = idle_latency_cyc_to_ns(cyc, khz);

		KUNIT_ASSERT_GE_MSG(test, ns, last, "at %llu cycles", cyc);
		last = ns;
	}
}

struct diff_case {
	const char *name;
	u64 from;
	u64 to;
	u32 khz;
	s64 ns;
};

static const struct diff_case diff_cases[] = {
	{ "the same stamp", 1000, 1000, 1000000, 0 },
	{ "later", 1000, 3500, 2500000, 1000 },
	{ "earlier", 3500, 1000, 2500000, -1000 },
	{ "later, rounded towards zero", 0, 7, 3000000, 2 },
	{ "earlier, rounded towards zero", 7, 0, 3000000, -2 },
	{ "later across the wrap", U64_MAX - 9, 10, 1000000, 20 },
	{ "earlier across the wrap", 10, U64_MAX - 9, 1000000, -20 },
	{ "across 2^32", U32_MAX, 1ULL << 32, 1000000, 1 },
	{ "the longest later", 0, S64_MAX, 1000000, S64_MAX },
	{ "the longest earlier", S64_MAX, 0, 1000000, -S64_MAX },
	{ "later than 64 bits of ns", 0, S64_MAX, 1, S64_MAX },
	{ "earlier than 64 bits of ns", S64_MAX, 0, 1, -S64_MAX },
};

KUNIT_ARRAY_PARAM_DESC(diff, diff_cases, name);

static void cyc_diff_ns(struct kunit *test)
{
	const struct diff_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, idle_latency_cyc_diff_ns(c->from, c->to, c->khz), c->ns);
}

/* Each way bounds the difference from one side, whichever TSC is ahead. A slow way does no harm. */
static void skew(struct kunit *test)
{
	struct idle_latency_skew skew;

	idle_latency_skew_init(&skew);
	idle_latency_skew_add(&skew, 1000, 1540, 1100);
	KUNIT_EXPECT_EQ(test, skew.least_cyc, 440);
	KUNIT_EXPECT_EQ(test, skew.most_cyc, 540);
	KUNIT_EXPECT_EQ(test, idle_latency_skew_most(&skew), 540);
	idle_latency_skew_add(&skew, 2000, 9000, 90000);
	KUNIT_EXPECT_EQ(test, idle_latency_skew_most(&skew), 540);
	idle_latency_skew_add(&skew, 3000, 3510, 3060);
	KUNIT_EXPECT_EQ(test, skew.least_cyc, 450);
	KUNIT_EXPECT_EQ(test, idle_latency_skew_most(&skew), 510);

	idle_latency_skew_init(&skew);
	idle_latency_skew_add(&skew, 5, U64_MAX - 99, 25);
	KUNIT_EXPECT_EQ(test, skew.least_cyc, -125);
	KUNIT_EXPECT_EQ(test, skew.most_cyc, -105);
	KUNIT_EXPECT_EQ(test, idle_latency_skew_most(&skew), 125);
}

static struct kunit_case convert_test_cases[] = {
	KUNIT_CASE_PARAM(cyc_to_ns, convert_gen_params),
	KUNIT_CASE(cyc_to_ns_never_goes_back),
	KUNIT_CASE_PARAM(cyc_diff_ns, diff_gen_params),
	KUNIT_CASE(skew),
	{}
};

static struct kunit_suite convert_suite = {
	.name = "idle_latency_convert",
	.test_cases = convert_test_cases,
};

kunit_test_suite(convert_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of idle_latency");
