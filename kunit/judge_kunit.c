// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests for the decision whether an event can be believed.
 */
#include <kunit/test.h>
#include <linux/limits.h>

#include <uapi/linux/idle_latency.h>

#include "../judge.h"

#define REASON(name)	BIT(IDLE_LATENCY_DISCARD_##name)

/* The reasons that are found from the event, not by those who fill it in. */
#define FOUND	(REASON(NO_IDLE) | REASON(FOREIGN_IRQ) | REASON(WOKEN) | REASON(STAMPS) | \
		 REASON(BEFORE_IDLE) | REASON(AFTER_IDLE) | REASON(EARLY_INTR))

/* 1 cycle is 1 ns, and the clock of the source is the TSC, unless said. */
#define LAUNCH(ns)	.ltime_ns = ns, .ltime_known = true
#define CLOCK	.cross = { .tsc = 100000, .clock_ns = 100000 }, LAUNCH(100000)
#define RATE	.tsc_khz = 1000000
#define ENTRY(ns, tbi, tai, tintr)	.entry_ns = ns, .tbi_cyc = tbi, .tai_cyc = tai, \
					.tintr_cyc = tintr
#define STAMPS(tbi, tai, tintr)		ENTRY(1000, tbi, tai, tintr)
#define GOOD_STAMPS		STAMPS(60000, 100700, 101200)
/* Handled, after one idle period, and no interrupt but the event's own. */
#define IDLE		.handled = true, .idle_periods = 1, .irqs = 1
#define INTERRUPTED	.handled = true, .idle_periods = 1, .irqs = 2
#define NEVER_IDLE	.handled = true, .irqs = 1
#define EVENT		.tsc_khz = 1000000, CLOCK, GOOD_STAMPS

#define WAKE(silent, wake)	.silent_ns = silent, .wake_ns = wake, .wake_valid = true
#define INTR(ns)		.intr_ns = ns, .intr_valid = true
#define LATENCY(ns)		.latency_ns = ns, .latency_valid = true
#define ERROR(ns)		.error_ns = ns
#define GOOD_TIMES		.error_ns = 2, WAKE(40000, 700), INTR(1200), LATENCY(700)

struct judge_case {
	const char *name;
	struct idle_latency_event event;
	u32 reasons;
	struct idle_latency_times times;
};

static const struct judge_case judge_cases[] = {
	{
		.name = "in order",
		.event = { EVENT, IDLE },
		.times = { GOOD_TIMES },
	}, {
		.name = "several idle periods",
		.event = { EVENT, .handled = true, .idle_periods = 3, .irqs = 1 },
		.times = { GOOD_TIMES },
	}, {
		.name = "a TSC of 2.5 GHz",
		.event = { CLOCK, .tsc_khz = 2500000, GOOD_STAMPS, IDLE },
		.times = { WAKE(16000, 280), INTR(480), LATENCY(280), ERROR(2) },
	}, {
		.name = "a clock far from the TSC",
		.event = { .cross = { 101300, 5000001300, 20, 500 }, LAUNCH(5000000000),
			   RATE, GOOD_STAMPS, IDLE },
		.times = { WAKE(40000, 700), INTR(1200), LATENCY(700), ERROR(24) },
	}, {
		.name = "the error is that of the stamp farther from the reading",
		.event = { .cross = { 121200, 121200, 0, 500 }, LAUNCH(100000), RATE,
			   GOOD_STAMPS, IDLE },
		.times = { WAKE(40000, 700), INTR(1200), LATENCY(700), ERROR(13) },
	}, {
		.name = "the handler is farther from the reading",
		.event = { .cross = { 100700, 100700, 0, 500 }, LAUNCH(100000), RATE,
			   STAMPS(60000, 100700, 120700), IDLE },
		.times = { WAKE(40000, 700), INTR(20700), LATENCY(700), ERROR(13) },
	}, {
		.name = "the TSC wraps while idle",
		.event = { .cross = { 50, 100050 }, LAUNCH(100000), RATE,
			   STAMPS(-40000ULL, 700, 1200), IDLE },
		.times = { GOOD_TIMES },
	}, {
		.name = "the TSC wraps after the wake-up",
		.event = { .cross = { 500, 101300 }, LAUNCH(100000), RATE,
			   STAMPS(-40800ULL, -100ULL, 400), IDLE },
		.times = { GOOD_TIMES },
	}, {
		.name = "no latency at all",
		.event = { CLOCK, RATE, STAMPS(60000, 100000, 100000), IDLE },
		.times = { WAKE(40000, 0), INTR(0), LATENCY(0), ERROR(2) },
	}, {
		.name = "handler and exit at the same cycle",
		.event = { CLOCK, RATE, STAMPS(60000, 100700, 100700), IDLE },
		.times = { WAKE(40000, 700), INTR(700), LATENCY(700), ERROR(2) },
	}, {
		.name = "interrupts enabled: the handler runs before the exit",
		.event = { CLOCK, RATE, STAMPS(60000, 101900, 100400), IDLE },
		.times = { INTR(400), LATENCY(400), ERROR(2) },
	}, {
		.name = "interrupts enabled, handler before the event",
		.event = { CLOCK, RATE, STAMPS(60000, 100700, 99999), IDLE },
		.reasons = REASON(EARLY_INTR),
		.times = { ERROR(2) },
	}, {
		.name = "interrupts enabled, another interrupt",
		.event = { CLOCK, RATE, STAMPS(60000, 101900, 100400), INTERRUPTED },
		.reasons = REASON(FOREIGN_IRQ),
		.times = { INTR(400), LATENCY(400), ERROR(2) },
	}, {
		.name = "interrupts enabled, the handler as the event fires",
		.event = { CLOCK, RATE, STAMPS(60000, 100001, 100000), IDLE },
		.times = { INTR(0), LATENCY(0), ERROR(2) },
	}, {
		.name = "the event is due on the way to the idle instruction",
		.event = { CLOCK, RATE, STAMPS(99500, 120116, 120600), IDLE },
		.reasons = REASON(BEFORE_IDLE),
		.times = { WAKE(500, 20116), INTR(20600), LATENCY(19616), ERROR(2) },
	}, {
		.name = "interrupts enabled, the event was due before idle began",
		.event = { CLOCK, RATE, STAMPS(130000, 130900, 130400), IDLE },
		.reasons = REASON(BEFORE_IDLE),
		.times = { INTR(30400), LATENCY(0), ERROR(2) },
	}, {
		.name = "interrupts enabled, no launch time",
		.event = { RATE, STAMPS(130000, 130900, 130400), IDLE,
			   .reasons = REASON(BEFORE_IDLE) },
		.reasons = REASON(BEFORE_IDLE),
		.times = { LATENCY(0) },
	}, {
		.name = "the session ended, and nothing is known",
		.event = { RATE, .reasons = REASON(STOPPED) },
		.reasons = REASON(STOPPED),
	}, {
		.name = "not handled, whatever else is known",
		.event = { RATE, CLOCK, STAMPS(100001, 99000, 99500), .irqs = 5,
			   .need_resched = true, .polls = true, .reasons = REASON(LOST) },
		.reasons = REASON(LOST),
	}, {
		.name = "not handled, in an idle period that went well",
		.event = { EVENT, .idle_periods = 1, .irqs = 1,
			   .reasons = REASON(SPURIOUS) | REASON(LOST) },
		.reasons = REASON(SPURIOUS) | REASON(LOST),
	}, {
		.name = "never idle",
		.event = { EVENT, NEVER_IDLE },
		.reasons = REASON(NO_IDLE),
	}, {
		.name = "never idle, and handled on another CPU",
		.event = { EVENT, NEVER_IDLE, .reasons = REASON(OTHER_CPU) },
		.reasons = REASON(OTHER_CPU) | REASON(NO_IDLE),
	}, {
		.name = "never idle, and no stamps",
		.event = { RATE, STAMPS(1, 0, 0), NEVER_IDLE },
		.reasons = REASON(NO_IDLE),
	}, {
		.name = "never idle, and interrupts since nobody knows when",
		.event = { EVENT, .handled = true, .irqs = 1000, .need_resched = true },
		.reasons = REASON(NO_IDLE),
	}, {
		.name = "another timer woke the CPU before the event",
		.event = { CLOCK, RATE, STAMPS(60000, 90000, 101200), IDLE,
			   .reasons = REASON(FOREIGN_TIMER) },
		.reasons = REASON(FOREIGN_TIMER) | REASON(AFTER_IDLE),
		.times = { INTR(1200), ERROR(2) },
	}, {
		.name = "another timer as well as its interrupt",
		.event = { EVENT, INTERRUPTED, .reasons = REASON(FOREIGN_TIMER) },
		.reasons = REASON(FOREIGN_TIMER) | REASON(FOREIGN_IRQ),
		.times = { GOOD_TIMES },
	}, {
		.name = "another interrupt, even with good stamps",
		.event = { EVENT, INTERRUPTED },
		.reasons = REASON(FOREIGN_IRQ),
		.times = { GOOD_TIMES },
	}, {
		.name = "another interrupt, and a wake-up of 5 ms",
		.event = { CLOCK, RATE, STAMPS(60000, 5100000, 5100500), INTERRUPTED },
		.reasons = REASON(FOREIGN_IRQ),
		.times = { WAKE(40000, 5000000), INTR(5000500), LATENCY(5000000), ERROR(2) },
	}, {
		.name = "an NMI and an SMI, and a wake-up of 20 ms",
		.event = { CLOCK, RATE, STAMPS(60000, 20100000, 20100500), IDLE,
			   .reasons = REASON(NMI) | REASON(SMI) },
		.reasons = REASON(NMI) | REASON(SMI),
		.times = { WAKE(40000, 20000000), INTR(20000500), LATENCY(20000000), ERROR(2) },
	}, {
		.name = "idle ends before it begins",
		.event = { CLOCK, RATE, STAMPS(60000, 59999, 101200), IDLE },
		.reasons = REASON(STAMPS),
	}, {
		.name = "idle ends when it begins, and long before the event",
		.event = { CLOCK, RATE, STAMPS(60000, 60000, 101200), IDLE },
		.reasons = REASON(AFTER_IDLE),
		.times = { INTR(1200), ERROR(2) },
	}, {
		.name = "the handler ran before idle began",
		.event = { CLOCK, RATE, STAMPS(60000, 100700, 59999), IDLE },
		.reasons = REASON(STAMPS),
	}, {
		.name = "the handler ran when idle began",
		.event = { CLOCK, RATE, STAMPS(60000, 100700, 60000), IDLE },
		.reasons = REASON(EARLY_INTR),
		.times = { ERROR(2) },
	}, {
		.name = "wrong stamps as well as another interrupt",
		.event = { CLOCK, RATE, STAMPS(60000, 59999, 101200), INTERRUPTED },
		.reasons = REASON(FOREIGN_IRQ) | REASON(STAMPS),
	}, {
		.name = "wrong stamps, and no launch time",
		.event = { RATE, STAMPS(60000, 59999, 101200), IDLE,
			   .reasons = REASON(BEFORE_IDLE) },
		.reasons = REASON(STAMPS) | REASON(BEFORE_IDLE),
	}, {
		.name = "the timer had fired when idle began: no launch time",
		.event = { RATE, GOOD_STAMPS, IDLE, .reasons = REASON(BEFORE_IDLE) },
		.reasons = REASON(BEFORE_IDLE),
		.times = { LATENCY(39700) },
	}, {
		.name = "no launch time, and a TSC of 2.5 GHz that wraps",
		.event = { .tsc_khz = 2500000, STAMPS(-5000ULL, 5000, 6000), IDLE,
			   .reasons = REASON(BEFORE_IDLE) },
		.reasons = REASON(BEFORE_IDLE),
		.times = { LATENCY(3000) },
	}, {
		.name = "no launch time, and a TSC that is about to wrap",
		.event = { RATE, STAMPS(-5000ULL, -1000ULL, -500ULL), IDLE,
			   .reasons = REASON(BEFORE_IDLE) },
		.reasons = REASON(BEFORE_IDLE),
		.times = { LATENCY(3000) },
	}, {
		.name = "no launch time, and another interrupt",
		.event = { RATE, GOOD_STAMPS, INTERRUPTED, .reasons = REASON(BEFORE_IDLE) },
		.reasons = REASON(FOREIGN_IRQ) | REASON(BEFORE_IDLE),
		.times = { LATENCY(39700) },
	}, {
		.name = "the event is due exactly when idle begins",
		.event = { CLOCK, RATE, STAMPS(100000, 100700, 101200), IDLE },
		.reasons = REASON(BEFORE_IDLE),
		.times = { WAKE(0, 700), INTR(1200), LATENCY(0), ERROR(2) },
	}, {
		.name = "the event is due when idle begins, and pending for less than a ns",
		.event = { CLOCK, .tsc_khz = 3000000, STAMPS(100001, 103003, 103006), IDLE },
		.reasons = REASON(BEFORE_IDLE),
		.times = { WAKE(0, 1001), INTR(1002), LATENCY(0), ERROR(2) },
	}, {
		.name = "the event is due one cycle after idle begins",
		.event = { CLOCK, RATE, STAMPS(99999, 100700, 101200), IDLE },
		.reasons = REASON(BEFORE_IDLE),
		.times = { WAKE(1, 700), INTR(1200), LATENCY(0), ERROR(2) },
	}, {
		.name = "the event is due when the idle instruction is",
		.event = { CLOCK, RATE, STAMPS(98998, 100700, 101200), IDLE },
		.reasons = REASON(BEFORE_IDLE),
		.times = { WAKE(1002, 700), INTR(1200), LATENCY(700), ERROR(2) },
	}, {
		.name = "the event is due one cycle after the idle instruction",
		.event = { CLOCK, RATE, STAMPS(98997, 100700, 101200), IDLE },
		.times = { WAKE(1003, 700), INTR(1200), LATENCY(700), ERROR(2) },
	}, {
		/* By 21 ns of the reading, 2 of drift in 2.3 us, and 2 of rounding. */
		.name = "the event may be due when the idle instruction is",
		.event = { .cross = { 101300, 101300, 20, 500 }, LAUNCH(100000), RATE,
			   STAMPS(98975, 100700, 101200), IDLE },
		.reasons = REASON(BEFORE_IDLE),
		.times = { WAKE(1025, 700), INTR(1200), LATENCY(700), ERROR(24) },
	}, {
		.name = "the event cannot be due when the idle instruction is",
		.event = { .cross = { 101300, 101300, 20, 500 }, LAUNCH(100000), RATE,
			   STAMPS(98974, 100700, 101200), IDLE },
		.times = { WAKE(1026, 700), INTR(1200), LATENCY(700), ERROR(24) },
	}, {
		.name = "the idle instruction comes later",
		.event = { CLOCK, RATE, ENTRY(1001, 98997, 100700, 101200), IDLE },
		.reasons = REASON(BEFORE_IDLE),
		.times = { WAKE(1003, 700), INTR(1200), LATENCY(700), ERROR(2) },
	}, {
		.name = "the idle instruction comes at once",
		.event = { CLOCK, RATE, ENTRY(0, 99997, 100700, 101200), IDLE },
		.times = { WAKE(3, 700), INTR(1200), LATENCY(700), ERROR(2) },
	}, {
		.name = "the event was due before idle began",
		.event = { CLOCK, RATE, STAMPS(100001, 100700, 101200), IDLE },
		.reasons = REASON(BEFORE_IDLE),
		.times = { INTR(1200), LATENCY(0), ERROR(2) },
	}, {
		.name = "the event was due long before idle, which took 5 ms",
		.event = { CLOCK, RATE, STAMPS(800000, 5800000, 5800500), IDLE },
		.reasons = REASON(BEFORE_IDLE),
		.times = { INTR(5700500), LATENCY(4999000), ERROR(2) },
	}, {
		.name = "idle ended one cycle before the event",
		.event = { CLOCK, RATE, STAMPS(60000, 99999, 101200), IDLE },
		.reasons = REASON(AFTER_IDLE),
		.times = { INTR(1200), ERROR(2) },
	}, {
		.name = "idle ended long before the event",
		.event = { CLOCK, RATE, STAMPS(60000, 97682, 101200), IDLE },
		.reasons = REASON(AFTER_IDLE),
		.times = { INTR(1200), ERROR(2) },
	}, {
		.name = "woken by another CPU while the event fires",
		.event = { EVENT, IDLE, .need_resched = true },
		.reasons = REASON(WOKEN),
		.times = { GOOD_TIMES },
	}, {
		.name = "woken by another CPU as the handler runs",
		.event = { CLOCK, RATE, STAMPS(60000, 100700, 100700), IDLE, .need_resched = true },
		.reasons = REASON(WOKEN),
		.times = { WAKE(40000, 700), INTR(700), LATENCY(700), ERROR(2) },
	}, {
		.name = "interrupts enabled: the handler has woken the armer",
		.event = { CLOCK, RATE, STAMPS(60000, 101900, 100400), IDLE, .need_resched = true },
		.times = { INTR(400), LATENCY(400), ERROR(2) },
	}, {
		.name = "polling: the handler runs before the exit",
		.event = { CLOCK, RATE, STAMPS(60000, 101900, 100400), IDLE, .polls = true },
		.times = { INTR(400), LATENCY(400), ERROR(2) },
	}, {
		.name = "polling ends by itself when the event fires",
		.event = { EVENT, IDLE, .polls = true },
		.reasons = REASON(AFTER_IDLE),
		.times = { INTR(1200), ERROR(2) },
	}, {
		.name = "exit and handler before the event",
		.event = { CLOCK, RATE, STAMPS(60000, 99000, 99500), IDLE },
		.reasons = REASON(AFTER_IDLE) | REASON(EARLY_INTR),
		.times = { ERROR(2) },
	}, {
		.name = "all that can be wrong with an idle period",
		.event = { CLOCK, RATE, STAMPS(99500, 99700, 99800), INTERRUPTED,
			   .need_resched = true, .reasons = REASON(SMI) },
		.reasons = REASON(FOREIGN_IRQ) | REASON(SMI) | REASON(WOKEN) |
			   REASON(BEFORE_IDLE) | REASON(AFTER_IDLE) | REASON(EARLY_INTR),
		.times = { ERROR(2) },
	},
};

KUNIT_ARRAY_PARAM_DESC(judge, judge_cases, name);

static void expect_times(struct kunit *test, const struct idle_latency_times *times,
			 const struct idle_latency_times *expected)
{
	KUNIT_EXPECT_EQ(test, times->silent_ns, expected->silent_ns);
	KUNIT_EXPECT_EQ(test, times->wake_ns, expected->wake_ns);
	KUNIT_EXPECT_EQ(test, times->intr_ns, expected->intr_ns);
	KUNIT_EXPECT_EQ(test, times->error_ns, expected->error_ns);
	KUNIT_EXPECT_EQ(test, times->latency_ns, expected->latency_ns);
	KUNIT_EXPECT_EQ(test, times->wake_valid, expected->wake_valid);
	KUNIT_EXPECT_EQ(test, times->intr_valid, expected->intr_valid);
	KUNIT_EXPECT_EQ(test, times->latency_valid, expected->latency_valid);
	KUNIT_EXPECT_EQ(test, times->pending, expected->pending);
}

/* What was in the times before must be gone. */
static void judge_event(struct kunit *test)
{
	const struct judge_case *c = test->param_value;
	struct idle_latency_times times = { 1, 2, 3, 4, 5, true, true, true, true };

	KUNIT_EXPECT_EQ(test, idle_latency_judge(&c->event, &times), c->reasons);
	expect_times(test, &times, &c->times);
}

/* A reason that no case gives would be a reason that was never tested. */
static void judge_every_reason(struct kunit *test)
{
	u32 seen = 0;

	for (int i = 0; i < ARRAY_SIZE(judge_cases); i++)
		seen |= judge_cases[i].reasons & ~judge_cases[i].event.reasons;

	KUNIT_EXPECT_EQ(test, seen, FOUND);
}

/* What others have found stays, and changes nothing else. BEFORE_IDLE comes from both. */
static void judge_passes_reasons_on(struct kunit *test)
{
	const u32 given = GENMASK(IDLE_LATENCY_DISCARD_MAX - 1, 0) & ~FOUND;
	const struct idle_latency_times good = { GOOD_TIMES }, none = {};

	for (int i = 0; i < IDLE_LATENCY_DISCARD_MAX; i++) {
		u32 reason = BIT(i) & (given | REASON(BEFORE_IDLE));
		struct idle_latency_event event = { EVENT, IDLE, .reasons = reason };
		struct idle_latency_times times;

		KUNIT_EXPECT_EQ(test, idle_latency_judge(&event, &times), reason);
		expect_times(test, &times, &good);

		event.handled = false;
		KUNIT_EXPECT_EQ(test, idle_latency_judge(&event, &times), reason);
		expect_times(test, &times, &none);
	}
}

/* A timer that was pending when idle began has ended that, unless it is the event. */
static void judge_pending_timer(struct kunit *test)
{
	const struct idle_latency_event timer = {
		EVENT, IDLE, .own_timer = true, .timer_later = true, .timer_irqs = 1,
		.timer_pending = true,
	};
	struct idle_latency_event event = timer;
	struct idle_latency_times times;

	KUNIT_EXPECT_EQ(test, idle_latency_judge(&event, &times), REASON(FOREIGN_TIMER));

	event.irqs = 2;
	event.timer_irqs = 2;
	KUNIT_EXPECT_EQ(test, idle_latency_judge(&event, &times),
			REASON(FOREIGN_TIMER) | REASON(FOREIGN_IRQ));

	event = timer;
	event.tbi_cyc = 100000;
	KUNIT_EXPECT_EQ(test, idle_latency_judge(&event, &times), REASON(BEFORE_IDLE));

	event.tbi_cyc = 99999;
	KUNIT_EXPECT_EQ(test, idle_latency_judge(&event, &times),
			REASON(FOREIGN_TIMER) | REASON(BEFORE_IDLE));

	event = timer;
	event.own_timer = false;
	KUNIT_EXPECT_EQ(test, idle_latency_judge(&event, &times), 0);

	event.irqs = 2;
	KUNIT_EXPECT_EQ(test, idle_latency_judge(&event, &times), REASON(FOREIGN_IRQ));
}

struct pending_case {
	const char *name;
	struct idle_latency_event event;
	bool pending;
};

/* The event was due when idle began. */
#define DUE	.tsc_khz = 1000000, CLOCK, STAMPS(100000, 100700, 101200), IDLE

static const struct pending_case pending_cases[] = {
	{ "the timer", { DUE, .own_timer = true, .timer_pending = true }, true },
	{ "the card", { DUE, .event_pending = true }, true },
	{ "nothing", { DUE, .own_timer = true }, false },
	{ "the card, and the event is one of the timer",
	  { DUE, .own_timer = true, .event_pending = true }, false },
	{ "the timer, and the event is one of the card", { DUE, .timer_pending = true }, false },
	{ "another timer, as the event was not due",
	  { CLOCK, RATE, STAMPS(99999, 100700, 101200), IDLE, .own_timer = true,
	    .timer_pending = true }, false },
	{ "the timer, and the deadline is gone",
	  { RATE, GOOD_STAMPS, IDLE, .reasons = REASON(BEFORE_IDLE), .own_timer = true,
	    .timer_pending = true }, true },
	{ "the same without a reason", { RATE, GOOD_STAMPS, IDLE, .own_timer = true,
					 .timer_pending = true }, false },
	{ "interrupts enabled: the handler is between the stamps",
	  { CLOCK, RATE, STAMPS(130000, 130900, 130400), IDLE, .own_timer = true,
	    .timer_pending = true }, false },
	{ "stamps that contradict each other",
	  { CLOCK, RATE, STAMPS(130000, 129000, 130400), IDLE, .own_timer = true,
	    .timer_pending = true, .reasons = REASON(BEFORE_IDLE) }, false },
};

KUNIT_ARRAY_PARAM_DESC(pending, pending_cases, name);

static void judge_pending(struct kunit *test)
{
	const struct pending_case *c = test->param_value;
	struct idle_latency_times times;

	idle_latency_judge(&c->event, &times);
	KUNIT_EXPECT_EQ(test, times.pending, c->pending);
}

struct irqs_case {
	const char *name;
	bool own_timer;
	bool timer_later;
	u32 irqs;
	u32 timer_irqs;
	bool foreign;
	bool no_interrupt;
};

static const struct irqs_case irqs_cases[] = {
	{ "card: itself only", false, true, 1, 0, false },
	{ "card: the timer was later", false, true, 2, 1, false },
	{ "card: the timer was later, twice", false, true, 3, 2, false },
	{ "card: another device", false, true, 2, 0, true },
	{ "card: another device and the later timer", false, true, 3, 1, true },
	{ "card: the timer may have been first, and was not there", false, false, 1, 0, false },
	{ "card: the timer may have been first", false, false, 2, 1, true },
	{ "card: another device, and the timer may have been first", false, false, 2, 0, true },
	{ "timer: itself only", true, true, 1, 1, false },
	{ "timer: once more", true, true, 2, 2, false },
	{ "timer: another device", true, true, 2, 1, true },
	{ "timer: another device, and the timer once more", true, true, 3, 2, true },
	{ "timer: another device makes it", true, true, 1, 0, false },
	{ "timer: another device makes it, and one more", true, true, 2, 0, true },
	{ "timer: another was first, in the same interrupt", true, false, 1, 1, false },
	{ "timer: another was first", true, false, 2, 2, true },
	{ "timer: another may be first, and another device", true, false, 2, 1, true },
	{ "write: nothing", false, true, 0, 0, false, true },
	{ "write: the timer was later", false, true, 1, 1, false, true },
	{ "write: the timer may have been first", false, false, 1, 1, true, true },
	{ "write: a device, or an interrupt instead of the write", false, true, 1, 0, true, true },
};

KUNIT_ARRAY_PARAM_DESC(irqs, irqs_cases, name);

static void judge_irqs(struct kunit *test)
{
	const struct irqs_case *c = test->param_value;
	const struct idle_latency_times good = { GOOD_TIMES };
	struct idle_latency_event event = {
		EVENT,
		.handled = true,
		.idle_periods = 1,
		.irqs = c->irqs,
		.own_timer = c->own_timer,
		.no_interrupt = c->no_interrupt,
		.timer_later = c->timer_later,
		.timer_irqs = c->timer_irqs,
	};
	struct idle_latency_times times;

	KUNIT_EXPECT_EQ(test, idle_latency_judge(&event, &times),
			c->foreign ? REASON(FOREIGN_IRQ) : 0);
	expect_times(test, &times, &good);
}

static struct kunit_case judge_test_cases[] = {
	KUNIT_CASE_PARAM(judge_event, judge_gen_params),
	KUNIT_CASE(judge_every_reason),
	KUNIT_CASE(judge_passes_reasons_on),
	KUNIT_CASE(judge_pending_timer),
	KUNIT_CASE_PARAM(judge_pending, pending_gen_params),
	KUNIT_CASE_PARAM(judge_irqs, irqs_gen_params),
	{}
};

static struct kunit_suite judge_suite = {
	.name = "idle_latency_judge",
	.test_cases = judge_test_cases,
};

kunit_test_suite(judge_suite);
