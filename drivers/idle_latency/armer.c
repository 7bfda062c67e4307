// SPDX-License-Identifier: GPL-2.0-only
/*
 * The armer: a kthread on the measured CPU that arms one event after the other,
 * waits until it was handled, judges it, and hands out a record or counts why
 * there is none.
 */
#include <linux/bits.h>
#include <linux/bitops.h>
#include <linux/cleanup.h>
#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/wait.h>

#include "session.h"

/* Far above every exit latency. */
#define LOST_AFTER_MS	100

/* A reader that has not read for so long may not do so for hours. */
#define LET_GO_AFTER	HZ

#define CREATE_TRACE_POINTS
#include <trace/events/idle_latency.h>

static bool must_end(const struct idle_latency_session *session)
{
	return kthread_should_stop() || READ_ONCE(session->error);
}

static bool need_not_wait(struct idle_latency_session *session)
{
	return !kfifo_is_full(&session->records) || must_end(session);
}

/*
 * A reader that was stopped must not leave the CPU without a tick, and outside of what PM QoS
 * asks for. Somebody else may force a state meanwhile.
 */
static void wait_unforced(struct idle_latency_session *session)
{
	int err;

	idle_latency_unforce(session);
	wait_event_idle(session->writable, need_not_wait(session));
	if (must_end(session))
		return;

	err = idle_latency_force(session);
	if (err)
		idle_latency_abort(session, err);
}

/* The reader is slow: wait for it rather than lose a record. */
static void wait_for_room(struct idle_latency_session *session)
{
	if (need_not_wait(session))
		return;

	/* The CPU may enter the state while the armer waits, which no event accounts for. */
	session->counted.begin_tsc = 0;
	if (!wait_event_idle_timeout(session->writable, need_not_wait(session), LET_GO_AFTER))
		wait_unforced(session);
}

/**
 * idle_latency_event_handled() - tell the armer that its event was handled
 * @session: the session, with TIntr and what the source needs in its shot
 *
 * Context: interrupts disabled.
 */
void idle_latency_event_handled(struct idle_latency_session *session)
{
	struct idle_latency_shot *shot = &session->shot;

	lockdep_assert_irqs_disabled();

	shot->cpu = smp_processor_id();
	WRITE_ONCE(shot->armed, false);
	/* Pairs with was_handled(): the armer reads what was written before. */
	smp_store_release(&shot->handled, true);
	wake_up_process(session->armer);
}

/* The counters of the package are read for few events only, as that disturbs the measurement. */
static u32 choose_counters(const struct idle_latency_session *session)
{
	if (session->counts.armed % IDLE_LATENCY_PACKAGE_EVENTS)
		return session->cstate.present & ~IDLE_LATENCY_PACKAGE_COUNTERS;

	return session->cstate.present;
}

static void arm_event(struct idle_latency_session *session)
{
	const struct idle_latency_config *config = &session->config;
	int err;

	session->shot = (struct idle_latency_shot) {
		.ldist_ns = idle_latency_choose_ldist(config->ldist_from_ns,
						      config->ldist_to_ns,
						      get_random_u64()),
		.counters = choose_counters(session),
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
 * For how long an event is waited for, in jiffies. The event of a device may never come, nor that
 * of a timer that stops in the state. The timer of schedule_timeout() is due long after the
 * event; it is not bound to this CPU, so that another one can notice that nothing happens here.
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
	/* Known only now, because the event could still fire until it was disarmed. */
	session->shot.lost = !session->shot.late && !was_handled(session) &&
			     !must_end(session);
}

/* The CPU is idle in the state until then, where nothing else happens. */
static void wait_for_start(const struct idle_latency_session *session)
{
	ktime_t start = ns_to_ktime(session->config.start_ns);

	for (;;) {
		set_current_state(TASK_IDLE);
		if (must_end(session) || ktime_get() >= start)
			break;
		schedule_hrtimeout_range(&start, 0, HRTIMER_MODE_ABS);
	}
	__set_current_state(TASK_RUNNING);
}

/* What happened instead of an event, where none was handled. */
static u32 why_unhandled(struct idle_latency_session *session)
{
	const struct idle_latency_shot *shot = &session->shot;

	if (was_handled(session))
		return reason_if(shot->late, IDLE_LATENCY_DISCARD_LATE);
	if (shot->late)
		return BIT(IDLE_LATENCY_DISCARD_LATE);

	return shot->lost ? BIT(IDLE_LATENCY_DISCARD_LOST) :
			    BIT(IDLE_LATENCY_DISCARD_STOPPED);
}

/*
 * Returns whether cpuidle was asked for the state because it was forced. The tracepoint alone also
 * fires for idle periods without cpuidle. A governor may have chosen the same state, but with a
 * tick, and by other rules.
 */
static bool asked_for_state(const struct idle_latency_session *session)
{
	const struct idle_latency_shot *shot = &session->shot;
	int state = session->config.state;

	return shot->idle.state == state && shot->entry.requested == state && shot->entry.forced;
}

/* Returns whether cpuidle says, too, that the state was entered. */
static bool entered_state(const struct idle_latency_session *session)
{
	return asked_for_state(session) && session->shot.entry.entered == session->config.state;
}

/* What speaks against an event that was handled, apart from its stamps. */
static u32 find_circumstances(const struct idle_latency_session *session,
			      const struct idle_latency_interrupts *now)
{
	const struct idle_latency_interrupts *before = &session->shot.idle.interrupts;
	u32 reasons;

	reasons = reason_if(session->shot.cpu != session->config.cpu,
			    IDLE_LATENCY_DISCARD_OTHER_CPU);
	reasons |= reason_if(session->machine->tsc_unstable(), IDLE_LATENCY_DISCARD_TSC);
	/* The rest is about an idle period. */
	if (!session->shot.idle.periods)
		return reasons;

	reasons |= reason_if(!entered_state(session) ||
			     READ_ONCE(session->shot.idle.overwritten),
			     IDLE_LATENCY_DISCARD_OTHER_STATE);
	reasons |= reason_if(now->nmis != before->nmis, IDLE_LATENCY_DISCARD_NMI);
	reasons |= reason_if(now->smis != before->smis, IDLE_LATENCY_DISCARD_SMI);
	return reasons;
}

/* All that was seen of the event. Without an idle period, stamps would be of an earlier one. */
static struct idle_latency_event explain_event(struct idle_latency_session *session)
{
	const bool enter_stamps = session->stamp == IDLE_LATENCY_STAMP_ENTER;
	struct idle_latency_shot *shot = &session->shot;
	struct idle_latency_interrupts now;
	struct idle_latency_event event;

	/*
	 * Also what has interrupted the CPU after the handler: the vector of the timer has
	 * priority over those of devices, so that a device that ended the idle period just
	 * before the event is handled after it.
	 */
	scoped_guard(irqsave)
		session->machine->count_interrupts(session, &now);

	session->machine->read_entry(session, &shot->entry);
	event = (struct idle_latency_event) {
		.tsc_khz = session->machine->tsc_khz(),
		.entry_ns = session->config.entry_ns,
		.reasons = why_unhandled(session),
		.idle_periods = shot->idle.periods,
		.irqs = now.irqs - shot->idle.interrupts.irqs,
		.timer_irqs = now.timer_irqs - shot->idle.interrupts.timer_irqs,
		.handled = was_handled(session),
		.timer_pending = shot->idle.timer_pending,
		.event_pending = shot->idle.event_pending,
		.need_resched = shot->idle.need_resched,
		.polls = session->state.flags & IDLE_LATENCY_STATE_POLLS,
		.tintr_cyc = shot->tintr_cyc,
	};
	if (shot->idle.periods) {
		event.tbi_cyc = enter_stamps ? shot->entry.before_tsc : shot->idle.tbi_cyc;
		event.tai_cyc = enter_stamps ? shot->entry.after_tsc : shot->idle.tai_cyc;
	}
	/* Another idle period that wrote to what was copied by now is seen after this. */
	barrier();
	if (event.handled)
		event.reasons |= find_circumstances(session, &now);
	session->source->explain(session, &event);
	/* A stamp is up to one step old, and whole cycles are exact. */
	idle_latency_cross_widen_cyc(&event.cross, session->machine->tsc_step() - 1);
	return event;
}

/* There is room, because the armer waited for it and nobody else writes. */
static void put_record(struct idle_latency_session *session,
		       struct idle_latency_record *record)
{
	struct idle_latency_counts *counts = &session->counts;

	lockdep_assert_held(&session->counts_lock);

	record->seq = counts->delivered + counts->kept;
	kfifo_put(&session->records, *record);
	if (record->reasons)
		counts->kept++;
	else
		counts->delivered++;
}

static void tell_of_record(struct idle_latency_session *session,
			   const struct idle_latency_record *record)
{
	trace_idle_latency_record(record);

	/*
	 * Pairs with the barrier of wait_event_interruptible() after wake_at was
	 * written: either the reader sees the record, or its wake_at is seen here.
	 */
	smp_mb();
	if (kfifo_len(&session->records) >= READ_ONCE(session->wake_at))
		wake_up_interruptible(&session->readable);
}

static void count_latency(struct idle_latency_session *session, u32 reasons,
			  const struct idle_latency_times *times)
{
	struct idle_latency_counts *counts = &session->counts;
	unsigned int reason = __ffs(reasons);
	u64 latency_ns = times->latency_ns;

	lockdep_assert_held(&session->counts_lock);

	if (reasons & BIT(IDLE_LATENCY_DISCARD_LOST)) {
		counts->above[reason]++;
		latency_ns = LOST_AFTER_MS * NSEC_PER_MSEC;
	} else if (!times->latency_valid) {
		return;
	} else if (latency_ns > session->config.limit_ns &&
		   latency_ns - session->config.limit_ns > times->error_ns) {
		counts->above[reason]++;
	}
	counts->largest_ns[reason] = max(counts->largest_ns[reason], latency_ns);
}

/*
 * An event that is believed gives a record, and so does one that is discarded, if it was
 * handled and user space wants that. It is counted under the first of its reasons.
 *
 * The lock makes counting an event and putting its record into the buffer one step: a record
 * that can be read is counted, and one that is counted can be read.
 */
static void hand_out(struct idle_latency_session *session,
		     const struct idle_latency_event *event,
		     const struct idle_latency_times *times, u32 reasons)
{
	const bool kept = event->handled && session->config.flags & IDLE_LATENCY_CONFIG_KEEP;
	struct idle_latency_record record;

	if (!reasons || kept) {
		record = idle_latency_make_record(session, event, times);
		record.reasons = reasons;
	}

	scoped_guard(spinlock, &session->counts_lock) {
		session->counts.pending = 0;
		if (reasons) {
			session->counts.discarded[__ffs(reasons)]++;
			count_latency(session, reasons, times);
		}
		if (!reasons || kept)
			put_record(session, &record);
	}

	if (!reasons || kept)
		tell_of_record(session, &record);
}

/*
 * The forcing is lost when the cpuidle device of the CPU goes, because the index may mean another
 * state afterwards, and with some machines also when user space disables the state.
 * force_state() returns -EBUSY as long as a state is forced; any other result means that this one
 * is not any more.
 */
static void check_force(struct idle_latency_session *session)
{
	const struct idle_latency_config *config = &session->config;

	if (!session->forced || READ_ONCE(session->error))
		return;

	if (session->machine->force_state(config->cpu, config->state) != -EBUSY)
		idle_latency_abort(session, -ENODEV);
}

static void count_residency(struct idle_latency_session *session)
{
	u64 advanced_cyc = 0, between_cyc = 0;

	idle_latency_follow_counter(session, &advanced_cyc, &between_cyc);
	guard(spinlock)(&session->counts_lock);
	session->counts.advanced_cyc += advanced_cyc;
	session->counts.between_cyc += between_cyc;
}

static void conclude_event(struct idle_latency_session *session)
{
	struct idle_latency_event event = explain_event(session);
	struct idle_latency_times times;
	u32 reasons;

	count_residency(session);
	reasons = idle_latency_judge(&event, &times);
	hand_out(session, &event, &times, reasons);
	/* A driver of cpuidle that was asked for the state may have entered another one. */
	if (reasons & BIT(IDLE_LATENCY_DISCARD_OTHER_STATE) && !asked_for_state(session))
		check_force(session);
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
	const u64 samples = session->config.samples;

	wait_for_start(session);
	while (!samples || session->counts.delivered < samples) {
		wait_for_room(session);
		if (must_end(session))
			break;
		run_event(session);
		conclude_event(session);
		/* An event that came at once was not waited for. */
		cond_resched_tasks_rcu_qs();
	}

	/* The forcing may have been lost after the last idle period began. */
	check_force(session);

	idle_latency_finish(session);
	return 0;
}
