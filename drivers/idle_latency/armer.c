// SPDX-License-Identifier: GPL-2.0-only
/*
 * The armer: a kthread on the measured CPU that arms one event after the other,
 * waits until it was handled, judges it, and hands out a record or counts why
 * there is none.
 */
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/wait.h>

#include <asm/tsc.h>

#include "session.h"

/* Far above every exit latency. */
#define LOST_AFTER_MS	100

#define CREATE_TRACE_POINTS
#include <trace/events/idle_latency.h>

static bool must_end(const struct idle_latency_session *session)
{
	return kthread_should_stop() || READ_ONCE(session->error);
}

static bool has_all_samples(const struct idle_latency_session *session)
{
	return session->config.samples &&
	       session->counts.delivered >= session->config.samples;
}

/* The reader is slow: wait for it rather than lose a record. */
static void wait_for_room(struct idle_latency_session *session)
{
	wait_event_idle(session->writable,
			!kfifo_is_full(&session->records) || must_end(session));
}

/**
 * idle_latency_event_handled() - the last thing that the handler of an event does
 * @session: the session, with TIntr and what the source needs in its shot
 *
 * Context: hard interrupt.
 */
void idle_latency_event_handled(struct idle_latency_session *session)
{
	struct idle_latency_shot *shot = &session->shot;

	lockdep_assert_in_irq();

	shot->cpu = smp_processor_id();
	if (idle_latency_on_measured_cpu(session))
		idle_latency_residency_end(session);
	WRITE_ONCE(shot->armed, false);
	/* Pairs with was_handled(): the armer reads what was written before. */
	smp_store_release(&shot->handled, true);
	wake_up_process(session->armer);
}

static void arm_event(struct idle_latency_session *session)
{
	const struct idle_latency_config *config = &session->config;
	int err;

	session->shot = (struct idle_latency_shot) {
		.ldist_ns = idle_latency_choose_ldist(config->ldist_from_ns,
						      config->ldist_to_ns,
						      get_random_u64()),
	};

	scoped_guard(spinlock, &session->counts_lock) {
		session->counts.armed++;
		session->counts.pending = 1;
	}

	err = session->source->arm(session);
	if (err == -ETIME)
		session->shot.late = true;
	else if (err)
		idle_latency_abort(session, err);
}

static bool was_handled(struct idle_latency_session *session)
{
	/* Pairs with the handler: what it wrote is read after this. */
	return smp_load_acquire(&session->shot.handled);
}

static void disarm_event(struct idle_latency_session *session)
{
	int err = session->source->disarm(session);

	WRITE_ONCE(session->shot.armed, false);
	if (err)
		idle_latency_abort(session, err);
}

/*
 * A timer of the kernel fires. An event of a device may not, and then there is a
 * time after which nobody waits for it any more.
 */
static long lost_after(const struct idle_latency_session *session)
{
	u64 ldist_ms = div_u64(session->shot.ldist_ns, NSEC_PER_MSEC);

	return msecs_to_jiffies(ldist_ms + LOST_AFTER_MS);
}

/* Let the CPU go idle until the event was handled. */
static void wait_for_event(struct idle_latency_session *session)
{
	long left = lost_after(session);

	for (;;) {
		set_current_state(TASK_IDLE);
		if (was_handled(session) || must_end(session) || !left)
			break;
		left = schedule_timeout(left);
	}
	__set_current_state(TASK_RUNNING);
}

static void run_event(struct idle_latency_session *session)
{
	arm_event(session);
	if (!session->shot.late)
		wait_for_event(session);
	disarm_event(session);
	/* Only now, as the event may have fired until it was disarmed. */
	session->shot.lost = !session->shot.late && !was_handled(session) &&
			     !must_end(session);
}

/*
 * Everything that interrupted the CPU by now, not only until the handler: the
 * vector of the timer has priority over those of devices, so that one that ended
 * the idle period just before the event is handled after it.
 */
static struct idle_latency_interrupts count_now(const struct idle_latency_session *session)
{
	struct idle_latency_interrupts now;
	unsigned long flags;

	local_irq_save(flags);
	idle_latency_count_interrupts(session, &now);
	local_irq_restore(flags);

	return now;
}

static void explain_event(struct idle_latency_session *session,
			  struct idle_latency_event *event)
{
	const struct idle_latency_interrupts now = count_now(session);
	const struct idle_latency_shot *shot = &session->shot;

	*event = (struct idle_latency_event) {
		.tsc_khz = tsc_khz,
		.tintr_tsc = shot->tintr_tsc,
		.idle_periods = shot->idle.periods,
		.late = shot->late,
		.lost = shot->lost,
		.stopped = !shot->late && !shot->lost && !was_handled(session),
		.other_cpu = shot->cpu != session->config.cpu,
		.other_state = !idle_latency_probe_entered(session),
		.untrusted_tsc = check_tsc_unstable(),
		.woken = shot->idle.woken,
		.polls = session->hold.polls,
		.irqs = now.irqs - shot->idle.interrupts.irqs,
		.nmis = now.nmis - shot->idle.interrupts.nmis,
		.smis = now.smis - shot->idle.interrupts.smis,
	};
	idle_latency_read_stamps(session, event);
	session->source->explain(session, event);
}

static void count_discard(struct idle_latency_session *session, int reason)
{
	guard(spinlock)(&session->counts_lock);

	session->counts.pending = 0;
	session->counts.discarded[reason]++;
}

/*
 * In one step: a record that can be read is counted, and one that is counted can
 * be read. There is room, because the armer waited for it and nobody else writes.
 */
static void put_record(struct idle_latency_session *session,
		       struct idle_latency_record *record)
{
	guard(spinlock)(&session->counts_lock);

	record->seq = session->counts.delivered++;
	session->counts.pending = 0;
	kfifo_put(&session->records, *record);
}

static void deliver(struct idle_latency_session *session,
		    const struct idle_latency_event *event,
		    const struct idle_latency_times *times)
{
	struct idle_latency_record record = {
		.ldist_ns	= session->shot.ldist_ns,
		.ltime_ns	= event->ltime_ns,
		.silent_ns	= times->wake_valid ? times->silent_ns : 0,
		.wake_ns	= times->wake_ns,
		.intr_ns	= times->intr_ns,
		.error_ns	= times->error_ns,
		.tbi_tsc	= event->tbi_tsc,
		.tai_tsc	= event->tai_tsc,
		.tintr_tsc	= event->tintr_tsc,
		.flags		= times->wake_valid ? IDLE_LATENCY_RECORD_WAKE : 0,
		.cpu		= session->config.cpu,
		.state		= session->shot.idle.state,
		.source		= session->config.source,
		.stamp		= session->stamp,
		.idle_periods	= event->idle_periods,
	};

	idle_latency_residency_record(session, &record);
	if (session->source->record)
		session->source->record(session, &record);

	put_record(session, &record);
	trace_idle_latency_record(&record);

	/*
	 * Pairs with the barrier of wait_event_interruptible() after wake_at was
	 * written: the reader sees the record, or this its wake_at.
	 */
	smp_mb();
	if (kfifo_len(&session->records) >= READ_ONCE(session->wake_at))
		wake_up_interruptible(&session->readable);
}

static void conclude_event(struct idle_latency_session *session)
{
	struct idle_latency_event event;
	struct idle_latency_times times;
	int reason;

	explain_event(session, &event);
	reason = idle_latency_judge(&event, &times);
	if (reason < 0)
		deliver(session, &event, &times);
	else
		count_discard(session, reason);
}

/**
 * idle_latency_armer() - thread function of the armer
 * @data: the session
 *
 * Ends when the session has all its samples, when it is stopped, or when it
 * cannot go on, and leaves the machine as it was.
 *
 * Context: kthread bound to the measured CPU. While that goes offline, it is moved to
 * another one before the session hears of it.
 * Return: 0.
 */
int idle_latency_armer(void *data)
{
	struct idle_latency_session *session = data;

	while (!has_all_samples(session)) {
		wait_for_room(session);
		if (must_end(session))
			break;
		run_event(session);
		conclude_event(session);
		/* An event that came at once was not waited for. */
		cond_resched_tasks_rcu_qs();
	}

	idle_latency_finish(session);
	return 0;
}
