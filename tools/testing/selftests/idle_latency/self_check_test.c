// SPDX-License-Identifier: GPL-2.0
/*
 * What latency_test --self-check says of records: for each of its items there is a machine that
 * is OK, one that differs, and one on which nothing can be told.
 */
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"
#include "self_check.h"

#define RECORDS		400
#define TICK_NS		4000000ULL
#define NS_PER_PPM	1000000

/* A TSC of 2.1 GHz, whose crystal has 25 MHz. */
#define CYC_PER_NS	2.1

static const struct crystal crystal = { .denominator = 2, .numerator = 168 };

FIXTURE(self)
{
	struct idle_latency_record records[RECORDS];
	struct idle_latency_record others[RECORDS];
	struct collection collection;
	struct collection other;
	struct self_check check;
	struct dice dice;
};

/* Latencies of 600 to 699 ns by chance, at launch distances of 1, 2, 4 and 8 ticks. */
FIXTURE_SETUP(self)
{
	for (size_t i = 0; i < RECORDS; i++) {
		self->records[i] = (struct idle_latency_record) {
			.ldist_ns = TICK_NS << i % 4,
			.intr_ns = 600 + dice_below(&self->dice, 100),
			.wake_ns = 100 + dice_below(&self->dice, 100),
			.error_ns = 3,
			.flags = IDLE_LATENCY_RECORD_WAKE | IDLE_LATENCY_RECORD_DEADLINE,
			.warmup_ns = 1400,
			.latch_ns = 1400,
		};
		self->others[i] = self->records[i];
		self->others[i].intr_ns = 600 + dice_below(&self->dice, 100);
	}
	self->collection = (struct collection) { .samples = self->records, .count = RECORDS };
	self->other = (struct collection) { .samples = self->others, .count = RECORDS };
}

FIXTURE_TEARDOWN(self)
{
}

/* "ok", or another verdict and its reason. @impossible: why nothing can be told, or NULL */
static const char *verdict(FIXTURE_DATA(self) * self, const char *impossible)
{
	static char text[128];
	const struct self_check *check = &self->check;

	if (impossible)
		snprintf(text, sizeof(text), "not possible here: %s", impossible);
	else if (check->verdict == SELF_DIFFERS)
		snprintf(text, sizeof(text), "differs: %s", check->reason);
	else
		snprintf(text, sizeof(text), "ok");
	return text;
}

static bool says(FIXTURE_DATA(self) * self, const char *text)
{
	if (strstr(self->check.figures, text))
		return true;
	ksft_print_msg("'%s' is not in: %s\n", text, self->check.figures);
	return false;
}

static const char *agree(FIXTURE_DATA(self) * self, __s64 delivery_ns)
{
	return verdict(self, self_check_agree(&self->collection, &self->other, delivery_ns,
					      &self->check));
}

static void later(FIXTURE_DATA(self) * self, __u64 ns)
{
	for (size_t i = 0; i < RECORDS; i++)
		self->others[i].intr_ns += ns;
}

TEST_F(self, sources_agree)
{
	EXPECT_STREQ("ok", agree(self, 0));
	EXPECT_TRUE(says(self, "medians 6"));
}

TEST_F(self, sources_disagree)
{
	later(self, 60);
	EXPECT_STREQ("differs: the sources see different latencies", agree(self, 0));
}

TEST_F(self, sources_disagree_within_their_errors)
{
	later(self, 60);
	for (size_t i = 0; i < RECORDS; i++)
		self->others[i].error_ns = 70;
	EXPECT_STREQ("ok", agree(self, 0));
}

TEST_F(self, card_agrees_with_its_delivery)
{
	__s64 delivery_ns;

	later(self, 700);
	ASSERT_TRUE(self_check_difference(&self->collection, &self->other, &delivery_ns));
	EXPECT_LE(680, delivery_ns);
	EXPECT_GE(720, delivery_ns);
	EXPECT_STREQ("ok", agree(self, delivery_ns));
	EXPECT_TRUE(says(self, "of which delivery 7") || says(self, "of which delivery 6"));
}

/* It has become quicker by as much as slower. */
TEST_F(self, delivery_changed)
{
	later(self, 700);
	EXPECT_STREQ("differs: the sources see different latencies", agree(self, 640));
	EXPECT_STREQ("differs: the sources see different latencies", agree(self, 760));
}

/* An interrupt of the card before that of a timer is no delivery. */
TEST_F(self, delivery_in_no_time)
{
	for (size_t i = 0; i < RECORDS; i++)
		self->others[i].intr_ns -= 60;
	EXPECT_STREQ("differs: the sources see different latencies", agree(self, -60));
}

TEST_F(self, agreement_of_few)
{
	__s64 delivery_ns;

	self->other.count = 19;
	EXPECT_STREQ("not possible here: too few samples", agree(self, 0));
	EXPECT_FALSE(self_check_difference(&self->collection, &self->other, &delivery_ns));
	self->other.count = 20;
	EXPECT_STREQ("ok", agree(self, 0));
}

static const char *slope(FIXTURE_DATA(self) * self)
{
	return verdict(self, self_check_slope(&self->collection, &self->check));
}

/* @ppb: of the launch distance */
static void tilt(FIXTURE_DATA(self) * self, __s64 ppb)
{
	for (size_t i = 0; i < RECORDS; i++)
		self->records[i].wake_ns += 100000 +
			(__s64)self->records[i].ldist_ns * ppb / 1000 / NS_PER_PPM;
}

TEST_F(self, no_slope)
{
	EXPECT_STREQ("ok", slope(self));
	EXPECT_TRUE(says(self, "in 400 samples"));
}

TEST_F(self, slopes_of_a_timer_rate)
{
	tilt(self, 3000);
	EXPECT_STREQ("differs: the latency changes with the launch distance", slope(self));
	EXPECT_TRUE(says(self, "3.") || says(self, "2.9"));
	tilt(self, -6000);
	EXPECT_STREQ("differs: the latency changes with the launch distance", slope(self));
	EXPECT_TRUE(says(self, "-3.") || says(self, "-2.9"));
}

/* What rounding explains is no rate, even where it is seen clearly. */
TEST_F(self, slope_below_1_ppm)
{
	for (size_t i = 0; i < RECORDS; i++)
		self->records[i].wake_ns = 600;
	tilt(self, 750);
	EXPECT_STREQ("ok", slope(self));
	EXPECT_TRUE(says(self, "0.75 ppm of the launch distance (0.75 to 0.75)"));
	tilt(self, 500);
	EXPECT_STREQ("differs: the latency changes with the launch distance", slope(self));
}

/* One in ten is late by 100 us, only at the longest distance. */
TEST_F(self, slope_with_outliers)
{
	for (size_t i = 3; i < RECORDS; i += 12)
		self->records[i].wake_ns += 100000;
	EXPECT_STREQ("ok", slope(self));
}

TEST_F(self, slope_in_noise)
{
	for (size_t i = 0; i < RECORDS; i++)
		self->records[i].wake_ns = dice_below(&self->dice, 10 * NS_PER_PPM);
	EXPECT_STREQ("not possible here: the latencies spread too far", slope(self));
}

/* The interval has the truth but for once in 1000 times. */
TEST_F(self, intervals_of_slopes)
{
	size_t differ = 0;

	self->collection.count = 60;
	for (size_t i = 0; i < 1000; i++) {
		for (size_t j = 0; j < 60; j++)
			self->records[j].wake_ns = dice_below(&self->dice, 1000);
		slope(self);
		differ += self->check.verdict == SELF_DIFFERS;
	}
	EXPECT_GE(6UL, differ);
}

TEST_F(self, slope_of_one_distance)
{
	for (size_t i = 0; i < RECORDS; i++)
		self->records[i].ldist_ns = TICK_NS;
	EXPECT_STREQ("not possible here: too few samples", slope(self));
	self->collection.count = 0;
	EXPECT_STREQ("not possible here: too few samples", slope(self));
}

static const char *step(FIXTURE_DATA(self) * self, const __u64 *tsc, size_t count,
			__u64 error_ns)
{
	return verdict(self, self_check_step(tsc, count, CYC_PER_NS, error_ns, &self->check));
}

TEST_F(self, steps)
{
	static const __u64 fine[] = { 1000, 1024, 1050, 1076, 1076, 1103 };
	static const __u64 coarse[] = { 1000, 1037, 1037, 1111, 1148 };

	EXPECT_STREQ("ok", step(self, fine, ARRAY_SIZE(fine), 2));
	EXPECT_TRUE(says(self, "at least 1 cycles (0.5 ns), at most 24 (11.4 ns)"));
	EXPECT_STREQ("differs: a step of the TSC is longer than the error of a sample",
		     step(self, coarse, ARRAY_SIZE(coarse), 2));
	EXPECT_TRUE(says(self, "at least 37 cycles (17.6 ns), at most 37 (17.6 ns)"));
	EXPECT_STREQ("ok", step(self, coarse, ARRAY_SIZE(coarse), 20));
	EXPECT_STREQ("not possible here: too few samples",
		     step(self, coarse, ARRAY_SIZE(coarse), 0));
	EXPECT_TRUE(says(self, "at least 37 cycles"));
}

TEST_F(self, tsc_is_wrong)
{
	static const __u64 back[] = { 1000, 1024, 1023, 1076 };
	static const __u64 still[] = { 1000, 1000, 1000 };

	EXPECT_STREQ("differs: the TSC goes back", step(self, back, ARRAY_SIZE(back), 9));
	EXPECT_STREQ("differs: the TSC does not advance",
		     step(self, still, ARRAY_SIZE(still), 9));
}

static const char *deadline(FIXTURE_DATA(self) * self)
{
	return verdict(self, self_check_deadline(&self->collection, &self->check));
}

/* 0.48 ppm early at most is what the conversion of a kernel makes. */
TEST_F(self, deadlines)
{
	EXPECT_STREQ("ok", deadline(self));
	EXPECT_TRUE(says(self, "0 to 0 ns after"));
	for (size_t i = 0; i < RECORDS; i++)
		self->records[i].deadline_ns = -(int)(self->records[i].ldist_ns * 48 / 100000000);
	EXPECT_STREQ("ok", deadline(self));
	EXPECT_TRUE(says(self, "-15 to 0 ns after the timer is due, up to 0.4"));
	EXPECT_TRUE(says(self, "400 of 400 records"));
}

TEST_F(self, deadlines_elsewhere)
{
	self->records[7].deadline_ns = -50;
	EXPECT_STREQ("differs: the timer is programmed to another time", deadline(self));
	EXPECT_TRUE(says(self, "-50 to 0 ns after the timer is due, up to 1.50 ppm"));
	self->records[7].deadline_ns = 50;
	EXPECT_STREQ("differs: the timer is programmed to another time", deadline(self));
}

TEST_F(self, deadlines_are_not_known)
{
	self->records[7].flags = IDLE_LATENCY_RECORD_WAKE;
	EXPECT_STREQ("differs: some timers are not programmed to a time of the TSC",
		     deadline(self));
	for (size_t i = 0; i < RECORDS; i++)
		self->records[i].flags = IDLE_LATENCY_RECORD_WAKE;
	EXPECT_STREQ("not possible here: the timer is not programmed to a time of the TSC",
		     deadline(self));
	self->collection.count = 19;
	EXPECT_STREQ("not possible here: too few samples", deadline(self));
}

static const char *residency(FIXTURE_DATA(self) * self, __u64 advanced, __u64 between,
			     __u64 delivered)
{
	const struct idle_latency_counts counts = {
		.delivered = delivered, .advanced_cyc = advanced, .between_cyc = between,
	};

	return verdict(self, self_check_residency(&counts, &self->check));
}

TEST_F(self, residencies)
{
	EXPECT_STREQ("ok", residency(self, 95000, 5000, 100));
	EXPECT_TRUE(says(self, "5.00 % of 100000 cycles"));
	EXPECT_STREQ("differs: the counter advances when the CPU is awake",
		     residency(self, 94999, 5001, 100));
	EXPECT_STREQ("differs: the counter does not advance", residency(self, 0, 0, 100));
	EXPECT_STREQ("not possible here: too few samples", residency(self, 95000, 0, 19));
}

/* @declared_ns: 40 events take 100 to 139 ns */
static const char *software(FIXTURE_DATA(self) * self, __u64 declared_ns)
{
	for (size_t i = 0; i < 40; i++) {
		self->records[i].flags = IDLE_LATENCY_RECORD_PENDING;
		self->records[i].reasons = 1U << IDLE_LATENCY_DISCARD_BEFORE_IDLE;
		self->records[i].tbi_cyc = 5000;
		self->records[i].tai_cyc = 5001 + (100 + i) * CYC_PER_NS;
	}
	/* These, which take long, do not tell. */
	self->records[40] = self->records[0];
	self->records[40].tai_cyc = 100000;
	self->records[40].reasons |= 1U << IDLE_LATENCY_DISCARD_SMI;
	self->records[41] = self->records[40];
	self->records[41].reasons = self->records[0].reasons;
	self->records[41].flags = 0;
	self->collection = (struct collection) {
		.discarded = self->records, .discarded_count = self->collection.count,
	};
	return verdict(self, self_check_software(&self->collection, CYC_PER_NS, declared_ns,
						 &self->check));
}

TEST_F(self, software_is_quick)
{
	EXPECT_STREQ("ok", software(self, 1000));
	EXPECT_TRUE(says(self, "median 119 ns, largest 139 ns, in 40 events"));
}

TEST_F(self, software_is_slow)
{
	EXPECT_STREQ("differs: the software takes longer than the state declares",
		     software(self, 110));
}

TEST_F(self, software_is_not_known)
{
	self->collection.count = 29;
	EXPECT_STREQ("not possible here: too few events were pending before idle",
		     software(self, 1000));
}

static const char *warmup(FIXTURE_DATA(self) * self, __s64 delivery_ns)
{
	return verdict(self, self_check_warmup(&self->collection, delivery_ns, &self->check));
}

/* One in 20 may be late for another reason. */
TEST_F(self, link_is_awake)
{
	for (size_t i = 0; i < 20; i++)
		self->records[i].warmup_ns = 6000;
	EXPECT_STREQ("ok", warmup(self, 0));
	EXPECT_TRUE(says(self, "delivery 0 ns, first access 1400 ns, largest 6000 ns,"));
	EXPECT_TRUE(says(self, "latch 1400 ns;"));
	EXPECT_TRUE(says(self, "asleep in 20 of 400 samples"));
}

TEST_F(self, link_sleeps)
{
	for (size_t i = 0; i < RECORDS; i++)
		if (self->records[i].ldist_ns >= 4 * TICK_NS)
			self->records[i].warmup_ns = 2101;
	EXPECT_STREQ("differs: the link sleeps", warmup(self, 0));
	EXPECT_TRUE(says(self, "asleep in 200 of 400 samples,"));
	EXPECT_TRUE(says(self, "from a launch distance of 16000000 ns on"));
	for (size_t i = 0; i < RECORDS; i++)
		if (self->records[i].ldist_ns >= 4 * TICK_NS)
			self->records[i].warmup_ns = 2100;
	EXPECT_STREQ("ok", warmup(self, 0));
}

/* The first access finds it awake then. */
TEST_F(self, interrupt_wakes_the_link)
{
	EXPECT_STREQ("ok", warmup(self, 2100));
	EXPECT_TRUE(says(self, "asleep in 0 of 400 samples"));
	EXPECT_EQ(NULL, strstr(self->check.figures, "from a launch distance"));
	EXPECT_STREQ("differs: the link sleeps", warmup(self, 2101));
	EXPECT_STREQ("ok", warmup(self, -2101));
}

TEST_F(self, link_is_not_known)
{
	self->collection.count = 19;
	EXPECT_STREQ("not possible here: too few samples", warmup(self, 0));
}

static const char *ticks(FIXTURE_DATA(self) * self, const struct crystal *of)
{
	return verdict(self, self_check_crystal(&self->collection, of, CYC_PER_NS, &self->check));
}

TEST_F(self, wakes_at_any_time)
{
	for (size_t i = 0; i < RECORDS; i++)
		self->records[i].tai_cyc = (1ULL << 54) + dice_below(&self->dice, 1ULL << 40);
	EXPECT_STREQ("ok", ticks(self, &crystal));
	EXPECT_TRUE(says(self, "in 400 samples; a tick is 40.0 ns"));
}

/* Ticks of 84 cycles, and an exit that varies by a third of that. */
TEST_F(self, wakes_at_ticks)
{
	for (size_t i = 0; i < RECORDS; i++) {
		__u64 tick = (1ULL << 48) + dice_below(&self->dice, 1ULL << 40);

		self->records[i].tai_cyc = 84 * tick + dice_below(&self->dice, 28);
	}
	EXPECT_STREQ("differs: wake-ups keep to ticks of the crystal", ticks(self, &crystal));
}

TEST_F(self, crystal_is_not_known)
{
	static const struct crystal none = { .denominator = 0, .numerator = 0 };
	static const struct crystal no_ratio = { .denominator = 2, .numerator = 0 };

	EXPECT_STREQ("not possible here: CPUID 15H tells of no crystal", ticks(self, &none));
	EXPECT_STREQ("not possible here: CPUID 15H tells of no crystal", ticks(self, &no_ratio));
	self->collection.count = 99;
	EXPECT_STREQ("not possible here: too few samples", ticks(self, &crystal));
}

TEST(options_of_a_self_check)
{
	static const char * const alone[] = { "--self-check", "--methods=nic", NULL };
	static const char * const scan[] = { "--self-check", "--scan", NULL };
	static const char * const out[] = { "--out=dir", "--self-check", NULL };
	static struct options options;
	char error[256];

	EXPECT_TRUE(options_parse(alone, &options, error, sizeof(error)));
	EXPECT_TRUE(options.self_check);
	EXPECT_FALSE(options_parse(scan, &options, error, sizeof(error)));
	EXPECT_STREQ("--self-check takes no --scan and no --out beside it", error);
	EXPECT_FALSE(options_parse(out, &options, error, sizeof(error)));
	EXPECT_STREQ("--self-check takes no --scan and no --out beside it", error);
}

TEST_HARNESS_MAIN
