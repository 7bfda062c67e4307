// SPDX-License-Identifier: GPL-2.0
/* What a reviewer of a table needs to know: what to declare instead, and the slowest samples. */
#include <string.h>

#include "report.h"

/*
 * What intel_idle of Linux v7.3 takes: see cmdline_table_adjust() and
 * validate_cmdline_cstate() in drivers/idle/intel_idle.c. Besides, latencies
 * and residencies rise from state to state, no residency is below its latency,
 * no latency is 0, and POLL stays as it is.
 */
#define TABLE_LENGTH_MAX	255
#define LATENCY_MAX_US		5000
#define RESIDENCY_MAX_US	100000

#define PARAMETER		"intel_idle.table="

/* Tables have whole us, so that up to one of them may be from rounding up. */
#define TOO_HIGH_NS		1000

struct us {
	__u64 latency;
	__u64 residency;
};

static __u64 rounded_up_us(__u64 ns)
{
	return ns / 1000 + !!(ns % 1000);
}

/* The smallest values that suffice and come after those of @previous. */
static struct us raise_state(const struct proposal_state *state, struct us previous)
{
	__u64 suffices = rounded_up_us(larger(state->latency_ns, state->needed_ns));
	struct us raised = { .latency = larger(suffices, previous.latency + 1) };

	raised.residency = larger(rounded_up_us(state->residency_ns),
				  larger(raised.latency, previous.residency + 1));
	return raised;
}

bool proposal_line(const struct proposal_state *states, size_t count, char *line, size_t size)
{
	struct text text = text_begin(line, size);
	const char *separator = PARAMETER;
	struct us us = { };

	for (size_t i = 0; i < count; i++) {
		if (!strcmp(states[i].name, "POLL"))
			continue;
		us = raise_state(&states[i], us);
		if (us.latency > LATENCY_MAX_US || us.residency > RESIDENCY_MAX_US ||
		    !text_add(&text, "%s%s:%llu:%llu", separator, states[i].name, us.latency,
			      us.residency))
			return false;
		separator = ",";
	}
	return text.used && text.used <= strlen(PARAMETER) + TABLE_LENGTH_MAX;
}

const struct method *proposal_method(const struct result *results, size_t count)
{
	size_t rows[METHODS] = { }, best = 0;
	__u64 errors_ns[METHODS] = { };

	for (size_t i = 0; i < count; i++) {
		const struct summary *summary = &results[i].summary;
		size_t method = summary->row->method - methods;

		if (!summary->valid)
			continue;
		rows[method]++;
		errors_ns[method] += summary->median_error_ns;
	}
	for (size_t i = 1; i < METHODS; i++)
		if (rows[i] > rows[best] ||
		    (rows[i] == rows[best] && errors_ns[i] < errors_ns[best]))
			best = i;
	return rows[best] ? &methods[best] : NULL;
}

__u64 proposal_needed(const struct result *results, size_t count,
		      const struct method *method, unsigned int state, const __u32 *type)
{
	__u64 needed_ns = 0;

	for (size_t i = 0; i < count; i++) {
		const struct verdict *verdict = &results[i].verdict;
		const struct row *row = results[i].summary.row;

		if (row->state.index == state && results[i].summary.valid &&
		    (!type || row->type == *type))
			needed_ns = larger(needed_ns, row->method == method ?
					   verdict->smallest_pass_ns : verdict->none_above_ns);
	}
	return needed_ns;
}

bool proposal_too_high(__u64 declared_ns, __u64 largest_ns, char *remark, size_t size)
{
	*remark = '\0';
	if (largest_ns >= declared_ns / 2 || declared_ns - 2 * largest_ns <= TOO_HIGH_NS)
		return false;
	snprintf(remark, size,
		 "declared %llu ns is more than twice the largest latency with its error, %llu ns",
		 declared_ns, largest_ns);
	return true;
}

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
		text_add(&text, "; event %llu was discarded: %s", event,
			 discards_reasons(discarded[i].reasons));
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
