// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests for the event source nic: how it arms, handles and explains an event.
 */
#include "fake_hardware.h"

#include <linux/hardirq.h>
#include <linux/irqflags.h>
#include <linux/limits.h>

#include "../nic_regs.h"

#define SEC	1000000000ULL

/* A card whose clock was begun, as it is bound. */
static void bind(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, idle_latency_nic_begin_clock(&hw->nic), 0);
	fake_forget_accesses();
}

static void start_nic(struct kunit *test)
{
	bind(test);
	hw->session->shot.ldist_ns = 20000;
	KUNIT_ASSERT_EQ(test, idle_latency_nic_source.start(hw->session), 0);
	KUNIT_ASSERT_PTR_EQ(test, hw->x86->nic, &hw->nic);
}

/* The interrupt of the card. */
static irqreturn_t interrupt(void)
{
	unsigned long flags;
	irqreturn_t ret;

	local_irq_save(flags);
	__irq_enter_raw();
	ret = hw->handler(0, &hw->nic);
	__irq_exit_raw();
	local_irq_restore(flags);
	return ret;
}

/* The handler stands before the card may interrupt, and goes after it was silenced. */
static void nic_start_and_stop(struct kunit *test)
{
	hw->session->config.cpu = 3;
	hw->irq_msix = true;
	start_nic(test);
	KUNIT_EXPECT_TRUE(test, hw->taken);
	KUNIT_EXPECT_EQ(test, hw->irq_cpu, 3);
	KUNIT_EXPECT_EQ(test, hw->x86->vector, FAKE_VECTOR);
	for (unsigned int i = 0; i < hw->requested_at; i++)
		KUNIT_EXPECT_FALSE(test, hw->accesses[i].write);
	KUNIT_EXPECT_EQ(test, fake_written(test, NIC_TSIM), NIC_TSICR_TT0);
	KUNIT_EXPECT_EQ(test, fake_written(test, NIC_EIMS), NIC_EIMS_VECTOR0);

	idle_latency_nic_source.stop(hw->session);
	KUNIT_EXPECT_EQ(test, fake_written(test, NIC_TSIM), 0);
	KUNIT_EXPECT_NULL(test, hw->handler);
	KUNIT_EXPECT_FALSE(test, hw->taken);
	KUNIT_EXPECT_NULL(test, hw->x86->nic);
	KUNIT_EXPECT_EQ(test, hw->x86->vector, 0);
}

struct start_case {
	const char *name;
	bool absent;
	bool gone;
	int irq_error;
	int session_error;
	u32 card;
	int result;
};

static const struct start_case start_cases[] = {
	{ "there is no card", true, false, 0, 0, 0, -EOPNOTSUPP },
	{ "there is another card", false, false, 0, 0, FAKE_CARD + 1, -ENODEV },
	{ "the card does not answer", false, true, 0, 0, FAKE_CARD, -ENODEV },
	{ "no memory for the interrupt", false, false, -ENOMEM, 0, 0, -ENOMEM },
	{ "no vector for it", false, false, -ENOSPC, 0, 0, -ENOSPC },
	{ "another reason not to get it", false, false, -EBUSY, 0, 0, -ENOSPC },
	{ "because the CPU has gone", false, false, -EINVAL, -ENXIO, 0, -ENXIO },
};

KUNIT_ARRAY_PARAM_DESC(start, start_cases, name);

/* Nothing was written to the card, and it belongs to nobody afterwards. */
static void nic_does_not_start(struct kunit *test)
{
	const struct start_case *c = test->param_value;

	bind(test);
	hw->absent = c->absent;
	hw->gone = c->gone;
	hw->irq_error = c->irq_error;
	hw->session->error = c->session_error;
	hw->session->config.card = c->card;
	KUNIT_EXPECT_EQ(test, idle_latency_nic_source.start(hw->session), c->result);
	KUNIT_EXPECT_FALSE(test, hw->taken);
	KUNIT_EXPECT_NULL(test, hw->x86->nic);
	for (unsigned int i = 0; i < hw->count; i++)
		KUNIT_EXPECT_FALSE(test, hw->accesses[i].write);
}

/* Another session has it, and keeps it. */
static void nic_is_taken(struct kunit *test)
{
	bind(test);
	hw->taken = true;
	KUNIT_EXPECT_EQ(test, idle_latency_nic_source.start(hw->session), -EBUSY);
	KUNIT_EXPECT_TRUE(test, hw->taken);
	KUNIT_EXPECT_NULL(test, hw->x86->nic);
}

static void nic_arms(struct kunit *test)
{
	u32 sec, nsec;

	start_nic(test);
	atomic_set(&hw->nic.spurious, 5);
	KUNIT_EXPECT_EQ(test, idle_latency_nic_source.arm(hw->session), 0);
	KUNIT_EXPECT_TRUE(test, hw->session->shot.armed);
	KUNIT_EXPECT_EQ(test, atomic_read(&hw->nic.spurious), 0);
	idle_latency_nic_split_ns(hw->nic.target_ns, &sec, &nsec);
	KUNIT_EXPECT_EQ(test, fake_written(test, NIC_TRGTTIML0), nsec);
	KUNIT_EXPECT_EQ(test, fake_written(test, NIC_TRGTTIMH0), sec);
	KUNIT_EXPECT_EQ(test, fake_written(test, NIC_TSAUXC), NIC_TSAUXC_EN_TT0);

	KUNIT_EXPECT_EQ(test, idle_latency_nic_source.disarm(hw->session), 0);
	KUNIT_EXPECT_EQ(test, fake_written(test, NIC_TSAUXC), 0);
	KUNIT_EXPECT_EQ(test, hw->synced, 1);
}

struct arm_case {
	const char *name;
	u64 ldist_ns;
	unsigned int gone_after;
	bool armed;
	int result;
};

/*
 * From latching the time to latching it once more pass 3 reads of the one and 1 of TSICR,
 * which is 4 * READ_CYC; the event is late when the target is not after that.
 */
static const struct arm_case arm_cases[] = {
	{ "just in time", 4 * READ_CYC + 1, 0, true, 0 },
	{ "too late", 4 * READ_CYC, 0, true, -ETIME },
	{ "the card has gone", 20000, 1, false, -ENODEV },
	{ "it goes in between", 20000, 5, true, -ENODEV },
};

KUNIT_ARRAY_PARAM_DESC(arm, arm_cases, name);

static void nic_arms_in_time(struct kunit *test)
{
	const struct arm_case *c = test->param_value;

	start_nic(test);
	fake_forget_accesses();
	hw->gone_after = c->gone_after;
	hw->session->shot.ldist_ns = c->ldist_ns;
	KUNIT_EXPECT_EQ(test, idle_latency_nic_source.arm(hw->session), c->result);
	KUNIT_EXPECT_EQ(test, hw->session->shot.armed, c->armed);
}

static void nic_cannot_disarm(struct kunit *test)
{
	start_nic(test);
	hw->gone = true;
	KUNIT_EXPECT_EQ(test, idle_latency_nic_source.disarm(hw->session), -ENODEV);
}

/* All that an event leaves behind. */
static void nic_fires(struct kunit *test)
{
	struct idle_latency_session *session = hw->session;
	struct idle_latency_record record = { };
	struct idle_latency_event event = { };
	u64 tsc;

	start_nic(test);
	KUNIT_ASSERT_EQ(test, idle_latency_nic_source.arm(session), 0);
	hw->tsc += 1000000;
	hw->icr = NIC_ICR_TIME_SYNC;
	hw->tsicr = NIC_TSICR_TT0;
	tsc = hw->tsc;
	fake_forget_accesses();
	KUNIT_EXPECT_EQ(test, interrupt(), IRQ_HANDLED);

	KUNIT_ASSERT_TRUE(test, fake_was_handled());
	KUNIT_EXPECT_FALSE(test, session->shot.armed);
	KUNIT_EXPECT_EQ(test, session->shot.tintr_cyc, tsc);
	KUNIT_EXPECT_EQ(test, hw->residency_ends, 1);
	KUNIT_EXPECT_EQ(test, fake_written(test, NIC_EIMS), NIC_EIMS_OTHER);

	/* The rate of the clock is that of the TSC, so that nothing is stretched. */
	event.handled = true;
	event.tsc_khz = FAKE_KHZ;
	event.tai_cyc = tsc;
	hw->monotonic_ns = ktime_get_ns();
	session->shot.entry.next_event = hw->monotonic_ns + SEC;
	idle_latency_nic_source.explain(session, &event);
	KUNIT_EXPECT_EQ(test, event.reasons, 0);
	KUNIT_EXPECT_TRUE(test, event.ltime_known);
	KUNIT_EXPECT_EQ(test, event.ltime_ns, hw->nic.target_ns);
	KUNIT_EXPECT_EQ(test, event.cross.clock_ns, hw->offset_ns + event.cross.tsc);
	KUNIT_EXPECT_TRUE(test, event.timer_later);
	KUNIT_EXPECT_FALSE(test, event.own_timer);

	/* A timer that was due before. */
	session->shot.entry.next_event = hw->monotonic_ns - 2 * SEC;
	idle_latency_nic_source.explain(session, &event);
	KUNIT_EXPECT_FALSE(test, event.timer_later);

	idle_latency_nic_source.record(session, &record);
	KUNIT_EXPECT_EQ(test, record.warmup_ns, READ_CYC);
	KUNIT_EXPECT_EQ(test, record.latch_ns, READ_CYC);
}

/* The clock of the card is fast, and its time is told as if it was not. */
static void nic_runs_fast(struct kunit *test)
{
	struct idle_latency_session *session = hw->session;
	struct idle_latency_event event = { .handled = true };
	struct idle_latency_cross expected;

	hw->drift_ppm = 200;
	start_nic(test);
	KUNIT_ASSERT_EQ(test, idle_latency_nic_source.arm(session), 0);
	hw->tsc += 1000000;
	hw->icr = NIC_ICR_TIME_SYNC;
	hw->tsicr = NIC_TSICR_TT0;
	KUNIT_EXPECT_EQ(test, interrupt(), IRQ_HANDLED);

	event.tsc_khz = FAKE_KHZ;
	event.tai_cyc = hw->tsc;
	idle_latency_nic_source.explain(session, &event);
	expected = session->shot.cross;
	idle_latency_cross_stretch(&expected, &hw->nic.first, hw->nic.target_ns, FAKE_KHZ);
	KUNIT_EXPECT_NE(test, expected.clock_ns, session->shot.cross.clock_ns);
	KUNIT_EXPECT_EQ(test, event.cross.clock_ns, expected.clock_ns);
	KUNIT_EXPECT_EQ(test, event.cross.error_cyc, expected.error_cyc);
}

struct interrupt_case {
	const char *name;
	u32 icr;
	u32 tsicr;
	bool shared;
	bool disarmed;
	unsigned int gone_after;
	irqreturn_t ret;
	bool handled;
	int spurious;
	bool unmasks;
};

static const struct interrupt_case interrupt_cases[] = {
	{ "the event", NIC_ICR_TIME_SYNC, NIC_TSICR_TT0, false, false, 0,
	  IRQ_HANDLED, true, 0, true },
	{ "the event, on a line", NIC_ICR_TIME_SYNC, NIC_TSICR_TT0, true, false, 0,
	  IRQ_HANDLED, true, 0, true },
	{ "another device on the line", 0, 0, true, false, 0, IRQ_NONE, false, 0, false },
	{ "a message without a cause", 0, 0, false, false, 0, IRQ_HANDLED, false, 1, true },
	{ "another cause", NIC_ICR_TIME_SYNC, 0, true, false, 0, IRQ_HANDLED, false, 1, true },
	{ "nothing is armed", NIC_ICR_TIME_SYNC, NIC_TSICR_TT0, false, true, 0,
	  IRQ_HANDLED, false, 1, true },
	{ "the card goes meanwhile", NIC_ICR_TIME_SYNC, NIC_TSICR_TT0, false, false, 3,
	  IRQ_HANDLED, false, 0, true },
};

KUNIT_ARRAY_PARAM_DESC(interrupt, interrupt_cases, name);

static void nic_interrupts(struct kunit *test)
{
	const struct interrupt_case *c = test->param_value;
	struct idle_latency_session *session = hw->session;
	struct idle_latency_event event = { };

	hw->irq_shared = c->shared;
	start_nic(test);
	KUNIT_ASSERT_EQ(test, idle_latency_nic_source.arm(session), 0);
	if (c->disarmed)
		session->shot.armed = false;
	hw->icr = c->icr;
	hw->tsicr = c->tsicr;
	fake_forget_accesses();
	hw->gone_after = c->gone_after;
	KUNIT_EXPECT_EQ(test, interrupt(), c->ret);
	KUNIT_EXPECT_EQ(test, fake_was_handled(), c->handled);
	KUNIT_EXPECT_EQ(test, hw->residency_ends, c->handled);
	KUNIT_EXPECT_EQ(test, atomic_read(&hw->nic.spurious), c->spurious);
	KUNIT_EXPECT_EQ(test, hw->accesses[hw->count - 1].write, c->unmasks);

	/* Nothing is known of an event that was not handled, but what came instead. */
	if (c->handled)
		return;
	idle_latency_nic_source.explain(session, &event);
	KUNIT_EXPECT_EQ(test, event.reasons, c->spurious ? REASON(SPURIOUS) : 0);
	KUNIT_EXPECT_FALSE(test, event.ltime_known);
}

static struct kunit_case nic_source_test_cases[] = {
	KUNIT_CASE(nic_start_and_stop),
	KUNIT_CASE_PARAM(nic_does_not_start, start_gen_params),
	KUNIT_CASE(nic_is_taken),
	KUNIT_CASE(nic_arms),
	KUNIT_CASE_PARAM(nic_arms_in_time, arm_gen_params),
	KUNIT_CASE(nic_cannot_disarm),
	KUNIT_CASE(nic_fires),
	KUNIT_CASE(nic_runs_fast),
	KUNIT_CASE_PARAM(nic_interrupts, interrupt_gen_params),
	{}
};

static struct kunit_suite nic_source_suite = {
	.name = "idle_latency_nic_source",
	.init = fake_hardware_init,
	.test_cases = nic_source_test_cases,
};

kunit_test_suite(nic_source_suite);
