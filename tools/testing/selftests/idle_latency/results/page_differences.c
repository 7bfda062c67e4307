// SPDX-License-Identifier: GPL-2.0
/* What differs between runs. */
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "html.h"

size_t first_with(const struct run *runs, const struct result *like)
{
	size_t run = 0;

	while (!find_same(&runs[run], like))
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

static const struct difference *
find_difference(const struct comparison *comparison, const struct result *like)
{
	for (size_t i = 0; i < comparison->count; i++) {
		const struct difference *difference = &comparison->differences[i];
		const struct result *of = difference->a ? difference->a :
							  difference->b;

		if (same_row(of, like))
			return difference;
	}
	return NULL;
}

static void put_verdicts(FILE *page, const struct difference *difference)
{
	const struct result *a = difference->a, *b = difference->b;

	if (!a || !b || !strcmp(a->verdict, b->verdict))
		return;
	fputs("; ", page);
	html_verdict(page, a);
	fputs(" became ", page);
	html_verdict(page, b);
}

/* From the first run to each of the others. */
static void put_changes(FILE *page, const struct run *runs, size_t count,
			const struct comparison *comparisons,
			const struct result *like)
{
	char what[1024];

	for (size_t i = 1; i < count; i++) {
		const struct difference *difference;
		const char *differ = runs_differ(&runs[0], &runs[i]);

		fputs(i > 1 ? "<br>" : "", page);
		if (count > 2)
			fprintf(page, "in run %zu, it ", i + 1);
		difference = find_difference(&comparisons[i], like);
		if (differ) {
			fprintf(page, "cannot be compared: %s", differ);
		} else if (!difference) {
			fputs("was not measured, nor in run 1", page);
		} else {
			difference_what(difference, what, sizeof(what));
			fprintf(page, "<span class=\"%s\">",
				difference->change == CHANGE_SLOWER ? "slower" :
				difference->change == CHANGE_FASTER ? "faster" :
								      "");
			html_text(page, what);
			fputs("</span>", page);
			put_verdicts(page, difference);
		}
	}
}

static void put_row(FILE *page, const struct run *runs, size_t count,
		    const struct comparison *comparisons,
		    const struct result *like)
{
	char name[64];

	snprintf(name, sizeof(name), "cpu%u %s %s", like->cpu, like->method,
		 like->state);
	fputs("<tr><td class=\"all\"><b>", page);
	html_text(page, name);
	fputs("</b></td><td class=\"name\" data-label=\"in ns\">median<br>max</td>",
	      page);
	for (size_t i = 0; i < count; i++)
		put_value(page, find_same(&runs[i], like), i);
	fputs("<td class=\"all\">", page);
	put_changes(page, runs, count, comparisons, like);
	fputs("</td></tr>\n", page);
}

static void put_values(FILE *page, const struct run *runs, size_t count,
		       const struct comparison *comparisons)
{
	fputs("<div class=\"wide\"><table class=\"cards\"><thead>", page);
	fputs("<tr><th>row</th><th>in ns</th>", page);
	for (size_t i = 0; i < count; i++)
		fprintf(page, "<th class=\"n\">run %zu</th>", i + 1);
	fputs("<th>what changed</th></tr></thead><tbody>\n", page);
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < runs[i].count; j++)
			if (first_with(runs, &runs[i].results[j]) == i)
				put_row(page, runs, count, comparisons,
					&runs[i].results[j]);
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
	struct comparison *comparisons = memory(count, sizeof(*comparisons));

	for (size_t i = 1; i < count; i++)
		compare_runs(&runs[0], &runs[i], &margin_default,
			     &comparisons[i]);
	fputs("<section id=\"differences\">\n<h2>Differences in values</h2>\n",
	      page);
	put_values(page, runs, count, comparisons);
	for (size_t i = 1; i < count; i++)
		comparison_free(&comparisons[i]);
	free(comparisons);
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
