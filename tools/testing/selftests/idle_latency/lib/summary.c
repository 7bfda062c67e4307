// SPDX-License-Identifier: GPL-2.0
/* What the samples of a row say, and the steps of a sweep, each beside the others. */
#include <stdlib.h>
#include <string.h>

#include "environment.h"
#include "report.h"

/* All tests of a row together are wrong in at most 5 % of cases. */
#define SWEEP_ALPHA	0.05

/* In percent: where somebody wrote to a counter meanwhile, it tells of more than any CPU has. */
#define FREQUENCY_BELOW	1000000

/* With the step before and the one before that, in both directions. */
#define TESTS_PER_STEP	4

/*
 * Order statistics of a time that @count records have, which is at this offset. @times: room for
 * all of them, and left with them, sorted
 */
static struct order_stats record_stats(const struct idle_latency_record *records, size_t count,
				       size_t offset, __u64 *times)
{
	for (size_t i = 0; i < count; i++)
		times[i] = *(const __u64 *)((const char *)&records[i] + offset);
	sort_samples(times, count);
	return order_stats(times, count);
}

#define RECORD_STATS(records, count, time, times) \
	record_stats(records, count, offsetof(struct idle_latency_record, time), times)

static void summarise_stratum(struct stratum *stratum, const struct summary *summary,
			      const struct idle_latency_record *samples, __u64 limit_ns)
{
	for (size_t i = stratum->first; i < stratum->first + stratum->count; i++) {
		stratum->above += verdict_zone(&summary->instrument, limit_ns,
					       &samples[i]) == ZONE_ABOVE;
		stratum->slowest_ns = larger(stratum->slowest_ns, record_latency(&samples[i]));
	}
}

static void summarise_flags(struct summary *summary, const struct collection *collection)
{
	__u32 any = 0, all = ~0U;

	for (size_t i = 0; i < collection->count; i++) {
		any |= collection->samples[i].flags;
		all &= collection->samples[i].flags;
	}
	summary->counted = any & IDLE_LATENCY_RECORD_COUNTED;
	summary->deadline = all & IDLE_LATENCY_RECORD_DEADLINE;
	summary->has_wake = all & IDLE_LATENCY_RECORD_WAKE;
	summary->package_counted = summary->counted && summary->row->info.package_counter !=
				   IDLE_LATENCY_RESIDENCY_NONE;
	summary->stamp = collection->samples[0].stamp;
}

/* @room: for all samples */
static void summarise_frequency(struct summary *summary, const struct collection *collection,
				__u64 *room)
{
	size_t known = 0;
	double percent;

	for (size_t i = 0; i < collection->count; i++)
		if (residency_frequency(&collection->samples[i], &percent) &&
		    percent < FREQUENCY_BELOW)
			room[known++] = 100 * percent + 0.5;
	if (!known)
		return;
	sort_samples(room, known);
	summary->frequency_low = order_stat(room, known, QUANTILE_ONE / 100);
	summary->frequency_high = order_stat(room, known, QUANTILE_ONE / 100 * 99);
}

static bool summarise_times(struct summary *summary, const struct collection *collection)
{
	const struct idle_latency_record *samples = collection->samples;
	size_t count = collection->count;
	__u64 *times = malloc(count * sizeof(*times));

	if (!times)
		return false;
	for (size_t i = 0; i < count; i++)
		times[i] = instrument_uncertain(&summary->instrument, &samples[i]);
	summary->median_uncertain_ns = median_of_samples(times, count);
	summary->median_error_ns = RECORD_STATS(samples, count, error_ns, times).median;
	summary->intr = RECORD_STATS(samples, count, intr_ns, times);
	if (summary->has_wake)
		summary->wake = RECORD_STATS(samples, count, wake_ns, times);
	summarise_frequency(summary, collection, times);
	free(times);
	return true;
}

const char *step_change_name(enum step_change change)
{
	static const char * const names[] = { "", "slower", "faster" };

	return names[change];
}

/* @samples: of the step; @times: room for as many, which is left with their latencies, sorted */
static void summarise_step(struct stratum *step, bool wake,
			   const struct idle_latency_record *samples, __u64 *times)
{
	size_t count = step->count;

	if (!count)
		return;
	if (wake)
		step->silent = RECORD_STATS(samples, count, silent_ns, times);
	step->median_error_ns = RECORD_STATS(samples, count, error_ns, times).median;
	step->latency = wake ? RECORD_STATS(samples, count, wake_ns, times) :
			       RECORD_STATS(samples, count, intr_ns, times);
}

static struct margin margin_between(const struct stratum *a, const struct stratum *b)
{
	return (struct margin) {
		.error_ns = a->median_error_ns + b->median_error_ns,
		.least_ns = MARGIN_LEAST_NS,
		.percent = MARGIN_PERCENT,
	};
}

/* @times: all latencies, those of each step sorted; @room: for as many */
static enum step_change compare(const struct stratum *before, const struct stratum *step,
				double alpha, const __u64 *times, __u64 *room)
{
	const struct sample_set a = { times + before->first, before->count };
	const struct sample_set b = { times + step->first, step->count };
	const struct margin margin = margin_between(before, step);

	if (larger_p(&a, &b, &margin, room) <= alpha)
		return STEP_SLOWER;
	return larger_p(&b, &a, &margin, room) <= alpha ? STEP_FASTER : STEP_SAME;
}

static void find_change(struct summary *summary, size_t i, const __u64 *times, __u64 *room)
{
	const double alpha = SWEEP_ALPHA / TESTS_PER_STEP / summary->step_count;
	struct stratum *steps = summary->steps, *step = &steps[i];
	int tests = 0;

	/* Both of them, until one differs or was different itself. */
	step->before = i;
	for (size_t before = i; before-- && tests < 2;) {
		if (!steps[before].count)
			continue;
		tests++;
		step->before = before;
		step->change = compare(&steps[before], step, alpha, times, room);
		if (step->change != STEP_SAME || steps[before].change != STEP_SAME)
			return;
	}
}

bool sweep_summarise(struct summary *summary, const struct idle_latency_record *samples)
{
	__u64 *times = calloc(2 * summary->valid + 1, sizeof(*times));

	if (!times)
		return false;
	for (size_t i = 0; i < summary->step_count; i++) {
		size_t first = summary->steps[i].first;

		summarise_step(&summary->steps[i], summary->has_wake, samples + first,
			       times + first);
		if (summary->steps[i].count)
			find_change(summary, i, times, times + summary->valid);
	}
	free(times);
	return true;
}

/* There are none where the memory was out before the first session. */
static bool summarise_steps(struct summary *summary, const struct collection *collection,
			    __u64 limit_ns)
{
	size_t count = collection->steps ? summary->row->step_count : 0;

	if (!count)
		return true;
	summary->steps = malloc(count * sizeof(*summary->steps));
	if (!summary->steps)
		return false;
	summary->step_count = count;
	memcpy(summary->steps, collection->steps, count * sizeof(*summary->steps));
	for (size_t i = 0; i < count; i++)
		summarise_stratum(&summary->steps[i], summary, collection->samples, limit_ns);
	return sweep_summarise(summary, collection->samples);
}

bool summarise(const struct row *row, const struct collection *collection,
	       const struct instrument *instrument, __u64 limit_ns, struct summary *summary)
{
	*summary = (struct summary) {
		.row = row,
		.ran = collection->elapsed_ns,
		.counts = collection->counts,
		.elapsed_ns = collection->elapsed_ns,
		.instrument = *instrument,
	};
	memcpy(summary->strata, collection->strata, sizeof(summary->strata));
	for (size_t i = 0; i < STRATA; i++)
		summarise_stratum(&summary->strata[i], summary, collection->samples, limit_ns);
	if (collection->count) {
		summarise_flags(summary, collection);
		if (!summarise_times(summary, collection))
			return false;
		summary->valid = collection->count;
	}
	return summarise_steps(summary, collection, limit_ns);
}

void summary_free(struct summary *summary)
{
	free(summary->steps);
	summary->steps = NULL;
	summary->step_count = 0;
}

size_t summary_above(const struct summary *summary)
{
	return summary->strata[STRATUM_COUNTED].above + summary->strata[STRATUM_ENTRY].above;
}

const char *summary_latency(const struct summary *summary)
{
	return summary->has_wake ? "WakeLatency" : "IntrLatency";
}

bool summary_frequency_text(const struct summary *summary, char *line, size_t size)
{
	const __u64 low = summary->frequency_low, high = summary->frequency_high;

	if (20 * high <= 21 * low)
		return false;
	snprintf(line, size,
		 "%s: the frequency after the wake-up was between %llu and %llu %% of the TSC's rate",
		 row_name(summary->row), (low + 50) / 100, (high + 50) / 100);
	return true;
}

bool sweep_slope(const struct summary *summary, size_t from, struct slope *slope)
{
	const struct stratum *steps = summary->steps;
	size_t i = from;

	while (i < summary->step_count && steps[i].change == STEP_SAME)
		i++;
	if (i == summary->step_count)
		return false;
	*slope = (struct slope) { .before = steps[i].before, .change = steps[i].change };
	for (; i < summary->step_count; i++) {
		if (!steps[i].count)
			continue;
		if (steps[i].change != slope->change)
			break;
		slope->last = i;
	}
	return true;
}

bool sweep_ended(const struct summary *summary)
{
	return summary->steps[summary->step_count - 1].count;
}

/* Of some samples SilentTime is much shorter than that of the others. */
static __u64 middle_of(const struct summary *summary, const struct stratum *step)
{
	const struct launch_distance *ldist = &step->ldist;

	return summary->has_wake ? step->silent.median : (ldist->from_ns + ldist->to_ns) / 2;
}

void sweep_slope_text(const struct summary *summary, const struct slope *slope,
		      char *line, size_t size)
{
	const struct stratum *before = &summary->steps[slope->before];
	const struct stratum *last = &summary->steps[slope->last];

	snprintf(line, size,
		 "%s: %s becomes %s from a %s of %llu to %llu ns: the median from %llu to %llu ns",
		 row_name(summary->row), summary_latency(summary),
		 slope->change == STEP_SLOWER ? "longer" : "shorter",
		 summary->has_wake ? "SilentTime" : "launch distance",
		 middle_of(summary, before), middle_of(summary, last),
		 before->latency.median, last->latency.median);
}

/* That with the largest latency of those steps that overlap these launch distances, or do not. */
static const struct stratum *largest_step(const struct summary *summary, __u64 from_ns,
					  __u64 to_ns, bool overlap)
{
	const struct stratum *largest = NULL;

	for (size_t i = 0; i < summary->step_count; i++) {
		const struct stratum *step = &summary->steps[i];

		if (step->count && overlap ==
		    (step->ldist.from_ns <= to_ns && from_ns <= step->ldist.to_ns))
			largest = largest && largest->latency.max >= step->latency.max ?
				  largest : step;
	}
	return largest;
}

/* Whether the largest latency of one step is above that of another by more than the margin. */
static bool stands_out(const struct stratum *step, const struct stratum *other)
{
	struct margin margin;

	if (!step || !other)
		return false;
	margin = margin_between(step, other);
	return margin_reduce(&margin, step->latency.max) > other->latency.max;
}

bool sweep_edge_text(const struct summary *summary, char *line, size_t size)
{
	const struct stratum *largest = largest_step(summary, 0, ~0ULL, true), *nearer, *farther;

	if (!largest)
		return false;
	nearer = largest_step(summary, largest->ldist.from_ns, ~0ULL, false);
	farther = largest_step(summary, 0, largest->ldist.to_ns, false);
	if ((nearer && farther) || !stands_out(largest, nearer ? nearer : farther))
		return false;
	snprintf(line, size,
		 "%s: the largest %s, %llu ns, is at the edge of the sweep, at launch distances of %llu to %llu ns: sweep further",
		 row_name(summary->row), summary_latency(summary), largest->latency.max,
		 largest->ldist.from_ns, largest->ldist.to_ns);
	return true;
}

bool sweep_hidden_text(const struct summary *summary, struct launch_distance usual,
		       char *line, size_t size)
{
	const struct stratum *shown = largest_step(summary, usual.from_ns, usual.to_ns, true);
	const struct stratum *hidden = largest_step(summary, usual.from_ns, usual.to_ns, false);

	if (!stands_out(hidden, shown))
		return false;
	snprintf(line, size,
		 "%s: the largest %s, %llu ns, is at launch distances of %llu to %llu ns: the default launch distances, %llu to %llu ns, would not have shown it",
		 row_name(summary->row), summary_latency(summary), hidden->latency.max,
		 hidden->ldist.from_ns, hidden->ldist.to_ns,
		 usual.from_ns, usual.to_ns);
	return true;
}

void sweep_report(const struct summary *summary, FILE *environment)
{
	struct launch_distance usual =
		launch_distance_default(summary->row->info.target_residency_ns,
					launch_distance_least(summary->row->method->source));
	struct slope slope = { };
	char line[256];

	for (size_t from = 0; sweep_slope(summary, from, &slope); from = slope.last + 1) {
		sweep_slope_text(summary, &slope, line, sizeof(line));
		environment_line(environment, "%s", line);
	}
	if (sweep_edge_text(summary, line, sizeof(line)))
		environment_line(environment, "%s", line);
	if (sweep_hidden_text(summary, usual, line, sizeof(line)))
		environment_line(environment, "%s", line);
}
