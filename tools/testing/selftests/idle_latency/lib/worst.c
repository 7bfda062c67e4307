// SPDX-License-Identifier: GPL-2.0
/* The slowest samples, for who reviews a table. */
#include "report.h"

size_t worst_find(const struct idle_latency_record *samples, size_t count,
		  const struct idle_latency_record *worst[WORST_SAMPLES])
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		__u64 latency = verdict_least(&samples[i]);
		size_t place;

		if (found == WORST_SAMPLES &&
		    latency <= verdict_least(worst[found - 1]))
			continue;
		if (found < WORST_SAMPLES)
			found++;
		for (place = found - 1; place; place--) {
			if (latency <= verdict_least(worst[place - 1]))
				break;
			worst[place] = worst[place - 1];
		}
		worst[place] = &samples[i];
	}
	return found;
}

static void add_event(struct text *text, __u64 event,
		      const struct idle_latency_record *discarded, size_t count)
{
	char reasons[256];

	for (size_t i = 0; i < count; i++) {
		if (discarded[i].event != event)
			continue;
		discards_reasons_text(discarded[i].reasons, reasons,
				      sizeof(reasons));
		text_add(text, "; event %llu was discarded: %s", event,
			 reasons);
	}
}

void worst_text(const struct idle_latency_record *sample,
		const struct idle_latency_record *discarded,
		size_t discarded_count, char *line, size_t size)
{
	struct text text = text_begin(line, size);
	char shares[256];
	struct text residency = text_begin(shares, sizeof(shares));

	text_add(&text, "seq %llu, event %llu: LDist %llu", sample->seq,
		 sample->event, sample->ldist_ns);
	if (record_has_wake(sample))
		text_add(&text, ", SilentTime %llu, WakeLatency %llu",
			 sample->silent_ns, sample->wake_ns);
	else
		text_add(&text, ", IntrLatency %llu", sample->intr_ns);
	text_add(&text, ", error %llu ns", sample->error_ns);
	residency_add(&residency, sample);
	if (*shares)
		text_add(&text, "; %s", shares);
	add_event(&text, sample->event - 1, discarded, discarded_count);
	add_event(&text, sample->event + 1, discarded, discarded_count);
}

static void report_smallest(const struct verdict *verdict)
{
	if (verdict->has_p9999)
		report_detail("  smallest passing exit latency: %llu ns, at 99.99 %% %llu ns",
			      verdict->smallest_pass_ns,
			      verdict->smallest_p9999_ns);
	else
		report_detail("  smallest passing exit latency: %llu ns, unknown at 99.99 %%",
			      verdict->smallest_pass_ns);
}

void worst_report(const struct result *result, const struct collection *collection)
{
	const struct idle_latency_record *worst[WORST_SAMPLES];
	size_t count = worst_find(collection->samples, collection->count,
				  worst);
	char line[1024];

	report_detail("%s: the slowest samples, in ns:", row_name(result->summary.row));
	for (size_t i = 0; i < count; i++) {
		worst_text(worst[i], collection->discarded,
			   collection->discarded_count, line, sizeof(line));
		report_detail("  %s", line);
	}
	report_smallest(&result->verdict);
}
