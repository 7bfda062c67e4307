// SPDX-License-Identifier: GPL-2.0
/* The axes of a row's plots: the same in all runs, so that a difference can be seen. */
#include <math.h>
#include <stdlib.h>

#include "html.h"
#include "plot.h"

/* A bar for each three pixels, or less. */
#define BARS_MAX	120

/* What an axis has to have room for. */
struct range {
	double low;
	double high;
};

static const struct range nothing = { INFINITY, -INFINITY };

static void extend(struct range *range, double value)
{
	range->low = fmin(range->low, value);
	range->high = fmax(range->high, value);
}

static void fit(struct axis *axis, const struct range *range)
{
	axis_fit(axis, range->low, range->high);
}

double place_of(const struct result *result __always_unused, size_t i)
{
	return i + 1;
}

/* Without a WakeLatency, there is no SilentTime either. */
double distance_of(const struct result *result, size_t i)
{
	const struct sample *sample = &result->samples[i];

	return result->has_wake ? sample->silent_ns : sample->ldist_ns;
}

double latency_of(const struct result *result, size_t i)
{
	return sample_latency(result, &result->samples[i]);
}

double ldist_of(const struct result *result, size_t i)
{
	return result->samples[i].ldist_ns;
}

/* A share that is not known is NAN, which fmax() leaves out. */
static double largest_share(const struct result *result, size_t i)
{
	double largest = 100;

	for (size_t counter = 0; counter < COUNTERS; counter++)
		largest = fmax(largest, result->samples[i].share[counter]);
	return largest;
}

static struct range range_of(const struct peers *peers, value_fn value)
{
	struct range range = nothing;

	for (size_t i = 0; i < peers->count; i++)
		for (size_t j = 0; j < peers->results[i]->count; j++)
			extend(&range, value(peers->results[i], j));
	return range;
}

static void fit_samples(const struct peers *peers, struct axes *axes)
{
	struct range place = range_of(peers, place_of);
	struct range distance = range_of(peers, distance_of);
	struct range latency = range_of(peers, latency_of);
	struct range ldist = range_of(peers, ldist_of);
	struct range share = range_of(peers, largest_share);

	fit(&axes->place, &place);
	fit(&axes->distance, &distance);
	fit(&axes->latency, &latency);
	fit(&axes->ldist, &ldist);
	axis_fit(&axes->residency, 0, share.high);
}

/*
 * Wide enough for the declared exit latency to be seen, too. Nothing is left out of the range,
 * as what is slow is what matters.
 */
static void fit_distribution(const struct peers *peers, struct axes *axes)
{
	struct range time = range_of(peers, latency_of);
	struct range share = { LEVEL, 0 };

	for (size_t i = 0; i < peers->count; i++) {
		extend(&time, peers->results[i]->declared_ns);
		extend(&share, -log10(peers->results[i]->count));
	}
	fit(&axes->time, &time);
	axis_fit(&axes->share, share.low - 0.1, share.high);
}

/* The logarithm of how many samples the highest bar of a row has. */
static double highest_bar(const struct result *result, __u64 width)
{
	__u64 *sorted = latencies_sorted(result);
	size_t first = 0, most = 0;

	for (size_t i = 0; i < result->count; i++) {
		if (sorted[i] / width != sorted[first] / width)
			first = i;
		if (i - first + 1 > most)
			most = i - first + 1;
	}
	free(sorted);
	return log10(most);
}

/* A bar of one sample has a height, too. */
static void fit_bars(const struct peers *peers, struct axes *axes)
{
	struct range bars = { log10(0.5), log10(0.5) };

	axes->bar = axis_step((axes->time.to - axes->time.from) / BARS_MAX);
	axes->time_of_bars = axes->time;
	axis_fit(&axes->time_of_bars, axes->time.from - axes->bar / 2,
		 axes->time.to + axes->bar / 2);
	for (size_t i = 0; i < peers->count; i++)
		extend(&bars, highest_bar(peers->results[i], axes->bar));
	fit(&axes->samples, &bars);
	axes->samples.from = bars.low;
}

static void fit_steps(const struct peers *peers, struct axes *axes)
{
	struct range middle = nothing, latency = nothing;

	for (size_t i = 0; i < peers->count; i++) {
		const struct result *result = peers->results[i];

		for (size_t j = 0; j < result->step_count; j++) {
			const struct step *step = &result->steps[j];

			if (!step->samples)
				continue;
			extend(&middle, middle_of(step));
			extend(&latency, step->median_ns);
			extend(&latency, step->max_ns);
		}
	}
	if (middle.low > middle.high)
		return;
	fit(&axes->step, &middle);
	fit(&axes->step_latency, &latency);
}

static struct axis new_axis(const char *label, enum axis_scale scale)
{
	return (struct axis) { .label = label, .scale = scale };
}

struct axes axes_of(const struct peers *peers)
{
	bool wake = peers->results[0]->has_wake;
	const char *latency = wake ? "WakeLatency" : "IntrLatency";
	struct axes axes = {
		.place = new_axis("Sample", SCALE_COUNT),
		.distance = new_axis(wake ? "SilentTime" : "Launch distance", SCALE_NS),
		.latency = new_axis(latency, SCALE_NS),
		.ldist = new_axis("Launch distance", SCALE_NS),
		.residency = new_axis("Residency", SCALE_PERCENT),
		.time = new_axis(latency, SCALE_NS),
		.share = new_axis("Share of samples", SCALE_LOG_SHARE),
		.samples = new_axis("Samples", SCALE_LOG_COUNT),
		.step = new_axis("Launch distance", SCALE_LOG_NS),
		.step_latency = new_axis(latency, SCALE_NS),
	};

	fit_samples(peers, &axes);
	fit_distribution(peers, &axes);
	fit_bars(peers, &axes);
	fit_steps(peers, &axes);
	return axes;
}
