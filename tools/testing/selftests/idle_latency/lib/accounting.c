// SPDX-License-Identifier: GPL-2.0
#include <stdint.h>

#include "idle_latency_util.h"

#define REASON(name)	(1U << IDLE_LATENCY_DISCARD_##name)

/* Whoever is awake is not counted by them. */
#define STATE_COUNTERS	(~COUNTER(C0))
/* Those of a later driver that are not known here may be of any state. */
#define UNKNOWN_COUNTERS (~0U << IDLE_LATENCY_RESIDENCY_MAX)

const char *accounting_counts(const struct idle_latency_counts *counts)
{
	__u64 discarded = 0;

	for (size_t i = 0; i < IDLE_LATENCY_DISCARD_SLOTS; i++)
		discarded += counts->discarded[i];
	if (counts->pending > 1)
		return "more than one event is pending";
	if (counts->armed != counts->delivered + counts->pending + discarded)
		return "armed is not delivered + pending + discarded";
	if (counts->kept > discarded)
		return "more discarded events were kept than discarded";
	for (size_t i = 0; i < IDLE_LATENCY_DISCARD_SLOTS; i++) {
		if (counts->above[i] > counts->discarded[i])
			return "more events are above the limit than were discarded";
		if (!counts->discarded[i] && counts->largest_ns[i])
			return "there is a latency of events that were not discarded";
	}
	return NULL;
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

/* What must not be, and the sentence that says it. */
struct check {
	bool wrong;
	const char *what;
};

static const char *first_wrong(const struct check *checks, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (checks[i].wrong)
			return checks[i].what;
	return NULL;
}

static const char *check_form(const struct idle_latency_record *record, __u64 seq,
			      const struct idle_latency_config *config)
{
	const bool deadline = record->flags & IDLE_LATENCY_RECORD_DEADLINE;
	const bool probe = record->stamp == IDLE_LATENCY_STAMP_PROBE;
	const bool hrt = record->source == IDLE_LATENCY_SOURCE_HRT;
	const bool nic = record->source == IDLE_LATENCY_SOURCE_NIC;
	const bool waker = record->source == IDLE_LATENCY_SOURCE_WRITE ||
			   record->source == IDLE_LATENCY_SOURCE_IPI;
	const __u32 reasons = record->reasons;
	const struct check checks[] = {
		{ record->seq != seq, "the sequence numbers of the records have a gap" },
		{ record->event < seq, "there are more records than events" },
		{ record->cpu != config->cpu, "a record is of another CPU" },
		/* The state is that of the last idle period, which not every event has. */
		{ record->state != config->state && !(reasons & REASON(NO_IDLE)) &&
		  !(reasons & REASON(OTHER_STATE)), "a record is of another idle state" },
		{ record->source != config->source, "a record is of another source" },
		{ !nic && (record->warmup_ns || (!waker && record->latch_ns)),
		  "a record without a card has accesses to it" },
		{ !probe && record->stamp != IDLE_LATENCY_STAMP_ENTER,
		  "a record has an unknown stamp" },
		{ !probe && config->flags & IDLE_LATENCY_CONFIG_PROBE,
		  "a record was not stamped in the probe as asked for" },
		{ record->ldist_ns < config->ldist_from_ns ||
		  record->ldist_ns > config->ldist_to_ns,
		  "a launch distance is outside of the configured range" },
		{ deadline && (nic || waker), "an event of no timer has the deadline of one" },
		{ record->deadline_ns && !(deadline && hrt),
		  "there is no deadline, but a distance to it" },
		{ reasons && !(config->flags & IDLE_LATENCY_CONFIG_KEEP),
		  "a discarded event was delivered without being asked for" },
		{ reasons & (REASON(STOPPED) | REASON(LOST)),
		  "a record is of an event that was not handled" },
		{ record->flags & IDLE_LATENCY_RECORD_PENDING && !(reasons & REASON(BEFORE_IDLE)),
		  "an event that had fired before idle was not discarded for it" },
	};

	return first_wrong(checks, ARRAY_SIZE(checks));
}

const char *accounting_known(const struct idle_latency_record *record)
{
	const struct check checks[] = {
		{ record->flags & ~IDLE_LATENCY_RECORD_KNOWN, "a record has unknown flags" },
		{ record->reasons >> IDLE_LATENCY_DISCARD_MAX,
		  "an event was discarded for an unknown reason" },
		{ record->residency_present & UNKNOWN_COUNTERS,
		  "a record has an unknown residency counter" },
	};

	return first_wrong(checks, ARRAY_SIZE(checks));
}

const char *accounting_known_counts(const struct idle_latency_counts *counts)
{
	for (size_t i = IDLE_LATENCY_DISCARD_MAX; i < IDLE_LATENCY_DISCARD_SLOTS; i++)
		if (counts->discarded[i])
			return "an unused count is not zero";
	return NULL;
}

/* A negative time that was taken for a number would be a huge one. */
static bool is_negative(__u64 ns)
{
	return ns > INT64_MAX;
}

static const char *check_times(const struct idle_latency_record *record)
{
	const bool sample = !record->reasons;
	const bool wake = record->flags & IDLE_LATENCY_RECORD_WAKE;
	const __u64 tbi = record->tbi_cyc, tai = record->tai_cyc, tintr = record->tintr_cyc;
	const struct check checks[] = {
		{ is_negative(record->silent_ns) || is_negative(record->wake_ns) ||
		  is_negative(record->intr_ns), "a time is negative" },
		{ !wake && (record->wake_ns || record->silent_ns),
		  "a record without WakeLatency has one" },
		{ sample && !record->idle_periods, "a sample has no idle period" },
		{ (wake || sample) && tai < tbi, "TAI is before TBI" },
		/* With interrupts disabled, the handler runs after the stamp after idle. */
		{ wake && tintr < tai, "TIntr is before TAI" },
		{ wake && record->intr_ns < record->wake_ns,
		  "IntrLatency is less than WakeLatency" },
		{ sample && tintr < tbi, "TIntr is before TBI" },
		{ sample && record->interval_cyc < tintr - tbi,
		  "the residency counters were read between TBI and TIntr" },
		{ sample && wake && !record->silent_ns, "LTime is not after TBI" },
	};

	return first_wrong(checks, ARRAY_SIZE(checks));
}

static bool advanced(const struct idle_latency_record *record, __u32 counters)
{
	for (unsigned int i = 0; i < IDLE_LATENCY_RESIDENCY_SLOTS; i++)
		if (counters & 1U << i && record->residency_cyc[i])
			return true;
	return false;
}

static const char *check_residency(const struct idle_latency_record *record)
{
	const __u32 present = record->residency_present, invalid = record->residency_invalid;
	const bool counted = record->flags & IDLE_LATENCY_RECORD_COUNTED;
	const bool reached = record->flags & IDLE_LATENCY_RECORD_REACHED;
	const bool package = record->flags & IDLE_LATENCY_RECORD_PACKAGE;
	const bool module = record->flags & IDLE_LATENCY_RECORD_MODULE;
	/* Those that a later driver has appended to the record. */
	const bool more = present >> IDLE_LATENCY_RESIDENCY_SLOTS;
	const struct check checks[] = {
		{ invalid & ~present, "a residency counter is invalid but absent" },
		{ advanced(record, ~(present & ~invalid)),
		  "a residency is absent or invalid but not zero" },
		{ counted && !(present & STATE_COUNTERS),
		  "the state is counted without a counter" },
		{ reached && !counted, "the state was reached but is not counted" },
		{ reached && !record->idle_periods,
		  "the state was reached without an idle period" },
		{ reached && !more && !advanced(record, STATE_COUNTERS),
		  "the state was reached but no counter advanced" },
		{ package && !more && !advanced(record, PACKAGE_COUNTERS | UNKNOWN_COUNTERS),
		  "a package state was reached but no counter advanced" },
		{ module && !advanced(record, COUNTER(MC6)),
		  "the module was asleep but its counter did not advance" },
	};

	return first_wrong(checks, ARRAY_SIZE(checks));
}

const char *accounting_record(const struct idle_latency_record *record, __u64 seq,
			      const struct idle_latency_config *config)
{
	const char *wrong = check_form(record, seq, config);

	if (!wrong)
		wrong = check_times(record);
	return wrong ? wrong : check_residency(record);
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
