// SPDX-License-Identifier: GPL-2.0
/* What the steps of a sweep say, each beside the others. */
#include <stdlib.h>

#include "comparison.h"
#include "report.h"
#include "sweep.h"

/* All tests of a row together are wrong in at most 5 % of cases. */
#define SWEEP_ALPHA	0.05

/* With the step before and the one before that, in both directions. */
#define TESTS_PER_STEP	4

const char *step_change_name(enum step_change change)
{
	switch (change) {
	case STEP_SLOWER:
		return "slower";
	case STEP_FASTER:
		return "faster";
	default:
		return "";
	}
}

struct launch_distance sweep_step(const struct sweep *sweep, __u64 from_ns)
{
	__u64 length = from_ns * sweep->percent / 100;
	__u64 to_ns = from_ns + (length ? length - 1 : 0);

	return (struct launch_distance) {
		.from_ns = from_ns,
		.to_ns = to_ns < sweep->ldist.to_ns ? to_ns : sweep->ldist.to_ns,
	};
}

size_t sweep_count(const struct sweep *sweep)
{
	__u64 from_ns = sweep->ldist.from_ns;
	size_t count = 0;

	for (; from_ns <= sweep->ldist.to_ns; count++)
		from_ns = sweep_step(sweep, from_ns).to_ns + 1;
	return count;
}

bool sweep_plan(const struct sweep *sweep, size_t samples, struct row *row)
{
	__u64 from_ns = sweep->ldist.from_ns;

	row->step_count = sweep_count(sweep);
	row->steps = calloc(row->step_count, sizeof(*row->steps));
	if (!row->steps)
		return false;
	for (size_t i = 0; i < row->step_count; i++) {
		row->steps[i].stratum = (struct stratum) {
			.ldist = sweep_step(sweep, from_ns), .wanted = samples,
		};
		from_ns = row->steps[i].stratum.ldist.to_ns + 1;
	}
	return true;
}

void sweep_free(struct row *row)
{
	free(row->steps);
	row->steps = NULL;
	row->step_count = 0;
}

/* @times: room for its samples */
static void summarise_silent(struct step *step,
			     const struct idle_latency_record *samples,
			     __u64 *times)
{
	size_t count = step->stratum.count;

	for (size_t i = 0; i < count; i++)
		times[i] = samples[i].silent_ns;
	sort_samples(times, count);
	step->silent_min_ns = times[0];
	step->silent_median_ns = order_stat(times, count, QUANTILE_ONE / 2);
	step->silent_max_ns = times[count - 1];
}

/* @times: the same, which is left with their latencies, sorted */
static void summarise_step(struct step *step, bool wake,
			   const struct idle_latency_record *samples,
			   __u64 *times)
{
	size_t count = step->stratum.count;

	if (!count)
		return;
	if (wake)
		summarise_silent(step, samples, times);
	for (size_t i = 0; i < count; i++)
		times[i] = samples[i].error_ns;
	sort_samples(times, count);
	step->median_error_ns = order_stat(times, count, QUANTILE_ONE / 2);
	for (size_t i = 0; i < count; i++)
		times[i] = wake ? samples[i].wake_ns : samples[i].intr_ns;
	sort_samples(times, count);
	step->latency = order_stats(times, count);
}

static struct margin margin_between(const struct step *a,
				    const struct step *b)
{
	return (struct margin) {
		.error_ns = a->median_error_ns + b->median_error_ns,
		.least_ns = MARGIN_LEAST_NS,
		.percent = MARGIN_PERCENT,
	};
}

/* @times: all latencies, those of each step sorted; @room: for as many */
static enum step_change compare(const struct step *before,
				const struct step *step, double alpha,
				const __u64 *times, __u64 *room)
{
	const struct sample_set a = {
		.sorted = times + before->stratum.first,
		.count = before->stratum.count,
	};
	const struct sample_set b = {
		.sorted = times + step->stratum.first,
		.count = step->stratum.count,
	};
	const struct margin margin = margin_between(before, step);

	if (larger_p(&a, &b, &margin, room) <= alpha)
		return STEP_SLOWER;
	if (larger_p(&b, &a, &margin, room) <= alpha)
		return STEP_FASTER;
	return STEP_SAME;
}

/* The last step before @i that has samples; @i where there is none. */
static size_t step_before(const struct row *row, size_t i)
{
	for (size_t before = i; before--;)
		if (row->steps[before].stratum.count)
			return before;
	return i;
}

static void find_change(struct row *row, size_t i, const __u64 *times,
			__u64 *room)
{
	const double alpha = SWEEP_ALPHA / TESTS_PER_STEP / row->step_count;
	struct step *step = &row->steps[i];
	size_t before = i;

	/* Both of them, until one differs or was different itself. */
	for (int tests = 0; tests < 2; tests++) {
		step->before = step_before(row, before);
		if (step->before == before)
			return;
		before = step->before;
		step->change = compare(&row->steps[before], step, alpha, times,
				       room);
		if (step->change != STEP_SAME ||
		    row->steps[before].change != STEP_SAME)
			return;
	}
}

bool sweep_summarise(struct row *row,
		     const struct idle_latency_record *samples)
{
	__u64 *times = calloc(2 * row->valid, sizeof(*times));

	if (!times)
		return false;
	for (size_t i = 0; i < row->step_count; i++) {
		size_t first = row->steps[i].stratum.first;

		summarise_step(&row->steps[i], row->has_wake, samples + first,
			       times + first);
	}
	for (size_t i = 0; i < row->step_count; i++)
		if (row->steps[i].stratum.count)
			find_change(row, i, times, times + row->valid);
	free(times);
	return true;
}

/* These two return the number of steps where there is none. */

static size_t next_with_samples(const struct row *row, size_t from)
{
	size_t i = from;

	while (i < row->step_count && !row->steps[i].stratum.count)
		i++;
	return i;
}

static size_t next_change(const struct row *row, size_t from)
{
	size_t i = from;

	while (i < row->step_count && row->steps[i].change == STEP_SAME)
		i++;
	return i;
}

bool sweep_slope(const struct row *row, size_t from, struct slope *slope)
{
	size_t i = next_change(row, from);

	if (i == row->step_count)
		return false;
	slope->change = row->steps[i].change;
	slope->before = row->steps[i].before;
	for (; i < row->step_count && row->steps[i].change == slope->change;
	     i = next_with_samples(row, i + 1))
		slope->last = i;
	return true;
}

bool sweep_ended(const struct row *row)
{
	return row->steps[row->step_count - 1].stratum.count;
}

static const char *latency_name(const struct row *row)
{
	return row->has_wake ? "WakeLatency" : "IntrLatency";
}

/* Of some samples SilentTime is much shorter than that of the others. */
static __u64 middle_of(const struct row *row, const struct step *step)
{
	const struct launch_distance *ldist = &step->stratum.ldist;

	return row->has_wake ? step->silent_median_ns :
			       (ldist->from_ns + ldist->to_ns) / 2;
}

void sweep_slope_text(const struct row *row, const struct slope *slope,
		      char *line, size_t size)
{
	const struct step *before = &row->steps[slope->before];
	const struct step *last = &row->steps[slope->last];

	snprintf(line, size,
		 "cpu%u %s %s: %s becomes %s from a %s of %llu to %llu ns: the median from %llu to %llu ns",
		 row->cpu, row->method->name, row->state.name,
		 latency_name(row),
		 slope->change == STEP_SLOWER ? "longer" : "shorter",
		 row->has_wake ? "SilentTime" : "launch distance",
		 middle_of(row, before), middle_of(row, last),
		 before->latency.median, last->latency.median);
}

static const struct step *larger(const struct step *a, const struct step *b)
{
	return !a || b->latency.max > a->latency.max ? b : a;
}

/* Whether the largest latency of one step is above that of another by more than the margin. */
static bool stands_out(const struct step *step, const struct step *other)
{
	struct margin margin;

	if (!step || !other)
		return false;
	margin = margin_between(step, other);
	return margin_reduce(&margin, step->latency.max) > other->latency.max;
}

bool sweep_edge_text(const struct row *row, char *line, size_t size)
{
	const struct step *largest = NULL, *other = NULL;
	size_t first = next_with_samples(row, 0), last = first;

	for (size_t i = first; i < row->step_count;
	     i = next_with_samples(row, i + 1)) {
		largest = larger(largest, &row->steps[i]);
		last = i;
	}
	if (largest != &row->steps[first] && largest != &row->steps[last])
		return false;
	for (size_t i = first; i < row->step_count;
	     i = next_with_samples(row, i + 1))
		if (&row->steps[i] != largest)
			other = larger(other, &row->steps[i]);
	if (!stands_out(largest, other))
		return false;
	snprintf(line, size,
		 "cpu%u %s %s: the largest %s, %llu ns, is at the edge of the sweep, at launch distances of %llu to %llu ns: sweep further",
		 row->cpu, row->method->name, row->state.name,
		 latency_name(row), largest->latency.max,
		 largest->stratum.ldist.from_ns, largest->stratum.ldist.to_ns);
	return true;
}

static bool overlap(struct launch_distance a, struct launch_distance b)
{
	return a.from_ns <= b.to_ns && b.from_ns <= a.to_ns;
}

bool sweep_hidden_text(const struct row *row, struct launch_distance usual,
		       char *line, size_t size)
{
	const struct step *shown = NULL, *hidden = NULL;

	for (size_t i = 0; i < row->step_count; i++) {
		const struct step *step = &row->steps[i];

		if (!step->stratum.count)
			continue;
		if (overlap(step->stratum.ldist, usual))
			shown = larger(shown, step);
		else
			hidden = larger(hidden, step);
	}
	if (!stands_out(hidden, shown))
		return false;
	snprintf(line, size,
		 "cpu%u %s %s: the largest %s, %llu ns, is at launch distances of %llu to %llu ns: the default launch distances, %llu to %llu ns, would not have shown it",
		 row->cpu, row->method->name, row->state.name,
		 latency_name(row), hidden->latency.max,
		 hidden->stratum.ldist.from_ns, hidden->stratum.ldist.to_ns,
		 usual.from_ns, usual.to_ns);
	return true;
}

void sweep_report(const struct row *row)
{
	struct launch_distance usual =
		launch_distance_default(row->info.target_residency_ns,
					launch_distance_least(row->method->source));
	struct slope slope = { };
	char line[256];

	for (size_t from = 0; sweep_slope(row, from, &slope);
	     from = slope.last + 1) {
		sweep_slope_text(row, &slope, line, sizeof(line));
		report_line("%s", line);
	}
	if (sweep_edge_text(row, line, sizeof(line)))
		report_line("%s", line);
	if (sweep_hidden_text(row, usual, line, sizeof(line)))
		report_line("%s", line);
}
