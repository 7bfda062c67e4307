// SPDX-License-Identifier: GPL-2.0
/* How the latencies of a row are distributed. */
#include <math.h>

#include "plot.h"

static void add_declared(struct plot *plot, const struct result *result)
{
	double x = result->declared_ns;

	figure_add_line(plot, "declared", "declared exit latency",
			(struct point) { x, plot->y.from },
			(struct point) { x, plot->y.to });
}

/* The share of samples that take at least so long, for each latency that there is. */
static struct point *shares_of(const struct result *result,
			       const __u64 *sorted, size_t *count)
{
	struct point *points = memory(result->count, sizeof(struct point));
	double all = result->count;

	*count = 0;
	for (size_t i = 0; i < result->count; i++)
		if (!i || sorted[i] != sorted[i - 1])
			points[(*count)++] = (struct point) {
				sorted[i], log10((all - i) / all),
			};
	return points;
}

static void add_shares(struct plot *plot, const struct result *result,
		       const __u64 *sorted)
{
	size_t always[SLOWEST_MAX], count;
	struct point *points = shares_of(result, sorted, &count), *corners;
	size_t last = count < SLOWEST_MAX ? count : SLOWEST_MAX;
	struct series *marks;

	for (size_t i = 0; i < last; i++)
		always[i] = count - 1 - i;
	marks = figure_add(plot, "wake", STYLE_MARKS, points, count);
	marks->noun = "distinct latencies";
	marks_thin(plot, marks, always, last);
	corners = memory(marks->count, sizeof(struct point));
	for (size_t i = 0; i < marks->count; i++)
		corners[i] = marks->points[i];
	figure_add(plot, "wake", STYLE_STEPS, corners, marks->count);
}

/*
 * Not F, but 1 - F, and on a logarithmic axis: the verdict is about the slowest samples,
 * and of F all above 99 % would be within two pixels of the upper edge. This way each
 * power of ten has as much room as the one before it.
 */
bool figure_ecdf(FILE *page, const struct result *result, const __u64 *sorted,
		 const struct axes *axes, char *error, size_t size)
{
	struct plot plot = {
		.name = "ecdf",
		.title = "Share of samples that take at least so long",
		.note = "A logarithmic axis gives the slowest samples as much room as the others.",
		.x = axes->time,
		.y = axes->share,
	};

	add_declared(&plot, result);
	figure_add_line(&plot, "level", "0.01 %, the 99.99th percentile",
			(struct point) { plot.x.from, LEVEL },
			(struct point) { plot.x.to, LEVEL });
	add_shares(&plot, result, sorted);
	return figure_write(page, &plot, error, size);
}

static struct point *bars_of(const struct result *result, const __u64 *sorted,
			     __u64 width, size_t *count)
{
	size_t room = sorted[result->count - 1] / width - sorted[0] / width + 1;
	struct point *bars;

	if (room > result->count)
		room = result->count;
	bars = memory(room, sizeof(struct point));
	*count = 0;
	for (size_t i = 0; i < result->count; i++) {
		/* From half a ns before the first to half a ns behind the last. */
		double middle = (double)(sorted[i] / width * width) +
				(width - 1) / 2.0;

		if (!i || sorted[i] / width != sorted[i - 1] / width)
			bars[(*count)++].x = middle;
		bars[*count - 1].y++;
	}
	return bars;
}

bool figure_histogram(FILE *page, const struct result *result,
		      const __u64 *sorted, const struct axes *axes, char *error,
		      size_t size)
{
	struct plot plot = {
		.name = "histogram",
		.title = "Histogram",
		.x = axes->time_of_bars,
		.y = axes->samples,
	};
	size_t count;
	struct point *bars = bars_of(result, sorted, axes->bar, &count);
	char note[96];

	for (size_t i = 0; i < count; i++)
		bars[i].y = log10(bars[i].y);
	snprintf(note, sizeof(note),
		 "All %zu samples are counted, in steps of %.0f ns.",
		 result->count, axes->bar);
	plot.note = note;
	figure_add(&plot, "wake", STYLE_BARS, bars, count)->width = axes->bar;
	add_declared(&plot, result);
	return figure_write(page, &plot, error, size);
}
