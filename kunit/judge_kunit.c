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
#define EVENT						\
	.cross = { .tsc = 100000, .clock_ns = 100000 },	\
	.tsc_khz = 1000000,				\
	.ltime_ns = 100000,				\
	.tbi_tsc = 60000,				\
	.tai_tsc = 100700,				\
	.tintr_tsc = 101200,				\
	.idle_periods = 1,				\
	.irqs = 1

struct judge_case {
	const char *name;
	struct idle_latency_event event;
	int outcome;
	struct idle_latency_times times;
};

/* Each overrides single members of EVENT, which is what is being tested. */
__diag_push();
__diag_ignore_all("-Woverride-init", "cases differ from EVENT in single members");
__diag_ignore(clang, 13, "-Winitializer-overrides", "as above");

static const struct judge_case judge_cases[] = {
	{
		.name = "in order",
		.event = { EVENT },
		.outcome = BELIEVED,
		.times = { 40000, 700, 1200, 2, true },
	}, {
		.name = "several idle periods",
		.event = { EVENT, .idle_periods = 3 },
		.outcome = BELIEVED,
		.times = { 40000, 700, 1200, 2, true },
	}, {
		.name = "a TSC of 2.5 GHz",
		.event = { EVENT, .tsc_khz = 2500000 },
		.outcome = BELIEVED,
		.times = { 16000, 280, 480, 2, true },
	}, {
		.name = "a clock far from the TSC",
		.event = { EVENT, .cross = { 101300, 5000001300, 20, 500 },
			   .ltime_ns = 5000000000 },
		.outcome = BELIEVED,
		.times = { 40000, 700, 1200, 24, true },
	}, {
		.name = "the TSC wraps while idle",
		.event = { EVENT, .cross = { 50, 100050 }, .tbi_tsc = -40000ULL,
			   .tai_tsc = 700, .tintr_tsc = 1200 },
		.outcome = BELIEVED,
		.times = { 40000, 700, 1200, 2, true },
	}, {
		.name = "no latency at all",
		.event = { EVENT, .tai_tsc = 100000, .tintr_tsc = 100000 },
		.outcome = BELIEVED,
		.times = { 40000, 0, 0, 2, true },
	}, {
		.name = "handler and exit at the same cycle",
		.event = { EVENT, .tintr_tsc = 100700 },
		.outcome = BELIEVED,
		.times = { 40000, 700, 700, 2, true },
	}, {
		.name = "interrupts enabled: the handler runs before the exit",
		.event = { EVENT, .tintr_tsc = 100400, .tai_tsc = 101900 },
		.outcome = BELIEVED,
		.times = { 40000, 0, 400, 2, false },
	}, {
		.name = "interrupts enabled, handler before the event",
		.event = { EVENT, .tintr_tsc = 99999 },
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
		.name = "another CPU",
		.event = { EVENT, .other_cpu = true },
		.outcome = IDLE_LATENCY_DISCARD_OTHER_CPU,
	}, {
		.name = "another CPU, and never idle",
		.event = { EVENT, .other_cpu = true, .idle_periods = 0 },
		.outcome = IDLE_LATENCY_DISCARD_OTHER_CPU,
	}, {
		.name = "never idle",
		.event = { EVENT, .idle_periods = 0, .other_state = true },
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
		.event = { EVENT, .foreign_timer = true, .tai_tsc = 90000 },
		.outcome = IDLE_LATENCY_DISCARD_FOREIGN_TIMER,
	}, {
		.name = "another interrupt, even with good stamps",
		.event = { EVENT, .irqs = 2 },
		.outcome = IDLE_LATENCY_DISCARD_FOREIGN_IRQ,
	}, {
		.name = "another timer as well as its interrupt",
		.event = { EVENT, .foreign_timer = true, .irqs = 2 },
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
		.event = { EVENT, .tai_tsc = 59999 },
		.outcome = IDLE_LATENCY_DISCARD_STAMPS,
	}, {
		.name = "the handler ran before idle began",
		.event = { EVENT, .tintr_tsc = 59999 },
		.outcome = IDLE_LATENCY_DISCARD_STAMPS,
	}, {
		.name = "the timer had fired when idle began",
		.event = { EVENT, .unarmed = true },
		.outcome = IDLE_LATENCY_DISCARD_BEFORE_IDLE,
	}, {
		.name = "the event is due exactly when idle begins",
		.event = { EVENT, .tbi_tsc = 100000 },
		.outcome = IDLE_LATENCY_DISCARD_BEFORE_IDLE,
	}, {
		.name = "the event is due one cycle after idle begins",
		.event = { EVENT, .tbi_tsc = 99999 },
		.outcome = BELIEVED,
		.times = { 1, 700, 1200, 2, true },
	}, {
		.name = "the event was due before idle began",
		.event = { EVENT, .tbi_tsc = 100001 },
		.outcome = IDLE_LATENCY_DISCARD_BEFORE_IDLE,
	}, {
		.name = "idle ended one cycle before the event",
		.event = { EVENT, .tai_tsc = 99999 },
		.outcome = IDLE_LATENCY_DISCARD_AFTER_IDLE,
	}, {
		.name = "idle ended long before the event",
		.event = { EVENT, .tai_tsc = 97682 },
		.outcome = IDLE_LATENCY_DISCARD_AFTER_IDLE,
	}, {
		.name = "exit and handler before the event",
		.event = { EVENT, .tai_tsc = 99000, .tintr_tsc = 99500 },
		.outcome = IDLE_LATENCY_DISCARD_AFTER_IDLE,
	},
};

__diag_pop();

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
