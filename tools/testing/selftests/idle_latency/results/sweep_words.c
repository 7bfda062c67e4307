// SPDX-License-Identifier: GPL-2.0
/* What a sweep found, in words. */
#include <string.h>

#include "html.h"

/* Steps without a sample say nothing: the next one with samples, or the count. */
static size_t next_step(const struct result *result, size_t i)
{
	while (i < result->step_count && !result->steps[i].samples)
		i++;
	return i;
}

static void put_change(FILE *page, const struct result *result, size_t before,
		       size_t first, size_t last)
{
	const struct step *steps = result->steps;

	fprintf(page,
		"%s from launch distances of %llu to %llu&nbsp;ns on: the median from %llu to %llu&nbsp;ns. ",
		!strcmp(steps[first].change, "slower") ? "Longer" : "Shorter",
		steps[first].ldist_from_ns, steps[first].ldist_to_ns,
		steps[before].median_ns, steps[last].median_ns);
}

/* Steps that changed in the same direction, one after the other, are one change. */
static size_t put_changes(FILE *page, const struct result *result)
{
	size_t before = next_step(result, 0), i = next_step(result, before + 1);
	size_t changes = 0;

	while (i < result->step_count) {
		const char *change = result->steps[i].change;
		size_t first = i, last = i;

		i = next_step(result, i + 1);
		while (*change && i < result->step_count &&
		       !strcmp(result->steps[i].change, change)) {
			last = i;
			i = next_step(result, i + 1);
		}
		if (*change) {
			put_change(page, result, before, first, last);
			changes++;
		}
		before = last;
	}
	return changes;
}

void words_of_sweep(FILE *page, const struct result *result)
{
	if (!result->step_count)
		return;
	fputs("<p class=\"sweep\">", page);
	if (!put_changes(page, result))
		fputs("No step of the sweep is slower or faster than the one before.",
		      page);
	fputs("</p>\n", page);
}
