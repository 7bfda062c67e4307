// SPDX-License-Identifier: GPL-2.0
/* A plot with what stands below it. */
#include <stdlib.h>

#include "plot.h"

static void put_range(FILE *page, const char *name, const struct axis *axis)
{
	if (axis->label)
		fprintf(page, " data-%s=\"%.17g %.17g\"", name, axis->from,
			axis->to);
}

static void put_keys(FILE *page, const struct plot *plot)
{
	for (size_t i = 0; i < plot->count; i++) {
		const struct series *series = &plot->series[i];

		if (series->label)
			fprintf(page, " <span class=\"key %s %s\">%s</span>",
				has_marks(series) ? "dot" : "dash", series->class,
				series->label);
	}
}

static bool all_drawn(const struct plot *plot)
{
	for (size_t i = 0; i < plot->count; i++) {
		const struct series *series = &plot->series[i];

		if (series->noun && series->count != series->all)
			return false;
	}
	return true;
}

/* Says how many marks there are, and of how many, where some were left out. */
static void put_drawn(FILE *page, const struct plot *plot)
{
	const char *separator = "";

	for (size_t i = 0; i < plot->count; i++) {
		const struct series *series = &plot->series[i];

		if (!series->noun)
			continue;
		fprintf(page, "%s%zu of %zu %s", separator, series->count,
			series->all, series->noun);
		separator = ", ";
	}
	fputs(" are drawn: one in each 2 by 2 pixels, all extremes among them.",
	      page);
}

static void put_note(FILE *page, const struct plot *plot)
{
	bool all = all_drawn(plot);

	if (all && !*plot->note)
		return;
	fprintf(page, "<span class=\"note\">%s%s", plot->note,
		*plot->note ? " " : "");
	if (!all)
		put_drawn(page, plot);
	fputs("</span>", page);
}

static void put_caption(FILE *page, const struct plot *plot)
{
	fprintf(page, "<figcaption><b>%s</b>", plot->title);
	put_keys(page, plot);
	put_note(page, plot);
	fputs("</figcaption>\n", page);
}

bool figure_write(FILE *page, struct plot *plot, char *error, size_t size)
{
	int right = plot->y2.label ? AREA_RIGHT_2 : AREA_RIGHT;
	bool drawn;

	fprintf(page, "<figure data-plot=\"%s\" data-marks=\"%zu\"", plot->name,
		plot_marks(plot));
	fprintf(page, " data-area=\"%d %d %d %d\"", AREA_LEFT, AREA_TOP, right,
		AREA_BOTTOM);
	put_range(page, "x", &plot->x);
	put_range(page, "y", &plot->y);
	put_range(page, "y2", &plot->y2);
	for (size_t i = 0; i < plot->count; i++)
		if (plot->series[i].style == STYLE_BARS)
			fprintf(page, " data-bin=\"%.0f\"", plot->series[i].width);
	fputs(">\n", page);
	drawn = plot_draw(plot, page, error, size);
	put_caption(page, plot);
	fputs("</figure>\n", page);
	for (size_t i = 0; i < plot->count; i++)
		free(plot->series[i].points);
	return drawn;
}

struct series *figure_add(struct plot *plot, const char *class,
			  enum series_style style, struct point *points,
			  size_t count)
{
	struct series *series = &plot->series[plot->count++];

	*series = (struct series) {
		.class = class,
		.style = style,
		.points = points,
		.count = count,
		.all = count,
	};
	return series;
}

void figure_add_line(struct plot *plot, const char *class, const char *label,
		     struct point from, struct point to)
{
	struct point *points = memory(2, sizeof(struct point));

	points[0] = from;
	points[1] = to;
	figure_add(plot, class, STYLE_LINE, points, 2)->label = label;
}
