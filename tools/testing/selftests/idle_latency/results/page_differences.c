// SPDX-License-Identifier: GPL-2.0
/* What differs between runs. */
#include <string.h>

#include "html.h"
#include "verdict.h"

static const struct result *find_row(const struct run *run,
				     const struct result *like)
{
	for (size_t i = 0; i < run->count; i++) {
		const struct result *result = &run->results[i];

		if (result->cpu == like->cpu &&
		    !strcmp(result->method, like->method) &&
		    !strcmp(result->state, like->state))
			return result;
	}
	return NULL;
}

/* The first run that has such a row. */
static size_t first_with(const struct run *runs, const struct result *like)
{
	size_t run = 0;

	while (!find_row(&runs[run], like))
		run++;
	return run;
}

static void put_value(FILE *page, const struct result *result, size_t run)
{
	fprintf(page, "<td class=\"n\" data-label=\"run %zu\">", run + 1);
	if (result && result->count) {
		struct order_stats stats = latency_stats(result);

		fprintf(page, "%llu<br>%llu", stats.median, stats.max);
	} else {
		fputs("-", page);
	}
	fputs("</td>", page);
}

static void put_distance(FILE *page, const char *name, __u64 from, __u64 to)
{
	if (to >= from)
		fprintf(page, "%s +%llu ns", name, to - from);
	else
		fprintf(page, "%s &minus;%llu ns", name, from - to);
}

static bool is_same(const struct result *base, const struct result *result)
{
	struct order_stats before = latency_stats(base), after;

	if (!result || !result->count || strcmp(base->verdict, result->verdict))
		return false;
	after = latency_stats(result);
	return before.median == after.median && before.max == after.max;
}

/* How far a row moved between two runs, of which the first has samples. */
static void put_moved(FILE *page, const struct result *base,
		      const struct result *result)
{
	struct order_stats before = latency_stats(base), after;

	if (!result || !result->count) {
		fputs("no samples", page);
		return;
	}
	after = latency_stats(result);
	put_distance(page, "median", before.median, after.median);
	put_distance(page, ", max", before.max, after.max);
	if (!strcmp(base->verdict, result->verdict))
		return;
	fputs(", ", page);
	html_verdict(page, base);
	fputs(" became ", page);
	html_verdict(page, result);
}

/* From the first run that has the row to each of the others, where something moved. */
static void put_moves(FILE *page, const struct run *runs, size_t count,
		      const struct result *base, size_t first)
{
	size_t moves = 0;

	if (!base->count) {
		fprintf(page, "no samples in run %zu", first + 1);
		return;
	}
	for (size_t i = first + 1; i < count; i++) {
		const struct result *result = find_row(&runs[i], base);

		if (is_same(base, result))
			continue;
		fputs(moves++ ? "<br>" : "", page);
		if (count > 2)
			fprintf(page, "%zu to %zu: ", first + 1, i + 1);
		put_moved(page, base, result);
	}
	if (!moves)
		fputs(first + 1 < count ? "nothing" : "only this run has it", page);
}

static void put_row(FILE *page, const struct run *runs, size_t count,
		    const struct result *like, size_t first)
{
	char name[64];

	snprintf(name, sizeof(name), "cpu%u %s %s", like->cpu, like->method,
		 like->state);
	fputs("<tr><td class=\"all\"><b>", page);
	html_text(page, name);
	fputs("</b></td><td class=\"name\" data-label=\"in ns\">median<br>max</td>",
	      page);
	for (size_t i = 0; i < count; i++)
		put_value(page, find_row(&runs[i], like), i);
	fputs("<td class=\"all\">", page);
	put_moves(page, runs, count, like, first);
	fputs("</td></tr>\n", page);
}

static void put_values(FILE *page, const struct run *runs, size_t count)
{
	fputs("<div class=\"wide\"><table class=\"cards\"><thead>", page);
	fputs("<tr><th>row</th><th>in ns</th>", page);
	for (size_t i = 0; i < count; i++)
		fprintf(page, "<th class=\"n\">run %zu</th>", i + 1);
	fputs("<th>what moved</th></tr></thead><tbody>\n", page);
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < runs[i].count; j++)
			if (first_with(runs, &runs[i].results[j]) == i)
				put_row(page, runs, count, &runs[i].results[j], i);
	fputs("</tbody></table></div>\n", page);
}

static bool has_line(const struct run *run, const char *line)
{
	for (size_t i = 0; i < run->environment_count; i++)
		if (!strcmp(run->environment[i], line))
			return true;
	return false;
}

static bool all_have(const struct run *runs, size_t count, const char *line)
{
	for (size_t i = 0; i < count; i++)
		if (!has_line(&runs[i], line))
			return false;
	return true;
}

/* The lines of a run that all runs have, or those that they have not. */
static size_t put_lines(FILE *page, const struct run *runs, size_t count,
			const struct run *run, bool common)
{
	size_t lines = 0;

	fputs("<ul class=\"environment\">\n", page);
	for (size_t i = 0; i < run->environment_count; i++) {
		const char *line = run->environment[i];

		if (all_have(runs, count, line) != common)
			continue;
		fputs("<li>", page);
		html_text(page, line);
		fputs("</li>\n", page);
		lines++;
	}
	fputs("</ul>\n", page);
	return lines;
}

static void put_run_name(FILE *page, const struct run *runs, size_t run)
{
	fprintf(page, "<h3>Run %zu, ", run + 1);
	html_text(page, runs[run].dir);
	fputs("</h3>\n", page);
}

void page_differences(FILE *page, const struct run *runs, size_t count)
{
	fputs("<section id=\"differences\">\n<h2>Differences in values</h2>\n",
	      page);
	put_values(page, runs, count);
	fputs("<h2>Differences in environment</h2>\n", page);
	for (size_t i = 0; i < count; i++) {
		put_run_name(page, runs, i);
		if (!put_lines(page, runs, count, &runs[i], false))
			fputs("<p>Nothing that another run has not.</p>\n", page);
	}
	fputs("</section>\n", page);
}

void page_environment(FILE *page, const struct run *runs, size_t count)
{
	fputs("<section id=\"environment\">\n<h2>Environment</h2>\n", page);
	if (count > 1)
		fputs("<p>What all runs have; for the rest, see\n"
		      "<a href=\"#differences\">the differences</a>.</p>\n",
		      page);
	if (!put_lines(page, runs, count, &runs[0], true))
		fputs("<p>Nothing is known of it.</p>\n", page);
	fputs("</section>\n", page);
}
