// SPDX-License-Identifier: GPL-2.0
/* The plots of a row in which each of its samples is. */
#include <math.h>

#include "plot.h"

/* Shares of the interval; the last column is a frequency. */
#define COUNTERS	(SHARES - 1)

static const char * const counter_names[COUNTERS] = {
	"C0", "C1", "CC3", "CC6", "CC7", "MC6", "PC2", "PC3", "PC6", "PC7",
	"PC8", "PC9", "PC10",
};

/* By the order in a plot, so that those of a plot differ. */
static const char * const counter_classes[COUNTERS] = {
	"k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8", "k9", "k10",
	"k11", "k12",
};

typedef double (*value_fn)(const struct result *result, size_t i);

/* Without a WakeLatency, there is no SilentTime either. */
static double distance_of(const struct result *result, size_t i)
{
	const struct sample *sample = &result->samples[i];

	return result->has_wake ? sample->silent_ns : sample->ldist_ns;
}

static double latency_of(const struct result *result, size_t i)
{
	return sample_latency(result, &result->samples[i]);
}

static double ldist_of(const struct result *result, size_t i)
{
	return result->samples[i].ldist_ns;
}

static double place_of(const struct result *result __always_unused, size_t i)
{
	return i + 1;
}

static struct point *points_of(const struct result *result, value_fn x,
			       value_fn y)
{
	struct point *points = memory(result->count, sizeof(struct point));

	for (size_t i = 0; i < result->count; i++)
		points[i] = (struct point) { x(result, i), y(result, i) };
	return points;
}

static struct axis axis_of(const struct result *result, value_fn value,
			   enum axis_scale scale, const char *label)
{
	struct axis axis = { .label = label, .scale = scale };
	double low = value(result, 0), high = low;

	for (size_t i = 1; i < result->count; i++) {
		low = fmin(low, value(result, i));
		high = fmax(high, value(result, i));
	}
	axis_fit(&axis, low, high);
	return axis;
}

static struct axis distance_axis(const struct result *result)
{
	return axis_of(result, distance_of, SCALE_NS,
		       result->has_wake ? "SilentTime" : "Launch distance");
}

static const char *latency_name(const struct result *result)
{
	return result->has_wake ? "WakeLatency" : "IntrLatency";
}

static struct axis latency_axis(const struct result *result)
{
	return axis_of(result, latency_of, SCALE_NS, latency_name(result));
}

static bool scatter(FILE *page, const struct result *result,
		    const struct slowest *slowest, char *error, size_t size)
{
	struct plot plot = {
		.name = "scatter",
		.title = result->has_wake ?
				 "WakeLatency against SilentTime" :
				 "IntrLatency against launch distance",
		.note = "",
		.x = distance_axis(result),
		.y = latency_axis(result),
	};
	struct series *series;

	series = figure_add(&plot, "wake", STYLE_MARKS,
			    points_of(result, distance_of, latency_of),
			    result->count);
	series->noun = "samples";
	marks_thin(&plot, series, slowest->index, slowest->count);
	return figure_write(page, &plot, error, size);
}

static bool in_order(FILE *page, const struct result *result,
		     const struct slowest *slowest, char *error, size_t size)
{
	struct plot plot = {
		.name = "order",
		.title = "In order of time",
		.note = "",
		.x = axis_of(result, place_of, SCALE_COUNT, "Sample"),
		.y = latency_axis(result),
		.y2 = axis_of(result, ldist_of, SCALE_NS, "Launch distance"),
	};
	struct series *series;

	series = figure_add(&plot, "ldist", STYLE_MARKS,
			    points_of(result, place_of, ldist_of),
			    result->count);
	series->second = true;
	series->label = "launch distance, right";
	series->noun = "launch distances";
	marks_thin(&plot, series, slowest->index, slowest->count);
	series = figure_add(&plot, "wake", STYLE_MARKS,
			    points_of(result, place_of, latency_of),
			    result->count);
	series->label = result->has_wake ? "WakeLatency, left" :
					   "IntrLatency, left";
	series->noun = "latencies";
	marks_thin(&plot, series, slowest->index, slowest->count);
	return figure_write(page, &plot, error, size);
}

static bool ever_counted(const struct result *result, size_t counter)
{
	for (size_t i = 0; i < result->count; i++)
		if (result->samples[i].share[counter] > 0)
			return true;
	return false;
}

/* Samples in which the counter is not known have no mark, so places move. */
static void add_counter(struct plot *plot, const struct result *result,
			const struct slowest *slowest, size_t counter)
{
	struct point *points = memory(result->count, sizeof(struct point));
	size_t always[SLOWEST_MAX], always_count = 0, count = 0;
	struct series *series;

	for (size_t i = 0; i < result->count; i++) {
		if (isnan(result->samples[i].share[counter]))
			continue;
		for (size_t j = 0; j < slowest->count; j++)
			if (slowest->index[j] == i)
				always[always_count++] = count;
		points[count++] = (struct point) {
			distance_of(result, i), result->samples[i].share[counter],
		};
	}
	series = figure_add(plot, counter_classes[plot->count], STYLE_MARKS,
			    points, count);
	series->label = counter_names[counter];
	series->noun = counter_names[counter];
	marks_thin(plot, series, always, always_count);
}

static bool residency(FILE *page, const struct result *result,
		      const struct slowest *slowest, char *error, size_t size)
{
	struct plot plot = {
		.name = "residency",
		.title = "Where the CPU was",
		.note = "Each counter that was ever above 0, as a share of the interval.",
		.x = distance_axis(result),
		.y = { .label = "Residency", .scale = SCALE_PERCENT },
	};
	double highest = 100;

	for (size_t counter = 0; counter < COUNTERS; counter++)
		for (size_t i = 0; i < result->count; i++)
			highest = fmax(highest, result->samples[i].share[counter]);
	axis_fit(&plot.y, 0, highest);
	for (size_t counter = 0; counter < COUNTERS; counter++)
		if (ever_counted(result, counter))
			add_counter(&plot, result, slowest, counter);
	return !plot.count || figure_write(page, &plot, error, size);
}

bool plots_write(FILE *page, const struct result *result, const __u64 *sorted,
		 char *error, size_t size)
{
	struct slowest slowest;

	slowest_find(result, &slowest);
	return figure_ecdf(page, result, sorted, error, size) &&
	       figure_histogram(page, result, sorted, error, size) &&
	       scatter(page, result, &slowest, error, size) &&
	       in_order(page, result, &slowest, error, size) &&
	       residency(page, result, &slowest, error, size) &&
	       figure_sweep(page, result, error, size);
}
