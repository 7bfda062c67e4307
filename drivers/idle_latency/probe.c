// SPDX-License-Identifier: GPL-2.0-only
/*
 * The probe of the cpu_idle tracepoint: it sees every idle period of the
 * measured CPU begin and end.
 *
 * It runs with interrupts disabled, just outside of the region in which RCU does
 * not watch. Every CPU calls it, so the CPU number is tested first; it is there
 * only while a session runs.
 */
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <trace/events/power.h>

#include <asm/tsc.h>

#include "x86.h"

static void idle_begins(struct idle_latency_session *session, unsigned int state)
{
	struct idle_latency_idle *idle = &session->shot.idle;

	lockdep_assert_irqs_disabled();

	if (!READ_ONCE(session->shot.armed)) {
		WRITE_ONCE(idle->overwritten, true);
		return;
	}

	idle->state = state;
	idle->periods++;
	idle_latency_stamps_begin(session);
	if (session->source->before_idle)
		session->source->before_idle(session);
	idle_latency_residency_begin(session);
	idle_latency_count_interrupts(session, &idle->interrupts);
	idle->timer_pending = idle_latency_timer_pending();
	idle->card_pending = idle_latency_card_pending(session);

	idle->tbi_cyc = rdtsc();
}

/*
 * A CPU in MWAIT monitors its need_resched flag. Other CPUs wake it by setting the flag, without
 * sending an interrupt.
 */
static void idle_ends(struct idle_latency_session *session, u64 tai_cyc)
{
	session->shot.idle.tai_cyc = tai_cyc;
	session->shot.idle.need_resched = need_resched();
}

static void probe_cpu_idle(void *data, unsigned int state, unsigned int cpu)
{
	/* First of all, as this may be TAI. */
	u64 tsc = rdtsc();
	struct idle_latency_session *session = data;

	if (cpu != session->config.cpu)
		return;

	if (state == PWR_EVENT_EXIT)
		idle_ends(session, tsc);
	else
		idle_begins(session, state);
}

/**
 * idle_latency_probe_add() - begin to watch the measured CPU
 * @session: the session; must stay until idle_latency_probe_remove() returned
 *
 * Context: process context. May sleep.
 * Return: 0 or a negative errno.
 */
int idle_latency_probe_add(struct idle_latency_session *session)
{
	return register_trace_cpu_idle(probe_cpu_idle, session);
}

/**
 * idle_latency_probe_remove() - undo idle_latency_probe_add()
 * @session: the session
 *
 * When it returns, no CPU runs the probe any more.
 *
 * Context: process context. May sleep.
 */
void idle_latency_probe_remove(struct idle_latency_session *session)
{
	unregister_trace_cpu_idle(probe_cpu_idle, session);
	tracepoint_synchronize_unregister();
}
