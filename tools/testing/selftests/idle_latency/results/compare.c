// SPDX-License-Identifier: GPL-2.0
/* Which rows of two runs can be compared, and what comes of all of them. */
#include <stdlib.h>
#include <string.h>

#include "compare.h"

const char *change_name(enum change change)
{
	static const char * const names[] = {
		[CHANGE_SAME] = "same",
		[CHANGE_FASTER] = "faster",
		[CHANGE_SLOWER] = "slower",
		[CHANGE_UNCOMPARABLE] = "not comparable",
		[CHANGE_UNMEASURED] = "not measured",
		[CHANGE_UNDECIDED] = "not decided",
	};

	return names[change];
}

/* The rows of a run are of one machine. */
const char *runs_differ(const struct run *a, const struct run *b)
{
	if (strcmp(a->results->machine, b->results->machine))
		return "they are of different machines";
	if (strcmp(a->results->cpu_model, b->results->cpu_model))
		return "they are of different CPU models";
	return NULL;
}

/* A sweep has other launch distances than a run without, even where their range is the same. */
static bool same_steps(const struct result *a, const struct result *b)
{
	if (a->step_count != b->step_count)
		return false;
	for (size_t i = 0; i < a->step_count; i++)
		if (a->steps[i].ldist_from_ns != b->steps[i].ldist_from_ns ||
		    a->steps[i].samples != b->steps[i].samples)
			return false;
	return true;
}

const char *results_differ(const struct result *a, const struct result *b)
{
	if (!a || !a->count)
		return "A has no sample";
	if (!b || !b->count)
		return "B has no sample";
	if (strcmp(a->stamp, b->stamp))
		return "the stamps differ: choose one with --stamp";
	if (a->has_wake != b->has_wake)
		return "one has WakeLatency and the other IntrLatency";
	if (a->ldist_from_ns != b->ldist_from_ns ||
	    a->ldist_to_ns != b->ldist_to_ns || !same_steps(a, b))
		return "the launch distances differ: measure both with the same LDIST or SWEEP";
	return NULL;
}

bool same_row(const struct result *a, const struct result *b)
{
	return a->cpu == b->cpu && !strcmp(a->method, b->method) &&
	       !strcmp(a->state, b->state);
}

const struct result *find_same(const struct run *run,
			       const struct result *result)
{
	for (size_t i = 0; i < run->count; i++)
		if (same_row(&run->results[i], result))
			return &run->results[i];
	return NULL;
}

/* All rows of A, and those that only B has. */
static void pair_rows(const struct run *a, const struct run *b,
		      struct comparison *comparison)
{
	struct difference *next = comparison->differences;

	for (size_t i = 0; i < a->count; i++)
		*next++ = (struct difference) {
			.a = &a->results[i],
			.b = find_same(b, &a->results[i]),
		};
	for (size_t i = 0; i < b->count; i++)
		if (!find_same(a, &b->results[i]))
			*next++ = (struct difference) {
				.b = &b->results[i],
			};
	comparison->count = next - comparison->differences;
}

static void judge_comparable(struct difference *difference)
{
	const struct result *a = difference->a, *b = difference->b;

	if (!(a && a->count) && !(b && b->count)) {
		difference->change = CHANGE_UNMEASURED;
		return;
	}
	difference->reason = results_differ(a, b);
	if (difference->reason)
		difference->change = CHANGE_UNCOMPARABLE;
}

bool moved_within(const struct moved *moved, const struct margin *margin,
		  __u64 median_ns)
{
	__s64 within = margin_of(margin, median_ns);

	return moved->has_low && moved->has_high &&
	       moved->low_ns >= -within && moved->high_ns <= within;
}

/* Where nothing was found, it is the same only if its median cannot have moved by more. */
static bool is_same(const struct part_difference *part)
{
	return moved_within(&part->median, &part->margin,
			    order_stat(part->b.sorted, part->b.count,
				       QUANTILE_ONE / 2));
}

void add_findings(enum change *change, const struct finding *findings,
		  size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (findings[i].p > COMPARE_ALPHA)
			continue;
		if (findings[i].slower)
			*change = CHANGE_SLOWER;
		else if (*change == CHANGE_SAME)
			*change = CHANGE_FASTER;
	}
}

static void conclude(struct difference *difference)
{
	if (!difference->parts[PART_COUNTED].compared) {
		difference->change = CHANGE_UNCOMPARABLE;
		difference->reason = "fewer than 20 samples of a run count";
		return;
	}
	for (size_t i = 0; i < PARTS; i++)
		if (difference->parts[i].compared)
			add_findings(&difference->change,
				     difference->parts[i].findings, TESTED);
	if (difference->change == CHANGE_SAME &&
	    !is_same(&difference->parts[PART_COUNTED]))
		difference->change = CHANGE_UNDECIDED;
}

/* Holm's correction is over all that is tested: of all rows, and in both of their parts. */
static void adjust(struct comparison *comparison)
{
	double **p = memory(comparison->count * PARTS * TESTED, sizeof(*p));
	size_t count = 0;

	for (size_t i = 0; i < comparison->count; i++) {
		struct part_difference *parts = comparison->differences[i].parts;

		for (size_t j = 0; j < PARTS * TESTED; j++)
			if (parts[j / TESTED].compared)
				p[count++] = &parts[j / TESTED].findings[j % TESTED].p;
	}
	holm_adjust(p, count);
	free(p);
}

static enum change conclude_all(const struct comparison *comparison)
{
	size_t count[CHANGES] = {};

	for (size_t i = 0; i < comparison->count; i++)
		count[comparison->differences[i].change]++;
	if (count[CHANGE_SLOWER])
		return CHANGE_SLOWER;
	if (count[CHANGE_UNCOMPARABLE])
		return CHANGE_UNCOMPARABLE;
	if (count[CHANGE_UNDECIDED])
		return CHANGE_UNDECIDED;
	if (!(count[CHANGE_SAME] + count[CHANGE_FASTER]))
		return CHANGE_UNCOMPARABLE;
	return count[CHANGE_FASTER] ? CHANGE_FASTER : CHANGE_SAME;
}

void compare_runs(const struct run *a, const struct run *b,
		  const struct margin *margin, struct comparison *comparison)
{
	comparison->count = 0;
	comparison->differences = memory(a->count + b->count,
					 sizeof(*comparison->differences));
	pair_rows(a, b, comparison);
	for (size_t i = 0; i < comparison->count; i++) {
		struct difference *difference = &comparison->differences[i];

		judge_comparable(difference);
		if (difference->change == CHANGE_SAME)
			compare_results(difference, margin);
	}
	adjust(comparison);
	for (size_t i = 0; i < comparison->count; i++)
		if (comparison->differences[i].change == CHANGE_SAME)
			conclude(&comparison->differences[i]);
	comparison->change = conclude_all(comparison);
}

void comparison_free(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->count; i++) {
		for (size_t j = 0; j < PARTS; j++) {
			free((void *)comparison->differences[i].parts[j].a.sorted);
			free((void *)comparison->differences[i].parts[j].b.sorted);
		}
	}
	free(comparison->differences);
}

bool has_line(const struct run *run, const char *line)
{
	for (size_t i = 0; i < run->environment_count; i++)
		if (!strcmp(run->environment[i], line))
			return true;
	return false;
}

const char **environment_only(const struct run *a, const struct run *b,
			      size_t *count)
{
	const char **lines = memory(a->environment_count + 1, sizeof(*lines));

	*count = 0;
	for (size_t i = 0; i < a->environment_count; i++)
		if (!has_line(b, a->environment[i]))
			lines[(*count)++] = a->environment[i];
	return lines;
}
