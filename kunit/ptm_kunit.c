// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests for Precision Time Measurement of a network card: which of the times of two dialogs
 * are taken, and what is done where the root port does not answer. The driver is built with a card
 * and a root port that are here.
 */
#define CONFIG_IDLE_LATENCY_NIC_PTM 1
#include "fake_hardware.h"

#include <linux/swab.h>
#include <linux/timekeeping.h>

/* What a dialog takes, and by how much the clock of the card is ahead of that of the root port. */
#define DIALOG_NS	1000
#define AHEAD_NS	7000000123ULL

#define THOUGHT_NS	300

#define T2_HIGH		(5ULL << 32)

/* What the driver gives as the earliest and the latest moment has a ns more at each end. */
#define ROUND_OFF_NS	1

/**
 * struct fake_root - the root port, and the card as far as it knows of it
 * @request_ns: how long a request takes
 * @answer_ns: how long the answer takes
 * @lost: a bit for each dialog that has no answer, the first one being bit 0
 * @wrong: likewise those of which the card says that something is wrong
 * @nonsense: the card says that the root port thought for longer than it waited
 * @none: the kernel does not know how the TSC is made of the clock of the root port
 * @other: the clocksource of the kernel is not the TSC
 * @dialogs: how many were begun
 * @status: PTM_STAT
 * @t1_ns: when the card sent the last request that was answered, by its clock
 * @t2_ns: when that was at the root port, in whole ns
 */
static struct fake_root {
	u32 request_ns;
	u32 answer_ns;
	unsigned long lost;
	unsigned long wrong;
	bool nonsense;
	bool none;
	bool other;
	unsigned int dialogs;
	u32 status;
	u64 t1_ns;
	u64 t2_ns;
} root;

static u32 root_read(const void __iomem *address);
static void root_write(u32 value, void __iomem *address);
static int root_crosststamp(int (*get_time)(ktime_t *device, struct system_counterval_t *system,
					    void *context),
			    void *context, struct system_time_snapshot *history,
			    struct system_device_crosststamp *stamp);

#define hw_readl root_read
#define hw_writel root_write
#define get_device_system_crosststamp root_crosststamp
#include "../nic_ptm.c"

static void begin_dialog(void)
{
	const unsigned int number = root.dialogs++;

	hw->tsc += DIALOG_NS;
	if (root.lost & BIT(number))
		return;

	root.status = root.wrong & BIT(number) ? NIC_PTM_STAT_ALL : NIC_PTM_STAT_VALID;
	/* It was there up to a ns later. */
	root.t2_ns = hw->tsc - 1;
	root.t1_ns = hw->tsc - root.request_ns + AHEAD_NS;
}

static void root_write(u32 value, void __iomem *address)
{
	const u32 reg = address - hw->nic.regs;

	if (reg == NIC_PTM_STAT)
		root.status &= ~value;
	else if (reg == NIC_PTM_CTRL && value & NIC_PTM_CTRL_TRIG)
		begin_dialog();
}

static u32 root_read(const void __iomem *address)
{
	u32 sec, nsec;

	hw->tsc += READ_CYC;
	idle_latency_nic_split_ns(root.t1_ns, &sec, &nsec);
	switch ((u32)(address - hw->nic.regs)) {
	case NIC_PTM_STAT:
		return root.status;
	case NIC_PTM_T1_TIM0_L:
		return nsec;
	case NIC_PTM_T1_TIM0_H:
		return sec;
	case NIC_PTM_CURR_T2_L:
		return root.t2_ns;
	case NIC_PTM_CURR_T2_H:
		return swab32(root.t2_ns >> 32);
	case NIC_PTM_PREV_T3M2:
		return THOUGHT_NS;
	case NIC_PTM_PREV_T4M1:
		return root.nonsense ? THOUGHT_NS - 1 :
		       root.request_ns + THOUGHT_NS + root.answer_ns;
	default:
		return 0;
	}
}

/* The clock of the root port is the TSC, in ns. */
static int root_crosststamp(int (*get_time)(ktime_t *device, struct system_counterval_t *system,
					    void *context),
			    void *context, struct system_time_snapshot *history,
			    struct system_device_crosststamp *stamp)
{
	int err;

	err = get_time(&stamp->device, &stamp->sys_counter, context);
	if (err)
		return err;
	if (root.none || stamp->sys_counter.cs_id != CSID_X86_ART ||
	    !stamp->sys_counter.use_nsecs)
		return -ENODEV;

	stamp->sys_counter.cs_id = root.other ? CSID_GENERIC : CSID_X86_TSC;
	stamp->sys_counter.use_nsecs = false;
	return 0;
}

struct way_case {
	const char *name;
	u32 request_ns;
	u32 answer_ns;
};

static const struct way_case way_cases[] = {
	{ "no time at all", 0, 0 },
	{ "a quick request", 20, 80 },
	{ "a slow request", 80, 20 },
	{ "all of it is the request", 100, 0 },
	{ "none of it is", 0, 100 },
	{ "a long way", 100, 1000 },
};

KUNIT_ARRAY_PARAM_DESC(way, way_cases, name);

/* T1 is between the two times of the TSC, which are as far apart as the way is long. */
static void between_there_and_back(struct kunit *test)
{
	const struct way_case *c = test->param_value;
	struct idle_latency_nic_reading reading;
	u64 sent;

	root.request_ns = c->request_ns;
	root.answer_ns = c->answer_ns;
	KUNIT_ASSERT_TRUE(test, idle_latency_nic_read_ptm(&hw->nic, &reading));
	sent = reading.clock_ns - AHEAD_NS;
	KUNIT_EXPECT_LE(test, reading.before, sent);
	KUNIT_EXPECT_GE(test, reading.after, sent);
	KUNIT_EXPECT_LE(test, reading.after - reading.before,
			c->request_ns + c->answer_ns + 2 * ROUND_OFF_NS);
}

/* The times of the first dialog, of which the second one tells how long it took. */
static void two_dialogs(struct kunit *test)
{
	struct idle_latency_nic_reading reading;
	const u64 begin = hw->tsc;

	KUNIT_ASSERT_TRUE(test, idle_latency_nic_read_ptm(&hw->nic, &reading));
	KUNIT_EXPECT_EQ(test, root.dialogs, 2);
	KUNIT_EXPECT_EQ(test, reading.clock_ns, begin + DIALOG_NS - root.request_ns + AHEAD_NS);
	/* A read while the link is awake. */
	KUNIT_EXPECT_EQ(test, hw->nic.latch_cyc, READ_CYC);
	KUNIT_EXPECT_EQ(test, root.status, 0);
}

struct lost_case {
	const char *name;
	unsigned long lost;
	unsigned int dialogs;
	bool answers;
	unsigned long wrong;
};

static const struct lost_case lost_cases[] = {
	{ "the first", BIT(0), 3, true },
	{ "the second", BIT(1), 4, true },
	{ "the third", BIT(2), 2, true },
	{ "two", BIT(0) | BIT(1), 4, true },
	{ "each second", BIT(1) | BIT(3), 4, false },
	{ "all", GENMASK(3, 0), 4, false },
	{ "the first one is wrong", 0, 3, true, BIT(0) },
	{ "the second one is wrong", 0, 4, true, BIT(1) },
	{ "all are lost or wrong", BIT(0) | BIT(2), 4, false, BIT(1) | BIT(3) },
};

KUNIT_ARRAY_PARAM_DESC(lost, lost_cases, name);

/* What is told of the dialog before is of no use where that had no answer. */
static void answers_are_lost(struct kunit *test)
{
	const struct lost_case *c = test->param_value;
	struct idle_latency_nic_reading reading;

	root.lost = c->lost;
	root.wrong = c->wrong;
	KUNIT_EXPECT_EQ(test, idle_latency_nic_read_ptm(&hw->nic, &reading), c->answers);
	KUNIT_EXPECT_EQ(test, root.dialogs, c->dialogs);
	if (c->answers)
		KUNIT_EXPECT_LE(test, reading.before, reading.clock_ns - AHEAD_NS);
}

static void is_not_asked_again(struct kunit *test)
{
	struct idle_latency_nic_reading reading;

	KUNIT_EXPECT_FALSE(test, idle_latency_nic_read_ptm(&hw->nic, &reading));
	KUNIT_EXPECT_FALSE(test, hw->nic.ptm);
	root = (struct fake_root) { };
	KUNIT_EXPECT_FALSE(test, idle_latency_nic_read_ptm(&hw->nic, &reading));
	KUNIT_EXPECT_EQ(test, root.dialogs, 0);
}

static void never_answers(struct kunit *test)
{
	const u64 begin = hw->tsc;

	root.lost = ~0UL;
	is_not_asked_again(test);
	/* The handler waits no longer than it has to. */
	KUNIT_EXPECT_LE(test, hw->tsc - begin,
			PTM_DIALOGS * (PTM_WAIT_US * NSEC_PER_USEC + DIALOG_NS + 3 * READ_CYC));
}

static void thinks_longer_than_it_takes(struct kunit *test)
{
	root.nonsense = true;
	is_not_asked_again(test);
}

static void the_tsc_is_of_another_clock(struct kunit *test)
{
	root.none = true;
	is_not_asked_again(test);
}

static void the_clocksource_is_another(struct kunit *test)
{
	root.other = true;
	is_not_asked_again(test);
}

/* PTM is for who has enabled it, and after a reset it is tried again. */
static void is_started(struct kunit *test)
{
	hw->nic.ptm = false;
	KUNIT_EXPECT_FALSE(test, idle_latency_nic_start_ptm(&hw->nic));
	hw->nic.ptm_enabled = true;
	KUNIT_EXPECT_TRUE(test, idle_latency_nic_start_ptm(&hw->nic));
	KUNIT_EXPECT_TRUE(test, hw->nic.ptm);
}

static int ptm_init(struct kunit *test)
{
	int err = fake_hardware_init(test);

	if (err)
		return err;

	/* Both halves of T2 count. */
	hw->tsc += T2_HIGH;
	hw->nic.type = &idle_latency_nic_i225;
	hw->nic.ptm = true;
	raw_spin_lock_init(&hw->nic.clock_lock);
	root = (struct fake_root) { .request_ns = 20, .answer_ns = 80 };
	return 0;
}

static struct kunit_case ptm_test_cases[] = {
	KUNIT_CASE_PARAM(between_there_and_back, way_gen_params),
	KUNIT_CASE(two_dialogs),
	KUNIT_CASE_PARAM(answers_are_lost, lost_gen_params),
	KUNIT_CASE(never_answers),
	KUNIT_CASE(thinks_longer_than_it_takes),
	KUNIT_CASE(the_tsc_is_of_another_clock),
	KUNIT_CASE(the_clocksource_is_another),
	KUNIT_CASE(is_started),
	{}
};

static struct kunit_suite ptm_suite = {
	.name = "idle_latency_ptm",
	.init = ptm_init,
	.test_cases = ptm_test_cases,
};

kunit_test_suite(ptm_suite);
