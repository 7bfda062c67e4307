// SPDX-License-Identifier: GPL-2.0
/* The page: what came of it first, and what that is from below it. */
#include <string.h>

#include "compare.h"
#include "html.h"
#include "verdict.h"

static void put_link(FILE *page, const struct run *runs, size_t run, size_t row)
{
	const struct result *result = &runs[run].results[row];
	char id[48];

	section_id(id, sizeof(id), run, row);
	fprintf(page, "<td class=\"all\"><a href=\"#%s\">cpu%u %s ", id,
		result->cpu, result->method);
	html_text(page, result->state);
	fputs("</a></td>", page);
}

static void put_verdict(FILE *page, const struct result *result)
{
	fputs("<td class=\"all\">", page);
	html_verdict(page, result);
	if (*result->qualifier)
		fputs(" ", page);
	html_text(page, result->qualifier);
	if (*result->reason)
		fputs(": ", page);
	html_text(page, result->reason);
	fputs("</td>", page);
}

static void put_row(FILE *page, const struct run *runs, size_t run, size_t row)
{
	const struct result *result = &runs[run].results[row];
	struct order_stats stats = {};
	bool any = result->count;

	if (any)
		stats = latency_stats(result);
	fputs("<tr>", page);
	put_link(page, runs, run, row);
	put_verdict(page, result);
	html_number(page, "declared", true, result->declared_ns);
	html_number(page, "median", any, stats.median);
	html_number(page, "99 %", stats.has_p99, stats.p99);
	html_number(page, "99.99 %", stats.has_p9999, stats.p9999);
	html_number(page, "max", any, stats.max);
	html_number(page, "samples", result->ran, result->count);
	fputs("</tr>\n", page);
}

static void put_table(FILE *page, const struct run *runs, size_t run)
{
	static const char * const columns[] = {
		"declared", "median", "99 %", "99.99 %", "max", "samples",
	};

	fputs("<table class=\"cards\"><thead><tr><th>CPU, method, state</th><th>verdict</th>",
	      page);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		fprintf(page, "<th class=\"n\">%s</th>", columns[i]);
	fputs("</tr></thead><tbody>\n", page);
	for (size_t i = 0; i < runs[run].count; i++)
		put_row(page, runs, run, i);
	fputs("</tbody></table>\n", page);
}

/* What was measured: the same for all rows of a run. */
static void put_machine(FILE *page, const struct run *run)
{
	const struct result *result = &run->results[0];
	const char * const texts[] = {
		result->machine, result->cpu_model, result->driver,
		result->kernel, run->dir,
	};
	const char *separator = "";

	fputs("<p class=\"soft\">", page);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		if (!*texts[i])
			continue;
		fputs(separator, page);
		html_text(page, texts[i]);
		separator = " &middot; ";
	}
	fputs("</p>\n", page);
}

static void put_verdicts(FILE *page, const struct run *runs, size_t count)
{
	fputs("<section id=\"verdicts\">\n<h2>Verdicts</h2>\n", page);
	for (size_t i = 0; i < count; i++) {
		if (count > 1)
			fprintf(page, "<h3>Run %zu</h3>\n", i + 1);
		put_machine(page, &runs[i]);
		put_table(page, runs, i);
	}
	fputs("<p class=\"soft\">Times are in ns. They are WakeLatency, or IntrLatency where a\n"
	      "state is entered with interrupts enabled. A quantile that less than one of the\n"
	      "samples may exceed is not given.</p>\n",
	      page);
	words_of_qualifiers(page, runs, count);
	fputs("</section>\n", page);
}

/* A row of all runs, beginning with the first one that has it. */
static bool put_sections(FILE *page, const struct run *runs, size_t count,
			 const struct result *like, char *error, size_t size)
{
	for (size_t i = 0; i < count; i++) {
		const struct result *result = find_same(&runs[i], like);

		if (result && !page_section(page, runs, count, i,
					    result - runs[i].results, error,
					    size))
			return false;
	}
	return true;
}

bool page_write(FILE *page, const struct run *runs, size_t count, char *error,
		size_t size)
{
	html_begin(page, "Exit latency of idle states");
	fputs("<h1>Exit latency of idle states</h1>\n", page);
	if (count > 1)
		page_differences(page, runs, count);
	put_verdicts(page, runs, count);
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < runs[i].count; j++)
			if (first_with(runs, &runs[i].results[j]) == i &&
			    !put_sections(page, runs, count,
					  &runs[i].results[j], error, size))
				return false;
	page_environment(page, runs, count);
	html_end(page);
	return true;
}
