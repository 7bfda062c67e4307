// SPDX-License-Identifier: GPL-2.0
/* The steps of a sweep over launch distances. */
#include <math.h>
#include <stdlib.h>

#include "plot.h"

double middle_of(const struct step *step)
{
	return log10((step->ldist_from_ns + step->ldist_to_ns) / 2.0);
}

static double median_of(const struct step *step)
{
	return step->median_ns;
}

static double p99_of(const struct step *step)
{
	return step->has_p99 ? step->p99_ns : NAN;
}

static double max_of(const struct step *step)
{
	return step->max_ns;
}

static double change_of(const struct step *step)
{
	return *step->change ? step->median_ns : NAN;
}

/* Those steps that have this value; no series where none has. */
static void add_steps(struct plot *plot, const struct result *result,
		      const char *class, const char *label,
		      enum series_style style,
		      double (*value)(const struct step *step))
{
	struct point *points = memory(result->step_count, sizeof(struct point));
	size_t count = 0;

	for (size_t i = 0; i < result->step_count; i++) {
		const struct step *step = &result->steps[i];

		if (step->samples && !isnan(value(step)))
			points[count++] = (struct point) {
				middle_of(step), value(step),
			};
	}
	if (count)
		figure_add(plot, class, style, points, count)->label = label;
	else
		free(points);
}

static bool has_steps(const struct result *result)
{
	for (size_t i = 0; i < result->step_count; i++)
		if (result->steps[i].samples)
			return true;
	return false;
}

static bool has_changes(const struct result *result)
{
	for (size_t i = 0; i < result->step_count; i++)
		if (result->steps[i].samples && *result->steps[i].change)
			return true;
	return false;
}

bool figure_sweep(FILE *page, const struct result *result,
		  const struct axes *axes, char *error, size_t size)
{
	static const struct {
		const char *class;
		const char *label;
		double (*value)(const struct step *step);
	} lines[] = {
		{ "max", "maximum", max_of },
		{ "p99", "99 %", p99_of },
		{ "median", "median", median_of },
	};
	struct plot plot = {
		.name = "sweep",
		.title = "By launch distance",
		.note = has_changes(result) ?
				"Rings: slower or faster than the step before." : "",
		.x = axes->step,
		.y = axes->step_latency,
	};

	if (!has_steps(result))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		add_steps(&plot, result, lines[i].class, NULL, STYLE_LINE,
			  lines[i].value);
		add_steps(&plot, result, lines[i].class, lines[i].label,
			  STYLE_MARKS, lines[i].value);
	}
	add_steps(&plot, result, "change", "change", STYLE_RINGS, change_of);
	return figure_write(page, &plot, error, size);
}
