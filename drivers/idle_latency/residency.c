// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the CPU says it was: residency counters of core, module and package,
 * and the cycles it was awake.
 *
 * They are read before TBI and after TIntr, so that reading them is in none of
 * the measured times. cstates.c knows which of them a CPU has.
 */
#include <linux/irqflags.h>

#include <asm/msr.h>
#include <asm/tsc.h>

#include "session.h"

/*
 * Intel SDM volume 4. All count at the rate of the TSC, except that of the
 * module, which counts at 1 MHz.
 */
static const u32 residency_msrs[IDLE_LATENCY_RESIDENCY_MAX] = {
	[IDLE_LATENCY_RESIDENCY_CC1]	= MSR_CORE_C1_RES,
	[IDLE_LATENCY_RESIDENCY_CC3]	= MSR_CORE_C3_RESIDENCY,
	[IDLE_LATENCY_RESIDENCY_CC6]	= MSR_CORE_C6_RESIDENCY,
	[IDLE_LATENCY_RESIDENCY_CC7]	= MSR_CORE_C7_RESIDENCY,
	[IDLE_LATENCY_RESIDENCY_MC6]	= MSR_MODULE_C6_RES_MS,
	[IDLE_LATENCY_RESIDENCY_PC2]	= MSR_PKG_C2_RESIDENCY,
	[IDLE_LATENCY_RESIDENCY_PC3]	= MSR_PKG_C3_RESIDENCY,
	[IDLE_LATENCY_RESIDENCY_PC6]	= MSR_PKG_C6_RESIDENCY,
	[IDLE_LATENCY_RESIDENCY_PC7]	= MSR_PKG_C7_RESIDENCY,
	[IDLE_LATENCY_RESIDENCY_PC8]	= MSR_PKG_C8_RESIDENCY,
	[IDLE_LATENCY_RESIDENCY_PC9]	= MSR_PKG_C9_RESIDENCY,
	[IDLE_LATENCY_RESIDENCY_PC10]	= MSR_PKG_C10_RESIDENCY,
	[IDLE_LATENCY_RESIDENCY_C0]	= MSR_IA32_MPERF,
};

/**
 * idle_latency_residency_msr() - where a counter is read
 * @counter: one of &enum idle_latency_residency_counter
 *
 * Return: number of the model-specific register.
 */
u32 idle_latency_residency_msr(u32 counter)
{
	return residency_msrs[counter];
}

/**
 * idle_latency_residency_init() - can the frequency be computed on the measured CPU?
 * @session: the session
 *
 * Context: process context. May sleep.
 */
void idle_latency_residency_init(struct idle_latency_session *session)
{
	u64 value;

	session->has_aperf = session->cstate.present & BIT(IDLE_LATENCY_RESIDENCY_C0) &&
			     !rdmsrq_safe_on_cpu(session->config.cpu, MSR_IA32_APERF, &value);
}

static void read_counters(const struct idle_latency_session *session, u64 *counts)
{
	lockdep_assert_irqs_disabled();

	for (int i = 0; i < IDLE_LATENCY_RESIDENCY_MAX; i++) {
		if (session->cstate.present & BIT(i))
			rdmsrq(residency_msrs[i], counts[i]);
	}
}

static void read_frequency(const struct idle_latency_session *session,
			   struct idle_latency_frequency *frequency)
{
	if (!session->has_aperf)
		return;

	rdmsrq(MSR_IA32_APERF, frequency->aperf);
	rdmsrq(MSR_IA32_MPERF, frequency->mperf);
}

/**
 * idle_latency_residency_begin() - read the counters before idle
 * @session: the session
 *
 * The TSC is read first here and last at the end, so that the interval contains
 * everything that the counters count.
 *
 * Context: the measured CPU, interrupts disabled, before TBI.
 */
void idle_latency_residency_begin(struct idle_latency_session *session)
{
	struct idle_latency_residency *residency = &session->shot.residency;

	residency->begin_tsc = rdtsc_ordered();
	read_counters(session, residency->begin);
}

/**
 * idle_latency_residency_end() - read the counters after the wake-up
 * @session: the session
 *
 * Context: the measured CPU, interrupts disabled, after TIntr.
 */
void idle_latency_residency_end(struct idle_latency_session *session)
{
	struct idle_latency_residency *residency = &session->shot.residency;

	read_frequency(session, &residency->woken);
	read_counters(session, residency->end);
	residency->end_tsc = rdtsc_ordered();
}

/* Cycles of the TSC that one count of a counter stands for. */
static u32 count_cycles(int counter)
{
	return counter == IDLE_LATENCY_RESIDENCY_MC6 ? DIV_ROUND_UP(tsc_khz, 1000) : 1;
}

static void record_frequency(struct idle_latency_session *session,
			     struct idle_latency_record *record)
{
	const struct idle_latency_frequency *woken = &session->shot.residency.woken;
	struct idle_latency_frequency now = {};
	unsigned long flags;
	bool measured;

	local_irq_save(flags);
	measured = idle_latency_on_measured_cpu(session);
	if (measured)
		read_frequency(session, &now);
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

/**
 * idle_latency_residency_record() - what the counters say about a sample
 * @session: the session
 * @record: where it goes; nothing where no idle period began since the event was armed
 *
 * Context: armer, on the measured CPU, after the event was handled.
 */
void idle_latency_residency_record(struct idle_latency_session *session,
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
						count_cycles(i), record->interval_cyc,
						&record->residency_cyc[i]))
			record->residency_invalid |= BIT(i);
	}

	record->flags |= reached_flags(&session->cstate, record);
	if (session->has_aperf)
		record_frequency(session, record);
}
