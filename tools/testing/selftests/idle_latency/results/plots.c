// SPDX-License-Identifier: GPL-2.0
/* The plots of a row in which each of its samples is. */
#include <math.h>

#include "plot.h"

static const char * const counter_names[COUNTERS] = {
	"C0", "C1", "CC3", "CC6", "CC7", "MC6", "PC2", "PC3", "PC6", "PC7",
	"PC8", "PC9", "PC10",
};

/* The first counter of the package. Those before it are of a core or of a module of cores. */
#define PACKAGE_COUNTER	6

/* By the order in a plot, so that those of a plot differ. */
static const char * const counter_classes[COUNTERS] = {
	"k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8", "k9", "k10",
	"k11", "k12",
};

static const char * const package_classes[COUNTERS] = {
	"package k0", "package k1", "package k2", "package k3", "package k4",
	"package k5", "package k6", "package k7", "package k8", "package k9",
	"package k10", "package k11", "package k12",
};

static struct point *points_of(const struct result *result, value_fn x,
			       value_fn y)
{
	struct point *points = memory(result->count, sizeof(struct point));

	for (size_t i = 0; i < result->count; i++)
		points[i] = (struct point) { x(result, i), y(result, i) };
	return points;
}

static bool scatter(FILE *page, const struct result *result,
		    const struct slowest *slowest, const struct axes *axes,
		    char *error, size_t size)
{
	struct plot plot = {
		.name = "scatter",
		.title = result->has_wake ?
				 "WakeLatency against SilentTime" :
				 "IntrLatency against launch distance",
		.note = "",
		.x = axes->distance,
		.y = axes->latency,
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
		     const struct slowest *slowest, const struct axes *axes,
		     char *error, size_t size)
{
	struct plot plot = {
		.name = "order",
		.title = "In order of time",
		.note = "",
		.x = axes->place,
		.y = axes->latency,
		.y2 = axes->ldist,
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
	const char * const *classes = counter < PACKAGE_COUNTER ?
					      counter_classes : package_classes;
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
	series = figure_add(plot, classes[plot->count], STYLE_MARKS, points,
			    count);
	series->label = counter_names[counter];
	series->noun = counter_names[counter];
	marks_thin(plot, series, always, always_count);
}

static bool residency(FILE *page, const struct result *result,
		      const struct slowest *slowest, const struct axes *axes,
		      char *error, size_t size)
{
	struct plot plot = {
		.name = "residency",
		.title = "Where the CPU was",
		.note = "Each counter that was ever above 0, as a share of the interval.",
		.x = axes->distance,
		.y = axes->residency,
	};

	for (size_t counter = 0; counter < COUNTERS; counter++)
		if (ever_counted(result, counter))
			add_counter(&plot, result, slowest, counter);
	return !plot.count || figure_write(page, &plot, error, size);
}

bool plots_write(FILE *page, const struct result *result, const __u64 *sorted,
		 const struct axes *axes, char *error, size_t size)
{
	struct slowest slowest;

	slowest_find(result, &slowest);
	return figure_ecdf(page, result, sorted, axes, error, size) &&
	       figure_histogram(page, result, sorted, axes, error, size) &&
	       scatter(page, result, &slowest, axes, error, size) &&
	       in_order(page, result, &slowest, axes, error, size) &&
	       residency(page, result, &slowest, axes, error, size) &&
	       figure_sweep(page, result, axes, error, size);
}
