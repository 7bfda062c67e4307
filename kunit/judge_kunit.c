// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests for the decision whether an event can be believed.
 */
#include <kunit/test.h>
#include <linux/limits.h>

#include <uapi/linux/idle_latency.h>

#include "../math.h"

#define BELIEVED	(-1)

/* 1 cycle is 1 ns, and the clock of the source is the TSC, unless said. */
#define CLOCK	.cross = { .tsc = 100000, .clock_ns = 100000 }, .ltime_ns = 100000
#define RATE	.tsc_khz = 1000000
#define STAMPS(tbi, tai, tintr)	.tbi_tsc = tbi, .tai_tsc = tai, .tintr_tsc = tintr
#define GOOD_STAMPS		STAMPS(60000, 100700, 101200)
/* One idle period, and no interrupt but the event's own. */
#define IDLE	.idle_periods = 1, .irqs = 1
#define EVENT	.tsc_khz = 1000000, CLOCK, GOOD_STAMPS, IDLE

struct judge_case {
	const char *name;
	struct idle_latency_event event;
	int outcome;
	struct idle_latency_times times;
};

static const struct judge_case judge_cases[] = {
	{
		.name = "in order",
		.event = { EVENT },
		.outcome = BELIEVED,
		.times = { 40000, 700, 1200, 2, true },
	}, {
		.name = "several idle periods",
		.event = { CLOCK, RATE, GOOD_STAMPS, .idle_periods = 3, .irqs = 1 },
		.outcome = BELIEVED,
		.times = { 40000, 700, 1200, 2, true },
	}, {
		.name = "a TSC of 2.5 GHz",
		.event = { CLOCK, .tsc_khz = 2500000, GOOD_STAMPS, IDLE },
		.outcome = BELIEVED,
		.times = { 16000, 280, 480, 2, true },
	}, {
		.name = "a clock far from the TSC",
		.event = { .cross = { 101300, 5000001300, 20, 500 },
			   .ltime_ns = 5000000000, RATE, GOOD_STAMPS, IDLE },
		.outcome = BELIEVED,
		.times = { 40000, 700, 1200, 24, true },
	}, {
		.name = "the TSC wraps while idle",
		.event = { .cross = { 50, 100050 }, .ltime_ns = 100000, RATE,
			   STAMPS(-40000ULL, 700, 1200), IDLE },
		.outcome = BELIEVED,
		.times = { 40000, 700, 1200, 2, true },
	}, {
		.name = "no latency at all",
		.event = { CLOCK, RATE, STAMPS(60000, 100000, 100000), IDLE },
		.outcome = BELIEVED,
		.times = { 40000, 0, 0, 2, true },
	}, {
		.name = "handler and exit at the same cycle",
		.event = { CLOCK, RATE, STAMPS(60000, 100700, 100700), IDLE },
		.outcome = BELIEVED,
		.times = { 40000, 700, 700, 2, true },
	}, {
		.name = "interrupts enabled: the handler runs before the exit",
		.event = { CLOCK, RATE, STAMPS(60000, 101900, 100400), IDLE },
		.outcome = BELIEVED,
		.times = { 40000, 0, 400, 2, false },
	}, {
		.name = "interrupts enabled, handler before the event",
		.event = { CLOCK, RATE, STAMPS(60000, 100700, 99999), IDLE },
		.outcome = IDLE_LATENCY_DISCARD_EARLY_INTR,
	}, {
		.name = "the session ended",
		.event = { EVENT, .stopped = true },
		.outcome = IDLE_LATENCY_DISCARD_STOPPED,
	}, {
		.name = "the session ended before anything else happened",
		.event = { .tsc_khz = 1000000, .stopped = true, .other_cpu = true,
			   .other_state = true },
		.outcome = IDLE_LATENCY_DISCARD_STOPPED,
	}, {
		.name = "the source interrupted for something else",
		.event = { EVENT, .spurious = 1 },
		.outcome = IDLE_LATENCY_DISCARD_SPURIOUS,
	}, {
		.name = "the source interrupted for something else only",
		.event = { CLOCK, RATE, GOOD_STAMPS, .spurious = 2, .lost = true },
		.outcome = IDLE_LATENCY_DISCARD_SPURIOUS,
	}, {
		.name = "the launch time had passed, and the event fired",
		.event = { EVENT, .late = true },
		.outcome = IDLE_LATENCY_DISCARD_LATE,
	}, {
		.name = "the launch time had passed, and nothing else is known",
		.event = { RATE, .late = true, .other_cpu = true, .other_state = true },
		.outcome = IDLE_LATENCY_DISCARD_LATE,
	}, {
		.name = "the event did not fire",
		.event = { RATE, .lost = true, .other_cpu = true, .other_state = true },
		.outcome = IDLE_LATENCY_DISCARD_LOST,
	}, {
		.name = "another CPU",
		.event = { EVENT, .other_cpu = true },
		.outcome = IDLE_LATENCY_DISCARD_OTHER_CPU,
	}, {
		.name = "another CPU, and never idle",
		.event = { CLOCK, RATE, GOOD_STAMPS, .other_cpu = true },
		.outcome = IDLE_LATENCY_DISCARD_OTHER_CPU,
	}, {
		.name = "never idle",
		.event = { CLOCK, RATE, GOOD_STAMPS, .other_state = true },
		.outcome = IDLE_LATENCY_DISCARD_NO_IDLE,
	}, {
		.name = "another state",
		.event = { EVENT, .other_state = true, .foreign_timer = true },
		.outcome = IDLE_LATENCY_DISCARD_OTHER_STATE,
	}, {
		.name = "a TSC that is not trusted any more",
		.event = { EVENT, .untrusted_tsc = true, .foreign_timer = true },
		.outcome = IDLE_LATENCY_DISCARD_TSC,
	}, {
		.name = "another timer, even with good stamps",
		.event = { EVENT, .foreign_timer = true },
		.outcome = IDLE_LATENCY_DISCARD_FOREIGN_TIMER,
	}, {
		.name = "another timer woke the CPU before the event",
		.event = { CLOCK, RATE, STAMPS(60000, 90000, 101200), IDLE,
			   .foreign_timer = true },
		.outcome = IDLE_LATENCY_DISCARD_FOREIGN_TIMER,
	}, {
		.name = "another interrupt, even with good stamps",
		.event = { CLOCK, RATE, GOOD_STAMPS, .idle_periods = 1, .irqs = 2 },
		.outcome = IDLE_LATENCY_DISCARD_FOREIGN_IRQ,
	}, {
		.name = "another timer as well as its interrupt",
		.event = { CLOCK, RATE, GOOD_STAMPS, .idle_periods = 1, .irqs = 2,
			   .foreign_timer = true },
		.outcome = IDLE_LATENCY_DISCARD_FOREIGN_TIMER,
	}, {
		.name = "an NMI",
		.event = { EVENT, .nmis = 1, .smis = 1 },
		.outcome = IDLE_LATENCY_DISCARD_NMI,
	}, {
		.name = "an SMI",
		.event = { EVENT, .smis = 1 },
		.outcome = IDLE_LATENCY_DISCARD_SMI,
	}, {
		.name = "idle ends before it begins",
		.event = { CLOCK, RATE, STAMPS(60000, 59999, 101200), IDLE },
		.outcome = IDLE_LATENCY_DISCARD_STAMPS,
	}, {
		.name = "the handler ran before idle began",
		.event = { CLOCK, RATE, STAMPS(60000, 100700, 59999), IDLE },
		.outcome = IDLE_LATENCY_DISCARD_STAMPS,
	}, {
		.name = "the timer had fired when idle began",
		.event = { EVENT, .unarmed = true },
		.outcome = IDLE_LATENCY_DISCARD_BEFORE_IDLE,
	}, {
		.name = "the event is due exactly when idle begins",
		.event = { CLOCK, RATE, STAMPS(100000, 100700, 101200), IDLE },
		.outcome = IDLE_LATENCY_DISCARD_BEFORE_IDLE,
	}, {
		.name = "the event is due one cycle after idle begins",
		.event = { CLOCK, RATE, STAMPS(99999, 100700, 101200), IDLE },
		.outcome = IDLE_LATENCY_DISCARD_BEFORE_IDLE,
	}, {
		.name = "the event is due when the idle instruction is",
		.event = { CLOCK, RATE, STAMPS(98998, 100700, 101200), IDLE },
		.outcome = IDLE_LATENCY_DISCARD_BEFORE_IDLE,
	}, {
		.name = "the event is due one cycle after the idle instruction",
		.event = { CLOCK, RATE, STAMPS(98997, 100700, 101200), IDLE },
		.outcome = BELIEVED,
		.times = { 1003, 700, 1200, 2, true },
	}, {
		/* By 21 ns of the reading, 2 of drift in 2.3 us, and 2 of rounding. */
		.name = "the event may be due when the idle instruction is",
		.event = { .cross = { 101300, 101300, 20, 500 }, .ltime_ns = 100000, RATE,
			   STAMPS(98975, 100700, 101200), IDLE },
		.outcome = IDLE_LATENCY_DISCARD_BEFORE_IDLE,
	}, {
		.name = "the event cannot be due when the idle instruction is",
		.event = { .cross = { 101300, 101300, 20, 500 }, .ltime_ns = 100000, RATE,
			   STAMPS(98974, 100700, 101200), IDLE },
		.outcome = BELIEVED,
		.times = { 1026, 700, 1200, 24, true },
	}, {
		.name = "the event was due before idle began",
		.event = { CLOCK, RATE, STAMPS(100001, 100700, 101200), IDLE },
		.outcome = IDLE_LATENCY_DISCARD_BEFORE_IDLE,
	}, {
		.name = "idle ended one cycle before the event",
		.event = { CLOCK, RATE, STAMPS(60000, 99999, 101200), IDLE },
		.outcome = IDLE_LATENCY_DISCARD_AFTER_IDLE,
	}, {
		.name = "idle ended long before the event",
		.event = { CLOCK, RATE, STAMPS(60000, 97682, 101200), IDLE },
		.outcome = IDLE_LATENCY_DISCARD_AFTER_IDLE,
	}, {
		.name = "woken by another CPU while the event fires",
		.event = { EVENT, .woken = true },
		.outcome = IDLE_LATENCY_DISCARD_WOKEN,
	}, {
		.name = "interrupts enabled: the handler has woken the armer",
		.event = { CLOCK, RATE, STAMPS(60000, 101900, 100400), IDLE, .woken = true },
		.outcome = BELIEVED,
		.times = { 40000, 0, 400, 2, false },
	}, {
		.name = "polling: the handler runs before the exit",
		.event = { CLOCK, RATE, STAMPS(60000, 101900, 100400), IDLE, .polls = true },
		.outcome = BELIEVED,
		.times = { 40000, 0, 400, 2, false },
	}, {
		.name = "polling ends by itself when the event fires",
		.event = { EVENT, .polls = true },
		.outcome = IDLE_LATENCY_DISCARD_AFTER_IDLE,
	}, {
		.name = "exit and handler before the event",
		.event = { CLOCK, RATE, STAMPS(60000, 99000, 99500), IDLE },
		.outcome = IDLE_LATENCY_DISCARD_AFTER_IDLE,
	},
};

KUNIT_ARRAY_PARAM_DESC(judge, judge_cases, name);

static void judge_event(struct kunit *test)
{
	const struct idle_latency_times untouched = { 1, 2, 3, 4, true };
	const struct judge_case *c = test->param_value;
	struct idle_latency_times times = untouched;
	const struct idle_latency_times *expected;

	KUNIT_EXPECT_EQ(test, idle_latency_judge(&c->event, &times), c->outcome);

	expected = c->outcome == BELIEVED ? &c->times : &untouched;
	KUNIT_EXPECT_EQ(test, times.silent_ns, expected->silent_ns);
	KUNIT_EXPECT_EQ(test, times.wake_ns, expected->wake_ns);
	KUNIT_EXPECT_EQ(test, times.intr_ns, expected->intr_ns);
	KUNIT_EXPECT_EQ(test, times.error_ns, expected->error_ns);
	KUNIT_EXPECT_EQ(test, times.wake_valid, expected->wake_valid);
}

/* A reason that no case gives would be a reason that was never tested. */
static void judge_every_reason(struct kunit *test)
{
	unsigned long seen = 0;

	for (int i = 0; i < ARRAY_SIZE(judge_cases); i++) {
		if (judge_cases[i].outcome != BELIEVED)
			seen |= BIT(judge_cases[i].outcome);
	}

	KUNIT_EXPECT_EQ(test, seen, GENMASK(IDLE_LATENCY_DISCARD_MAX - 1, 0));
}

static struct kunit_case judge_test_cases[] = {
	KUNIT_CASE_PARAM(judge_event, judge_gen_params),
	KUNIT_CASE(judge_every_reason),
	{}
};

static struct kunit_suite judge_suite = {
	.name = "idle_latency_judge",
	.test_cases = judge_test_cases,
};

kunit_test_suite(judge_suite);
