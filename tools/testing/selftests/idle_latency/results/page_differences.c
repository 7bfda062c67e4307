// SPDX-License-Identifier: GPL-2.0
/* What changed from the first run to the others. */
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "html.h"

/* The first run that has such a row. */
size_t first_with(const struct run *runs, const struct result *like)
{
	size_t run = 0;

	while (!find_same(&runs[run], like))
		run++;
	return run;
}

/* Of the samples that were compared. */
static void put_value(FILE *page, const struct result *result, size_t run)
{
	struct sample_set set = {};

	if (result)
		take_part(result, PART_COUNTED, &set);
	fprintf(page, "<td class=\"n\" data-label=\"run %zu\">", run + 1);
	if (set.count)
		fprintf(page, "%llu<br>%llu",
			order_stat(set.sorted, set.count, QUANTILE_ONE / 2),
			set.sorted[set.count - 1]);
	else
		fputs("-", page);
	fputs("</td>", page);
	free((void *)set.sorted);
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

static bool has_samples(const struct result *result)
{
	return result && result->count;
}

/* From the first run to @run. */
static void put_what(FILE *page, const struct difference *difference,
		     size_t run)
{
	char what[1024], name[32];
	const struct run_names names = { .a = "run 1", .b = name };

	snprintf(name, sizeof(name), "run %zu", run + 1);
	if (has_samples(difference->a) == has_samples(difference->b)) {
		difference_what(difference, &names, what, sizeof(what));
		html_text(page, what);
		return;
	}
	fprintf(page, "cannot be compared: %s has no sample",
		has_samples(difference->a) ? names.b : names.a);
}

static void put_change(FILE *page, const struct difference *difference,
		       size_t run)
{
	if (!difference) {
		fputs("was not measured, nor in run 1", page);
		return;
	}
	fprintf(page, "<span class=\"%s\">",
		difference->change == CHANGE_SLOWER ? "slower" :
		difference->change == CHANGE_FASTER ? "faster" : "");
	put_what(page, difference, run);
	fputs("</span>", page);
	put_verdicts(page, difference);
}

/* From the first run to each of the others of the same machine. */
static void put_changes(FILE *page, const struct run *runs, size_t count,
			const struct comparison *comparisons,
			const struct result *like)
{
	const char *separator = "";

	fputs("<td class=\"all\">", page);
	for (size_t i = 1; i < count; i++) {
		if (runs_differ(&runs[0], &runs[i]))
			continue;
		fputs(separator, page);
		separator = "<br>";
		if (count > 2)
			fprintf(page, "in run %zu, it ", i + 1);
		put_change(page, find_difference(&comparisons[i], like), i);
	}
	fputs("</td>", page);
}

/* Whether it became slower or faster in one of the runs that can be compared. */
static bool has_changed(const struct run *runs, size_t count,
			const struct comparison *comparisons,
			const struct result *like)
{
	for (size_t i = 1; i < count; i++) {
		const struct difference *difference;

		difference = find_difference(&comparisons[i], like);
		if (difference && !runs_differ(&runs[0], &runs[i]) &&
		    (difference->change == CHANGE_SLOWER ||
		     difference->change == CHANGE_FASTER))
			return true;
	}
	return false;
}

static bool any_compared(const struct run *runs, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (!runs_differ(&runs[0], &runs[i]))
			return true;
	return false;
}

static void put_row(FILE *page, const struct run *runs, size_t count,
		    const struct comparison *comparisons, size_t run,
		    const struct result *like)
{
	char id[48];

	section_id(id, sizeof(id), run, like - runs[run].results);
	fprintf(page, "<tr><td class=\"all\"><a href=\"#%s\">cpu%u %s ", id,
		like->cpu, like->method);
	html_text(page, like->state);
	fputs("</a></td><td class=\"name\" data-label=\"in ns\">median<br>max</td>",
	      page);
	for (size_t i = 0; i < count; i++)
		put_value(page, find_same(&runs[i], like), i);
	if (any_compared(runs, count))
		put_changes(page, runs, count, comparisons, like);
	fputs("</tr>\n", page);
}

/* Those rows that changed, or the others. */
static void put_rows(FILE *page, const struct run *runs, size_t count,
		     const struct comparison *comparisons, bool changed)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < runs[i].count; j++) {
			const struct result *like = &runs[i].results[j];

			if (first_with(runs, like) == i &&
			    has_changed(runs, count, comparisons, like) == changed)
				put_row(page, runs, count, comparisons, i, like);
		}
}

static void put_values(FILE *page, const struct run *runs, size_t count,
		       const struct comparison *comparisons)
{
	fputs("<div class=\"wide\"><table class=\"cards\"><thead>", page);
	fputs("<tr><th>row</th><th>in ns</th>", page);
	for (size_t i = 0; i < count; i++)
		fprintf(page, "<th class=\"n\">run %zu</th>", i + 1);
	fprintf(page, "%s</tr></thead><tbody>\n",
		any_compared(runs, count) ? "<th>result</th>" : "");
	put_rows(page, runs, count, comparisons, true);
	put_rows(page, runs, count, comparisons, false);
	fputs("</tbody></table></div>\n"
	      "<p class=\"soft\">Of the samples at the launch distances that count; the tables\n"
	      "below have all samples.</p>\n",
	      page);
}

/* "Run 2 against run 1: slower." */
static void put_result(FILE *page, const struct run *runs, size_t run,
		       const struct comparison *comparison)
{
	const char *differ = runs_differ(&runs[0], &runs[run]);
	enum change change = differ ? CHANGE_UNCOMPARABLE : comparison->change;

	fprintf(page, "<b>Run %zu against run 1: %s</b>", run + 1,
		change == CHANGE_SAME ? "the same" : change_name(change));
	if (differ)
		fprintf(page, ": %s", differ);
	fputs(". ", page);
}

static void put_summary(FILE *page, const struct run *runs, size_t count,
			const struct comparison *comparisons)
{
	fputs("<p>", page);
	for (size_t i = 1; i < count; i++)
		put_result(page, runs, i, &comparisons[i]);
	fputs("</p>\n<ul class=\"runs\">\n", page);
	for (size_t i = 0; i < count; i++) {
		fprintf(page, "<li>Run %zu is ", i + 1);
		html_text(page, runs[i].dir);
		fputs("</li>\n", page);
	}
	fputs("</ul>\n", page);
}

void page_differences(FILE *page, const struct run *runs, size_t count)
{
	struct comparison *comparisons = memory(count, sizeof(*comparisons));

	for (size_t i = 1; i < count; i++)
		compare_runs(&runs[0], &runs[i], &margin_default,
			     &comparisons[i]);
	fputs("<section id=\"differences\">\n<h2>What changed</h2>\n", page);
	put_summary(page, runs, count, comparisons);
	put_values(page, runs, count, comparisons);
	for (size_t i = 1; i < count; i++)
		comparison_free(&comparisons[i]);
	free(comparisons);
	page_environments(page, runs, count);
	fputs("</section>\n", page);
}
