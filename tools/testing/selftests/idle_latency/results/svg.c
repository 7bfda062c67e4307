// SPDX-License-Identifier: GPL-2.0
/*
 * gnuplot writes a file of its own for each plot, with ids that would be there once
 * for each of them in one page, with colours that a page cannot change with its
 * own, and 90 bytes for a mark. What it draws is kept; a class says what each part is.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "plot.h"

/* So few marks would be lost if they were as small as many have to be. */
#define FEW	200

struct drawing {
	const struct plot *plot;
	FILE *page;
	/* text before a tag, and the tag */
	char *chunk;
	const char *tag;
	/* how many groups are open, and how many were around the series */
	int depth;
	int outside;
	/* NULL: not in one */
	const struct series *series;
	size_t next_series;
	/* where text goes that is to come */
	double x;
	double y;
	const char *anchor;
	bool defining;
	bool complete;
};

static bool tag_is(const struct drawing *drawing, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(drawing->tag + 1, name, length) &&
	       !isalnum((unsigned char)drawing->tag[1 + length]);
}

/* Where the value of an attribute of the tag begins, or NULL. */
static const char *value_of(const struct drawing *drawing, const char *name)
{
	const char *at = drawing->tag;
	size_t length = strlen(name);

	while ((at = strstr(at, name))) {
		bool begins = isspace((unsigned char)at[-1]);

		at += length;
		if (!begins)
			continue;
		at += strspn(at, " ");
		if (*at++ == '=')
			return at + strspn(at, " '\"");
	}
	return NULL;
}

/* To a tenth of a pixel. */
static void put_number(FILE *page, double number)
{
	char text[32];
	char *end;

	snprintf(text, sizeof(text), "%.1f", number);
	end = strstr(text, ".0");
	if (end)
		*end = '\0';
	fputs(text, page);
}

/* Letters and numbers of a path, or the numbers of a polygon, up to the quote. */
static void put_path(FILE *page, const char *path)
{
	bool was_number = false;

	while (*path && *path != '\'' && *path != '"') {
		char *end;
		double number = strtod(path, &end);

		if (end != path) {
			if (was_number)
				fputc(' ', page);
			put_number(page, number);
			path = end;
			was_number = true;
			continue;
		}
		if (*path != ' ' && *path != ',') {
			fputc(*path, page);
			was_number = false;
		}
		path++;
	}
}

static void put_mark(const struct drawing *drawing)
{
	const char *at = value_of(drawing, "transform");
	double x, y;

	if (!at || sscanf(at, "translate(%lf,%lf)", &x, &y) != 2)
		return;
	fputs("<path d=\"M", drawing->page);
	put_number(drawing->page, x);
	fputc(' ', drawing->page);
	put_number(drawing->page, y);
	if (drawing->series && drawing->series->style == STYLE_RINGS)
		fputs("m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0", drawing->page);
	else
		fputs("h0", drawing->page);
	fputs("\"/>\n", drawing->page);
}

static void put_shape(const struct drawing *drawing, const char *points,
		      const char *before, const char *after)
{
	const char *class = "";

	if (!points)
		return;
	if (!drawing->series)
		class = value_of(drawing, "class") ? " class=\"grid\"" :
						     " class=\"frame\"";
	fprintf(drawing->page, "<path%s d=\"%s", class, before);
	put_path(drawing->page, points);
	fprintf(drawing->page, "%s\"/>\n", after);
}

static void begin_series(struct drawing *drawing)
{
	const struct series *series = &drawing->plot->series[drawing->next_series];

	drawing->series = series;
	drawing->next_series++;
	drawing->outside = drawing->depth;
	fprintf(drawing->page, "<g class=\"%s%s%s %s\">\n",
		has_marks(series) ? "marks " : "",
		series->count < FEW ? "few " : "",
		series->style == STYLE_BARS ? "bars" :
		has_marks(series) ? "dots" : "line", series->class);
}

static void begin_group(struct drawing *drawing)
{
	const char *id = value_of(drawing, "id");
	const char *transform = value_of(drawing, "transform");
	const char *anchor = value_of(drawing, "text-anchor");

	if (id && strstr(id, "_plot_") &&
	    drawing->next_series < drawing->plot->count)
		begin_series(drawing);
	if (transform)
		sscanf(transform, "translate(%lf,%lf)", &drawing->x, &drawing->y);
	if (anchor)
		drawing->anchor = !strncmp(anchor, "end", 3) ? "end" :
				  !strncmp(anchor, "middle", 6) ? "middle" :
								  "start";
	drawing->depth++;
}

static void end_group(struct drawing *drawing)
{
	drawing->depth--;
	if (!drawing->series || drawing->depth != drawing->outside)
		return;
	fputs("</g>\n", drawing->page);
	drawing->series = NULL;
}

/* gnuplot has escaped it. */
static void put_text(const struct drawing *drawing)
{
	const char *text = drawing->chunk;

	while (isspace((unsigned char)*text))
		text++;
	if (text == drawing->tag)
		return;
	fputs("<text x=\"", drawing->page);
	put_number(drawing->page, drawing->x);
	fputs("\" y=\"", drawing->page);
	put_number(drawing->page, drawing->y);
	fprintf(drawing->page, "\" text-anchor=\"%s\">%.*s</text>\n",
		drawing->anchor, (int)(drawing->tag - text), text);
}

static void take_tag(struct drawing *drawing)
{
	if (tag_is(drawing, "defs"))
		drawing->defining = true;
	else if (tag_is(drawing, "/defs"))
		drawing->defining = false;
	if (drawing->defining)
		return;
	if (tag_is(drawing, "g"))
		begin_group(drawing);
	else if (tag_is(drawing, "/g"))
		end_group(drawing);
	else if (tag_is(drawing, "use"))
		put_mark(drawing);
	else if (tag_is(drawing, "path"))
		put_shape(drawing, value_of(drawing, "d"), "", "");
	else if (tag_is(drawing, "polygon"))
		put_shape(drawing, value_of(drawing, "points"), "M", "z");
	else if (tag_is(drawing, "/text") || tag_is(drawing, "/tspan"))
		put_text(drawing);
	else if (tag_is(drawing, "/svg"))
		drawing->complete = true;
}

bool svg_rewrite(FILE *from, const struct plot *plot, FILE *page)
{
	struct drawing drawing = {
		.plot = plot, .page = page, .anchor = "start",
	};
	size_t size = 0;

	fprintf(page,
		"<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n",
		PLOT_WIDTH, PLOT_HEIGHT, plot->title);
	while (getdelim(&drawing.chunk, &size, '>', from) > 0) {
		drawing.tag = strrchr(drawing.chunk, '<');
		if (drawing.tag)
			take_tag(&drawing);
	}
	fputs("</svg>\n", page);
	free(drawing.chunk);
	return drawing.complete && drawing.next_series == plot->count;
}
