// SPDX-License-Identifier: GPL-2.0-only
/*
 * The record of an event: its times, and where the CPU says it was.
 */
#include <linux/bits.h>
#include <linux/irqflags.h>
#include <linux/math64.h>
#include <linux/overflow.h>

#include "session.h"

/**
 * idle_latency_residency_cyc() - residency from two readings of a counter
 * @begin: first reading
 * @end: second reading; the counter may have wrapped once
 * @count_cyc: TSC cycles that one count stands for
 * @interval_cyc: TSC cycles around both readings
 * @residency_cyc: where the residency goes, in TSC cycles
 *
 * A counter that advances once in @count_cyc may show one count more than the
 * interval is long. Anything above that is not a residency, and is not made to
 * look like one.
 *
 * Return: true when the residency is possible; else *@residency_cyc is zero.
 */
bool idle_latency_residency_cyc(u64 begin, u64 end, u32 count_cyc, u64 interval_cyc,
				u64 *residency_cyc)
{
	u64 cyc, most;

	*residency_cyc = 0;
	if (check_add_overflow(interval_cyc, (u64)count_cyc - 1, &most) ||
	    check_mul_overflow(end - begin, (u64)count_cyc, &cyc) || cyc > most)
		return false;

	*residency_cyc = cyc;
	return true;
}

/**
 * idle_latency_reached() - was the CPU in the state when the event fired?
 * @residency_cyc: how long the counter says that it was, in TSC cycles
 * @silent_ns: SilentTime, in ns
 * @entry_ns: within this time after TBI the CPU may still have been on its way, in ns
 * @khz: rate of the TSC, not zero
 *
 * A counter that only advanced does not tell: the core may have been in the state and
 * have left it before the event, for a sibling that woke up.
 *
 * Return: true when it was for all of the rest of SilentTime; else false.
 */
bool idle_latency_reached(u64 residency_cyc, s64 silent_ns, u64 entry_ns, u32 khz)
{
	/* The conversion may lose up to 1 ns. */
	return residency_cyc && silent_ns > 0 &&
	       idle_latency_cyc_to_ns(residency_cyc, khz) + 1 + entry_ns >= silent_ns;
}

/*
 * The counter of the module counts at 1 MHz by Intel's SDM volume 4, which has it for Silvermont,
 * and at the rate of the TSC as turbostat divides it, on Sierra Forest. More us than have passed
 * are cycles.
 */
static bool find_residency(const struct idle_latency_session *session, int counter,
			   u64 interval_cyc, u64 *residency_cyc)
{
	const struct idle_latency_residency *read = &session->shot.residency;
	const u32 us_cyc = DIV_ROUND_UP(session->machine->tsc_khz(), 1000);

	if (counter == IDLE_LATENCY_RESIDENCY_MC6 &&
	    idle_latency_residency_cyc(read->begin[counter], read->end[counter], us_cyc,
				       interval_cyc, residency_cyc))
		return true;

	return idle_latency_residency_cyc(read->begin[counter], read->end[counter], 1,
					  interval_cyc, residency_cyc);
}

static void record_frequency(const struct idle_latency_session *session,
			     struct idle_latency_record *record)
{
	const struct idle_latency_frequency *woken = &session->shot.residency.woken;
	struct idle_latency_frequency now = {};
	unsigned long flags;
	bool measured;

	local_irq_save(flags);
	measured = idle_latency_on_measured_cpu(session);
	if (measured)
		session->machine->read_frequency(session, &now);
	local_irq_restore(flags);
	if (!measured)
		return;

	record->aperf_cyc = now.aperf - woken->aperf;
	record->mperf_cyc = now.mperf - woken->mperf;
}

/* A deeper state of the package than the one that belongs to this state counts, too. */
static bool package_reached(const struct idle_latency_cstate *cstate,
			    const struct idle_latency_record *record)
{
	if (cstate->package == IDLE_LATENCY_RESIDENCY_NONE)
		return false;

	for (int i = cstate->package; i <= IDLE_LATENCY_RESIDENCY_PC10; i++) {
		if (record->residency_cyc[i])
			return true;
	}

	return false;
}

/* SilentTime by the TSC, which the counters count by, and not by the clock of the source. */
static s64 silent_ns(const struct idle_latency_session *session,
		     const struct idle_latency_event *event,
		     const struct idle_latency_times *times)
{
	if (!times->intr_valid)
		return 0;

	return idle_latency_cyc_diff_ns(event->tbi_cyc, event->tintr_cyc, event->tsc_khz) -
	       times->intr_ns;
}

/* A counter that advanced by more than the interval is invalid, and was recorded as 0. */
static u32 reached_flags(const struct idle_latency_session *session,
			 const struct idle_latency_event *event,
			 const struct idle_latency_times *times,
			 const struct idle_latency_record *record)
{
	const u64 entry_ns = session->state.exit_latency_ns + session->config.entry_ns;
	const struct idle_latency_cstate *cstate = &session->cstate;
	const s64 ns = silent_ns(session, event, times);
	u32 flags = package_reached(cstate, record) ? IDLE_LATENCY_RECORD_PACKAGE : 0;

	/* Another core may have woken it up again before the event. */
	if (idle_latency_reached(record->residency_cyc[IDLE_LATENCY_RESIDENCY_MC6], ns, entry_ns,
				 event->tsc_khz))
		flags |= IDLE_LATENCY_RECORD_MODULE;
	if (cstate->core == IDLE_LATENCY_RESIDENCY_NONE)
		return flags;

	flags |= IDLE_LATENCY_RECORD_COUNTED;
	if (idle_latency_reached(record->residency_cyc[cstate->core], ns, entry_ns,
				 event->tsc_khz))
		flags |= IDLE_LATENCY_RECORD_REACHED;

	return flags;
}

/*
 * Nothing where no idle period began since the event was armed, or where the event was
 * handled on another CPU.
 */
static bool was_read(const struct idle_latency_session *session)
{
	return session->shot.idle.periods && session->shot.residency.end_tsc;
}

static void record_residency(const struct idle_latency_session *session,
			     const struct idle_latency_event *event,
			     const struct idle_latency_times *times,
			     struct idle_latency_record *record)
{
	const struct idle_latency_residency *residency = &session->shot.residency;

	if (!was_read(session))
		return;

	record->interval_cyc = residency->end_tsc - residency->begin_tsc;

	for (int i = 0; i < IDLE_LATENCY_RESIDENCY_MAX; i++) {
		if (!(session->shot.counters & BIT(i)))
			continue;
		record->residency_present |= BIT(i);
		if (!find_residency(session, i, record->interval_cyc, &record->residency_cyc[i]))
			record->residency_invalid |= BIT(i);
	}

	record->flags |= reached_flags(session, event, times, record);
	if (session->cstate.has_frequency)
		record_frequency(session, record);
}

/**
 * idle_latency_follow_counter() - add up the counter of the state
 * @session: the session, with an event that is over
 * @advanced_cyc: by how much it advanced around the event, in TSC cycles
 * @between_cyc: by how much it advanced since the event before, in TSC cycles
 *
 * What is counted between two events is counted late, as the CPU is awake then. What is
 * more than the time that has passed is none. Where the event does not tell, nothing is
 * written.
 *
 * Context: armer.
 */
void idle_latency_follow_counter(struct idle_latency_session *session, u64 *advanced_cyc,
				 u64 *between_cyc)
{
	const struct idle_latency_residency *residency = &session->shot.residency;
	struct idle_latency_counted *before = &session->counted;
	const u32 counter = session->cstate.core;

	if (counter == IDLE_LATENCY_RESIDENCY_NONE || session->shot.idle.periods != 1 ||
	    !was_read(session)) {
		before->begin_tsc = 0;
		return;
	}

	idle_latency_residency_cyc(residency->begin[counter], residency->end[counter], 1,
				   residency->end_tsc - residency->begin_tsc, advanced_cyc);
	if (before->begin_tsc)
		idle_latency_residency_cyc(before->end, residency->begin[counter], 1,
					   residency->begin_tsc - before->begin_tsc,
					   between_cyc);
	*before = (struct idle_latency_counted) {
		.begin_tsc = residency->begin_tsc,
		.end = residency->end[counter],
	};
}

/**
 * idle_latency_make_record() - make a record of an event
 * @session: the session
 * @event: the event, which was handled
 * @times: its times
 *
 * Context: armer.
 * Return: the record, but for its number and the reasons to discard it.
 */
struct idle_latency_record
idle_latency_make_record(const struct idle_latency_session *session,
			 const struct idle_latency_event *event,
			 const struct idle_latency_times *times)
{
	struct idle_latency_record record = {
		.event		= session->counts.armed - 1,
		.ldist_ns	= session->shot.ldist_ns,
		.ltime_ns	= event->ltime_ns,
		.silent_ns	= times->silent_ns,
		.wake_ns	= times->wake_ns,
		.intr_ns	= times->intr_ns,
		.error_ns	= times->error_ns,
		.tbi_cyc	= event->tbi_cyc,
		.tai_cyc	= event->tai_cyc,
		.tintr_cyc	= event->tintr_cyc,
		.cpu		= session->config.cpu,
		.state		= session->shot.idle.state,
		.source		= session->config.source,
		.stamp		= session->stamp,
		.idle_periods	= event->idle_periods,
	};

	if (session->shot.idle.periods && session->shot.entry.forced)
		record.flags |= session->machine->forced_flag;
	if (times->wake_valid)
		record.flags |= IDLE_LATENCY_RECORD_WAKE;
	if (times->pending)
		record.flags |= IDLE_LATENCY_RECORD_PENDING;
	record_residency(session, event, times, &record);
	if (session->source->record)
		session->source->record(session, &record);

	return record;
}
