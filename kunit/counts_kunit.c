// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests for the counts of a session: what becomes of an event, and how a
 * session ends.
 */
#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/cpumask.h>

#include "fake_machine.h"

struct reason_case {
	const char *name;
	u32 reasons;
	struct fake_event event;
	u32 state_flags;
	bool no_record;
};

static const struct reason_case reason_cases[] = {
	{ "nothing", 0 },
	{ "spurious interrupt", REASON(SPURIOUS), { .reasons = REASON(SPURIOUS) } },
	{ "armed too late", REASON(LATE), { .outcome = FAKE_LATE }, .no_record = true },
	{ "armed too late, and handled", REASON(LATE), { .outcome = FAKE_LATE_FIRES } },
	{ "lost", REASON(LOST), { .outcome = FAKE_LOST }, .no_record = true },
	{ "another CPU", REASON(OTHER_CPU), { .cpu = 1 } },
	{ "no idle period", REASON(NO_IDLE), { .periods = -1 } },
	{ "two idle periods", 0, { .periods = 1 } },
	{ "the tracepoint tells of another state", REASON(OTHER_STATE), { .state = -1 } },
	{ "another state was asked for", REASON(OTHER_STATE), { .requested = 1 } },
	{ "another state was entered", REASON(OTHER_STATE), { .entered = -1 } },
	{ "the state was rejected", REASON(OTHER_STATE), { .entered = -1 - FAKE_STATE } },
	{ "a governor was asked", REASON(OTHER_STATE), { .unforced = true } },
	{ "another idle period", REASON(OTHER_STATE), { .overwritten = true } },
	{ "unstable TSC", REASON(TSC), { .unstable = true } },
	{ "unstable TSC, no idle period", REASON(TSC) | REASON(NO_IDLE),
	  { .unstable = true, .periods = -1 } },
	{ "foreign timer", REASON(FOREIGN_TIMER), { .reasons = REASON(FOREIGN_TIMER) } },
	{ "foreign interrupt", REASON(FOREIGN_IRQ), { .irqs = 1 } },
	{ "the CPU's timer, due later", 0,
	  { .irqs = 1, .timer_irqs = 1, .timer_later = true } },
	{ "the same, which was pending", REASON(FOREIGN_IRQ),
	  { .irqs = 1, .timer_irqs = 1, .timer_later = true, .timer_pending = true } },
	{ "NMI", REASON(NMI), { .nmis = 1 } },
	{ "SMI", REASON(SMI), { .smis = 1 } },
	{ "NMI and SMI without an idle period", REASON(NO_IDLE),
	  { .nmis = 1, .smis = 1, .periods = -1 } },
	{ "woken", REASON(WOKEN), { .need_resched = true } },
	{ "woke up before the event", REASON(AFTER_IDLE), { .wake_ns = -FAKE_WAKE_NS - 1ULL } },
	{ "woke up with the event", 0, { .wake_ns = -(u64)FAKE_WAKE_NS } },
	{ "handled before the event", REASON(EARLY_INTR), { .early_ns = FAKE_INTR_NS + 1 } },
	{ "handled with the event", 0, { .early_ns = FAKE_INTR_NS } },
	{ "the state polls", REASON(AFTER_IDLE), {}, IDLE_LATENCY_STATE_POLLS },
	{ "several", REASON(OTHER_CPU) | REASON(FOREIGN_IRQ) | REASON(NMI),
	  { .cpu = 1, .irqs = 3, .nmis = 2 } },
};

KUNIT_ARRAY_PARAM_DESC(reason, reason_cases, name);

/* Each is counted, under the first reason; with KEEP it gives a record, if it was handled. */
static void reason(struct kunit *test)
{
	const struct reason_case *c = test->param_value;
	struct idle_latency_config config = fake_config;
	const struct idle_latency_counts *counts;
	struct fake *fake = test->priv;

	config.flags = IDLE_LATENCY_CONFIG_KEEP;
	fake->state_flags = c->state_flags;
	fake->event = c->event;
	fake_start(test, &config);
	fake_run(test, 1);

	counts = fake_counts(fake);
	fake_expect_accounted(test);
	KUNIT_EXPECT_EQ(test, counts->armed, 2);
	KUNIT_EXPECT_EQ(test, counts->pending, 1);
	KUNIT_EXPECT_EQ(test, counts->delivered, !c->reasons);
	KUNIT_EXPECT_EQ(test, counts->kept, c->reasons && !c->no_record);
	if (c->reasons)
		KUNIT_EXPECT_EQ(test, counts->discarded[__ffs(c->reasons)], 1);

	KUNIT_ASSERT_EQ(test, fake_read(fake, 2, false), c->no_record ? -EAGAIN : 1);
	if (!c->no_record) {
		KUNIT_EXPECT_EQ(test, fake_record(fake, 0)->reasons, c->reasons);
		KUNIT_EXPECT_EQ(test, fake_record(fake, 0)->idle_periods,
				1 + c->event.periods);
	}
}

/* The same without KEEP: there is a record of what is believed only. */
static void reason_without_record(struct kunit *test)
{
	const struct reason_case *c = test->param_value;
	const struct idle_latency_counts *counts;
	struct fake *fake = test->priv;

	fake->state_flags = c->state_flags;
	fake->event = c->event;
	fake_start(test, &fake_config);
	fake_run(test, 1);

	counts = fake_counts(fake);
	fake_expect_accounted(test);
	KUNIT_EXPECT_EQ(test, counts->delivered, !c->reasons);
	KUNIT_EXPECT_EQ(test, counts->kept, 0);
	if (c->reasons)
		KUNIT_EXPECT_EQ(test, counts->discarded[__ffs(c->reasons)], 1);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 2, false), c->reasons ? -EAGAIN : 1);
}

/* Records are numbered without a gap, and events are, too. */
static void numbers(struct kunit *test)
{
	struct idle_latency_config config = fake_config;
	struct fake *fake = test->priv;

	fake_start(test, &config);
	fake_run(test, 2);
	fake->event.nmis = 1;
	fake_run(test, 1);
	fake->event.nmis = 0;
	fake_run(test, 1);
	KUNIT_ASSERT_EQ(test, fake_read(fake, 5, false), 3);
	KUNIT_EXPECT_EQ(test, fake_record(fake, 1)->seq, 1);
	KUNIT_EXPECT_EQ(test, fake_record(fake, 1)->event, 1);
	KUNIT_EXPECT_EQ(test, fake_record(fake, 2)->seq, 2);
	KUNIT_EXPECT_EQ(test, fake_record(fake, 2)->event, 3);
	KUNIT_ASSERT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STOP), 0);

	config.flags = IDLE_LATENCY_CONFIG_KEEP;
	fake_start(test, &config);
	fake_run(test, 1);
	fake->event.nmis = 1;
	fake_run(test, 1);
	fake->event.nmis = 0;
	fake_run(test, 1);
	KUNIT_ASSERT_EQ(test, fake_read(fake, 5, false), 3);
	for (int i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, fake_record(fake, i)->seq, i);
		KUNIT_EXPECT_EQ(test, fake_record(fake, i)->event, i);
		KUNIT_EXPECT_EQ(test, fake_record(fake, i)->reasons, i == 1 ? REASON(NMI) : 0);
	}
}

struct limit_case {
	const char *name;
	u64 limit_ns;
	struct fake_event event;
	enum idle_latency_discard reason;
	u64 above;
	u64 largest_ns;
};

static const struct limit_case limit_cases[] = {
	{ "at the limit", FAKE_WAKE_NS, { .nmis = 1 }, IDLE_LATENCY_DISCARD_NMI,
	  0, FAKE_WAKE_NS },
	{ "within the error of it", FAKE_WAKE_NS - FAKE_ERROR_NS, { .nmis = 1 },
	  IDLE_LATENCY_DISCARD_NMI, 0, FAKE_WAKE_NS },
	{ "above it", FAKE_WAKE_NS - FAKE_ERROR_NS - 1, { .nmis = 1 },
	  IDLE_LATENCY_DISCARD_NMI, 1, FAKE_WAKE_NS },
	/* That of 10 cycles, and 1 ns for that it is rounded. */
	{ "within a large error of it", FAKE_WAKE_NS - FAKE_ERROR_NS - 11,
	  { .nmis = 1, .error_cyc = 10 }, IDLE_LATENCY_DISCARD_NMI, 0, FAKE_WAKE_NS },
	{ "above that", FAKE_WAKE_NS - FAKE_ERROR_NS - 12,
	  { .nmis = 1, .error_cyc = 10 }, IDLE_LATENCY_DISCARD_NMI, 1, FAKE_WAKE_NS },
	{ "no limit", U64_MAX, { .nmis = 1 }, IDLE_LATENCY_DISCARD_NMI, 0, FAKE_WAKE_NS },
	{ "no latency", 0, { .periods = -1 }, IDLE_LATENCY_DISCARD_NO_IDLE, 0, 0 },
	{ "lost, without a limit", U64_MAX, { .outcome = FAKE_LOST }, IDLE_LATENCY_DISCARD_LOST,
	  1, 100000000 },
};

KUNIT_ARRAY_PARAM_DESC(limit, limit_cases, name);

static void limit(struct kunit *test)
{
	const struct limit_case *c = test->param_value;
	struct idle_latency_config config = fake_config;
	const struct idle_latency_counts *counts;
	struct fake *fake = test->priv;

	config.limit_ns = c->limit_ns;
	fake->event = c->event;
	fake_start(test, &config);
	fake_run(test, 1);
	counts = fake_counts(fake);
	for (int i = 0; i < IDLE_LATENCY_DISCARD_SLOTS; i++) {
		KUNIT_EXPECT_EQ(test, counts->discarded[i], i == c->reason);
		KUNIT_EXPECT_EQ(test, counts->above[i], i == c->reason ? c->above : 0);
		KUNIT_EXPECT_EQ(test, counts->largest_ns[i],
				i == c->reason ? c->largest_ns : 0);
	}
}

/* The largest of several, and how many were above. */
static void limit_of_several(struct kunit *test)
{
	const struct idle_latency_counts *counts;
	struct fake *fake = test->priv;

	fake->event.nmis = 1;
	fake_start(test, &fake_config);
	for (int i = 0; i < 5; i++) {
		fake->event.wake_ns = i < 3 ? 100 * i : 0;
		fake_run(test, 1);
	}
	counts = fake_counts(fake);
	KUNIT_EXPECT_EQ(test, counts->discarded[IDLE_LATENCY_DISCARD_NMI], 5);
	KUNIT_EXPECT_EQ(test, counts->above[IDLE_LATENCY_DISCARD_NMI], 2);
	KUNIT_EXPECT_EQ(test, counts->largest_ns[IDLE_LATENCY_DISCARD_NMI], FAKE_WAKE_NS + 200);
}

/* The armer sleeps while the CPU is idle, and the handler wakes it. */
static void event_wakes_the_armer(struct kunit *test)
{
	struct fake *fake = test->priv;
	unsigned int state;

	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(fake_config.cpu)), 0);
	fake->event.outcome = FAKE_WAITS;
	fake_start(test, &fake_config);
	fake_let_go(fake, 1);
	KUNIT_ASSERT_TRUE(test, fake_sleeps(fake));
	fake_fire(fake);
	state = READ_ONCE(fake->session->armer->__state);
	set_cpus_allowed_ptr(current, cpu_possible_mask);

	KUNIT_EXPECT_NE(test, state, TASK_IDLE);
	KUNIT_EXPECT_TRUE(test, fake_settles(fake));
	KUNIT_EXPECT_EQ(test, fake_read(fake, 2, false), 1);
}

/* Discarded events do not count towards the samples. */
static void ends_with_all_samples(struct kunit *test)
{
	struct idle_latency_config config = fake_config;
	struct fake *fake = test->priv;

	config.samples = 3;
	fake_start(test, &config);
	fake->event.nmis = 1;
	fake_run(test, 5);
	fake->event.nmis = 0;
	fake_run(test, 2);
	KUNIT_EXPECT_FALSE(test, fake->session->finished);
	fake_run(test, 2);
	KUNIT_ASSERT_TRUE(test, fake->session->finished);
	KUNIT_EXPECT_EQ(test, fake->go, 1);
	KUNIT_EXPECT_EQ(test, fake_counts(fake)->armed, 8);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 5, true), 3);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 5, true), 0);
}

/* Whether the state was forced all the time is asked once more at the end. */
static void unforced_at_the_end(struct kunit *test)
{
	struct idle_latency_config config = fake_config;
	struct fake *fake = test->priv;

	config.samples = 2;
	fake->unforced = true;
	fake_start(test, &config);
	fake_run(test, 2);
	KUNIT_ASSERT_TRUE(test, fake_finishes(fake));
	KUNIT_EXPECT_EQ(test, fake_read(fake, 3, false), 2);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 3, false), -ENODEV);
}

/* Where cpuidle was asked for another state, this one may not be forced any more. */
static void unforced_meanwhile(struct kunit *test)
{
	struct fake *fake = test->priv;

	fake_start(test, &fake_config);
	fake->event.requested = -1;
	fake_run(test, 1);
	KUNIT_EXPECT_FALSE(test, fake->session->finished);
	fake->unforced = true;
	fake->event.requested = 0;
	fake->event.entered = -1;
	fake->event.nmis = 1;
	fake_run(test, 1);
	KUNIT_EXPECT_FALSE(test, fake->session->finished);
	fake->event.requested = -1;
	fake_run(test, 1);
	KUNIT_ASSERT_TRUE(test, fake_finishes(fake));
	KUNIT_EXPECT_EQ(test, fake_read(fake, 3, false), -ENODEV);
}

/* The idle period tells, and the reader hears of it although there is no end in sight. */
static void unforced_is_told_by_the_event(struct kunit *test)
{
	struct idle_latency_config config = fake_config;
	struct fake *fake = test->priv;

	config.flags = IDLE_LATENCY_CONFIG_KEEP;
	fake_start(test, &config);
	fake_run(test, 1);
	fake->unforced = true;
	fake->event.unforced = true;
	fake_run(test, 1);
	KUNIT_ASSERT_TRUE(test, fake_finishes(fake));
	KUNIT_ASSERT_EQ(test, fake_read(fake, 3, false), 2);
	KUNIT_EXPECT_TRUE(test, fake_record(fake, 0)->flags & IDLE_LATENCY_RECORD_FORCED);
	KUNIT_EXPECT_FALSE(test, fake_record(fake, 1)->flags & IDLE_LATENCY_RECORD_FORCED);
	KUNIT_EXPECT_EQ(test, fake_record(fake, 1)->reasons, REASON(OTHER_STATE));
	KUNIT_EXPECT_EQ(test, fake_read(fake, 3, false), -ENODEV);
}

/* A session that is stopped tells of it, too. */
static void unforced_when_stopped(struct kunit *test)
{
	struct fake *fake = test->priv;

	fake_start(test, &fake_config);
	fake_run(test, 2);
	fake->unforced = true;
	KUNIT_ASSERT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STOP), 0);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 3, false), 2);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 3, false), -ENODEV);

	fake->unforced = false;
	KUNIT_ASSERT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), 0);
	fake_run(test, 2);
	KUNIT_ASSERT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STOP), 0);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 3, false), 2);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 3, false), 0);
}

/* What ends a session first is what it tells. */
static void first_error_stays(struct kunit *test)
{
	struct fake *fake = test->priv;

	fake_start(test, &fake_config);
	fake->unforced = true;
	fake_goes_offline(fake, fake_config.cpu);
	KUNIT_ASSERT_TRUE(test, fake_finishes(fake));
	KUNIT_EXPECT_EQ(test, fake_read(fake, 1, false), -ENXIO);
}

static void cannot_disarm(struct kunit *test)
{
	struct fake *fake = test->priv;

	fake_start(test, &fake_config);
	fake->event.outcome = FAKE_STICKS;
	fake_run(test, 2);
	KUNIT_ASSERT_TRUE(test, fake_finishes(fake));
	KUNIT_EXPECT_EQ(test, fake_counts(fake)->armed, 1);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 3, false), 1);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 3, false), -ENODEV);
}

static struct kunit_case counts_test_cases[] = {
	KUNIT_CASE_PARAM(reason, reason_gen_params),
	KUNIT_CASE_PARAM(reason_without_record, reason_gen_params),
	KUNIT_CASE(numbers),
	KUNIT_CASE_PARAM(limit, limit_gen_params),
	KUNIT_CASE(limit_of_several),
	KUNIT_CASE(event_wakes_the_armer),
	KUNIT_CASE(ends_with_all_samples),
	KUNIT_CASE(unforced_at_the_end),
	KUNIT_CASE(unforced_meanwhile),
	KUNIT_CASE(unforced_is_told_by_the_event),
	KUNIT_CASE(unforced_when_stopped),
	KUNIT_CASE(first_error_stays),
	KUNIT_CASE(cannot_disarm),
	{}
};

static struct kunit_suite counts_suite = {
	.name = "idle_latency_counts",
	.init = fake_init,
	.exit = fake_exit,
	.test_cases = counts_test_cases,
};

kunit_test_suite(counts_suite);
