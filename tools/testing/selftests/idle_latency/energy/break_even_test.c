// SPDX-License-Identifier: GPL-2.0
/* Lines through energies of idle periods, where they cross, and what is judged by that. */
#include <math.h>

#include "break_even.h"
#include "kselftest_harness.h"

#define US	1000.0
#define UJ	1000.0
#define LENGTHS	8

/* Points of a line, alternately above and below it by a part of the energy. */
static struct energy_line line_of(double cost_uj, double watts, double part)
{
	struct energy_point points[LENGTHS];
	struct energy_line line;

	for (size_t i = 0; i < LENGTHS; i++) {
		points[i].length_ns = (i + 1) * 100 * US;
		points[i].nj = (cost_uj * UJ + watts * points[i].length_ns) *
			       (i % 2 ? 1 + part : 1 - part);
		points[i].periods = 1;
	}
	energy_line_fit(points, LENGTHS, &line);
	return line;
}

static bool is_near(double is, double must, double off)
{
	return fabs(is - must) <= off;
}

TEST(line_is_found)
{
	const struct energy_line line = line_of(120, 1.5, 0);

	EXPECT_TRUE(is_near(line.cost_nj, 120 * UJ, 0.001));
	EXPECT_TRUE(is_near(line.power_w, 1.5, 0.000001));
	EXPECT_TRUE(is_near(line.residual, 0, 0.000001));
}

TEST(line_says_what_it_may_be_off_by)
{
	const struct energy_line line = line_of(120, 1.5, 0.01);

	EXPECT_TRUE(is_near(line.cost_nj, 120 * UJ, 4 * sqrt(line.cost_variance)));
	EXPECT_TRUE(is_near(line.power_w, 1.5, 4 * sqrt(line.power_variance)));
	EXPECT_TRUE(line.power_variance > 0);
	EXPECT_TRUE(line.residual > 0.005 && line.residual < 0.02);
}

TEST(points_without_a_line)
{
	struct energy_point points[] = { { 100, 10, 1 }, { 100, 10, 1 }, { 100, 11, 1 } };
	struct energy_line line;

	EXPECT_FALSE(energy_line_fit(points, 3, &line));
	points[0].length_ns = 200;
	EXPECT_TRUE(energy_line_fit(points, 3, &line));
	EXPECT_FALSE(energy_line_fit(points, 2, &line));
	points[0].nj = 0;
	EXPECT_FALSE(energy_line_fit(points, 3, &line));
}

/* Of three sums of 1 and three of 2 updates: the slope is the difference of their means. */
TEST(line_of_sums_is_found)
{
	struct energy_point points[] = {
		{ 1, 3, 1 }, { 1, 4, 1 }, { 1, 5, 1 }, { 2, 5, 1 }, { 2, 7, 1 }, { 2, 6, 1 },
	};
	struct energy_line line;

	EXPECT_TRUE(energy_line_fit_sums(points, 6, &line));
	EXPECT_TRUE(is_near(line.power_w, 2, 0.000001));
	EXPECT_TRUE(is_near(line.cost_nj, 2, 0.000001));
	/* (2 + 2 / 2) / 4 of an update; (1 / 3 + 2 / 3) of that is the variance of the slope */
	EXPECT_TRUE(is_near(line.power_variance, 0.75, 0.000001));
	for (size_t i = 0; i < 6; i++)
		points[i].nj = 0;
	EXPECT_TRUE(energy_line_fit_sums(points, 6, &line));
	EXPECT_TRUE(is_near(line.power_w, 0, 0.000001));
	points[0].length_ns = 0;
	EXPECT_FALSE(energy_line_fit_sums(points, 6, &line));
}

/* What wakes the CPU meanwhile takes 5 nJ each time, which is not its power. */
TEST(line_of_sums_of_several_periods)
{
	const size_t periods[] = { 1, 2, 1, 2, 4, 3 };
	struct energy_point points[ARRAY_SIZE(periods)];
	struct energy_line line;

	for (size_t i = 0; i < ARRAY_SIZE(periods); i++)
		points[i] = (struct energy_point) {
			.length_ns = i < 3 ? 64 : 128, .periods = periods[i],
			.nj = (i < 3 ? 64 : 128) * 0.7 + 5 * periods[i],
		};
	EXPECT_TRUE(energy_line_fit_sums(points, ARRAY_SIZE(periods), &line));
	EXPECT_TRUE(is_near(line.power_w, 0.7, 0.000001));
	EXPECT_TRUE(is_near(line.cost_nj, 5, 0.000001));
	/* Where there are as many more as the time is longer, nobody can tell them from it. */
	for (size_t i = 0; i < ARRAY_SIZE(periods); i++)
		points[i].periods = points[i].length_ns;
	EXPECT_FALSE(energy_line_fit_sums(points, ARRAY_SIZE(periods), &line));
}

TEST(how_much_longer_it_takes)
{
	struct break_even found = {
		.result = BREAK_EVEN_KNOWN, .ns = 100, .low_ns = 80, .high_ns = 110,
	};

	EXPECT_FALSE(break_even_is_within(&found, 0.1));
	EXPECT_TRUE(is_near(break_even_takes(&found), 9, 0.000001));
	found.low_ns = 101;
	EXPECT_TRUE(break_even_is_within(&found, 0.1));
	found.high_ns = INFINITY;
	EXPECT_FALSE(break_even_is_within(&found, 0.1));
	EXPECT_TRUE(is_near(break_even_takes(&found), 0, 0.000001));
	found.result = BREAK_EVEN_NEVER;
	EXPECT_TRUE(break_even_is_within(&found, 0.1));
}

/* It takes 200 uJ more and draws 1 W less: 200 us. */
TEST(lines_cross)
{
	const struct energy_line state = line_of(300, 1, 0), above = line_of(100, 2, 0);
	const struct break_even found = break_even_find(&state, &above);

	EXPECT_TRUE(found.result == BREAK_EVEN_KNOWN);
	EXPECT_TRUE(is_near(found.ns, 200 * US, 0.01));
	EXPECT_TRUE(is_near(found.low_ns, 200 * US, 0.01));
	EXPECT_TRUE(is_near(found.high_ns, 200 * US, 0.01));
}

/* Each line may be off by what its points are; the crossing is between the bounds. */
TEST(bounds_are_around_it)
{
	const struct energy_line state = line_of(300, 1, 0.001), above = line_of(100, 2, 0.001);
	const struct energy_line noisier = line_of(300, 1, 0.01);
	const struct break_even found = break_even_find(&state, &above);
	const struct break_even wider = break_even_find(&noisier, &above);

	EXPECT_TRUE(found.low_ns < 200 * US && 200 * US < found.high_ns);
	EXPECT_TRUE(found.low_ns < found.ns && found.ns < found.high_ns);
	EXPECT_TRUE(found.high_ns - found.low_ns < 20 * US);
	EXPECT_TRUE(wider.high_ns - wider.low_ns > 2 * (found.high_ns - found.low_ns));
}

TEST(state_that_never_pays)
{
	const struct energy_line above = line_of(100, 2, 0.001);
	const struct energy_line more = line_of(300, 2.1, 0.001), same = line_of(300000, 2, 0.001);
	/* It draws less, but its transition is that of 60 ms. */
	const struct energy_line late = line_of(60100, 1, 0.0001);

	EXPECT_TRUE(break_even_find(&more, &above).result == BREAK_EVEN_NEVER);
	EXPECT_TRUE(break_even_find(&same, &above).result == BREAK_EVEN_NEVER);
	EXPECT_TRUE(break_even_find(&late, &above).result == BREAK_EVEN_NEVER);
}

TEST(state_that_pays_at_once)
{
	const struct energy_line state = line_of(90, 1, 0.0001), above = line_of(100, 2, 0.0001);

	EXPECT_TRUE(break_even_find(&state, &above).result == BREAK_EVEN_AT_ONCE);
}

TEST(powers_that_are_not_told_apart)
{
	const struct energy_line state = line_of(101, 1.999, 0.05), above = line_of(100, 2, 0.05);

	EXPECT_TRUE(break_even_find(&state, &above).result == BREAK_EVEN_UNKNOWN);
}

static struct break_even between(double low_us, double us, double high_us)
{
	return (struct break_even) {
		.result = BREAK_EVEN_KNOWN, .ns = us * US, .low_ns = low_us * US,
		.high_ns = high_us * US,
	};
}

#define EXPECT_JUDGED(found, declared_us, is) do {					\
	const struct break_even by = found;						\
	const struct residency judged = residency_judge(&by, 1000ULL * (declared_us));	\
											\
	EXPECT_EQ(judged.result, is);							\
} while (0)

TEST(verdicts)
{
	EXPECT_JUDGED(between(190, 200, 210), 189, KSFT_FAIL);
	/* Not below the lower bound, but too wide. */
	EXPECT_JUDGED(between(190, 200, 210), 190, KSFT_SKIP);
	EXPECT_JUDGED(between(190, 200, 210), 209, KSFT_SKIP);
	EXPECT_JUDGED(between(190, 200, 210), 210, KSFT_PASS);
	EXPECT_JUDGED(between(195, 200, 205), 196, KSFT_PASS);
	EXPECT_JUDGED(between(195, 200, 205), 194, KSFT_FAIL);
	EXPECT_JUDGED(((struct break_even) { .result = BREAK_EVEN_NEVER }), 5000, KSFT_FAIL);
	EXPECT_JUDGED(((struct break_even) { .result = BREAK_EVEN_UNKNOWN }), 5000, KSFT_SKIP);
	EXPECT_JUDGED(((struct break_even) { .result = BREAK_EVEN_AT_ONCE }), 5, KSFT_PASS);
}

TEST(energy_that_is_left)
{
	const struct break_even found = between(195, 200, 205);

	EXPECT_STREQ(residency_judge(&found, 410000).reason, "");
	EXPECT_STRNE(residency_judge(&found, 410001).reason, "");
	EXPECT_EQ(residency_judge(&found, 410001).result, KSFT_PASS);
}

/* That of C6N of Bay Trail in v7.3 is. */
TEST(residency_below_the_latency)
{
	EXPECT_TRUE(residency_too_short(300000, 275000));
	EXPECT_FALSE(residency_too_short(275000, 275000));
}

TEST(quantiles)
{
	EXPECT_TRUE(is_near(student_999(1), 318.309, 0.001));
	EXPECT_TRUE(is_near(student_999(20), 3.552, 0.001));
	EXPECT_TRUE(is_near(student_999(1000), 3.385, 0.001));
	EXPECT_TRUE(is_near(student_975(2), 4.303, 0.001));
	EXPECT_TRUE(isinf(student_999(0)));
}

TEST_HARNESS_MAIN
