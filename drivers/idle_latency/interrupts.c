// SPDX-License-Identifier: GPL-2.0-only
/*
 * Count what interrupts the measured CPU, so that an idle period that something
 * else ended is told from one that the event ended.
 */
#include <linux/kernel_stat.h>
#include <linux/percpu.h>
#include <linux/smp.h>

#include <asm/apic.h>
#include <asm/hardirq.h>
#include <asm/irq_vectors.h>
#include <asm/msr.h>

#include "x86.h"

/* The messages that are posted are counted as interrupts of their devices. */
static u32 count_posted_notifications(void)
{
#ifdef CONFIG_X86_POSTED_MSI
	return read_irq_stat(POSTED_MSI_NOTIFICATION);
#else
	return 0;
#endif
}

/* NMIs are counted apart. One that comes meanwhile would be in only one of both counts. */
static void count_irqs(struct idle_latency_interrupts *counts)
{
	do {
		counts->nmis = read_irq_stat(NMI);
		counts->irqs = kstat_this_cpu->irqs_sum + arch_irq_stat_cpu(smp_processor_id()) -
			       counts->nmis - count_posted_notifications();
	} while (counts->nmis != read_irq_stat(NMI));
}

static u32 count_smis(const struct idle_latency_session *session)
{
	u64 smis = 0;

	if (session->cstate.counts_smis && idle_latency_on_measured_cpu(session))
		rdmsrq(MSR_SMI_COUNT, smis);

	return smis;
}

/**
 * idle_latency_count_interrupts() - how many interrupts did this CPU take?
 * @session: the session
 * @counts: where the counts go; they wrap
 *
 * Context: the measured CPU, interrupts disabled.
 */
void idle_latency_count_interrupts(const struct idle_latency_session *session,
				   struct idle_latency_interrupts *counts)
{
	lockdep_assert_irqs_disabled();

	count_irqs(counts);
	counts->timer_irqs = read_irq_stat(APIC_TIMER);
	counts->smis = count_smis(session);
}

/**
 * idle_latency_timer_pending() - is an interrupt of this CPU's timer pending?
 *
 * An interrupt that is pending when an idle period begins ends it at once. It may belong to a
 * timer that fired earlier than the one that is programmed now.
 *
 * Context: the measured CPU, interrupts disabled.
 * Return: whether it is.
 */
bool idle_latency_timer_pending(void)
{
	lockdep_assert_irqs_disabled();

	return is_vector_pending(LOCAL_TIMER_VECTOR);
}

/**
 * idle_latency_event_pending() - is an interrupt of the source pending, which is no timer?
 * @session: the session
 *
 * Context: the measured CPU, interrupts disabled.
 * Return: whether it is.
 */
bool idle_latency_event_pending(const struct idle_latency_session *session)
{
	const u32 vector = to_x86_session(session)->vector;

	lockdep_assert_irqs_disabled();

	return vector && is_vector_pending(vector);
}
