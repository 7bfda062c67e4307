// SPDX-License-Identifier: GPL-2.0
/* Whether the latency changes with the launch distance. */
#include <math.h>
#include <stdlib.h>

#include "self_check.h"

/* Of the launch distance: what is wider tells nothing. */
#define SLOPE_WIDE_PPM	10.0

struct slopes {
	double *ppm;
	size_t count;
	/* of how many pairs rise less how many fall, when it is chance */
	double deviation;
};

static int compare_slopes(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static double pairs_variance(double n)
{
	return n * (n - 1) * (2 * n + 5) / 18;
}

/* From the first of those that have the same launch distance on. */
static size_t count_same(const struct idle_latency_record *records, size_t first, size_t count)
{
	size_t same = 0;

	for (size_t i = 0; i < count; i++) {
		if (records[i].ldist_ns != records[first].ldist_ns)
			continue;
		if (i < first)
			return 0;
		same++;
	}
	return same;
}

static double slope_ppm(const struct idle_latency_record *a, const struct idle_latency_record *b)
{
	return ((double)b->wake_ns - a->wake_ns) / ((double)b->ldist_ns - a->ldist_ns) * 1e6;
}

/* That of each pair with two launch distances, sorted. Returns false without memory. */
static bool find_slopes(const struct collection *collection, struct slopes *slopes)
{
	const struct idle_latency_record *records = collection->samples;
	size_t count = collection->count;
	double variance = pairs_variance(count);

	*slopes = (struct slopes) { .ppm = calloc(count * count / 2 + 1, sizeof(*slopes->ppm)) };
	if (!slopes->ppm)
		return false;
	for (size_t i = 0; i < count; i++) {
		variance -= pairs_variance(count_same(records, i, count));
		for (size_t j = i + 1; j < count; j++)
			if (records[i].ldist_ns != records[j].ldist_ns)
				slopes->ppm[slopes->count++] = slope_ppm(&records[i], &records[j]);
	}
	slopes->deviation = sqrt(variance);
	qsort(slopes->ppm, slopes->count, sizeof(*slopes->ppm), compare_slopes);
	return true;
}

/* @rank: from 0, and what is outside is the first or last one */
static double slope_at(const struct slopes *slopes, double rank)
{
	if (rank < 0)
		return slopes->ppm[0];
	if (rank > slopes->count - 1)
		return slopes->ppm[slopes->count - 1];
	return slopes->ppm[(size_t)rank];
}

static void judge_slope(const struct slopes *slopes, size_t samples, struct self_check *check)
{
	double half = SELF_CHECK_DEVIATIONS * slopes->deviation / 2, middle = slopes->count / 2.0;
	double low = slope_at(slopes, floor(middle - half - 1));
	double high = slope_at(slopes, ceil(middle + half));
	double ppm = slope_at(slopes, middle);
	enum self_verdict verdict = SELF_OK;
	const char *reason = NULL;

	if ((low > 0 || high < 0) && fabs(ppm) > SLOPE_PPM) {
		verdict = SELF_DIFFERS;
		reason = "the latency changes with the launch distance";
	} else if (low < -SLOPE_WIDE_PPM || high > SLOPE_WIDE_PPM) {
		verdict = SELF_IMPOSSIBLE;
		reason = "the latencies spread too far";
	}
	self_say(check, verdict, reason,
		 "%.2f ppm of the launch distance (%.2f to %.2f), in %zu samples",
		 ppm, low, high, samples);
}

/*
 * The median slope of all pairs (Theil and Sen) and its interval by ranks, because a CPU that
 * is late once is as late as by many ppm.
 */
void self_check_slope(const struct collection *collection, struct self_check *check)
{
	struct slopes slopes = { };

	if (collection->count < SELF_CHECK_SAMPLES || !find_slopes(collection, &slopes) ||
	    !slopes.count)
		self_check_impossible(check, SELF_TOO_FEW);
	else
		judge_slope(&slopes, collection->count, check);
	free(slopes.ppm);
}
