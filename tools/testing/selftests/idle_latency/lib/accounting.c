// SPDX-License-Identifier: GPL-2.0
#include <stdint.h>

#include "idle_latency_util.h"

#define REASON(name)	(1U << IDLE_LATENCY_DISCARD_##name)

/* Those of a later driver that are not known here may be of any state. */
#define UNKNOWN_COUNTERS (~0U << IDLE_LATENCY_RESIDENCY_MAX)

/* Whoever is awake is not counted by them. */
#define STATE_COUNTERS	(~COUNTER(C0))

static const char *check_slot(const struct idle_latency_counts *counts,
			      size_t i)
{
	if (counts->above[i] > counts->discarded[i])
		return "more events are above the limit than were discarded";
	if (!counts->discarded[i] && counts->largest_ns[i])
		return "there is a latency of events that were not discarded";
	return NULL;
}

const char *accounting_counts(const struct idle_latency_counts *counts)
{
	__u64 discarded = 0;
	const char *wrong = NULL;

	for (size_t i = 0; i < IDLE_LATENCY_DISCARD_SLOTS; i++)
		discarded += counts->discarded[i];
	if (counts->pending > 1)
		return "more than one event is pending";
	if (counts->armed != counts->delivered + counts->pending + discarded)
		return "armed is not delivered + pending + discarded";
	if (counts->kept > discarded)
		return "more discarded events were kept than discarded";
	for (size_t i = 0; i < IDLE_LATENCY_DISCARD_SLOTS && !wrong; i++)
		wrong = check_slot(counts, i);
	return wrong;
}

/*
 * An event that was lost is above every limit, whatever else was wrong with it.
 * It is counted under the first of its reasons, which is not behind that one
 * unless a later driver has more.
 */
static bool may_be_lost(size_t slot)
{
	return slot <= IDLE_LATENCY_DISCARD_LOST || slot >= IDLE_LATENCY_DISCARD_MAX;
}

const char *accounting_limit(const struct idle_latency_counts *counts,
			     __u64 limit_ns)
{
	if (counts->above[IDLE_LATENCY_DISCARD_LOST] !=
	    counts->discarded[IDLE_LATENCY_DISCARD_LOST])
		return "an event that was lost is not above the limit";
	for (size_t i = 0; i < IDLE_LATENCY_DISCARD_SLOTS; i++)
		if (counts->above[i] && !may_be_lost(i) &&
		    counts->largest_ns[i] <= limit_ns)
			return "events are above the limit, but none is so large";
	return accounting_counts(counts);
}

const char *accounting_end(const struct idle_latency_counts *counts,
			   __u64 records)
{
	if (counts->pending)
		return "an event is pending after the end";
	if (counts->delivered + counts->kept != records)
		return "delivered + kept is not the number of records read";
	return accounting_counts(counts);
}

/* The state is that of the last idle period, which not every event has. */
static bool is_of_state(const struct idle_latency_record *record,
			__u32 state)
{
	return record->state == state ||
	       record->reasons & (REASON(NO_IDLE) | REASON(OTHER_STATE));
}

static const char *check_identity(const struct idle_latency_record *record,
				  __u64 seq,
				  const struct idle_latency_config *config)
{
	if (record->seq != seq)
		return "the sequence numbers of the records have a gap";
	if (record->event < seq)
		return "there are more records than events";
	if (record->cpu != config->cpu)
		return "a record is of another CPU";
	if (!is_of_state(record, config->state))
		return "a record is of another idle state";
	if (record->source != config->source)
		return "a record is of another source";
	return NULL;
}

static const char *check_form(const struct idle_latency_record *record,
			      const struct idle_latency_config *config)
{
	if (record->source != IDLE_LATENCY_SOURCE_NIC &&
	    (record->warmup_ns || record->latch_ns))
		return "a record without a card has accesses to it";
	if (record->stamp != IDLE_LATENCY_STAMP_PROBE &&
	    record->stamp != IDLE_LATENCY_STAMP_ENTER)
		return "a record has an unknown stamp";
	if (config->flags & IDLE_LATENCY_CONFIG_PROBE &&
	    record->stamp != IDLE_LATENCY_STAMP_PROBE)
		return "a record was not stamped in the probe as asked for";
	if (record->ldist_ns < config->ldist_from_ns ||
	    record->ldist_ns > config->ldist_to_ns)
		return "a launch distance is outside of the configured range";
	return NULL;
}

static const char *check_deadline(const struct idle_latency_record *record)
{
	const bool deadline = record->flags & IDLE_LATENCY_RECORD_DEADLINE;

	if (deadline && record->source == IDLE_LATENCY_SOURCE_NIC)
		return "an event of a card has the deadline of a timer";
	if (record->deadline_ns &&
	    !(deadline && record->source == IDLE_LATENCY_SOURCE_HRT))
		return "there is no deadline, but a distance to it";
	return NULL;
}

static const char *check_reasons(const struct idle_latency_record *record,
				 const struct idle_latency_config *config)
{
	if (record->reasons && !(config->flags & IDLE_LATENCY_CONFIG_KEEP))
		return "a discarded event was delivered without being asked for";
	if (record->reasons & (REASON(STOPPED) | REASON(LOST)))
		return "a record is of an event that was not handled";
	if (record->flags & IDLE_LATENCY_RECORD_PENDING &&
	    !(record->reasons & REASON(BEFORE_IDLE)))
		return "an event that had fired before idle was not discarded for it";
	return NULL;
}

/* A negative time that was taken for a number would be a huge one. */
static bool is_negative(__u64 ns)
{
	return ns > INT64_MAX;
}

static const char *check_times(const struct idle_latency_record *record)
{
	if (is_negative(record->silent_ns) || is_negative(record->wake_ns) ||
	    is_negative(record->intr_ns))
		return "a time is negative";
	if (!(record->flags & IDLE_LATENCY_RECORD_WAKE))
		return record->wake_ns || record->silent_ns ?
			"a record without WakeLatency has one" : NULL;
	/* With interrupts disabled, the handler runs after the stamp after idle. */
	if (record->tai_cyc < record->tbi_cyc)
		return "TAI is before TBI";
	if (record->tintr_cyc < record->tai_cyc)
		return "TIntr is before TAI";
	if (record->intr_ns < record->wake_ns)
		return "IntrLatency is less than WakeLatency";
	return NULL;
}

static const char *check_sample(const struct idle_latency_record *record)
{
	if (!record->idle_periods)
		return "a sample has no idle period";
	if (record->tai_cyc < record->tbi_cyc)
		return "TAI is before TBI";
	if (record->tintr_cyc < record->tbi_cyc)
		return "TIntr is before TBI";
	if (record->interval_cyc < record->tintr_cyc - record->tbi_cyc)
		return "the residency counters were read between TBI and TIntr";
	if (record->flags & IDLE_LATENCY_RECORD_WAKE && !record->silent_ns)
		return "LTime is not after TBI";
	return NULL;
}

static const char *check_residency(const struct idle_latency_record *record)
{
	const __u32 valid = record->residency_present &
			    ~record->residency_invalid;

	if (record->residency_invalid & ~record->residency_present)
		return "a residency counter is invalid but absent";
	for (unsigned int i = 0; i < IDLE_LATENCY_RESIDENCY_SLOTS; i++)
		if (!(valid & 1U << i) && record->residency_cyc[i])
			return "a residency is absent or invalid but not zero";
	return NULL;
}

/* What a later driver has no room for in there, it appends to the record. */
static bool advanced(const struct idle_latency_record *record, __u32 counters)
{
	for (unsigned int i = 0; i < IDLE_LATENCY_RESIDENCY_SLOTS; i++)
		if (counters & 1U << i && record->residency_cyc[i])
			return true;
	return (record->residency_present & counters) >> IDLE_LATENCY_RESIDENCY_SLOTS;
}

static const char *check_reached(const struct idle_latency_record *record)
{
	const bool counted = record->flags & IDLE_LATENCY_RECORD_COUNTED;
	const bool reached = record->flags & IDLE_LATENCY_RECORD_REACHED;

	if (counted && !(record->residency_present & STATE_COUNTERS))
		return "the state is counted without a counter";
	if (reached && !counted)
		return "the state was reached but is not counted";
	if (reached && !record->idle_periods)
		return "the state was reached without an idle period";
	if (reached && !advanced(record, STATE_COUNTERS))
		return "the state was reached but no counter advanced";
	if (record->flags & IDLE_LATENCY_RECORD_PACKAGE &&
	    !advanced(record, PACKAGE_COUNTERS | UNKNOWN_COUNTERS))
		return "a package state was reached but no counter advanced";
	return NULL;
}

const char *accounting_record(const struct idle_latency_record *record,
			      __u64 seq,
			      const struct idle_latency_config *config)
{
	return check_identity(record, seq, config) ?: check_form(record, config) ?:
	       check_deadline(record) ?: check_reasons(record, config) ?:
	       check_times(record) ?: check_residency(record) ?: check_reached(record) ?:
	       (record->reasons ? NULL : check_sample(record));
}

/*
 * Of the events that were counted for this reason, which is their first. What was counted for
 * one that comes behind IDLE_LATENCY_DISCARD_LOST was handled, so that there is a record of
 * it. One whose WakeLatency is not known may be above the limit all the same.
 */
static const char *check_kept(const struct session_result *result, unsigned int reason,
			      __u64 limit_ns)
{
	__u64 unknown = result->counts.discarded[reason], kept = 0, above = 0, largest_ns = 0;

	for (size_t i = 0; i < result->count; i++) {
		const struct idle_latency_record *record = &result->record[i];

		if (__builtin_ffs(record->reasons) != (int)reason + 1)
			continue;
		kept++;
		/* On the way into idle, only the driver knows the latency. */
		if (!(record->flags & IDLE_LATENCY_RECORD_WAKE) ||
		    record->reasons & REASON(BEFORE_IDLE))
			continue;
		unknown--;
		above += record->wake_ns > limit_ns &&
			 record->wake_ns - limit_ns > record->error_ns;
		if (record->wake_ns > largest_ns)
			largest_ns = record->wake_ns;
	}
	if (kept > result->counts.discarded[reason])
		return "more events were kept than counted for a reason";
	if (kept != result->counts.discarded[reason] && !may_be_lost(reason))
		return "an event that was handled was not kept";
	if (result->counts.above[reason] < above ||
	    result->counts.above[reason] > above + unknown)
		return "the counts above the limit are not those of the records";
	if (result->counts.largest_ns[reason] < largest_ns)
		return "the largest latency is less than that of a record";
	return NULL;
}

const char *accounting_kept(const struct session_result *result, __u64 limit_ns)
{
	const char *wrong = NULL;

	for (unsigned int i = 0; i < IDLE_LATENCY_DISCARD_SLOTS && !wrong; i++)
		wrong = check_kept(result, i, limit_ns);
	return wrong;
}
