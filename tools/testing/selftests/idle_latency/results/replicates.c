// SPDX-License-Identifier: GPL-2.0
/*
 * Several runs of each kind. Samples of one run have its boot, temperature and neighbours in
 * common, so that many of them say no more of a kernel than one figure does.
 */
#include <stdlib.h>

#include "compare.h"

static const __u64 figure_quantiles[FIGURES] = {
	[FIGURE_MEDIAN] = QUANTILE_ONE / 2,
	[FIGURE_P99] = QUANTILE_ONE / 100 * 99,
};

/* Returns false where too few samples count. */
static bool take_figures(const struct result *result, size_t run,
			 __u64 figures[FIGURES][REPLICATES_MAX])
{
	struct sample_set set;
	bool enough;

	take_part(result, PART_COUNTED, &set);
	enough = set.count >= COMPARE_LEAST;
	for (size_t i = 0; enough && i < FIGURES; i++)
		figures[i][run] = order_stat(set.sorted, set.count,
					     figure_quantiles[i]);
	free((void *)set.sorted);
	return enough;
}

/* Of all runs, the first of A is compared with each other one. */
static void take_row(const struct replication *replication,
		     struct replicated *row, __u64 *error_ns)
{
	size_t a_count = replication->a_count;

	for (size_t i = 0; i < a_count + replication->b_count; i++) {
		bool of_a = i < a_count;
		const struct run *run = of_a ? &replication->a[i] :
					       &replication->b[i - a_count];
		const struct result *result = find_same(run, row->result);
		__u64 error;

		row->reason = result && result->count ?
			      results_differ(row->result, result) :
			      "a run has no sample of it";
		if (!row->reason &&
		    !take_figures(result, of_a ? i : i - a_count,
				  of_a ? row->a : row->b))
			row->reason = "fewer than 20 samples of a run count";
		if (row->reason)
			return;
		error = median_error(result);
		if (error > *error_ns)
			*error_ns = error;
	}
}

static double larger_figure_p(const __u64 *a, size_t a_count, const __u64 *b,
			      size_t b_count, const struct margin *margin)
{
	__u64 reduced[REPLICATES_MAX];

	for (size_t i = 0; i < b_count; i++)
		reduced[i] = margin_reduce(margin, b[i]);
	return permutation_p(a, a_count, reduced, b_count);
}

static void test_figure(const struct replication *replication,
			struct replicated *row, enum figure figure)
{
	size_t a_count = replication->a_count, b_count = replication->b_count;
	double slower = larger_figure_p(row->a[figure], a_count,
					row->b[figure], b_count, &row->margin);
	double faster = larger_figure_p(row->b[figure], b_count,
					row->a[figure], a_count, &row->margin);
	double p = 2 * (slower < faster ? slower : faster);

	row->findings[figure] = (struct finding) {
		.p = p < 1 ? p : 1,
		.slower = slower < faster,
	};
}

static bool any_measured(const struct run *runs, size_t count,
			 const struct result *like)
{
	for (size_t i = 0; i < count; i++) {
		const struct result *result = find_same(&runs[i], like);

		if (result && result->count)
			return true;
	}
	return false;
}

static bool never_measured(const struct replication *replication,
			   const struct result *like)
{
	return !any_measured(replication->a, replication->a_count, like) &&
	       !any_measured(replication->b, replication->b_count, like);
}

/* That its rows can be compared says nothing where so few runs can decide nothing. */
static enum change leave_undecided(struct replication *replication)
{
	for (size_t i = 0; i < replication->count; i++)
		if (replication->rows[i].change == CHANGE_SAME)
			replication->rows[i].change = CHANGE_UNDECIDED;
	return CHANGE_UNDECIDED;
}

static void compare_row(const struct replication *replication,
			struct replicated *row, const struct margin *margin)
{
	__u64 error_ns = 0;

	if (never_measured(replication, row->result)) {
		row->change = CHANGE_UNMEASURED;
		return;
	}
	take_row(replication, row, &error_ns);
	if (row->reason) {
		row->change = CHANGE_UNCOMPARABLE;
		return;
	}
	/* Of a run of A, and of one of B. */
	row->margin = *margin;
	row->margin.error_ns += 2 * error_ns;
	for (enum figure i = FIGURE_MEDIAN; i < FIGURES; i++)
		test_figure(replication, row, i);
}

static size_t count_change(const struct replication *replication,
			   enum change change)
{
	size_t count = 0;

	for (size_t i = 0; i < replication->count; i++)
		count += replication->rows[i].change == change;
	return count;
}

static void adjust(const struct replication *replication)
{
	double **p = memory(replication->count * FIGURES, sizeof(*p));
	size_t count = 0;

	for (size_t i = 0; i < replication->count; i++)
		for (size_t j = 0; j < FIGURES; j++)
			if (replication->rows[i].change == CHANGE_SAME)
				p[count++] = &replication->rows[i].findings[j].p;
	holm_adjust(p, count);
	free(p);
}

static void find_range(const __u64 *figures, size_t count, __u64 *least,
		       __u64 *most)
{
	*least = figures[0];
	*most = figures[0];
	for (size_t i = 1; i < count; i++) {
		if (figures[i] < *least)
			*least = figures[i];
		if (figures[i] > *most)
			*most = figures[i];
	}
}

/*
 * By how much B is above A: it is between the smallest and the largest difference of two runs,
 * unless all runs of one kind are on the same side of all of the other by chance.
 */
static struct moved find_moved(const struct replication *replication,
			       const struct replicated *row, enum figure figure)
{
	__u64 a_least, a_most, b_least, b_most;
	struct moved moved = { .has_low = true, .has_high = true };

	find_range(row->a[figure], replication->a_count, &a_least, &a_most);
	find_range(row->b[figure], replication->b_count, &b_least, &b_most);
	moved.low_ns = (__s64)b_least - (__s64)a_most;
	moved.high_ns = (__s64)b_most - (__s64)a_least;
	return moved;
}

static void conclude(const struct replication *replication,
		     struct replicated *row)
{
	struct moved moved = find_moved(replication, row, FIGURE_MEDIAN);

	add_findings(&row->change, row->findings, FIGURES);
	if (row->change == CHANGE_SAME &&
	    !moved_within(&moved, &row->margin, row->b[FIGURE_MEDIAN][0]))
		row->change = CHANGE_UNDECIDED;
}

/* In how many ways the runs of B can be chosen from all runs. */
static double selections(size_t a_count, size_t b_count)
{
	double count = 1;

	for (size_t i = 1; i <= b_count; i++)
		count = count * (a_count + i) / i;
	return count;
}

/* With fewer, the smallest p that is possible is no finding in so many rows. */
static bool enough(size_t a_count, size_t b_count, size_t rows)
{
	return 2 * FIGURES * rows <= COMPARE_ALPHA * selections(a_count, b_count);
}

static enum change conclude_all(struct replication *replication)
{
	size_t rows = count_change(replication, CHANGE_SAME);

	replication->needed = 2;
	while (!enough(replication->needed, replication->needed, rows))
		replication->needed++;
	if (!rows)
		return CHANGE_UNCOMPARABLE;
	replication->too_few = !enough(replication->a_count,
				       replication->b_count, rows);
	if (replication->too_few)
		return leave_undecided(replication);
	for (size_t i = 0; i < replication->count; i++)
		if (replication->rows[i].change == CHANGE_SAME)
			conclude(replication, &replication->rows[i]);
	if (count_change(replication, CHANGE_SLOWER))
		return CHANGE_SLOWER;
	if (count_change(replication, CHANGE_UNCOMPARABLE))
		return CHANGE_UNCOMPARABLE;
	if (count_change(replication, CHANGE_UNDECIDED))
		return CHANGE_UNDECIDED;
	return count_change(replication, CHANGE_FASTER) ? CHANGE_FASTER :
							  CHANGE_SAME;
}

/* Those that no run before has. */
static void add_rows(struct replication *replication, const struct run *run)
{
	for (size_t i = 0; i < run->count; i++) {
		size_t row = 0;

		while (row < replication->count &&
		       !same_row(replication->rows[row].result,
				 &run->results[i]))
			row++;
		if (row < replication->count)
			continue;
		replication->rows = memory_for_one_more(replication->rows, row,
							sizeof(*replication->rows));
		replication->rows[row].result = &run->results[i];
		replication->count++;
	}
}

void compare_replicates(struct replication *replication,
			const struct margin *margin)
{
	replication->rows = NULL;
	replication->count = 0;
	for (size_t i = 0; i < replication->a_count; i++)
		add_rows(replication, &replication->a[i]);
	for (size_t i = 0; i < replication->b_count; i++)
		add_rows(replication, &replication->b[i]);
	for (size_t i = 0; i < replication->count; i++)
		compare_row(replication, &replication->rows[i], margin);
	adjust(replication);
	replication->change = conclude_all(replication);
}

static bool same_times(const struct result *a, const struct result *b)
{
	if (!b || a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (a->samples[i].ldist_ns != b->samples[i].ldist_ns ||
		    a->samples[i].intr_ns != b->samples[i].intr_ns)
			return false;
	return true;
}

bool same_samples(const struct run *a, const struct run *b)
{
	for (size_t i = 0; i < a->count; i++)
		if (!same_times(&a->results[i], find_same(b, &a->results[i])))
			return false;
	return true;
}

void replication_free(struct replication *replication)
{
	free(replication->rows);
}

static void add_figure(struct text *text, const struct replication *replication,
		       const struct replicated *row, enum figure figure)
{
	struct moved moved = find_moved(replication, row, figure);
	__u64 a_least, a_most, b_least, b_most;

	find_range(row->a[figure], replication->a_count, &a_least, &a_most);
	find_range(row->b[figure], replication->b_count, &b_least, &b_most);
	text_add(text, "%s from %llu to %llu ns in A, %llu to %llu ns in B, moved by ",
		 figure == FIGURE_MEDIAN ? "median" : "; 99th percentile",
		 a_least, a_most, b_least, b_most);
	moved_text(&moved, text);
}

void replicated_text(const struct replication *replication,
		     const struct replicated *row, char *text, size_t size)
{
	struct text all = text_begin(text, size);

	text_add(&all, "cpu%u %s %s: ", row->result->cpu, row->result->method,
		 row->result->state);
	if (row->change == CHANGE_UNMEASURED) {
		text_add(&all, "was measured in none of them");
		return;
	}
	if (row->reason) {
		text_add(&all, "cannot be compared: %s", row->reason);
		return;
	}
	text_add(&all, "%s: ", row->change == CHANGE_SAME ?
		 "the same" : change_name(row->change));
	for (enum figure i = FIGURE_MEDIAN; i < FIGURES; i++)
		add_figure(&all, replication, row, i);
}
