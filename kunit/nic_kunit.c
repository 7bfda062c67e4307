// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests for the clock of a network card: its registers as a time, and the error of
 * a reading of it.
 */
#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/math64.h>

#include "../convert.h"
#include "../nic.h"

#define SEC	1000000000ULL

struct time_case {
	const char *name;
	u32 sec;
	u32 nsec;
	u64 ns;
};

static const struct time_case time_cases[] = {
	{ "zero", 0, 0, 0 },
	{ "the last ns of a second", 0, 999999999, SEC - 1 },
	{ "the second after it", 1, 0, SEC },
	{ "more ns than fit into 32 bits", 5, 7, 5 * SEC + 7 },
	{ "as igb sets the clock", 1795000000, 123456789, 1795000000 * SEC + 123456789 },
	{ "the last second", U32_MAX, 999999999, U32_MAX * SEC + 999999999 },
};

KUNIT_ARRAY_PARAM_DESC(time, time_cases, name);

static void time_there_and_back(struct kunit *test)
{
	const struct time_case *c = test->param_value;
	u32 sec, nsec;
	u64 ns;

	KUNIT_EXPECT_TRUE(test, idle_latency_nic_time_ns(c->sec, c->nsec, &ns));
	KUNIT_EXPECT_EQ(test, ns, c->ns);

	idle_latency_nic_split_ns(c->ns, &sec, &nsec);
	KUNIT_EXPECT_EQ(test, sec, c->sec);
	KUNIT_EXPECT_EQ(test, nsec, c->nsec);
}

/* What a card gives that does not answer is not a time. */
static void no_time(struct kunit *test)
{
	u64 ns = 1;

	KUNIT_EXPECT_FALSE(test, idle_latency_nic_time_ns(U32_MAX, U32_MAX, &ns));
	KUNIT_EXPECT_EQ(test, ns, 0);
	KUNIT_EXPECT_FALSE(test, idle_latency_nic_time_ns(5, 1000000000, &ns));
	KUNIT_EXPECT_EQ(test, ns, 0);
}

/* A target time carries into the seconds, and wraps with them. */
static void target_carries(struct kunit *test)
{
	u32 sec, nsec;

	idle_latency_nic_split_ns(41 * SEC + 999999000 + 1500, &sec, &nsec);
	KUNIT_EXPECT_EQ(test, sec, 42);
	KUNIT_EXPECT_EQ(test, nsec, 500);

	idle_latency_nic_split_ns((1ULL << 32) * SEC + 3, &sec, &nsec);
	KUNIT_EXPECT_EQ(test, sec, 0);
	KUNIT_EXPECT_EQ(test, nsec, 3);
}

/* Also where the TSC wraps in between. */
static void the_tightest_is_kept(struct kunit *test)
{
	const struct idle_latency_nic_reading readings[] = {
		{ 1000, 9000, 1 }, { 10000, 11401, 2 }, { -700ULL, 700, 3 }, { 20000, 21400, 4 },
	};

	KUNIT_EXPECT_EQ(test, idle_latency_nic_tightest(readings, 1)->clock_ns, 1);
	KUNIT_EXPECT_EQ(test, idle_latency_nic_tightest(readings, 2)->clock_ns, 2);
	KUNIT_EXPECT_EQ(test, idle_latency_nic_tightest(readings, 4)->clock_ns, 3);
}

struct widen_case {
	const char *name;
	u32 error_cyc;
	u32 ns;
	u32 khz;
	u32 widened_cyc;
};

static const struct widen_case widen_cases[] = {
	{ "by nothing", 700, 0, 2500000, 700 },
	{ "a cycle is a ns", 700, 16, 1000000, 716 },
	{ "a fast TSC", 700, 16, 2500000, 740 },
	{ "rounded up", 0, 1, 2500000, 3 },
	{ "rounded up for the least part of a cycle", 0, 1, 1000001, 2 },
	{ "a slow TSC", 0, 16, 999999, 16 },
	{ "as far as it goes", U32_MAX - 1, 16, 1000000, U32_MAX },
};

KUNIT_ARRAY_PARAM_DESC(widen, widen_cases, name);

static void widen(struct kunit *test)
{
	const struct widen_case *c = test->param_value;
	struct idle_latency_cross cross = { .error_cyc = c->error_cyc };

	idle_latency_cross_widen(&cross, c->ns, c->khz);
	KUNIT_EXPECT_EQ(test, cross.error_cyc, c->widened_cyc);
}

/*
 * Equation 6 of the thesis on waltr: a card that latches somewhere in a read of
 * 1.4 us is known to 0.7 us. The bound holds wherever in the read that is, and
 * with the two clocks 600 ppm apart.
 */
static void bound_holds_within_a_read(struct kunit *test)
{
	const u64 latched_ns = 5 * SEC, tai_cyc = 20000;

	for (u64 latched_tsc = 30000; latched_tsc <= 31400; latched_tsc += 100) {
		u64 truth = latched_ns - div_u64((latched_tsc - tai_cyc) * 1000600, 1000000);
		struct idle_latency_cross cross;
		s64 wrong;

		cross = idle_latency_cross_between(30000, latched_ns, 31400, 600);
		wrong = idle_latency_project(&cross, tai_cyc, 1000000) - truth;
		KUNIT_EXPECT_LE(test, abs(wrong),
				idle_latency_project_error(&cross, tai_cyc, 1000000));
		KUNIT_EXPECT_LE(test, idle_latency_project_error(&cross, tai_cyc, 1000000),
				720);
	}
}

/*
 * What equation 5 of it is for, TBI in the clock of the card. It is farther from the
 * reading than all else, by the launch distance. The clocks are 100 ppm apart here, and
 * nobody has taken that out.
 */
static void bound_holds_over_a_launch_distance(struct kunit *test)
{
	const u64 latched_ns = 5 * SEC, latched_tsc = 100000000;

	for (u64 away_tsc = 1000; away_tsc <= 50000000; away_tsc *= 7) {
		u64 truth = latched_ns - div_u64(away_tsc * 1000100, 1000000);
		struct idle_latency_cross cross;
		u64 tbi_cyc = latched_tsc - away_tsc;
		s64 wrong;

		cross = idle_latency_cross_between(latched_tsc, latched_ns, latched_tsc, 100);
		wrong = idle_latency_project(&cross, tbi_cyc, 1000000) - truth;
		KUNIT_EXPECT_LE(test, abs(wrong),
				idle_latency_project_error(&cross, tbi_cyc, 1000000));
		/* The 2 ns of rounding and that of the drift are all that is to spare. */
		KUNIT_EXPECT_GE(test, abs(wrong) + 3,
				idle_latency_project_error(&cross, tbi_cyc, 1000000));
	}
}

struct stretch_case {
	const char *name;
	struct idle_latency_cross cross;
	struct idle_latency_cross first;
	u64 anchor_ns;
	u32 khz;
	u64 clock_ns;
	u32 error_cyc;
};

#define FIRST	{ .tsc = 1000, .clock_ns = 5000 * SEC, .error_cyc = 700 }

static const struct stretch_case stretch_cases[] = {
	/* Two errors of 700 cycles in 0.1 s are 14 ppm, and those of 500 us 7 ns. */
	{ "a clock that keeps time", { 100001000, 5000 * SEC + 100000000, 700 }, FIRST,
	  5000 * SEC + 99500000, 1000000, 5000 * SEC + 100000000, 708 },
	{ "100 ppm fast", { 100001000, 5000 * SEC + 100010000, 700 }, FIRST,
	  5000 * SEC + 99509950, 1000000, 5000 * SEC + 100009950, 708 },
	{ "100 ppm slow", { 100001000, 5000 * SEC + 99990000, 700 }, FIRST,
	  5000 * SEC + 99490050, 1000000, 5000 * SEC + 99990050, 707 },
	{ "a fast TSC", { 250001000, 5000 * SEC + 100010000, 700 }, FIRST,
	  5000 * SEC + 99509950, 2500000, 5000 * SEC + 100009950, 708 },
	{ "a day later", { 86400ULL * SEC + 1000, 91400 * SEC + 8640000000, 700 }, FIRST,
	  91400 * SEC + 8639499950, 1000000, 91400 * SEC + 8639999950, 701 },
	{ "the event is due now", { 100001000, 5000 * SEC + 100010000, 700 }, FIRST,
	  5000 * SEC + 100010000, 1000000, 5000 * SEC + 100010000, 700 },
	{ "the event fired early", { 100001000, 5000 * SEC + 100010000, 700 }, FIRST,
	  5000 * SEC + 100020000, 1000000, 5000 * SEC + 100010000, 700 },
	{ "the clock went back", { 100001000, 4000 * SEC, 700 }, FIRST,
	  4000 * SEC - 500000, 1000000, 4000 * SEC, 700 },
	{ "the clock went forward", { 100001000, 6000 * SEC, 700 }, FIRST,
	  6000 * SEC - 500000, 1000000, 6000 * SEC, 700 },
	{ "armed before the first reading", { 100001000, 5000 * SEC + 100000000, 700 }, FIRST,
	  5000 * SEC - 1, 1000000, 5000 * SEC + 100000000, 700 },
	{ "armed at the first reading", { 100001000, 5000 * SEC + 99990000, 700 }, FIRST,
	  5000 * SEC, 1000000, 5000 * SEC + 100000000, 2100 },
	{ "armed as long ago as the TSC says", { 100001000, 5000 * SEC + 100010000, 700 }, FIRST,
	  5000 * SEC + 10000, 1000000, 5000 * SEC + 100000000, 2101 },
	{ "the clock stands still", { 100001000, 5000 * SEC, 700 }, FIRST,
	  5000 * SEC - 100, 1000000, 5000 * SEC, 700 },
	{ "the TSC stands still", { 1000, 5000 * SEC + 100, 700 }, FIRST,
	  5000 * SEC + 50, 1000000, 5000 * SEC + 100, 700 },
};

KUNIT_ARRAY_PARAM_DESC(stretch, stretch_cases, name);

static void stretch(struct kunit *test)
{
	const struct stretch_case *c = test->param_value;
	struct idle_latency_cross cross = c->cross;

	cross.drift_ppm = 600;
	idle_latency_cross_stretch(&cross, &c->first, c->anchor_ns, c->khz);
	KUNIT_EXPECT_EQ(test, cross.tsc, c->cross.tsc);
	KUNIT_EXPECT_EQ(test, cross.clock_ns, c->clock_ns);
	KUNIT_EXPECT_EQ(test, cross.error_cyc, c->error_cyc);
}

/*
 * A clock that is 100 ppm fast: from the event to the reading, an error of 708 cycles and rounding
 * is all. Before the event and after the reading, 600 ppm of the distance to them are added.
 */
static void rate_is_known_since_the_event(struct kunit *test)
{
	const struct idle_latency_cross first = FIRST;
	const u64 read_tsc = 100001000, event_tsc = read_tsc - 500000;
	const u64 event_ns = 5000 * SEC + 99509950;
	struct idle_latency_cross cross = {
		.tsc = read_tsc, .clock_ns = 5000 * SEC + 100010000, .error_cyc = 700,
		.drift_ppm = 600,
	};

	idle_latency_cross_stretch(&cross, &first, event_ns, 1000000);
	for (u64 tai_cyc = event_tsc; tai_cyc <= read_tsc; tai_cyc += 50000) {
		u64 wake_ns = idle_latency_project(&cross, tai_cyc, 1000000) - event_ns;

		KUNIT_EXPECT_EQ(test, wake_ns, tai_cyc - event_tsc);
		KUNIT_EXPECT_EQ(test, idle_latency_project_error(&cross, tai_cyc, 1000000),
				708 + 4);
	}
	KUNIT_EXPECT_EQ(test, idle_latency_project_error(&cross, event_tsc - 1000000, 1000000),
			708 + 4 + 600);
	KUNIT_EXPECT_EQ(test, idle_latency_project_error(&cross, read_tsc + 1000000, 1000000),
			708 + 4 + 600);
}

struct agree_case {
	const char *name;
	struct idle_latency_cross cross;
	bool agrees;
};

static const struct agree_case agree_cases[] = {
	{ "the same time", { 1000, 5000 * SEC, 700, 600 }, true },
	{ "a clock that keeps time", { 100001000, 5000 * SEC + 100000000, 700, 600 }, true },
	/* 600 ppm of 0.1 s are 60 us, and both errors and roundings 1402 ns. */
	{ "as fast as it may be", { 100001000, 5000 * SEC + 100061402, 700, 600 }, true },
	{ "too fast", { 100001000, 5000 * SEC + 100061403, 700, 600 }, false },
	{ "as slow as it may be", { 100001000, 5000 * SEC + 99938598, 700, 600 }, true },
	{ "too slow", { 100001000, 5000 * SEC + 99938597, 700, 600 }, false },
	{ "reset", { 100001000, 90000000, 700, 600 }, false },
	{ "stopped", { 100001000, 5000 * SEC, 700, 600 }, false },
};

KUNIT_ARRAY_PARAM_DESC(agree, agree_cases, name);

static void agree(struct kunit *test)
{
	const struct agree_case *c = test->param_value;
	const struct idle_latency_cross first = FIRST;

	KUNIT_EXPECT_EQ(test, idle_latency_cross_agrees(&c->cross, &first, 1000000),
			c->agrees);
}

static struct kunit_case nic_test_cases[] = {
	KUNIT_CASE_PARAM(time_there_and_back, time_gen_params),
	KUNIT_CASE(no_time),
	KUNIT_CASE(target_carries),
	KUNIT_CASE(the_tightest_is_kept),
	KUNIT_CASE_PARAM(widen, widen_gen_params),
	KUNIT_CASE_PARAM(agree, agree_gen_params),
	KUNIT_CASE_PARAM(stretch, stretch_gen_params),
	KUNIT_CASE(rate_is_known_since_the_event),
	KUNIT_CASE(bound_holds_within_a_read),
	KUNIT_CASE(bound_holds_over_a_launch_distance),
	{}
};

static struct kunit_suite nic_suite = {
	.name = "idle_latency_nic",
	.test_cases = nic_test_cases,
};

kunit_test_suite(nic_suite);
