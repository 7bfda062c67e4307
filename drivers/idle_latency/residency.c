// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the CPU says it was: residency counters of core, module and package,
 * and the cycles it was awake.
 *
 * They are read before TBI and after TIntr, so that reading them is in none of
 * the measured times. counters.c knows which of them a CPU has.
 */
#include <linux/irqflags.h>

#include <asm/msr.h>
#include <asm/tsc.h>

#include "x86.h"

/*
 * Intel SDM volume 4. All count at the rate of the TSC, but perhaps that of the module: see
 * find_residency().
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

static void read_counters(const struct idle_latency_session *session, u64 *counts)
{
	lockdep_assert_irqs_disabled();

	for (int i = 0; i < IDLE_LATENCY_RESIDENCY_MAX; i++) {
		if (session->shot.counters & BIT(i))
			rdmsrq(residency_msrs[i], counts[i]);
	}
}

/**
 * idle_latency_read_frequency() - read what the frequency is computed from
 * @session: the session
 * @frequency: where it goes, nothing where the CPU has none
 *
 * Context: the measured CPU, interrupts disabled.
 */
void idle_latency_read_frequency(const struct idle_latency_session *session,
				 struct idle_latency_frequency *frequency)
{
	if (!session->cstate.has_frequency)
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
 * Context: hard interrupt, after TIntr. Does nothing on another CPU than the measured one.
 */
void idle_latency_residency_end(struct idle_latency_session *session)
{
	struct idle_latency_residency *residency = &session->shot.residency;

	if (!idle_latency_on_measured_cpu(session))
		return;

	idle_latency_read_frequency(session, &residency->woken);
	read_counters(session, residency->end);
	residency->end_tsc = rdtsc_ordered();
}
