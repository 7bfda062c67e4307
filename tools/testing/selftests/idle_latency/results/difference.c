// SPDX-License-Identifier: GPL-2.0
/* The tests on one row of two runs. */
#include <stdlib.h>

#include "compare.h"

/* So many of both runs together are the slowest. */
#define SLOWEST		20

static bool in_part(const struct result *result, const struct sample *sample,
		    enum part part)
{
	if (part == PART_ENTRY)
		return sample->ldist_ns < result->ldist_from_ns;
	return sample->ldist_ns >= result->ldist_from_ns &&
	       sample->ldist_ns <= result->ldist_to_ns;
}

void take_part(const struct result *result, enum part part,
	       struct sample_set *set)
{
	__u64 *sorted = memory(result->count + 1, sizeof(*sorted));

	*set = (struct sample_set) { .sorted = sorted };
	for (size_t i = 0; i < result->count; i++)
		if (in_part(result, &result->samples[i], part))
			sorted[set->count++] =
				sample_latency(result, &result->samples[i]);
	sort_samples(sorted, set->count);
}

double drift_p(const struct result *result, const struct margin *margin)
{
	struct margin with_errors = *margin;
	struct result half[2] = { *result, *result };
	struct sample_set set[2];
	double later, earlier;
	__u64 *room;

	with_errors.error_ns += 2 * median_error(result);
	half[0].count /= 2;
	half[1].samples += half[0].count;
	half[1].count -= half[0].count;
	for (size_t i = 0; i < ARRAY_SIZE(half); i++)
		take_part(&half[i], PART_COUNTED, &set[i]);
	room = memory(result->count, sizeof(*room));
	later = larger_p(&set[0], &set[1], &with_errors, room);
	earlier = larger_p(&set[1], &set[0], &with_errors, room);
	free(room);
	for (size_t i = 0; i < ARRAY_SIZE(set); i++)
		free((void *)set[i].sorted);
	return 2 * (later < earlier ? later : earlier);
}

__u64 median_error(const struct result *result)
{
	__u64 *errors = memory(result->count, sizeof(*errors));
	__u64 median;

	for (size_t i = 0; i < result->count; i++)
		errors[i] = result->samples[i].error_ns;
	sort_samples(errors, result->count);
	median = order_stat(errors, result->count, QUANTILE_ONE / 2);
	free(errors);
	return median;
}

/* What is tested on two sets, of which @b is less the margin. */
struct reduced {
	struct sample_set a;
	struct sample_set b;
};

static double tail_p(const struct reduced *sets, __u64 threshold)
{
	size_t above_a = count_above(&sets->a, threshold);
	size_t above_b = count_above(&sets->b, threshold);

	return tail_test_p(sets->a.count, sets->b.count, above_a + above_b,
			   above_b);
}

/* How many of a hundred samples of both runs are above the threshold of a test. */
static const size_t percent_above[TESTED] = {
	[TESTED_P50] = 50,
	[TESTED_P75] = 25,
	[TESTED_P90] = 10,
	[TESTED_P99] = 1,
};

static __u64 threshold_of(const struct sample_set *a,
			  const struct sample_set *b, enum tested tested,
			  __u64 declared_ns)
{
	size_t both = a->count + b->count;

	switch (tested) {
	case TESTED_SLOWEST:
		return pooled_sample(a, b, SLOWEST + 1);
	case TESTED_DECLARED:
		return declared_ns;
	default:
		return pooled_sample(a, b,
				     both * percent_above[tested] / 100 + 1);
	}
}

/* One-sided p of each test: that @b is larger than @a by more than the margin. */
static void test_larger(const struct sample_set *a, const struct sample_set *b,
			const struct margin *margin, __u64 declared_ns,
			__u64 *room, double p[TESTED])
{
	const struct reduced sets = {
		.a = *a,
		.b = { .sorted = room, .count = b->count },
	};

	p[TESTED_BODY] = larger_p(a, b, margin, room);
	for (enum tested i = TESTED_P50; i < TESTED; i++)
		p[i] = tail_p(&sets, threshold_of(&sets.a, &sets.b, i,
						  declared_ns));
}

static void note_finding(const struct part_difference *part,
			 enum tested tested, __u64 declared_ns, double slower,
			 double faster, struct finding *finding)
{
	__u64 threshold = threshold_of(&part->a, &part->b, tested,
				       declared_ns);
	double p = 2 * (slower < faster ? slower : faster);

	*finding = (struct finding) {
		.p = p < 1 ? p : 1,
		.slower = slower < faster,
		.threshold_ns = threshold,
		.above_a = count_above(&part->a, threshold),
		.above_b = count_above(&part->b, threshold),
	};
}

/*
 * The interval of B less the other end of that of A. Each is wrong with half of the
 * probability, so that the difference is right with at least that of one.
 */
static struct moved find_moved(const struct part_difference *part,
			       __u64 quantile)
{
	const struct sample_set *a = &part->a, *b = &part->b;
	struct rank_interval of_a = quantile_ranks(a->count, quantile,
						   COMPARE_ALPHA / 2);
	struct rank_interval of_b = quantile_ranks(b->count, quantile,
						   COMPARE_ALPHA / 2);
	struct moved moved = {
		.has_low = of_b.low && of_a.high <= a->count,
		.has_high = of_a.low && of_b.high <= b->count,
	};

	if (moved.has_low)
		moved.low_ns = (__s64)b->sorted[of_b.low - 1] -
			       (__s64)a->sorted[of_a.high - 1];
	if (moved.has_high)
		moved.high_ns = (__s64)b->sorted[of_b.high - 1] -
				(__s64)a->sorted[of_a.low - 1];
	return moved;
}

static void compare_part(struct part_difference *part, __u64 declared_ns)
{
	double slower[TESTED], faster[TESTED];
	__u64 *room;

	part->compared = part->a.count >= COMPARE_LEAST &&
			 part->b.count >= COMPARE_LEAST;
	if (!part->compared)
		return;
	room = memory(part->a.count + part->b.count, sizeof(*room));
	test_larger(&part->a, &part->b, &part->margin, declared_ns, room,
		    slower);
	test_larger(&part->b, &part->a, &part->margin, declared_ns, room,
		    faster);
	free(room);
	for (enum tested i = TESTED_BODY; i < TESTED; i++)
		note_finding(part, i, declared_ns, slower[i], faster[i],
			     &part->findings[i]);
	part->median = find_moved(part, QUANTILE_ONE / 2);
	part->p99 = find_moved(part, QUANTILE_ONE / 100 * 99);
}

void compare_results(struct difference *difference, const struct margin *margin)
{
	__u64 error_ns = median_error(difference->a) +
			 median_error(difference->b);

	for (enum part i = PART_COUNTED; i < PARTS; i++) {
		struct part_difference *part = &difference->parts[i];

		part->margin = *margin;
		part->margin.error_ns += error_ns;
		take_part(difference->a, i, &part->a);
		take_part(difference->b, i, &part->b);
		compare_part(part, difference->a->declared_ns);
	}
}
