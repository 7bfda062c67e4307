// SPDX-License-Identifier: GPL-2.0-only
/*
 * The record of an event: its times, and where the CPU says it was.
 */
#include <linux/bits.h>
#include <linux/irqflags.h>
#include <linux/math.h>

#include "session.h"

/* Cycles of the TSC that one count of a counter stands for. */
static u32 count_cycles(const struct idle_latency_session *session, int counter)
{
	if (counter == IDLE_LATENCY_RESIDENCY_MC6)
		return DIV_ROUND_UP(session->machine->tsc_khz(), 1000);

	return 1;
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

/* The package state that belongs to the state, or a deeper one: PC2 to PC10 are in order. */
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

/* A counter that advanced by more than the interval tells nothing, and reads as 0. */
static u32 reached_flags(const struct idle_latency_cstate *cstate,
			 const struct idle_latency_record *record)
{
	u32 flags = package_reached(cstate, record) ? IDLE_LATENCY_RECORD_PACKAGE : 0;

	if (cstate->core == IDLE_LATENCY_RESIDENCY_NONE)
		return flags;

	flags |= IDLE_LATENCY_RECORD_COUNTED;
	if (record->residency_cyc[cstate->core])
		flags |= IDLE_LATENCY_RECORD_REACHED;

	return flags;
}

/* Nothing where no idle period began since the event was armed. */
static void record_residency(const struct idle_latency_session *session,
			     struct idle_latency_record *record)
{
	const struct idle_latency_residency *residency = &session->shot.residency;

	if (!session->shot.idle.periods)
		return;

	record->interval_cyc = residency->end_tsc - residency->begin_tsc;

	for (int i = 0; i < IDLE_LATENCY_RESIDENCY_MAX; i++) {
		if (!(session->cstate.present & BIT(i)))
			continue;
		record->residency_present |= BIT(i);
		if (!idle_latency_residency_cyc(residency->begin[i], residency->end[i],
						count_cycles(session, i),
						record->interval_cyc,
						&record->residency_cyc[i]))
			record->residency_invalid |= BIT(i);
	}

	record->flags |= reached_flags(&session->cstate, record);
	if (session->has_aperf)
		record_frequency(session, record);
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
		.tbi_tsc	= event->tbi_tsc,
		.tai_tsc	= event->tai_tsc,
		.tintr_tsc	= event->tintr_tsc,
		.flags		= session->machine->record_flags,
		.cpu		= session->config.cpu,
		.state		= session->shot.idle.state,
		.source		= session->config.source,
		.stamp		= session->stamp,
		.idle_periods	= event->idle_periods,
	};

	if (times->wake_valid)
		record.flags |= IDLE_LATENCY_RECORD_WAKE;
	if (times->pending)
		record.flags |= IDLE_LATENCY_RECORD_PENDING;
	record_residency(session, &record);
	if (session->source->record)
		session->source->record(session, &record);

	return record;
}
