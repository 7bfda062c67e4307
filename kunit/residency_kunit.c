// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests for residencies from readings of counters.
 */
#include <kunit/test.h>
#include <linux/limits.h>

#include "../session.h"

struct residency_case {
	const char *name;
	u64 begin;
	u64 end;
	u32 count_cyc;
	u64 interval;
	bool valid;
	u64 cyc;
};

static const struct residency_case residency_cases[] = {
	{ "never there", 500, 500, 1, 1000, true, 0 },
	{ "half of the time", 500, 1000, 1, 1000, true, 500 },
	{ "all of the time", 500, 1500, 1, 1000, true, 1000 },
	{ "one cycle more than that", 500, 1501, 1, 1000, false },
	{ "a million percent", 0, 10000000, 1, 1000, false },
	{ "the counter went back", 1000, 999, 1, 1000, false },
	{ "the counter wrapped", U64_MAX - 9, 10, 1, 1000, true, 20 },
	{ "no time at all", 7, 7, 1, 0, true, 0 },
	{ "a slow counter", 3, 5, 2900, 10000, true, 5800 },
	{ "a slow counter that counts at the border", 3, 4, 2900, 1, true, 2900 },
	{ "a slow counter, one count too many", 3, 5, 2900, 2900, false },
	{ "a slow counter, far too many", 0, U64_MAX, 2900, 10000, false },
	{ "the longest interval", 0, U64_MAX, 1, U64_MAX, true, U64_MAX },
};

KUNIT_ARRAY_PARAM_DESC(residency, residency_cases, name);

static void residency_cyc(struct kunit *test)
{
	const struct residency_case *c = test->param_value;
	u64 cyc = 12345;

	KUNIT_EXPECT_EQ(test, idle_latency_residency_cyc(c->begin, c->end, c->count_cyc,
							 c->interval, &cyc), c->valid);
	KUNIT_EXPECT_EQ(test, cyc, c->cyc);
}

struct reached_case {
	const char *name;
	u64 residency_cyc;
	s64 silent_ns;
	u64 entry_ns;
	u32 khz;
	bool reached;
};

static const struct reached_case reached_cases[] = {
	{ "all of SilentTime", 5000, 5000, 0, 1000000, true },
	{ "all of it, but for the rounding", 4999, 5000, 0, 1000000, true },
	{ "not all of it", 4998, 5000, 0, 1000000, false },
	{ "all but the way into the state", 4499, 5000, 500, 1000000, true },
	{ "less than that", 4498, 5000, 500, 1000000, false },
	{ "SilentTime is shorter than the way", 1, 5000, 9000, 1000000, true },
	{ "nothing", 0, 5000, 9000, 1000000, false },
	{ "the event fired when idle began", 5000, 0, 9000, 1000000, false },
	{ "it fired one ns later", 5000, 1, 9000, 1000000, true },
	{ "it fired before", 5000, -5000, 0, 1000000, false },
	{ "a TSC of 2.5 GHz", 12498, 5000, 0, 2500000, true },
	{ "a TSC of 2.5 GHz, not all of it", 12497, 5000, 0, 2500000, false },
};

KUNIT_ARRAY_PARAM_DESC(reached, reached_cases, name);

static void reached(struct kunit *test)
{
	const struct reached_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, idle_latency_reached(c->residency_cyc, c->silent_ns, c->entry_ns,
						   c->khz), c->reached);
}

static struct kunit_case residency_test_cases[] = {
	KUNIT_CASE_PARAM(residency_cyc, residency_gen_params),
	KUNIT_CASE_PARAM(reached, reached_gen_params),
	{}
};

static struct kunit_suite residency_suite = {
	.name = "idle_latency_residency",
	.test_cases = residency_test_cases,
};

kunit_test_suite(residency_suite);
