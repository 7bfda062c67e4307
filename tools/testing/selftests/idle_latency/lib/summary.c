// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "summary.h"

struct order_stats record_stats(const struct idle_latency_record *records, size_t count,
				size_t offset, __u64 *times)
{
	for (size_t i = 0; i < count; i++)
		times[i] = *(const __u64 *)((const char *)&records[i] + offset);
	sort_samples(times, count);
	return order_stats(times, count);
}

/* Of a part of the samples, which was taken at the launch distances of a stratum. */
static struct range range_of(const struct stratum *stratum, const struct part *part,
			     const struct idle_latency_record *samples,
			     const struct instrument *instrument, __u64 limit_ns)
{
	struct range range = {
		.ldist = stratum->ldist, .wanted = stratum->wanted, .count = part->count,
	};

	for (size_t i = part->first; i < part->first + part->count; i++) {
		range.above += verdict_zone(instrument, limit_ns, &samples[i]) == ZONE_ABOVE;
		range.slowest_ns = larger(range.slowest_ns, record_latency(&samples[i]));
	}
	return range;
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
	free(times);
	return true;
}

/* There are none where the memory was out before the first session. */
static bool summarise_steps(struct summary *summary, const struct collection *collection,
			    __u64 limit_ns)
{
	const struct row *row = summary->row;

	if (!row->step_count || !collection->steps)
		return true;
	summary->steps = calloc(row->step_count, sizeof(*summary->steps));
	if (!summary->steps)
		return false;
	summary->step_count = row->step_count;
	for (size_t i = 0; i < row->step_count; i++) {
		const struct part *part = &collection->steps[i];

		summary->steps[i] = (struct step) {
			.range = range_of(&row->steps[i], part, collection->samples,
					  &summary->instrument, limit_ns),
			.first = part->first,
			.discarded = part->discarded,
		};
	}
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
	for (size_t i = 0; i < STRATA; i++)
		summary->strata[i] = range_of(&row->strata[i], &collection->strata[i],
					      collection->samples, instrument, limit_ns);
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
