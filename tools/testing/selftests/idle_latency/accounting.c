// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>

#include "accounting.h"

static __u64 sum(const __u64 *slots, size_t from, size_t to)
{
	__u64 total = 0;

	for (size_t i = from; i < to; i++)
		total += slots[i];
	return total;
}

const char *accounting_counts(const struct idle_latency_counts *counts)
{
	__u64 discarded = sum(counts->discarded, 0, IDLE_LATENCY_DISCARD_SLOTS);

	if (counts->pending > 1)
		return "more than one event is pending";
	if (counts->armed != counts->delivered + counts->pending + discarded)
		return "armed is not delivered + pending + discarded";
	return NULL;
}

const char *accounting_end(const struct idle_latency_counts *counts,
			   __u64 records)
{
	if (counts->pending)
		return "an event is pending after the end";
	if (counts->delivered != records)
		return "delivered is not the number of records read";
	return accounting_counts(counts);
}

static const char *check_identity(const struct idle_latency_record *record,
				  __u64 seq,
				  const struct idle_latency_config *config)
{
	if (record->seq != seq)
		return "the sequence numbers of the records have a gap";
	if (record->cpu != config->cpu)
		return "a record is of another CPU";
	if (record->state != config->state)
		return "a record is of another idle state";
	if (record->source != config->source)
		return "a record is of another source";
	return NULL;
}

static const char *check_form(const struct idle_latency_record *record,
			      const struct idle_latency_config *config)
{
	if (record->flags & ~IDLE_LATENCY_RECORD_WAKE)
		return "a record has unknown flags";
	if (record->source != IDLE_LATENCY_SOURCE_NIC &&
	    (record->warmup_ns || record->latch_ns))
		return "a record without a card has accesses to it";
	if (record->stamp != IDLE_LATENCY_STAMP_PROBE &&
	    record->stamp != IDLE_LATENCY_STAMP_ENTER)
		return "a record has an unknown stamp";
	if (config->flags & IDLE_LATENCY_CONFIG_PROBE &&
	    record->stamp != IDLE_LATENCY_STAMP_PROBE)
		return "a record was not stamped in the probe as asked for";
	return NULL;
}

static const char *check_times(const struct idle_latency_record *record,
			       const struct idle_latency_config *config)
{
	if (record->ldist_ns < config->ldist_from_ns ||
	    record->ldist_ns > config->ldist_to_ns)
		return "a launch distance is outside of the configured range";
	if (!record->idle_periods)
		return "a record has no idle period";
	if (record->tai_tsc < record->tbi_tsc)
		return "TAI is before TBI";
	if (record->tintr_tsc < record->tbi_tsc)
		return "TIntr is before TBI";
	return NULL;
}

/* With interrupts disabled, the handler runs after the stamp after idle. */
static const char *check_order(const struct idle_latency_record *record)
{
	if (!(record->flags & IDLE_LATENCY_RECORD_WAKE))
		return NULL;
	if (record->tintr_tsc < record->tai_tsc)
		return "TIntr is before TAI";
	if (record->intr_ns < record->wake_ns)
		return "IntrLatency is less than WakeLatency";
	return NULL;
}

static const char *check_residency(const struct idle_latency_record *record)
{
	const __u32 known = (1U << IDLE_LATENCY_RESIDENCY_MAX) - 1;
	const __u32 valid = record->residency_present &
			    ~record->residency_invalid;

	if (record->residency_present & ~known)
		return "a record has an unknown residency counter";
	if (record->residency_invalid & ~record->residency_present)
		return "a residency counter is invalid but absent";
	for (unsigned int i = 0; i < IDLE_LATENCY_RESIDENCY_SLOTS; i++)
		if (!(valid & 1U << i) && record->residency_cyc[i])
			return "a residency is absent or invalid but not zero";
	if (record->interval_cyc < record->tintr_tsc - record->tbi_tsc)
		return "the residency counters were read between TBI and TIntr";
	return NULL;
}

const char *accounting_record(const struct idle_latency_record *record,
			      __u64 seq,
			      const struct idle_latency_config *config)
{
	const char *wrong = check_identity(record, seq, config);

	if (!wrong)
		wrong = check_form(record, config);
	if (!wrong)
		wrong = check_times(record, config);
	if (!wrong)
		wrong = check_order(record);
	if (!wrong)
		wrong = check_residency(record);
	return wrong;
}
