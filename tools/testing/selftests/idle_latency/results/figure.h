/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the figures of a row are put together.
 */
#ifndef FIGURE_H
#define FIGURE_H

#include "plot.h"

/* Adds points, which the plot frees. */
struct series *figure_add(struct plot *plot, const char *class,
			  enum series_style style, struct point *points,
			  size_t count);

void figure_add_line(struct plot *plot, const char *class, const char *label,
		     struct point from, struct point to);

/* Writes a plot with its caption, and frees its points. */
bool figure_write(FILE *page, struct plot *plot, char *error, size_t size);

/* How the latencies of a row are distributed, from all of them, sorted. */
bool figure_ecdf(FILE *page, const struct result *result, const __u64 *sorted,
		 char *error, size_t size);
bool figure_histogram(FILE *page, const struct result *result,
		      const __u64 *sorted, char *error, size_t size);

/* What a sweep found at each of its steps; nothing where the row has none. */
bool figure_sweep(FILE *page, const struct result *result, char *error,
		  size_t size);

#endif
