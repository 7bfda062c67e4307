// SPDX-License-Identifier: GPL-2.0-only
/*
 * Count what interrupts the measured CPU, so that an idle period that something
 * else ended is told from one that the event ended.
 */
#include <linux/bits.h>
#include <linux/cpufeature.h>
#include <linux/init.h>
#include <linux/kernel_stat.h>
#include <linux/percpu.h>

#include <asm/apic.h>
#include <asm/hardirq.h>
#include <asm/irq_vectors.h>
#include <asm/msr.h>

#include "irr.h"
#include "x86.h"

static bool has_apic __ro_after_init;
static bool use_x2apic __ro_after_init;

/*
 * Skip NMIs, which are counted apart, and the notification of posted MSIs: the messages that it
 * delivers are counted as interrupts of their devices.
 */
static bool counts_no_interrupt(int counter)
{
#ifdef CONFIG_X86_POSTED_MSI
	if (counter == IRQ_COUNT_POSTED_MSI_NOTIFICATION)
		return true;
#endif
	return counter == IRQ_COUNT_NMI;
}

static u32 count_system_vectors(void)
{
	const irq_cpustat_t *stat = this_cpu_ptr(&irq_stat);
	u32 sum = 0;

	for (int i = 0; i < IRQ_COUNT_MAX; i++) {
		if (!counts_no_interrupt(i))
			sum += READ_ONCE(stat->counts[i]);
	}

	return sum;
}

static u32 count_smis(const struct idle_latency_session *session)
{
	u64 smis = 0;

	if (session->cstate.counts_smis && idle_latency_on_measured_cpu(session))
		rdmsrq(MSR_SMI_COUNT, smis);

	return smis;
}

/**
 * idle_latency_interrupts_init() - find out where pending interrupts are read
 *
 * Context: module init.
 */
void __init idle_latency_interrupts_init(void)
{
	has_apic = boot_cpu_has(X86_FEATURE_APIC);
	use_x2apic = x2apic_enabled();
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

	counts->irqs = kstat_this_cpu->irqs_sum + count_system_vectors();
	counts->timer_irqs = this_cpu_read(irq_stat.counts[IRQ_COUNT_APIC_TIMER]);
	counts->nmis = this_cpu_read(irq_stat.counts[IRQ_COUNT_NMI]);
	counts->smis = count_smis(session);
}

static bool is_pending(u32 vector)
{
	lockdep_assert_irqs_disabled();

	return has_apic && idle_latency_read_irr(use_x2apic, vector / 32) & BIT(vector % 32);
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
	return is_pending(LOCAL_TIMER_VECTOR);
}

/**
 * idle_latency_card_pending() - is an interrupt of the card of nic pending?
 * @session: the session
 *
 * Context: the measured CPU, interrupts disabled.
 * Return: whether it is.
 */
bool idle_latency_card_pending(const struct idle_latency_session *session)
{
	const u32 vector = to_x86_session(session)->card_vector;

	return vector && is_pending(vector);
}
