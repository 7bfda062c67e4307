// SPDX-License-Identifier: GPL-2.0
/*
 * The statistics that compare runs, by values that others have computed, and comparisons
 * of runs that are made up: for each result there is a case in which it must be that one.
 */
#include <fcntl.h>
#include <math.h>

#include "kselftest_harness.h"
#include "compare.h"
#include "report.h"

/* References are exact to nine digits. */
static bool near(double seen, double expected)
{
	return fabs(seen - expected) <= fabs(expected) / NS_PER_SEC;
}

static struct sample_set set_of(const __u64 *sorted, size_t count)
{
	return (struct sample_set) { .sorted = sorted, .count = count };
}

/* By hand: 23.5 of 30 pairs, and the variance with ties of 2, 2 and 5 is 27. */
TEST(ranks)
{
	const __u64 a[] = { 1, 1, 2, 3, 3, 3 }, b[] = { 2, 3, 3, 4, 5 };
	const struct sample_set set_a = set_of(a, ARRAY_SIZE(a));
	const struct sample_set set_b = set_of(b, ARRAY_SIZE(b));
	struct rank_test test = rank_test(&set_a, &set_b);

	EXPECT_EQ(23.5, test.u);
	EXPECT_EQ(27.0, test.variance);
	EXPECT_TRUE(near(test.z, 1.635825763));
	/* The reference has nine digits after the point. */
	EXPECT_LE(fabs(2 * rank_test_p(&test) - 0.101876059), 1.0 / NS_PER_SEC);
	test = rank_test(&set_b, &set_a);
	EXPECT_EQ(6.5, test.u);
}

/* The variance of one sample of each is 1 / 4, and u is 1 instead of 1 / 2. */
TEST(ranks_of_two_samples)
{
	const __u64 a = 1, b = 2;
	const struct sample_set set_a = set_of(&a, 1), set_b = set_of(&b, 1);

	EXPECT_TRUE(near(rank_test(&set_a, &set_b).z, 1));
	EXPECT_TRUE(near(rank_test(&set_b, &set_a).z, -1));
}

TEST(ranks_of_equal_samples)
{
	const __u64 same[] = { 7, 7, 7 };
	const struct sample_set set = set_of(same, ARRAY_SIZE(same));
	const struct sample_set none = set_of(NULL, 0);
	struct rank_test test = rank_test(&set, &set);

	EXPECT_EQ(0.0, test.z);
	EXPECT_EQ(0.5, rank_test_p(&test));
	test = rank_test(&set, &none);
	EXPECT_EQ(0.5, rank_test_p(&test));
	EXPECT_EQ(0.0, rank_test(&none, &none).variance);
}

/* From @at on. */
static void rising(__u64 *samples, size_t count, __u64 at, __u64 step)
{
	for (size_t i = 0; i < count; i++)
		samples[i] = at + i * step;
}

/*
 * Of 80 samples, 40 are equal, so that half of the smaller set differ from these: just the ten
 * that the test takes. With one more it does not.
 */
TEST(ranks_of_many_equal_samples)
{
	const struct margin none = {};
	__u64 a[20], b[60], room[61];
	const struct sample_set set_a = set_of(a, ARRAY_SIZE(a));
	const struct sample_set set_b = set_of(b, ARRAY_SIZE(b));
	struct rank_test test;

	rising(a, 10, 1, 1);
	rising(a + 10, 10, 100, 0);
	rising(b, 30, 100, 0);
	rising(b + 30, 30, 201, 1);
	rising(room, ARRAY_SIZE(room), ~0ULL, 0);
	test = rank_test(&set_a, &set_b);
	EXPECT_LT(rank_test_p(&test), 0.01);
	EXPECT_EQ(rank_test_p(&test), larger_p(&set_a, &set_b, &none, room));
	/* It has written to as much of the room as there are samples. */
	EXPECT_EQ(~0ULL, room[60]);
	b[30] = 100;
	EXPECT_EQ(0.5, larger_p(&set_a, &set_b, &none, room));
	EXPECT_EQ(0.5, larger_p(&set_b, &set_a, &none, room));
}

TEST(tail)
{
	EXPECT_TRUE(near(tail_test_p(5000, 5000, 30, 22), 0.007984608263));
	EXPECT_TRUE(near(tail_test_p(5000, 5000, 6, 6), 0.01560156719));
	EXPECT_TRUE(near(tail_test_p(30000, 30000, 10, 9), 0.01073706097));
	EXPECT_TRUE(near(tail_test_p(5000, 10000, 16, 15), 0.01366542779));
	/* Of ten with five above, four or five are of the second five: 26 of 252. */
	EXPECT_TRUE(near(tail_test_p(5, 5, 5, 4), 26 / 252.));
	EXPECT_TRUE(near(tail_test_p(5, 5, 5, 2), 226 / 252.));
	EXPECT_EQ(1.0, tail_test_p(5, 5, 5, 0));
	EXPECT_EQ(0.0, tail_test_p(5, 5, 5, 6));
	EXPECT_EQ(0.0, tail_test_p(5, 5, 3, 4));
	EXPECT_TRUE(near(tail_test_p(5, 5, 5, 1), 251 / 252.));
	/* Two of these must be of the second five, and are all of them in 10 of 120. */
	EXPECT_EQ(1.0, tail_test_p(5, 5, 7, 2));
	EXPECT_TRUE(near(tail_test_p(5, 5, 7, 3), 110 / 120.));
	EXPECT_EQ(1.0, tail_test_p(5, 5, 0, 0));
}

TEST(intervals)
{
	static const struct {
		size_t count;
		__u64 quantile;
		size_t low;
		size_t high;
	} cases[] = {
		{ 100, 500000000, 40, 61 },
		{ 1000, 500000000, 469, 532 },
		{ 5000, 500000000, 2431, 2570 },
		{ 5000, 990000000, 4936, 4964 },
		{ 5000, 999000000, 4990, 5000 },
		{ 30000, 999000000, 29959, 29981 },
		/* There is no sample that is surely above it. */
		{ 30000, 999900000, 29993, 30001 },
		{ 100000, 999900000, 99983, 99997 },
		{ 3, 500000000, 0, 4 },
		/* It is above the largest sample, and below the smallest one. */
		{ 100, 999999999, 100, 101 },
		{ 100, 1, 0, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct rank_interval ranks =
			quantile_ranks(cases[i].count, cases[i].quantile, 0.05);

		EXPECT_EQ(cases[i].low, ranks.low);
		EXPECT_EQ(cases[i].high, ranks.high);
	}
}

TEST(holm)
{
	double p[] = { 0.01, 0.04, 0.03, 0.005 };
	double *sorted[] = { &p[0], &p[1], &p[2], &p[3] };

	holm_adjust(sorted, ARRAY_SIZE(sorted));
	EXPECT_TRUE(near(p[0], 0.03));
	EXPECT_TRUE(near(p[1], 0.06));
	EXPECT_TRUE(near(p[2], 0.06));
	EXPECT_TRUE(near(p[3], 0.02));
	p[0] = 0.9;
	p[1] = 0.8;
	holm_adjust((double *[]){ &p[0], &p[1] }, 2);
	EXPECT_EQ(1.0, p[0]);
	EXPECT_EQ(1.0, p[1]);
}

TEST(permutations)
{
	const __u64 low[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
	const __u64 high[] = { 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 };
	const __u64 mixed[] = { 3, 5, 1 }, others[] = { 4, 2, 6 };

	EXPECT_TRUE(near(permutation_p(low, 3, high, 3), 1 / 20.));
	EXPECT_TRUE(near(permutation_p(low, 4, high, 4), 1 / 70.));
	EXPECT_TRUE(near(permutation_p(low, 5, high, 5), 1 / 252.));
	EXPECT_TRUE(near(permutation_p(low, 10, high, 10), 1 / 184756.));
	/* The larger two of five, and the largest one of four. */
	EXPECT_TRUE(near(permutation_p(low, 3, high, 2), 1 / 10.));
	EXPECT_TRUE(near(permutation_p(low, 3, high, 1), 1 / 4.));
	EXPECT_EQ(1.0, permutation_p(high, 5, low, 5));
	/* Sums of three of 1 to 6: seven of the 20 are 12 or more. */
	EXPECT_TRUE(near(permutation_p(mixed, 3, others, 3), 7 / 20.));
}

TEST(margin)
{
	struct margin margin = {
		.error_ns = 10, .least_ns = 50, .percent = 2,
	};

	EXPECT_EQ(50ULL, margin_reduce(&margin, 100));
	EXPECT_EQ(2450ULL, margin_reduce(&margin, 2500));
	EXPECT_EQ(9800ULL, margin_reduce(&margin, 10000));
	EXPECT_EQ(0ULL, margin_reduce(&margin, 50));
	EXPECT_EQ(0ULL, margin_reduce(&margin, 5));
	margin.error_ns = 300;
	EXPECT_EQ(9700ULL, margin_reduce(&margin, 10000));
	EXPECT_EQ(19600ULL, margin_reduce(&margin, 20000));
	EXPECT_EQ(950ULL, margin_reduce(&margin_default, 1000));
}

TEST(thresholds)
{
	const __u64 a[] = { 1, 5, 5, 9 }, b[] = { 2, 5, 8 }, c[] = { 3, 7 };
	const struct sample_set set_a = set_of(a, ARRAY_SIZE(a));
	const struct sample_set set_b = set_of(b, ARRAY_SIZE(b));
	const struct sample_set set_c = set_of(c, ARRAY_SIZE(c));
	const struct sample_set none = set_of(NULL, 0);

	EXPECT_EQ(9ULL, pooled_sample(&set_a, &set_b, 1));
	EXPECT_EQ(8ULL, pooled_sample(&set_a, &set_b, 2));
	EXPECT_EQ(5ULL, pooled_sample(&set_a, &set_b, 5));
	EXPECT_EQ(1ULL, pooled_sample(&set_a, &set_b, 7));
	/* The smallest, where there are not as many. */
	EXPECT_EQ(1ULL, pooled_sample(&set_a, &set_b, 8));
	EXPECT_EQ(0ULL, pooled_sample(&none, &none, 1));
	/* One of the second set between two of the first. */
	EXPECT_EQ(7ULL, pooled_sample(&set_b, &set_c, 2));
	EXPECT_EQ(1UL, count_above(&set_a, 5));
	EXPECT_EQ(3UL, count_above(&set_a, 4));
	EXPECT_EQ(0UL, count_above(&set_a, 9));
	EXPECT_EQ(4UL, count_above(&set_a, 0));
}

/*
 * Two runs of one row, which are alike: each test changes what it is about.
 */

#define SAMPLES		2000
#define ENTRIES		200
#define DECLARED	60000
#define LDIST_FROM	100000

FIXTURE(runs)
{
	struct run a;
	struct run b;
	struct result results[2];
	struct sample samples[2][SAMPLES + ENTRIES];
	struct margin margin;
	struct comparison comparison;
	char text[1024];
	struct dice dice;
};

/* Skewed, in steps of 10 ns, with one in 200 that takes longer. */
static __u64 draw(struct dice *dice)
{
	__u64 ns = 40000;

	while (dice_below(dice, 8))
		ns += 250;
	if (dice_once_in(dice, 200))
		ns += 9000;
	return ns + 10 * dice_below(dice, 25);
}

static void fill(FIXTURE_DATA(runs) * self, size_t run)
{
	struct result *result = &self->results[run];

	*result = (struct result) {
		.cpu = 0, .method = "nic", .stamp = "enter", .state = "C6",
		.machine = "m", .cpu_model = "c", .verdict = "PASS",
		.ran = true, .has_wake = true,
		.declared_ns = DECLARED,
		.ldist_from_ns = LDIST_FROM,
		.ldist_to_ns = 10 * LDIST_FROM,
		.samples = self->samples[run],
		.count = SAMPLES + ENTRIES,
	};
	for (size_t i = 0; i < result->count; i++)
		self->samples[run][i] = (struct sample) {
			.ldist_ns = i < SAMPLES ? 2 * LDIST_FROM : 1000,
			.wake_ns = draw(&self->dice),
			.has_wake = true,
			.error_ns = 10,
		};
}

FIXTURE_SETUP(runs)
{
	self->dice.state = 1;
	fill(self, 0);
	fill(self, 1);
	self->a = (struct run) { .results = &self->results[0], .count = 1 };
	self->b = (struct run) { .results = &self->results[1], .count = 1 };
	self->margin = margin_default;
}

FIXTURE_TEARDOWN(runs)
{
}

/* "slower" and so on; the words of the first row are in self->text. */
static const char *compared(FIXTURE_DATA(runs) * self)
{
	enum change change;

	compare_runs(&self->a, &self->b, &self->margin, &self->comparison);
	difference_text(self->comparison.differences, self->text,
			sizeof(self->text));
	change = self->comparison.change;
	comparison_free(&self->comparison);
	return change_name(change);
}

static bool says(FIXTURE_DATA(runs) * self, const char *text)
{
	if (strstr(self->text, text))
		return true;
	ksft_print_msg("'%s' is not in: %s\n", text, self->text);
	return false;
}

static void scale(FIXTURE_DATA(runs) * self, size_t from, size_t to,
		  unsigned int percent)
{
	for (size_t i = from; i < to; i++)
		self->samples[1][i].wake_ns =
			self->samples[1][i].wake_ns * percent / 100;
}

TEST_F(runs, same)
{
	EXPECT_STREQ("same", compared(self));
	EXPECT_TRUE(says(self, "cpu0 nic C6 is the same within "));
}

TEST_F(runs, slower)
{
	scale(self, 0, SAMPLES, 105);
	EXPECT_STREQ("slower", compared(self));
	EXPECT_TRUE(says(self, "cpu0 nic C6 became slower by 1."));
	EXPECT_TRUE(says(self, " us"));
}

TEST_F(runs, faster)
{
	scale(self, 0, SAMPLES, 95);
	EXPECT_STREQ("faster", compared(self));
	EXPECT_TRUE(says(self, "cpu0 nic C6 became faster by 1."));
}

/* 1 % is within the margin, and only then. */
TEST_F(runs, margin)
{
	scale(self, 0, SAMPLES + ENTRIES, 101);
	EXPECT_STREQ("same", compared(self));
	self->margin = (struct margin) {};
	EXPECT_STREQ("slower", compared(self));
}

/* Nor is what both runs may be wrong by a change. */
TEST_F(runs, errors)
{
	scale(self, 0, SAMPLES + ENTRIES, 105);
	for (size_t i = 0; i < SAMPLES + ENTRIES; i++) {
		self->samples[0][i].error_ns = 1300;
		self->samples[1][i].error_ns = 1300;
	}
	EXPECT_STREQ("same", compared(self));
	EXPECT_TRUE(says(self, "is the same within 2.60 us: "));
}

/* Of 2000, 40 take 40 % longer. */
TEST_F(runs, tail)
{
	scale(self, 0, 40, 140);
	EXPECT_STREQ("slower", compared(self));
	EXPECT_TRUE(says(self, "cpu0 nic C6 became slower in some of its samples: "));
}

/* 20 of both runs are the slowest, and almost all of them are of B. */
TEST_F(runs, slowest)
{
	scale(self, 0, 19, 140);
	EXPECT_STREQ("slower", compared(self));
	EXPECT_TRUE(says(self, " of 2000 in B are above "));
}

TEST_F(runs, a_few_are_no_finding)
{
	scale(self, 0, 5, 200);
	EXPECT_STREQ("same", compared(self));
}

TEST_F(runs, declared)
{
	for (size_t i = 0; i < 30; i++) {
		self->samples[0][i].wake_ns = DECLARED - 100;
		self->samples[1][i].wake_ns = DECLARED + 2000;
	}
	EXPECT_STREQ("slower", compared(self));
	EXPECT_TRUE(says(self, "in some of its samples: "));
}

/* What is slower in one respect and faster in another is slower. */
TEST_F(runs, both)
{
	scale(self, 0, SAMPLES, 95);
	scale(self, 0, 40, 200);
	EXPECT_STREQ("slower", compared(self));
	EXPECT_TRUE(says(self, "became slower in some of its samples"));
	EXPECT_TRUE(says(self, "; became faster by "));
}

TEST_F(runs, entry)
{
	scale(self, SAMPLES, SAMPLES + ENTRIES, 130);
	EXPECT_STREQ("slower", compared(self));
	EXPECT_TRUE(says(self, "C6 when woken before its target residency, it became slower by 1"));
}

TEST_F(runs, intr_latency)
{
	for (size_t run = 0; run < 2; run++) {
		self->results[run].has_wake = false;
		for (size_t i = 0; i < SAMPLES + ENTRIES; i++)
			self->samples[run][i].intr_ns = draw(&self->dice) *
							(run ? 2 : 1);
	}
	EXPECT_STREQ("slower", compared(self));
}

#define EXPECT_UNCOMPARABLE(why)					\
do {									\
	EXPECT_STREQ("not comparable", compared(self));			\
	EXPECT_TRUE(says(self, why));					\
} while (0)

TEST_F(runs, stamps)
{
	snprintf(self->results[1].stamp, sizeof(self->results[1].stamp), "probe");
	EXPECT_UNCOMPARABLE("cpu0 nic C6 cannot be compared: the stamps differ");
}

TEST_F(runs, launch_distances)
{
	self->results[1].ldist_to_ns++;
	EXPECT_UNCOMPARABLE("the launch distances differ");
	self->results[1].ldist_to_ns--;
	self->results[1].ldist_from_ns--;
	EXPECT_UNCOMPARABLE("the launch distances differ");
}

TEST_F(runs, latencies)
{
	self->results[1].has_wake = false;
	EXPECT_UNCOMPARABLE("one has WakeLatency and the other IntrLatency");
}

TEST_F(runs, too_few)
{
	self->results[1].count = COMPARE_LEAST - 1;
	EXPECT_UNCOMPARABLE("fewer than 20 samples of a run count");
	self->results[1].count++;
	EXPECT_STREQ("not decided", compared(self));
	EXPECT_TRUE(says(self, "is not decided: more samples may show a change"));
}

/* Those during entry do not take the place of those that count. */
TEST_F(runs, too_few_count)
{
	for (size_t i = COMPARE_LEAST - 1; i < SAMPLES; i++)
		self->samples[1][i].ldist_ns = 1000;
	EXPECT_UNCOMPARABLE("fewer than 20 samples of a run count");
}

/* Two levels, of which the upper one is not the same part of both. */
static void set_levels(FIXTURE_DATA(runs) * self, size_t run, size_t upper)
{
	for (size_t i = 0; i < SAMPLES; i++)
		self->samples[run][i].wake_ns = i < upper ? 70000 : 5000;
}

TEST_F(runs, levels)
{
	self->results[0].declared_ns = 80000;
	set_levels(self, 0, 900);
	set_levels(self, 1, 1100);
	EXPECT_STREQ("slower", compared(self));
	set_levels(self, 0, 40);
	set_levels(self, 1, 960);
	EXPECT_STREQ("slower", compared(self));
	EXPECT_TRUE(says(self, "40 of 2000 in A and 960 of 2000 in B are above 5000 ns"));
	set_levels(self, 0, 20);
	set_levels(self, 1, 120);
	EXPECT_STREQ("slower", compared(self));
	set_levels(self, 1, 20);
	EXPECT_STREQ("same", compared(self));
}

/* Almost all are equal: the ranks alone would find the one that is not. */
TEST_F(runs, ties)
{
	set_levels(self, 0, 0);
	set_levels(self, 1, 1);
	self->results[1].count = COMPARE_LEAST;
	self->margin = (struct margin) {};
	EXPECT_STREQ("same", compared(self));
}

TEST_F(runs, sweeps)
{
	struct step steps[2][2] = {
		{ { .ldist_from_ns = 5, .samples = 9 }, { .samples = 9 } },
		{ { .ldist_from_ns = 5, .samples = 9 }, { .samples = 9 } },
	};

	self->results[0].steps = steps[0];
	self->results[0].step_count = 2;
	EXPECT_UNCOMPARABLE("the launch distances differ");
	self->results[1].steps = steps[1];
	self->results[1].step_count = 2;
	EXPECT_STREQ("same", compared(self));
	steps[1][0].ldist_from_ns = 6;
	EXPECT_UNCOMPARABLE("the launch distances differ");
	steps[1][0].ldist_from_ns = 5;
	steps[1][1].samples = 8;
	EXPECT_UNCOMPARABLE("the launch distances differ");
}

TEST_F(runs, no_samples)
{
	self->results[1].count = 0;
	EXPECT_UNCOMPARABLE("B has no sample");
	self->results[0].count = 0;
	EXPECT_STREQ("not comparable", compared(self));
	EXPECT_TRUE(says(self, "cpu0 nic C6 was measured neither in A nor in B"));
}

TEST_F(runs, other_row)
{
	snprintf(self->results[1].state, sizeof(self->results[1].state), "C7");
	EXPECT_UNCOMPARABLE("B has no sample");
	self->a.count = 0;
	EXPECT_UNCOMPARABLE("cpu0 nic C7 cannot be compared: A has no sample");
}

TEST_F(runs, machines)
{
	EXPECT_EQ(NULL, runs_differ(&self->a, &self->b));
	snprintf(self->results[1].cpu_model, sizeof(self->results[1].cpu_model), "d");
	EXPECT_STREQ("they are of different CPU models",
		     runs_differ(&self->a, &self->b));
	snprintf(self->results[1].machine, sizeof(self->results[1].machine), "n");
	EXPECT_STREQ("they are of different machines",
		     runs_differ(&self->a, &self->b));
}

/* What was slower in one row is not hidden by others; nor is what cannot be compared. */
TEST_F(runs, rows)
{
	struct result a[3], b[3];

	for (size_t i = 0; i < ARRAY_SIZE(a); i++) {
		a[i] = self->results[0];
		b[i] = self->results[0];
		a[i].cpu = i;
		b[i].cpu = i;
	}
	self->a = (struct run) { .results = a, .count = ARRAY_SIZE(a) };
	self->b = (struct run) { .results = b, .count = ARRAY_SIZE(b) };
	EXPECT_STREQ("same", compared(self));
	snprintf(b[1].stamp, sizeof(b[1].stamp), "probe");
	EXPECT_STREQ("not comparable", compared(self));
	scale(self, 0, SAMPLES, 105);
	b[2] = self->results[1];
	b[2].cpu = 2;
	EXPECT_STREQ("slower", compared(self));
}

TEST_F(runs, drift)
{
	EXPECT_GT(drift_p(&self->results[1], &self->margin), 0.05);
	scale(self, SAMPLES / 2, SAMPLES, 110);
	EXPECT_LT(drift_p(&self->results[1], &self->margin), 0.001);
}

/* Of 200 pairs that are alike, one in twenty may differ, and by chance some more. */
TEST_F(runs, alarms)
{
	int alarms = 0;

	self->margin = (struct margin) {};
	for (size_t i = 0; i < 200; i++) {
		fill(self, 0);
		fill(self, 1);
		for (size_t j = 0; j < SAMPLES + ENTRIES; j++) {
			self->samples[0][j].error_ns = 0;
			self->samples[1][j].error_ns = 0;
		}
		compared(self);
		alarms += self->comparison.change == CHANGE_SLOWER ||
			  self->comparison.change == CHANGE_FASTER;
	}
	/* P(K > 18) is 0.01 where p is 0.05. */
	EXPECT_LE(alarms, 18);
}

TEST_F(runs, table)
{
	const __u64 four[] = { 100, 200, 300, 400 };
	const struct sample_set set = set_of(four, ARRAY_SIZE(four));

	set_text(&set, 300, self->text, sizeof(self->text));
	EXPECT_TRUE(says(self, "      4 | 200       "));
	EXPECT_TRUE(says(self, "| 400 (300 or more) "));
	EXPECT_TRUE(says(self, "|     400 | 1"));
	self->comparison = (struct comparison) {};
}

static const char *moved_words(FIXTURE_DATA(runs) * self, bool has_low,
			       __s64 low, bool has_high, __s64 high)
{
	const struct moved moved = {
		.has_low = has_low, .low_ns = low,
		.has_high = has_high, .high_ns = high,
	};
	struct text text = text_begin(self->text, sizeof(self->text));

	moved_text(&moved, &text);
	return self->text;
}

TEST_F(runs, words)
{
	EXPECT_STREQ("1.90 to 2.30 us", moved_words(self, true, 1900, true, 2300));
	EXPECT_STREQ("-12 to 15 ns", moved_words(self, true, -12, true, 15));
	EXPECT_STREQ("-0.01 to 15.0 us", moved_words(self, true, -12, true, 15000));
	EXPECT_STREQ("120 to 1200 us", moved_words(self, true, 120000, true, 1200000));
	EXPECT_STREQ("2.00 us", moved_words(self, true, 1999, true, 2001));
	EXPECT_STREQ("0 ns", moved_words(self, true, 0, true, 0));
	EXPECT_STREQ("at least 1.90 us", moved_words(self, true, 1900, false, 0));
	EXPECT_STREQ("at most -5 ns", moved_words(self, false, 0, true, -5));
	EXPECT_STREQ("an unknown time", moved_words(self, false, 0, false, 0));
}

/* Several runs of each kind: what one boot has is no finding. */

FIXTURE(kinds)
{
	struct result results[2][REPLICATES_MAX / 2];
	struct run runs[2][REPLICATES_MAX / 2];
	struct sample samples[2][REPLICATES_MAX / 2][100];
	struct replication replication;
	struct margin margin;
	char text[1024];
};

/* The runs of a kind differ by some ns, as boots do. */
FIXTURE_SETUP(kinds)
{
	for (size_t kind = 0; kind < 2; kind++) {
		for (size_t i = 0; i < REPLICATES_MAX / 2; i++) {
			struct result *result = &self->results[kind][i];

			*result = (struct result) {
				.method = "hrt", .state = "C1",
				.has_wake = true, .ldist_to_ns = 100,
				.samples = self->samples[kind][i],
				.count = 100,
			};
			for (size_t j = 0; j < 100; j++)
				result->samples[j].wake_ns = 5000 + 10 * i + j;
			self->runs[kind][i] = (struct run) {
				.results = result, .count = 1,
			};
		}
	}
	self->replication = (struct replication) {
		.a = self->runs[0], .a_count = 5,
		.b = self->runs[1], .b_count = 5,
	};
	self->margin = (struct margin) { .percent = 2 };
}

FIXTURE_TEARDOWN(kinds)
{
}

static const char *replicated(FIXTURE_DATA(kinds) * self)
{
	enum change change;

	compare_replicates(&self->replication, &self->margin);
	replicated_text(&self->replication, self->replication.rows, self->text,
			sizeof(self->text));
	change = self->replication.change;
	replication_free(&self->replication);
	return change_name(change);
}

static void add(FIXTURE_DATA(kinds) * self, size_t run, __u64 ns)
{
	for (size_t i = 0; i < 100; i++)
		self->samples[1][run][i].wake_ns += ns;
}

TEST_F(kinds, same)
{
	EXPECT_STREQ("same", replicated(self));
	EXPECT_EQ(5UL, self->replication.needed);
	EXPECT_NE(NULL, strstr(self->text,
			       "cpu0 hrt C1: the same: median from 5049 to 5089 ns in A"));
	EXPECT_NE(NULL, strstr(self->text,
			       "99th percentile from 5098 to 5138 ns in A"));
	EXPECT_NE(NULL, strstr(self->text, "moved by -40 to 40 ns"));
}

TEST_F(kinds, one_run_is_slower)
{
	add(self, 0, 5000);
	EXPECT_STREQ("not decided", replicated(self));
}

TEST_F(kinds, all_runs_are_slower)
{
	for (size_t i = 0; i < 5; i++)
		add(self, i, 300);
	EXPECT_STREQ("slower", replicated(self));
	self->replication.a = self->runs[1];
	self->replication.b = self->runs[0];
	EXPECT_STREQ("faster", replicated(self));
}

TEST_F(kinds, within_the_margin)
{
	for (size_t i = 0; i < 5; i++)
		add(self, i, 300);
	self->margin.percent = 10;
	EXPECT_STREQ("same", replicated(self));
}

/* Even runs that differ completely would be no finding. */
TEST_F(kinds, too_few_runs)
{
	for (size_t i = 0; i < 5; i++)
		add(self, i, 300);
	self->replication.a_count = 4;
	self->replication.b_count = 4;
	EXPECT_STREQ("not decided", replicated(self));
	EXPECT_EQ(5UL, self->replication.needed);
	EXPECT_NE(NULL, strstr(self->text, "cpu0 hrt C1: not decided: median"));
}

TEST_F(kinds, a_run_without_samples)
{
	self->results[1][3].count = 0;
	EXPECT_STREQ("not comparable", replicated(self));
	EXPECT_STREQ("cpu0 hrt C1: cannot be compared: a run has no sample of it",
		     self->text);
}

/* What only one run has is no row that can be left out. */
TEST_F(kinds, another_row)
{
	snprintf(self->results[1][4].state, sizeof(self->results[1][4].state),
		 "C6");
	EXPECT_STREQ("not comparable", replicated(self));
	EXPECT_EQ(2UL, self->replication.count);
}

TEST_F(kinds, copies)
{
	EXPECT_TRUE(same_samples(&self->runs[0][0], &self->runs[1][0]));
	self->samples[1][0][50].intr_ns++;
	EXPECT_FALSE(same_samples(&self->runs[0][0], &self->runs[1][0]));
	self->samples[1][0][50].intr_ns--;
	self->results[1][0].count--;
	EXPECT_FALSE(same_samples(&self->runs[0][0], &self->runs[1][0]));
}

/*
 * Files that latency_test has written, and what is wrong with them.
 */

static const char discards_file[] =
	"cpu,method,state,reason,count,above,largest_ns\n"
	"0,hrt,C6,no_idle,1,0,\n";

FIXTURE(files)
{
	char summary_file[2048];
	char datapoints_file[2048];
	char sweep_file[512];
	char dir[32];
	char error[1024];
	struct run run;
};

/* The headers are those that latency_test writes. */
static void make_files(FIXTURE_DATA(files) * self)
{
	FILE *summary = fmemopen(self->summary_file,
				 sizeof(self->summary_file), "we");
	FILE *datapoints = fmemopen(self->datapoints_file,
				    sizeof(self->datapoints_file), "we");
	FILE *sweep;

	csv_summary_header(summary);
	fputs("m,\"c, \"\"2\"\"\",d,0,hrt,enter,C6,80000,4,3,1,", summary);
	fputs("95000,95010,,,95020,96010,96020,FAIL,7.3,max,", summary);
	fputs("320000,3200000,3,,3,0,95010,,above the limit,10,0\n", summary);
	fclose(summary);
	csv_datapoints_header(datapoints);
	for (int i = 0; i < 3; i++)
		fprintf(datapoints,
			"0,hrt,enter,C6,%d,400000,1,300000,950%d0,960%d0,10,,,1000,3960%d0,3970%d0,1,9.50,,,90.50,,,,,,,,,,100.00,1,%d,1,PC6,0\n",
			i, i, i, i, i, i + i / 2);
	fclose(datapoints);
	sweep = fmemopen(self->sweep_file, sizeof(self->sweep_file), "we");
	csv_sweep_header(sweep);
	fputs("0,hrt,enter,C6,80000,400000,439999,3,1,300000,300000,300000,", sweep);
	fputs("95000,95010,,95020,3,slower\n", sweep);
	fclose(sweep);
}

static bool write_file(FIXTURE_DATA(files) * self, const char *name,
		       const char *text)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", self->dir, name);
	file = fopen(path, "we");
	return file && fputs(text, file) >= 0 && !fclose(file);
}

FIXTURE_SETUP(files)
{
	snprintf(self->dir, sizeof(self->dir), "/tmp/compare_test.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	make_files(self);
	ASSERT_TRUE(write_file(self, "summary.csv", self->summary_file));
	ASSERT_TRUE(write_file(self, "datapoints.csv", self->datapoints_file));
	ASSERT_TRUE(write_file(self, "environment.txt", "kernel: 7.3\nmicrocode: 0x21\n"));
}

FIXTURE_TEARDOWN(files)
{
	static const char * const names[] = {
		"summary.csv", "datapoints.csv", "environment.txt",
		"discards.csv", "sweep.csv",
	};
	char path[64];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", self->dir, names[i]);
		unlink(path);
	}
	rmdir(self->dir);
}

static bool read_files(FIXTURE_DATA(files) * self)
{
	return run_read(self->dir, &self->run, self->error,
			sizeof(self->error));
}

TEST_F(files, complete)
{
	const struct result *result;

	ASSERT_TRUE(write_file(self, "discards.csv", discards_file));
	ASSERT_TRUE(write_file(self, "sweep.csv", self->sweep_file));
	ASSERT_TRUE(read_files(self));
	ASSERT_EQ(1UL, self->run.count);
	result = self->run.results;
	EXPECT_STREQ("c, \"2\"", result->cpu_model);
	EXPECT_EQ(80000ULL, result->declared_ns);
	ASSERT_EQ(3UL, result->count);
	EXPECT_EQ(95020ULL, result->samples[2].wake_ns);
	EXPECT_EQ(90.5f, result->samples[2].share[3]);
	EXPECT_TRUE(isnan(result->samples[2].share[1]));
	EXPECT_TRUE(result->has_wake);
	ASSERT_EQ(1UL, result->discard_count);
	EXPECT_STREQ("no_idle", result->discards[0].reason);
	ASSERT_EQ(1UL, result->step_count);
	EXPECT_EQ(439999ULL, result->steps[0].ldist_to_ns);
	EXPECT_STREQ("slower", result->steps[0].change);
	ASSERT_EQ(2UL, self->run.environment_count);
	EXPECT_STREQ("microcode: 0x21", self->run.environment[1]);
	run_free(&self->run);
}

/* @name with the first @from replaced, after which reading must say @why. */
static bool refused(FIXTURE_DATA(files) * self, const char *name,
		    const char *text, const char *from, const char *to,
		    const char *why)
{
	const char *place = strstr(text, from);
	char doctored[4096], expected[256];
	bool read;

	snprintf(doctored, sizeof(doctored), "%.*s%s%s", (int)(place - text),
		 text, to, place + strlen(from));
	if (!write_file(self, name, doctored))
		return false;
	read = read_files(self);
	if (read)
		run_free(&self->run);
	snprintf(expected, sizeof(expected), "%s/%s", self->dir, why);
	if (!read && strstr(self->error, expected) == self->error)
		return write_file(self, name, text);
	ksft_print_msg("'%s' is not the begin of: %s\n", expected,
		       read ? "nothing, it was read" : self->error);
	return false;
}

TEST_F(files, missing)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/datapoints.csv", self->dir);
	unlink(path);
	EXPECT_FALSE(read_files(self));
	EXPECT_NE(NULL, strstr(self->error, "datapoints.csv: No such file"));
}

TEST_F(files, no_table)
{
	EXPECT_TRUE(refused(self, "summary.csv", self->summary_file, self->summary_file, "",
			    "summary.csv:0: there is no header"));
	EXPECT_TRUE(refused(self, "summary.csv", self->summary_file, "machine,",
			    "device,",
			    "summary.csv:1: there is no column machine"));
	EXPECT_TRUE(refused(self, "summary.csv", self->summary_file,
			    strchr(self->summary_file, '\n') + 1, "",
			    "summary.csv:1: there is no row"));
}

TEST_F(files, lines)
{
	EXPECT_TRUE(refused(self, "datapoints.csv", self->datapoints_file, ",0\n",
			    "\n", "datapoints.csv:2: 35 fields instead of 36"));
	EXPECT_TRUE(refused(self, "datapoints.csv", self->datapoints_file, ",3,1,PC6,0\n",
			    ",3", "datapoints.csv:4: the line has no end"));
	EXPECT_TRUE(refused(self, "datapoints.csv", self->datapoints_file, "PC6",
			    "\"PC6", "datapoints.csv:2: 0 fields instead of 36"));
}

TEST_F(files, fields)
{
	EXPECT_TRUE(refused(self, "datapoints.csv", self->datapoints_file, ",95010,",
			    ",9501o,",
			    "datapoints.csv:3: wake_ns is '9501o', which is no number"));
	EXPECT_TRUE(refused(self, "datapoints.csv", self->datapoints_file, ",96010,",
			    ",,", "datapoints.csv:3: intr_ns is empty"));
	EXPECT_TRUE(refused(self, "datapoints.csv", self->datapoints_file, "90.50",
			    "nan", "datapoints.csv:2: cc6_pct is 'nan'"));
	EXPECT_TRUE(refused(self, "datapoints.csv", self->datapoints_file,
			    "0,hrt,enter,C6,1", "0,hrt,enter,C7,1",
			    "datapoints.csv:3: summary.csv has no row cpu0 hrt C7"));
	EXPECT_TRUE(refused(self, "summary.csv", self->summary_file, "FAIL", "fail",
			    "summary.csv:2: verdict is 'fail', not PASS"));
}

/* A line was removed, a latency or a count changed. */
TEST_F(files, contradictions)
{
	const char *second = strstr(self->datapoints_file, "0,hrt,enter,C6,1");
	char line[256];

	snprintf(line, sizeof(line), "%.*s", (int)strcspn(second, "\n") + 1,
		 second);
	EXPECT_TRUE(refused(self, "datapoints.csv", self->datapoints_file, line, "",
			    "datapoints.csv:3: seq is 2, not 1"));
	EXPECT_TRUE(refused(self, "datapoints.csv", self->datapoints_file, ",95010,",
			    ",79010,",
			    "datapoints.csv:3: the times are not those of the stamps"));
	EXPECT_TRUE(refused(self, "summary.csv", self->summary_file, "95020", "79020",
			    "summary.csv:2: the latencies of this row are not those"));
	EXPECT_TRUE(refused(self, "summary.csv", self->summary_file, "4,3,1", "3,2,1",
			    "summary.csv:2: datapoints.csv has not as many samples"));
	EXPECT_TRUE(refused(self, "summary.csv", self->summary_file, "4,3,1", "4,3,0",
			    "summary.csv:2: armed is not the sum"));
}

TEST_F(files, doubled_row)
{
	char doubled[4096];

	snprintf(doubled, sizeof(doubled), "%s%s", self->summary_file,
		 strchr(self->summary_file, '\n') + 1);
	EXPECT_TRUE(refused(self, "summary.csv", doubled, "m,", "m,",
			    "summary.csv:3: the row cpu0 hrt C6 is there already"));
}

TEST_HARNESS_MAIN
