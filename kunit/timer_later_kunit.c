// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests for the order of an event and the timer of the CPU.
 */
#include <kunit/test.h>
#include <linux/ktime.h>
#include <linux/limits.h>

#include "../judge.h"

/* LTime on CLOCK_MONOTONIC, in all cases. */
#define LTIME	5000000000ULL

struct timer_later_case {
	const char *name;
	u32 khz;
	struct idle_latency_cross cross;
	struct idle_latency_cross monotonic;
	u64 ltime_ns;
	u64 tai_cyc;
	u64 timer_ns;
	bool later;
};

/* 1 cycle is 1 ns, and the clock of the event is the TSC, 4999900000 ns behind. */
#define RATE		1000000
#define TSC		{ 100000, 100000 }
#define MONOTONIC	{ 101300, LTIME + 1300 }

static const struct timer_later_case timer_later_cases[] = {
	/* Each conversion loses up to 1 ns, and there are two of each clock. */
	{ "due with the event", RATE, TSC, MONOTONIC, 100000, 100700, LTIME, false },
	{ "may be due with the event", RATE, TSC, MONOTONIC, 100000, 100700, LTIME + 4, false },
	{ "due after the event", RATE, TSC, MONOTONIC, 100000, 100700, LTIME + 5, true },
	{ "due before the event", RATE, TSC, MONOTONIC, 100000, 100700, LTIME - 5, false },
	{ "due between the event and the wake-up", RATE, TSC, MONOTONIC, 100000, 100700,
	  LTIME + 350, true },
	{ "due a second later", RATE, TSC, MONOTONIC, 100000, 100700, LTIME + 1000000000, true },
	{ "no timer at all", RATE, TSC, MONOTONIC, 100000, 100700, KTIME_MAX, true },
	{ "never programmed", RATE, TSC, MONOTONIC, 100000, 100700, 0, false },
	{ "idle ended before the event, due with it", RATE, TSC, MONOTONIC, 100000, 90000,
	  LTIME + 4, false },
	{ "idle ended before the event, due after it", RATE, TSC, MONOTONIC, 100000, 90000,
	  LTIME + 5, true },
	/*
	 * CLOCK_MONOTONIC: 21 ns of the reading, 1 of drift in 600 ns, 2 of rounding. The
	 * clock of the event: 11, 1 in 700 ns, 2. Both apart in the 700 ns to LTime: 1.
	 */
	{ "within the errors", RATE, { 100000, 700000, 10, 25 },
	  { 101300, LTIME + 1300, 20, 500 }, 700000, 100700, LTIME + 39, false },
	{ "beyond the errors", RATE, { 100000, 700000, 10, 25 },
	  { 101300, LTIME + 1300, 20, 500 }, 700000, 100700, LTIME + 40, true },
	{ "within the error of the event's clock", RATE, { 100000, 700000, 1000 }, MONOTONIC,
	  700000, 100700, LTIME + 1005, false },
	{ "beyond the error of the event's clock", RATE, { 100000, 700000, 1000 }, MONOTONIC,
	  700000, 100700, LTIME + 1006, true },
	{ "within the error of the monotonic clock", RATE, TSC,
	  { 101300, LTIME + 1300, 1000 }, 100000, 100700, LTIME + 1005, false },
	{ "beyond the error of the monotonic clock", RATE, TSC,
	  { 101300, LTIME + 1300, 1000 }, 100000, 100700, LTIME + 1006, true },
	{ "earlier by less than the errors", RATE, { 100000, 700000, 1000 }, MONOTONIC,
	  700000, 100700, LTIME - 1, false },
	/* Read at TAI: 3 each. 525 ppm of the 5 ms to LTime: 2626. */
	{ "a wake-up of 5 ms, within the drift", RATE, { 5100000, 5100000, 0, 25 },
	  { 5100000, LTIME + 5000000, 0, 500 }, 100000, 5100000, LTIME + 2632, false },
	{ "a wake-up of 5 ms, beyond the drift", RATE, { 5100000, 5100000, 0, 25 },
	  { 5100000, LTIME + 5000000, 0, 500 }, 100000, 5100000, LTIME + 2633, true },
	/* 3 and 2, and 501 in the 1 ms. */
	{ "idle ended 1 ms before the event, within the drift", RATE, { 100000, 100000 },
	  { 100000, LTIME - 1000000, 0, 500 }, 1100000, 100000, LTIME + 506, false },
	{ "idle ended 1 ms before the event, beyond the drift", RATE, { 100000, 100000 },
	  { 100000, LTIME - 1000000, 0, 500 }, 1100000, 100000, LTIME + 507, true },
	{ "no timer at all, and a useless clock", RATE, { 100000, 700000, U32_MAX }, MONOTONIC,
	  700000, 100700, KTIME_MAX, true },
	/* 100000 cycles are 40 us. */
	{ "2.5 GHz, may be due with the event", 2500000, { 100000, 100000 },
	  { 200000, LTIME + 40000 }, 100000, 101750, LTIME + 4, false },
	{ "2.5 GHz, due after the event", 2500000, { 100000, 100000 },
	  { 200000, LTIME + 40000 }, 100000, 101750, LTIME + 5, true },
	{ "the TSC wraps after the event, due with it", RATE, { -300ULL, 100000 },
	  { 1000, LTIME + 1300 }, 100000, 400, LTIME + 4, false },
	{ "the TSC wraps after the event, due after it", RATE, { -300ULL, 100000 },
	  { 1000, LTIME + 1300 }, 100000, 400, LTIME + 5, true },
	{ "the TSC wraps after the wake-up, due with the event", RATE, { -300ULL, 100000 },
	  { 1000, LTIME + 1300 }, 100000, -100ULL, LTIME + 4, false },
	{ "the TSC wraps after the wake-up, due after the event", RATE, { -300ULL, 100000 },
	  { 1000, LTIME + 1300 }, 100000, -100ULL, LTIME + 5, true },
};

KUNIT_ARRAY_PARAM_DESC(timer_later, timer_later_cases, name);

static void timer_is_later(struct kunit *test)
{
	const struct timer_later_case *c = test->param_value;
	const struct idle_latency_event event = {
		.cross = c->cross,
		.tsc_khz = c->khz,
		.ltime_ns = c->ltime_ns,
		.tai_cyc = c->tai_cyc,
		.ltime_known = true,
		.handled = true,
	};

	KUNIT_EXPECT_EQ(test, idle_latency_timer_is_later(&event, &c->monotonic, c->timer_ns),
			c->later);
}

static struct kunit_case timer_later_test_cases[] = {
	KUNIT_CASE_PARAM(timer_is_later, timer_later_gen_params),
	{}
};

static struct kunit_suite timer_later_suite = {
	.name = "idle_latency_timer_later",
	.test_cases = timer_later_test_cases,
};

kunit_test_suite(timer_later_suite);
