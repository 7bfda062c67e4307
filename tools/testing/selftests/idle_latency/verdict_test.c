// SPDX-License-Identifier: GPL-2.0
/*
 * The parts of latency_test that need no device, foremost its verdict: for
 * each verdict there is a case in which it must be that one.
 */
#include <ctype.h>
#include <fcntl.h>
#include <math.h>
#include <sys/resource.h>

#include "kselftest_harness.h"
#include "causes.h"
#include "environment.h"
#include "progress.h"
#include "proposal.h"
#include "report.h"
#include "sweep.h"

static const struct idle_latency_counts case_counts = {
	.armed = 60,
	.delivered = 4,
	.discarded = {
		[IDLE_LATENCY_DISCARD_NO_IDLE] = 16,
		[IDLE_LATENCY_DISCARD_FOREIGN_TIMER] = 40,
	},
};

/*
 * The verdict: a row that is PASS, of which each test changes what it is about.
 */

#define LIMIT		2000
#define RESIDENCY	5000

FIXTURE(verdict)
{
	struct verdict_rule rule;
	struct idle_latency_record samples[4];
	struct idle_latency_counts counts;
	struct verdict_evidence evidence;
	struct verdict verdict;
};

FIXTURE_SETUP(verdict)
{
	self->rule = (struct verdict_rule) {
		.limit_ns = LIMIT,
		.residency_ns = RESIDENCY,
		.quantile = QUANTILE_ONE,
		.wanted = ARRAY_SIZE(self->samples),
		.counter_known = true,
		.counter = "CC6",
	};
	for (size_t i = 0; i < ARRAY_SIZE(self->samples); i++)
		self->samples[i] = (struct idle_latency_record) {
			.wake_ns = LIMIT,
			.intr_ns = LIMIT,
			.silent_ns = RESIDENCY,
			.ldist_ns = RESIDENCY + LAUNCH_DISTANCE_ARMING_NS,
			.flags = IDLE_LATENCY_RECORD_WAKE |
				 IDLE_LATENCY_RECORD_COUNTED |
				 IDLE_LATENCY_RECORD_REACHED |
				 IDLE_LATENCY_RECORD_PACKAGE,
		};
	self->counts = case_counts;
	self->counts.delivered = 100;
	self->counts.armed = 156;
	self->evidence = (struct verdict_evidence) {
		.samples = self->samples,
		.count = ARRAY_SIZE(self->samples),
		.counts = &self->counts,
		.causes = "",
	};
}

FIXTURE_TEARDOWN(verdict)
{
}

/* "PASS", "PASS core-only", "SKIP undecided" */
static const char *judged(FIXTURE_DATA(verdict) * self)
{
	struct verdict *verdict = &self->verdict;
	static char text[128];
	char qualifiers[QUALIFIERS_BYTES];

	verdict_judge(&self->rule, &self->evidence, verdict);
	verdict_qualifiers_text(verdict->qualifiers, qualifiers,
				sizeof(qualifiers));
	snprintf(text, sizeof(text), "%s%s%s%s%s", verdict_name(verdict->result),
		 *qualifiers ? " " : "", qualifiers,
		 *verdict->reason ? " " : "", verdict->reason);
	return text;
}

/* Whether the figures have it, or else have it not. */
static bool says(FIXTURE_DATA(verdict) * self, const char *text)
{
	if (strstr(self->verdict.figures, text))
		return true;
	ksft_print_msg("'%s' is not in: %s\n", text, self->verdict.figures);
	return false;
}

static bool omits(FIXTURE_DATA(verdict) * self, const char *text)
{
	if (!strstr(self->verdict.figures, text))
		return true;
	ksft_print_msg("'%s' is in: %s\n", text, self->verdict.figures);
	return false;
}

static void clear_flags(FIXTURE_DATA(verdict) * self, size_t samples,
			__u32 flags)
{
	for (size_t i = 0; i < samples; i++)
		self->samples[i].flags &= ~flags;
}

/* A sample at the limit is no exceedance. */
TEST_F(verdict, pass)
{
	EXPECT_STREQ("PASS", judged(self));
	EXPECT_STREQ(self->verdict.figures,
		     "WakeLatency less its error of up to 0 ns is above 2000 ns in none of 4 samples: p <= 0.527 at 95 %, which would be in order for a table that is a 99.99th percentile");
	EXPECT_EQ(0UL, self->verdict.above);
	EXPECT_EQ(0ULL, self->verdict.discarded_above);
	EXPECT_EQ(4UL, self->verdict.reached);
	EXPECT_EQ(4UL, self->verdict.package);
	EXPECT_EQ(0, self->verdict.p_lower);
	EXPECT_EQ(2000ULL, self->verdict.smallest_pass_ns);
	EXPECT_FALSE(self->verdict.has_p9999);
}

TEST_F(verdict, one_ns_above)
{
	self->samples[2].wake_ns = LIMIT + 1;
	EXPECT_STREQ("FAIL above the limit", judged(self));
	EXPECT_STREQ(self->verdict.figures,
		     "WakeLatency less its error of up to 0 ns is above 2000 ns in 1 of 4 samples, by up to 1 ns: 0.0127 <= p <= 0.751 at 95 %, which would not be in order for a table that is a 99.99th percentile");
	EXPECT_EQ(0U, self->verdict.qualifiers);
	EXPECT_EQ(1UL, self->verdict.above);
	EXPECT_EQ(2001ULL, self->verdict.smallest_pass_ns);
}

/* At the limit even with its error is below it, as at the limit even without is within. */
TEST_F(verdict, each_sample_has_its_own_error)
{
	self->samples[1].wake_ns = LIMIT - 7;
	self->samples[1].error_ns = 7;
	EXPECT_STREQ("PASS", judged(self));
	self->samples[1].wake_ns++;
	EXPECT_STREQ("SKIP undecided", judged(self));
	EXPECT_EQ(0UL, self->verdict.above);
	EXPECT_EQ(2001ULL, self->verdict.smallest_pass_ns);
	self->samples[1].wake_ns = LIMIT + 7;
	EXPECT_STREQ("SKIP undecided", judged(self));
	self->samples[1].wake_ns++;
	EXPECT_STREQ("FAIL above the limit", judged(self));
	EXPECT_EQ(1UL, self->verdict.above);
	EXPECT_EQ(2015ULL, self->verdict.smallest_pass_ns);
}

/* What an error as large as the limit cannot see is no PASS. */
TEST_F(verdict, errors_as_large_as_the_limit)
{
	for (size_t i = 0; i < ARRAY_SIZE(self->samples); i++) {
		self->samples[i].wake_ns = 900000;
		self->samples[i].error_ns = 1000000;
	}
	EXPECT_STREQ("SKIP undecided", judged(self));
	EXPECT_EQ(1900000ULL, self->verdict.smallest_pass_ns);
	for (size_t i = 0; i < ARRAY_SIZE(self->samples); i++) {
		self->samples[i].wake_ns = 1700;
		self->samples[i].error_ns = 731;
	}
	self->rule.limit_ns = 1000;
	EXPECT_STREQ("SKIP undecided", judged(self));
}

static bool is_below(const struct instrument *instrument, __u64 limit_ns,
		     const struct idle_latency_record *sample)
{
	return verdict_zone(instrument, limit_ns, sample) == ZONE_BELOW;
}

static bool is_within(const struct instrument *instrument, __u64 limit_ns,
		      const struct idle_latency_record *sample)
{
	return verdict_zone(instrument, limit_ns, sample) == ZONE_WITHIN;
}

static bool is_above(const struct instrument *instrument, __u64 limit_ns,
		     const struct idle_latency_record *sample)
{
	return verdict_zone(instrument, limit_ns, sample) == ZONE_ABOVE;
}

TEST_F(verdict, zones_of_one_sample)
{
	const struct instrument nic = { .delivery_ns = 300, .software_ns = 5 };
	const struct instrument unknown = { .unknown = "delivery by the card" };
	const struct instrument none = { };
	struct idle_latency_record *sample = &self->samples[0];

	sample->wake_ns = LIMIT;
	sample->intr_ns = LIMIT + 306;
	sample->error_ns = 7;
	EXPECT_TRUE(is_below(&none, LIMIT + 7, sample));
	EXPECT_TRUE(is_within(&none, LIMIT + 6, sample));
	EXPECT_TRUE(is_within(&none, LIMIT - 7, sample));
	EXPECT_TRUE(is_above(&none, LIMIT - 8, sample));
	/* What makes it longer lets it be no longer than it is. */
	EXPECT_TRUE(is_below(&nic, LIMIT + 7, sample));
	EXPECT_TRUE(is_within(&nic, LIMIT - 312, sample));
	EXPECT_TRUE(is_above(&nic, LIMIT - 313, sample));
	EXPECT_EQ(305ULL, instrument_uncertain(&nic, sample));
	EXPECT_TRUE(is_within(&unknown, 0, sample));
	EXPECT_TRUE(is_below(&unknown, LIMIT + 7, sample));
	EXPECT_EQ(LIMIT - 7ULL, verdict_least(sample));
	/* The awake CPU has the same in its IntrLatency. */
	sample->flags &= ~IDLE_LATENCY_RECORD_WAKE;
	EXPECT_EQ(0ULL, instrument_uncertain(&nic, sample));
	EXPECT_TRUE(is_above(&nic, LIMIT + 298, sample));
	EXPECT_TRUE(is_above(&unknown, LIMIT + 298, sample));
	EXPECT_TRUE(is_within(&nic, LIMIT + 299, sample));
	EXPECT_EQ(LIMIT + 299ULL, verdict_least(sample));
}

/* 20 ppm of 50 ms are 1 us, as may be added to either side; a deadline has no such error. */
TEST_F(verdict, timer_without_a_deadline)
{
	const struct instrument instrument = {
		.tick_ns = 16, .rate_ppb = 20000, .software_ns = 200,
	};
	struct idle_latency_record *sample = &self->samples[0];

	sample->source = IDLE_LATENCY_SOURCE_HRT;
	sample->ldist_ns = 50000000;
	EXPECT_EQ(1216ULL, instrument_uncertain(&instrument, sample));
	EXPECT_TRUE(is_below(&instrument, LIMIT + 1016, sample));
	EXPECT_TRUE(is_within(&instrument, LIMIT + 1015, sample));
	EXPECT_TRUE(is_within(&instrument, LIMIT - 1216, sample));
	EXPECT_TRUE(is_above(&instrument, LIMIT - 1217, sample));
	/* Parts of a ns are rounded up. */
	sample->ldist_ns = 1;
	EXPECT_EQ(217ULL, instrument_uncertain(&instrument, sample));
	sample->flags |= IDLE_LATENCY_RECORD_DEADLINE;
	EXPECT_EQ(200ULL, instrument_uncertain(&instrument, sample));
	sample->flags &= ~IDLE_LATENCY_RECORD_DEADLINE;
	sample->source = IDLE_LATENCY_SOURCE_NIC;
	EXPECT_EQ(200ULL, instrument_uncertain(&instrument, sample));
	/* IntrLatency, too, comes early or late. */
	sample->source = IDLE_LATENCY_SOURCE_HRT;
	sample->flags = 0;
	sample->ldist_ns = 50000000;
	EXPECT_EQ(1016ULL, instrument_uncertain(&instrument, sample));
	self->rule.instrument = instrument;
	sample->flags = self->samples[1].flags;
	EXPECT_STREQ("SKIP undecided", judged(self));
	EXPECT_TRUE(says(self, "; the rate of the timer may be wrong by 21 ppm"));
}

TEST(launch_distances_that_a_rate_allows)
{
	const struct instrument instrument = { .rate_ppb = 100000 };
	const struct instrument exact = { .rate_ppb = 1 };

	EXPECT_EQ(1000000ULL, instrument_ldist_most(&instrument, 1000));
	EXPECT_EQ(8000000ULL, instrument_ldist_most(&instrument, 8000));
	EXPECT_EQ(0ULL, instrument_ldist_most(&instrument, 0));
	EXPECT_EQ(IDLE_LATENCY_LDIST_MAX_NS + 0ULL,
		  instrument_ldist_most(&exact, 1000));
}

/* The first access took 2000 ns longer than that in which the card latched its time. */
TEST_F(verdict, link_that_may_sleep)
{
	struct idle_latency_record *sample = &self->samples[0];

	sample->latch_ns = 1400;
	sample->warmup_ns = 3400;
	sample->wake_ns = LIMIT + 2000;
	EXPECT_EQ(2000ULL, instrument_uncertain(&self->rule.instrument, sample));
	EXPECT_STREQ("SKIP the link may sleep", judged(self));
	EXPECT_TRUE(says(self,
			 "; 1 more would be above if the link to the card was awake"));
	sample->wake_ns++;
	EXPECT_STREQ("FAIL above the limit", judged(self));
	EXPECT_TRUE(omits(self, "link"));
	/* It makes nothing longer than it was seen to be. */
	sample->wake_ns = LIMIT;
	EXPECT_STREQ("PASS", judged(self));
	/* Half as long again is no sleep. */
	sample->wake_ns = LIMIT + 1;
	sample->warmup_ns = 2101;
	EXPECT_STREQ("SKIP the link may sleep", judged(self));
	sample->warmup_ns = 2100;
	EXPECT_STREQ("FAIL above the limit", judged(self));
	/* Something else is uncertain, too, or another sample is above without. */
	sample->warmup_ns = 3400;
	self->rule.instrument.delivery_ns = 1;
	EXPECT_STREQ("SKIP undecided", judged(self));
	self->rule.instrument.delivery_ns = 0;
	self->samples[1].wake_ns = LIMIT + 1;
	EXPECT_STREQ("FAIL above the limit", judged(self));
	/* Nor does it have to count. */
	self->samples[1].wake_ns = LIMIT;
	self->rule.wanted = 3;
	sample->silent_ns = 0;
	EXPECT_STREQ("SKIP the link may sleep", judged(self));
}

TEST(delivery_at_the_launch_distances_of_a_row)
{
	struct order_stats nic = { .min = 1000, .median = 1300, .p99 = 1500, .max = 9000 };
	struct order_stats timer = { .min = 400, .median = 600, .p99 = 1450, .max = 1600 };

	/* Few have no other p99 than the largest. */
	EXPECT_EQ(7400ULL, delivery_at_most(&nic, &timer));
	nic.has_p99 = true;
	timer.has_p99 = true;
	EXPECT_EQ(700ULL, delivery_at_most(&nic, &timer));
	timer.median = 1000;
	EXPECT_EQ(600ULL, delivery_at_most(&nic, &timer));
	nic.min = 400;
	nic.p99 = 2000;
	EXPECT_EQ(550ULL, delivery_at_most(&nic, &timer));
	EXPECT_EQ(0ULL, delivery_at_most(&timer, &nic));
	EXPECT_EQ(150UL, delivery_samples((struct launch_distance) { 999999, 9999990 }));
	EXPECT_EQ(30UL, delivery_samples((struct launch_distance) { 1000000, 10000000 }));
}

/* One sample above is enough, and so are all below. */
TEST_F(verdict, error_that_would_decide)
{
	self->samples[0].wake_ns = LIMIT - 200;
	self->samples[0].error_ns = 731;
	self->samples[1].wake_ns = LIMIT - 500;
	self->samples[1].error_ns = 731;
	self->rule.best = "hrt";
	self->rule.best_error_ns = 20;
	EXPECT_STREQ("SKIP undecided", judged(self));
	EXPECT_TRUE(says(self,
			 "; 2 of 4 samples that count are within their error: an error"));
	EXPECT_TRUE(says(self, ": an error below 201 ns would decide, and hrt has 20 ns"));
	EXPECT_TRUE(says(self, "its error of up to 731 ns is above"));
	self->rule.best_error_ns = 201;
	EXPECT_STREQ("SKIP undecided", judged(self));
	EXPECT_TRUE(says(self, "below 201 ns would decide"));
	EXPECT_TRUE(omits(self, "hrt"));
	self->samples[1].wake_ns = LIMIT + 30;
	self->samples[2].wake_ns = LIMIT + 25;
	self->samples[2].error_ns = 731;
	EXPECT_STREQ("SKIP undecided", judged(self));
	EXPECT_TRUE(says(self, "3 of 4 samples that count are within"));
	EXPECT_TRUE(says(self, ": an error below 30 ns would decide"));
	self->rule.best = NULL;
	self->rule.best_error_ns = 0;
	EXPECT_STREQ("SKIP undecided", judged(self));
	EXPECT_TRUE(omits(self, "and "));
}

/* What does not count does not have to be below. */
TEST_F(verdict, sample_within_its_error_that_does_not_count)
{
	self->rule.wanted = 3;
	self->samples[0].error_ns = 1;
	EXPECT_STREQ("SKIP undecided", judged(self));
	self->samples[0].silent_ns = 0;
	EXPECT_STREQ("PASS", judged(self));
	EXPECT_TRUE(omits(self, "within"));
}

TEST_F(verdict, limits_that_must_not_wrap)
{
	self->samples[0].error_ns = ~0ULL;
	EXPECT_STREQ("SKIP undecided", judged(self));
	EXPECT_EQ(~0ULL, self->verdict.smallest_pass_ns);
	self->samples[0].error_ns = 0;
	self->rule.limit_ns = ~0ULL;
	self->samples[0].wake_ns = ~0ULL;
	EXPECT_STREQ("PASS", judged(self));
	self->rule.limit_ns = ~0ULL - 5;
	self->rule.instrument.delivery_ns = 100;
	EXPECT_STREQ("SKIP undecided", judged(self));
	self->rule.instrument.software_ns = ~0ULL;
	EXPECT_STREQ("SKIP undecided", judged(self));
	self->rule.instrument = (struct instrument) { };
	EXPECT_STREQ("FAIL above the limit", judged(self));
}

/* Whatever else is wrong, a believed exceedance refutes what is declared. */
TEST_F(verdict, one_exceedance_among_everything_else)
{
	self->samples[3].wake_ns = LIMIT + 500;
	self->samples[2].wake_ns = LIMIT + 50;
	self->rule.instrument.delivery_ns = 100;
	self->rule.wanted = 5000;
	self->counts.above[IDLE_LATENCY_DISCARD_NMI] = 1;
	self->evidence.error = "interrupted";
	clear_flags(self, 4, IDLE_LATENCY_RECORD_REACHED);
	EXPECT_STREQ("FAIL above the limit", judged(self));
	EXPECT_EQ(1UL, self->verdict.above);
	EXPECT_EQ(1ULL, self->verdict.discarded_above);
	self->evidence.samples = &self->samples[3];
	self->evidence.count = 1;
	EXPECT_STREQ("FAIL above the limit", judged(self));
}

/* Nor does it matter in which state the CPU was, and for how long. */
TEST_F(verdict, exceedance_that_does_not_count)
{
	self->rule.wanted = 3;
	self->samples[0].wake_ns = LIMIT + 1;
	self->samples[0].flags &= ~IDLE_LATENCY_RECORD_REACHED;
	EXPECT_STREQ("FAIL above the limit", judged(self));
	self->samples[0].flags |= IDLE_LATENCY_RECORD_REACHED;
	self->samples[0].silent_ns = 0;
	EXPECT_STREQ("FAIL above the limit", judged(self));
}

TEST_F(verdict, delivery_by_the_card)
{
	self->rule.instrument.delivery_ns = 300;
	self->samples[0].wake_ns = LIMIT + 300 + 40;
	self->samples[0].error_ns = 40;
	EXPECT_STREQ("SKIP undecided", judged(self));
	EXPECT_TRUE(says(self,
			 "less its error of up to 340 ns is above 2000 ns in none of 4"));
	EXPECT_TRUE(says(self, "in none of 4 samples: p <= 0.751 at 95 %,"));
	EXPECT_TRUE(says(self,
			 "; of the error, delivery by the card is 300 ns"));
	EXPECT_TRUE(omits(self, "software"));
	EXPECT_EQ(0UL, self->verdict.above);
	EXPECT_EQ(2380ULL, self->verdict.smallest_pass_ns);
	self->samples[0].wake_ns++;
	EXPECT_STREQ("FAIL above the limit", judged(self));
	EXPECT_TRUE(says(self, "in 1 of 4 samples, by up to 1 ns: 0.0127 <= p"));
	EXPECT_TRUE(omits(self, "within"));
	/* It makes nothing longer than it was seen to be. */
	self->samples[0].wake_ns = LIMIT - 40;
	EXPECT_STREQ("PASS", judged(self));
}

TEST_F(verdict, software_and_delivery)
{
	self->rule.instrument.delivery_ns = 300;
	self->rule.instrument.software_ns = 226;
	self->samples[0].wake_ns = LIMIT + 526;
	EXPECT_STREQ("SKIP undecided", judged(self));
	EXPECT_TRUE(says(self,
			 "300 ns; of the error, the software around the idle instruction is 226"));
	self->samples[0].wake_ns++;
	EXPECT_STREQ("FAIL above the limit", judged(self));
}

/* As when the reference gave no sample. */
TEST_F(verdict, what_is_added_is_not_known)
{
	self->rule.instrument.unknown = "delivery by the card";
	EXPECT_STREQ("PASS", judged(self));
	self->samples[0].wake_ns = 10 * LIMIT;
	EXPECT_STREQ("SKIP undecided", judged(self));
	EXPECT_TRUE(says(self, "; delivery by the card could not be measured"));
	self->rule.instrument.unknown = NULL;
	EXPECT_STREQ("FAIL above the limit", judged(self));
}

TEST_F(verdict, undecided_before_the_other_reasons)
{
	self->samples[0].error_ns = 1;
	self->counts.above[IDLE_LATENCY_DISCARD_LOST] = 1;
	self->evidence.error = "interrupted";
	self->rule.wanted = 5000;
	EXPECT_STREQ("SKIP undecided", judged(self));
}

TEST_F(verdict, discarded_events_above_the_limit)
{
	self->counts.discarded[IDLE_LATENCY_DISCARD_NMI] = 2;
	self->counts.above[IDLE_LATENCY_DISCARD_NMI] = 1;
	self->counts.largest_ns[IDLE_LATENCY_DISCARD_NMI] = 812000;
	self->counts.discarded[IDLE_LATENCY_DISCARD_SMI] = 3;
	self->counts.above[IDLE_LATENCY_DISCARD_SMI] = 3;
	self->counts.largest_ns[IDLE_LATENCY_DISCARD_SMI] = 2001;
	self->rule.wanted = 5000;
	EXPECT_STREQ("SKIP discarded events above the limit", judged(self));
	EXPECT_TRUE(says(self,
			 "nmi 2 (1 above, largest 812000 ns; the watchdog's or perf's)"));
	EXPECT_TRUE(says(self,
			 "smi 3 (3 above, largest 2001 ns; the firmware's);"));
	EXPECT_EQ(4ULL, self->verdict.discarded_above);
	EXPECT_EQ(0UL, self->verdict.above);
	/* Nothing is in order then. */
	EXPECT_TRUE(omits(self, "in order"));
}

static void lose(FIXTURE_DATA(verdict) * self, __u64 count)
{
	self->counts.discarded[IDLE_LATENCY_DISCARD_LOST] = count;
	self->counts.above[IDLE_LATENCY_DISCARD_LOST] = count;
	self->counts.largest_ns[IDLE_LATENCY_DISCARD_LOST] = 100000000;
}

TEST_F(verdict, events_of_a_timer_that_never_came)
{
	lose(self, 1);
	EXPECT_STREQ("SKIP an event was lost", judged(self));
	EXPECT_TRUE(says(self,
			 "; discarded: lost 1 (1 above, largest 100000000 ns)"));
	EXPECT_TRUE(omits(self, "in order"));
	lose(self, 2);
	EXPECT_STREQ("FAIL events were lost", judged(self));
	EXPECT_TRUE(omits(self, "in order"));
	/* All of them, with no sample; the firmware declares no lost events. */
	self->evidence.count = 0;
	self->rule.firmware = true;
	EXPECT_STREQ("FAIL events were lost", judged(self));
	EXPECT_FALSE(self->verdict.firmware);
	/* What ended the session may have kept them from coming. */
	self->evidence.error = "the machine was suspended meanwhile";
	EXPECT_STREQ("SKIP the machine was suspended meanwhile", judged(self));
}

/* A sample above is the better reason. */
TEST_F(verdict, lost_events_and_samples_above)
{
	lose(self, 2);
	self->samples[0].wake_ns++;
	EXPECT_STREQ("FAIL above the limit", judged(self));
}

TEST_F(verdict, events_of_the_card_that_never_came)
{
	self->rule.by_card = true;
	lose(self, 1);
	EXPECT_STREQ("SKIP the card's events were lost", judged(self));
	lose(self, 3000);
	EXPECT_STREQ("SKIP the card's events were lost", judged(self));
	self->samples[0].wake_ns++;
	EXPECT_STREQ("FAIL above the limit", judged(self));
}

/* Those below the limit hide nothing. */
TEST_F(verdict, discarded_events_below_the_limit)
{
	self->counts.discarded[IDLE_LATENCY_DISCARD_SMI] = 3;
	self->counts.largest_ns[IDLE_LATENCY_DISCARD_SMI] = 2000;
	EXPECT_STREQ("PASS", judged(self));
	EXPECT_TRUE(omits(self, "discarded"));
}

TEST_F(verdict, session_that_ended_early)
{
	self->evidence.error = "interrupted";
	EXPECT_STREQ("SKIP interrupted", judged(self));
	self->rule.wanted = 5;
	EXPECT_STREQ("SKIP interrupted", judged(self));
	self->counts.discarded[IDLE_LATENCY_DISCARD_LOST] = 1;
	self->counts.above[IDLE_LATENCY_DISCARD_LOST] = 1;
	EXPECT_STREQ("SKIP interrupted", judged(self));
	EXPECT_TRUE(says(self, "; discarded: lost 1 (1 above"));
}

TEST_F(verdict, one_sample_too_few)
{
	self->rule.wanted = 5;
	EXPECT_STREQ("SKIP too few samples", judged(self));
	EXPECT_TRUE(says(self, "; 4 of 5 wanted samples count; 156 armed"));
	EXPECT_TRUE(says(self, "; 156 armed, most discarded: foreign_timer 40"));
	EXPECT_TRUE(omits(self, "covers"));
	EXPECT_TRUE(omits(self, "SilentTime"));
	self->rule.wanted = 4;
	EXPECT_STREQ("PASS", judged(self));
}

TEST_F(verdict, no_sample)
{
	self->evidence.count = 0;
	EXPECT_STREQ("SKIP too few samples", judged(self));
	EXPECT_STREQ(self->verdict.figures,
		     "there is no sample; 0 of 4 wanted samples count; 156 armed, most discarded: foreign_timer 40");
	EXPECT_EQ(0ULL, self->verdict.smallest_pass_ns);
	EXPECT_EQ(0, self->verdict.p_lower);
	EXPECT_EQ(1, self->verdict.p_upper);
	self->rule.quantile = 999900000;
	EXPECT_STREQ("SKIP too few samples", judged(self));
}

TEST_F(verdict, state_that_is_not_reached_by_a_timer)
{
	self->rule.nic_count = 9;
	self->rule.nic_reached = 5;
	clear_flags(self, 2, IDLE_LATENCY_RECORD_REACHED);
	EXPECT_STREQ("SKIP the state was not reached", judged(self));
	EXPECT_TRUE(omits(self, "by timer"));
	clear_flags(self, 3, IDLE_LATENCY_RECORD_REACHED);
	EXPECT_STREQ("SKIP the state was not reached", judged(self));
	EXPECT_TRUE(says(self, "SilentTime in 1 of 4: by timer, as nic has 5 of 9; "));
	self->evidence.causes = "demotion on";
	EXPECT_STREQ("SKIP the state was not reached", judged(self));
	EXPECT_TRUE(says(self, "in 1 of 4: demotion on, by timer, as nic has 5 of 9; "));
	self->rule.nic_reached = 4;
	EXPECT_STREQ("SKIP the state was not reached", judged(self));
	EXPECT_TRUE(omits(self, "by timer"));
}

TEST_F(verdict, state_that_was_not_reached)
{
	self->evidence.causes = "busy SMT sibling cpu 9, demotion on";
	clear_flags(self, 1, IDLE_LATENCY_RECORD_REACHED);
	EXPECT_STREQ("SKIP the state was not reached", judged(self));
	EXPECT_TRUE(says(self,
			 "; CC6 covers SilentTime in 3 of 4: busy SMT sibling cpu 9, demotion on"));
	EXPECT_TRUE(says(self, "demotion on; 3 of 4 wanted"));
	EXPECT_EQ(3UL, self->verdict.reached);
	self->rule.wanted = 3;
	EXPECT_STREQ("PASS", judged(self));
	EXPECT_TRUE(says(self, "CC6 covers SilentTime in 3 of 4"));
	/* Too few were taken in any case. */
	self->rule.wanted = 5;
	EXPECT_STREQ("SKIP too few samples", judged(self));
	/* None of them, nor was any long enough. */
	self->rule.wanted = 4;
	self->rule.residency_ns = RESIDENCY + 1;
	clear_flags(self, 4, IDLE_LATENCY_RECORD_REACHED);
	EXPECT_STREQ("SKIP the state was not reached", judged(self));
	self->rule.counter = NULL;
	EXPECT_STREQ("SKIP the state was not reached", judged(self));
	EXPECT_TRUE(says(self, "the counter of the state covers SilentTime in 0 of 4"));
}

/* Wake-ups during entry do not stand in for those that did not reach it. */
TEST_F(verdict, more_samples_than_wanted_reached_the_state)
{
	self->rule.wanted = 2;
	self->samples[0].silent_ns = RESIDENCY - 1;
	self->samples[1].silent_ns = 0;
	EXPECT_STREQ("PASS", judged(self));
	self->samples[2].flags &= ~IDLE_LATENCY_RECORD_REACHED;
	EXPECT_STREQ("SKIP the state was not reached", judged(self));
	EXPECT_EQ(3UL, self->verdict.reached);
}

TEST_F(verdict, silent_time_below_the_target_residency)
{
	self->samples[1].silent_ns = RESIDENCY - 1;
	EXPECT_STREQ("SKIP too few samples", judged(self));
	EXPECT_TRUE(says(self,
			 "; 3 of 4 wanted samples count; SilentTime is at least 5000 ns in 3;"));
	EXPECT_EQ(4UL, self->verdict.reached);
	EXPECT_EQ(3UL, verdict_counted(self->samples, 4, RESIDENCY));
	EXPECT_EQ(4UL, verdict_counted(self->samples, 4, RESIDENCY - 1));
}

TEST_F(verdict, state_without_a_counter)
{
	self->rule.counter_known = false;
	clear_flags(self, 4, IDLE_LATENCY_RECORD_COUNTED |
			     IDLE_LATENCY_RECORD_REACHED);
	EXPECT_STREQ("PASS unverified", judged(self));
	EXPECT_TRUE(omits(self, "covers"));
	EXPECT_EQ(0UL, self->verdict.reached);
	EXPECT_EQ(4UL, verdict_counted(self->samples, 4, RESIDENCY));
	/* It exists but was never valid. */
	self->rule.counter_known = true;
	EXPECT_STREQ("PASS unverified", judged(self));
	/* It was valid once, and what is not known then did not count. */
	self->samples[3].flags |= IDLE_LATENCY_RECORD_COUNTED |
				  IDLE_LATENCY_RECORD_REACHED;
	EXPECT_STREQ("SKIP the state was not reached", judged(self));
	EXPECT_EQ(1UL, verdict_counted(self->samples, 4, RESIDENCY));
}

/* The counters of the package are read for one event of eight. */
static void read_package(FIXTURE_DATA(verdict) * self, size_t samples)
{
	for (size_t i = 0; i < ARRAY_SIZE(self->samples); i++)
		self->samples[i].residency_present =
			i < samples ? 1U << IDLE_LATENCY_RESIDENCY_PC6 : 0;
	clear_flags(self, ARRAY_SIZE(self->samples),
		    IDLE_LATENCY_RECORD_PACKAGE);
}

TEST_F(verdict, package_that_was_not_reached)
{
	read_package(self, 3);
	EXPECT_STREQ("PASS", judged(self));
	EXPECT_TRUE(omits(self, "package"));
	self->rule.package_included = true;
	self->samples[0].flags |= IDLE_LATENCY_RECORD_PACKAGE;
	EXPECT_STREQ("PASS core-only", judged(self));
	EXPECT_TRUE(says(self, "; the package reached its state in 1 of 3"));
	EXPECT_EQ(1UL, self->verdict.package);
	/* Half of those that tell. */
	self->samples[2].residency_present = 0;
	EXPECT_STREQ("PASS", judged(self));
	EXPECT_TRUE(says(self, "; the package reached its state in 1 of 2"));
	/* Only samples that count are asked. */
	self->rule.wanted = 3;
	self->samples[0].silent_ns = 0;
	EXPECT_STREQ("PASS core-only", judged(self));
	EXPECT_TRUE(says(self, "; the package reached its state in 0 of 1"));
}

/* Of 17 samples that are wanted, two have to tell. */
TEST_F(verdict, package_that_was_seldom_read)
{
	struct idle_latency_record samples[17];

	read_package(self, 1);
	self->samples[0].flags |= IDLE_LATENCY_RECORD_PACKAGE;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		samples[i] = self->samples[i ? 1 : 0];
	self->evidence.samples = samples;
	self->evidence.count = 17;
	self->rule.package_included = true;
	self->rule.wanted = 16;
	EXPECT_STREQ("PASS", judged(self));
	self->rule.wanted = 17;
	EXPECT_STREQ("PASS core-only", judged(self));
	samples[1] = samples[0];
	EXPECT_STREQ("PASS", judged(self));
}

TEST_F(verdict, package_that_nobody_knows)
{
	read_package(self, 0);
	self->rule.package_included = true;
	EXPECT_STREQ("PASS core-only", judged(self));
	EXPECT_TRUE(says(self, "; where the package was is not known"));
}

/* One part of 20 is 5 %. */
TEST_F(verdict, counters_that_advance_between_the_events)
{
	self->counts.advanced_cyc = 19000;
	self->counts.between_cyc = 1000;
	EXPECT_STREQ("PASS", judged(self));
	self->counts.between_cyc = 1002;
	EXPECT_STREQ("PASS unverified", judged(self));
}

TEST_F(verdict, half_of_the_events_were_discarded)
{
	self->counts.delivered = 41;
	EXPECT_STREQ("PASS", judged(self));
	EXPECT_TRUE(omits(self, "discarded"));
	self->counts.delivered = 40;
	EXPECT_STREQ("SKIP selected", judged(self));
	EXPECT_TRUE(says(self,
			 "; 56 of 156 events were discarded, most: foreign_timer 40"));
	self->samples[0].wake_ns++;
	EXPECT_STREQ("FAIL above the limit", judged(self));
}

TEST_F(verdict, tick_of_a_cpu_that_keeps_the_time)
{
	self->rule.wanted = 5;
	self->rule.keeps_time = true;
	EXPECT_STREQ("SKIP too few samples", judged(self));
	EXPECT_TRUE(says(self,
			 "timer 40, because the CPU ticks for those of nohz_full: measure one"));
	self->rule.wanted = 4;
	self->counts.delivered = 40;
	EXPECT_STREQ("SKIP selected", judged(self));
	EXPECT_TRUE(says(self, "foreign_timer 40, because the CPU ticks"));
	self->counts.discarded[IDLE_LATENCY_DISCARD_NO_IDLE] = 41;
	EXPECT_STREQ("SKIP selected", judged(self));
	EXPECT_TRUE(omits(self, "nohz_full"));
}

/* That comes from their launch distances, or from the end of the session. */
TEST_F(verdict, events_that_were_too_near)
{
	self->counts.discarded[IDLE_LATENCY_DISCARD_STOPPED] = 1000;
	self->counts.discarded[IDLE_LATENCY_DISCARD_LATE] = 1000;
	self->counts.discarded[IDLE_LATENCY_DISCARD_NO_IDLE] = 1000;
	self->counts.discarded[IDLE_LATENCY_DISCARD_BEFORE_IDLE] = 1000;
	EXPECT_STREQ("PASS", judged(self));
	self->counts.discarded[IDLE_LATENCY_DISCARD_AFTER_IDLE] = 1000;
	EXPECT_STREQ("SKIP selected", judged(self));
}

TEST_F(verdict, fewer_than_half_in_the_state)
{
	self->rule.wanted = 1;
	clear_flags(self, 2, IDLE_LATENCY_RECORD_REACHED);
	EXPECT_STREQ("PASS", judged(self));
	clear_flags(self, 3, IDLE_LATENCY_RECORD_REACHED);
	EXPECT_STREQ("SKIP selected", judged(self));
	EXPECT_TRUE(says(self, "CC6 covers SilentTime in 1 of 4"));
	/* Samples that are too short are not asked. */
	self->samples[0].silent_ns = 0;
	self->samples[1].silent_ns = 0;
	EXPECT_STREQ("PASS", judged(self));
}

TEST_F(verdict, state_that_the_firmware_declares)
{
	self->rule.firmware = true;
	EXPECT_STREQ("PASS", judged(self));
	self->samples[0].wake_ns++;
	EXPECT_STREQ("FAIL declared by the firmware", judged(self));
	EXPECT_TRUE(self->verdict.firmware);
	self->rule.firmware = false;
	EXPECT_STREQ("FAIL above the limit", judged(self));
	EXPECT_FALSE(self->verdict.firmware);
}

TEST_F(verdict, qualifiers_of_the_rule)
{
	self->rule.lower_bound = true;
	EXPECT_STREQ("PASS lower-bound", judged(self));
	self->rule.virtual = true;
	EXPECT_STREQ("PASS virtual+lower-bound", judged(self));
	self->samples[0].wake_ns++;
	EXPECT_STREQ("FAIL virtual above the limit", judged(self));
	self->rule.instrument.delivery_ns = 1;
	EXPECT_STREQ("SKIP virtual undecided", judged(self));
	self->rule.virtual = false;
	EXPECT_STREQ("SKIP undecided", judged(self));
	EXPECT_EQ(0U, self->verdict.qualifiers);
}

TEST(qualifiers_in_words)
{
	char text[96];

	verdict_qualifiers_text(0, text, sizeof(text));
	EXPECT_STREQ("", text);
	verdict_qualifiers_text(QUALIFIER_CORE_ONLY, text, sizeof(text));
	EXPECT_STREQ("core-only", text);
	verdict_qualifiers_text(QUALIFIER_UNVERIFIED | QUALIFIER_VIRTUAL |
				QUALIFIER_LOWER_BOUND | QUALIFIER_CORE_ONLY |
				QUALIFIER_UPPER_BOUND | QUALIFIER_UNPROVEN |
				QUALIFIER_FEW_ABOVE, text, sizeof(text));
	EXPECT_STREQ("unverified+virtual+lower-bound+core-only+upper-bound+unproven+few-above",
		     text);
	EXPECT_GT((size_t)QUALIFIERS_BYTES, strlen(text));
	/* One that there is not. */
	verdict_qualifiers_text(QUALIFIER_FEW_ABOVE << 1, text, sizeof(text));
	EXPECT_STREQ("", text);
}

TEST(nothing_to_judge)
{
	struct verdict verdict;

	memset(&verdict, 0xff, sizeof(verdict));
	verdict_skip(&verdict, "the CPU is offline");
	EXPECT_STREQ("SKIP", verdict_name(verdict.result));
	EXPECT_STREQ("the CPU is offline", verdict.reason);
	EXPECT_STREQ("", verdict.figures);
	EXPECT_EQ(0U, verdict.qualifiers);
	EXPECT_EQ(1, verdict.p_upper);
	EXPECT_FALSE(verdict.has_p9999);
}

/* A state that is entered with interrupts enabled. */
TEST_F(verdict, interrupts_enabled)
{
	clear_flags(self, 4, IDLE_LATENCY_RECORD_WAKE);
	for (size_t i = 0; i < ARRAY_SIZE(self->samples); i++) {
		self->samples[i].wake_ns = 0;
		self->samples[i].silent_ns = 0;
	}
	EXPECT_STREQ("PASS upper-bound", judged(self));
	EXPECT_TRUE(says(self,
			 "IntrLatency less its error of up to 0 ns is above 2000 ns in none of 4"));
	EXPECT_EQ(2000ULL, self->verdict.smallest_pass_ns);
	/* What the awake CPU takes is not known: it may be all of it. */
	self->samples[1].intr_ns = 1000000;
	EXPECT_STREQ("SKIP undecided", judged(self));
	EXPECT_TRUE(says(self,
			 "; 1 more may be: in what time the awake CPU gets to the"));
	self->rule.awake_count = 100000;
	self->rule.awake.max = 300;
	self->samples[1].intr_ns = LIMIT + 300 + 40;
	self->samples[1].error_ns = 40;
	EXPECT_STREQ("SKIP undecided", judged(self));
	EXPECT_TRUE(says(self,
			 "; 1 more may be: the awake CPU gets to the handler in"));
	EXPECT_TRUE(says(self, " 0 ns in the median and in up to 300 ns in 100000 samples"));
	self->samples[1].intr_ns++;
	EXPECT_STREQ("FAIL above the limit", judged(self));
	/* It contains what the card and the probe add. */
	self->rule.instrument.delivery_ns = 1000;
	self->rule.instrument.software_ns = 1000;
	EXPECT_STREQ("FAIL above the limit", judged(self));
}

/* Of 4 samples and so many awake ones, the slowest is of the state with p = 4 / (4 + n). */
TEST_F(verdict, interrupts_enabled_and_chance)
{
	clear_flags(self, 4, IDLE_LATENCY_RECORD_WAKE);
	self->rule.awake.max = 300;
	self->rule.awake_count = 11995;
	self->samples[1].intr_ns = LIMIT + 300 + 1;
	self->samples[1].error_ns = 0;
	EXPECT_STREQ("SKIP undecided", judged(self));
	self->rule.awake_count = 11997;
	EXPECT_STREQ("FAIL above the limit", judged(self));
	EXPECT_TRUE(says(self, " in 1 of 4 samples, by up to 301 ns: 0.0127 <= p"));
	EXPECT_TRUE(omits(self, "more"));
	EXPECT_TRUE(says(self,
			 "; the awake CPU gets to the handler in 0 ns in the median"));
	/* All four are the slowest of 26 with p = 1 / 14950, the slowest three with 1 / 650. */
	self->rule.awake_count = 22;
	for (size_t i = 0; i < 4; i++)
		self->samples[i] = self->samples[1];
	EXPECT_STREQ("FAIL above the limit", judged(self));
	EXPECT_TRUE(says(self, "; 3 more may be: the awake CPU"));
	self->samples[3].intr_ns = 1;
	EXPECT_STREQ("SKIP undecided", judged(self));
}

#define INTR_SAMPLES	1000

/* @slow of them take that long. */
static void fill_intr(FIXTURE_DATA(verdict) * self,
		      struct idle_latency_record *many, size_t slow, __u64 ns)
{
	for (size_t i = 0; i < INTR_SAMPLES; i++) {
		many[i] = self->samples[0];
		many[i].flags &= ~IDLE_LATENCY_RECORD_WAKE;
		many[i].error_ns = 0;
		many[i].intr_ns = i < slow ? ns : 1000;
	}
	self->evidence.samples = many;
	self->evidence.count = INTR_SAMPLES;
	self->rule.wanted = INTR_SAMPLES;
	self->rule.awake_count = INTR_SAMPLES;
	self->rule.awake = (struct order_stats) {
		.median = 800, .p99 = 2000, .has_p99 = true, .max = 50000,
	};
}

/* Of two sets as large, the slowest 11 are of one with p = 1 / 2105, and 12 with 1 / 4234. */
TEST_F(verdict, interrupts_enabled_and_few_slow_samples)
{
	struct idle_latency_record many[INTR_SAMPLES];

	fill_intr(self, many, 11, LIMIT + 50001);
	EXPECT_STREQ("SKIP undecided", judged(self));
	fill_intr(self, many, 12, LIMIT + 50001);
	EXPECT_STREQ("FAIL above the limit", judged(self));
	EXPECT_TRUE(says(self, "; 11 more may be: the awake CPU"));
	fill_intr(self, many, 12, LIMIT + 50000);
	EXPECT_STREQ("SKIP undecided", judged(self));
}

/* One slow sample of the awake CPU hides no state that takes too long as a rule. */
TEST_F(verdict, interrupts_enabled_and_many_slow_samples)
{
	struct idle_latency_record many[INTR_SAMPLES];

	/* What is below the largest is above the 99th percentile, of which ten may be. */
	fill_intr(self, many, 60, LIMIT + 2001);
	EXPECT_STREQ("FAIL above the limit", judged(self));
	fill_intr(self, many, 15, LIMIT + 2001);
	EXPECT_STREQ("SKIP undecided", judged(self));
	/* Of 8000 and of 50000 awake ones, 80 and 500 may be: p = 0.0004, 0.0002, 0.0003. */
	fill_intr(self, many, 24, LIMIT + 2001);
	self->rule.awake_count = 8000;
	EXPECT_STREQ("SKIP undecided", judged(self));
	fill_intr(self, many, 25, LIMIT + 2001);
	self->rule.awake_count = 8000;
	EXPECT_STREQ("FAIL above the limit", judged(self));
	fill_intr(self, many, 23, LIMIT + 2001);
	self->rule.awake_count = 50000;
	EXPECT_STREQ("FAIL above the limit", judged(self));
	/* Half of all may be above the median. */
	fill_intr(self, many, 600, LIMIT + 801);
	EXPECT_STREQ("FAIL above the limit", judged(self));
	fill_intr(self, many, 520, LIMIT + 801);
	EXPECT_STREQ("SKIP undecided", judged(self));
	fill_intr(self, many, INTR_SAMPLES, LIMIT + 800);
	EXPECT_STREQ("SKIP undecided", judged(self));
	self->rule.awake.has_p99 = false;
	self->rule.awake.p99 = 0;
	fill_intr(self, many, 600, LIMIT + 700);
	EXPECT_STREQ("SKIP undecided", judged(self));
}

TEST_F(verdict, interrupts_enabled_and_discarded_events)
{
	clear_flags(self, 4, IDLE_LATENCY_RECORD_WAKE);
	self->counts.above[IDLE_LATENCY_DISCARD_NMI] = 1;
	EXPECT_STREQ("SKIP discarded events above the limit", judged(self));
	self->counts.above[IDLE_LATENCY_DISCARD_NMI] = 0;
	self->evidence.error = "interrupted";
	EXPECT_STREQ("SKIP interrupted", judged(self));
}

/* SilentTime is not known, but not longer than the launch distance. */
TEST_F(verdict, interrupts_enabled_for_less_than_the_target_residency)
{
	clear_flags(self, 4, IDLE_LATENCY_RECORD_WAKE);
	self->samples[2].ldist_ns--;
	EXPECT_STREQ("SKIP too few samples", judged(self));
	self->samples[2].ldist_ns = 1;
	EXPECT_STREQ("SKIP too few samples", judged(self));
}

/* They do not count, but nothing slow gets lost with them. */
TEST_F(verdict, samples_without_wake_latency_among_others)
{
	self->samples[0].flags &= ~IDLE_LATENCY_RECORD_WAKE;
	EXPECT_STREQ("SKIP too few samples", judged(self));
	self->rule.wanted = 3;
	EXPECT_STREQ("PASS", judged(self));
	self->samples[0].intr_ns = 10 * LIMIT;
	EXPECT_STREQ("SKIP undecided", judged(self));
	EXPECT_TRUE(says(self, "; 1 more may be: in what time the awake CPU gets"));
	EXPECT_TRUE(omits(self, "software"));
	EXPECT_EQ(20000ULL, self->verdict.smallest_pass_ns);
	self->rule.awake_count = 100000;
	EXPECT_STREQ("FAIL above the limit", judged(self));
}

/* One of each kind, of which the one without is certain. */
TEST_F(verdict, samples_of_both_kinds_above_the_limit)
{
	self->samples[0].flags &= ~IDLE_LATENCY_RECORD_WAKE;
	self->samples[0].intr_ns = LIMIT;
	self->samples[1].wake_ns = LIMIT + 226;
	self->samples[1].error_ns = 0;
	self->rule.instrument.software_ns = 226;
	EXPECT_STREQ("SKIP undecided", judged(self));
	EXPECT_TRUE(omits(self, "handler"));
	self->samples[0].intr_ns = 10 * LIMIT;
	EXPECT_STREQ("SKIP undecided", judged(self));
	EXPECT_TRUE(says(self,
			 "the software around the idle instruction is 226 ns; 1 more may be:"));
	self->rule.awake_count = 100000;
	EXPECT_STREQ("FAIL above the limit", judged(self));
	EXPECT_TRUE(says(self,
			 "the software around the idle instruction is 226 ns; the awake CPU"));
}

TEST_F(verdict, samples_with_wake_latency_among_others)
{
	clear_flags(self, 3, IDLE_LATENCY_RECORD_WAKE);
	self->rule.wanted = 3;
	EXPECT_STREQ("PASS upper-bound", judged(self));
	self->rule.awake_count = 100000;
	self->samples[1].intr_ns = LIMIT + 1;
	EXPECT_STREQ("FAIL above the limit", judged(self));
}

TEST_F(verdict, half_of_the_samples_have_a_wake_latency)
{
	clear_flags(self, 2, IDLE_LATENCY_RECORD_WAKE);
	self->rule.wanted = 2;
	EXPECT_STREQ("PASS upper-bound", judged(self));
	clear_flags(self, 3, IDLE_LATENCY_RECORD_WAKE);
	self->samples[0].flags |= IDLE_LATENCY_RECORD_WAKE;
	self->samples[1].flags |= IDLE_LATENCY_RECORD_WAKE;
	EXPECT_STREQ("PASS", judged(self));
}

TEST_F(verdict, no_sample_behind_the_last)
{
	self->evidence.count = 3;
	self->rule.wanted = 3;
	EXPECT_STREQ("PASS", judged(self));
	EXPECT_EQ(3UL, self->verdict.reached);
	EXPECT_EQ(3UL, self->verdict.package);
}

TEST_F(verdict, software_around_the_idle_instruction)
{
	self->rule.instrument.software_ns = 226;
	self->samples[0].wake_ns = LIMIT + 226;
	EXPECT_STREQ("SKIP undecided", judged(self));
	EXPECT_TRUE(says(self,
			 "; of the error, the software around the idle instruction is 226 ns"));
}

/* What the card adds is in the IntrLatency of the awake CPU. */
TEST_F(verdict, interrupts_enabled_and_delivery_by_the_card)
{
	clear_flags(self, 4, IDLE_LATENCY_RECORD_WAKE);
	self->rule.instrument.delivery_ns = 300;
	self->samples[0].intr_ns = LIMIT + 1;
	EXPECT_STREQ("SKIP undecided", judged(self));
	EXPECT_TRUE(says(self,
			 "; 1 more may be: in what time the awake CPU gets"));
}

TEST_F(verdict, package_that_was_always_reached)
{
	self->rule.package_included = true;
	for (size_t i = 0; i < ARRAY_SIZE(self->samples); i++)
		self->samples[i].residency_present =
			1U << IDLE_LATENCY_RESIDENCY_PC10;
	EXPECT_STREQ("PASS", judged(self));
	EXPECT_TRUE(omits(self, "package"));
}

/* What comes after a long list has its place. */
TEST_F(verdict, list_of_discarded_events_that_is_cut_off)
{
	const char *list;

	for (size_t i = 0; i < IDLE_LATENCY_DISCARD_MAX; i++) {
		self->counts.discarded[i] = ~0ULL;
		self->counts.above[i] = 1;
	}
	self->rule.wanted = 5;
	judged(self);
	list = strstr(self->verdict.figures, "; discarded: stopped ");
	ASSERT_NE(NULL, list);
	list += strlen("; discarded: ");
	EXPECT_EQ(list + 255, strstr(list, "; 4 of 5 wanted samples count"));
}

/*
 * A quantile: many samples, which are all alike but the first.
 */

#define MANY 80000

static struct idle_latency_record many[MANY];

static const char *judged_many(FIXTURE_DATA(verdict) * self, size_t count,
			       size_t above)
{
	self->samples[0].wake_ns = LIMIT;
	for (size_t i = 0; i < count; i++)
		many[i] = self->samples[0];
	for (size_t i = 0; i < above; i++)
		many[i].wake_ns = LIMIT + above - i;
	self->evidence.samples = many;
	self->evidence.count = count;
	return judged(self);
}

#define QUANTILE_FAIL	"FAIL the quantile is above the limit"

TEST_F(verdict, quantile_of_many_samples)
{
	self->rule.quantile = 999900000;
	EXPECT_STREQ("PASS", judged_many(self, 29956, 0));
	EXPECT_STREQ(self->verdict.figures,
		     "WakeLatency less its error of up to 0 ns is above 2000 ns in none of 29956 samples: p <= 0.0001 at 95 %, where quantile 0.9999 allows 0.0001");
	EXPECT_STREQ("PASS unproven", judged_many(self, 29955, 0));
	EXPECT_TRUE(says(self, "; with 0 that may be above, 29956 samples prove it"));
	EXPECT_STREQ("PASS unproven+few-above", judged_many(self, 47436, 1));
	EXPECT_TRUE(says(self, "; with 1 that may be above, 47437 samples prove it"));
	EXPECT_STREQ("PASS few-above", judged_many(self, 47437, 1));
	EXPECT_STREQ("PASS unproven+few-above", judged_many(self, 77534, 3));
	EXPECT_STREQ("PASS few-above", judged_many(self, 77535, 3));
	EXPECT_TRUE(says(self, "3 of 77535 samples, by up to 3 ns"));
}

TEST_F(verdict, quantile_with_too_many_above)
{
	self->rule.quantile = 999900000;
	EXPECT_STREQ("PASS unproven+few-above", judged_many(self, 1000, 2));
	EXPECT_STREQ(QUANTILE_FAIL, judged_many(self, 1000, 3));
	EXPECT_STREQ("PASS unproven+few-above", judged_many(self, 3000, 3));
	EXPECT_STREQ(QUANTILE_FAIL, judged_many(self, 3000, 4));
	EXPECT_TRUE(says(self, "4 of 3000 samples, by up to 4 ns: 0.000456 <= p"));
	EXPECT_TRUE(says(self,
			 "p <= 0.00305 at 95 %, where quantile 0.9999 allows 0.0001"));
	EXPECT_TRUE(omits(self, "prove"));
	EXPECT_STREQ("PASS unproven+few-above", judged_many(self, 30000, 10));
	EXPECT_STREQ(QUANTILE_FAIL, judged_many(self, 30000, 11));
}

TEST_F(verdict, quantiles_of_few_samples)
{
	self->rule.quantile = QUANTILE_ONE / 2;
	EXPECT_STREQ("PASS unproven", judged_many(self, 4, 0));
	EXPECT_TRUE(says(self, "; with 0 that may be above, 5 samples prove it"));
	EXPECT_STREQ("PASS unproven+few-above", judged_many(self, 4, 4));
	EXPECT_STREQ("PASS", judged_many(self, 5, 0));
	EXPECT_STREQ("PASS unproven+few-above", judged_many(self, 9, 9));
	EXPECT_STREQ(QUANTILE_FAIL, judged_many(self, 10, 10));
	self->rule.quantile = 990000000;
	EXPECT_STREQ("PASS unproven", judged_many(self, 298, 0));
	EXPECT_STREQ("PASS", judged_many(self, 299, 0));
}

/* Certain ones make a FAIL; with as many that may be, nothing is decided. */
TEST_F(verdict, quantile_and_uncertain_exceedances)
{
	self->rule.quantile = 999900000;
	self->rule.instrument.delivery_ns = 3;
	EXPECT_STREQ("PASS unproven+few-above", judged_many(self, 30000, 10));
	EXPECT_TRUE(says(self, "; 3 of 30000 samples that count are within their error"));
	EXPECT_STREQ("SKIP undecided", judged_many(self, 30000, 13));
	EXPECT_STREQ(QUANTILE_FAIL, judged_many(self, 30000, 14));
	/* All of them: no error that large can see anything. */
	self->rule.instrument.delivery_ns = 0;
	self->samples[0].error_ns = 1;
	EXPECT_STREQ("SKIP undecided", judged_many(self, 30000, 0));
	EXPECT_TRUE(omits(self, "prove"));
}

/* The link may have made as many above. */
TEST_F(verdict, quantile_and_a_link_that_sleeps)
{
	self->rule.quantile = 999900000;
	judged_many(self, 30000, 11);
	for (size_t i = 0; i < 11; i++) {
		many[i].warmup_ns = 10000;
		many[i].latch_ns = 1000;
	}
	EXPECT_STREQ("SKIP the link may sleep", judged(self));
	many[0].wake_ns = LIMIT;
	EXPECT_STREQ("PASS unproven+few-above", judged(self));
}

/* A sample that does not count is one among those that may exceed. */
TEST_F(verdict, quantile_and_samples_that_do_not_count)
{
	self->rule.quantile = 999900000;
	judged_many(self, 30000, 0);
	many[0].silent_ns = 0;
	EXPECT_STREQ("PASS", judged(self));
	for (size_t i = 0; i < 45; i++)
		many[i].silent_ns = 0;
	EXPECT_STREQ("PASS unproven", judged(self));
	many[0].wake_ns++;
	EXPECT_STREQ("PASS unproven+few-above", judged(self));
}

/* One SMI of 30 000 is one of 30 001 that are above. */
TEST_F(verdict, quantile_and_discarded_events)
{
	self->rule.quantile = 999900000;
	self->counts.above[IDLE_LATENCY_DISCARD_SMI] = 1;
	EXPECT_STREQ("PASS unproven+few-above", judged_many(self, 30000, 0));
	EXPECT_TRUE(says(self, "; with 1 that may be above, 47437 samples prove it"));
	EXPECT_STREQ("PASS unproven+few-above", judged_many(self, 47435, 0));
	EXPECT_STREQ("PASS few-above", judged_many(self, 47436, 0));
	EXPECT_STREQ("PASS unproven+few-above", judged_many(self, 30000, 9));
	EXPECT_STREQ(QUANTILE_FAIL, judged_many(self, 30000, 10));
	self->counts.above[IDLE_LATENCY_DISCARD_SMI] = 11;
	EXPECT_STREQ(QUANTILE_FAIL, judged_many(self, 30000, 0));
}

/* What the driver counts as above may be within its error, as the instrument adds to it. */
TEST_F(verdict, quantile_and_uncertain_discarded_events)
{
	struct idle_latency_record discarded[12];

	self->rule.quantile = 999900000;
	judged_many(self, 30000, 0);
	self->counts.above[IDLE_LATENCY_DISCARD_FOREIGN_IRQ] = 12;
	self->counts.kept = 12;
	for (size_t i = 0; i < ARRAY_SIZE(discarded); i++) {
		discarded[i] = self->samples[0];
		discarded[i].wake_ns = LIMIT + 100;
	}
	self->evidence.discarded = discarded;
	self->evidence.discarded_count = ARRAY_SIZE(discarded);
	EXPECT_STREQ(QUANTILE_FAIL, judged(self));
	self->rule.instrument.software_ns = 99;
	EXPECT_STREQ(QUANTILE_FAIL, judged(self));
	self->rule.instrument.software_ns = 100;
	EXPECT_STREQ("SKIP undecided", judged(self));
	discarded[0].wake_ns++;
	EXPECT_STREQ("SKIP undecided", judged(self));
	/* As many are certain as make a FAIL. */
	for (size_t i = 1; i < 11; i++)
		discarded[i].wake_ns++;
	EXPECT_STREQ(QUANTILE_FAIL, judged(self));
	/* Of one, there is no record. */
	self->evidence.discarded = &discarded[1];
	self->evidence.discarded_count--;
	EXPECT_STREQ("SKIP undecided", judged(self));
	self->counts.kept--;
	EXPECT_STREQ(QUANTILE_FAIL, judged(self));
	/* One that the driver did not count either leaves those that it did. */
	discarded[11].wake_ns = LIMIT;
	EXPECT_STREQ(QUANTILE_FAIL, judged(self));
}

/* It may be that of a handler of something else. */
TEST_F(verdict, quantile_and_discarded_events_with_interrupts_enabled)
{
	struct idle_latency_record discarded[11];

	self->rule.quantile = 999900000;
	judged_many(self, 30000, 0);
	self->counts.above[IDLE_LATENCY_DISCARD_FOREIGN_IRQ] = 11;
	self->counts.kept = 11;
	for (size_t i = 0; i < ARRAY_SIZE(discarded); i++)
		discarded[i] = (struct idle_latency_record) {
			.intr_ns = LIMIT + 1, .tbi_tsc = 1, .tintr_tsc = 3, .tai_tsc = 3,
		};
	self->evidence.discarded = discarded;
	self->evidence.discarded_count = ARRAY_SIZE(discarded);
	EXPECT_STREQ(QUANTILE_FAIL, judged(self));
	discarded[0].tai_tsc++;
	EXPECT_STREQ("SKIP undecided", judged(self));
	discarded[0].intr_ns--;
	EXPECT_STREQ(QUANTILE_FAIL, judged(self));
}

TEST_F(verdict, quantile_and_spurious_events_of_a_card)
{
	self->rule.quantile = 999900000;
	self->counts.above[IDLE_LATENCY_DISCARD_SPURIOUS] = 11;
	EXPECT_STREQ(QUANTILE_FAIL, judged_many(self, 30000, 0));
	self->rule.by_card = true;
	EXPECT_STREQ("SKIP undecided", judged_many(self, 30000, 0));
	EXPECT_STREQ(QUANTILE_FAIL, judged_many(self, 30000, 11));
}

TEST_F(verdict, quantile_and_lost_events)
{
	self->rule.quantile = 999900000;
	lose(self, 2);
	EXPECT_STREQ("PASS unproven+few-above", judged_many(self, 30000, 0));
	lose(self, 11);
	EXPECT_STREQ(QUANTILE_FAIL, judged_many(self, 30000, 0));
	/* A card's are not the state's. */
	self->rule.by_card = true;
	EXPECT_STREQ("SKIP the card's events were lost",
		     judged_many(self, 30000, 0));
	EXPECT_STREQ("SKIP the card's events were lost",
		     judged_many(self, 30000, 9));
	EXPECT_STREQ(QUANTILE_FAIL, judged_many(self, 30000, 11));
}

TEST_F(verdict, quantile_and_the_other_reasons)
{
	self->rule.quantile = 999900000;
	self->evidence.error = "interrupted";
	EXPECT_STREQ("SKIP interrupted", judged_many(self, 30000, 0));
	EXPECT_STREQ(QUANTILE_FAIL, judged_many(self, 30000, 11));
	self->evidence.error = NULL;
	self->rule.wanted = 30001;
	EXPECT_STREQ("SKIP too few samples", judged_many(self, 30000, 0));
	EXPECT_STREQ(QUANTILE_FAIL, judged_many(self, 30000, 11));
	self->rule.firmware = true;
	EXPECT_STREQ("FAIL declared by the firmware",
		     judged_many(self, 30000, 11));
}

/*
 * A table that is exactly at its quantile: of 40 rows, one or more may fail with 4 % at most,
 * whatever the number of samples, and a table that is far above is found out.
 */
TEST(runs_of_a_table_at_its_quantile)
{
	const double p = 0.0001;
	double most = 0;
	__u64 above = 1;

	for (__u64 n = 300; n <= 30000; n++) {
		double fails;

		/* The smallest number that contradicts grows with n. */
		while (!verdict_contradicts(n, above, 999900000))
			above++;
		ASSERT_FALSE(verdict_contradicts(n, above - 1, 999900000));
		fails = 1 - pow(1 - binomial_at_least(n, above, p), 40);
		if (fails > most)
			most = fails;
	}
	EXPECT_GE(0.04, most);
	EXPECT_LT(0.03, most);
	EXPECT_TRUE(verdict_contradicts(3000, 4, 999900000));
	EXPECT_TRUE(verdict_contradicts(300, 2, 999900000));
	EXPECT_FALSE(verdict_contradicts(300, 1, 999900000));
}

TEST_F(verdict, smallest_value_that_would_have_passed)
{
	EXPECT_STREQ("PASS", judged_many(self, 29955, 0));
	EXPECT_FALSE(self->verdict.has_p9999);
	EXPECT_STREQ("FAIL above the limit", judged_many(self, 29956, 9));
	EXPECT_EQ((__u64)LIMIT + 9, self->verdict.smallest_pass_ns);
	EXPECT_TRUE(self->verdict.has_p9999);
	EXPECT_EQ((__u64)LIMIT + 9, self->verdict.smallest_p9999_ns);
	EXPECT_STREQ("FAIL above the limit", judged_many(self, 47437, 9));
	EXPECT_EQ((__u64)LIMIT + 8, self->verdict.smallest_p9999_ns);
	EXPECT_STREQ("FAIL above the limit", judged_many(self, 77535, 9));
	EXPECT_EQ((__u64)LIMIT + 9, self->verdict.smallest_pass_ns);
	EXPECT_EQ((__u64)LIMIT + 6, self->verdict.smallest_p9999_ns);
}

/* The quantile is that of the usual rule and no other, up to its last digit. */
TEST_F(verdict, one_sample_less_lets_one_less_exceed)
{
	judged_many(self, 77534, 9);
	EXPECT_EQ((__u64)LIMIT + 7, self->verdict.smallest_p9999_ns);
}

static rlim_t used_memory(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	if (file && fscanf(file, "%lu", &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	return pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* Lets this process have so much more memory than it has. */
static bool limit_memory(rlim_t more)
{
	struct rlimit limit;
	rlim_t used = used_memory();

	if (!used || getrlimit(RLIMIT_AS, &limit))
		return false;
	limit.rlim_cur = used + more;
	return !setrlimit(RLIMIT_AS, &limit);
}

/* With room for half a copy of the latencies, and then for two of them. */
TEST_F(verdict, memory_for_the_smallest_value)
{
	const rlim_t copy = MANY * sizeof(__u64);

	ASSERT_TRUE(limit_memory(copy / 2));
	EXPECT_STREQ("PASS", judged_many(self, MANY, 0));
	EXPECT_FALSE(self->verdict.has_p9999);
	ASSERT_TRUE(limit_memory(2 * copy));
	for (size_t i = 0; i < 5; i++) {
		EXPECT_STREQ("PASS", judged(self));
		EXPECT_TRUE(self->verdict.has_p9999);
	}
}

/* Each of the two is a PASS by its rule, and one ns less is not. */
TEST_F(verdict, smallest_values_are_those_that_pass)
{
	__u64 p9999_ns;

	judged_many(self, 77535, 9);
	p9999_ns = self->verdict.smallest_p9999_ns;
	self->rule.limit_ns = self->verdict.smallest_pass_ns;
	EXPECT_STREQ("PASS", judged(self));
	self->rule.limit_ns--;
	EXPECT_STREQ("FAIL above the limit", judged(self));
	self->rule.quantile = 999900000;
	self->rule.limit_ns = p9999_ns;
	EXPECT_STREQ("PASS few-above", judged(self));
	self->rule.limit_ns--;
	EXPECT_STREQ("PASS unproven+few-above", judged(self));
}

/*
 * How many of n samples exceed, each with the probability p. From one that does
 * to the next the distance is geometric.
 */
static size_t draw_above(struct dice *dice, size_t n, double p)
{
	size_t above = 0, at = 0;

	for (;;) {
		double u = ldexp(dice_word(dice) >> 11, -53);

		at += 1 + (size_t)(log1p(-u) / log1p(-p));
		if (at > n)
			return above;
		above++;
	}
}

#define SETS		20000
#define SET_SAMPLES	30000
#define ABOVE_MAX	64

/*
 * A table that is exactly the 99.99th percentile which it says it is. Sets with
 * as many exceedances are the same, so that each of those is judged once.
 */
TEST_F(verdict, table_at_its_percentile)
{
	size_t drawn[ABOVE_MAX] = { }, failed = 0;
	struct dice dice = { .state = 14 };

	self->rule.quantile = 999900000;
	for (size_t i = 0; i < SETS; i++) {
		size_t above = draw_above(&dice, SET_SAMPLES, 0.0001);

		ASSERT_LT(above, (size_t)ABOVE_MAX);
		drawn[above]++;
	}
	for (size_t above = 0; above < ABOVE_MAX; above++) {
		if (!drawn[above])
			continue;
		judged_many(self, SET_SAMPLES, above);
		if (self->verdict.result == VERDICT_FAIL)
			failed += drawn[above];
	}
	/* 0.029 % of 20000 are 5.8, by more than 3.5 times its deviation */
	EXPECT_LE(1UL, failed);
	EXPECT_GE(15UL, failed);
}

/*
 * Exact binomial probabilities, against values from arithmetic with 70 digits.
 */

static bool is_close(double reference, double value)
{
	return fabs(value - reference) <= 0.000000001 * reference;
}

static const struct {
	__u64 n, k;
	/* one-sided 95 %, and two-sided */
	double lower, upper, lower_of_two, upper_of_two;
} bounds[] = {
	{ 10, 0, 0, 0.2588655508931, 0, 0.3084971078188 },
	{ 10, 3, 0.08726443391415, 0.6066242161054,
	  0.06673951117773, 0.6524528500600 },
	{ 1000, 1, 0.00005129197890902, 0.004734993575500,
	  0.00002531748749129, 0.005558924279827 },
	{ 5000, 0, 0, 0.0005989670023149, 0, 0.0007375038011081 },
	{ 5000, 1, 0.00001025860625765, 0.0009484177700044,
	  0.000005063548777052, 0.001113819380334 },
	{ 5000, 3, 0.0001635576292537, 0.001549994279706,
	  0.0001237515204693, 0.001752443603396 },
	{ 30000, 0, 0, 0.00009985275683339, 0, 0.0001229550888739 },
	{ 30000, 3, 0.00002725691868407, 0.0002584347414503,
	  0.00002062287888723, 0.0002922143461382 },
	{ 30000, 9, 0.0001565162060514, 0.0005234487106579,
	  0.0001371879858171, 0.0005694167126164 },
	{ 100000, 10, 0.00005425502668957, 0.0001696162876263,
	  0.00004795489513901, 0.0001838958453766 },
	{ 1000000, 100, 0.00008413990242282, 0.0001180782053691,
	  0.00008136470874160, 0.0001216254785712 },
	{ 5000, 5000, 0.9994010329977, 1, 0.9992624961989, 1 },
};

TEST(bounds_of_a_probability)
{
	for (size_t i = 0; i < ARRAY_SIZE(bounds); i++) {
		__u64 n = bounds[i].n, k = bounds[i].k;

		EXPECT_TRUE(is_close(bounds[i].lower,
				     binomial_lower(n, k, 0.05)));
		EXPECT_TRUE(is_close(bounds[i].upper,
				     binomial_upper(n, k, 0.05)));
		EXPECT_TRUE(is_close(bounds[i].lower_of_two,
				     binomial_lower(n, k, 0.025)));
		EXPECT_TRUE(is_close(bounds[i].upper_of_two,
				     binomial_upper(n, k, 0.025)));
	}
}

TEST(bounds_where_nothing_is_known)
{
	EXPECT_EQ(0, binomial_lower(0, 0, 0.05));
	EXPECT_EQ(1, binomial_upper(0, 0, 0.05));
	EXPECT_EQ(0, binomial_lower(4, 5, 0.05));
	EXPECT_EQ(1, binomial_upper(4, 5, 0.05));
}

TEST(tails)
{
	EXPECT_TRUE(is_close(0.01438199156042,
			     binomial_at_least(5000, 3, 0.0001)));
	EXPECT_TRUE(is_close(0.6472318889690,
			     binomial_at_most(30000, 3, 0.0001)));
	EXPECT_TRUE(is_close(0.08390785953381,
			     binomial_at_least(30000, 6, 0.0001)));
	EXPECT_TRUE(is_close(0.03350097375083,
			     binomial_at_least(30000, 7, 0.0001)));
	/* By hand: 1 + 5 of 32. */
	EXPECT_TRUE(is_close(0.1875, binomial_at_most(5, 1, 0.5)));
	EXPECT_TRUE(is_close(0.1875, binomial_at_least(5, 4, 0.5)));
	EXPECT_TRUE(is_close(0.8125, binomial_at_least(5, 2, 0.5)));
	/* The probability of none is too small for a double. */
	EXPECT_TRUE(is_close(1, binomial_at_least(1000000, 1, 0.5) +
				binomial_at_most(1000000, 0, 0.5)));
	EXPECT_TRUE(is_close(1, binomial_at_least(1000000, 500001, 0.5) +
				binomial_at_most(1000000, 500000, 0.5)));
	EXPECT_TRUE(is_close(0.5, binomial_at_least(999999, 500000, 0.5)));
	/* Far on the other side of the mean. */
	EXPECT_EQ(1, binomial_at_least(1000000, 100000, 0.5));
	EXPECT_EQ(1, binomial_at_most(1000000, 900000, 0.5));
}

TEST(tails_at_the_ends)
{
	EXPECT_EQ(1, binomial_at_least(0, 0, 0.5));
	EXPECT_EQ(0, binomial_at_least(0, 1, 0.5));
	EXPECT_EQ(1, binomial_at_most(0, 0, 0.5));
	EXPECT_EQ(0, binomial_at_least(4, 5, 0.5));
	EXPECT_EQ(1, binomial_at_most(4, 5, 0.5));
	EXPECT_EQ(1, binomial_at_most(4, 4, 0.5));
	EXPECT_EQ(0, binomial_at_least(4, 1, 0));
	EXPECT_EQ(1, binomial_at_least(4, 0, 0));
	EXPECT_EQ(1, binomial_at_least(4, 4, 1));
	EXPECT_EQ(1, binomial_at_most(4, 0, 0));
	EXPECT_EQ(0, binomial_at_most(4, 3, 1));
	EXPECT_TRUE(is_close(0.0625, binomial_at_least(4, 4, 0.5)));
	EXPECT_TRUE(is_close(0.0625, binomial_at_most(4, 0, 0.5)));
}

TEST(smallest_numbers_of_samples)
{
	static const __u64 p9999[] = { 29956, 47437, 62956, 77535 };
	static const __u64 p9999_of_two[] = { 36887, 55715, 72245, 87670 };
	static const __u64 p999[] = { 2995, 4742, 6294, 7752 };

	for (size_t k = 0; k < ARRAY_SIZE(p9999); k++) {
		EXPECT_EQ(p9999[k], binomial_smallest_n(k, 0.0001, 0.05));
		EXPECT_EQ(p9999_of_two[k],
			  binomial_smallest_n(k, 0.0001, 0.025));
		EXPECT_EQ(p999[k], binomial_smallest_n(k, 0.001, 0.05));
	}
	EXPECT_EQ(299ULL, binomial_smallest_n(0, 0.01, 0.05));
	EXPECT_EQ(0ULL, binomial_smallest_n(0, 0, 0.05));
}

TEST(smallest_numbers_that_refute_a_quantile)
{
	static const struct {
		__u64 n, k, k_of_two;
	} refuted[] = {
		{ 1000, 2, 2 }, { 5000, 3, 3 }, { 10000, 4, 4 },
		{ 30000, 7, 8 }, { 100000, 16, 18 }, { 1000000, 118, 121 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(refuted); i++) {
		__u64 n = refuted[i].n, k = refuted[i].k;
		__u64 k_of_two = refuted[i].k_of_two;

		EXPECT_GT(0.05, binomial_at_least(n, k, 0.0001));
		EXPECT_LE(0.05, binomial_at_least(n, k - 1, 0.0001));
		EXPECT_GT(0.025, binomial_at_least(n, k_of_two, 0.0001));
		EXPECT_LE(0.025, binomial_at_least(n, k_of_two - 1, 0.0001));
	}
}

/*
 * Proposals, against the rules of intel_idle in Linux v7.3, written once more.
 */

static const struct proposal_state ivy_bridge[] = {
	{ "POLL", 0, 0, 0 },
	{ "C1", 1000, 1000, 0 },
	{ "C1E", 10000, 80000, 0 },
	{ "C3", 59000, 156000, 0 },
	{ "C6", 82000, 300000, 0 },
};

#define STATES ARRAY_SIZE(ivy_bridge)

struct table {
	size_t count;
	const char *name[IDLE_STATES_MAX];
	unsigned long latency[IDLE_STATES_MAX];
	unsigned long residency[IDLE_STATES_MAX];
};

static struct table declared_table(const struct proposal_state *states,
				   size_t count)
{
	struct table table = { .count = count };

	for (size_t i = 0; i < count; i++) {
		table.name[i] = states[i].name;
		table.latency[i] = states[i].latency_ns / 1000;
		table.residency[i] = states[i].residency_ns / 1000;
	}
	return table;
}

/* What the parameter changes in the table; false where its form is wrong. */
static bool apply_parameter(struct table *table, const char *parameter)
{
	char copy[256], *rest = copy, *field;

	if (strlen(parameter) >= sizeof(copy))
		return false;
	snprintf(copy, sizeof(copy), "%s", parameter);
	while ((field = strsep(&rest, ","))) {
		char *name = strsep(&field, ":");
		size_t i = 0;

		while (i < table->count && strcmp(name, table->name[i]))
			i++;
		if (i == table->count || !i || !field || !isdigit(*field))
			return false;
		table->latency[i] = strtoul(field, &field, 10);
		if (*field++ != ':' || !isdigit(*field))
			return false;
		table->residency[i] = strtoul(field, &field, 10);
		if (*field)
			return false;
	}
	return true;
}

static bool is_taken(const struct table *table)
{
	for (size_t i = 1; i < table->count; i++)
		if (!table->latency[i] || table->latency[i] > 5000 ||
		    table->residency[i] > 100000 ||
		    table->residency[i] < table->latency[i] ||
		    table->latency[i] <= table->latency[i - 1] ||
		    table->residency[i] <= table->residency[i - 1])
			return false;
	return true;
}

/* One that is neither declared, nor needed for this state or for the line. */
static bool is_too_much(const struct table *table, size_t i,
			const struct proposal_state *state)
{
	struct table less = *table;

	if (table->latency[i] * 1000 >= state->latency_ns + 1000 &&
	    table->latency[i] * 1000 >= state->needed_ns + 1000) {
		less.latency[i]--;
		if (is_taken(&less))
			return true;
	}
	less = *table;
	less.residency[i]--;
	return table->residency[i] * 1000 >= state->residency_ns + 1000 &&
	       is_taken(&less);
}

/* NULL, or what is wrong with a line for these states. */
static const char *check_line(const struct proposal_state *states, size_t count,
			      const char *line)
{
	static const char parameter[] = "intel_idle.table=";
	struct table table = declared_table(states, count);

	if (strncmp(line, parameter, strlen(parameter)) ||
	    !apply_parameter(&table, line + strlen(parameter)))
		return "its form";
	if (!is_taken(&table))
		return "its values";
	for (size_t i = 1; i < count; i++) {
		if (table.latency[i] * 1000 < states[i].latency_ns ||
		    table.residency[i] * 1000 < states[i].residency_ns)
			return "less than declared";
		if (table.latency[i] * 1000 < states[i].needed_ns)
			return "less than needed";
		if (is_too_much(&table, i, &states[i]))
			return "more than needed";
	}
	return NULL;
}

static void needed(struct proposal_state *states, __u64 c1, __u64 c1e,
		   __u64 c3, __u64 c6)
{
	memcpy(states, ivy_bridge, sizeof(ivy_bridge));
	states[1].needed_ns = c1;
	states[2].needed_ns = c1e;
	states[3].needed_ns = c3;
	states[4].needed_ns = c6;
}

TEST(proposed_lines)
{
	static const struct {
		__u64 needed[4];
		const char *line;
	} lines[] = {
		/* Nothing was measured, or all suffices. */
		{ { 0, 0, 0, 0 }, "C1:1:1,C1E:10:80,C3:59:156,C6:82:300" },
		{ { 1, 10000, 58000, 41999 },
		  "C1:1:1,C1E:10:80,C3:59:156,C6:82:300" },
		/* Rounded up, with the residency that has to follow. */
		{ { 1001, 0, 0, 82001 },
		  "C1:2:2,C1E:10:80,C3:59:156,C6:83:300" },
		/* What comes after it has to follow, too. */
		{ { 0, 90000, 0, 0 },
		  "C1:1:1,C1E:90:90,C3:91:156,C6:92:300" },
		{ { 300000, 0, 0, 301000 },
		  "C1:300:300,C1E:301:301,C3:302:302,C6:303:303" },
		/* The largest of all that is taken. */
		{ { 0, 0, 0, 5000000 },
		  "C1:1:1,C1E:10:80,C3:59:156,C6:5000:5000" },
		{ { 0, 0, 4999000, 0 },
		  "C1:1:1,C1E:10:80,C3:4999:4999,C6:5000:5000" },
	};
	struct proposal_state states[STATES];
	char line[PROPOSAL_BYTES];

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		const __u64 *ns = lines[i].needed;

		needed(states, ns[0], ns[1], ns[2], ns[3]);
		ASSERT_TRUE(proposal_line(states, STATES, line, sizeof(line)));
		EXPECT_EQ(0, strncmp("intel_idle.table=", line, 17));
		EXPECT_STREQ(lines[i].line, line + 17);
		EXPECT_EQ(NULL, check_line(states, STATES, line));
	}
}

TEST(proposals_that_linux_does_not_take)
{
	struct proposal_state states[STATES];
	char line[PROPOSAL_BYTES];

	needed(states, 0, 0, 0, 5000001);
	EXPECT_FALSE(proposal_line(states, STATES, line, sizeof(line)));
	/* There is no room for C6 above it. */
	needed(states, 0, 0, 4999001, 0);
	EXPECT_FALSE(proposal_line(states, STATES, line, sizeof(line)));
	needed(states, 0, 0, 0, ~0ULL);
	EXPECT_FALSE(proposal_line(states, STATES, line, sizeof(line)));
	needed(states, 0, 0, 0, 0);
	states[4].residency_ns = 100000000;
	EXPECT_TRUE(proposal_line(states, STATES, line, sizeof(line)));
	states[3].residency_ns = 100000000;
	EXPECT_FALSE(proposal_line(states, STATES, line, sizeof(line)));
	/* Nothing but POLL. */
	EXPECT_FALSE(proposal_line(states, 1, line, sizeof(line)));
	EXPECT_FALSE(proposal_line(states, 0, line, sizeof(line)));
}

/* The parameter has room for 255 characters. */
TEST(proposal_that_is_too_long)
{
	static char name[256];
	struct proposal_state states[] = { { name, 1000, 1000, 0 } };
	const size_t values = strlen(":1:1");
	char line[PROPOSAL_BYTES];

	memset(name, 'C', 255 - values);
	EXPECT_TRUE(proposal_line(states, 1, line, sizeof(line)));
	EXPECT_EQ(17 + 255UL, strlen(line));
	name[255 - values] = 'C';
	EXPECT_FALSE(proposal_line(states, 1, line, sizeof(line)));
	name[1] = '\0';
	EXPECT_TRUE(proposal_line(states, 1, line, 24));
	EXPECT_FALSE(proposal_line(states, 1, line, 22));
	EXPECT_FALSE(proposal_line(states, 1, line, 18));
}

/* As a driver declares them: whole us, and taken as they are or not. */
static size_t draw_states(struct dice *dice, struct proposal_state *states)
{
	static const char * const names[IDLE_STATES_MAX] = {
		"POLL", "C1", "C1E", "C3", "C6", "C7", "C7s", "C8", "C9", "C10",
	};
	size_t count = 2 + dice_below(dice, IDLE_STATES_MAX - 1);

	states[0] = (struct proposal_state) { .name = names[0] };
	for (size_t i = 1; i < count; i++)
		states[i] = (struct proposal_state) {
			.name = names[i],
			.latency_ns = 1000 * dice_scale(dice, 1, 5000),
			.residency_ns = 1000 * dice_scale(dice, 1, 100000),
			.needed_ns = dice_once_in(dice, 3) ? 0 :
				dice_scale(dice, 1, 5000000),
		};
	return count;
}

TEST(random_proposals)
{
	struct proposal_state states[IDLE_STATES_MAX];
	struct dice dice = { .state = 73 };
	size_t taken = 0;

	for (size_t i = 0; i < 20000; i++) {
		size_t count = draw_states(&dice, states);
		char line[PROPOSAL_BYTES];
		const char *wrong;

		if (!proposal_line(states, count, line, sizeof(line)))
			continue;
		taken++;
		wrong = check_line(states, count, line);
		ASSERT_EQ(NULL, wrong)
			TH_LOG("%s: %s", wrong, line);
	}
	/* It is not always the way out that there is no line. */
	EXPECT_LT(19000UL, taken);
}

static const struct row proposal_rows[] = {
	{ .method = &methods[0], .state.index = 1 }, { .method = &methods[0], .state.index = 2 },
	{ .method = &methods[2], .state.index = 1 }, { .method = &methods[2], .state.index = 2 },
};

static struct result proposal_result(size_t row, __u64 pass_ns, __u64 none_above_ns)
{
	return (struct result) {
		.summary = {
			.row = &proposal_rows[row], .valid = 1,
			.median_error_ns = row < 2 ? 20 : 731,
		},
		.verdict = {
			.smallest_pass_ns = pass_ns,
			.none_above_ns = none_above_ns,
		},
	};
}

/* By hrt, which has the smallest error, and by nic, of which all samples are at 12600 ns. */
TEST(methods_of_a_proposal)
{
	struct result results[] = {
		proposal_result(0, 12620, 12380), proposal_result(1, 30, 10),
		proposal_result(2, 13331, 11869), proposal_result(3, 762, 5),
	};

	EXPECT_EQ(&methods[0], proposal_method(results, 4));
	EXPECT_EQ(12620ULL, proposal_needed(results, 4, &methods[0], 1));
	EXPECT_EQ(30ULL, proposal_needed(results, 4, &methods[0], 2));
	EXPECT_EQ(13331ULL, proposal_needed(results, 4, &methods[2], 1));
	EXPECT_EQ(0ULL, proposal_needed(results, 4, &methods[0], 3));
	/* The CPU wakes ahead of its timers: hrt would pass, and nic must not fail. */
	results[0].verdict.smallest_pass_ns = 9000;
	EXPECT_EQ(11869ULL, proposal_needed(results, 4, &methods[0], 1));
	/* hrt has no sample of one state. */
	results[1].summary.valid = 0;
	EXPECT_EQ(&methods[2], proposal_method(results, 4));
	EXPECT_EQ(762ULL, proposal_needed(results, 4, &methods[2], 2));
	EXPECT_EQ(NULL, proposal_method(results, 0));
}

TEST_F(verdict, smallest_limit_that_nothing_is_above)
{
	self->samples[0].wake_ns = 12600;
	self->samples[0].error_ns = 731;
	self->rule.instrument.software_ns = 100;
	EXPECT_STREQ("FAIL above the limit", judged(self));
	EXPECT_EQ(13331ULL, self->verdict.smallest_pass_ns);
	EXPECT_EQ(11769ULL, self->verdict.none_above_ns);
	self->rule.limit_ns = 11769;
	EXPECT_STREQ("SKIP undecided", judged(self));
	self->rule.limit_ns = 11768;
	EXPECT_STREQ("FAIL above the limit", judged(self));
	self->rule.limit_ns = 13331;
	EXPECT_STREQ("PASS", judged(self));
}

TEST(declared_values_that_are_too_high)
{
	char remark[128];

	EXPECT_TRUE(proposal_too_high(133000, 20345, remark, sizeof(remark)));
	EXPECT_STREQ(remark,
		     "declared 133000 ns is more than twice the largest latency with its error, 20345 ns");
	EXPECT_TRUE(proposal_too_high(5001, 2000, remark, sizeof(remark)));
	EXPECT_FALSE(proposal_too_high(5000, 2000, remark, sizeof(remark)));
	EXPECT_STREQ("", remark);
	EXPECT_FALSE(proposal_too_high(1000, 0, remark, sizeof(remark)));
	EXPECT_TRUE(proposal_too_high(1001, 0, remark, sizeof(remark)));
	EXPECT_FALSE(proposal_too_high(5000, 3000, remark, sizeof(remark)));
	EXPECT_FALSE(proposal_too_high(5000, 9000, remark, sizeof(remark)));
	EXPECT_FALSE(proposal_too_high(5000, ~0ULL, remark, sizeof(remark)));
	EXPECT_FALSE(proposal_too_high(5000, 1ULL << 63, remark,
				       sizeof(remark)));
}

/*
 * Order statistics, launch distances and discarded events.
 */

TEST(order_statistics_of_one_sample)
{
	const __u64 one = 7;
	struct order_stats stats = order_stats(&one, 1);

	EXPECT_EQ(7ULL, stats.min);
	EXPECT_EQ(7ULL, stats.median);
	EXPECT_FALSE(stats.has_p99);
	EXPECT_EQ(7ULL, stats.max);
}

/* At least one sample may lie above a quantile that is shown. */
TEST(quantiles_that_the_number_of_samples_carries)
{
	static __u64 samples[10000];
	struct order_stats stats;

	stats = order_stats(samples, 99);
	EXPECT_FALSE(stats.has_p99);
	stats = order_stats(samples, 100);
	EXPECT_TRUE(stats.has_p99);
	stats = order_stats(samples, 999);
	EXPECT_FALSE(stats.has_p999);
	stats = order_stats(samples, 1000);
	EXPECT_TRUE(stats.has_p999);
	stats = order_stats(samples, 9999);
	EXPECT_FALSE(stats.has_p9999);
	stats = order_stats(samples, 10000);
	EXPECT_TRUE(stats.has_p99);
	EXPECT_TRUE(stats.has_p999);
	EXPECT_TRUE(stats.has_p9999);
}

TEST(order_statistics_by_nearest_rank)
{
	static __u64 samples[10000];
	struct order_stats stats;

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		samples[i] = ARRAY_SIZE(samples) - i;
	sort_samples(samples, ARRAY_SIZE(samples));
	stats = order_stats(samples, ARRAY_SIZE(samples));
	EXPECT_EQ(1ULL, stats.min);
	EXPECT_EQ(5000ULL, stats.median);
	EXPECT_EQ(9900ULL, stats.p99);
	EXPECT_EQ(9990ULL, stats.p999);
	EXPECT_EQ(9999ULL, stats.p9999);
	EXPECT_EQ(10000ULL, stats.max);
	/* Between two ranks it is the higher one. */
	EXPECT_EQ(9900ULL, order_stat(samples, 9999, 990000000));
	EXPECT_EQ(10ULL, order_stat(samples, 10, 900000001));
	EXPECT_EQ(9ULL, order_stat(samples, 10, 900000000));
	EXPECT_EQ(1ULL, order_stat(samples, 10, 1));
	EXPECT_EQ(10ULL, order_stat(samples, 10, QUANTILE_ONE));
	EXPECT_EQ(1ULL, order_stat(samples, 10, 0));
	/* 2.000000001 of them */
	EXPECT_EQ(3ULL, order_stat(samples, 3, 666666667));
}

/* 109988.0001 of them are below the quantile, and 109988 below one of 0.999899999. */
TEST(quantile_of_99_99_percent_up_to_its_last_digit)
{
	static __u64 samples[109999];

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		samples[i] = i + 1;
	EXPECT_EQ(109989ULL, order_stats(samples, ARRAY_SIZE(samples)).p9999);
}

TEST(samples_are_sorted_as_unsigned_numbers)
{
	__u64 samples[] = { ~0ULL, 1ULL << 32, 5, 1ULL << 63, 0 };

	sort_samples(samples, ARRAY_SIZE(samples));
	EXPECT_EQ(0ULL, samples[0]);
	EXPECT_EQ(5ULL, samples[1]);
	EXPECT_EQ(1ULL << 32, samples[2]);
	EXPECT_EQ(1ULL << 63, samples[3]);
	EXPECT_EQ(~0ULL, samples[4]);
}

TEST(discards_in_words)
{
	const struct idle_latency_counts none = { };
	struct idle_latency_counts later = { };
	char text[256];

	discards_text(&case_counts, text, sizeof(text));
	EXPECT_STREQ("no_idle 16, foreign_timer 40", text);
	EXPECT_EQ(56ULL, discards_total(&case_counts));
	discards_text(&none, text, sizeof(text));
	EXPECT_STREQ("", text);
	discards_most_text(&none, text, sizeof(text));
	EXPECT_STREQ("none", text);
	later.discarded[IDLE_LATENCY_DISCARD_SLOTS - 1] = 1;
	discards_text(&later, text, sizeof(text));
	EXPECT_STREQ("unknown 1", text);
	later.discarded[IDLE_LATENCY_DISCARD_MAX] = 2;
	discards_text(&later, text, sizeof(text));
	EXPECT_STREQ("unknown 2, unknown 1", text);
}

/* Nor is what comes behind the last one taken for one of them. */
TEST(first_discard_in_words)
{
	const struct idle_latency_counts counts = {
		.discarded[IDLE_LATENCY_DISCARD_STOPPED] = 2,
		.above[IDLE_LATENCY_DISCARD_STOPPED] = 1,
		.largest_ns[IDLE_LATENCY_DISCARD_STOPPED] = 7,
	};
	char text[256];

	discards_text(&counts, text, sizeof(text));
	EXPECT_STREQ("stopped 2 (1 above, largest 7 ns)", text);
	discards_above_text(&counts, text, sizeof(text));
	EXPECT_STREQ("stopped 2 (1 above, largest 7 ns)", text);
	EXPECT_EQ(2ULL, discards_total(&counts));
	EXPECT_EQ(1ULL, discards_above(&counts));
}

TEST(most_discards_in_words)
{
	struct idle_latency_counts counts = {
		.discarded = {
			[IDLE_LATENCY_DISCARD_STOPPED] = 5,
			[IDLE_LATENCY_DISCARD_SPURIOUS] = 4,
			[IDLE_LATENCY_DISCARD_TSC] = 3,
		},
		/* Comes behind the last count. */
		.above[IDLE_LATENCY_DISCARD_STOPPED] = 9,
	};
	char text[64];

	discards_most_text(&counts, text, sizeof(text));
	EXPECT_STREQ("stopped 5", text);
	counts.discarded[IDLE_LATENCY_DISCARD_STOPPED] = 0;
	discards_most_text(&counts, text, sizeof(text));
	EXPECT_STREQ("spurious 4", text);
	/* Of as many, the first. */
	counts.discarded[IDLE_LATENCY_DISCARD_TSC] = 4;
	discards_most_text(&counts, text, sizeof(text));
	EXPECT_STREQ("spurious 4", text);
}

TEST(discards_above_the_limit_in_words)
{
	struct idle_latency_counts counts = case_counts;
	char text[256];

	/* Below the limit. */
	counts.largest_ns[IDLE_LATENCY_DISCARD_NO_IDLE] = 900;
	discards_above_text(&counts, text, sizeof(text));
	EXPECT_STREQ("", text);
	EXPECT_EQ(0ULL, discards_above(&counts));
	counts.discarded[IDLE_LATENCY_DISCARD_NMI] = 2;
	counts.above[IDLE_LATENCY_DISCARD_NMI] = 1;
	counts.largest_ns[IDLE_LATENCY_DISCARD_NMI] = 812000;
	discards_text(&counts, text, sizeof(text));
	EXPECT_STREQ(text,
		     "no_idle 16, foreign_timer 40, nmi 2 (1 above, largest 812000 ns)");
	discards_above_text(&counts, text, sizeof(text));
	EXPECT_STREQ(text,
		     "nmi 2 (1 above, largest 812000 ns; the watchdog's or perf's)");
	EXPECT_EQ(1ULL, discards_above(&counts));
	/* What does not fit is cut off. */
	memset(text, 'x', sizeof(text));
	discards_text(&counts, text, 10);
	EXPECT_STREQ("no_idle 1", text);
	for (size_t i = 10; i < sizeof(text); i++)
		EXPECT_EQ('x', text[i]);
}

TEST(reasons_of_a_discarded_event)
{
	char text[64];

	discards_reasons_text(0, text, sizeof(text));
	EXPECT_STREQ("", text);
	discards_reasons_text(1U << IDLE_LATENCY_DISCARD_SMI |
			      1U << IDLE_LATENCY_DISCARD_NMI, text,
			      sizeof(text));
	EXPECT_STREQ("nmi+smi", text);
	discards_reasons_text(1U << 31, text, sizeof(text));
	EXPECT_STREQ("unknown", text);
	discards_reasons_text(1U << IDLE_LATENCY_DISCARD_STOPPED, text,
			      sizeof(text));
	EXPECT_STREQ("stopped", text);
}

TEST(every_discard_has_a_name)
{
	for (size_t i = 0; i < IDLE_LATENCY_DISCARD_MAX; i++) {
		struct idle_latency_counts counts = { };
		char text[64];

		counts.discarded[i] = 1;
		discards_text(&counts, text, sizeof(text));
		EXPECT_EQ(NULL, strstr(text, "null"));
		EXPECT_EQ(NULL, strstr(text, "unknown"));
	}
}

/*
 * Accounting.
 */

TEST(counts_that_add_up)
{
	struct idle_latency_counts counts = case_counts;

	EXPECT_EQ(NULL, accounting_end(&counts, 4));
	counts.pending = 1;
	counts.armed++;
	EXPECT_EQ(NULL, accounting_counts(&counts));
	/* All that was discarded was also kept. */
	counts = case_counts;
	counts.kept = 56;
	EXPECT_EQ(NULL, accounting_end(&counts, 60));
	counts.armed++;
	counts.discarded[IDLE_LATENCY_DISCARD_STOPPED] = 1;
	counts.above[IDLE_LATENCY_DISCARD_STOPPED] = 1;
	counts.largest_ns[IDLE_LATENCY_DISCARD_STOPPED] = 5;
	EXPECT_EQ(NULL, accounting_counts(&counts));
}

TEST(counts_that_do_not_add_up)
{
	struct idle_latency_counts counts = case_counts;

	EXPECT_STREQ("delivered + kept is not the number of records read",
		     accounting_end(&counts, 3));
	EXPECT_STREQ("delivered + kept is not the number of records read",
		     accounting_end(&counts, 5));
	counts.armed++;
	EXPECT_STREQ("armed is not delivered + pending + discarded",
		     accounting_end(&counts, 4));
	counts.pending = 1;
	EXPECT_STREQ("an event is pending after the end",
		     accounting_end(&counts, 4));
	counts.armed++;
	counts.pending = 2;
	EXPECT_STREQ("more than one event is pending",
		     accounting_counts(&counts));
	counts = case_counts;
	counts.kept = 57;
	EXPECT_STREQ("more discarded events were kept than discarded",
		     accounting_counts(&counts));
}

TEST(counts_of_a_reason_that_contradict_each_other)
{
	static const struct {
		size_t slot;
		__u64 discarded, above, largest_ns;
		const char *wrong;
	} cases[] = {
		{ IDLE_LATENCY_DISCARD_EARLY_INTR, 1, 1, 5, NULL },
		{ IDLE_LATENCY_DISCARD_MAX, 1, 0, 0,
		  "an unused count is not zero" },
		{ IDLE_LATENCY_DISCARD_SLOTS - 1, 1, 0, 0,
		  "an unused count is not zero" },
		{ IDLE_LATENCY_DISCARD_STOPPED, 1, 2, 0,
		  "more events are above the limit than were discarded" },
		{ IDLE_LATENCY_DISCARD_EARLY_INTR, 1, 2, 0,
		  "more events are above the limit than were discarded" },
		{ IDLE_LATENCY_DISCARD_STOPPED, 0, 0, 1,
		  "there is a latency of events that were not discarded" },
		{ IDLE_LATENCY_DISCARD_SLOTS - 1, 0, 0, 1,
		  "there is a latency of events that were not discarded" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct idle_latency_counts counts = case_counts;

		counts.armed += cases[i].discarded;
		counts.discarded[cases[i].slot] = cases[i].discarded;
		counts.above[cases[i].slot] = cases[i].above;
		counts.largest_ns[cases[i].slot] = cases[i].largest_ns;
		EXPECT_STREQ(cases[i].wrong ?: "",
			     accounting_counts(&counts) ?: "");
	}
}

/* What an event above the limit of 500 ns must have for a latency. */
TEST(counts_of_events_above_the_limit)
{
	static const struct {
		size_t slot;
		__u64 above, largest_ns;
		const char *wrong;
	} cases[] = {
		{ IDLE_LATENCY_DISCARD_NMI, 1, 501, NULL },
		{ IDLE_LATENCY_DISCARD_NMI, 0, 500, NULL },
		{ IDLE_LATENCY_DISCARD_NMI, 1, 500,
		  "events are above the limit, but none is so large" },
		{ IDLE_LATENCY_DISCARD_OTHER_CPU, 1, 0,
		  "events are above the limit, but none is so large" },
		/* It may have been lost as well, after any time. */
		{ IDLE_LATENCY_DISCARD_STOPPED, 1, 5, NULL },
		{ IDLE_LATENCY_DISCARD_LATE, 1, 5, NULL },
		{ IDLE_LATENCY_DISCARD_LOST, 1, 5, NULL },
		{ IDLE_LATENCY_DISCARD_LOST, 0, 501,
		  "an event that was lost is not above the limit" },
	};
	struct idle_latency_counts counts[2];

	/* The next in memory, of which nothing may be read. */
	memset(&counts[1], 0, sizeof(counts[1]));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		counts[0] = case_counts;
		counts[0].armed++;
		counts[0].discarded[cases[i].slot] = 1;
		counts[0].above[cases[i].slot] = cases[i].above;
		counts[0].largest_ns[cases[i].slot] = cases[i].largest_ns;
		EXPECT_STREQ(cases[i].wrong ?: "",
			     accounting_limit(&counts[0], 500) ?: "");
	}
	counts[0] = case_counts;
	counts[0].armed++;
	EXPECT_STREQ("armed is not delivered + pending + discarded",
		     accounting_limit(&counts[0], 500));
}

static const struct idle_latency_config good_config = {
	.ldist_from_ns = 100,
	.ldist_to_ns = 200,
	.cpu = 1,
	.state = 2,
	.source = IDLE_LATENCY_SOURCE_TDT,
};

static const struct idle_latency_record good_record = {
	.seq = 5,
	.event = 6,
	.ldist_ns = 150,
	.ltime_ns = 1000,
	.silent_ns = 90,
	.wake_ns = 10,
	.intr_ns = 20,
	.error_ns = 1,
	.tbi_tsc = 100,
	.tai_tsc = 200,
	.tintr_tsc = 210,
	.interval_cyc = 200,
	.residency_cyc[IDLE_LATENCY_RESIDENCY_C0] = 110,
	.residency_present = 1U << IDLE_LATENCY_RESIDENCY_C0,
	.flags = IDLE_LATENCY_RECORD_WAKE,
	.cpu = 1,
	.state = 2,
	.source = IDLE_LATENCY_SOURCE_TDT,
	.stamp = IDLE_LATENCY_STAMP_ENTER,
	.idle_periods = 1,
};

/* "" for one that is in order */
static const char *wrong_with(const struct idle_latency_record *record)
{
	return accounting_record(record, 5, &good_config) ?: "";
}

static const char *wrong_when_kept(const struct idle_latency_record *record)
{
	struct idle_latency_config config = good_config;

	config.flags = IDLE_LATENCY_CONFIG_KEEP;
	return accounting_record(record, 5, &config) ?: "";
}

TEST(good_records)
{
	struct idle_latency_record record = good_record;

	EXPECT_STREQ("", wrong_with(&record));
	record.event = 5;
	EXPECT_STREQ("", wrong_with(&record));
	record.ldist_ns = 100;
	EXPECT_STREQ("", wrong_with(&record));
	record.ldist_ns = 200;
	EXPECT_STREQ("", wrong_with(&record));
	record.intr_ns = 10;
	EXPECT_STREQ("", wrong_with(&record));
	record.silent_ns = INT64_MAX;
	EXPECT_STREQ("", wrong_with(&record));
	record.flags |= IDLE_LATENCY_RECORD_FORCED;
	record.aperf_cyc = 1;
	EXPECT_STREQ("", wrong_with(&record));
	/* As short as it can be. */
	record.tai_tsc = 100;
	record.tintr_tsc = 100;
	record.interval_cyc = 0;
	EXPECT_STREQ("", wrong_with(&record));
	/* Without WakeLatency, the handler may have run first. */
	record = good_record;
	record.flags = 0;
	record.tintr_tsc = 150;
	record.wake_ns = 0;
	record.silent_ns = 0;
	EXPECT_STREQ("", wrong_with(&record));
	record.tai_tsc = 100;
	record.tintr_tsc = 100;
	EXPECT_STREQ("", wrong_with(&record));
}

TEST(bad_records)
{
	static const char * const wrong[] = {
		"the sequence numbers of the records have a gap",
		"the sequence numbers of the records have a gap",
		"there are more records than events",
		"a record is of another CPU",
		"a record is of another idle state",
		"a record is of another source",
		"a record has unknown flags",
		"a record has unknown flags",
		"there is no deadline, but a distance to it",
		"a record without a card has accesses to it",
		"a record without a card has accesses to it",
		"a record has an unknown stamp",
		"a record has an unknown stamp",
		"a launch distance is outside of the configured range",
		"a launch distance is outside of the configured range",
		"a sample has no idle period",
		"TAI is before TBI",
		"TIntr is before TAI",
		"TIntr is before TAI",
		"IntrLatency is less than WakeLatency",
		"IntrLatency is less than WakeLatency",
		"LTime is not after TBI",
		"the residency counters were read between TBI and TIntr",
		"a time is negative",
		"a time is negative",
		"a time is negative",
	};
	struct idle_latency_record bad[ARRAY_SIZE(wrong)];

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		bad[i] = good_record;
	bad[0].seq = 4;
	bad[1].seq = 6;
	bad[2].event = 4;
	bad[3].cpu = 0;
	bad[4].state = 1;
	bad[5].source = IDLE_LATENCY_SOURCE_HRT;
	bad[6].flags |= 128;
	bad[7].flags |= 1U << 31;
	bad[8].deadline_ns = 1;
	bad[9].warmup_ns = 1;
	bad[10].latch_ns = 1;
	bad[11].stamp = 0;
	bad[12].stamp = 3;
	bad[13].ldist_ns = 99;
	bad[14].ldist_ns = 201;
	bad[15].idle_periods = 0;
	bad[16].tai_tsc = 99;
	bad[17].tintr_tsc = 99;
	bad[18].tintr_tsc = 199;
	bad[19].intr_ns = 9;
	bad[20].wake_ns = 21;
	bad[21].silent_ns = 0;
	bad[22].interval_cyc = 109;
	bad[23].silent_ns = -1ULL;
	bad[24].wake_ns = -1ULL;
	bad[25].intr_ns = -1ULL;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_STREQ(wrong[i], wrong_with(&bad[i]));
}

/* In a state that is entered with interrupts enabled. */
TEST(bad_records_without_wake_latency)
{
	static const char * const wrong[] = {
		"",
		"a record without WakeLatency has one",
		"a record without WakeLatency has one",
		"TAI is before TBI",
		"TIntr is before TBI",
	};
	struct idle_latency_record bad[ARRAY_SIZE(wrong)];

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		bad[i] = good_record;
		bad[i].flags = 0;
		bad[i].wake_ns = 0;
		bad[i].silent_ns = 0;
	}
	bad[1].wake_ns = 1;
	bad[2].silent_ns = 1;
	bad[3].tai_tsc = 99;
	bad[4].tintr_tsc = 99;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_STREQ(wrong[i], wrong_with(&bad[i]));
}

TEST(records_with_a_deadline)
{
	struct idle_latency_record record = good_record;

	record.flags |= IDLE_LATENCY_RECORD_DEADLINE;
	EXPECT_STREQ("", wrong_with(&record));
	record.deadline_ns = -1;
	EXPECT_STREQ("there is no deadline, but a distance to it", wrong_with(&record));
}

TEST(records_of_pending_events)
{
	struct idle_latency_record record = good_record;

	record.flags |= IDLE_LATENCY_RECORD_PENDING;
	EXPECT_STREQ("an event that had fired before idle was not discarded for it",
		     wrong_with(&record));
	record.reasons = 1U << IDLE_LATENCY_DISCARD_NMI;
	EXPECT_STREQ("an event that had fired before idle was not discarded for it",
		     wrong_when_kept(&record));
	record.reasons = 1U << IDLE_LATENCY_DISCARD_BEFORE_IDLE;
	EXPECT_STREQ("", wrong_when_kept(&record));
}

TEST(records_of_discarded_events)
{
	const __u32 no_idle = 1U << IDLE_LATENCY_DISCARD_NO_IDLE;
	struct idle_latency_record record = good_record;

	for (unsigned int i = 0; i < 32; i++) {
		record.reasons = 1U << i;
		EXPECT_STREQ("a discarded event was delivered without being asked for",
			     wrong_with(&record));
		EXPECT_STREQ(i == IDLE_LATENCY_DISCARD_STOPPED ||
			     i == IDLE_LATENCY_DISCARD_LOST ?
			     "a record is of an event that was not handled" :
			     i >= IDLE_LATENCY_DISCARD_MAX ?
			     "an event was discarded for an unknown reason" : "",
			     wrong_when_kept(&record));
	}
	/* What is asked for is not all. */
	record.reasons = 0;
	EXPECT_STREQ("", wrong_when_kept(&record));
	record.idle_periods = 0;
	EXPECT_STREQ("a sample has no idle period", wrong_when_kept(&record));
	record.reasons = no_idle;
	EXPECT_STREQ("", wrong_when_kept(&record));
	/* Then there is no state that it could be of. */
	record.state = 1;
	EXPECT_STREQ("", wrong_when_kept(&record));
	record.reasons = 1U << IDLE_LATENCY_DISCARD_OTHER_STATE;
	EXPECT_STREQ("", wrong_when_kept(&record));
	record.reasons = 1U << IDLE_LATENCY_DISCARD_NMI;
	EXPECT_STREQ("a record is of another idle state",
		     wrong_when_kept(&record));
	record = good_record;
	record.reasons = no_idle;
	record.idle_periods = 0;
	record.tbi_tsc = 201;
	EXPECT_STREQ("TAI is before TBI", wrong_when_kept(&record));
	record.tbi_tsc = 100;
	record.flags |= IDLE_LATENCY_RECORD_COUNTED | IDLE_LATENCY_RECORD_REACHED;
	record.residency_present = 1U << IDLE_LATENCY_RESIDENCY_CC6;
	record.residency_cyc[IDLE_LATENCY_RESIDENCY_C0] = 0;
	record.residency_cyc[IDLE_LATENCY_RESIDENCY_CC6] = 1;
	EXPECT_STREQ("the state was reached without an idle period",
		     wrong_when_kept(&record));
}

TEST(residencies_that_cannot_be)
{
	const __u32 cc6 = 1U << IDLE_LATENCY_RESIDENCY_CC6;
	struct idle_latency_record record = good_record;

	record.residency_present |= 1U << IDLE_LATENCY_RESIDENCY_MAX;
	EXPECT_STREQ("a record has an unknown residency counter",
		     wrong_with(&record));
	record = good_record;
	record.residency_invalid = cc6;
	EXPECT_STREQ("a residency counter is invalid but absent",
		     wrong_with(&record));
	for (size_t i = 0; i < IDLE_LATENCY_RESIDENCY_SLOTS; i++) {
		record = good_record;
		record.residency_present = 0;
		record.residency_cyc[IDLE_LATENCY_RESIDENCY_C0] = 0;
		record.residency_cyc[i] = 1;
		EXPECT_STREQ("a residency is absent or invalid but not zero",
			     wrong_with(&record));
	}
	record = good_record;
	record.residency_present |= cc6;
	record.residency_invalid = cc6;
	EXPECT_STREQ("", wrong_with(&record));
	record.residency_cyc[IDLE_LATENCY_RESIDENCY_CC6] = 1;
	EXPECT_STREQ("a residency is absent or invalid but not zero",
		     wrong_with(&record));
}

static bool is_of_package(unsigned int counter)
{
	return counter >= IDLE_LATENCY_RESIDENCY_PC2 &&
	       counter <= IDLE_LATENCY_RESIDENCY_PC10;
}

/* By each of the counters alone; what C0 counts is no idle state. */
TEST(records_of_states_that_were_reached)
{
	for (unsigned int i = 0; i < IDLE_LATENCY_RESIDENCY_MAX; i++) {
		const bool is_idle = i != IDLE_LATENCY_RESIDENCY_C0;
		struct idle_latency_record record = good_record;

		record.residency_present = 1U << i;
		record.residency_cyc[IDLE_LATENCY_RESIDENCY_C0] = 0;
		EXPECT_STREQ("", wrong_with(&record));
		record.flags |= IDLE_LATENCY_RECORD_COUNTED;
		EXPECT_STREQ(is_idle ? "" :
			     "the state is counted without a counter",
			     wrong_with(&record));
		record.residency_present |= 1U << IDLE_LATENCY_RESIDENCY_CC7;
		record.flags |= IDLE_LATENCY_RECORD_REACHED;
		EXPECT_STREQ("the state was reached but no counter advanced",
			     wrong_with(&record));
		record.residency_cyc[i] = 1;
		EXPECT_STREQ(is_idle ? "" :
			     "the state was reached but no counter advanced",
			     wrong_with(&record));
		record.flags &= ~IDLE_LATENCY_RECORD_COUNTED;
		EXPECT_STREQ("the state was reached but is not counted",
			     wrong_with(&record));
		record.flags &= ~IDLE_LATENCY_RECORD_REACHED;
		record.flags |= IDLE_LATENCY_RECORD_PACKAGE;
		EXPECT_STREQ(is_of_package(i) ? "" :
			     "a package state was reached but no counter advanced",
			     wrong_with(&record));
	}
}

TEST(record_stamped_elsewhere_than_asked_for)
{
	struct idle_latency_config config = good_config;
	struct idle_latency_record record = good_record;

	config.flags = IDLE_LATENCY_CONFIG_PROBE;
	EXPECT_NE(NULL, accounting_record(&record, 5, &config));
	record.stamp = IDLE_LATENCY_STAMP_PROBE;
	EXPECT_EQ(NULL, accounting_record(&record, 5, &config));
}

/*
 * Options, and what they choose.
 */

TEST(cpu_lists)
{
	static const char * const bad[] = {
		"", ",", "1,", ",1", "a", "1a", "-1", "1-", "2-1", "1--2",
		"1 2", "8192", "99999999999999999999", "0-8192",
	};
	static struct cpu_list list;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_FALSE(cpu_list_parse(bad[i], &list))
			TH_LOG("'%s'", bad[i]);
	}
	ASSERT_TRUE(cpu_list_parse("4,0-2,1", &list));
	EXPECT_EQ(4UL, list.count);
	EXPECT_EQ(4U, list.cpu[0]);
	EXPECT_EQ(2U, list.cpu[3]);
	EXPECT_TRUE(cpu_list_has(&list, 1));
	EXPECT_FALSE(cpu_list_has(&list, 3));
	ASSERT_TRUE(cpu_list_parse("0-8191,0-8191", &list));
	EXPECT_EQ(8192UL, list.count);
}

TEST(cpu_list_in_words)
{
	static struct cpu_list list;
	char text[16];

	list.count = 0;
	cpu_list_text(&list, text, sizeof(text));
	EXPECT_STREQ("", text);
	ASSERT_TRUE(cpu_list_parse("0-2,4,7-8", &list));
	cpu_list_text(&list, text, sizeof(text));
	EXPECT_STREQ("0-2,4,7-8", text);
	/* What does not fit is cut off. */
	cpu_list_text(&list, text, 5);
	EXPECT_STREQ("0-2,", text);
}

static const struct idle_states four_states = {
	.state = {
		{ .name = "POLL", .index = 0 },
		{ .name = "C1", .index = 1, .latency_us = 1 },
		{ .name = "C6", .index = 2, .latency_us = 80 },
		{ .name = "FREE", .index = 3 },
	},
	.count = 4,
};

TEST(idle_states)
{
	struct idle_states judged, chosen;
	char unknown[32];

	idle_states_judged(&four_states, &judged);
	ASSERT_EQ(2UL, judged.count);
	EXPECT_STREQ("C1", judged.state[0].name);
	EXPECT_STREQ("C6", judged.state[1].name);
	ASSERT_TRUE(idle_states_choose(&judged, "2,C1,C6", &chosen, unknown,
				       sizeof(unknown)));
	ASSERT_EQ(2UL, chosen.count);
	EXPECT_STREQ("C6", chosen.state[0].name);
	EXPECT_STREQ("C1", chosen.state[1].name);
	EXPECT_FALSE(idle_states_choose(&judged, "C1,C9", &chosen, unknown,
					sizeof(unknown)));
	EXPECT_STREQ("C9", unknown);
	EXPECT_FALSE(idle_states_choose(&judged, "POLL", &chosen, unknown,
					sizeof(unknown)));
	EXPECT_FALSE(idle_states_choose(&judged, "0", &chosen, unknown,
					sizeof(unknown)));
	EXPECT_FALSE(idle_states_choose(&judged, "C1,", &chosen, unknown,
					sizeof(unknown)));
}

static bool parse(struct options *options, const char *name, const char *value)
{
	const char * const arguments[] = { name, value, NULL };
	char error[256];

	return options_parse(arguments, options, error, sizeof(error));
}

TEST(default_options)
{
	static struct options options;

	ASSERT_TRUE(parse(&options, NULL, NULL));
	EXPECT_FALSE(options.plain);
	EXPECT_FALSE(options.scan);
	EXPECT_EQ(1U << IDLE_LATENCY_SOURCE_HRT | 1U << IDLE_LATENCY_SOURCE_TDT |
		  1U << IDLE_LATENCY_SOURCE_NIC, options.methods);
	EXPECT_EQ(3000UL, options.samples);
	EXPECT_EQ(40U, options.seconds);
	EXPECT_EQ(300UL, options_least(&options));
	EXPECT_EQ(0UL, options.cpus.count);
	EXPECT_FALSE(options.all_cpus);
	EXPECT_EQ(QUANTILE_ONE, options.quantile);
	EXPECT_FALSE(options.has_limit);
	EXPECT_EQ(0U, options.stamp);
	EXPECT_EQ(0ULL, options.ldist.to_ns);
	EXPECT_EQ(NULL, options.out);
}

TEST(good_options)
{
	static struct options options;

	EXPECT_TRUE(parse(&options, "--plain", NULL));
	EXPECT_TRUE(options.plain);
	EXPECT_TRUE(parse(&options, "--methods", " tdt "));
	EXPECT_EQ(1U << IDLE_LATENCY_SOURCE_TDT, options.methods);
	EXPECT_TRUE(parse(&options, "--methods=hrt,tdt", NULL));
	EXPECT_EQ(1U << IDLE_LATENCY_SOURCE_HRT | 1U << IDLE_LATENCY_SOURCE_TDT,
		  options.methods);
	EXPECT_TRUE(parse(&options, "--samples", "1000000"));
	EXPECT_EQ(1000000UL, options.samples);
	EXPECT_EQ(0U, options.seconds);
	EXPECT_EQ(1000000UL, options_least(&options));
	EXPECT_TRUE(parse(&options, "--seconds", "1000000"));
	EXPECT_EQ(1000000U, options.seconds);
	EXPECT_EQ(3000UL, options.samples);
	EXPECT_TRUE(parse(&options, "--cpus", "all"));
	EXPECT_TRUE(options.all_cpus);
	EXPECT_TRUE(parse(&options, "--cpus", "7"));
	EXPECT_FALSE(options.all_cpus);
	EXPECT_EQ(7U, options.cpus.cpu[0]);
	EXPECT_TRUE(parse(&options, "--ldist", "1:50000000"));
	EXPECT_EQ(1ULL, options.ldist.from_ns);
	EXPECT_EQ(50000000ULL, options.ldist.to_ns);
	EXPECT_TRUE(parse(&options, "--sweep", "20000:2000000:10%"));
	EXPECT_EQ(20000ULL, options.sweep.ldist.from_ns);
	EXPECT_EQ(2000000ULL, options.sweep.ldist.to_ns);
	EXPECT_EQ(10U, options.sweep.percent);
	EXPECT_TRUE(parse(&options, "--sweep", "50000000:50000000:100%"));
	EXPECT_TRUE(parse(&options, "--stamp", "probe"));
	EXPECT_EQ((unsigned int)IDLE_LATENCY_STAMP_PROBE, options.stamp);
	EXPECT_TRUE(parse(&options, "--stamp", "enter"));
	EXPECT_EQ((unsigned int)IDLE_LATENCY_STAMP_ENTER, options.stamp);
	EXPECT_TRUE(parse(&options, "--quantile", "0.9999"));
	EXPECT_EQ(999900000ULL, options.quantile);
	EXPECT_TRUE(parse(&options, "--quantile", "0.000000001"));
	EXPECT_EQ(1ULL, options.quantile);
	EXPECT_TRUE(parse(&options, "--quantile", "1"));
	EXPECT_EQ(QUANTILE_ONE, options.quantile);
	EXPECT_TRUE(parse(&options, "--limit-ns", "0"));
	EXPECT_TRUE(options.has_limit);
	EXPECT_EQ(0ULL, options.limit_ns);
	EXPECT_TRUE(parse(&options, "--machine", "a, b"));
	EXPECT_STREQ("a, b", options.machine);
}

struct bad_option {
	const char *name;
	const char *value;
};

static const struct bad_option rejected[] = {
	{ "--plain=", NULL }, { "--plain", "yes" }, { "plain", NULL },
	{ "--", NULL }, { "-p", NULL }, { "--plai", NULL }, { "", NULL },
	{ "--methods", NULL }, { "--methods", "" }, { "--methods", "ipi" },
	{ "--methods", "hrt tdtt" }, { "--methods", "hr" },
	{ "--cpus", "x" }, { "--cpus", "" }, { "--states", "" },
	{ "--samples", NULL }, { "--samples", "0" }, { "--samples", "-1" },
	{ "--samples", "1000001" }, { "--samples", "1x" },
	{ "--samples", " 1" }, { "--samples", "18446744073709551617" },
	{ "--seconds", "0" }, { "--seconds", "1000001" }, { "--seconds", "" },
	{ "--ldist", "1" }, { "--ldist", "1:" }, { "--ldist", ":1" },
	{ "--ldist", "0:1" }, { "--ldist", "2:1" },
	{ "--ldist", "1:50000001" }, { "--ldist", "1:2:3" },
	{ "--sweep", "" }, { "--sweep", "1:2" }, { "--sweep", "1:2:" },
	{ "--sweep", "1:2:%" }, { "--sweep", "1:2:10" },
	{ "--sweep", "1:2:0%" }, { "--sweep", "1:2:101%" },
	{ "--sweep", "1:2:1.5%" }, { "--sweep", "1:2:10%%" },
	{ "--sweep", "1:2:10%x" }, { "--sweep", "1:2:00000010%" },
	{ "--sweep", "2:1:10%" }, { "--sweep", "0:1:10%" },
	{ "--sweep", "1:50000001:10%" }, { "--sweep", "1:2:3:10%" },
	{ "--sweep", "10%" }, { "--sweep", ":2:10%" },
	{ "--stamp", "" }, { "--stamp", "ENTER" },
	{ "--quantile", "0" }, { "--quantile", "0." }, { "--quantile", "1.1" },
	{ "--quantile", "99" }, { "--quantile", "0.0" },
	{ "--quantile", "0.9x" }, { "--quantile", "0.0000000001" },
	{ "--limit-ns", "" }, { "--limit-ns", "-5" }, { "--limit-ns", "1us" },
	{ "--out", "" }, { "--machine", "" }, { "--cpu-model", NULL },
};

/* Fewer than what a limited time asks for at least are what was asked for. */
TEST(samples_and_seconds)
{
	static const char * const both[] = { "--samples", "299", "--seconds",
					     "5", NULL };
	static struct options options;
	char error[256];

	ASSERT_TRUE(options_parse(both, &options, error, sizeof(error)));
	EXPECT_EQ(299UL, options.samples);
	EXPECT_EQ(299UL, options_least(&options));
	options.samples = 301;
	EXPECT_EQ(300UL, options_least(&options));
}

TEST(bad_options)
{
	static struct options options;

	for (size_t i = 0; i < ARRAY_SIZE(rejected); i++) {
		EXPECT_FALSE(parse(&options, rejected[i].name,
				   rejected[i].value))
			TH_LOG("%s %s", rejected[i].name,
			       rejected[i].value ?: "");
	}
}

TEST(errors_name_the_option_and_what_it_takes)
{
	static struct options options;
	static const char * const bad_value[] = { "--stamp", "late", NULL };
	static const char * const no_value[] = { "--stamp", NULL };
	static const char * const unknown[] = { "--foo=1", NULL };
	char error[512];

	EXPECT_FALSE(options_parse(bad_value, &options, error, sizeof(error)));
	EXPECT_STREQ("--stamp takes enter or probe, not 'late'", error);
	EXPECT_FALSE(options_parse(no_value, &options, error, sizeof(error)));
	EXPECT_STREQ("--stamp takes enter or probe", error);
	EXPECT_FALSE(options_parse(unknown, &options, error, sizeof(error)));
	EXPECT_STREQ(error,
		     "unknown argument '--foo=1'; takes --plain --quiet --top --machine --cpu-model --methods --cpus --states --samples --seconds --ldist --sweep --stamp --quantile --limit-ns --out --keep-discarded --force --scan --self-check --help --version");
}

/*
 * Output and environment.
 */

static const struct row good_row = {
	.cpu = 3,
	.method = &methods[1],
	.state = { .name = "C1" },
	.info = { .exit_latency_ns = 2500 },
	.strata = { { .ldist = { 1000, 2000 } } },
};

static const struct result good_result = {
	.summary = {
		.row = &good_row,
		.ran = true,
		.stamp = IDLE_LATENCY_STAMP_ENTER,
		.counts = { .armed = 9, .delivered = 7, .discarded = { 1, 1 } },
		.valid = 7,
		.counted = true,
		.package_counted = true,
		.intr = { 20, 21, 22, 23, 24, 25, true, true, true },
		.median_error_ns = 3,
		.instrument = { .delivery_ns = 5 },
		.median_uncertain_ns = 4,
		.has_wake = true,
		.wake = { 10, 11, 12, 13, 14, 15, true, true, true },
		.strata = { { .ldist = { 1000, 2000 } } },
	},
	.verdict = {
		.result = VERDICT_FAIL,
		.reason = "above the limit",
		.above = 4,
		.discarded_above = 3,
		.reached = 6,
		.package = 5,
		.smallest_pass_ns = 13,
	},
};

static const struct csv_run good_run = {
	.machine = "bochs", .cpu_model = "i7", .driver = "intel_idle",
	.kernel = "7.3.0", .quantile = QUANTILE_ONE,
};

static void summary_line(const struct csv_run *run, const struct result *result,
			 char *line, size_t size)
{
	FILE *file = fmemopen(line, size, "w");

	csv_summary_row(file, run, result);
	fclose(file);
}

TEST(summary_row)
{
	char line[256];

	summary_line(&good_run, &good_result, line, sizeof(line));
	EXPECT_STREQ(line,
		     "bochs,i7,intel_idle,3,tdt,enter,C1,2500,9,7,2,10,11,12,14,15,21,25,FAIL,7.3.0,max,1000,2000,6,5,4,3,13,,above the limit,3,4\n");
}

TEST(summary_row_with_qualifiers)
{
	const struct csv_run run = {
		.machine = "bochs", .cpu_model = "i7", .driver = "intel_idle",
		.kernel = "7.3.0", .quantile = 999900000,
	};
	struct result result = good_result;
	char line[256];

	result.verdict = (struct verdict) {
		.result = VERDICT_PASS, .reason = "",
		.qualifiers = QUALIFIER_UNVERIFIED | QUALIFIER_LOWER_BOUND,
	};
	result.summary.counted = false;
	result.summary.package_counted = false;
	/* Quantiles that the number of samples does not carry. */
	result.summary.wake.has_p99 = false;
	result.summary.wake.has_p9999 = false;
	summary_line(&run, &result, line, sizeof(line));
	EXPECT_STREQ(line,
		     "bochs,i7,intel_idle,3,tdt,enter,C1,2500,9,7,2,10,11,,,15,21,25,PASS,7.3.0,0.9999,1000,2000,,,0,0,0,unverified+lower-bound,,3,4\n");
}

TEST(summary_row_without_wake_latency)
{
	struct result result = good_result;
	char line[256];

	result.summary.has_wake = false;
	result.verdict.result = VERDICT_SKIP;
	result.summary.package_counted = false;
	summary_line(&good_run, &result, line, sizeof(line));
	EXPECT_STREQ(line,
		     "bochs,i7,intel_idle,3,tdt,enter,C1,2500,9,7,2,,,,,,21,25,SKIP,7.3.0,max,1000,2000,6,,4,3,13,,above the limit,3,4\n");
}

TEST(summary_row_without_session)
{
	const struct row row = {
		.cpu = 3,
		.method = &methods[0],
		.state = { .name = "C1" },
		.info = { .exit_latency_ns = 2500 },
	};
	struct result result = { .summary.row = &row };
	char line[256];

	verdict_skip(&result.verdict, "interrupted");
	summary_line(&good_run, &result, line, sizeof(line));
	EXPECT_STREQ(line,
		     "bochs,i7,intel_idle,3,hrt,,C1,2500,,,,,,,,,,,SKIP,7.3.0,max,,,,,,,,,interrupted,,\n");
}

TEST(summary_quotes_what_needs_it)
{
	const struct csv_run run = {
		.machine = "a,b", .cpu_model = "say \"hi\"", .driver = "plain",
		.kernel = "7.3.0",
	};
	char line[256];

	summary_line(&run, &good_result, line, sizeof(line));
	EXPECT_EQ(0, strncmp("\"a,b\",\"say \"\"hi\"\"\",plain,3,", line, 27))
		TH_LOG("%s", line);
}

TEST(summary_header)
{
	char line[512];
	FILE *file = fmemopen(line, sizeof(line), "w");

	ASSERT_NE(NULL, file);
	csv_summary_header(file);
	fclose(file);
	EXPECT_STREQ(line,
		     "machine,cpu_model,driver,cpu,method,stamp,state,declared_ns,armed,valid,discarded,min_ns,median_ns,p99_ns,p9999_ns,max_ns,intr_median_ns,intr_max_ns,verdict,kernel,rule,ldist_from_ns,ldist_to_ns,reached,package,above,discarded_above,smallest_pass_ns,qualifier,reason,error_ns,uncertain_ns\n");
}

/* Only a card has accesses that take time. */
TEST(accesses_to_the_card)
{
	struct idle_latency_record record = good_record;
	char text[256];
	FILE *file = fmemopen(text, sizeof(text), "w");

	ASSERT_NE(NULL, file);
	record.source = IDLE_LATENCY_SOURCE_NIC;
	record.warmup_ns = 5400;
	record.latch_ns = 1400;
	csv_datapoint(file, &good_result.summary, &record);
	fclose(file);
	EXPECT_STREQ(text,
		     "3,tdt,enter,C1,5,150,1000,90,10,20,1,5400,1400,100,200,210,1,55.00,45.00,,,,,,,,,,,,,200,6,,,4005\n");
}

TEST(datapoints)
{
	struct idle_latency_record record = good_record;
	char text[1024];
	FILE *file = fmemopen(text, sizeof(text), "w");

	ASSERT_NE(NULL, file);
	csv_datapoints_header(file);
	csv_datapoint(file, &good_result.summary, &record);
	record.flags = IDLE_LATENCY_RECORD_COUNTED;
	record.event = 8;
	record.residency_present |= 1U << IDLE_LATENCY_RESIDENCY_PC6;
	csv_datapoint(file, &good_result.summary, &record);
	record.flags |= IDLE_LATENCY_RECORD_REACHED;
	record.residency_cyc[IDLE_LATENCY_RESIDENCY_PC6] = 20;
	csv_datapoint(file, &good_result.summary, &record);
	fclose(file);
	EXPECT_STREQ(text,
		     "cpu,method,stamp,state,seq,ldist_ns,ltime_ns,silent_ns,wake_ns,intr_ns,error_ns,warmup_ns,latch_ns,tbi_tsc,tai_tsc,tintr_tsc,idle_periods,c0_pct,c1_pct,cc3_pct,cc6_pct,cc7_pct,mc6_pct,pc2_pct,pc3_pct,pc6_pct,pc7_pct,pc8_pct,pc9_pct,pc10_pct,frequency_pct,interval_cyc,event,reached,package,uncertain_ns\n"
		     "3,tdt,enter,C1,5,150,1000,90,10,20,1,,,100,200,210,1,55.00,45.00,,,,,,,,,,,,,200,6,,,5\n"
		     "3,tdt,enter,C1,5,150,1000,,,20,1,,,100,200,210,1,55.00,45.00,,,,,,,0.00,,,,,,200,8,0,PC0,0\n"
		     "3,tdt,enter,C1,5,150,1000,,,20,1,,,100,200,210,1,55.00,45.00,,,,,,,10.00,,,,,,200,8,1,PC6,0\n");
}

TEST(discarded_records)
{
	struct idle_latency_record record = good_record;
	char text[1024];
	FILE *file = fmemopen(text, sizeof(text), "w");

	ASSERT_NE(NULL, file);
	csv_discarded_header(file);
	record.event = 8;
	record.reasons = 1U << IDLE_LATENCY_DISCARD_FOREIGN_IRQ |
			 1U << IDLE_LATENCY_DISCARD_NMI;
	csv_discarded(file, &good_row, &record);
	fclose(file);
	EXPECT_NE(NULL, strstr(text, ",event,reached,package,reasons\n"));
	EXPECT_STREQ(strchr(text, '\n') + 1,
		     "3,tdt,enter,C1,5,150,1000,90,10,20,1,,,100,200,210,1,55.00,45.00,,,,,,,,,,,,,200,8,,,foreign_irq+nmi\n");
}

TEST(discards_by_reason)
{
	struct result result = good_result;
	char text[512];
	FILE *file = fmemopen(text, sizeof(text), "w");

	ASSERT_NE(NULL, file);
	csv_discards_header(file);
	result.summary.counts = case_counts;
	result.summary.counts.above[IDLE_LATENCY_DISCARD_NO_IDLE] = 3;
	result.summary.counts.largest_ns[IDLE_LATENCY_DISCARD_NO_IDLE] = 812000;
	result.summary.counts.discarded[IDLE_LATENCY_DISCARD_SLOTS - 1] = 1;
	csv_discards(file, &result.summary);
	result.summary.counts = (struct idle_latency_counts) { .armed = 1 };
	csv_discards(file, &result.summary);
	fclose(file);
	EXPECT_STREQ(text,
		     "cpu,method,state,reason,count,above,largest_ns\n"
		     "3,tdt,C1,no_idle,16,3,812000\n"
		     "3,tdt,C1,foreign_timer,40,0,\n"
		     "3,tdt,C1,unknown,1,0,\n");
}

#define COUNTER(name) (1U << IDLE_LATENCY_RESIDENCY_##name)

static const struct idle_latency_record resident_record = {
	.interval_cyc = 10000,
	.residency_present = COUNTER(CC3) | COUNTER(CC6) | COUNTER(PC10) |
			     COUNTER(C0),
	.residency_cyc = {
		[IDLE_LATENCY_RESIDENCY_CC3] = 1000,
		[IDLE_LATENCY_RESIDENCY_CC6] = 7001,
		[IDLE_LATENCY_RESIDENCY_PC10] = 5000,
		[IDLE_LATENCY_RESIDENCY_C0] = 500,
	},
	.aperf_cyc = 300,
	.mperf_cyc = 200,
};

TEST(residencies)
{
	char text[128];
	FILE *file = fmemopen(text, sizeof(text), "w");

	ASSERT_NE(NULL, file);
	csv_datapoint(file, &good_result.summary, &resident_record);
	fclose(file);
	EXPECT_STREQ(text,
		     "3,tdt,,C1,0,0,0,,,0,0,,,0,0,0,0,5.00,14.99,10.00,70.01,,,,,,,,,50.00,150.00,10000,0,,PC10,0\n");
}

static bool c1_share(struct idle_latency_record record, __u32 present,
		     __u32 invalid, double *percent)
{
	record.residency_present |= present;
	record.residency_invalid |= invalid;
	return residency_c1_share(&record, percent);
}

TEST(c1_shares)
{
	struct idle_latency_record record = resident_record;
	double percent;

	EXPECT_TRUE(c1_share(record, 0, 0, &percent));
	EXPECT_EQ(1499, (int)(100 * percent + 0.5));
	/* No counter for the others: nothing to subtract. */
	record.residency_present = COUNTER(C0);
	EXPECT_TRUE(c1_share(record, 0, 0, &percent));
	EXPECT_EQ(9500, (int)(100 * percent + 0.5));
	/* A counter of its own goes before what the others leave. */
	record = resident_record;
	record.residency_cyc[IDLE_LATENCY_RESIDENCY_CC1] = 1400;
	EXPECT_TRUE(c1_share(record, COUNTER(CC1), 0, &percent));
	EXPECT_EQ(1400, (int)(100 * percent + 0.5));
}

TEST(c1_share_of_nothing)
{
	struct idle_latency_record record = resident_record;
	double percent = 1;

	record.residency_cyc[IDLE_LATENCY_RESIDENCY_CC6] = 8500;
	EXPECT_TRUE(c1_share(record, 0, 0, &percent));
	EXPECT_EQ(0, percent);
}

TEST(residencies_in_words)
{
	struct idle_latency_record record = resident_record;
	char memory[128];
	struct text text = text_begin(memory, sizeof(memory));

	/* What is less than a percent is shown, too. */
	record.residency_cyc[IDLE_LATENCY_RESIDENCY_C0] = 50;
	residency_add(&text, &record);
	EXPECT_STREQ("C0 0.5 %, C1 19.5 %, CC3 10.0 %, CC6 70.0 %, PC10 50.0 %",
		     memory);
}

TEST(c1_share_that_is_not_known)
{
	struct idle_latency_record record = resident_record;
	double percent;

	EXPECT_FALSE(c1_share(record, COUNTER(CC1), COUNTER(CC1), &percent));
	EXPECT_FALSE(c1_share(record, 0, COUNTER(C0), &percent));
	EXPECT_FALSE(c1_share(record, 0, COUNTER(CC3), &percent));
	EXPECT_FALSE(c1_share(record, 0, COUNTER(CC6), &percent));
	EXPECT_FALSE(c1_share(record, COUNTER(CC7), COUNTER(CC7), &percent));
	EXPECT_FALSE(residency_share(&record, IDLE_LATENCY_RESIDENCY_CC7,
				     &percent));
	/* More than all of the time. */
	record.residency_cyc[IDLE_LATENCY_RESIDENCY_CC3] = 2500;
	EXPECT_FALSE(c1_share(record, 0, 0, &percent));
	record = resident_record;
	record.residency_present &= ~COUNTER(C0);
	EXPECT_FALSE(c1_share(record, 0, 0, &percent));
	record.mperf_cyc = 0;
	EXPECT_FALSE(residency_frequency(&record, &percent));
}

TEST(csv_files_appear_when_they_are_complete)
{
	static struct options options = {
		.out = "out", .sweep = { .percent = 1 },
	};
	char dir[] = "/tmp/idle_latency.XXXXXX";
	struct csv csv;

	ASSERT_NE(NULL, mkdtemp(dir));
	ASSERT_EQ(0, chdir(dir));
	/* Left over from an earlier run. */
	ASSERT_EQ(0, symlink("nowhere", "summary.csv"));
	options.keep_discarded = true;
	ASSERT_TRUE(csv_open(&csv, &options));
	ASSERT_TRUE(csv_close(&csv));
	EXPECT_EQ(0, access("out/discarded.csv", F_OK));
	EXPECT_EQ(0, access("out/sweep.csv", F_OK));
	options.keep_discarded = false;
	options.sweep.percent = 0;
	ASSERT_TRUE(csv_open(&csv, &options));
	EXPECT_EQ(-1, access("out/summary.csv", F_OK));
	EXPECT_EQ(-1, access("out/datapoints.csv", F_OK));
	EXPECT_EQ(-1, access("out/discarded.csv", F_OK));
	EXPECT_EQ(-1, access("out/discards.csv", F_OK));
	EXPECT_EQ(-1, access("out/sweep.csv", F_OK));
	EXPECT_EQ(-1, access("out/environment.txt", F_OK));
	ASSERT_TRUE(csv_close(&csv));
	EXPECT_EQ(0, access("out/summary.csv", F_OK));
	EXPECT_EQ(0, access("out/datapoints.csv", F_OK));
	EXPECT_EQ(0, unlink("out/summary.csv"));
	EXPECT_EQ(0, unlink("out/datapoints.csv"));
	EXPECT_EQ(0, unlink("out/discards.csv"));
	EXPECT_EQ(0, unlink("out/environment.txt"));
	/* Nothing else is there. */
	EXPECT_EQ(0, rmdir("out"));
	options.out = "absent/out";
	EXPECT_FALSE(csv_open(&csv, &options));
	EXPECT_EQ(0, unlink("summary.csv"));
	EXPECT_EQ(0, rmdir(dir));
}

/* Power management at 0x40, PCI Express at 0x70. */
static void pci_config(unsigned char config[256])
{
	memset(config, 0, 256);
	config[0x06] = 0x10;
	config[0x34] = 0x40;
	config[0x40] = 0x01;
	config[0x41] = 0x70;
	config[0x70] = 0x10;
	config[0x80] = 0x42;
	config[0x81] = 0x01;
}

TEST(link_control)
{
	unsigned char config[256];

	pci_config(config);
	EXPECT_EQ(0x142, environment_link_control(config, sizeof(config)));
	/* Without root, the first 64 bytes can be read. */
	EXPECT_EQ(-1, environment_link_control(config, 64));
	config[0x70] = 0x05;
	EXPECT_EQ(-1, environment_link_control(config, sizeof(config)));
	/* A list that has no end. */
	config[0x71] = 0x40;
	EXPECT_EQ(-1, environment_link_control(config, sizeof(config)));
	pci_config(config);
	config[0x06] = 0;
	EXPECT_EQ(-1, environment_link_control(config, sizeof(config)));
	/* A device that does not answer. */
	memset(config, 0xff, sizeof(config));
	EXPECT_EQ(-1, environment_link_control(config, sizeof(config)));
}

TEST(aspm)
{
	EXPECT_STREQ("off", environment_aspm(0x140));
	EXPECT_STREQ("L0s", environment_aspm(0x141));
	EXPECT_STREQ("L1", environment_aspm(0x142));
	EXPECT_STREQ("L0s and L1", environment_aspm(0x143));
}

TEST(prewake)
{
	EXPECT_STREQ("off", environment_prewake(0x40000000));
	EXPECT_STREQ("on, where the CPU has it", environment_prewake(0xbfffffff));
}

TEST(fields_of_a_file)
{
	EXPECT_STREQ("62\n", parse_field("model\t\t: 62\n", "model"));
	EXPECT_STREQ("Some CPU", parse_field("model name\t: Some CPU",
					     "model name"));
	EXPECT_STREQ("", parse_field("power management:", "power management"));
	EXPECT_EQ(NULL, parse_field("model name\t: Some CPU", "model"));
	EXPECT_EQ(NULL, parse_field("flags: model", "model"));
	EXPECT_EQ(NULL, parse_field("model", "model name"));
	EXPECT_EQ(NULL, parse_field("", "model"));
}

TEST(package_limits)
{
	static const struct {
		const char *model;
		__u64 cst_config;
		const char *limit;
	} limits[] = {
		/* Bits that say something else do not matter. */
		{ "62", 0x8400, "PC0" },
		{ "62", 0x8403, "PC6 with retention" },
		{ "58", 0x5, "PC7s" },
		{ "58", 0x6, "unknown" },
		{ "63", 0x8403, "PC6" },
		{ "79", 0x2, "PC3" },
		{ "85", 0xf, "none" },
		{ "143", 0x14000402, "PC6 without retention" },
		{ "207", 0x1, "PC2" },
		{ "173", 0x22, "PC6" },
		{ "173", 0x3, "unknown" },
		{ "151", 0x74000008, "none" },
		{ "151", 0x7, "PC9" },
		{ "151", 0xf, "unknown" },
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		const struct power_model *model =
			power_model("GenuineIntel", "6", limits[i].model);

		ASSERT_NE(NULL, model);
		EXPECT_STREQ(limits[i].limit,
			     power_package_limit(model, limits[i].cst_config));
	}
}

TEST(models_whose_bits_are_not_known)
{
	EXPECT_EQ(NULL, power_model("AuthenticAMD", "6", "62"));
	EXPECT_EQ(NULL, power_model("GenuineIntel", "15", "62"));
	EXPECT_EQ(NULL, power_model("GenuineIntel", "6", "1"));
	EXPECT_EQ(NULL, power_model("GenuineIntel", "6", "unknown"));
}

TEST(command_lines_that_matter)
{
	EXPECT_TRUE(environment_command_line_matters("quiet idle=poll"));
	EXPECT_TRUE(environment_command_line_matters("intel_idle.table=C1:1:1"));
	EXPECT_TRUE(environment_command_line_matters("processor.max_cstate=1"));
	EXPECT_FALSE(environment_command_line_matters("ro quiet isolcpus=2"));
}

/* The argument of the line that may be why there are no idle states. */
static const char *against(const char *line)
{
	static char argument[64];

	explain_command_line(line, argument, sizeof(argument));
	return argument;
}

TEST(command_lines_without_idle_states)
{
	EXPECT_STREQ("", against(""));
	EXPECT_STREQ("", against("ro quiet notidle=poll intel_idle.table=C1:1:1"));
	EXPECT_STREQ("idle=poll", against("ro  idle=poll quiet"));
	EXPECT_STREQ("cpuidle.off=1", against("cpuidle.off=1\n"));
	EXPECT_STREQ("processor.max_cstate=0", against("ro processor.max_cstate=0 idle=halt"));
	EXPECT_STREQ("intel_idle.max_cstate=0", against("intel_idle.max_cstate=0"));
}

/* How often a line begins so, and nothing after it is missing. */
static unsigned int lines_with(const char *text, const char *key)
{
	unsigned int count = 0;

	while (*text) {
		const size_t length = strlen(key);

		count += !strncmp(text, key, length) && text[length] == ' ' &&
			 text[length + 1] > ' ';
		text += strcspn(text, "\n");
		text += strspn(text, "\n");
	}
	return count;
}

TEST(environment_has_each_thing_once)
{
	static const char * const keys[] = {
		"kernel:", "kernel version:", "architecture:", "command line:",
		"CPU vendor:", "CPU model:", "CPU family:", "CPU model number:",
		"CPU stepping:", "microcode:", "hypervisor:",
		"cpuidle driver:", "cpuidle governor:", "intel_c1_demotion:",
		"intel_idle.max_cstate:", "intel_idle.states_off:",
		"intel_idle.table:", "SMT control:", "online CPUs:",
		"isolated CPUs:", "nohz_full CPUs:", "clocksource:", "turbo:",
		"cpu_dma_latency:", "cpu0: package id", "cpu0: core id",
		"cpu0: SMT siblings", "cpu0: cpufreq driver",
		"cpu0: cpufreq governor", "cpu0: EPB", "cpu0: EPP",
		"cpu0: pm_qos_resume_latency_us", "cpu0: timer pre-wake",
		"cpu0: C1E promotion", "cpu0: C1 demotion", "cpu0: C3 demotion",
		"cpu0: package C-state limit", "cpu0: MSR 0x1fc",
		"cpu0: MSR 0xe2", "cpu0: added",
	};
	static struct options options = { .cpus.count = 1 };
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	size_t i;

	ASSERT_NE(NULL, file);
	environment_report(&options, file);
	environment_line(file, "cpu%u: added %s", 0, "later");
	ASSERT_EQ(0, fclose(file));
	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		EXPECT_EQ(1U, lines_with(text, keys[i]))
			TH_LOG("key %zu", i);
	free(text);
	/* Without a file it only prints. */
	environment_report(&options, NULL);
}

TEST(times_of_cpus)
{
	struct cpu_time time;
	unsigned int cpu;

	ASSERT_TRUE(causes_parse("cpu12 1 20 300 4000 50000 600000 7000000 80000000 900 900\n",
				 &cpu, &time));
	EXPECT_EQ(12U, cpu);
	EXPECT_EQ(87600321ULL, time.busy);
	EXPECT_EQ(54000ULL, time.idle);
	/* The sum of all, which would be taken for CPU 1. */
	EXPECT_FALSE(causes_parse("cpu  1 2 3 4 5 6 7 8 9 10\n", &cpu, &time));
	EXPECT_FALSE(causes_parse("cpu8192 1 2 3 4 5 6 7 8 9 10\n", &cpu, &time));
	EXPECT_FALSE(causes_parse("cpu0 1 2 3 4 5 6 7\n", &cpu, &time));
	EXPECT_FALSE(causes_parse("intr 960522 0 0 0 0 0 0 0 0 0 0\n", &cpu,
				  &time));
}

TEST(busy_cpus)
{
	static const struct {
		struct cpu_time before;
		struct cpu_time after;
		bool busy;
	} cases[] = {
		{ { 100, 100 }, { 105, 195 }, true },
		{ { 100, 100 }, { 104, 196 }, false },
		{ { 100, 100 }, { 105, 196 }, false },
		{ { 100, 100 }, { 101, 109 }, true },
		{ { 100, 100 }, { 100, 110 }, false },
		/* Fewer than ten ticks. */
		{ { 100, 100 }, { 101, 108 }, false },
		{ { 100, 100 }, { 101, 100 }, true },
		{ { 100, 100 }, { 104, 104 }, false },
		{ { 100, 100 }, { 105, 104 }, true },
		{ { 100, 100 }, { 100, 100 }, false },
		/* Idle time that was corrected. */
		{ { 100, 100 }, { 110, 95 }, true },
		/* It came online, or went offline. */
		{ { 0, 100 }, { 500, 200 }, true },
		{ { 100, 0 }, { 600, 100 }, true },
		{ { 0, 0 }, { 500, 100 }, false },
		{ { 500, 100 }, { 0, 0 }, false },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		EXPECT_EQ(cases[i].busy, causes_busy(&cases[i].before,
						     &cases[i].after))
			TH_LOG("case %zu", i);
}

/* CPU 1 of 0 to 5, whose sibling is 4, and these are busy. */
static struct causes *causes_on_six(const char *busy)
{
	static struct causes causes;
	static struct cpu_list list;

	memset(&causes, 0, sizeof(causes));
	causes.cpu = 1;
	cpu_list_parse("1,4", &causes.siblings);
	cpu_list_parse("0-5", &causes.package);
	cpu_list_parse(busy, &list);
	for (unsigned int cpu = 0; cpu < 6; cpu++) {
		bool is_busy = cpu_list_has(&list, cpu);

		causes.before[cpu] = (struct cpu_time) { 1, 1 };
		causes.after[cpu] = (struct cpu_time) {
			is_busy ? 100 : 1, is_busy ? 1 : 100,
		};
	}
	return &causes;
}

TEST(causes_in_words)
{
	const __u32 all = IDLE_LATENCY_STATE_DEMOTION |
			  IDLE_LATENCY_STATE_C1E | IDLE_LATENCY_STATE_NO_PC6;
	const __u32 none = IDLE_LATENCY_RESIDENCY_NONE;
	const __u32 cc1 = IDLE_LATENCY_RESIDENCY_CC1;
	const __u32 cc6 = IDLE_LATENCY_RESIDENCY_CC6;
	const __u32 pc6 = IDLE_LATENCY_RESIDENCY_PC6;
	const struct {
		const char *busy;
		__u32 core;
		__u32 package;
		__u32 flags;
		const char *text;
	} cases[] = {
		{ "1", cc6, pc6, 0, "" },
		{ "1,4", cc6, pc6, 0, "busy SMT sibling cpu 4" },
		{ "3", cc6, pc6, 0, "cpu 3 of the package was busy" },
		{ "0,2-5", cc6, pc6, 0,
		  "busy SMT sibling cpu 4, cpu 0 and 3 more of the package were busy" },
		{ "0-5", cc6, none, 0, "busy SMT sibling cpu 4" },
		{ "1", cc6, pc6, all, "demotion on, package C6 is off" },
		{ "1", cc6, none, all, "demotion on" },
		{ "1", cc1, none, all, "C1E promotion on" },
		{ "1", none, none, all, "C1E promotion on" },
		{ "1", cc1, none, all & ~IDLE_LATENCY_STATE_C1E, "" },
		{ "3-4", cc6, pc6, IDLE_LATENCY_STATE_DEMOTION,
		  "busy SMT sibling cpu 4, demotion on, cpu 3 of the package was busy" },
	};
	char text[256];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct idle_latency_state state = {
			.core_counter = cases[i].core,
			.package_counter = cases[i].package,
			.flags = cases[i].flags,
		};

		causes_describe(causes_on_six(cases[i].busy), &state, text,
				sizeof(text));
		EXPECT_STREQ(cases[i].text, text);
	}
}

TEST(cause_that_is_the_first_sibling)
{
	const struct idle_latency_state state = {
		.core_counter = IDLE_LATENCY_RESIDENCY_CC6,
		.package_counter = IDLE_LATENCY_RESIDENCY_PC6,
	};
	struct causes *causes = causes_on_six("1");
	char text[256];

	causes->cpu = 4;
	causes_describe(causes, &state, text, sizeof(text));
	EXPECT_STREQ("busy SMT sibling cpu 1", text);
}

TEST(causes_that_are_cut_off)
{
	const struct idle_latency_state state = {
		.core_counter = IDLE_LATENCY_RESIDENCY_CC6,
		.package_counter = IDLE_LATENCY_RESIDENCY_PC6,
		.flags = IDLE_LATENCY_STATE_DEMOTION | IDLE_LATENCY_STATE_NO_PC6,
	};
	char text[65];

	for (size_t size = 1; size <= 32; size++) {
		memset(text, 'x', sizeof(text) - 1);
		text[sizeof(text) - 1] = '\0';
		causes_describe(causes_on_six("4"), &state, text, size);
		EXPECT_EQ(size - 1, strlen(text));
		/* Nothing is written behind it. */
		EXPECT_EQ(sizeof(text) - 1 - size, strlen(text + size));
		EXPECT_EQ(0, strncmp("busy SMT sibling cpu 4, demotion on", text,
				     size - 1));
	}
}

TEST(causes_on_this_machine)
{
	const struct idle_latency_state state = {
		.core_counter = IDLE_LATENCY_RESIDENCY_CC6,
		.package_counter = IDLE_LATENCY_RESIDENCY_NONE,
		.flags = IDLE_LATENCY_STATE_DEMOTION,
	};
	static struct causes causes;
	static struct cpu_list online;
	char text[256];

	ASSERT_TRUE(cpu_list_online(&online));
	causes_begin(&causes, online.cpu[0]);
	/* Kernels for a single CPU have no topology. */
	if (online.count > 1) {
		EXPECT_TRUE(cpu_list_has(&causes.siblings, online.cpu[0]));
		EXPECT_TRUE(cpu_list_has(&causes.package, online.cpu[0]));
	}
	causes_text(&causes, &state, text, sizeof(text));
	EXPECT_NE(NULL, strstr(text, "demotion on"));
	for (size_t i = 0; i < online.count; i++) {
		EXPECT_NE(0ULL, causes.before[online.cpu[i]].busy +
				causes.before[online.cpu[i]].idle);
		EXPECT_LE(causes.before[online.cpu[i]].busy,
			  causes.after[online.cpu[i]].busy);
	}
}

/* No system has that many CPUs: nothing of what was there before is left. */
TEST(causes_on_a_cpu_that_is_not_there)
{
	static struct causes causes;
	int before, after;

	memset(&causes, 0xff, sizeof(causes));
	before = open("/dev/null", O_RDONLY);
	ASSERT_LE(0, before);
	ASSERT_EQ(0, close(before));
	causes_begin(&causes, CPU_LIST_MAX - 1);
	after = open("/dev/null", O_RDONLY);
	/* The files that were read are closed. */
	EXPECT_EQ(before, after);
	EXPECT_EQ(0, close(after));
	EXPECT_EQ(CPU_LIST_MAX - 1U, causes.cpu);
	EXPECT_EQ(0UL, causes.siblings.count);
	EXPECT_EQ(0UL, causes.package.count);
	EXPECT_EQ(0ULL, causes.before[CPU_LIST_MAX - 1].busy);
	EXPECT_EQ(0ULL, causes.before[CPU_LIST_MAX - 1].idle);
}

static bool begins_with(const char *text, const char *begin)
{
	if (!strncmp(text, begin, strlen(begin)))
		return true;
	ksft_print_msg("'%s' does not begin with: %s\n", text, begin);
	return false;
}

/* By the order of methods[]: hrt, tdt, nic. */
TEST(errors_of_a_session)
{
	static const struct {
		int error;
		size_t method;
		__u32 flags;
		bool disable;
		const char *text;
	} cases[] = {
		{ EINTR, 0, 0, false, "interrupted" },
		{ EOPNOTSUPP, 0, 0, false, "the kernel has no high-res" },
		{ EOPNOTSUPP, 1, 0, false, "the kernel does not use the TSC" },
		{ EOPNOTSUPP, 2, 0, false, "no network card is bound" },
		{ EOPNOTSUPP, 2, 0, true, "the state is disabled in sysfs" },
		{ EOPNOTSUPP, 1, IDLE_LATENCY_STATE_TIMER_STOP, true,
		  "the timer of the CPU stops in this state" },
		{ EOPNOTSUPP, 2, IDLE_LATENCY_STATE_TIMER_STOP, false,
		  "no network card is bound" },
		{ ENXIO, 0, 0, false, "the CPU is offline" },
		{ ENODEV, 1, 0, false, "the CPU has no cpuidle driver" },
		{ ENODEV, 2, 0, false, "the network card went away" },
		{ ENOENT, 0, 0, false, "the cpuidle driver made the idle state unusable" },
		{ ENOMEM, 0, 0, false, "out of memory" },
		{ ENOSPC, 2, 0, false, "the network card got no interrupt" },
		{ ETIMEDOUT, 2, 0, false, "the network card failed its reset" },
		{ ECANCELED, 0, 0, false, "the machine was suspended" },
		{ EBUSY, 0, 0, false, "somebody else forces an idle state" },
		{ ENOTTY, 0, 0, false, "the driver refuses the session" },
		{ EINVAL, 0, 0, false, "the driver refuses the session" },
		{ ERANGE, 0, 0, false, "the driver refuses the session" },
		{ EIO, 0, 0, false, "Input/output error" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct row row = {
			.method = &methods[cases[i].method],
			.info = { .flags = cases[i].flags },
			.state = { .disable = cases[i].disable },
		};

		EXPECT_TRUE(begins_with(explain_session(&row, cases[i].error),
					cases[i].text));
	}
}

TEST(options_that_change_what_is_done)
{
	static struct options options;
	static const char * const kept[] = { "--keep-discarded", "--out", "x",
					     NULL };
	static const char * const alone[] = { "--keep-discarded", NULL };
	char error[256];

	ASSERT_TRUE(parse(&options, NULL, NULL));
	EXPECT_FALSE(options.help);
	EXPECT_FALSE(options.force);
	EXPECT_FALSE(options.keep_discarded);
	EXPECT_TRUE(parse(&options, "--help", NULL));
	EXPECT_TRUE(options.help);
	EXPECT_FALSE(options.version);
	EXPECT_TRUE(parse(&options, "--version", NULL));
	EXPECT_TRUE(options.version);
	EXPECT_TRUE(parse(&options, "--force", NULL));
	EXPECT_TRUE(options.force);
	EXPECT_TRUE(options_parse(kept, &options, error, sizeof(error)));
	EXPECT_TRUE(options.keep_discarded);
	EXPECT_FALSE(options_parse(alone, &options, error, sizeof(error)));
	EXPECT_STREQ("--keep-discarded takes --out beside it", error);
}

TEST(options_that_change_what_is_printed)
{
	static const char * const both[] = { "--quiet", "--top", NULL };
	static struct options options;
	char error[256];

	ASSERT_TRUE(parse(&options, "--quiet", NULL));
	EXPECT_TRUE(options.quiet);
	EXPECT_FALSE(options.plain);
	ASSERT_TRUE(parse(&options, "--top", NULL));
	EXPECT_TRUE(options.top);
	EXPECT_TRUE(options.plain);
	EXPECT_FALSE(options.quiet);
	EXPECT_FALSE(options_parse(both, &options, error, sizeof(error)));
	EXPECT_STREQ("--top takes no --quiet beside it", error);
}

TEST(sweeps_that_are_too_much)
{
	static const char * const both[] = { "--sweep", "1:2:1%", "--ldist",
					     "1:2", NULL };
	static const char * const most[] = { "--sweep", "1:4:1%", "--samples",
					     "250000", NULL };
	static const char * const more[] = { "--sweep", "1:4:1%", "--samples",
					     "250001", NULL };
	static struct options options;
	char error[256];

	EXPECT_FALSE(options_parse(both, &options, error, sizeof(error)));
	EXPECT_STREQ("--sweep takes no --ldist beside it", error);
	EXPECT_TRUE(options_parse(most, &options, error, sizeof(error)));
	EXPECT_FALSE(options_parse(more, &options, error, sizeof(error)));
	EXPECT_STREQ(error,
		     "--sweep takes 1000000 samples in all, and 4 steps of 250001 are more: ask for fewer --samples or longer steps");
}

TEST(styles_of_progress)
{
	struct options options = { };

	EXPECT_TRUE(progress_style(&options, true) == PROGRESS_LINES);
	EXPECT_TRUE(progress_style(&options, false) == PROGRESS_LINES);
	options.plain = true;
	EXPECT_TRUE(progress_style(&options, true) == PROGRESS_IN_PLACE);
	EXPECT_TRUE(progress_style(&options, false) == PROGRESS_LINES);
	options.top = true;
	EXPECT_TRUE(progress_style(&options, true) == PROGRESS_TOP);
	options.top = false;
	options.quiet = true;
	EXPECT_TRUE(progress_style(&options, true) == PROGRESS_NONE);
	EXPECT_TRUE(progress_style(&options, false) == PROGRESS_NONE);
}

/* A third of the samples after 4 s. */
static const struct row growing_row = {
	.cpu = 3,
	.method = &methods[2],
	.state = { .name = "C6" },
	.info = { .exit_latency_ns = 80000 },
};

static const struct progress growing = {
	.row = &growing_row,
	.wanted = 3000, .samples = 1000, .latency = "WakeLatency",
	.all_cost_ns = 3000000, .done_cost_ns = 1000000,
	.smallest_ns = 70000, .largest_ns = 81234,
	.sum_ns = 75000000, .armed = 1250, .discarded = 250,
	.began_ns = NS_PER_SEC,
};

TEST(progress_in_a_line)
{
	struct row row = growing_row;
	struct progress progress = growing;
	char line[256];

	progress_text(&progress, 5 * NS_PER_SEC, line, sizeof(line));
	EXPECT_STREQ(line,
		     "cpu3 nic C6: 1000 of 3000 samples, 250/s, 8 s left, 20.0 % discarded, largest WakeLatency 81234 ns");
	progress = (struct progress) { .row = &growing_row, .wanted = 3000, .armed = 7,
				       .discarded = 7, .all_cost_ns = 3000000 };
	progress_text(&progress, 5 * NS_PER_SEC, line, sizeof(line));
	EXPECT_STREQ(line,
		     "cpu3 nic C6: 0 of 3000 samples, 0/s, 100.0 % discarded");
	progress.armed = 0;
	progress_text(&progress, 0, line, sizeof(line));
	EXPECT_STREQ("cpu3 nic C6: 0 of 3000 samples, 0/s", line);
	row.step_count = 49;
	progress.row = &row;
	progress.step = 12;
	progress_text(&progress, 0, line, sizeof(line));
	EXPECT_STREQ(line,
		     "cpu3 nic C6: step 12 of 49, 0 of 3000 samples, 0/s");
}

TEST(remaining_time)
{
	struct progress progress = growing;

	EXPECT_EQ(8 * NS_PER_SEC, progress_left_ns(&progress, 5 * NS_PER_SEC));
	/* It may take less than that. */
	progress.until_ns = 11 * NS_PER_SEC;
	EXPECT_EQ(6 * NS_PER_SEC, progress_left_ns(&progress, 5 * NS_PER_SEC));
	progress.until_ns = 14 * NS_PER_SEC;
	EXPECT_EQ(8 * NS_PER_SEC, progress_left_ns(&progress, 5 * NS_PER_SEC));
	progress.until_ns = 4 * NS_PER_SEC;
	EXPECT_EQ(0ULL, progress_left_ns(&progress, 5 * NS_PER_SEC));
	/* No sample came so far, or no time has passed. */
	progress.samples = 0;
	progress.done_cost_ns = 0;
	progress.until_ns = 0;
	EXPECT_EQ(PROGRESS_UNKNOWN, progress_left_ns(&progress, 5 * NS_PER_SEC));
	progress.until_ns = 11 * NS_PER_SEC;
	EXPECT_EQ(6 * NS_PER_SEC, progress_left_ns(&progress, 5 * NS_PER_SEC));
	progress = growing;
	EXPECT_EQ(0, progress_rate(&progress, NS_PER_SEC));
	EXPECT_EQ(PROGRESS_UNKNOWN, progress_left_ns(&progress, NS_PER_SEC));
	/* The rest costs less each than what has come. */
	progress.all_cost_ns = 1500000;
	EXPECT_EQ(2 * NS_PER_SEC, progress_left_ns(&progress, 5 * NS_PER_SEC));
	progress.sample_cost_ns = 500;
	progress_want(&progress, 1000);
	EXPECT_EQ(4000UL, progress.wanted);
	EXPECT_EQ(4 * NS_PER_SEC, progress_left_ns(&progress, 5 * NS_PER_SEC));
	progress.done_cost_ns = 2000001;
	EXPECT_EQ(0ULL, progress_left_ns(&progress, 5 * NS_PER_SEC));
}

TEST(remaining_time_that_is_too_long_for_a_number)
{
	struct progress progress = growing;

	progress.all_cost_ns = ~0ULL;
	progress.done_cost_ns = 1;
	EXPECT_EQ(PROGRESS_UNKNOWN, progress_left_ns(&progress, ~0ULL));
	progress.until_ns = ~0ULL;
	EXPECT_EQ(0ULL, progress_left_ns(&progress, ~0ULL));
}

TEST(progress_of_samples)
{
	struct idle_latency_record record = good_record;
	struct idle_latency_counts counts = case_counts;
	struct progress progress = { .sample_cost_ns = 7 };

	record.wake_ns = 30;
	progress_note(&progress, &record);
	EXPECT_STREQ("WakeLatency", progress.latency);
	record.wake_ns = 50;
	progress_note(&progress, &record);
	record.wake_ns = 0;
	progress_note(&progress, &record);
	EXPECT_EQ(3UL, progress.samples);
	EXPECT_EQ(0ULL, progress.smallest_ns);
	EXPECT_EQ(50ULL, progress.largest_ns);
	EXPECT_EQ(80ULL, progress.sum_ns);
	EXPECT_EQ(21ULL, progress.done_cost_ns);
	record.flags = 0;
	record.intr_ns = 60;
	progress_note(&progress, &record);
	EXPECT_STREQ("IntrLatency", progress.latency);
	EXPECT_EQ(60ULL, progress.largest_ns);
	EXPECT_EQ(0, progress_discarded(&progress));
	progress_count(&progress, &counts);
	EXPECT_EQ(60ULL, progress.armed);
	EXPECT_EQ(56ULL, progress.discarded);
}

TEST(rows_that_grow)
{
	struct progress progress = growing;
	struct verdict verdict = { };
	char head[256], line[256];

	progress_top_head(head, sizeof(head));
	EXPECT_STREQ(head,
		     "cpu  method state   | latency | samples discarded |     min    mean     max | verdict");
	progress_top_text(&progress, &verdict, line, sizeof(line));
	EXPECT_STREQ(line,
		     "3    nic    C6      |   80000 |    1000    20.0 % |   70000   75000   81234 | ");
	EXPECT_EQ(strrchr(head, '|') - head, strrchr(line, '|') - line);
	verdict_skip(&verdict, "interrupted");
	progress = (struct progress) { .row = &growing_row };
	progress_top_text(&progress, &verdict, line, sizeof(line));
	EXPECT_STREQ(line,
		     "3    nic    C6      |   80000 |       0     0.0 % |       -       -       - | SKIP");
}

TEST(rows_that_fit_on_a_terminal)
{
	EXPECT_EQ(0UL, progress_first(0, 22, 22));
	EXPECT_EQ(0UL, progress_first(21, 22, 22));
	EXPECT_EQ(0UL, progress_first(11, 22, 100));
	EXPECT_EQ(1UL, progress_first(12, 22, 100));
	EXPECT_EQ(39UL, progress_first(50, 22, 100));
	EXPECT_EQ(78UL, progress_first(99, 22, 100));
	EXPECT_EQ(7UL, progress_first(7, 1, 100));
}

/* The types of a processor with two P-cores of two threads, and two E-cores. */
TEST(one_cpu_of_each_core_type)
{
	static const __u32 hybrid[] = {
		0x40000001, 0x40000001, 0x40000001, 0x20000001, 0x20000001,
	};
	static const __u32 alike[ARRAY_SIZE(hybrid)];
	static struct cpu_list cpus, chosen;
	char name[16];

	ASSERT_TRUE(cpu_list_parse("1-3,16-17", &cpus));
	cores_first_of_each(&cpus, hybrid, &chosen);
	ASSERT_EQ(2UL, chosen.count);
	EXPECT_EQ(1U, chosen.cpu[0]);
	EXPECT_EQ(16U, chosen.cpu[1]);
	cores_first_of_each(&cpus, alike, &chosen);
	ASSERT_EQ(1UL, chosen.count);
	EXPECT_EQ(1U, chosen.cpu[0]);
	cores_type_name(hybrid[0], name, sizeof(name));
	EXPECT_STREQ("core", name);
	cores_type_name(hybrid[3], name, sizeof(name));
	EXPECT_STREQ("atom", name);
	cores_type_name(0x10000002, name, sizeof(name));
	EXPECT_STREQ("0x10000002", name);
	cores_type_name(0, name, sizeof(name));
	EXPECT_STREQ("", name);
}

TEST(version_in_words)
{
	char version[64];
	FILE *file = fmemopen(version, sizeof(version), "w");

	ASSERT_NE(NULL, file);
	options_version(file);
	fclose(file);
	EXPECT_STREQ("latency_test 1 (records of 272 bytes)\n", version);
}

/* What the error lists, the help explains. */
TEST(help_names_every_option)
{
	static const char * const unknown[] = { "unknown", NULL };
	static struct options options;
	static char error[512], help[4096];
	char *rest, *name;
	size_t names = 0;
	FILE *file;

	ASSERT_FALSE(options_parse(unknown, &options, error, sizeof(error)));
	file = fmemopen(help, sizeof(help), "w");
	ASSERT_NE(NULL, file);
	options_help(file);
	fclose(file);
	rest = strstr(error, "--");
	while ((name = strtok_r(rest, " ", &rest))) {
		EXPECT_NE(NULL, strstr(help, name))
			TH_LOG("%s", name);
		names++;
	}
	EXPECT_EQ(22UL, names);
}

TEST(names_of_the_rule)
{
	char name[32];

	quantile_name(QUANTILE_ONE, name, sizeof(name));
	EXPECT_STREQ("max", name);
	quantile_name(999900000, name, sizeof(name));
	EXPECT_STREQ("0.9999", name);
	quantile_name(QUANTILE_ONE - 1, name, sizeof(name));
	EXPECT_STREQ("0.999999999", name);
}

TEST(deepest_package_states)
{
	struct idle_latency_record record = resident_record;

	EXPECT_STREQ("PC10", residency_package(&record));
	record.residency_cyc[IDLE_LATENCY_RESIDENCY_PC10] = 0;
	EXPECT_STREQ("PC0", residency_package(&record));
	record.residency_present |= COUNTER(PC2) | COUNTER(PC6);
	record.residency_cyc[IDLE_LATENCY_RESIDENCY_PC6] = 1;
	record.residency_cyc[IDLE_LATENCY_RESIDENCY_PC2] = 2;
	EXPECT_STREQ("PC6", residency_package(&record));
	record = good_record;
	EXPECT_STREQ("", residency_package(&record));
}

TEST(names_of_residency_counters)
{
	EXPECT_STREQ("CC6", residency_name(IDLE_LATENCY_RESIDENCY_CC6));
	EXPECT_EQ(NULL, residency_name(IDLE_LATENCY_RESIDENCY_MAX));
	EXPECT_EQ(NULL, residency_name(IDLE_LATENCY_RESIDENCY_NONE));
	for (size_t i = 0; i < IDLE_LATENCY_RESIDENCY_MAX; i++)
		EXPECT_NE(NULL, residency_name(i));
}

TEST(worst_samples)
{
	static const __u64 wake[] = { 50, 70, 10, 70, 60, 90, 20, 30, 40, 80,
				      100, 5 };
	static const size_t order[WORST_SAMPLES] = { 9, 5, 1, 3, 4, 0, 8, 7, 6,
						     2 };
	struct idle_latency_record samples[ARRAY_SIZE(wake)] = { };
	const struct idle_latency_record *worst[WORST_SAMPLES];

	for (size_t i = 0; i < ARRAY_SIZE(wake); i++) {
		samples[i].flags = IDLE_LATENCY_RECORD_WAKE;
		samples[i].wake_ns = wake[i];
		samples[i].intr_ns = 1000;
	}
	/* What may be but its error is not the slowest. */
	samples[10].error_ns = 98;
	samples[5].error_ns = 11;
	ASSERT_EQ(10UL, worst_find(samples, ARRAY_SIZE(wake), worst));
	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		EXPECT_EQ((long)order[i], worst[i] - samples);
	ASSERT_EQ(2UL, worst_find(samples, 2, worst));
	EXPECT_EQ(1L, worst[0] - samples);
	EXPECT_EQ(0UL, worst_find(samples, 0, worst));
	/* Without a WakeLatency it is the IntrLatency. */
	samples[2].flags = 0;
	worst_find(samples, ARRAY_SIZE(wake), worst);
	EXPECT_EQ(2L, worst[0] - samples);
}

TEST(worst_sample_in_a_line)
{
	const struct idle_latency_record discarded[] = {
		{ .event = 6, .reasons = 1U << IDLE_LATENCY_DISCARD_LATE },
		{ .event = 7, .reasons = 1U << IDLE_LATENCY_DISCARD_NMI |
					 1U << IDLE_LATENCY_DISCARD_SMI },
		{ .event = 9, .reasons = 1U << IDLE_LATENCY_DISCARD_LOST },
	};
	struct idle_latency_record sample = good_record;
	char line[256];

	sample.event = 8;
	/* What is 0 is left out. */
	sample.residency_present |= COUNTER(CC6);
	worst_text(&sample, discarded, ARRAY_SIZE(discarded), line,
		   sizeof(line));
	EXPECT_STREQ(line,
		     "seq 5, event 8: LDist 150, SilentTime 90, WakeLatency 10, error 1 ns; C0 55.0 %, C1 45.0 %; event 7 was discarded: nmi+smi; event 9 was discarded: lost");
	sample.event = 0;
	sample.flags = 0;
	sample.residency_present = 0;
	worst_text(&sample, discarded, ARRAY_SIZE(discarded), line,
		   sizeof(line));
	EXPECT_STREQ("seq 5, event 0: LDist 150, IntrLatency 20, error 1 ns",
		     line);
}

static const struct measured_cpu good_cpu = {
	.states = {
		.state = {
			{ .name = "POLL", .index = 0 },
			{ .name = "C1", .index = 1, .latency_us = 1 },
			{ .name = "C6", .index = 2, .latency_us = 80 },
			{ .name = "HALF", .index = 3 },
			{ .name = "NONE", .index = 4 },
			{ .name = "OFF", .index = 5, .latency_us = 3 },
		},
		.count = 6,
	},
	.info = {
		{ .flags = IDLE_LATENCY_STATE_POLLS, .exit_latency_ns = 7 },
		{ .exit_latency_ns = 1000 },
		{ .exit_latency_ns = 80000 },
		{ .exit_latency_ns = 500 },
	},
};

TEST(states_that_are_judged)
{
	static const char * const names[] = { "C1", "C6", "HALF", "OFF" };
	struct idle_states judged;

	measured_cpu_judged(&good_cpu, &judged);
	ASSERT_EQ(ARRAY_SIZE(names), judged.count);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		EXPECT_STREQ(names[i], judged.state[i].name);
}

TEST(states_of_a_virtual_machine)
{
	struct measured_cpu cpu = good_cpu;

	EXPECT_FALSE(measured_cpu_virtual(&cpu));
	cpu.info[2].flags |= IDLE_LATENCY_STATE_VIRTUAL;
	EXPECT_TRUE(measured_cpu_virtual(&cpu));
}

static const struct row awake_rows[METHODS] = {
	{ .method = &methods[0] }, { .method = &methods[1] }, { .method = &methods[2] },
};

static const struct summary awake_row = {
	.row = &awake_rows[0],
	.valid = 200,
	.stamp = IDLE_LATENCY_STAMP_ENTER,
	.intr = { .median = 500, .max = 900 },
};

/* By the order of methods[]: hrt, tdt, nic. */
TEST(what_an_awake_cpu_says)
{
	struct measured_cpu cpu = good_cpu;
	struct verdict_rule rule = { };

	for (size_t i = 0; i < METHODS; i++)
		cpu.software[i][0].events = SOFTWARE_EVENTS;
	measured_cpu_rule(&cpu, &methods[2], 0, &rule);
	EXPECT_EQ((size_t)0, rule.awake_count);
	EXPECT_EQ(0ULL, rule.instrument.delivery_ns);
	EXPECT_STREQ("delivery by the card", rule.instrument.unknown);
	measured_cpu_rule(&cpu, &methods[1], 0, &rule);
	EXPECT_EQ(NULL, rule.instrument.unknown);
	cpu.awake[2] = awake_row;
	measured_cpu_rule(&cpu, &methods[2], 0, &rule);
	EXPECT_STREQ("delivery by the card", rule.instrument.unknown);
	cpu.awake[0] = awake_row;
	cpu.awake[2].intr.median = 1300;
	cpu.awake[2].intr.max = 2000;
	measured_cpu_rule(&cpu, &methods[2], 0, &rule);
	EXPECT_EQ((size_t)200, rule.awake_count);
	EXPECT_EQ(2000ULL, rule.awake.max);
	EXPECT_EQ(800ULL, rule.instrument.delivery_ns);
	EXPECT_EQ(NULL, rule.instrument.unknown);
	/* tdt goes before hrt. */
	cpu.awake[1] = awake_row;
	cpu.awake[1].intr.median = 400;
	measured_cpu_rule(&cpu, &methods[2], 0, &rule);
	EXPECT_EQ(900ULL, rule.instrument.delivery_ns);
	/* A timer has nothing to deliver. */
	measured_cpu_rule(&cpu, &methods[0], 0, &rule);
	EXPECT_EQ(0ULL, rule.instrument.delivery_ns);
	EXPECT_EQ(900ULL, rule.awake.max);
	/* The card was the quicker one. */
	cpu.awake[2].intr.median = 300;
	measured_cpu_rule(&cpu, &methods[2], 0, &rule);
	EXPECT_EQ(0ULL, rule.instrument.delivery_ns);
}

TEST(method_with_the_smallest_error)
{
	struct measured_cpu cpu = good_cpu;
	struct verdict_rule by_nic = { }, by_hrt = { };

	measured_cpu_rule(&cpu, &methods[2], 0, &by_nic);
	EXPECT_EQ(NULL, by_nic.best);
	for (size_t i = 0; i < METHODS; i++)
		cpu.awake[i] = awake_row;
	cpu.awake[0].median_error_ns = 20;
	cpu.awake[1].median_error_ns = 30;
	cpu.awake[2].median_error_ns = 731;
	/* By hrt it is not known. */
	for (size_t i = 1; i < METHODS; i++)
		cpu.software[i][0] = (struct software) {
			.events = SOFTWARE_EVENTS, .ns = 170,
		};
	cpu.tick_ns = 4;
	measured_cpu_rule(&cpu, &methods[2], 0, &by_nic);
	EXPECT_STREQ("hrt", by_nic.best);
	EXPECT_EQ(194ULL, by_nic.best_error_ns);
	measured_cpu_rule(&cpu, &methods[0], 0, &by_hrt);
	EXPECT_STREQ("tdt", by_hrt.best);
	EXPECT_EQ(200ULL, by_hrt.best_error_ns);
	/* Delivery by the card. */
	cpu.awake[1].valid = 0;
	cpu.awake[2].intr.median = 1200;
	by_hrt.best = NULL;
	measured_cpu_rule(&cpu, &methods[0], 0, &by_hrt);
	EXPECT_STREQ("nic", by_hrt.best);
	EXPECT_EQ(1601ULL, by_hrt.best_error_ns);
}

/* By hrt, whose clock has a second of its own: 1 ns is 2.5 cycles. */
static const struct idle_latency_record pending_record = {
	.flags = IDLE_LATENCY_RECORD_PENDING,
	.ldist_ns = 1200,
	.reasons = 1U << IDLE_LATENCY_DISCARD_BEFORE_IDLE,
	.ltime_ns = 5000000000, .intr_ns = 900,
	.tbi_tsc = 1000, .tai_tsc = 1500, .tintr_tsc = 2000,
};

static void fill_pending(struct idle_latency_record *records, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		records[i] = pending_record;
		records[i].ltime_ns += 1000 * i;
		records[i].tbi_tsc += 2500 * i;
		records[i].tai_tsc += 2500 * i;
		records[i].tintr_tsc += 2500 * i;
	}
}

TEST(software_of_pending_events)
{
	struct idle_latency_record records[SOFTWARE_EVENTS];
	struct software software = { };

	fill_pending(records, SOFTWARE_EVENTS);
	records[7].tai_tsc++;
	/* Something else held it up as well, it was no such event, or a sample. */
	records[3].tai_tsc += 1000;
	records[3].reasons |= 1U << IDLE_LATENCY_DISCARD_NMI;
	records[4].tai_tsc += 1000;
	records[4].flags = 0;
	records[5].tai_tsc += 1000;
	records[5].reasons = 0;
	records[5].ldist_ns = 900;
	records[6].ldist_ns = 1500;
	records[8].ldist_ns = 1100;
	software_add(&software, records, SOFTWARE_EVENTS);
	EXPECT_EQ(SOFTWARE_EVENTS - 3UL, software.events);
	EXPECT_EQ(201ULL, software.ns);
	EXPECT_EQ(1100ULL, software.ldist.from_ns);
	EXPECT_EQ(1500ULL, software.ldist.to_ns);
	EXPECT_FALSE(software_known(&software));
	/* Of another session, with a handler that ran before the event was due. */
	fill_pending(records, SOFTWARE_EVENTS);
	records[0].intr_ns = 0;
	records[SOFTWARE_EVENTS - 1].intr_ns = 0;
	software_add(&software, records + SOFTWARE_EVENTS - 4, 3);
	EXPECT_EQ(201ULL, software.ns);
	EXPECT_TRUE(software_known(&software));
}

TEST(software_without_a_rate)
{
	struct idle_latency_record records[2];
	struct software software = { };

	fill_pending(records, 2);
	software_add(&software, records, 0);
	software_add(&software, records, 1);
	records[1].intr_ns = 0;
	software_add(&software, records, 2);
	EXPECT_EQ(0UL, software.events);
	EXPECT_EQ(0ULL, software.ns);
}

static const struct software known_software = { .events = SOFTWARE_EVENTS, .ns = 226 };

TEST(software_of_each_method)
{
	struct measured_cpu cpu = good_cpu;
	struct verdict_rule rule = { };

	cpu.software[1][0] = known_software;
	measured_cpu_rule(&cpu, &methods[1], 0, &rule);
	EXPECT_EQ(226ULL, rule.instrument.software_ns);
	EXPECT_EQ(NULL, rule.instrument.unknown);
	EXPECT_EQ(1000ULL, rule.entry_ns);
	/* It is the same by another one. */
	measured_cpu_rule(&cpu, &methods[0], 0, &rule);
	EXPECT_EQ(226ULL, rule.instrument.software_ns);
	cpu.software[1][0].ns = 999;
	measured_cpu_rule(&cpu, &methods[0], 0, &rule);
	EXPECT_EQ(1000ULL, rule.entry_ns);
	cpu.software[1][0].ns = 1000;
	measured_cpu_rule(&cpu, &methods[0], 0, &rule);
	EXPECT_EQ(2000ULL, rule.entry_ns);
	/* Somebody stopped the virtual machine meanwhile. */
	cpu.software[1][0].ns = IDLE_LATENCY_LDIST_MAX_NS + 1;
	measured_cpu_rule(&cpu, &methods[1], 0, &rule);
	EXPECT_EQ(cpu.software[1][0].ns, rule.instrument.software_ns);
	EXPECT_EQ((__u64)IDLE_LATENCY_LDIST_MAX_NS, rule.entry_ns);
	cpu.software[1][0].events--;
	measured_cpu_rule(&cpu, &methods[1], 0, &rule);
	EXPECT_EQ(0ULL, rule.instrument.software_ns);
	EXPECT_STREQ("the software around the idle instruction",
		     rule.instrument.unknown);
	/* It is in the shortest WakeLatency, which is not how long the way in takes. */
	cpu.software[1][0].least_wake_ns = 5000;
	measured_cpu_rule(&cpu, &methods[1], 0, &rule);
	EXPECT_EQ(5000ULL, rule.instrument.software_ns);
	EXPECT_EQ(1000ULL, rule.entry_ns);
	EXPECT_EQ(NULL, rule.instrument.unknown);
}

static __u64 software_ns(const struct measured_cpu *cpu, size_t method, unsigned int state)
{
	struct verdict_rule rule = { };

	measured_cpu_rule(cpu, &methods[method], state, &rule);
	return rule.instrument.software_ns;
}

TEST(software_of_each_state)
{
	struct measured_cpu cpu = good_cpu;

	/* Of the shallowest state by a method, where nothing else is known. */
	cpu.software[0][1] = known_software;
	cpu.software[1][1] = known_software;
	cpu.software[1][1].ns = 300;
	EXPECT_EQ(226ULL, software_ns(&cpu, 0, 3));
	EXPECT_EQ(300ULL, software_ns(&cpu, 1, 3));
	EXPECT_EQ(226ULL, software_ns(&cpu, 2, 3));
	/* That of the state by another method goes before it, and its own before that. */
	cpu.software[1][3] = known_software;
	cpu.software[1][3].ns = 1500;
	EXPECT_EQ(1500ULL, software_ns(&cpu, 0, 3));
	EXPECT_EQ(226ULL, software_ns(&cpu, 0, 2));
	cpu.software[0][3] = known_software;
	cpu.software[0][3].ns = 1400;
	EXPECT_EQ(1400ULL, software_ns(&cpu, 0, 3));
	EXPECT_EQ(1500ULL, software_ns(&cpu, 2, 3));
	/* With too few events it is not known. */
	cpu.software[0][3].events--;
	EXPECT_EQ(1500ULL, software_ns(&cpu, 0, 3));
	/* A state that is shallower and not known does not hide what is. */
	cpu.software[0][0].least_wake_ns = 5000;
	EXPECT_EQ(226ULL, software_ns(&cpu, 0, 0));
}

TEST(shortest_wake_latency)
{
	struct idle_latency_record sample = { .wake_ns = 700 };
	struct software software = { };

	software_note(&software, &sample);
	EXPECT_EQ(0ULL, software.least_wake_ns);
	sample.flags = IDLE_LATENCY_RECORD_WAKE;
	software_note(&software, &sample);
	EXPECT_EQ(700ULL, software.least_wake_ns);
	sample.wake_ns = 800;
	software_note(&software, &sample);
	EXPECT_EQ(700ULL, software.least_wake_ns);
	sample.wake_ns = 0;
	software_note(&software, &sample);
	EXPECT_EQ(1ULL, software.least_wake_ns);
}

static __u64 tick_in(const char *text, unsigned int cpu)
{
	FILE *file = fmemopen((char *)text, strlen(text), "r");
	__u64 tick_ns = timer_tick_ns(file, cpu);

	fclose(file);
	return tick_ns;
}

/* As the kernel writes it: 62.5 MHz, and 1 GHz. */
static const char timer_list[] =
	"Tick Device: mode:     1\n"
	"Broadcast device\n"
	"Clock Event Device: hpet\n"
	" mult:           61496110\n"
	" shift:          32\n"
	"Per CPU device: 0\n"
	"Clock Event Device: lapic\n"
	" mult:           268435456\n"
	" shift:          32\n"
	" mode:           3\n"
	"Per CPU device: 1\n"
	"Clock Event Device: lapic\n"
	" mult:           2147483648\n"
	" shift:          31\n";

TEST(ticks_of_timers)
{
	EXPECT_EQ(16ULL, tick_in(timer_list, 0));
	EXPECT_EQ(1ULL, tick_in(timer_list, 1));
	EXPECT_EQ(1000ULL, tick_in(timer_list, 2));
	EXPECT_EQ(3ULL, tick_in("Per CPU device: 0\n mult: 3\n shift: 3\n", 0));
	EXPECT_EQ(1000ULL, tick_in("Per CPU device: 0\n mult: 3\n shift: 64\n", 0));
	EXPECT_EQ(1000ULL, timer_tick_ns(NULL, 0));
}

/* The far events are 9.98 ms further away. */
TEST(rates_of_timers)
{
	struct summary near = awake_row, far = awake_row;

	near.intr.min = 400;
	far.intr.min = 400;
	/* With twice its tick and both errors: 46 ns. */
	near.median_error_ns = 4;
	far.median_error_ns = 10;
	EXPECT_EQ(4610ULL, timer_rate_ppb(&near, &far, 16));
	/* 998 ns early, and late: 100 ppm more. */
	far.intr.min += 998;
	far.intr.median += 998;
	EXPECT_EQ(104610ULL, timer_rate_ppb(&near, &far, 16));
	EXPECT_EQ(104610ULL, timer_rate_ppb(&far, &near, 16));
	/* By as much as the median and the smallest differ, nobody knows. */
	far.intr.median += 998;
	EXPECT_EQ(204610ULL, timer_rate_ppb(&near, &far, 16));
	far.valid = 0;
	EXPECT_EQ(1000000ULL, timer_rate_ppb(&near, &far, 16));
}

TEST(timer_of_a_cpu_without_a_deadline)
{
	struct measured_cpu cpu = good_cpu;
	struct verdict_rule rule = { };

	for (size_t i = 0; i < METHODS; i++)
		cpu.awake[i] = awake_row;
	cpu.tick_ns = 16;
	measured_cpu_rule(&cpu, &methods[0], 0, &rule);
	EXPECT_EQ(16ULL, rule.instrument.tick_ns);
	EXPECT_EQ(1000000ULL, rule.instrument.rate_ppb);
	measured_cpu_rule(&cpu, &methods[1], 0, &rule);
	EXPECT_EQ(0ULL, rule.instrument.rate_ppb);
	cpu.awake[0].deadline = true;
	measured_cpu_rule(&cpu, &methods[0], 0, &rule);
	EXPECT_EQ(0ULL, rule.instrument.tick_ns);
	EXPECT_EQ(0ULL, rule.instrument.rate_ppb);
}

TEST(state_that_declares_nothing)
{
	static char text[1024];
	FILE *file = fmemopen(text, sizeof(text), "w");

	ASSERT_NE(NULL, file);
	measured_cpu_report(&good_cpu, file);
	fclose(file);
	EXPECT_STREQ("cpu0: NONE declares nothing, not judged\n", text);
}

TEST(cpus_that_keep_the_time)
{
	EXPECT_TRUE(causes_keeps_time("1-3", 0));
	EXPECT_FALSE(causes_keeps_time("1-3", 2));
	EXPECT_FALSE(causes_keeps_time("", 0));
	EXPECT_FALSE(causes_keeps_time("(null)", 0));
}

TEST(states_of_the_firmware)
{
	EXPECT_TRUE(causes_firmware("acpi_idle", "C1", ""));
	EXPECT_TRUE(causes_firmware("intel_idle", "C1_ACPI", ""));
	EXPECT_TRUE(causes_firmware("intel_idle", "C1_ACPI", "C2_ACPI:1:1"));
	EXPECT_TRUE(causes_firmware("intel_idle", "C1_ACPI", "XC1_ACPI:1:1"));
	EXPECT_FALSE(causes_firmware("intel_idle", "C1_ACPI", "C1_ACPI:1:1"));
	EXPECT_FALSE(causes_firmware("intel_idle", "C2_ACPI",
				     "C1_ACPI:1:1,C2_ACPI:2:2"));
	EXPECT_FALSE(causes_firmware("intel_idle", "C1", ""));
	EXPECT_FALSE(causes_firmware("intel_idle", "C6", ""));
	EXPECT_FALSE(causes_firmware("idle_latency_sim", "LYING", ""));
}

TEST(results_of_what_the_firmware_declares)
{
	struct verdict verdict = { .result = VERDICT_PASS };

	EXPECT_EQ(KSFT_PASS, report_code(&verdict));
	verdict.result = VERDICT_FAIL;
	EXPECT_EQ(KSFT_FAIL, report_code(&verdict));
	verdict.firmware = true;
	EXPECT_EQ(KSFT_XFAIL, report_code(&verdict));
	verdict_skip(&verdict, "interrupted");
	EXPECT_EQ(KSFT_SKIP, report_code(&verdict));
}

TEST(states_with_their_package)
{
	struct idle_latency_state state = {
		.core_counter = IDLE_LATENCY_RESIDENCY_CC6,
		.package_counter = IDLE_LATENCY_RESIDENCY_PC6,
	};

	/* A table that has a state of its own for the package. */
	EXPECT_FALSE(state_has_package(&state));
	state.flags = IDLE_LATENCY_STATE_PACKAGE;
	EXPECT_TRUE(state_has_package(&state));
	/* Nobody knows of C6 and C7 where the CPU has no such counter. */
	state.flags = 0;
	state.package_counter = IDLE_LATENCY_RESIDENCY_NONE;
	EXPECT_TRUE(state_has_package(&state));
	state.core_counter = IDLE_LATENCY_RESIDENCY_CC7;
	EXPECT_TRUE(state_has_package(&state));
	state.core_counter = IDLE_LATENCY_RESIDENCY_CC3;
	EXPECT_FALSE(state_has_package(&state));
	state.core_counter = IDLE_LATENCY_RESIDENCY_CC1;
	EXPECT_FALSE(state_has_package(&state));
	/* Nor of a state of which nothing is known; C1 has nothing that could wake early. */
	state.core_counter = IDLE_LATENCY_RESIDENCY_NONE;
	EXPECT_TRUE(state_has_package(&state));
	state.flags = IDLE_LATENCY_STATE_NO_PREWAKE;
	EXPECT_FALSE(state_has_package(&state));
}

TEST(waking_ahead_of_timers)
{
	struct summary nic = good_result.summary, summary = good_result.summary;
	struct row nic_row = good_row, row = good_row;

	nic_row.method = &methods[2];
	nic.row = &nic_row;
	summary.row = &row;
	EXPECT_TRUE(is_lower_bound(&summary, NULL));
	EXPECT_FALSE(is_lower_bound(&nic, NULL));
	row.info.flags = IDLE_LATENCY_STATE_NO_PREWAKE;
	EXPECT_FALSE(is_lower_bound(&summary, NULL));
	row.info.flags = 0;
	/* nic shows that it does not, with all that both may be wrong by: a tenth. */
	summary.wake.median = 9010;
	summary.instrument.software_ns = 200;
	summary.median_uncertain_ns = 200;
	summary.median_error_ns = 10;
	nic.wake.median = 9500;
	nic.median_error_ns = 500;
	EXPECT_FALSE(is_lower_bound(&summary, &nic));
	summary.median_error_ns = 11;
	EXPECT_TRUE(is_lower_bound(&summary, &nic));
	summary.median_error_ns = 10;
	nic.median_error_ns = 501;
	EXPECT_TRUE(is_lower_bound(&summary, &nic));
	nic.median_error_ns = 500;
	summary.median_uncertain_ns = 201;
	EXPECT_TRUE(is_lower_bound(&summary, &nic));
	summary.median_uncertain_ns = 200;
	nic.has_wake = false;
	EXPECT_TRUE(is_lower_bound(&summary, &nic));
	/* What the CPU says of itself stands. */
	nic.has_wake = true;
	row.info.flags = IDLE_LATENCY_STATE_PREWAKE;
	EXPECT_TRUE(is_lower_bound(&summary, &nic));
	summary.median_error_ns = 10000;
	row.info.flags = 0;
	EXPECT_TRUE(is_lower_bound(&summary, &nic));
}

/*
 * Sweeps.
 */

TEST(steps_of_a_sweep)
{
	static const struct launch_distance steps[] = {
		{ 100, 124 }, { 125, 155 }, { 156, 194 }, { 195, 200 },
	};
	const struct sweep sweep = { .ldist = { 100, 200 }, .percent = 25 };
	static struct options options;
	struct row row = good_row;
	struct plan plan = { .rows = &row, .count = 1 };

	options.sweep = sweep;
	options.samples = 7;
	ASSERT_EQ(ARRAY_SIZE(steps), sweep_count(&sweep));
	ASSERT_TRUE(plan_begin(&plan, &options));
	ASSERT_EQ(ARRAY_SIZE(steps), row.step_count);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		EXPECT_EQ(steps[i].from_ns, row.steps[i].ldist.from_ns);
		EXPECT_EQ(steps[i].to_ns, row.steps[i].ldist.to_ns);
		EXPECT_EQ(7UL, row.steps[i].wanted);
	}
	plan_end(&plan);
}

/* The length is rounded down, but never to nothing. */
TEST(steps_at_the_ends)
{
	struct sweep sweep = { .ldist = { 1, 4 }, .percent = 1 };

	EXPECT_EQ(4UL, sweep_count(&sweep));
	sweep.percent = 100;
	EXPECT_EQ(3UL, sweep_count(&sweep));
	sweep.ldist.to_ns = 1;
	EXPECT_EQ(1UL, sweep_count(&sweep));
	sweep = (struct sweep) { .ldist = { 1, 50000000 }, .percent = 100 };
	EXPECT_EQ(26UL, sweep_count(&sweep));
	EXPECT_EQ(50000000ULL, sweep_step(&sweep, 33554432).to_ns);
	sweep.ldist.from_ns = 50000000;
	EXPECT_EQ(1UL, sweep_count(&sweep));
}

#define STEP_SAMPLES	100

static struct row swept_row;
static struct idle_latency_record swept_samples[40 * STEP_SAMPLES];

/* A latency that depends on SilentTime, which is spread evenly over each step. */
static void swept(struct summary *summary, const struct sweep *sweep,
		  __u64 (*latency_ns)(__u64 silent_ns))
{
	struct part parts[40];
	struct collection collection = { .samples = swept_samples, .steps = parts };
	struct plan plan = { .rows = &swept_row, .count = 1 };
	static struct options options;

	options.sweep = *sweep;
	options.samples = STEP_SAMPLES;
	swept_row = good_row;
	plan_begin(&plan, &options);
	collection.count = swept_row.step_count * STEP_SAMPLES;
	for (size_t i = 0; i < collection.count; i++) {
		struct launch_distance ldist = swept_row.steps[i / STEP_SAMPLES].ldist;
		__u64 silent = ldist.from_ns + (ldist.to_ns - ldist.from_ns) *
			       (i % STEP_SAMPLES) / (STEP_SAMPLES - 1);

		parts[i / STEP_SAMPLES] = (struct part) {
			.first = i / STEP_SAMPLES * STEP_SAMPLES, .count = STEP_SAMPLES,
		};
		swept_samples[i] = (struct idle_latency_record) {
			.silent_ns = silent, .wake_ns = latency_ns(silent),
			.intr_ns = 70, .error_ns = 3,
			.flags = IDLE_LATENCY_RECORD_WAKE,
		};
	}
	summarise(&swept_row, &collection, &(struct instrument) { }, 2500, summary);
	plan_end(&plan);
}

static __u64 steady(__u64 silent_ns)
{
	return 2000 + silent_ns % 7;
}

static __u64 jumps(__u64 silent_ns)
{
	return silent_ns < 60000 ? 2018 : 40018;
}

static __u64 falls(__u64 silent_ns)
{
	return silent_ns < 60000 ? 40018 : 2018;
}

/* By what nobody would call a change. */
static __u64 jumps_little(__u64 silent_ns)
{
	return silent_ns < 60000 ? 40018 : 40018 + 800;
}

static __u64 jumps_twice(__u64 silent_ns)
{
	if (silent_ns < 40000)
		return 2018;
	return silent_ns < 120000 ? 40018 : 75018;
}

static __u64 rises_to_the_end(__u64 silent_ns)
{
	return silent_ns / 2;
}

static const struct sweep wide_sweep = {
	.ldist = { 20000, 200000 }, .percent = 10,
};

static size_t count_slopes(const struct summary *row)
{
	struct slope slope = { };
	size_t slopes = 0;

	for (size_t from = 0; sweep_slope(row, from, &slope);
	     from = slope.last + 1)
		slopes++;
	return slopes;
}

TEST(sweeps_without_a_change)
{
	struct summary row;

	swept(&row, &wide_sweep, steady);
	EXPECT_EQ(0UL, count_slopes(&row));
	summary_free(&row);
	swept(&row, &wide_sweep, jumps_little);
	EXPECT_EQ(0UL, count_slopes(&row));
	summary_free(&row);
}

/* Wherever the steps begin, and so however much of one is before the jump. */
TEST(jumps_are_found)
{
	for (__u64 from_ns = 20000; from_ns < 24000; from_ns += 37) {
		const struct sweep sweep = {
			.ldist = { from_ns, 200000 }, .percent = 10,
		};
		struct slope slope = { };
		struct summary row;

		swept(&row, &sweep, jumps);
		ASSERT_TRUE(sweep_slope(&row, 0, &slope));
		EXPECT_TRUE(slope.change == STEP_SLOWER);
		EXPECT_GE(60000ULL, row.steps[slope.before].silent_median_ns);
		EXPECT_LE(60000ULL, row.steps[slope.last].silent_median_ns);
		EXPECT_LE(slope.last - slope.before, 2UL);
		EXPECT_FALSE(sweep_slope(&row, slope.last + 1, &slope));
		summary_free(&row);
	}
}

TEST(several_slopes)
{
	struct slope slope = { };
	struct summary row;

	swept(&row, &wide_sweep, jumps_twice);
	EXPECT_EQ(2UL, count_slopes(&row));
	summary_free(&row);
	swept(&row, &wide_sweep, falls);
	EXPECT_EQ(1UL, count_slopes(&row));
	ASSERT_TRUE(sweep_slope(&row, 0, &slope));
	EXPECT_TRUE(slope.change == STEP_FASTER);
	summary_free(&row);
	/* All of it is one slope. */
	swept(&row, &wide_sweep, rises_to_the_end);
	EXPECT_EQ(1UL, count_slopes(&row));
	ASSERT_TRUE(sweep_slope(&row, 0, &slope));
	EXPECT_EQ(0UL, slope.before);
	EXPECT_EQ(20000ULL, row.steps[0].silent_min_ns);
	EXPECT_EQ(21999ULL, row.steps[0].silent_max_ns);
	EXPECT_EQ(row.step_count - 1, slope.last);
	summary_free(&row);
}

/* A step in which nothing could be measured is no end of a slope, and not the step before. */
TEST(steps_without_samples)
{
	struct step steps[] = {
		{ .first = 0, .range.count = STEP_SAMPLES },
		{ .first = STEP_SAMPLES },
		{ .first = STEP_SAMPLES, .range.count = STEP_SAMPLES },
		{ .first = 2 * STEP_SAMPLES },
		{ .first = 2 * STEP_SAMPLES, .range.count = STEP_SAMPLES },
	};
	struct slope slope = { };
	struct summary row = good_result.summary;

	row.steps = steps;
	row.step_count = ARRAY_SIZE(steps);
	row.valid = 3 * STEP_SAMPLES;
	for (size_t i = 0; i < row.valid; i++)
		swept_samples[i].wake_ns = 1000 * (i / STEP_SAMPLES) + 1000;
	ASSERT_TRUE(sweep_summarise(&row, swept_samples));
	EXPECT_TRUE(steps[2].change == STEP_SLOWER);
	EXPECT_TRUE(steps[4].change == STEP_SLOWER);
	EXPECT_EQ(1UL, count_slopes(&row));
	ASSERT_TRUE(sweep_slope(&row, 0, &slope));
	EXPECT_EQ(0UL, slope.before);
	EXPECT_EQ(4UL, slope.last);
}

static const struct step three_steps[] = {
	{
		.range = { .ldist = { 100, 199 }, .count = 1 },
		.latency = { .max = 5000, .median = 40 }, .silent_min_ns = 90,
		.silent_median_ns = 140,
		.median_error_ns = 7,
	},
	{
		.range = { .ldist = { 200, 399 }, .count = 1 },
		.latency = { .max = 5000, .median = 50 },
		.change = STEP_SLOWER,
		.median_error_ns = 5,
	},
	{
		.range = { .ldist = { 400, 500 }, .count = 1, .above = 1 },
		.latency = { 30, 60, 61, 0, 0, 5000, true, false, false },
		.silent_min_ns = 390, .silent_median_ns = 440,
		.silent_max_ns = 490,
		.change = STEP_SLOWER,
		.median_error_ns = 5,
		.discarded = 2,
	},
};

FIXTURE(sweep)
{
	struct step steps[3];
	struct summary row;
	char line[256];
};

FIXTURE_SETUP(sweep)
{
	memcpy(self->steps, three_steps, sizeof(three_steps));
	self->row = good_result.summary;
	self->row.steps = self->steps;
	self->row.step_count = ARRAY_SIZE(self->steps);
}

FIXTURE_TEARDOWN(sweep)
{
}

/* A step in between may have no samples; what is beyond the last one that has is not known. */
TEST_F(sweep, last_step)
{
	self->steps[1].range.count = 0;
	EXPECT_TRUE(sweep_ended(&self->row));
	self->steps[2].range.count = 0;
	EXPECT_FALSE(sweep_ended(&self->row));
}

TEST_F(sweep, slopes_in_words)
{
	struct slope slope = { };

	ASSERT_TRUE(sweep_slope(&self->row, 0, &slope));
	sweep_slope_text(&self->row, &slope, self->line, sizeof(self->line));
	EXPECT_STREQ(self->line,
		     "cpu3 tdt C1: WakeLatency becomes longer from a SilentTime of 140 to 440 ns: the median from 40 to 60 ns");
	self->row.has_wake = false;
	slope.change = STEP_FASTER;
	sweep_slope_text(&self->row, &slope, self->line, sizeof(self->line));
	EXPECT_STREQ(self->line,
		     "cpu3 tdt C1: IntrLatency becomes shorter from a launch distance of 149 to 450 ns: the median from 40 to 60 ns");
}

/* 2 % are 102 ns, more than the errors. */
TEST_F(sweep, largest_at_the_edge)
{
	self->steps[2].latency.max = 5102;
	EXPECT_FALSE(sweep_edge_text(&self->row, self->line,
				     sizeof(self->line)));
	self->steps[2].latency.max = 5103;
	ASSERT_TRUE(sweep_edge_text(&self->row, self->line,
				    sizeof(self->line)));
	EXPECT_STREQ(self->line,
		     "cpu3 tdt C1: the largest WakeLatency, 5103 ns, is at the edge of the sweep, at launch distances of 400 to 500 ns: sweep further");
	self->steps[0].latency.max = 6000;
	EXPECT_TRUE(sweep_edge_text(&self->row, self->line,
				    sizeof(self->line)));
	self->steps[1].latency.max = 5990;
	EXPECT_FALSE(sweep_edge_text(&self->row, self->line,
				     sizeof(self->line)));
	self->steps[1].latency.max = 9000;
	EXPECT_FALSE(sweep_edge_text(&self->row, self->line,
				     sizeof(self->line)));
}

/* What was not measured is beyond the edge, too. */
TEST_F(sweep, edge_of_what_was_measured)
{
	self->steps[1].latency.max = 9000;
	EXPECT_FALSE(sweep_edge_text(&self->row, self->line,
				     sizeof(self->line)));
	self->steps[2].range.count = 0;
	EXPECT_TRUE(sweep_edge_text(&self->row, self->line,
				    sizeof(self->line)));
	self->steps[2].range.count = 1;
	self->steps[0].range.count = 0;
	EXPECT_TRUE(sweep_edge_text(&self->row, self->line,
				    sizeof(self->line)));
	self->steps[1].range.count = 0;
	self->steps[2].range.count = 0;
	EXPECT_FALSE(sweep_edge_text(&self->row, self->line,
				     sizeof(self->line)));
}

TEST_F(sweep, edge_of_nothing_else)
{
	self->row.step_count = 1;
	EXPECT_FALSE(sweep_edge_text(&self->row, self->line,
				     sizeof(self->line)));
	self->row.step_count = 3;
	self->steps[0].range.count = 0;
	self->steps[1].range.count = 0;
	self->steps[2].latency.max = 9000;
	EXPECT_FALSE(sweep_edge_text(&self->row, self->line,
				     sizeof(self->line)));
}

TEST_F(sweep, largest_that_is_hidden)
{
	struct launch_distance usual = { 50, 200 };

	EXPECT_FALSE(sweep_hidden_text(&self->row, usual, self->line,
				       sizeof(self->line)));
	/* The second step begins where the usual ones end. */
	self->steps[1].latency.max = 9000;
	EXPECT_FALSE(sweep_hidden_text(&self->row, usual, self->line,
				       sizeof(self->line)));
	usual.to_ns = 199;
	ASSERT_TRUE(sweep_hidden_text(&self->row, usual, self->line,
				      sizeof(self->line)));
	EXPECT_STREQ(self->line,
		     "cpu3 tdt C1: the largest WakeLatency, 9000 ns, is at launch distances of 200 to 399 ns: the default launch distances, 50 to 199 ns, would not have shown it");
	/* Nothing is known of the others. */
	usual.from_ns = 1000;
	usual.to_ns = 2000;
	EXPECT_FALSE(sweep_hidden_text(&self->row, usual, self->line,
				       sizeof(self->line)));
}

TEST_F(sweep, csv)
{
	char text[1024];
	FILE *file = fmemopen(text, sizeof(text), "w");

	ASSERT_NE(NULL, file);
	csv_sweep_header(file);
	self->steps[1].range.count = 0;
	self->steps[1].latency = (struct order_stats) { };
	self->steps[1].change = STEP_SAME;
	csv_sweep(file, &self->row);
	self->row.has_wake = false;
	self->row.steps = &self->steps[2];
	self->row.step_count = 1;
	self->steps[2].change = STEP_FASTER;
	csv_sweep(file, &self->row);
	fclose(file);
	EXPECT_STREQ(text,
		     "cpu,method,stamp,state,declared_ns,ldist_from_ns,ldist_to_ns,samples,discarded,silent_min_ns,silent_median_ns,silent_max_ns,min_ns,median_ns,p99_ns,max_ns,above,change\n"
		     "3,tdt,enter,C1,2500,100,199,1,0,90,140,0,0,40,,5000,0,\n"
		     "3,tdt,enter,C1,2500,200,399,0,0,,,,,,,,0,\n"
		     "3,tdt,enter,C1,2500,400,500,1,2,390,440,490,30,60,61,5000,1,slower\n"
		     "3,tdt,enter,C1,2500,400,500,1,2,,,,30,60,61,5000,1,faster\n");
}

TEST_HARNESS_MAIN
