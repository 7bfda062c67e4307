// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests for what a session makes of its events: records, counts, and what a reader
 * gets of them.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/limits.h>
#include <linux/mman.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "fake_machine.h"

#define REASON(name)	BIT(IDLE_LATENCY_DISCARD_##name)
#define COUNTER(name)	BIT(IDLE_LATENCY_RESIDENCY_##name)

/* How many records wake a reader that waits for more. */
#define WAKE_AT		(IDLE_LATENCY_BUFFER_RECORDS / 2)

/* Where nothing is mapped. */
#define NOWHERE		8UL

static void start(struct kunit *test, const struct idle_latency_config *config)
{
	struct fake *fake = test->priv;

	KUNIT_ASSERT_EQ(test, fake_configure(fake, config), 0);
	KUNIT_ASSERT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), 0);
	KUNIT_ASSERT_TRUE(test, fake_settles(fake));
}

static void let_go(struct kunit *test, unsigned int events)
{
	fake_let_go(test->priv, events);
	KUNIT_ASSERT_TRUE(test, fake_settles(test->priv));
}

/* The events were armed one after the other, and all are accounted for. */
static void expect_accounted(struct kunit *test)
{
	const struct idle_latency_counts *counts = fake_counts(test->priv);
	u64 sum = counts->delivered + counts->pending;

	for (int i = 0; i < IDLE_LATENCY_DISCARD_SLOTS; i++)
		sum += counts->discarded[i];
	KUNIT_EXPECT_EQ(test, counts->armed, sum);
}

/* All that a record says, with stamps around ->enter(). */
static void record(struct kunit *test)
{
	struct fake *fake = test->priv;
	const u64 tbi = fake->tsc + FAKE_ENTRY_NS, ltime = fake->tsc + FAKE_LDIST_NS;
	const struct idle_latency_record *r;

	fake->residency[IDLE_LATENCY_RESIDENCY_MC6] = 3;
	start(test, &fake_config);
	let_go(test, 1);
	KUNIT_ASSERT_EQ(test, fake_read(fake, 1, false), 1);
	r = fake_record(fake, 0);

	KUNIT_EXPECT_EQ(test, r->seq, 0);
	KUNIT_EXPECT_EQ(test, r->event, 0);
	KUNIT_EXPECT_EQ(test, r->ldist_ns, FAKE_LDIST_NS);
	KUNIT_EXPECT_EQ(test, r->ltime_ns, ltime + FAKE_AHEAD_NS);
	KUNIT_EXPECT_EQ(test, r->silent_ns, FAKE_LDIST_NS - FAKE_ENTRY_NS);
	KUNIT_EXPECT_EQ(test, r->wake_ns, FAKE_WAKE_NS);
	KUNIT_EXPECT_EQ(test, r->intr_ns, FAKE_INTR_NS);
	KUNIT_EXPECT_EQ(test, r->error_ns, FAKE_ERROR_NS);
	KUNIT_EXPECT_EQ(test, r->tbi_tsc, tbi);
	KUNIT_EXPECT_EQ(test, r->tai_tsc, ltime + FAKE_WAKE_NS);
	KUNIT_EXPECT_EQ(test, r->tintr_tsc, ltime + FAKE_INTR_NS);
	KUNIT_EXPECT_EQ(test, r->interval_cyc, FAKE_INTERVAL_CYC);
	KUNIT_EXPECT_EQ(test, r->residency_present, COUNTER(CC1) | COUNTER(CC6) | COUNTER(MC6) |
			COUNTER(PC6) | COUNTER(PC7) | COUNTER(PC10) | COUNTER(C0));
	KUNIT_EXPECT_EQ(test, r->residency_invalid, 0);
	for (int i = 0; i < IDLE_LATENCY_RESIDENCY_MAX; i++) {
		/* A count of the module is a us. */
		u64 cyc = fake->residency[i] * (i == IDLE_LATENCY_RESIDENCY_MC6 ? 1000 : 1);

		KUNIT_EXPECT_EQ(test, r->residency_cyc[i],
				r->residency_present & BIT(i) ? cyc : 0);
	}
	KUNIT_EXPECT_EQ(test, r->aperf_cyc, FAKE_APERF);
	KUNIT_EXPECT_EQ(test, r->mperf_cyc, FAKE_MPERF);
	KUNIT_EXPECT_EQ(test, r->flags, IDLE_LATENCY_RECORD_WAKE | IDLE_LATENCY_RECORD_FORCED |
			IDLE_LATENCY_RECORD_COUNTED | IDLE_LATENCY_RECORD_REACHED |
			IDLE_LATENCY_RECORD_PACKAGE);
	KUNIT_EXPECT_EQ(test, r->cpu, 0);
	KUNIT_EXPECT_EQ(test, r->state, FAKE_STATE);
	KUNIT_EXPECT_EQ(test, r->source, IDLE_LATENCY_SOURCE_NIC);
	KUNIT_EXPECT_EQ(test, r->stamp, IDLE_LATENCY_STAMP_ENTER);
	KUNIT_EXPECT_EQ(test, r->idle_periods, 1);
	KUNIT_EXPECT_EQ(test, r->warmup_ns, FAKE_WARMUP_NS);
	KUNIT_EXPECT_EQ(test, r->latch_ns, FAKE_LATCH_NS);
	KUNIT_EXPECT_EQ(test, r->reasons, 0);
	KUNIT_EXPECT_EQ(test, r->deadline_ns, 0);
}

static void expect_probe_stamps(struct kunit *test)
{
	struct fake *fake = test->priv;
	const struct idle_latency_record *r;

	let_go(test, 1);
	KUNIT_ASSERT_EQ(test, fake_read(fake, 1, false), 1);
	r = fake_record(fake, 0);
	KUNIT_EXPECT_EQ(test, r->stamp, IDLE_LATENCY_STAMP_PROBE);
	KUNIT_EXPECT_EQ(test, r->wake_ns, FAKE_WAKE_NS + FAKE_PROBE_NS);
	KUNIT_EXPECT_EQ(test, r->silent_ns, FAKE_LDIST_NS - FAKE_ENTRY_NS + FAKE_PROBE_NS);
	KUNIT_EXPECT_EQ(test, r->intr_ns, FAKE_INTR_NS);
}

static void probe_asked_for(struct kunit *test)
{
	struct idle_latency_config config = fake_config;

	config.flags = IDLE_LATENCY_CONFIG_PROBE;
	start(test, &config);
	expect_probe_stamps(test);
}

static void probe_only(struct kunit *test)
{
	struct fake *fake = test->priv;

	fake->no_enter_stamps = true;
	start(test, &fake_config);
	expect_probe_stamps(test);
}

/* It has nothing of its own to tell. */
static void plain_source(struct kunit *test)
{
	struct idle_latency_config config = fake_config;
	struct fake *fake = test->priv;

	config.source = IDLE_LATENCY_SOURCE_HRT;
	start(test, &config);
	let_go(test, 1);
	KUNIT_ASSERT_EQ(test, fake_read(fake, 1, false), 1);
	KUNIT_EXPECT_EQ(test, fake_record(fake, 0)->source, IDLE_LATENCY_SOURCE_HRT);
	KUNIT_EXPECT_EQ(test, fake_record(fake, 0)->latch_ns, 0);
}

/* What a stamp can be too old is part of the error. */
static void stamps_in_steps(struct kunit *test)
{
	struct fake *fake = test->priv;

	fake->step = 37;
	start(test, &fake_config);
	let_go(test, 1);
	KUNIT_ASSERT_EQ(test, fake_read(fake, 1, false), 1);
	KUNIT_EXPECT_EQ(test, fake_record(fake, 0)->wake_ns, FAKE_WAKE_NS);
	/* 36 cycles, and 1 ns for that they are rounded. */
	KUNIT_EXPECT_EQ(test, fake_record(fake, 0)->error_ns, FAKE_ERROR_NS + 37);
}

static void ldist_in_range(struct kunit *test)
{
	struct idle_latency_config config = fake_config;
	struct fake *fake = test->priv;
	u64 least = U64_MAX, most = 0;

	config.ldist_from_ns = 5000;
	config.ldist_to_ns = 5003;
	start(test, &config);
	/* That one of four is missing among so many is one case in 10^124. */
	let_go(test, 1000);
	KUNIT_ASSERT_EQ(test, fake_read(fake, 1000, false), 1000);
	for (int i = 0; i < 1000; i++) {
		least = min(least, fake_record(fake, i)->ldist_ns);
		most = max(most, fake_record(fake, i)->ldist_ns);
	}
	KUNIT_EXPECT_EQ(test, least, 5000);
	KUNIT_EXPECT_EQ(test, most, 5003);
}

struct reached_case {
	const char *name;
	u64 cc6;
	u64 pc6;
	u64 pc7;
	u64 pc10;
	bool no_counters;
	u32 flags;
	u32 invalid;
};

#define COUNTED		IDLE_LATENCY_RECORD_COUNTED
#define REACHED		IDLE_LATENCY_RECORD_REACHED
#define PACKAGE		IDLE_LATENCY_RECORD_PACKAGE

/* The least that is as long as SilentTime without the way into the state, and rounded. */
#define LEAST_CYC	(FAKE_LDIST_NS - FAKE_ENTRY_NS - FAKE_EXIT_LATENCY_NS - 1000 - 1)

static const struct reached_case reached_cases[] = {
	{ "core and package", LEAST_CYC, 17, 0, 0, false, COUNTED | REACHED | PACKAGE, 0 },
	{ "the core", LEAST_CYC, 0, 0, 0, false, COUNTED | REACHED, 0 },
	{ "the core, but not for long", LEAST_CYC - 1, 0, 0, 0, false, COUNTED, 0 },
	{ "the package, but the core not for long", 12, 17, 0, 0, false,
	  COUNTED | PACKAGE, 0 },
	{ "a deeper package state", LEAST_CYC, 0, 18, 0, false,
	  COUNTED | REACHED | PACKAGE, 0 },
	{ "the deepest package state", LEAST_CYC, 0, 0, 21, false,
	  COUNTED | REACHED | PACKAGE, 0 },
	{ "none", 0, 0, 0, 0, false, COUNTED, 0 },
	{ "nobody tells", LEAST_CYC, 17, 18, 21, true, 0, 0 },
	{ "all of the interval", FAKE_INTERVAL_CYC, 0, 0, 0, false, COUNTED | REACHED, 0 },
	{ "more than that", FAKE_INTERVAL_CYC + 1, 0, 0, 0, false, COUNTED, COUNTER(CC6) },
};

KUNIT_ARRAY_PARAM_DESC(reached, reached_cases, name);

static void reached(struct kunit *test)
{
	const struct reached_case *c = test->param_value;
	const struct idle_latency_record *r;
	struct fake *fake = test->priv;

	fake->no_counters = c->no_counters;
	fake->residency[IDLE_LATENCY_RESIDENCY_CC6] = c->cc6;
	fake->residency[IDLE_LATENCY_RESIDENCY_MC6] = 0;
	fake->residency[IDLE_LATENCY_RESIDENCY_PC6] = c->pc6;
	fake->residency[IDLE_LATENCY_RESIDENCY_PC7] = c->pc7;
	fake->residency[IDLE_LATENCY_RESIDENCY_PC10] = c->pc10;
	start(test, &fake_config);
	let_go(test, 1);
	KUNIT_ASSERT_EQ(test, fake_read(fake, 1, false), 1);
	r = fake_record(fake, 0);
	KUNIT_EXPECT_EQ(test, r->flags & (COUNTED | REACHED | PACKAGE), c->flags);
	KUNIT_EXPECT_EQ(test, r->residency_invalid, c->invalid);
}

/* An event that came before the CPU can have been in the state: one count is needed. */
static void reached_at_once(struct kunit *test)
{
	struct idle_latency_config config = fake_config;
	struct fake *fake = test->priv;

	config.ldist_from_ns = FAKE_ENTRY_NS + 1100;
	config.ldist_to_ns = config.ldist_from_ns;
	start(test, &config);
	fake->residency[IDLE_LATENCY_RESIDENCY_CC6] = 1;
	let_go(test, 1);
	fake->residency[IDLE_LATENCY_RESIDENCY_CC6] = 0;
	let_go(test, 1);
	KUNIT_ASSERT_EQ(test, fake_read(fake, 2, false), 2);
	KUNIT_EXPECT_EQ(test, fake_record(fake, 0)->flags & (COUNTED | REACHED),
			COUNTED | REACHED);
	KUNIT_EXPECT_EQ(test, fake_record(fake, 1)->flags & (COUNTED | REACHED), COUNTED);
}

/* Counters of the package are read around one event of eight, whatever becomes of it. */
static void package_is_read_rarely(struct kunit *test)
{
	const u32 package = COUNTER(PC6) | COUNTER(PC7) | COUNTER(PC10);
	const struct idle_latency_record *r;
	struct fake *fake = test->priv;

	start(test, &fake_config);
	let_go(test, 3);
	fake->event.nmis = 1;
	let_go(test, 1);
	fake->event.nmis = 0;
	let_go(test, 15);
	KUNIT_ASSERT_EQ(test, fake_read(fake, 20, false), 18);
	for (int i = 0; i < 18; i++) {
		r = fake_record(fake, i);
		KUNIT_EXPECT_EQ(test, r->residency_present & package,
				r->event % 8 ? 0 : package);
		KUNIT_EXPECT_EQ(test, r->flags & PACKAGE, r->event % 8 ? 0 : PACKAGE);
		KUNIT_EXPECT_TRUE(test, r->residency_present & COUNTER(CC6));
	}
}

struct follow_case {
	const char *name;
	u64 cc6;
	u64 late;
	bool no_counters;
	struct fake_event second;
	u64 advanced_cyc;
	u64 between_cyc;
};

/* Three events, the second of which may be another one. */
static const struct follow_case follow_cases[] = {
	{ "in time", 9000, 0, false, {}, 27000, 0 },
	{ "a part is late", 6000, 3000, false, {}, 18000, 6000 },
	{ "all is late, and each time part of the event before", 0, 9000, false, {}, 0, 18000 },
	{ "nobody tells", 9000, 9000, true, {}, 0, 0 },
	{ "discarded events count", 6000, 3000, false, { .nmis = 1 }, 18000, 6000 },
	{ "with two idle periods", 6000, 3000, false, { .periods = 1 }, 12000, 0 },
	{ "without an idle period", 6000, 3000, false, { .periods = -1 }, 12000, 0 },
	{ "on another CPU", 6000, 3000, false, { .cpu = 1 }, 12000, 0 },
	{ "armed too late", 6000, 3000, false, { .outcome = FAKE_LATE }, 12000, 0 },
	{ "more than the time that passed", FAKE_INTERVAL_CYC + 1, 1000000, false, {}, 0, 0 },
};

KUNIT_ARRAY_PARAM_DESC(follow, follow_cases, name);

static void follows_the_counter(struct kunit *test)
{
	const struct follow_case *c = test->param_value;
	const struct idle_latency_counts *counts;
	struct fake *fake = test->priv;

	fake->no_counters = c->no_counters;
	fake->residency[IDLE_LATENCY_RESIDENCY_CC6] = c->cc6;
	fake->late = c->late;
	start(test, &fake_config);
	let_go(test, 1);
	fake->event = c->second;
	let_go(test, 1);
	fake->event = (struct fake_event) { };
	let_go(test, 1);
	counts = fake_counts(fake);
	KUNIT_EXPECT_EQ(test, counts->advanced_cyc, c->advanced_cyc);
	KUNIT_EXPECT_EQ(test, counts->between_cyc, c->between_cyc);
}

/* A CPU that waited for the reader, or for the next session, may have been in the state. */
static void does_not_follow_over_a_wait(struct kunit *test)
{
	const unsigned int size = IDLE_LATENCY_BUFFER_RECORDS;
	struct fake *fake = test->priv;

	fake->late = 10;
	start(test, &fake_config);
	let_go(test, size + 1);
	KUNIT_EXPECT_EQ(test, fake_counts(fake)->between_cyc, 10 * (size - 1));
	KUNIT_ASSERT_EQ(test, fake_read(fake, 1, false), 1);
	KUNIT_ASSERT_TRUE(test, fake_settles(fake));
	KUNIT_EXPECT_EQ(test, fake_counts(fake)->armed, size + 1);
	KUNIT_EXPECT_EQ(test, fake_counts(fake)->between_cyc, 10 * (size - 1));
	KUNIT_ASSERT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STOP), 0);

	KUNIT_ASSERT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), 0);
	let_go(test, 1);
	KUNIT_EXPECT_EQ(test, fake_counts(fake)->between_cyc, 0);
}

/* A count of the module is a us, which is not always a whole number of cycles. */
static void module_counts(struct kunit *test)
{
	struct fake *fake = test->priv;

	fake->khz = 2000500;
	fake->residency[IDLE_LATENCY_RESIDENCY_MC6] = 3;
	start(test, &fake_config);
	let_go(test, 1);
	KUNIT_ASSERT_EQ(test, fake_read(fake, 1, false), 1);
	KUNIT_EXPECT_EQ(test, fake_record(fake, 0)->residency_cyc[IDLE_LATENCY_RESIDENCY_MC6],
			3 * 2001);
}

/* The measured CPU goes offline: what only it has cannot be read from here. */
static void armer_on_another_cpu(struct kunit *test)
{
	struct idle_latency_config config = fake_config;
	const struct idle_latency_record *r;
	struct fake *fake = test->priv;

	config.flags = IDLE_LATENCY_CONFIG_KEEP;
	start(test, &config);
	fake->session->config.cpu = fake_config.cpu + 1;
	let_go(test, 1);
	KUNIT_ASSERT_EQ(test, fake_read(fake, 1, false), 1);
	r = fake_record(fake, 0);
	KUNIT_EXPECT_EQ(test, r->reasons, REASON(OTHER_CPU));
	KUNIT_EXPECT_EQ(test, r->cpu, fake_config.cpu + 1);
	KUNIT_EXPECT_EQ(test, r->aperf_cyc, 0);
	KUNIT_EXPECT_EQ(test, r->mperf_cyc, 0);
}

/* The record of the first event of a session that keeps those that it discards. */
static const struct idle_latency_record *keep_one(struct kunit *test)
{
	struct idle_latency_config config = fake_config;
	struct fake *fake = test->priv;

	config.flags = IDLE_LATENCY_CONFIG_KEEP;
	start(test, &config);
	let_go(test, 1);
	KUNIT_ASSERT_EQ(test, fake_read(fake, 1, false), 1);
	return fake_record(fake, 0);
}

/* Nobody has read the counters after the wake-up, and there is nothing to be told of them. */
static void handled_on_another_cpu(struct kunit *test)
{
	const struct idle_latency_record *r;
	struct fake *fake = test->priv;

	fake->event.cpu = 1;
	r = keep_one(test);
	KUNIT_EXPECT_EQ(test, r->reasons, REASON(OTHER_CPU));
	KUNIT_EXPECT_EQ(test, r->interval_cyc, 0);
	KUNIT_EXPECT_EQ(test, r->residency_present, 0);
	KUNIT_EXPECT_EQ(test, r->flags & (COUNTED | REACHED | PACKAGE), 0);
	KUNIT_EXPECT_EQ(test, r->mperf_cyc, 0);
}

/* The CPU woke up before the event, so that there is no WakeLatency to be told. */
static void record_without_wake(struct kunit *test)
{
	struct fake *fake = test->priv;

	fake->event.wake_ns = -FAKE_WAKE_NS - 1ULL;
	for (int i = IDLE_LATENCY_RESIDENCY_PC6; i <= IDLE_LATENCY_RESIDENCY_PC10; i++)
		fake->residency[i] = 0;
	KUNIT_EXPECT_EQ(test, keep_one(test)->flags,
			IDLE_LATENCY_RECORD_FORCED | COUNTED | REACHED);
}

/* Nobody knows when the event fired, so that nobody knows where the CPU was then. */
static void record_without_launch(struct kunit *test)
{
	const struct idle_latency_record *r;
	struct fake *fake = test->priv;

	fake->event.early_ns = FAKE_INTR_NS + 1;
	r = keep_one(test);
	KUNIT_EXPECT_EQ(test, r->reasons, REASON(EARLY_INTR));
	KUNIT_EXPECT_EQ(test, r->flags & (COUNTED | REACHED), COUNTED);
}

/* There was no idle period, and nothing is said of an earlier one. */
static void record_without_idle(struct kunit *test)
{
	const struct idle_latency_record *r;
	struct fake *fake = test->priv;

	fake->event.periods = -1;
	r = keep_one(test);
	KUNIT_EXPECT_EQ(test, r->tbi_tsc, 0);
	KUNIT_EXPECT_EQ(test, r->tai_tsc, 0);
	KUNIT_EXPECT_NE(test, r->tintr_tsc, 0);
	KUNIT_EXPECT_EQ(test, r->interval_cyc, 0);
	KUNIT_EXPECT_EQ(test, r->residency_present, 0);
	KUNIT_EXPECT_EQ(test, r->flags, 0);
}

/* The idle instruction does not wait for an event that has fired. */
static void record_of_pending(struct kunit *test)
{
	struct idle_latency_config config = fake_config;
	const struct idle_latency_record *r;
	struct fake *fake = test->priv;

	config.flags = IDLE_LATENCY_CONFIG_KEEP;
	fake->event.due_ns = 100;
	start(test, &config);
	let_go(test, 1);
	fake->event.card_pending = true;
	let_go(test, 1);
	KUNIT_ASSERT_EQ(test, fake_read(fake, 2, false), 2);
	KUNIT_EXPECT_FALSE(test, fake_record(fake, 0)->flags & IDLE_LATENCY_RECORD_PENDING);
	r = fake_record(fake, 1);
	KUNIT_EXPECT_TRUE(test, r->flags & IDLE_LATENCY_RECORD_PENDING);
	KUNIT_EXPECT_EQ(test, r->reasons, REASON(BEFORE_IDLE));
	KUNIT_EXPECT_EQ(test, r->tai_tsc - r->tbi_tsc, FAKE_WAKE_NS - 100);
}

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
	{ "woken", REASON(WOKEN), { .woken = true } },
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
	start(test, &config);
	let_go(test, 1);

	counts = fake_counts(fake);
	expect_accounted(test);
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
	start(test, &fake_config);
	let_go(test, 1);

	counts = fake_counts(fake);
	expect_accounted(test);
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

	start(test, &config);
	let_go(test, 2);
	fake->event.nmis = 1;
	let_go(test, 1);
	fake->event.nmis = 0;
	let_go(test, 1);
	KUNIT_ASSERT_EQ(test, fake_read(fake, 5, false), 3);
	KUNIT_EXPECT_EQ(test, fake_record(fake, 1)->seq, 1);
	KUNIT_EXPECT_EQ(test, fake_record(fake, 1)->event, 1);
	KUNIT_EXPECT_EQ(test, fake_record(fake, 2)->seq, 2);
	KUNIT_EXPECT_EQ(test, fake_record(fake, 2)->event, 3);
	KUNIT_ASSERT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STOP), 0);

	config.flags = IDLE_LATENCY_CONFIG_KEEP;
	start(test, &config);
	let_go(test, 1);
	fake->event.nmis = 1;
	let_go(test, 1);
	fake->event.nmis = 0;
	let_go(test, 1);
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
	start(test, &config);
	let_go(test, 1);
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
	start(test, &fake_config);
	for (int i = 0; i < 5; i++) {
		fake->event.wake_ns = i < 3 ? 100 * i : 0;
		let_go(test, 1);
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
	start(test, &fake_config);
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
	start(test, &config);
	fake->event.nmis = 1;
	let_go(test, 5);
	fake->event.nmis = 0;
	let_go(test, 2);
	KUNIT_EXPECT_FALSE(test, fake->session->finished);
	let_go(test, 2);
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
	start(test, &config);
	let_go(test, 2);
	KUNIT_ASSERT_TRUE(test, fake_finishes(fake));
	KUNIT_EXPECT_EQ(test, fake_read(fake, 3, false), 2);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 3, false), -ENODEV);
}

/* Another state that was entered may mean that this one is not forced any more. */
static void unforced_meanwhile(struct kunit *test)
{
	struct fake *fake = test->priv;

	start(test, &fake_config);
	fake->event.entered = -1;
	let_go(test, 1);
	KUNIT_EXPECT_FALSE(test, fake->session->finished);
	fake->unforced = true;
	fake->event.entered = 0;
	fake->event.nmis = 1;
	let_go(test, 1);
	KUNIT_EXPECT_FALSE(test, fake->session->finished);
	fake->event.entered = -1;
	let_go(test, 1);
	KUNIT_ASSERT_TRUE(test, fake_finishes(fake));
	KUNIT_EXPECT_EQ(test, fake_read(fake, 3, false), -ENODEV);
}

/* The idle period tells, and the reader hears of it although there is no end in sight. */
static void unforced_is_told_by_the_event(struct kunit *test)
{
	struct idle_latency_config config = fake_config;
	struct fake *fake = test->priv;

	config.flags = IDLE_LATENCY_CONFIG_KEEP;
	start(test, &config);
	let_go(test, 1);
	fake->unforced = true;
	fake->event.unforced = true;
	let_go(test, 1);
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

	start(test, &fake_config);
	let_go(test, 2);
	fake->unforced = true;
	KUNIT_ASSERT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STOP), 0);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 3, false), 2);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 3, false), -ENODEV);

	fake->unforced = false;
	KUNIT_ASSERT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), 0);
	let_go(test, 2);
	KUNIT_ASSERT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STOP), 0);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 3, false), 2);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 3, false), 0);
}

/* What ends a session first is what it tells. */
static void first_error_stays(struct kunit *test)
{
	struct fake *fake = test->priv;

	start(test, &fake_config);
	fake->unforced = true;
	fake_goes_offline(fake, fake_config.cpu);
	KUNIT_ASSERT_TRUE(test, fake_finishes(fake));
	KUNIT_EXPECT_EQ(test, fake_read(fake, 1, false), -ENXIO);
}

static void cannot_disarm(struct kunit *test)
{
	struct fake *fake = test->priv;

	start(test, &fake_config);
	fake->event.outcome = FAKE_STICKS;
	let_go(test, 2);
	KUNIT_ASSERT_TRUE(test, fake_finishes(fake));
	KUNIT_EXPECT_EQ(test, fake_counts(fake)->armed, 1);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 3, false), 1);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 3, false), -ENODEV);
}

/* The armer waits for the reader, arms as many as there is room for, and loses none. */
static void back_pressure(struct kunit *test)
{
	const unsigned int size = IDLE_LATENCY_BUFFER_RECORDS;
	struct fake *fake = test->priv;
	u64 seq = 0;

	start(test, &fake_config);
	let_go(test, 3 * size);
	for (unsigned int records = 1; records < size; records *= 5) {
		KUNIT_EXPECT_EQ(test, fake_counts(fake)->armed, seq + size);
		KUNIT_EXPECT_EQ(test, fake_counts(fake)->pending, 0);
		KUNIT_ASSERT_EQ(test, fake_read(fake, records, false), records);
		for (unsigned int i = 0; i < records; i++)
			KUNIT_ASSERT_EQ(test, fake_record(fake, i)->seq, seq + i);
		seq += records;
		KUNIT_ASSERT_TRUE(test, fake_settles(fake));
	}

	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STOP), 0);
	expect_accounted(test);
	KUNIT_ASSERT_EQ(test, fake_read(fake, 2 * size, false), size);
	for (unsigned int i = 0; i < size; i++)
		KUNIT_ASSERT_EQ(test, fake_record(fake, i)->seq, seq + i);
}

/* With KEEP, what is not believed fills the buffer, too. */
static void back_pressure_by_discarded(struct kunit *test)
{
	const unsigned int size = IDLE_LATENCY_BUFFER_RECORDS;
	struct idle_latency_config config = fake_config;
	struct fake *fake = test->priv;

	config.flags = IDLE_LATENCY_CONFIG_KEEP;
	fake->event.nmis = 1;
	start(test, &config);
	let_go(test, size + 1);
	KUNIT_EXPECT_EQ(test, fake_counts(fake)->armed, size);
	KUNIT_EXPECT_EQ(test, fake_counts(fake)->kept, size);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 1, false), 1);
	KUNIT_EXPECT_TRUE(test, fake_settles(fake));
	KUNIT_EXPECT_EQ(test, fake_counts(fake)->kept, size + 1);
}

/* Fill the buffer, and do not read. */
static void let_go_of_cpu(struct kunit *test)
{
	struct fake *fake = test->priv;

	start(test, &fake_config);
	let_go(test, IDLE_LATENCY_BUFFER_RECORDS + 1);
	KUNIT_EXPECT_TRUE(test, fake->in_force & BIT(FAKE_FORCE));
	KUNIT_ASSERT_TRUE(test, fake_lets_go(fake));
	KUNIT_EXPECT_FALSE(test, fake->session->finished);
	fake->log[0] = '\0';
}

/* A reader that does not come back does not keep the CPU forced; when it does, it goes on. */
static void reader_comes_back(struct kunit *test)
{
	const unsigned int size = IDLE_LATENCY_BUFFER_RECORDS;
	struct fake *fake = test->priv;

	let_go_of_cpu(test);
	KUNIT_ASSERT_EQ(test, fake_read(fake, size, false), size);
	KUNIT_ASSERT_TRUE(test, fake_settles(fake));
	KUNIT_EXPECT_STREQ(test, fake->log, "force find");
	KUNIT_ASSERT_EQ(test, fake_read(fake, 2, false), 1);
	KUNIT_EXPECT_EQ(test, fake_record(fake, 0)->seq, size);
}

/* Somebody else has forced a state of the CPU meanwhile, which stays as it is. */
static void reader_comes_back_too_late(struct kunit *test)
{
	const unsigned int size = IDLE_LATENCY_BUFFER_RECORDS;
	struct fake *fake = test->priv;

	let_go_of_cpu(test);
	fake->fail = FAKE_FORCE;
	fake->fail_error = -EBUSY;
	KUNIT_ASSERT_EQ(test, fake_read(fake, size, false), size);
	KUNIT_ASSERT_TRUE(test, fake_finishes(fake));
	KUNIT_EXPECT_EQ(test, fake_read(fake, 1, false), -EBUSY);
	KUNIT_EXPECT_STREQ(test, fake->log, "force find -start -observe -watch");
	fake->fail_error = 0;
}

/* The index may be that of another state now, whatever the session was configured for. */
static void reader_comes_back_to_another_state(struct kunit *test)
{
	const unsigned int size = IDLE_LATENCY_BUFFER_RECORDS;
	struct fake *fake = test->priv;

	let_go_of_cpu(test);
	fake->target_residency_ns++;
	KUNIT_ASSERT_EQ(test, fake_read(fake, size, false), size);
	KUNIT_ASSERT_TRUE(test, fake_finishes(fake));
	KUNIT_EXPECT_EQ(test, fake_read(fake, 1, false), -ENOENT);
	KUNIT_EXPECT_STREQ(test, fake->log, "force find -start -observe -force -watch");
}

static void reader_stops_instead(struct kunit *test)
{
	struct fake *fake = test->priv;

	let_go_of_cpu(test);
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STOP), 0);
	KUNIT_EXPECT_STREQ(test, fake->log, "-start -observe -watch");
}

struct later {
	struct delayed_work work;
	struct fake *fake;
	unsigned int events;
};

/* One after the other, so that the reader has looked before the next one comes. */
static void let_go_later(struct work_struct *work)
{
	struct later *later = container_of(to_delayed_work(work), struct later, work);

	for (unsigned int i = 0; i < later->events; i++) {
		fake_let_go(later->fake, 1);
		fake_settles(later->fake);
	}
}

static void goes_offline_later(struct work_struct *work)
{
	struct later *later = container_of(to_delayed_work(work), struct later, work);

	fake_goes_offline(later->fake, fake_config.cpu);
}

/* Start a session, and read while @happens does something to it. Returns what was read. */
static ssize_t blocking_read(struct kunit *test, const struct idle_latency_config *config,
			     unsigned int records, unsigned int events,
			     work_func_t happens)
{
	struct fake *fake = test->priv;
	struct later later = { .fake = fake, .events = events };
	ssize_t ret;

	start(test, config);
	INIT_DELAYED_WORK_ONSTACK(&later.work, happens);
	schedule_delayed_work(&later.work, 2);
	ret = fake_read(fake, records, true);
	flush_delayed_work(&later.work);
	destroy_delayed_work_on_stack(&later.work);
	return ret;
}

/* A reader that waits is woken when there is what it asked for, but for half the buffer. */
static void read_waits(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, blocking_read(test, &fake_config, 3, 3, let_go_later), 3);
}

static void read_waits_for_half(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, blocking_read(test, &fake_config, IDLE_LATENCY_BUFFER_RECORDS,
					    WAKE_AT, let_go_later), WAKE_AT);
}

static void read_waits_for_discarded(struct kunit *test)
{
	struct idle_latency_config config = fake_config;
	struct fake *fake = test->priv;

	config.flags = IDLE_LATENCY_CONFIG_KEEP;
	fake->event.nmis = 1;
	KUNIT_EXPECT_EQ(test, blocking_read(test, &config, 3, 3, let_go_later), 3);
}

static void read_ends_with_the_session(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, blocking_read(test, &fake_config, 3, 0, goes_offline_later),
			-ENXIO);
}

/* Somebody who polls, and counts how often he is woken. */
struct waiter {
	struct poll_table_struct table;
	struct wait_queue_entry entry;
	struct wait_queue_head *head;
	unsigned int wakes;
};

static void wait_at(struct file *file, struct wait_queue_head *head,
		    struct poll_table_struct *table)
{
	struct waiter *waiter = container_of(table, struct waiter, table);

	waiter->head = head;
	add_wait_queue(head, &waiter->entry);
}

static int count_wake(struct wait_queue_entry *entry, unsigned int mode, int flags, void *key)
{
	container_of(entry, struct waiter, entry)->wakes++;
	return 0;
}

/* With half the buffer and not for each record, also after a reader that wanted only one. */
static void poll_is_woken_with_half(struct kunit *test)
{
	struct fake *fake = test->priv;
	struct waiter waiter = { };

	init_poll_funcptr(&waiter.table, wait_at);
	init_waitqueue_func_entry(&waiter.entry, count_wake);
	start(test, &fake_config);
	fake->device.misc.fops->poll(fake->file, &waiter.table);
	KUNIT_ASSERT_PTR_EQ(test, waiter.head, &fake->session->readable);

	for (unsigned int i = 0; i < 2; i++) {
		let_go(test, WAKE_AT - 1);
		KUNIT_EXPECT_EQ(test, waiter.wakes, i);
		let_go(test, 1);
		KUNIT_EXPECT_EQ(test, waiter.wakes, i + 1);
		KUNIT_EXPECT_EQ(test, fake_read(fake, 2 * WAKE_AT, false), WAKE_AT);
		let_go(test, 1);
		KUNIT_EXPECT_EQ(test, fake_read(fake, 1, true), 1);
	}
	remove_wait_queue(waiter.head, &waiter.entry);
}

static void poll_tells_of_half(struct kunit *test)
{
	struct fake *fake = test->priv;

	start(test, &fake_config);
	let_go(test, WAKE_AT - 1);
	KUNIT_EXPECT_EQ(test, fake_poll(fake), 0);
	let_go(test, 1);
	KUNIT_EXPECT_EQ(test, fake_poll(fake), FAKE_POLL_READ);
}

/* A signal ends the waiting, and what is there is read all the same. */
static void read_with_signal(struct kunit *test)
{
	struct fake *fake = test->priv;
	ssize_t nothing, one;

	start(test, &fake_config);
	allow_signal(SIGUSR1);
	send_sig(SIGUSR1, current, 0);
	nothing = fake_read(fake, 2, true);
	fake_let_go(fake, 1);
	fake_settles(fake);
	one = fake_read(fake, 2, true);
	flush_signals(current);
	disallow_signal(SIGUSR1);

	KUNIT_EXPECT_EQ(test, nothing, -ERESTARTSYS);
	KUNIT_EXPECT_EQ(test, one, 1);
}

static bool is_being_read(const struct fake *fake)
{
	return mutex_is_locked(&fake->session->read_lock);
}

struct reader {
	struct work_struct work;
	struct fake *fake;
	ssize_t ret;
};

static void read_meanwhile(struct work_struct *work)
{
	struct reader *reader = container_of(work, struct reader, work);

	reader->ret = fake_read(reader->fake, 1, true);
}

/* One reader waits for a record, and the other for the first, until a signal comes. */
static void two_readers(struct kunit *test)
{
	struct fake *fake = test->priv;
	struct reader reader = { .fake = fake };
	ssize_t ret;

	start(test, &fake_config);
	INIT_WORK_ONSTACK(&reader.work, read_meanwhile);
	schedule_work(&reader.work);
	for (int i = 0; i < 10 * HZ && !is_being_read(fake); i++)
		schedule_timeout_uninterruptible(1);
	allow_signal(SIGUSR1);
	send_sig(SIGUSR1, current, 0);
	ret = fake_read(fake, 1, true);
	flush_signals(current);
	disallow_signal(SIGUSR1);
	KUNIT_EXPECT_TRUE(test, is_being_read(fake));
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STOP), 0);
	flush_work(&reader.work);
	destroy_work_on_stack(&reader.work);

	KUNIT_EXPECT_EQ(test, ret, -ERESTARTSYS);
	KUNIT_EXPECT_EQ(test, reader.ret, 0);
}

static ssize_t read_to(struct fake *fake, unsigned long address, size_t size)
{
	fake->file->f_flags = O_NONBLOCK;
	return fake->device.misc.fops->read(fake->file, (char __user *)address, size, NULL);
}

static void read_whole_records(struct kunit *test)
{
	const size_t size = sizeof(struct idle_latency_record);
	struct fake *fake = test->priv;

	start(test, &fake_config);
	let_go(test, 3);
	KUNIT_EXPECT_EQ(test, read_to(fake, fake->user, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, read_to(fake, fake->user, size - 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, read_to(fake, fake->user, 2 * size - 1), size);
	KUNIT_EXPECT_EQ(test, fake_record(fake, 0)->seq, 0);
	KUNIT_EXPECT_EQ(test, read_to(fake, fake->user, 2 * size), 2 * size);
	KUNIT_EXPECT_EQ(test, fake_record(fake, 1)->seq, 2);
}

/* What could not be copied is not lost. */
static void read_to_nowhere(struct kunit *test)
{
	const size_t size = sizeof(struct idle_latency_record);
	struct fake *fake = test->priv;

	start(test, &fake_config);
	let_go(test, 4);
	KUNIT_EXPECT_EQ(test, read_to(fake, NOWHERE, size), -EFAULT);
	KUNIT_EXPECT_EQ(test, read_to(fake, fake->user + FAKE_USER - 2 * size - 1, 4 * size),
			2 * size);
	KUNIT_EXPECT_EQ(test, read_to(fake, fake->user, 4 * size), 2 * size);
	KUNIT_EXPECT_EQ(test, fake_record(fake, 0)->seq, 2);
	KUNIT_EXPECT_EQ(test, fake_record(fake, 1)->seq, 3);
}

static void ioctl_from_nowhere(struct kunit *test)
{
	struct fake *fake = test->priv;
	const unsigned long user = fake->user;

	fake->user = NOWHERE;
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_CONFIG), -EFAULT);
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_COUNTS), -EFAULT);
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STATE), -EFAULT);
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STATE + 1), -ENOTTY);
	fake->user = user;
	KUNIT_EXPECT_STREQ(test, fake->log, "");
}

/* What is asked for can be read from there, but not answered to there. */
static void ioctl_to_read_only_memory(struct kunit *test)
{
	struct fake *fake = test->priv;
	const unsigned long user = fake->user;

	fake->user = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ,
				   MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_FALSE(test, !fake->user || IS_ERR_VALUE(fake->user));
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STATE), -EFAULT);
	KUNIT_EXPECT_STREQ(test, fake->log, "find");
	fake->user = user;
}

static long ask_for_state(struct fake *fake, struct idle_latency_state *state)
{
	void __user *user = (void __user *)fake->user;
	long ret;

	if (copy_to_user(user, state, sizeof(*state)))
		return -EFAULT;

	ret = fake_ioctl(fake, IDLE_LATENCY_IOC_STATE);
	return copy_from_user(state, user, sizeof(*state)) ? -EFAULT : ret;
}

static void ioctl_state(struct kunit *test)
{
	struct idle_latency_state state = { .state = FAKE_STATE };
	struct fake *fake = test->priv;

	fake->state_flags = IDLE_LATENCY_STATE_PREWAKE;
	KUNIT_EXPECT_EQ(test, ask_for_state(fake, &state), 0);
	KUNIT_EXPECT_EQ(test, state.state, FAKE_STATE);
	KUNIT_EXPECT_EQ(test, state.exit_latency_ns, FAKE_EXIT_LATENCY_NS);
	KUNIT_EXPECT_EQ(test, state.flags, IDLE_LATENCY_STATE_PREWAKE);

	fake->fail = FAKE_FIND;
	fake->fail_error = -ENOENT;
	KUNIT_EXPECT_EQ(test, ask_for_state(fake, &state), -ENOENT);
	state.padding[ARRAY_SIZE(state.padding) - 1] = 1;
	KUNIT_EXPECT_EQ(test, ask_for_state(fake, &state), -EINVAL);
}

static struct kunit_case stream_test_cases[] = {
	KUNIT_CASE(record),
	KUNIT_CASE(probe_asked_for),
	KUNIT_CASE(probe_only),
	KUNIT_CASE(plain_source),
	KUNIT_CASE(stamps_in_steps),
	KUNIT_CASE(ldist_in_range),
	KUNIT_CASE_PARAM(reached, reached_gen_params),
	KUNIT_CASE(reached_at_once),
	KUNIT_CASE(package_is_read_rarely),
	KUNIT_CASE_PARAM(follows_the_counter, follow_gen_params),
	KUNIT_CASE(does_not_follow_over_a_wait),
	KUNIT_CASE(module_counts),
	KUNIT_CASE(armer_on_another_cpu),
	KUNIT_CASE(handled_on_another_cpu),
	KUNIT_CASE(record_without_wake),
	KUNIT_CASE(record_without_launch),
	KUNIT_CASE(record_without_idle),
	KUNIT_CASE(record_of_pending),
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
	KUNIT_CASE(back_pressure),
	KUNIT_CASE(back_pressure_by_discarded),
	KUNIT_CASE(reader_comes_back),
	KUNIT_CASE(reader_comes_back_too_late),
	KUNIT_CASE(reader_comes_back_to_another_state),
	KUNIT_CASE(reader_stops_instead),
	KUNIT_CASE(read_waits),
	KUNIT_CASE(read_waits_for_half),
	KUNIT_CASE(read_waits_for_discarded),
	KUNIT_CASE(read_ends_with_the_session),
	KUNIT_CASE(poll_tells_of_half),
	KUNIT_CASE(poll_is_woken_with_half),
	KUNIT_CASE(read_with_signal),
	KUNIT_CASE(two_readers),
	KUNIT_CASE(read_whole_records),
	KUNIT_CASE(read_to_nowhere),
	KUNIT_CASE(ioctl_from_nowhere),
	KUNIT_CASE(ioctl_to_read_only_memory),
	KUNIT_CASE(ioctl_state),
	{}
};

static struct kunit_suite stream_suite = {
	.name = "idle_latency_stream",
	.init = fake_init,
	.exit = fake_exit,
	.test_cases = stream_test_cases,
};

kunit_test_suite(stream_suite);
