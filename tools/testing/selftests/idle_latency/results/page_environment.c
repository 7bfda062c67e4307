// SPDX-License-Identifier: GPL-2.0
/* What runs say of their machines. */
#include <string.h>

#include "compare.h"
#include "html.h"

static bool all_have(const struct run *runs, size_t count, const char *line)
{
	for (size_t i = 0; i < count; i++)
		if (!has_line(&runs[i], line))
			return false;
	return true;
}

enum kind {
	/* all runs have it */
	KIND_COMMON,
	/* another run has it not */
	KIND_OWN,
	/*
	 * A time that was measured is another one in each run, by chance at least, so that it
	 * would be among the differences of any two runs, where it says nothing of what was
	 * set up differently.
	 */
	KIND_MEASURED,
};

static enum kind kind_of(const struct run *runs, size_t count, const char *line)
{
	if (strstr(line, ": awake IntrLatency by ") ||
	    strstr(line, ": delivery by "))
		return KIND_MEASURED;
	return all_have(runs, count, line) ? KIND_COMMON : KIND_OWN;
}

static size_t put_lines(FILE *page, const struct run *runs, size_t count,
			const struct run *run, enum kind kind)
{
	size_t lines = 0;

	fputs("<ul class=\"environment\">\n", page);
	for (size_t i = 0; i < run->environment_count; i++) {
		const char *line = run->environment[i];

		if (kind_of(runs, count, line) != kind)
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

void page_environments(FILE *page, const struct run *runs, size_t count)
{
	fputs("<h2>Differences in environment</h2>\n", page);
	for (size_t i = 0; i < count; i++) {
		put_run_name(page, runs, i);
		if (!put_lines(page, runs, count, &runs[i], KIND_OWN))
			fputs("<p>Nothing that another run has not.</p>\n", page);
	}
}

static bool any_measured(const struct run *run)
{
	for (size_t i = 0; i < run->environment_count; i++)
		if (kind_of(run, 1, run->environment[i]) == KIND_MEASURED)
			return true;
	return false;
}

static void put_measured(FILE *page, const struct run *runs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!any_measured(&runs[i]))
			continue;
		fputs("<h3>Measured beside it", page);
		if (count > 1)
			fprintf(page, ", in run %zu", i + 1);
		fputs("</h3>\n", page);
		put_lines(page, runs, count, &runs[i], KIND_MEASURED);
	}
}

void page_environment(FILE *page, const struct run *runs, size_t count)
{
	fputs("<section id=\"environment\">\n<h2>Environment</h2>\n", page);
	if (count > 1)
		fputs("<p>What all runs have; for the rest, see\n"
		      "<a href=\"#differences\">the differences</a>.</p>\n",
		      page);
	if (!put_lines(page, runs, count, &runs[0], KIND_COMMON))
		fputs("<p>Nothing is known of it.</p>\n", page);
	put_measured(page, runs, count);
	fputs("</section>\n", page);
}
