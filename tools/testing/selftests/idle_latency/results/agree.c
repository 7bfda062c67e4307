// SPDX-License-Identifier: GPL-2.0
/* Whether what a run says twice is the same: by hand, or by a program, only one was changed. */
#include <math.h>
#include <stdlib.h>

#include "results.h"

/* Both times of a difference are rounded to ns, and so are the two that it is compared with. */
#define ROUNDING_NS	4

/*
 * SilentTime and WakeLatency together are TAI - TBI, and IntrLatency less WakeLatency is
 * TIntr - TAI, both by the clock of the event source. That of a card is slower or faster than
 * the TSC, and while a run takes minutes that changes by less than this part.
 */
#define DRIFT		0.0005

/*
 * ns per cycle: the median of what the samples of a row say, which one that was changed does not
 * move. 0: there are none with a WakeLatency.
 */
static double find_cycle(const struct result *result)
{
	__u64 *ratios = memory(result->count, sizeof(*ratios));
	double cycle = 0;
	size_t count = 0;

	for (size_t i = 0; i < result->count; i++) {
		const struct sample *sample = &result->samples[i];

		if (sample->has_wake && sample->away_cyc)
			ratios[count++] = (sample->silent_ns + sample->wake_ns) *
					  NS_PER_SEC / sample->away_cyc;
	}
	sort_samples(ratios, count);
	if (count)
		cycle = (double)order_stat(ratios, count, QUANTILE_ONE / 2) /
			NS_PER_SEC;
	free(ratios);
	return cycle;
}

static bool near(double ns, double expected)
{
	return fabs(ns - expected) <= ROUNDING_NS + expected * DRIFT;
}

static bool times_agree(const struct sample *sample, double cycle)
{
	double handler_ns = (double)sample->intr_ns - sample->wake_ns;

	return !sample->has_wake ||
	       (near(sample->silent_ns + sample->wake_ns,
		     sample->away_cyc * cycle) &&
		near(handler_ns, sample->handler_cyc * cycle));
}

static bool samples_agree(const struct run *run, const struct result *result,
			  char *error, size_t size)
{
	double cycle = find_cycle(result);

	for (size_t i = 0; i < result->count; i++) {
		const struct sample *sample = &result->samples[i];

		if (times_agree(sample, cycle))
			continue;
		snprintf(error, size,
			 "%s/datapoints.csv:%lu: the times are not those of the stamps: one was changed",
			 run->dir, sample->line);
		return false;
	}
	return true;
}

/* Of all samples, sorted; the summary has the statistics of WakeLatency where all have one. */
static bool stats_agree(const struct result *result, __u64 *times)
{
	const struct order_stats *says = &result->summary.wake;
	struct order_stats stats;

	for (size_t i = 0; i < result->count; i++)
		times[i] = result->samples[i].intr_ns;
	sort_samples(times, result->count);
	stats = order_stats(times, result->count);
	if (stats.median != result->summary.intr_median ||
	    stats.max != result->summary.intr_max ||
	    result->has_wake != result->summary.has_wake)
		return false;
	if (!result->has_wake)
		return true;
	for (size_t i = 0; i < result->count; i++)
		times[i] = result->samples[i].wake_ns;
	sort_samples(times, result->count);
	stats = order_stats(times, result->count);
	return stats.min == says->min && stats.median == says->median &&
	       stats.max == says->max && stats.p99 == says->p99 &&
	       stats.p9999 == says->p9999;
}

/* Where there are such files. */
static bool sums_agree(const struct result *result)
{
	__u64 discarded = 0, samples = 0;

	for (size_t i = 0; i < result->discard_count; i++)
		discarded += result->discards[i].count;
	for (size_t i = 0; i < result->step_count; i++)
		samples += result->steps[i].samples;
	return (!result->discard_count || discarded == result->discarded) &&
	       (!result->step_count || samples == result->count);
}

static const char *find_contradiction(const struct result *result)
{
	__u64 *times;
	bool agrees;

	if (result->summary.valid != result->count)
		return "datapoints.csv has not as many samples of this row as valid says";
	if (!sums_agree(result))
		return "discards.csv or sweep.csv counts other events of this row";
	if (!result->count)
		return NULL;
	times = memory(result->count, sizeof(*times));
	agrees = stats_agree(result, times);
	free(times);
	return agrees ? NULL :
	       "the latencies of this row are not those of its samples in datapoints.csv";
}

bool run_agrees(const struct run *run, char *error, size_t size)
{
	for (size_t i = 0; i < run->count; i++) {
		const struct result *result = &run->results[i];
		const char *contradiction;

		if (!samples_agree(run, result, error, size))
			return false;
		contradiction = find_contradiction(result);
		if (!contradiction)
			continue;
		snprintf(error, size, "%s/summary.csv:%lu: %s", run->dir,
			 result->summary.line, contradiction);
		return false;
	}
	return true;
}
