// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests for the projection of TSC stamps onto the clock of the source.
 */
#include <kunit/test.h>
#include <linux/limits.h>

#include "../convert.h"

struct between_case {
	const char *name;
	u64 before;
	u64 after;
	u64 tsc;
	u32 error_cyc;
};

static const struct between_case between_cases[] = {
	{ "no time passed", 1000, 1000, 1000, 0 },
	{ "one cycle passed", 1000, 1001, 1000, 1 },
	{ "even width", 1000, 1030, 1015, 15 },
	{ "odd width covers both ends", 1000, 1031, 1015, 16 },
	{ "across the wrap", U64_MAX - 4, 5, 0, 5 },
	{ "wider than the error can say", 0, 1ULL << 40, 1ULL << 39, U32_MAX },
};

KUNIT_ARRAY_PARAM_DESC(between, between_cases, name);

static void cross_between(struct kunit *test)
{
	const struct between_case *c = test->param_value;
	struct idle_latency_cross cross;

	cross = idle_latency_cross_between(c->before, 77, c->after, 500);
	KUNIT_EXPECT_EQ(test, cross.tsc, c->tsc);
	KUNIT_EXPECT_EQ(test, cross.error_cyc, c->error_cyc);
	KUNIT_EXPECT_EQ(test, cross.clock_ns, 77);
	KUNIT_EXPECT_EQ(test, cross.drift_ppm, 500);
}

struct project_case {
	const char *name;
	struct idle_latency_cross cross;
	u64 tsc;
	u32 khz;
	u64 ns;
	u64 error_ns;
};

static const struct project_case project_cases[] = {
	{ "the moment of the reading", { 5000, 90000, 0, 0 }, 5000, 1000000, 90000, 2 },
	{ "later", { 5000, 90000, 0, 0 }, 7400, 2400000, 91000, 2 },
	{ "earlier", { 7400, 91000, 0, 0 }, 5000, 2400000, 90000, 2 },
	{ "TSC ahead of the clock", { U64_MAX - 99, 100, 0, 0 }, 100, 1000000, 300, 2 },
	{ "clock ahead of the TSC", { 100, U64_MAX / 2, 0, 0 }, 200, 1000000,
	  U64_MAX / 2 + 100, 2 },
	/* 15 cycles of 1 GHz, rounded up, and the two conversions. */
	{ "a reading that took time", { 5000, 90000, 15, 0 }, 5000, 1000000, 90000, 18 },
	{ "a reading that took time, fast TSC", { 0, 0, 31, 0 }, 0, 3000000, 0, 13 },
	/* 500 ppm of 1 ms is 500 ns, of nothing it is nothing; rounded up. */
	{ "drift over 1 ms", { 0, 0, 0, 500 }, 1000000, 1000000, 1000000, 503 },
	{ "drift over 1 ms, backwards", { 1000000, 1000000, 0, 500 }, 0, 1000000, 0, 503 },
	{ "drift over nothing", { 0, 0, 0, 500 }, 0, 1000000, 0, 3 },
	{ "drift over a year", { 0, 0, 0, 500 }, 31536000000000000ULL, 1000000,
	  31536000000000000ULL, 15768000000003ULL },
	{ "everything", { 5000, 90000, 15, 500 }, 1005000, 1000000, 1090000, 519 },
};

KUNIT_ARRAY_PARAM_DESC(project, project_cases, name);

static void project_stamp(struct kunit *test)
{
	const struct project_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, idle_latency_project(&c->cross, c->tsc, c->khz), c->ns);
	KUNIT_EXPECT_EQ(test, idle_latency_project_error(&c->cross, c->tsc, c->khz),
			c->error_ns);
}

/*
 * Wherever in the reading the clock was latched, the truth lies within the
 * stated error: a clock equal to the TSC in ns plus an offset.
 */
static void truth_is_within_error(struct kunit *test)
{
	const u32 khz = 2900000;
	const u64 offset = 1234567;
	const u64 before = 777777, after = before + 4061;
	const u64 stamp = before - 52345;
	const u64 truth = idle_latency_cyc_to_ns(stamp, khz) + offset;

	for (u64 latched = before; latched <= after; latched++) {
		u64 clock_ns = idle_latency_cyc_to_ns(latched, khz) + offset;
		struct idle_latency_cross cross;
		u64 error, ns;

		cross = idle_latency_cross_between(before, clock_ns, after, 0);
		ns = idle_latency_project(&cross, stamp, khz);
		error = idle_latency_project_error(&cross, stamp, khz);
		KUNIT_ASSERT_LE_MSG(test, abs_diff(ns, truth), error, "latched at %llu",
				    latched);
	}
}

static void widen(struct kunit *test)
{
	struct idle_latency_cross cross = { 1, 2, 3, 4 };

	idle_latency_cross_widen_cyc(&cross, 0);
	KUNIT_EXPECT_EQ(test, cross.error_cyc, 3);
	idle_latency_cross_widen(&cross, 0, 2100000);
	KUNIT_EXPECT_EQ(test, cross.error_cyc, 3);
	idle_latency_cross_widen(&cross, 42, 2100000);
	KUNIT_EXPECT_EQ(test, cross.error_cyc, 3 + 89);
	idle_latency_cross_widen_cyc(&cross, U32_MAX - 92);
	KUNIT_EXPECT_EQ(test, cross.error_cyc, U32_MAX);
	idle_latency_cross_widen_cyc(&cross, 1);
	KUNIT_EXPECT_EQ(test, cross.error_cyc, U32_MAX);
}

struct crystal_case {
	const char *name;
	u32 denominator;
	u32 numerator;
	u32 hz;
	u32 khz;
	u32 ns;
};

static const struct crystal_case crystal_cases[] = {
	{ "it tells nothing", 0, 0, 0, 2100000, 0 },
	{ "no numerator", 2, 0, 0, 2100000, 0 },
	{ "no denominator", 0, 168, 0, 2100000, 0 },
	{ "24 MHz", 2, 216, 24000000, 2592000, 42 },
	{ "25 MHz", 2, 168, 25000000, 2100000, 40 },
	{ "38.4 MHz", 2, 104, 38400000, 1996800, 27 },
	{ "the rate alone", 0, 0, 25000000, 2100000, 40 },
	{ "24 MHz by the TSC", 2, 216, 0, 2592000, 42 },
	{ "25 MHz by the TSC", 2, 168, 0, 2100000, 40 },
};

KUNIT_ARRAY_PARAM_DESC(crystal, crystal_cases, name);

static void crystal(struct kunit *test)
{
	const struct crystal_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, idle_latency_crystal_ns(c->denominator, c->numerator, c->hz,
						      c->khz), c->ns);
}

static struct kunit_case project_test_cases[] = {
	KUNIT_CASE_PARAM(cross_between, between_gen_params),
	KUNIT_CASE_PARAM(project_stamp, project_gen_params),
	KUNIT_CASE(truth_is_within_error),
	KUNIT_CASE(widen),
	KUNIT_CASE_PARAM(crystal, crystal_gen_params),
	{}
};

static struct kunit_suite project_suite = {
	.name = "idle_latency_project",
	.test_cases = project_test_cases,
};

kunit_test_suite(project_suite);
