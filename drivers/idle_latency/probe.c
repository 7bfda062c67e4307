// SPDX-License-Identifier: GPL-2.0-only
/*
 * The probe of the cpu_idle tracepoint: it sees every idle period of the
 * measured CPUs begin and end.
 *
 * It runs with interrupts disabled, just outside of the region in which RCU does
 * not watch. Every CPU calls it, and there is one for all sessions, which is there
 * only while one runs.
 */
#include <linux/cleanup.h>
#include <linux/cpu.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/tracepoint.h>
#include <trace/events/power.h>

#include <asm/tsc.h>

#include "x86.h"

/* The session that measures the CPU, or NULL. */
static DEFINE_PER_CPU(struct idle_latency_session *, measuring);

/* Protects what follows, and the probe and the stamps themselves. */
static DEFINE_MUTEX(probed_lock);
/* Sessions that need them. */
static unsigned int probed;

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
	idle->event_pending = idle_latency_event_pending(session);

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
	struct idle_latency_session *session = this_cpu_read(measuring);

	if (!session)
		return;

	if (state == PWR_EVENT_EXIT)
		idle_ends(session, tsc);
	else
		idle_begins(session, state);
}

/* The first has the kernel patched, which interrupts all CPUs. */
static int get_probe(void)
{
	int err;

	guard(mutex)(&probed_lock);

	if (!probed) {
		idle_latency_stamps_on();
		err = register_trace_cpu_idle(probe_cpu_idle, NULL);
		if (err) {
			idle_latency_stamps_off();
			return err;
		}
	}

	probed++;
	return 0;
}

static void put_probe(void)
{
	guard(mutex)(&probed_lock);

	if (--probed)
		return;

	unregister_trace_cpu_idle(probe_cpu_idle, NULL);
	tracepoint_synchronize_unregister();
	idle_latency_stamps_off();
}

/**
 * idle_latency_probe_add() - begin to watch the measured CPU
 * @session: the session, which alone has claimed the CPU; must stay until
 *	idle_latency_probe_remove() returned
 *
 * Context: process context. May sleep.
 * Return: 0 or a negative errno.
 */
int idle_latency_probe_add(struct idle_latency_session *session)
{
	int err;

	err = get_probe();
	if (err)
		return err;

	/* The probe sees all of the session that it sees. */
	smp_store_release(per_cpu_ptr(&measuring, session->config.cpu), session);
	return 0;
}

/* On the measured CPU with interrupts disabled, where the probe does not run now. */
static void forget_session(void *unused)
{
	this_cpu_write(measuring, NULL);
}

/**
 * idle_latency_probe_remove() - undo idle_latency_probe_add()
 * @session: the session
 *
 * When it returns, no CPU uses the session any more.
 *
 * Context: process context. May sleep.
 */
void idle_latency_probe_remove(struct idle_latency_session *session)
{
	const unsigned int cpu = session->config.cpu;

	/* A CPU that is offline does not call the probe, and stays so. */
	scoped_guard(cpus_read_lock) {
		if (smp_call_function_single(cpu, forget_session, NULL, 1))
			WRITE_ONCE(per_cpu(measuring, cpu), NULL);
	}

	put_probe();
}
