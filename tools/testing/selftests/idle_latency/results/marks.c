// SPDX-License-Identifier: GPL-2.0
/* Which marks of a plot are drawn. */
#include <stdlib.h>

#include "plot.h"

static __s64 less_error(const struct result *result, size_t i)
{
	const struct sample *sample = &result->samples[i];

	return (__s64)sample_latency(result, sample) - (__s64)sample->error_ns;
}

/* Of those with the same difference, the one with the larger latency comes first. */
static bool slower(const struct result *result, size_t i, size_t than)
{
	__s64 difference = less_error(result, i) - less_error(result, than);

	if (difference)
		return difference > 0;
	return sample_latency(result, &result->samples[i]) >
	       sample_latency(result, &result->samples[than]);
}

/* Of samples that are as slow as each other, the first one comes first. */
void slowest_find(const struct result *result, struct slowest *slowest)
{
	slowest->count = 0;
	for (size_t i = 0; i < result->count; i++) {
		size_t at = slowest->count;

		while (at && slower(result, i, slowest->index[at - 1]))
			at--;
		if (at == SLOWEST_MAX)
			continue;
		if (slowest->count < SLOWEST_MAX)
			slowest->count++;
		for (size_t j = slowest->count - 1; j > at; j--)
			slowest->index[j] = slowest->index[j - 1];
		slowest->index[at] = i;
	}
}

static void keep_extremes(const struct series *series, bool *kept)
{
	const struct point *points = series->points;
	size_t left = 0, right = 0, lowest = 0, highest = 0;

	for (size_t i = 1; i < series->count; i++) {
		if (points[i].x < points[left].x)
			left = i;
		if (points[i].x > points[right].x)
			right = i;
		if (points[i].y < points[lowest].y)
			lowest = i;
		if (points[i].y > points[highest].y)
			highest = i;
	}
	kept[left] = true;
	kept[right] = true;
	kept[lowest] = true;
	kept[highest] = true;
}

static size_t cell_of(const struct axis *axis, double value, int pixels)
{
	return (value - axis->from) / (axis->to - axis->from) * (pixels / CELL);
}

static void keep_first_of_cells(const struct plot *plot,
				const struct series *series, bool *kept)
{
	enum {
		COLUMNS = PLOT_WIDTH / CELL + 1,
		ROWS = PLOT_HEIGHT / CELL + 1,
	};
	static bool taken[ROWS][COLUMNS];
	const struct axis *y = series->second ? &plot->y2 : &plot->y;
	int right = plot->y2.label ? AREA_RIGHT_2 : AREA_RIGHT;

	for (size_t row = 0; row < ROWS; row++)
		for (size_t column = 0; column < COLUMNS; column++)
			taken[row][column] = false;
	for (size_t i = 0; i < series->count; i++) {
		const struct point *point = &series->points[i];
		size_t column = cell_of(&plot->x, point->x, right - AREA_LEFT);
		size_t row = cell_of(y, point->y, AREA_BOTTOM - AREA_TOP);

		kept[i] |= !taken[row][column];
		taken[row][column] = true;
	}
}

void marks_thin(const struct plot *plot, struct series *series,
		const size_t *always, size_t always_count)
{
	bool *kept;
	size_t count = 0;

	series->all = series->count;
	if (!series->count)
		return;
	kept = memory(series->count, sizeof(*kept));
	for (size_t i = 0; i < always_count; i++)
		kept[always[i]] = true;
	keep_extremes(series, kept);
	keep_first_of_cells(plot, series, kept);
	for (size_t i = 0; i < series->all; i++)
		if (kept[i])
			series->points[count++] = series->points[i];
	series->count = count;
	free(kept);
}

size_t plot_marks(const struct plot *plot)
{
	size_t marks = 0;

	for (size_t i = 0; i < plot->count; i++)
		if (has_marks(&plot->series[i]))
			marks += plot->series[i].count;
	return marks;
}
