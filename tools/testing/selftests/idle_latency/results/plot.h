/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plots of a page: what is drawn, which is decided here, and gnuplot, which draws it.
 */
#ifndef PLOT_H
#define PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "results.h"

/*
 * The drawing and the area between its axes, in pixels. On a phone it is a sixth
 * narrower, with text that can still be read; on a screen three are side by side.
 */
#define PLOT_WIDTH	440
#define PLOT_HEIGHT	284
#define AREA_LEFT	72
#define AREA_RIGHT	412
/* with a second axis */
#define AREA_RIGHT_2	384
#define AREA_TOP	30
#define AREA_BOTTOM	236

/* Of marks in the same square of so many pixels, one is enough. */
#define CELL		2

enum axis_scale {
	SCALE_NS,
	SCALE_COUNT,
	SCALE_PERCENT,
	/* These have the common logarithm of it; of a share, not of percent. */
	SCALE_LOG_NS,
	SCALE_LOG_COUNT,
	SCALE_LOG_SHARE,
};

struct axis {
	/* NULL: there is no such axis */
	const char *label;
	enum axis_scale scale;
	double from;
	double to;
};

#define TICKS_MAX	24

struct tick {
	double at;
	char label[24];
};

/* Makes room for these values, and a little more, so that none is on the edge. */
void axis_fit(struct axis *axis, double low, double high);

/* Returns how many ticks there are; @unit is for the label, or "". */
size_t axis_ticks(const struct axis *axis, struct tick ticks[TICKS_MAX],
		  const char **unit);

/* 1, 2 or 5 times a power of ten: the smallest that is not below @least, nor below 1. */
double axis_step(double least);

struct point {
	double x;
	double y;
};

enum series_style {
	STYLE_MARKS,
	/* around marks, which are seen within them */
	STYLE_RINGS,
	STYLE_BARS,
	STYLE_LINE,
	/* vertically first */
	STYLE_STEPS,
};

struct series {
	/* its class in the page */
	const char *class;
	/* what it is, beside its colour; NULL: that is said elsewhere */
	const char *label;
	/* what there were @all of before most of them were left out; NULL: nothing was */
	const char *noun;
	enum series_style style;
	/* belongs to the second axis */
	bool second;
	/* of a bar */
	double width;
	struct point *points;
	size_t count;
	size_t all;
};

#define SERIES_MAX	SHARES

struct plot {
	const char *name;
	const char *title;
	/* a sentence, or "" */
	const char *note;
	struct axis x;
	struct axis y;
	struct axis y2;
	struct series series[SERIES_MAX];
	size_t count;
};

/*
 * Leaves out marks that would be in the same cell as another one, but none with the
 * smallest or the largest value of an axis, and none of @always, which are indexes.
 */
void marks_thin(const struct plot *plot, struct series *series,
		const size_t *always, size_t always_count);

/* Marks stand for what there is, and lines are between these, or for what is known. */
static inline bool has_marks(const struct series *series)
{
	return series->style <= STYLE_BARS;
}

/* How many marks the plot has. */
size_t plot_marks(const struct plot *plot);

/* Writes the plot as an element svg. Returns false, and why in @error, if not. */
bool plot_draw(const struct plot *plot, FILE *page, char *error, size_t size);

/* Writes what gnuplot made of the plot, without what a page has no use for. */
bool svg_rewrite(FILE *from, const struct plot *plot, FILE *page);

/* How the figures of a row are put together. */

/* Adds points, which the plot frees. */
struct series *figure_add(struct plot *plot, const char *class,
			  enum series_style style, struct point *points,
			  size_t count);

void figure_add_line(struct plot *plot, const char *class, const char *label,
		     struct point from, struct point to);

/* Writes a plot with its caption, and frees its points. */
bool figure_write(FILE *page, struct plot *plot, char *error, size_t size);

/* Shares of the interval; the last column is a frequency. */
#define COUNTERS	(SHARES - 1)

/* The logarithm of the share of samples that may be above a 99.99th percentile. */
#define LEVEL		-4

/* The same row of all runs, where it has samples with the same kind of latency. */
struct peers {
	const struct result **results;
	size_t count;
};

/* Of each plot of a row. */
struct axes {
	struct axis place;
	struct axis distance;
	struct axis latency;
	struct axis ldist;
	struct axis residency;
	/* of a distribution, with the declared exit latency; of bars with room for these */
	struct axis time;
	struct axis time_of_bars;
	struct axis share;
	struct axis samples;
	/* the width of a bar */
	double bar;
	struct axis step;
	struct axis step_latency;
};

struct axes axes_of(const struct peers *peers);

/* What is drawn of a sample. */
typedef double (*value_fn)(const struct result *result, size_t i);

double place_of(const struct result *result, size_t i);
double distance_of(const struct result *result, size_t i);
double latency_of(const struct result *result, size_t i);
double ldist_of(const struct result *result, size_t i);

/* Where a step is along its axis. */
double middle_of(const struct step *step);

/* How the latencies of a row are distributed, from all of them, sorted. */
bool figure_ecdf(FILE *page, const struct result *result, const __u64 *sorted,
		 const struct axes *axes, char *error, size_t size);
bool figure_histogram(FILE *page, const struct result *result,
		      const __u64 *sorted, const struct axes *axes, char *error,
		      size_t size);

/* What a sweep found at each of its steps; nothing where the row has none. */
bool figure_sweep(FILE *page, const struct result *result,
		  const struct axes *axes, char *error, size_t size);

/* The samples with the largest latency less its error, the slowest first. */
#define SLOWEST_MAX	10

struct slowest {
	size_t index[SLOWEST_MAX];
	size_t count;
};

void slowest_find(const struct result *result, struct slowest *slowest);

/* All plots of a row that has samples, whose latencies are in @sorted. */
bool plots_write(FILE *page, const struct result *result, const __u64 *sorted,
		 const struct axes *axes, char *error, size_t size);

#endif
