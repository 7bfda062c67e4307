// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "sweep.h"
#include "verdict.h"

/* Of @count samples from @first on. */
static void summarise_range(struct range *range, size_t first, size_t count,
			    const struct collection *collection,
			    const struct instrument *instrument, __u64 limit_ns)
{
	range->count = count;
	for (size_t i = first; i < first + count; i++) {
		const struct idle_latency_record *sample = &collection->samples[i];

		range->above += verdict_zone(instrument, limit_ns, sample) == ZONE_ABOVE;
		range->slowest_ns = larger(range->slowest_ns, record_latency(sample));
	}
}

static void summarise_flags(struct summary *summary, const struct collection *collection)
{
	summary->deadline = true;
	summary->has_wake = true;
	for (size_t i = 0; i < collection->count; i++) {
		const __u32 flags = collection->samples[i].flags;

		summary->counted |= !!(flags & IDLE_LATENCY_RECORD_COUNTED);
		summary->deadline &= !!(flags & IDLE_LATENCY_RECORD_DEADLINE);
		summary->has_wake &= !!(flags & IDLE_LATENCY_RECORD_WAKE);
	}
	summary->package_counted = summary->counted &&
				   summary->row->info.package_counter !=
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
		times[i] = samples[i].error_ns;
	summary->median_error_ns = median_of_samples(times, count);
	for (size_t i = 0; i < count; i++)
		times[i] = instrument_uncertain(&summary->instrument, &samples[i]);
	summary->median_uncertain_ns = median_of_samples(times, count);
	for (size_t i = 0; i < count; i++)
		times[i] = samples[i].intr_ns;
	sort_samples(times, count);
	summary->intr = order_stats(times, count);
	if (summary->has_wake) {
		for (size_t i = 0; i < count; i++)
			times[i] = samples[i].wake_ns;
		sort_samples(times, count);
		summary->wake = order_stats(times, count);
	}
	free(times);
	return true;
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
	for (size_t i = 0; i < STRATA; i++) {
		summary->strata[i] = (struct range) {
			.ldist = row->strata[i].ldist, .wanted = row->strata[i].wanted,
		};
		summarise_range(&summary->strata[i], collection->strata[i].first,
				collection->strata[i].count, collection, instrument, limit_ns);
	}
	if (collection->count) {
		summarise_flags(summary, collection);
		if (!summarise_times(summary, collection))
			return false;
		summary->valid = collection->count;
	}
	/* There are none where the memory was out before the first session. */
	if (!row->step_count || !collection->steps)
		return true;
	summary->steps = calloc(row->step_count, sizeof(*summary->steps));
	if (!summary->steps)
		return false;
	summary->step_count = row->step_count;
	for (size_t i = 0; i < row->step_count; i++) {
		const struct part *part = &collection->steps[i];
		struct step *step = &summary->steps[i];

		step->range.ldist = row->steps[i].ldist;
		step->first = part->first;
		step->discarded = part->discarded;
		summarise_range(&step->range, part->first, part->count, collection,
				instrument, limit_ns);
	}
	return sweep_summarise(summary, collection->samples);
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
