// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests for the registers of a network card: which are accessed, in which order.
 */
#include "fake_hardware.h"

#include <linux/ktime.h>

#include "../nic_regs.h"

#define SEC	1000000000ULL

#define READS(reg, value)	{ false, reg, value }
#define WRITES(reg, value)	{ true, reg, value }

/* The registers as the fake card has them at first. */
#define CTRL		0x40
#define IDLE_STATUS	NIC_STATUS_RST_DONE

static void expect_accesses(struct kunit *test, const struct fake_access *expected,
			    unsigned int count)
{
	KUNIT_EXPECT_EQ(test, hw->count, count);
	for (unsigned int i = 0; i < min(hw->count, count); i++) {
		KUNIT_EXPECT_EQ_MSG(test, hw->accesses[i].write, expected[i].write,
				    "access %u", i);
		KUNIT_EXPECT_EQ_MSG(test, hw->accesses[i].reg, expected[i].reg,
				    "access %u", i);
		KUNIT_EXPECT_EQ_MSG(test, hw->accesses[i].value, expected[i].value,
				    "access %u", i);
	}
}

#define EXPECT_ACCESSES(test, ...)						\
do {										\
	static const struct fake_access expected[] = { __VA_ARGS__ };		\
										\
	expect_accesses(test, expected, ARRAY_SIZE(expected));			\
} while (0)

/* Requests are stopped and interrupts are masked before the reset, and masked after it. */
static void reset(struct kunit *test)
{
	hw->master_reads = 2;
	KUNIT_EXPECT_EQ(test, idle_latency_nic_reset(&hw->nic), 0);
	EXPECT_ACCESSES(test,
			READS(NIC_CTRL, CTRL),
			READS(NIC_STATUS, IDLE_STATUS | NIC_STATUS_MASTER),
			WRITES(NIC_CTRL, CTRL | NIC_CTRL_MASTER_DISABLE),
			READS(NIC_STATUS, IDLE_STATUS | NIC_STATUS_MASTER),
			READS(NIC_STATUS, IDLE_STATUS),
			WRITES(NIC_RCTL, 0),
			WRITES(NIC_TCTL, 0),
			WRITES(NIC_IMC, ~0),
			WRITES(NIC_EIMC, ~0),
			READS(NIC_STATUS, IDLE_STATUS),
			WRITES(NIC_CTRL, CTRL | NIC_CTRL_RST),
			READS(NIC_STATUS, IDLE_STATUS),
			READS(NIC_STATUS, IDLE_STATUS),
			READS(NIC_EEC, NIC_EEC_AUTO_RD),
			READS(NIC_STATUS, IDLE_STATUS),
			WRITES(NIC_IMC, ~0),
			WRITES(NIC_EIMC, ~0),
			READS(NIC_STATUS, IDLE_STATUS),
			READS(NIC_ICR, 0));
}

static unsigned int reads_of(u32 reg)
{
	unsigned int reads = 0;

	for (unsigned int i = 0; i < min(hw->count, ARRAY_SIZE(hw->accesses)); i++)
		reads += !hw->accesses[i].write && hw->accesses[i].reg == reg;
	return reads;
}

/*
 * The end of the reset, and of reading the NVM, is waited for. Each is looked at a second
 * time however long the first took.
 */
static void reset_takes_long(struct kunit *test)
{
	/* Three reads of STATUS come before that which waits. */
	hw->reset_reads = 3 + 1;
	hw->eec_reads = 1;
	KUNIT_EXPECT_EQ(test, idle_latency_nic_reset(&hw->nic), 0);
	KUNIT_EXPECT_TRUE(test, hw->reset);
	KUNIT_EXPECT_EQ(test, hw->reset_reads, 0);
	KUNIT_EXPECT_EQ(test, hw->eec_reads, 0);
	KUNIT_EXPECT_EQ(test, reads_of(NIC_EEC), 2);
}

/* The datasheet and igb have the card wait for so long, before and after its reset. */
static void reset_gives_time(struct kunit *test)
{
	const ktime_t before = ktime_get();

	KUNIT_EXPECT_EQ(test, idle_latency_nic_reset(&hw->nic), 0);
	KUNIT_EXPECT_GE(test, ktime_us_delta(ktime_get(), before), 10000 + 3000);
}

#define NEVER	1000000

static void reset_never_ends(struct kunit *test)
{
	hw->reset_reads = NEVER;
	KUNIT_EXPECT_EQ(test, idle_latency_nic_reset(&hw->nic), -ETIMEDOUT);
}

/* As igb, which goes on as well. */
static void reset_in_spite_of_requests(struct kunit *test)
{
	hw->master_reads = NEVER;
	KUNIT_EXPECT_EQ(test, idle_latency_nic_reset(&hw->nic), 0);
	KUNIT_EXPECT_TRUE(test, hw->reset);
}

static void reset_without_nvm(struct kunit *test)
{
	hw->eec_reads = NEVER;
	KUNIT_EXPECT_EQ(test, idle_latency_nic_reset(&hw->nic), 0);
}

/* A card that does not answer is not written to. */
static void reset_of_no_card(struct kunit *test)
{
	hw->gone = true;
	KUNIT_EXPECT_EQ(test, idle_latency_nic_reset(&hw->nic), -ENODEV);
	EXPECT_ACCESSES(test, READS(NIC_CTRL, NIC_GONE), READS(NIC_STATUS, NIC_GONE));
}

static void gone_in_reset(struct kunit *test)
{
	/* With the write that resets it; all ones say that the reset is done. */
	hw->gone_after = 10;
	KUNIT_EXPECT_EQ(test, idle_latency_nic_reset(&hw->nic), -ENODEV);
	KUNIT_EXPECT_TRUE(test, hw->reset);
}

static const struct managed_case {
	const char *name;
	u32 manc;
	u32 fwsm;
	u32 factps;
	bool managed;
} managed_cases[] = {
	{ "nobody", 0, 0, 0, false },
	{ "no packets", NIC_MANC_SMBUS_EN, FIELD_PREP_CONST(NIC_FWSM_MODE, 2), 0, false },
	{ "pass through", NIC_MANC_RCV_TCO_EN, FIELD_PREP_CONST(NIC_FWSM_MODE, 2), 0, true },
	{ "other mode", NIC_MANC_RCV_TCO_EN | NIC_MANC_SMBUS_EN,
	  FIELD_PREP_CONST(NIC_FWSM_MODE, 3), 0, false },
	{ "clock gated", NIC_MANC_RCV_TCO_EN, FIELD_PREP_CONST(NIC_FWSM_MODE, 2),
	  NIC_FACTPS_MNGCG, false },
	{ "SMBus", NIC_MANC_RCV_TCO_EN | NIC_MANC_SMBUS_EN, 0, 0, true },
	{ "no SMBus", NIC_MANC_RCV_TCO_EN, 0, 0, false },
	{ "ASF", NIC_MANC_RCV_TCO_EN | NIC_MANC_SMBUS_EN | NIC_MANC_ASF_EN, 0, 0, false },
};

KUNIT_ARRAY_PARAM_DESC(managed, managed_cases, name);

/* A card that the controller of the board uses is only read. */
static void managed(struct kunit *test)
{
	const struct managed_case *param = test->param_value;

	hw->manc = param->manc;
	hw->fwsm = param->fwsm;
	hw->factps = param->factps;
	KUNIT_EXPECT_EQ(test, idle_latency_nic_managed(&hw->nic), param->managed);
	for (unsigned int i = 0; i < hw->count; i++)
		KUNIT_EXPECT_FALSE(test, hw->accesses[i].write);
}

static void start_with_msix(struct kunit *test)
{
	hw->nic.msix = true;
	idle_latency_nic_start(&hw->nic);
	EXPECT_ACCESSES(test,
			READS(NIC_TSICR, 0),
			WRITES(NIC_TSIM, NIC_TSICR_TT0),
			WRITES(NIC_EITR0, 0),
			WRITES(NIC_GPIE, NIC_GPIE_MSIX | NIC_GPIE_PBA | NIC_GPIE_EIAME |
			      NIC_GPIE_NSICR),
			WRITES(NIC_IVAR_MISC, NIC_IVAR_MISC_VECTOR0),
			WRITES(NIC_EIAC, NIC_EIMS_VECTOR0),
			WRITES(NIC_EIAM, NIC_EIMS_VECTOR0),
			WRITES(NIC_IMS, NIC_ICR_TIME_SYNC),
			WRITES(NIC_EIMS, NIC_EIMS_VECTOR0),
			READS(NIC_STATUS, IDLE_STATUS));
}

static void start_without_msix(struct kunit *test)
{
	idle_latency_nic_start(&hw->nic);
	EXPECT_ACCESSES(test,
			READS(NIC_TSICR, 0),
			WRITES(NIC_TSIM, NIC_TSICR_TT0),
			WRITES(NIC_EITR0, 0),
			WRITES(NIC_IMS, NIC_ICR_TIME_SYNC),
			WRITES(NIC_EIMS, NIC_EIMS_OTHER),
			READS(NIC_STATUS, IDLE_STATUS));
}

static void stop(struct kunit *test)
{
	idle_latency_nic_stop(&hw->nic);
	EXPECT_ACCESSES(test,
			WRITES(NIC_TSAUXC, 0),
			WRITES(NIC_TSIM, 0),
			WRITES(NIC_IMC, ~0),
			WRITES(NIC_EIMC, ~0),
			READS(NIC_STATUS, IDLE_STATUS),
			WRITES(NIC_GPIE, 0),
			WRITES(NIC_EIAC, 0),
			WRITES(NIC_EIAM, 0));
}

/* The target is complete before it is armed, and a cause that was left over is dropped. */
static void set_target(struct kunit *test)
{
	hw->tsicr = NIC_TSICR_TT0;
	idle_latency_nic_set_target(&hw->nic, 41 * SEC + 999999999);
	EXPECT_ACCESSES(test,
			READS(NIC_TSICR, NIC_TSICR_TT0),
			WRITES(NIC_TRGTTIML0, 999999999),
			WRITES(NIC_TRGTTIMH0, 41),
			WRITES(NIC_TSAUXC, NIC_TSAUXC_EN_TT0));
}

static void clear_target(struct kunit *test)
{
	idle_latency_nic_clear_target(&hw->nic);
	EXPECT_ACCESSES(test, WRITES(NIC_TSAUXC, 0), READS(NIC_STATUS, IDLE_STATUS));
}

struct cause_case {
	const char *name;
	u32 icr;
	u32 tsicr;
	unsigned int gone_after;
	enum idle_latency_nic_cause cause;
	unsigned int reads;
};

static const struct cause_case cause_cases[] = {
	{ "none", 0, 0, 0, IDLE_LATENCY_NIC_CAUSE_NONE, 1 },
	{ "not the clock", (u32)~NIC_ICR_TIME_SYNC & ~1U, NIC_TSICR_TT0, 0,
	  IDLE_LATENCY_NIC_CAUSE_NONE, 1 },
	{ "the clock, but not the target", NIC_ICR_TIME_SYNC, (u32)~NIC_TSICR_TT0 & ~1U, 0,
	  IDLE_LATENCY_NIC_CAUSE_OTHER, 2 },
	{ "the target", NIC_ICR_TIME_SYNC, NIC_TSICR_TT0, 0, IDLE_LATENCY_NIC_CAUSE_EVENT, 2 },
	{ "among others", NIC_ICR_TIME_SYNC | BIT(1), NIC_TSICR_TT0 | BIT(1), 0,
	  IDLE_LATENCY_NIC_CAUSE_EVENT, 2 },
	{ "the card has gone", NIC_GONE, NIC_GONE, 0, IDLE_LATENCY_NIC_CAUSE_NONE, 1 },
	{ "it goes in between", NIC_ICR_TIME_SYNC, NIC_TSICR_TT0, 1,
	  IDLE_LATENCY_NIC_CAUSE_OTHER, 2 },
};

KUNIT_ARRAY_PARAM_DESC(cause, cause_cases, name);

/* ICR is read first: that alone is what a line is shared by. */
static void acknowledge(struct kunit *test)
{
	const struct cause_case *c = test->param_value;
	u64 cyc = 0;

	hw->icr = c->icr;
	hw->tsicr = c->tsicr;
	hw->gone_after = c->gone_after;
	KUNIT_EXPECT_EQ(test, idle_latency_nic_acknowledge(&hw->nic, &cyc), c->cause);
	KUNIT_EXPECT_EQ(test, cyc, READ_CYC);
	KUNIT_EXPECT_EQ(test, hw->count, c->reads);
	KUNIT_EXPECT_EQ(test, hw->accesses[0].reg, NIC_ICR);
	if (c->reads > 1)
		KUNIT_EXPECT_EQ(test, hw->accesses[1].reg, NIC_TSICR);
}

struct latch_case {
	const char *name;
	u64 clock_ns;
};

static const struct latch_case latch_cases[] = {
	{ "within a second", 41 * SEC + SEC / 2 },
	{ "the last ns of a second", 42 * SEC - 1 },
	{ "the first of the next", 42 * SEC },
	{ "the next begins with the read of the ns", 42 * SEC - READ_CYC },
	{ "the next begins with the read of the seconds", 42 * SEC - 2 * READ_CYC },
};

KUNIT_ARRAY_PARAM_DESC(latch, latch_cases, name);

/* One moment, also where a second ends meanwhile, and only one read around it. */
static void latched_between_the_stamps(struct kunit *test)
{
	const struct latch_case *c = test->param_value;
	struct idle_latency_nic_reading reading;
	const u64 before = hw->tsc;

	hw->offset_ns = c->clock_ns - hw->tsc - HALF_READ_CYC;
	KUNIT_EXPECT_TRUE(test, idle_latency_nic_read_clock(&hw->nic, &reading));
	KUNIT_EXPECT_EQ(test, reading.clock_ns, c->clock_ns);
	KUNIT_EXPECT_EQ(test, reading.before, before);
	KUNIT_EXPECT_EQ(test, reading.after, before + READ_CYC);
}

/* The first of two reads latches, and gives the ns of what it has latched. */
static void an_i225(struct kunit *test)
{
	struct idle_latency_nic_reading reading;
	struct idle_latency_cross cross;
	const u64 before = hw->tsc;

	hw->nic.type = &idle_latency_nic_i225;
	KUNIT_EXPECT_TRUE(test, idle_latency_nic_read_clock(&hw->nic, &reading));
	KUNIT_EXPECT_EQ(test, hw->count, 2);
	KUNIT_EXPECT_EQ(test, reading.clock_ns, hw->offset_ns + before + HALF_READ_CYC);
	KUNIT_EXPECT_EQ(test, reading.before, before);
	KUNIT_EXPECT_EQ(test, reading.after, before + READ_CYC);

	/* Half of the read, and a step of 3.2 ns. */
	KUNIT_EXPECT_TRUE(test, idle_latency_nic_read_cross(&hw->nic, &cross));
	KUNIT_EXPECT_EQ(test, cross.error_cyc, HALF_READ_CYC + 4);

	/* STATUS says nothing of the end of a reset. */
	hw->reset_reads = NEVER;
	KUNIT_EXPECT_EQ(test, idle_latency_nic_reset(&hw->nic), 0);
}

static void nothing_latched(struct kunit *test)
{
	struct idle_latency_nic_reading reading;

	hw->gone = true;
	KUNIT_EXPECT_FALSE(test, idle_latency_nic_read_clock(&hw->nic, &reading));
}

/* Of three readings the first whose stamps are closest; all are of the same length here. */
static void read_cross(struct kunit *test)
{
	struct idle_latency_cross cross;
	const u64 before = hw->tsc;

	KUNIT_EXPECT_TRUE(test, idle_latency_nic_read_cross(&hw->nic, &cross));
	KUNIT_EXPECT_EQ(test, hw->count, 9);
	KUNIT_EXPECT_EQ(test, hw->nic.latch_cyc, READ_CYC);
	KUNIT_EXPECT_EQ(test, cross.tsc, before + HALF_READ_CYC);
	KUNIT_EXPECT_EQ(test, cross.clock_ns, hw->offset_ns + before + HALF_READ_CYC);
	/* Half of the read, and two steps of 8 ns. */
	KUNIT_EXPECT_EQ(test, cross.error_cyc, HALF_READ_CYC + 16);
	KUNIT_EXPECT_EQ(test, cross.drift_ppm, 600);

	hw->gone_after = hw->count + 5;
	KUNIT_EXPECT_FALSE(test, idle_latency_nic_read_cross(&hw->nic, &cross));
}

static void begin_clock(struct kunit *test)
{
	const ktime_t before = ktime_get();

	KUNIT_EXPECT_EQ(test, idle_latency_nic_begin_clock(&hw->nic), 0);
	/* The reset, and how long the rate is watched. */
	KUNIT_EXPECT_GE(test, ktime_ms_delta(ktime_get(), before), 13 + 100);
	KUNIT_EXPECT_TRUE(test, hw->reset);
	KUNIT_EXPECT_EQ(test, fake_written(test, NIC_TSAUXC), 0);
	KUNIT_EXPECT_EQ(test, hw->nic.first.clock_ns, hw->offset_ns + hw->nic.first.tsc);

	/* It runs, and is not begun again. */
	hw->reset = false;
	KUNIT_EXPECT_EQ(test, idle_latency_nic_check_clock(&hw->nic), 0);
	KUNIT_EXPECT_FALSE(test, hw->reset);
}

struct rate_case {
	const char *name;
	s32 drift_ppm;
	int result;
};

static const struct rate_case rate_cases[] = {
	{ "right", 0, 0 },
	/* Between the two readings pass 60 ms, and both are wrong by 716 ns, which is 24 ppm. */
	{ "as fast as it may be", 600, 0 },
	{ "as slow as it may be", -600, 0 },
	{ "too fast", 630, -ETIMEDOUT },
	{ "too slow", -630, -ETIMEDOUT },
};

KUNIT_ARRAY_PARAM_DESC(rate, rate_cases, name);

static void rate(struct kunit *test)
{
	const struct rate_case *c = test->param_value;

	hw->drift_ppm = c->drift_ppm;
	hw->pause_cyc = 20000000;
	KUNIT_EXPECT_EQ(test, idle_latency_nic_begin_clock(&hw->nic), c->result);
}

static void begin_clock_without_reset(struct kunit *test)
{
	hw->reset_reads = NEVER;
	KUNIT_EXPECT_EQ(test, idle_latency_nic_begin_clock(&hw->nic), -ETIMEDOUT);
}

/* With the reset, with the first reading, and after it. */
static void begin_clock_of_no_card(struct kunit *test)
{
	unsigned int count;

	KUNIT_ASSERT_EQ(test, idle_latency_nic_reset(&hw->nic), 0);
	count = hw->count;
	for (unsigned int more = 0; more <= 12; more += 6) {
		fake_forget_accesses();
		hw->gone = !more;
		/* What clears the target are two, and a cross-timestamp is nine. */
		hw->gone_after = more ? count + more : 0;
		KUNIT_EXPECT_EQ(test, idle_latency_nic_begin_clock(&hw->nic), -ENODEV);
	}
}

/* Somebody has reset the card, as a suspend does. */
static void clock_was_reset(struct kunit *test)
{
	u64 now_ns;

	KUNIT_ASSERT_EQ(test, idle_latency_nic_begin_clock(&hw->nic), 0);
	KUNIT_EXPECT_EQ(test, idle_latency_nic_now(&hw->nic, &now_ns), 0);
	KUNIT_EXPECT_EQ(test, now_ns, fake_card_ns() - HALF_READ_CYC - 2 * READ_CYC);

	hw->offset_ns = SEC;
	hw->reset = false;
	KUNIT_EXPECT_EQ(test, idle_latency_nic_now(&hw->nic, &now_ns), -ENODEV);
	KUNIT_EXPECT_FALSE(test, hw->reset);
	KUNIT_EXPECT_EQ(test, idle_latency_nic_check_clock(&hw->nic), 0);
	KUNIT_EXPECT_TRUE(test, hw->reset);
	KUNIT_EXPECT_EQ(test, idle_latency_nic_now(&hw->nic, &now_ns), 0);

	hw->gone = true;
	KUNIT_EXPECT_EQ(test, idle_latency_nic_now(&hw->nic, &now_ns), -ENODEV);
	KUNIT_EXPECT_EQ(test, idle_latency_nic_check_clock(&hw->nic), -ENODEV);
}

static struct kunit_case card_test_cases[] = {
	KUNIT_CASE(reset),
	KUNIT_CASE(reset_takes_long),
	KUNIT_CASE(reset_gives_time),
	KUNIT_CASE(reset_never_ends),
	KUNIT_CASE(reset_in_spite_of_requests),
	KUNIT_CASE(reset_without_nvm),
	KUNIT_CASE(reset_of_no_card),
	KUNIT_CASE(gone_in_reset),
	KUNIT_CASE_PARAM(managed, managed_gen_params),
	KUNIT_CASE(start_with_msix),
	KUNIT_CASE(start_without_msix),
	KUNIT_CASE(stop),
	KUNIT_CASE(set_target),
	KUNIT_CASE(clear_target),
	KUNIT_CASE_PARAM(acknowledge, cause_gen_params),
	KUNIT_CASE_PARAM(latched_between_the_stamps, latch_gen_params),
	KUNIT_CASE(an_i225),
	KUNIT_CASE(nothing_latched),
	KUNIT_CASE(read_cross),
	KUNIT_CASE(begin_clock),
	KUNIT_CASE_PARAM(rate, rate_gen_params),
	KUNIT_CASE(begin_clock_without_reset),
	KUNIT_CASE(begin_clock_of_no_card),
	KUNIT_CASE(clock_was_reset),
	{}
};

static struct kunit_suite card_suite = {
	.name = "idle_latency_card",
	.init = fake_hardware_init,
	.test_cases = card_test_cases,
};

kunit_test_suite(card_suite);
