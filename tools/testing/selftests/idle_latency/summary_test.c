// SPDX-License-Identifier: GPL-2.0
/*
 * The summary of a row: what is made of the records of its sessions before they are judged. It
 * needs no device, because it depends on nothing but the row, the records and the instrument.
 */
#include <stdio.h>

#include "idle_latency_util.h"
#include "kselftest_harness.h"
#include "summary.h"

#define LIMIT_NS	1000

FIXTURE(summary) {
	struct row row;
	struct stratum steps[2];
	struct part parts[2];
	struct idle_latency_record samples[6];
	struct collection collection;
	struct instrument instrument;
	struct summary summary;
};

/* 4 that count, and 2 during entry; the last of both is above the limit. */
FIXTURE_SETUP(summary)
{
	self->row.strata[STRATUM_COUNTED] = (struct stratum) { { 20000, 200000 }, 9 };
	self->row.strata[STRATUM_ENTRY] = (struct stratum) { { 1, 20000 }, 3 };
	self->row.info.package_counter = IDLE_LATENCY_RESIDENCY_PC6;
	for (size_t i = 0; i < ARRAY_SIZE(self->samples); i++)
		self->samples[i] = (struct idle_latency_record) {
			.wake_ns = 500 + i, .intr_ns = 900 + i, .error_ns = 10 + i,
			.source = IDLE_LATENCY_SOURCE_TDT, .stamp = IDLE_LATENCY_STAMP_ENTER,
			.flags = IDLE_LATENCY_RECORD_WAKE | IDLE_LATENCY_RECORD_DEADLINE,
		};
	self->samples[3].wake_ns = 2000;
	self->samples[5].wake_ns = 3000;
	self->collection = (struct collection) {
		.samples = self->samples, .count = 6,
		.strata = { { .first = 0, .count = 4 }, { .first = 4, .count = 2 } },
		.steps = self->parts,
		.counts = { .armed = 8, .delivered = 6 },
		.elapsed_ns = 77,
	};
}

FIXTURE_TEARDOWN(summary)
{
	summary_free(&self->summary);
}

static struct summary *summarised(FIXTURE_DATA(summary) * self)
{
	summary_free(&self->summary);
	if (!summarise(&self->row, &self->collection, &self->instrument, LIMIT_NS,
		       &self->summary))
		ksft_exit_fail_msg("no memory\n");
	return &self->summary;
}

TEST_F(summary, of_no_session)
{
	const struct summary *summary;

	self->collection = (struct collection) { };
	summary = summarised(self);
	EXPECT_TRUE(summary->row == &self->row);
	EXPECT_FALSE(summary->ran);
	EXPECT_EQ(0UL, summary->valid);
	EXPECT_FALSE(summary->has_wake);
	EXPECT_FALSE(summary->deadline);
	EXPECT_EQ(0U, summary->stamp);
	EXPECT_EQ(20000ULL, summary->strata[STRATUM_COUNTED].ldist.from_ns);
	EXPECT_EQ(9UL, summary->strata[STRATUM_COUNTED].wanted);
	EXPECT_EQ(0UL, summary_above(summary));
}

TEST_F(summary, of_latencies_and_errors)
{
	const struct summary *summary = summarised(self);

	EXPECT_TRUE(summary->ran);
	EXPECT_EQ(6UL, summary->valid);
	EXPECT_EQ(8ULL, summary->counts.armed);
	EXPECT_EQ((__u32)IDLE_LATENCY_STAMP_ENTER, summary->stamp);
	EXPECT_TRUE(summary->has_wake);
	EXPECT_STREQ("WakeLatency", summary_latency(summary));
	EXPECT_EQ(500ULL, summary->wake.min);
	EXPECT_EQ(502ULL, summary->wake.median);
	EXPECT_EQ(3000ULL, summary->wake.max);
	EXPECT_EQ(905ULL, summary->intr.max);
	EXPECT_EQ(12ULL, summary->median_error_ns);
	EXPECT_EQ(0ULL, summary->median_uncertain_ns);
}

TEST_F(summary, of_samples_without_a_wake_latency)
{
	const struct summary *summary;

	self->samples[2].flags = 0;
	summary = summarised(self);
	EXPECT_FALSE(summary->has_wake);
	EXPECT_EQ(0ULL, summary->wake.max);
	EXPECT_EQ(900ULL, summary->intr.min);
	EXPECT_STREQ("IntrLatency", summary_latency(summary));
	/* Its own latency counts. */
	self->samples[2].intr_ns = 5000;
	EXPECT_EQ(5000ULL, summarised(self)->strata[STRATUM_COUNTED].slowest_ns);
}

TEST_F(summary, of_each_stratum)
{
	const struct summary *summary = summarised(self);
	const struct range *counted = &summary->strata[STRATUM_COUNTED];
	const struct range *entry = &summary->strata[STRATUM_ENTRY];

	EXPECT_EQ(4UL, counted->count);
	EXPECT_EQ(1UL, counted->above);
	EXPECT_EQ(2000ULL, counted->slowest_ns);
	EXPECT_EQ(2UL, entry->count);
	EXPECT_EQ(1UL, entry->above);
	EXPECT_EQ(3000ULL, entry->slowest_ns);
	EXPECT_EQ(2UL, summary_above(summary));
}

TEST_F(summary, with_what_the_instrument_adds)
{
	const struct summary *summary;

	self->instrument.software_ns = 1500;
	summary = summarised(self);
	EXPECT_EQ(1500ULL, summary->median_uncertain_ns);
	EXPECT_EQ(1500ULL, summary->instrument.software_ns);
	EXPECT_EQ(0UL, summary->strata[STRATUM_COUNTED].above);
	EXPECT_EQ(1UL, summary->strata[STRATUM_ENTRY].above);
	EXPECT_EQ(3000ULL, summary->wake.max);
	self->instrument.unknown = "the software around the idle instruction";
	EXPECT_EQ(0UL, summary_above(summarised(self)));
}

/* A counter tells of the state when it does of one sample; a deadline has to be in all. */
TEST_F(summary, of_what_records_tell)
{
	EXPECT_FALSE(summarised(self)->counted);
	EXPECT_TRUE(summarised(self)->deadline);
	self->samples[4].flags |= IDLE_LATENCY_RECORD_COUNTED;
	self->samples[1].flags &= ~IDLE_LATENCY_RECORD_DEADLINE;
	EXPECT_TRUE(summarised(self)->counted);
	EXPECT_TRUE(summarised(self)->package_counted);
	EXPECT_FALSE(summarised(self)->deadline);
	self->row.info.package_counter = IDLE_LATENCY_RESIDENCY_NONE;
	EXPECT_FALSE(summarised(self)->package_counted);
}

TEST_F(summary, of_the_steps_of_a_sweep)
{
	const struct summary *summary;

	self->row.steps = self->steps;
	self->row.step_count = 2;
	self->steps[1].ldist.from_ns = 300;
	self->parts[0] = (struct part) { .count = 4, .discarded = 2 };
	self->parts[1] = (struct part) { .first = 4, .count = 2 };
	self->collection.strata[STRATUM_COUNTED].count = 6;
	self->collection.strata[STRATUM_ENTRY].count = 0;
	summary = summarised(self);
	ASSERT_EQ(2UL, summary->step_count);
	EXPECT_EQ(2ULL, summary->steps[0].discarded);
	EXPECT_EQ(1UL, summary->steps[0].range.above);
	EXPECT_EQ(300ULL, summary->steps[1].range.ldist.from_ns);
	EXPECT_EQ(4UL, summary->steps[1].first);
	EXPECT_EQ(504ULL, summary->steps[1].latency.min);
	EXPECT_EQ(3000ULL, summary->steps[1].range.slowest_ns);
	EXPECT_TRUE(sweep_ended(summary));
	self->parts[1].count = 0;
	EXPECT_FALSE(sweep_ended(summarised(self)));
	EXPECT_EQ(2UL, summary_above(&self->summary));
}

TEST_HARNESS_MAIN
