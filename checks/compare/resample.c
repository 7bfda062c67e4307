// SPDX-License-Identifier: GPL-2.0
/*
 * resample DIR PAIRS PERMILLE: pairs of runs that are drawn from the samples of a run, with
 * replacement; in the second of each, all samples take that much longer. Prints a line for each
 * row, "METHOD STATE", how many pairs found it slower, faster and the same, and the median latency
 * and error of the run; and a last line with how many pairs found anything.
 *
 * The margin is that of latency_compare; with "exact" as a fourth argument it is nothing, and so
 * are the errors, so that each finding counts.
 */
#include <stdlib.h>
#include <string.h>

#include "compare.h"

static struct dice dice = { .state = 17 };

/* Of those at the same kind of launch distance, so that there are as many as before. */
static void draw(const struct result *from, struct result *to,
		 unsigned int permille, bool exact)
{
	for (size_t i = 0; i < from->count; i++) {
		const struct sample *sample;

		do
			sample = &from->samples[dice_below(&dice, from->count)];
		while ((sample->ldist_ns < from->ldist_from_ns) !=
		       (from->samples[i].ldist_ns < from->ldist_from_ns));
		to->samples[i] = *sample;
		to->samples[i].wake_ns += sample->wake_ns * permille / 1000;
		to->samples[i].intr_ns += sample->intr_ns * permille / 1000;
		if (exact)
			to->samples[i].error_ns = 0;
	}
}

static struct run copy_rows(const struct run *from)
{
	struct run to = *from;

	to.results = memory(from->count, sizeof(*to.results));
	for (size_t i = 0; i < from->count; i++) {
		to.results[i] = from->results[i];
		to.results[i].samples = memory(from->results[i].count,
					       sizeof(struct sample));
	}
	return to;
}

static void print_row(const struct result *result, const size_t *found)
{
	struct sample_set set;

	take_part(result, PART_COUNTED, &set);
	printf("%s %s %zu %zu %zu %llu %llu\n", result->method, result->state,
	       found[CHANGE_SLOWER], found[CHANGE_FASTER], found[CHANGE_SAME],
	       order_stat(set.sorted, set.count, QUANTILE_ONE / 2),
	       median_error(result));
	free((void *)set.sorted);
}

int main(int argc, char **argv)
{
	struct margin margin = margin_default;
	bool exact = argc > 4 && !strcmp(argv[4], "exact");
	struct run run, a, b;
	size_t (*found)[CHANGES];
	size_t pairs = atoi(argv[2]), any = 0;
	char error[5000];

	if (!run_read(argv[1], &run, error, sizeof(error))) {
		puts(error);
		return 1;
	}
	if (exact)
		margin = (struct margin) {};
	a = copy_rows(&run);
	b = copy_rows(&run);
	found = memory(run.count, sizeof(*found));
	for (size_t i = 0; i < pairs; i++) {
		struct comparison comparison;

		for (size_t j = 0; j < run.count; j++) {
			draw(&run.results[j], &a.results[j], 0, exact);
			draw(&run.results[j], &b.results[j], atoi(argv[3]),
			     exact);
		}
		compare_runs(&a, &b, &margin, &comparison);
		for (size_t j = 0; j < run.count; j++)
			found[j][comparison.differences[j].change]++;
		any += comparison.change == CHANGE_SLOWER ||
		       comparison.change == CHANGE_FASTER;
		comparison_free(&comparison);
	}
	for (size_t i = 0; i < run.count; i++)
		print_row(&run.results[i], found[i]);
	printf("any %zu of %zu\n", any, pairs);
	return 0;
}
