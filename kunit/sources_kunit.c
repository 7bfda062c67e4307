// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests for the event sources: where they work, and how hrt and tdt arm, handle and
 * explain an event.
 */
#include "fake_hardware.h"

#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/smp.h>

#define SEC	1000000000ULL

/* Of the clock of a source against the TSC. */
#define MONOTONIC_PPM	500

struct source_case {
	const char *name;
	const struct idle_latency_source_ops *source;
	u32 id;
	u64 ldist_min_ns;
};

static const struct source_case source_cases[] = {
	{ "hrt", &idle_latency_hrt, IDLE_LATENCY_SOURCE_HRT, 1 },
	{ "tdt", &idle_latency_tdt, IDLE_LATENCY_SOURCE_TDT, 1 },
	{ "nic", &idle_latency_nic_source, IDLE_LATENCY_SOURCE_NIC, 1000 },
};

KUNIT_ARRAY_PARAM_DESC(source, source_cases, name);

static void source(struct kunit *test)
{
	const struct source_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, c->source->id, c->id);
	KUNIT_EXPECT_EQ(test, c->source->ldist_min_ns, c->ldist_min_ns);
}

struct check_case {
	const char *name;
	u32 state_flags;
	bool no_resolution;
	bool untrusted;
	bool no_deadline;
	bool absent;
	u32 card;
	int hrt;
	int tdt;
	int nic;
};

static const struct check_case check_cases[] = {
	{ "all is there", 0, false, false, false, false, 0, 0, 0, 0 },
	{ "timers wait for the tick", 0, true, false, false, false, 0,
	  -EOPNOTSUPP, -EOPNOTSUPP, -EOPNOTSUPP },
	{ "the TSC is not trusted", 0, false, true, false, false, 0,
	  -EOPNOTSUPP, -EOPNOTSUPP, -EOPNOTSUPP },
	{ "the deadline is not used", 0, false, false, true, false, 0, 0, -EOPNOTSUPP, 0 },
	{ "no card is bound", 0, false, false, false, true, 0, 0, 0, -EOPNOTSUPP },
	{ "the card is bound", 0, false, false, false, false, FAKE_CARD, 0, 0, 0 },
	{ "another card is bound", 0, false, false, false, false, FAKE_CARD + 1, 0, 0, -ENODEV },
	{ "the timer stops in the state", IDLE_LATENCY_STATE_TIMER_STOP, false, false, false,
	  false, 0, -EOPNOTSUPP, -EOPNOTSUPP, 0 },
	{ "other states", (u32)~IDLE_LATENCY_STATE_TIMER_STOP, false, false, false,
	  false, 0, 0, 0, 0 },
};

KUNIT_ARRAY_PARAM_DESC(check, check_cases, name);

static void check(struct kunit *test)
{
	const struct check_case *c = test->param_value;
	const struct idle_latency_config config = { .card = c->card };

	hw->no_resolution = c->no_resolution;
	hw->untrusted = c->untrusted;
	hw->has_deadline = !c->no_deadline;
	hw->absent = c->absent;
	KUNIT_EXPECT_EQ(test, idle_latency_hrt.check(&config, c->state_flags), c->hrt);
	KUNIT_EXPECT_EQ(test, idle_latency_tdt.check(&config, c->state_flags), c->tdt);
	KUNIT_EXPECT_EQ(test, idle_latency_nic_source.check(&config, c->state_flags), c->nic);
}

/* Timekeeping tells what the time was made of: there is no error but the drift. */
static void cross_of_timekeeping(struct kunit *test)
{
	struct idle_latency_cross cross;

	hw->monotonic_ns = 42 * SEC;
	cross = idle_latency_cross_monotonic();
	KUNIT_EXPECT_EQ(test, cross.tsc, hw->tsc);
	KUNIT_EXPECT_EQ(test, cross.clock_ns, 42 * SEC);
	KUNIT_EXPECT_EQ(test, cross.error_cyc, 0);
	KUNIT_EXPECT_EQ(test, cross.drift_ppm, MONOTONIC_PPM);
}

/* Elsewhere the time is read between two stamps, and is as old as the clock is coarse. */
static void cross_between_stamps(struct kunit *test)
{
	const u64 before_ns = ktime_get_ns();
	struct idle_latency_cross cross;

	hw->stamp_cyc = 400;
	cross = idle_latency_cross_monotonic();
	KUNIT_EXPECT_EQ(test, cross.tsc, hw->tsc - 200);
	KUNIT_EXPECT_GE(test, cross.clock_ns, before_ns);
	KUNIT_EXPECT_LE(test, cross.clock_ns, ktime_get_ns());
	KUNIT_EXPECT_EQ(test, cross.error_cyc, 200 + ktime_get_resolution_ns() + 1);
	KUNIT_EXPECT_EQ(test, cross.drift_ppm, MONOTONIC_PPM);
}

/* A real timer: its handler runs in the interrupt of the timer of the CPU. */
static void timer_fires(struct kunit *test)
{
	struct idle_latency_session *session = hw->session;
	const ktime_t before = ktime_get();

	hw->monotonic_ns = 42 * SEC;
	session->shot.ldist_ns = 1000000;
	KUNIT_ASSERT_EQ(test, idle_latency_hrt.start(session), 0);
	KUNIT_ASSERT_EQ(test, idle_latency_hrt.arm(session), 0);
	KUNIT_EXPECT_GE(test, session->shot.expires, before + 1000000);
	for (int i = 0; i < HZ && !fake_was_handled(); i++)
		schedule_timeout_uninterruptible(1);
	KUNIT_EXPECT_EQ(test, idle_latency_hrt.disarm(session), 0);

	KUNIT_ASSERT_TRUE(test, fake_was_handled());
	KUNIT_EXPECT_FALSE(test, session->shot.armed);
	KUNIT_EXPECT_GE(test, ktime_get(), session->shot.expires);
	KUNIT_EXPECT_EQ(test, session->shot.tintr_cyc, hw->tsc);
	KUNIT_EXPECT_EQ(test, session->shot.cross.clock_ns, 42 * SEC);
	KUNIT_EXPECT_EQ(test, hw->residency_ends, 1);
	KUNIT_EXPECT_FALSE(test, hrtimer_active(&hw->x86->timer));
}

static void timer_is_disarmed(struct kunit *test)
{
	struct idle_latency_session *session = hw->session;

	session->shot.ldist_ns = 3600 * SEC;
	KUNIT_ASSERT_EQ(test, idle_latency_tdt.start(session), 0);
	KUNIT_ASSERT_EQ(test, idle_latency_tdt.arm(session), 0);
	KUNIT_EXPECT_TRUE(test, session->shot.armed);
	KUNIT_EXPECT_TRUE(test, hrtimer_active(&hw->x86->timer));
	KUNIT_EXPECT_EQ(test, idle_latency_tdt.disarm(session), 0);
	KUNIT_EXPECT_FALSE(test, hrtimer_active(&hw->x86->timer));
	KUNIT_EXPECT_FALSE(test, fake_was_handled());
}

#define EXPIRES		(50 * SEC)
#define DEADLINE	7000000

struct timer_case {
	const char *name;
	s64 next;
	unsigned int periods;
	u64 deadline;
	bool later;
	u32 hrt;
	u32 tdt;
};

static const struct timer_case timer_cases[] = {
	{ "programmed to the event", 0, 1, DEADLINE, true, 0, 0 },
	{ "programmed to something before", -1, 1, DEADLINE, false, REASON(FOREIGN_TIMER),
	  REASON(FOREIGN_TIMER) },
	{ "programmed to something later", 1, 1, DEADLINE, true, REASON(BEFORE_IDLE),
	  REASON(BEFORE_IDLE) },
	{ "no idle period", -1, 0, DEADLINE, false, 0, 0 },
	{ "no deadline", 0, 1, 0, true, 0, REASON(BEFORE_IDLE) },
};

KUNIT_ARRAY_PARAM_DESC(timer, timer_cases, name);

static void set_up_timer(const struct timer_case *c, struct idle_latency_event *event)
{
	struct idle_latency_shot *shot = &hw->session->shot;

	shot->expires = EXPIRES;
	shot->entry.next_event = EXPIRES + c->next;
	shot->cross = (struct idle_latency_cross) { 1, 2, 3, 4 };
	*event = (struct idle_latency_event) {
		.idle_periods	= c->periods,
		.tsc_khz	= FAKE_KHZ * 2,
		.reasons	= REASON(NMI),
	};
}

static void explain_hrt(struct kunit *test)
{
	const struct timer_case *c = test->param_value;
	const bool by_deadline = !c->next && c->deadline;
	struct idle_latency_event event;

	set_up_timer(c, &event);
	hw->deadline = c->deadline;
	idle_latency_hrt.before_idle(hw->session);
	idle_latency_hrt.explain(hw->session, &event);
	KUNIT_EXPECT_TRUE(test, event.own_timer);
	KUNIT_EXPECT_EQ(test, event.timer_later, c->later);
	KUNIT_EXPECT_EQ(test, event.reasons, REASON(NMI) | c->hrt);
	KUNIT_EXPECT_TRUE(test, event.ltime_known);
	KUNIT_EXPECT_EQ(test, event.ltime_ns, EXPIRES);
	KUNIT_EXPECT_EQ(test, event.cross.tsc, by_deadline ? DEADLINE : 1);
	KUNIT_EXPECT_EQ(test, event.cross.clock_ns, by_deadline ? EXPIRES : 2);
	KUNIT_EXPECT_EQ(test, event.cross.error_cyc, by_deadline ? 0 : 3);
	KUNIT_EXPECT_EQ(test, event.cross.drift_ppm, by_deadline ? 0 : 4);
}

/* Where the kernel does not use the deadline, there is no register to read. */
static void no_deadline(struct kunit *test)
{
	hw->has_deadline = false;
	hw->deadline = DEADLINE;
	hw->session->shot.idle.deadline_tsc = DEADLINE - 1;
	idle_latency_hrt.before_idle(hw->session);
	KUNIT_EXPECT_EQ(test, hw->session->shot.idle.deadline_tsc, 0);
}

/* The timer may fire late by as much, of which the deadline does not tell. */
static void timer_ticks_in_the_state(struct kunit *test)
{
	struct idle_latency_event event;

	set_up_timer(&timer_cases[0], &event);
	hw->session->cstate.timer_tick_ns = 42;
	hw->deadline = DEADLINE;
	idle_latency_hrt.before_idle(hw->session);
	idle_latency_hrt.explain(hw->session, &event);
	KUNIT_EXPECT_EQ(test, event.cross.error_cyc, 2 * 42);
	idle_latency_tdt.explain(hw->session, &event);
	KUNIT_EXPECT_EQ(test, event.cross.error_cyc, 2 * 42);

	hw->session->shot.idle.deadline_tsc = 0;
	idle_latency_hrt.explain(hw->session, &event);
	KUNIT_EXPECT_EQ(test, event.cross.error_cyc, 3 + 2 * 42);
}

struct deadline_case {
	const char *name;
	s64 next;
	u64 deadline;
	u64 reading;
	s32 hrt_ns;
	bool hrt;
	bool tdt;
};

/* CLOCK_MONOTONIC is at EXPIRES when the TSC is at the reading. */
static const struct deadline_case deadline_cases[] = {
	{ "exact", 0, DEADLINE, DEADLINE, 0, true, true },
	{ "early", 0, DEADLINE, DEADLINE + 3, -3, true, true },
	{ "late", 0, DEADLINE, DEADLINE - 400, 400, true, true },
	{ "late beyond what can be said", 0, DEADLINE + 3000000000, DEADLINE, S32_MAX,
	  true, true },
	{ "early beyond that", 0, DEADLINE, DEADLINE + 3000000000, S32_MIN, true, true },
	{ "of another timer", -1, DEADLINE, DEADLINE, 0, false, true },
	{ "none", 0, 0, DEADLINE, 0, false, false },
};

KUNIT_ARRAY_PARAM_DESC(deadline, deadline_cases, name);

static void record_of_deadline(struct kunit *test)
{
	const struct deadline_case *c = test->param_value;
	struct idle_latency_shot *shot = &hw->session->shot;
	struct idle_latency_record hrt = { .flags = 2 }, tdt = { .flags = 2 };

	shot->expires = EXPIRES;
	shot->entry.next_event = EXPIRES + c->next;
	shot->idle.deadline_tsc = c->deadline;
	shot->cross = (struct idle_latency_cross) { .tsc = c->reading, .clock_ns = EXPIRES };
	idle_latency_hrt.record(hw->session, &hrt);
	idle_latency_tdt.record(hw->session, &tdt);
	KUNIT_EXPECT_EQ(test, hrt.flags, 2 | (c->hrt ? IDLE_LATENCY_RECORD_DEADLINE : 0));
	KUNIT_EXPECT_EQ(test, hrt.deadline_ns, c->hrt_ns);
	KUNIT_EXPECT_EQ(test, tdt.flags, 2 | (c->tdt ? IDLE_LATENCY_RECORD_DEADLINE : 0));
	KUNIT_EXPECT_EQ(test, tdt.deadline_ns, 0);
}

/*
 * How timekeeping makes CLOCK_MONOTONIC of the TSC, and a deadline of CLOCK_MONOTONIC: the
 * second factor is the inverse of the first, of 22 bits, and rounded down.
 */
#define TIMEKEEPING_SHIFT	24
#define DEADLINE_SHIFT		20

static u64 monotonic_of(u64 cyc, u32 mult)
{
	return mul_u64_u32_shr(cyc, mult, TIMEKEEPING_SHIFT);
}

static u64 deadline_of(u64 ns, u32 mult)
{
	const u32 inverse = div_u64(1ULL << (TIMEKEEPING_SHIFT + DEADLINE_SHIFT), mult);

	return mul_u64_u32_shr(ns, inverse, DEADLINE_SHIFT);
}

/* How far the latency that a cross-timestamp makes is outside of its error, in ns. */
static s64 outside(const struct idle_latency_event *event,
		   const struct idle_latency_cross *cross, u64 tai_cyc, u64 truth_ns)
{
	const u64 wake_ns = idle_latency_project(cross, tai_cyc, event->tsc_khz) -
			    event->ltime_ns;

	return abs_diff(wake_ns, truth_ns) -
	       (s64)idle_latency_project_error(cross, tai_cyc, event->tsc_khz);
}

/* NTP may change the rate at which the clock goes on, after the deadline was computed. */
struct rate_case {
	u32 khz;
	u64 ldist_ns;
	s32 step_ppm;
	bool early;
};

static const struct rate_case rate_cases[] = {
	{ 1000000, 50000000, 0, false },
	{ 2000000, 50000000, 0, false },
	{ 2095078, 20000, 0, false },
	{ 2095078, 50000000, 0, true },
	{ 2100000, 50000000, 0, true },
	{ 2600000, 50000000, 0, true },
	{ 3700000, 50000000, 0, true },
	{ 1000000, 8000000, 10, true },
	{ 2095078, 8000000, -10, true },
};

/*
 * The truth is within the error at each rate of the TSC. It would not be with the time at
 * which the timer was due.
 */
static void truth_is_within_error_of_deadline(struct kunit *test)
{
	struct idle_latency_shot *shot = &hw->session->shot;

	for (int i = 0; i < ARRAY_SIZE(rate_cases); i++) {
		const struct rate_case *c = &rate_cases[i];
		const u32 mult = div_u64((1000000ULL << TIMEKEEPING_SHIFT) + c->khz / 2, c->khz);
		const u32 later_mult = mult + div_s64((s64)mult * c->step_ppm, 1000000);
		struct idle_latency_event event = { .tsc_khz = c->khz, .idle_periods = 1 };
		u64 tai_cyc, truth_ns;

		hw->deadline = deadline_of(c->ldist_ns, mult);
		tai_cyc = hw->deadline + 3001;
		truth_ns = idle_latency_cyc_to_ns(3001, c->khz);
		shot->expires = c->ldist_ns;
		shot->entry.next_event = shot->expires;
		shot->cross = (struct idle_latency_cross) {
			.tsc = tai_cyc + 500,
			.clock_ns = monotonic_of(tai_cyc + 500, later_mult),
			.drift_ppm = MONOTONIC_PPM,
		};
		idle_latency_hrt.before_idle(hw->session);
		idle_latency_hrt.explain(hw->session, &event);
		KUNIT_EXPECT_LE_MSG(test, outside(&event, &event.cross, tai_cyc, truth_ns), 0,
				    "%u kHz", c->khz);
		KUNIT_EXPECT_EQ(test, idle_latency_project_error(&event.cross, tai_cyc, c->khz), 2);
		KUNIT_EXPECT_EQ_MSG(test, outside(&event, &shot->cross, tai_cyc, truth_ns) > 0,
				    c->early, "%u kHz", c->khz);
	}
}

/* The deadline that is read when idle begins is the launch time, without any error. */
static void explain_tdt(struct kunit *test)
{
	const struct timer_case *c = test->param_value;
	struct idle_latency_event event;

	set_up_timer(c, &event);
	hw->deadline = c->deadline;
	idle_latency_tdt.before_idle(hw->session);
	idle_latency_tdt.explain(hw->session, &event);
	KUNIT_EXPECT_TRUE(test, event.own_timer);
	KUNIT_EXPECT_EQ(test, event.timer_later, c->later);
	KUNIT_EXPECT_EQ(test, event.reasons, REASON(NMI) | c->tdt);
	KUNIT_EXPECT_EQ(test, event.ltime_known, c->deadline != 0);
	if (!c->deadline)
		return;

	KUNIT_EXPECT_EQ(test, event.ltime_ns, DEADLINE / 2);
	KUNIT_EXPECT_EQ(test, event.cross.tsc, DEADLINE);
	KUNIT_EXPECT_EQ(test, event.cross.clock_ns, DEADLINE / 2);
	KUNIT_EXPECT_EQ(test, event.cross.error_cyc, 0);
	KUNIT_EXPECT_EQ(test, event.cross.drift_ppm, 0);
}

static struct kunit_case sources_test_cases[] = {
	KUNIT_CASE_PARAM(source, source_gen_params),
	KUNIT_CASE_PARAM(check, check_gen_params),
	KUNIT_CASE(cross_of_timekeeping),
	KUNIT_CASE(cross_between_stamps),
	KUNIT_CASE(timer_fires),
	KUNIT_CASE(timer_is_disarmed),
	KUNIT_CASE_PARAM(explain_hrt, timer_gen_params),
	KUNIT_CASE_PARAM(explain_tdt, timer_gen_params),
	KUNIT_CASE(no_deadline),
	KUNIT_CASE(timer_ticks_in_the_state),
	KUNIT_CASE_PARAM(record_of_deadline, deadline_gen_params),
	KUNIT_CASE(truth_is_within_error_of_deadline),
	{}
};

static struct kunit_suite sources_suite = {
	.name = "idle_latency_sources",
	.init = fake_hardware_init,
	.test_cases = sources_test_cases,
};

kunit_test_suite(sources_suite);
