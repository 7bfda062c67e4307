// SPDX-License-Identifier: GPL-2.0
/* The slowest samples, for who reviews a table. */
#include "report.h"

size_t worst_find(const struct idle_latency_record *samples, size_t count,
		  const struct idle_latency_record *worst[WORST_SAMPLES])
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		__u64 latency = verdict_least(&samples[i]);
		size_t place = found;

		for (; place && verdict_least(worst[place - 1]) < latency; place--)
			if (place < WORST_SAMPLES)
				worst[place] = worst[place - 1];
		if (place == WORST_SAMPLES)
			continue;
		worst[place] = &samples[i];
		found += found < WORST_SAMPLES;
	}
	return found;
}

void worst_text(const struct idle_latency_record *sample,
		const struct idle_latency_record *discarded,
		size_t discarded_count, char *line, size_t size)
{
	struct text text = text_begin(line, size);
	char memory[256];
	struct text shares = text_begin(memory, sizeof(memory));

	text_add(&text, "seq %llu, event %llu: LDist %llu", sample->seq,
		 sample->event, sample->ldist_ns);
	if (record_has_wake(sample))
		text_add(&text, ", SilentTime %llu, WakeLatency %llu",
			 sample->silent_ns, sample->wake_ns);
	else
		text_add(&text, ", IntrLatency %llu", sample->intr_ns);
	text_add(&text, ", error %llu ns", sample->error_ns);
	residency_add(&shares, sample);
	if (shares.used)
		text_add(&text, "; %s", memory);
	if (sample->flags & ~IDLE_LATENCY_RECORD_KNOWN)
		text_add(&text, "; unknown flags %#lx",
			 sample->flags & ~IDLE_LATENCY_RECORD_KNOWN);
	for (size_t i = 0; i < discarded_count; i++) {
		__u64 event = discarded[i].event;

		if (event + 1 != sample->event && event != sample->event + 1)
			continue;
		discards_reasons_text(discarded[i].reasons, memory, sizeof(memory));
		text_add(&text, "; event %llu was discarded: %s", event, memory);
	}
}

void worst_report(const struct result *result, const struct collection *collection)
{
	const struct idle_latency_record *worst[WORST_SAMPLES];
	const struct verdict *verdict = &result->verdict;
	size_t count = worst_find(collection->samples, collection->count, worst);
	char line[1024];

	report_detail("%s: the slowest samples, in ns:", row_name(result->summary.row));
	for (size_t i = 0; i < count; i++) {
		worst_text(worst[i], collection->discarded, collection->discarded_count,
			   line, sizeof(line));
		report_detail("  %s", line);
	}
	if (verdict->has_p9999)
		report_detail("  smallest passing exit latency: %llu ns, at 99.99 %% %llu ns",
			      verdict->smallest_pass_ns, verdict->smallest_p9999_ns);
	else
		report_detail("  smallest passing exit latency: %llu ns, unknown at 99.99 %%",
			      verdict->smallest_pass_ns);
}
