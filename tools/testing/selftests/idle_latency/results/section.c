// SPDX-License-Identifier: GPL-2.0
/* The section of a row: what was measured, its plots, and what explains the slowest. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "html.h"
#include "verdict.h"

void section_id(char *id, size_t size, size_t run, size_t row)
{
	snprintf(id, size, "run%zu-row%zu", run + 1, row + 1);
}

__u64 *latencies_sorted(const struct result *result)
{
	__u64 *sorted = memory(result->count, sizeof(*sorted));

	for (size_t i = 0; i < result->count; i++)
		sorted[i] = sample_latency(result, &result->samples[i]);
	sort_samples(sorted, result->count);
	return sorted;
}

struct order_stats latency_stats(const struct result *result)
{
	struct order_stats stats;
	__u64 *sorted;

	/* run_agrees() has seen that the samples have these. */
	if (result->has_wake)
		return result->summary.wake;
	sorted = latencies_sorted(result);
	stats = order_stats(sorted, result->count);
	free(sorted);
	return stats;
}

static void put_fact(FILE *page, const char *name, bool known, __u64 number,
		     const char *unit)
{
	if (known)
		fprintf(page, "<div><dt>%s</dt><dd>%llu%s</dd></div>\n", name,
			number, unit);
}

static void put_facts(FILE *page, const struct result *result,
		      const __u64 *sorted)
{
	struct order_stats stats = order_stats(sorted, result->count);

	fputs("<dl class=\"facts\">\n", page);
	put_fact(page, "declared", true, result->declared_ns, " ns");
	put_fact(page, "minimum", true, stats.min, " ns");
	put_fact(page, "median", true, stats.median, " ns");
	put_fact(page, "99 %", stats.has_p99, stats.p99, " ns");
	put_fact(page, "99.99 %", stats.has_p9999, stats.p9999, " ns");
	put_fact(page, "maximum", true, stats.max, " ns");
	put_fact(page, "armed", true, result->armed, "");
	put_fact(page, "samples", true, result->count, "");
	put_fact(page, "discarded", true, result->discarded, "");
	put_fact(page, "reached the state", result->has_reached,
		 result->reached, "");
	fprintf(page, "<div><dt>launch distance</dt><dd>%llu to %llu ns",
		result->ldist_from_ns, result->ldist_to_ns);
	if (result->step_count)
		fprintf(page, ", a sweep of %zu steps", result->step_count);
	fputs("</dd></div>\n", page);
	fprintf(page, "<div><dt>stamps</dt><dd>%s</dd></div>\n</dl>\n",
		strcmp(result->stamp, "probe") ? "around the idle state" :
						 "of the cpu_idle tracepoint");
}

static void put_columns(FILE *page, const char *before,
			const char * const *columns, size_t count,
			const char *after)
{
	fputs(before, page);
	for (size_t i = 0; i < count; i++)
		fprintf(page, "<th class=\"n\">%s</th>", columns[i]);
	fputs(after, page);
}

static void put_discards(FILE *page, const struct result *result)
{
	static const char * const columns[] = {
		"events", "above", "largest, ns",
	};

	fputs("<div><h3>Discarded events</h3>\n", page);
	if (!result->discarded)
		fputs("<p>None.</p>\n", page);
	else if (!result->discard_count)
		fprintf(page,
			"<p>%llu, for reasons that this run did not write (it has no discards.csv).</p>\n",
			result->discarded);
	else
		put_columns(page, "<table><thead><tr><th>reason</th>", columns,
			    ARRAY_SIZE(columns), "</tr></thead><tbody>\n");
	for (size_t i = 0; i < result->discard_count; i++) {
		const struct discard *discard = &result->discards[i];

		fputs("<tr>", page);
		html_cell(page, NULL, discard->reason);
		html_number(page, NULL, true, discard->count);
		html_number(page, NULL, true, discard->above);
		html_number(page, NULL, discard->largest_ns, discard->largest_ns);
		fputs("</tr>\n", page);
	}
	fprintf(page, "%s</div>\n",
		result->discard_count ? "</tbody></table>" : "");
}

/* "C0 1.5 %, CC6 90.0 %": what is not 0. */
static void put_residency(FILE *page, const struct sample *sample)
{
	const char *separator = "";

	fputs("<td>", page);
	for (size_t i = 0; i < SHARES - 1; i++) {
		size_t letters = strcspn(share_columns[i], "_");

		if (isnan(sample->share[i]) || sample->share[i] <= 0)
			continue;
		fputs(separator, page);
		for (size_t j = 0; j < letters; j++)
			fputc(toupper(share_columns[i][j]), page);
		fprintf(page, " %.1f&nbsp;%%", sample->share[i]);
		separator = ", ";
	}
	fprintf(page, "%s</td>", *separator ? "" : "no counter");
}

static void put_slow(FILE *page, const struct sample *sample)
{
	fputs("<tr>", page);
	html_number(page, NULL, true, sample->seq);
	html_number(page, NULL, true, sample->ldist_ns);
	html_number(page, NULL, sample->has_wake, sample->silent_ns);
	html_number(page, NULL, sample->has_wake, sample->wake_ns);
	html_number(page, NULL, true, sample->intr_ns);
	html_number(page, NULL, true, sample->error_ns);
	put_residency(page, sample);
	fputs("</tr>\n", page);
}

static void put_slowest_heading(FILE *page, const struct result *result,
				size_t count)
{
	fputs("<div><h3>The ", page);
	if (count == SLOWEST_MAX)
		fputs("ten samples", page);
	else if (count > 1)
		fprintf(page, "%zu samples", count);
	else
		fputs("one sample", page);
	fprintf(page, " with the largest %s less its error, in ns</h3>\n",
		result->has_wake ? "WakeLatency" : "IntrLatency");
}

static void put_slowest(FILE *page, const struct result *result)
{
	static const char * const columns[] = {
		"seq", "LDist", "Silent<wbr>Time", "Wake<wbr>Latency",
		"Intr<wbr>Latency", "error",
	};
	struct slowest slowest;

	slowest_find(result, &slowest);
	put_slowest_heading(page, result, slowest.count);
	put_columns(page, "<table class=\"ten\"><thead><tr>", columns,
		    ARRAY_SIZE(columns),
		    "<th>residency</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < slowest.count; i++)
		put_slow(page, &result->samples[slowest.index[i]]);
	fputs("</tbody></table></div>\n", page);
}

static struct axes axes_in_all(const struct run *runs, size_t count,
			       const struct result *result)
{
	struct peers peers = { .results = memory(count, sizeof(*peers.results)) };
	struct axes axes;

	for (size_t i = 0; i < count; i++) {
		const struct result *same = find_same(&runs[i], result);

		if (same && same->count && same->has_wake == result->has_wake)
			peers.results[peers.count++] = same;
	}
	axes = axes_of(&peers);
	free(peers.results);
	return axes;
}

static bool put_samples(FILE *page, const struct run *runs, size_t count,
			const struct result *result, char *error, size_t size)
{
	struct axes axes = axes_in_all(runs, count, result);
	__u64 *sorted = latencies_sorted(result);
	bool drawn;

	put_facts(page, result, sorted);
	fputs("<div class=\"plots\">\n", page);
	drawn = plots_write(page, result, sorted, &axes, error, size);
	fputs("</div>\n", page);
	free(sorted);
	return drawn;
}

static void put_why_none(FILE *page, const struct result *result)
{
	if (result->ran)
		fprintf(page,
			"<p>There is no plot, as there is no sample: of %llu events that were armed, %llu were discarded.</p>\n",
			result->armed, result->discarded);
	else
		fputs("<p>There is no plot, as it was not measured, for the reason above.</p>\n",
		      page);
}

static void put_heading(FILE *page, const struct run *runs, size_t count,
			size_t run, size_t row)
{
	const struct result *result = &runs[run].results[row];
	char id[48];

	section_id(id, sizeof(id), run, row);
	fprintf(page, "<section id=\"%s\">\n<h2>cpu%u %s ", id, result->cpu,
		result->method);
	html_text(page, result->state);
	if (count > 1) {
		fputs(" <span class=\"soft\">in ", page);
		html_text(page, runs[run].dir);
		fputs("</span>", page);
	}
	fputs("</h2>\n", page);
}

bool page_section(FILE *page, const struct run *runs, size_t count, size_t run,
		  size_t row, char *error, size_t size)
{
	const struct result *result = &runs[run].results[row];
	bool drawn = true;

	put_heading(page, runs, count, run, row);
	words_of_verdict(page, result);
	words_of_sweep(page, result);
	if (result->count)
		drawn = put_samples(page, runs, count, result, error, size);
	else
		put_why_none(page, result);
	fputs("<div class=\"below\">\n", page);
	if (result->ran)
		put_discards(page, result);
	if (result->count)
		put_slowest(page, result);
	fputs("</div>\n</section>\n", page);
	return drawn;
}
