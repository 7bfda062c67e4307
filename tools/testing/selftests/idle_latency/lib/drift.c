// SPDX-License-Identifier: GPL-2.0
/* Whether the first samples of a row differ from those after them, by ranks. */
#include <math.h>
#include <stdlib.h>

#include "summary.h"

/* Of 1000 rows whose samples come in any order, one is wrong at most. */
#define DRIFT_ALPHA	0.001

/* With fewer, chance is as likely; more are told as the most; and they are compared with those. */
#define DRIFT_LEAST	20
#define DRIFT_MOST	250
#define DRIFT_SEEN	2000

/* Twice how many of the sorted ones are smaller, and once how many are equal. */
static size_t twice_rank(const struct sample_set *all, __u64 ns)
{
	size_t rank = 0;

	for (size_t i = 0; i < all->count && all->sorted[i] <= ns; i++)
		rank += 1 + (all->sorted[i] < ns);
	return rank;
}

/*
 * Which number of first ones deviates the most, by the test of Mann and Whitney: by the sum of
 * their midranks, in standard deviations. That of equal samples is smaller, which is not corrected
 * for: it errs on the safe side, however many are equal.
 */
static double find_change(const __u32 *latencies, const struct sample_set *all, size_t most,
			  struct drift *drift)
{
	const double n = all->count;
	double rank_sum = 0, largest = 0;

	for (size_t k = 1; k <= most; k++) {
		double z;

		rank_sum += twice_rank(all, latencies[k - 1]) / 2.0;
		z = (rank_sum - k * n / 2) / sqrt(k * (n - k) * (n + 1) / 12);
		if (k < DRIFT_LEAST || fabs(z) <= largest)
			continue;
		largest = fabs(z);
		*drift = (struct drift) { .first = k, .slower = z > 0 };
	}
	return largest;
}

/* For which number most are on their side of the middle: what deviates the most may be more. */
static void find_first(const __u32 *latencies, size_t most, struct drift *drift)
{
	const __u64 middle_ns = (drift->median_ns + drift->others_ns) / 2;
	long right = 0, best = 0;

	for (size_t k = 1; k <= most; k++) {
		right += (latencies[k - 1] > middle_ns) == drift->slower ? 1 : -1;
		if (k < DRIFT_LEAST || right <= best)
			continue;
		best = right;
		drift->first = k;
		drift->may_be_more = k == most;
	}
}

/* The first ones and the others, each sorted. @room: for all */
static void split(const __u32 *latencies, size_t count, struct drift *drift,
		  struct sample_set *first, struct sample_set *others, __u64 *room)
{
	const size_t number = drift->first;

	*first = sample_set_of(latencies, number, room);
	*others = sample_set_of(latencies + number, count - number, room + number);
	drift->median_ns = order_stat(first->sorted, number, QUANTILE_ONE / 2);
	drift->others_ns = order_stat(others->sorted, count - number, QUANTILE_ONE / 2);
}

void drift_find(struct summary *summary, const __u32 *latencies, size_t count)
{
	const struct margin margin = { 2 * summary->median_error_ns, MARGIN_LEAST_NS,
				       MARGIN_PERCENT };
	const size_t seen = smaller(count, DRIFT_SEEN);
	const size_t most = smaller(DRIFT_MOST, minus_or_0(seen, DRIFT_LEAST));
	/* As many numbers of first ones, in both directions: Bonferroni. */
	const double alpha = DRIFT_ALPHA / 2 / (minus_or_0(most, DRIFT_LEAST) + 1);
	__u64 *room = most < DRIFT_LEAST ? NULL : malloc(2 * seen * sizeof(*room));
	struct drift found = { };
	struct rank_test test = { };
	struct sample_set first, others;

	if (!room)
		return;
	first = sample_set_of(latencies, seen, room);
	test.z = find_change(latencies, &first, most, &found);
	if (rank_test_p(&test) <= alpha) {
		split(latencies, seen, &found, &first, &others, room);
		find_first(latencies, most, &found);
		split(latencies, seen, &found, &first, &others, room);
		if (found.slower ? is_larger(&others, &first, &margin, alpha, room + seen) :
				   is_larger(&first, &others, &margin, alpha, room + seen))
			summary->drift = found;
	}
	free(room);
}
