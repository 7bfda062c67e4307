// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests for the records of a session: what one says of its event, and which
 * events have none.
 */
#include <kunit/test.h>
#include <linux/limits.h>

#include "fake_machine.h"

#define COUNTER(name)	BIT(IDLE_LATENCY_RESIDENCY_##name)

/* All that a record says, with stamps around ->enter(). */
static void record(struct kunit *test)
{
	struct fake *fake = test->priv;
	const u64 tbi = fake->tsc + FAKE_ENTRY_NS, ltime = fake->tsc + FAKE_LDIST_NS;
	const struct idle_latency_record *r;

	fake->residency[IDLE_LATENCY_RESIDENCY_MC6] = 3;
	fake_start(test, &fake_config);
	fake_run(test, 1);
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
	KUNIT_EXPECT_EQ(test, r->tbi_cyc, tbi);
	KUNIT_EXPECT_EQ(test, r->tai_cyc, ltime + FAKE_WAKE_NS);
	KUNIT_EXPECT_EQ(test, r->tintr_cyc, ltime + FAKE_INTR_NS);
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

	fake_run(test, 1);
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
	fake_start(test, &config);
	expect_probe_stamps(test);
}

static void probe_only(struct kunit *test)
{
	struct fake *fake = test->priv;

	fake->no_enter_stamps = true;
	fake_start(test, &fake_config);
	expect_probe_stamps(test);
}

/* It has nothing of its own to tell. */
static void plain_source(struct kunit *test)
{
	struct idle_latency_config config = fake_config;
	struct fake *fake = test->priv;

	config.source = IDLE_LATENCY_SOURCE_HRT;
	fake_start(test, &config);
	fake_run(test, 1);
	KUNIT_ASSERT_EQ(test, fake_read(fake, 1, false), 1);
	KUNIT_EXPECT_EQ(test, fake_record(fake, 0)->source, IDLE_LATENCY_SOURCE_HRT);
	KUNIT_EXPECT_EQ(test, fake_record(fake, 0)->latch_ns, 0);
}

/* What a stamp can be too old is part of the error. */
static void stamps_in_steps(struct kunit *test)
{
	struct fake *fake = test->priv;

	fake->step = 37;
	fake_start(test, &fake_config);
	fake_run(test, 1);
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
	fake_start(test, &config);
	/* That one of four is missing among so many is one case in 10^124. */
	fake_run(test, 1000);
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
#define IN_MODULE		IDLE_LATENCY_RECORD_MODULE

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
	fake_start(test, &fake_config);
	fake_run(test, 1);
	KUNIT_ASSERT_EQ(test, fake_read(fake, 1, false), 1);
	r = fake_record(fake, 0);
	KUNIT_EXPECT_EQ(test, r->flags & (COUNTED | REACHED | PACKAGE | IN_MODULE), c->flags);
	KUNIT_EXPECT_EQ(test, r->residency_invalid, c->invalid);
}

/* An event that came before the CPU can have been in the state: one count is needed. */
static void reached_at_once(struct kunit *test)
{
	struct idle_latency_config config = fake_config;
	struct fake *fake = test->priv;

	config.ldist_from_ns = FAKE_ENTRY_NS + 1100;
	config.ldist_to_ns = config.ldist_from_ns;
	fake_start(test, &config);
	fake->residency[IDLE_LATENCY_RESIDENCY_CC6] = 1;
	fake_run(test, 1);
	fake->residency[IDLE_LATENCY_RESIDENCY_CC6] = 0;
	fake_run(test, 1);
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

	fake_start(test, &fake_config);
	fake_run(test, 3);
	fake->event.nmis = 1;
	fake_run(test, 1);
	fake->event.nmis = 0;
	fake_run(test, 15);
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
	fake_start(test, &fake_config);
	fake_run(test, 1);
	fake->event = c->second;
	fake_run(test, 1);
	fake->event = (struct fake_event) { };
	fake_run(test, 1);
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
	fake_start(test, &fake_config);
	fake_run(test, size + 1);
	KUNIT_EXPECT_EQ(test, fake_counts(fake)->between_cyc, 10 * (size - 1));
	KUNIT_ASSERT_EQ(test, fake_read(fake, 1, false), 1);
	KUNIT_ASSERT_TRUE(test, fake_settles(fake));
	KUNIT_EXPECT_EQ(test, fake_counts(fake)->armed, size + 1);
	KUNIT_EXPECT_EQ(test, fake_counts(fake)->between_cyc, 10 * (size - 1));
	KUNIT_ASSERT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STOP), 0);

	KUNIT_ASSERT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), 0);
	fake_run(test, 1);
	KUNIT_EXPECT_EQ(test, fake_counts(fake)->between_cyc, 0);
}

/* A count of the module is a us, which is not always a whole number of cycles. */
static void module_counts(struct kunit *test)
{
	struct fake *fake = test->priv;

	fake->khz = 2000500;
	fake->residency[IDLE_LATENCY_RESIDENCY_MC6] = 3;
	fake_start(test, &fake_config);
	fake_run(test, 1);
	KUNIT_ASSERT_EQ(test, fake_read(fake, 1, false), 1);
	KUNIT_EXPECT_EQ(test, fake_record(fake, 0)->residency_cyc[IDLE_LATENCY_RESIDENCY_MC6],
			3 * 2001);
}

/* More of them than us have passed are cycles, if not more than these. */
static void module_cycles(struct kunit *test)
{
	const u64 cycles[] = { FAKE_INTERVAL_CYC / 1000 + 2, FAKE_INTERVAL_CYC };
	struct fake *fake = test->priv;

	fake_start(test, &fake_config);
	for (int i = 0; i < ARRAY_SIZE(cycles); i++) {
		const struct idle_latency_record *r;

		fake->residency[IDLE_LATENCY_RESIDENCY_MC6] = cycles[i];
		fake_run(test, 1);
		KUNIT_ASSERT_EQ(test, fake_read(fake, 1, false), 1);
		r = fake_record(fake, 0);
		KUNIT_EXPECT_EQ(test, r->residency_cyc[IDLE_LATENCY_RESIDENCY_MC6], cycles[i]);
		/* All of SilentTime is in the whole interval only. */
		KUNIT_EXPECT_EQ(test, r->flags & IN_MODULE, i ? IN_MODULE : 0);
		KUNIT_EXPECT_EQ(test, r->residency_invalid, 0);
	}

	fake->residency[IDLE_LATENCY_RESIDENCY_MC6] = FAKE_INTERVAL_CYC + 1;
	fake_run(test, 1);
	KUNIT_ASSERT_EQ(test, fake_read(fake, 1, false), 1);
	KUNIT_EXPECT_EQ(test, fake_record(fake, 0)->residency_invalid, COUNTER(MC6));
	KUNIT_EXPECT_EQ(test, fake_record(fake, 0)->flags & IN_MODULE, 0);
}

/* The measured CPU goes offline: what only it has cannot be read from here. */
static void armer_on_another_cpu(struct kunit *test)
{
	struct idle_latency_config config = fake_config;
	const struct idle_latency_record *r;
	struct fake *fake = test->priv;

	config.flags = IDLE_LATENCY_CONFIG_KEEP;
	fake_start(test, &config);
	fake->session->config.cpu = fake_config.cpu + 1;
	fake_run(test, 1);
	KUNIT_ASSERT_EQ(test, fake_read(fake, 1, false), 1);
	r = fake_record(fake, 0);
	KUNIT_EXPECT_EQ(test, r->reasons, REASON(OTHER_CPU));
	KUNIT_EXPECT_EQ(test, r->cpu, fake_config.cpu + 1);
	KUNIT_EXPECT_EQ(test, r->aperf_cyc, 0);
	KUNIT_EXPECT_EQ(test, r->mperf_cyc, 0);

	/* The CPU that it has claimed. */
	fake->session->config.cpu = fake_config.cpu;
}

/* The record of the first event of a session that keeps those that it discards. */
static const struct idle_latency_record *keep_one(struct kunit *test)
{
	struct idle_latency_config config = fake_config;
	struct fake *fake = test->priv;

	config.flags = IDLE_LATENCY_CONFIG_KEEP;
	fake_start(test, &config);
	fake_run(test, 1);
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
	for (int i = IDLE_LATENCY_RESIDENCY_MC6; i <= IDLE_LATENCY_RESIDENCY_PC10; i++)
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
	KUNIT_EXPECT_EQ(test, r->tbi_cyc, 0);
	KUNIT_EXPECT_EQ(test, r->tai_cyc, 0);
	KUNIT_EXPECT_NE(test, r->tintr_cyc, 0);
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
	fake_start(test, &config);
	fake_run(test, 1);
	fake->event.event_pending = true;
	fake_run(test, 1);
	KUNIT_ASSERT_EQ(test, fake_read(fake, 2, false), 2);
	KUNIT_EXPECT_FALSE(test, fake_record(fake, 0)->flags & IDLE_LATENCY_RECORD_PENDING);
	r = fake_record(fake, 1);
	KUNIT_EXPECT_TRUE(test, r->flags & IDLE_LATENCY_RECORD_PENDING);
	KUNIT_EXPECT_EQ(test, r->reasons, REASON(BEFORE_IDLE));
	KUNIT_EXPECT_EQ(test, r->tai_cyc - r->tbi_cyc, FAKE_WAKE_NS - 100);
}

static struct kunit_case record_test_cases[] = {
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
	KUNIT_CASE(module_cycles),
	KUNIT_CASE(armer_on_another_cpu),
	KUNIT_CASE(handled_on_another_cpu),
	KUNIT_CASE(record_without_wake),
	KUNIT_CASE(record_without_launch),
	KUNIT_CASE(record_without_idle),
	KUNIT_CASE(record_of_pending),
	{}
};

static struct kunit_suite record_suite = {
	.name = "idle_latency_record",
	.init = fake_init,
	.exit = fake_exit,
	.test_cases = record_test_cases,
};

kunit_test_suite(record_suite);
