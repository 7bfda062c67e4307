// SPDX-License-Identifier: GPL-2.0
/* The software around the idle instruction, by events for which it does not wait. */
#include <math.h>

#include "report.h"

/* How many events may be armed, and how long it may take, to find some that are pending. */
#define PENDING_ARMED	1000
#define PENDING_NS	300000000ULL
#define PENDING_SAMPLES	100

/*
 * Ns of the clock of the source per cycle of the TSC, from the first and the last record: the
 * handler ran at LTime + IntrLatency by the one, and at TIntr by the other. 0: not known.
 */
static double ns_per_cycle(const struct idle_latency_record *records, size_t count)
{
	const struct idle_latency_record *first = NULL, *last = NULL;

	for (size_t i = 0; i < count; i++) {
		if (!records[i].intr_ns)
			continue;
		last = &records[i];
		first = first ? first : last;
	}
	if (!last || last->tintr_cyc <= first->tintr_cyc)
		return 0;
	return (double)(last->ltime_ns + last->intr_ns - first->ltime_ns - first->intr_ns) /
	       (last->tintr_cyc - first->tintr_cyc);
}

void software_add(struct software *software, const struct idle_latency_record *records,
		  size_t count)
{
	double rate = ns_per_cycle(records, count);
	struct launch_distance *ldist = &software->ldist;

	for (size_t i = 0; i < count; i++) {
		const struct idle_latency_record *record = &records[i];
		__u64 ns;

		software->deadline |= !!(record->flags & IDLE_LATENCY_RECORD_DEADLINE);
		if (rate <= 0 || !(record->flags & IDLE_LATENCY_RECORD_PENDING) ||
		    record->reasons != 1U << IDLE_LATENCY_DISCARD_BEFORE_IDLE)
			continue;
		ns = ceil((record->tai_cyc - record->tbi_cyc) * rate);
		software->ns = larger(software->ns, ns);
		if (!software->events++ || record->ldist_ns < ldist->from_ns)
			ldist->from_ns = record->ldist_ns;
		ldist->to_ns = larger(ldist->to_ns, record->ldist_ns);
	}
}

void software_note(struct software *software, const struct idle_latency_record *sample)
{
	software->deadline |= !!(sample->flags & IDLE_LATENCY_RECORD_DEADLINE);
	if (record_has_wake(sample) &&
	    (!software->least_wake_ns || sample->wake_ns < software->least_wake_ns))
		software->least_wake_ns = larger(sample->wake_ns, 1);
}

static void add_pending(const struct task *task, struct collection *collection,
			struct launch_distance ldist, __u64 time_ns, size_t samples,
			struct software *software)
{
	struct patience patience = {
		.armed = collection->counts.armed + PENDING_ARMED,
		.until_ns = now_ns() + time_ns,
	};
	size_t first = collection->count;

	ldist.from_ns = larger(ldist.from_ns, launch_distance_least(task->row->method->source));
	collection->discarded_count = 0;
	take_session(task, ldist, samples, &patience, collection);
	software_add(software, collection->discarded, collection->discarded_count);
	for (size_t i = first; i < collection->count; i++)
		software_note(software, &collection->samples[i]);
}

/* The shortest way from arming to TBI of the samples, 0 without any. */
static __u64 way_to_idle(const struct collection *collection)
{
	__u64 least_ns = 0;

	for (size_t i = 0; i < collection->count; i++) {
		const struct idle_latency_record *sample = &collection->samples[i];
		__u64 ns = sample->ldist_ns - sample->silent_ns;

		if (record_has_wake(sample) && (!least_ns || ns < least_ns))
			least_ns = ns;
	}
	return least_ns;
}

/*
 * An event is pending at TBI when it fires after interrupts were disabled on the way to idle.
 * When that is after arming depends on the machine, and samples tell it; the events that are
 * armed by so much less than that to come are pending.
 */
#define PENDING_WINDOW_NS	300
static const struct launch_distance way_ldist = { 1, 30000 };

static void find_pending(const struct task *task, struct collection *collection,
			 struct software *software)
{
	struct launch_distance ldist = { .from_ns = 1 };

	add_pending(task, collection, way_ldist, PENDING_NS, PENDING_SAMPLES, software);
	ldist.to_ns = way_to_idle(collection);
	ldist.from_ns = larger(1, minus_or_0(ldist.to_ns, PENDING_WINDOW_NS));
	if (ldist.to_ns && !software_known(software))
		add_pending(task, collection, ldist, PENDING_NS, PENDING_SAMPLES, software);
	/* What was pending later was late on its way. */
	if (software->ldist.from_ns <= ldist.to_ns)
		software->ldist.to_ns = smaller(software->ldist.to_ns, ldist.to_ns);
}

const char *measure_software(const struct task *task, const struct software *known,
			     struct software *software)
{
	const struct instrument none = { };
	struct collection collection;
	struct summary summary;

	if (collect_alloc(&collection, task->row, PENDING_ARMED)) {
		if (known)
			add_pending(task, &collection, known->ldist, software_cost(task->row),
				    SOFTWARE_SAMPLES, software);
		else
			find_pending(task, &collection, software);
		if (summarise(task->row, &collection, &none, 0, &summary) && summary.ran)
			report_counts(&summary, ", pending events");
	}
	collect_free(&collection);
	return collection.wrong;
}
