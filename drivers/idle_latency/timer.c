// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sources hrt and tdt. The event of both is a high-resolution timer on the measured
 * CPU, handled in hard interrupt context; they differ in the clock that says when it
 * fired:
 *
 * - hrt: CLOCK_MONOTONIC, and the launch time is when the timer is due. Works with any
 *   hardware behind it; where that is the local APIC with a deadline, the event is taken
 *   to fire when the TSC reaches it.
 * - tdt: the TSC, and the launch time is the deadline of the local APIC that is really
 *   armed, read from the register when idle begins. Intel SDM volume 3, "TSC-Deadline
 *   Mode" of the APIC timer: the timer fires when the TSC reaches IA32_TSC_DEADLINE; the
 *   register reads as zero when the timer is not armed, which includes that it has fired.
 */
#include <linux/compiler.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/timekeeping.h>

#include "hardware.h"
#include "x86.h"

/*
 * NTP corrects the rate of CLOCK_MONOTONIC by at most this; MAXFREQ in
 * include/linux/timex.h. That a program slews it faster is not allowed for.
 */
#define MONOTONIC_DRIFT_PPM	500

/*
 * With a coarse clocksource, both the time that is read here and the time from which the timer
 * was programmed may be up to one tick of the clock old. The former makes a stamp too early; the
 * latter makes the timer fire late.
 */
static struct idle_latency_cross bracket_monotonic(void)
{
	struct idle_latency_cross cross;
	u64 before, after, ns;

	before = hw_tsc_ordered();
	ns = ktime_get_ns();
	after = hw_tsc_ordered();

	cross = idle_latency_cross_between(before, ns, after, MONOTONIC_DRIFT_PPM);
	/* The kernel truncates the resolution to whole ns. */
	idle_latency_cross_widen(&cross, ktime_get_resolution_ns() + 1, hw_tsc_khz());
	return cross;
}

/**
 * idle_latency_cross_monotonic() - CLOCK_MONOTONIC against the TSC, now
 *
 * Where timekeeping reads the TSC, it can tell which TSC value makes the time.
 *
 * Context: any.
 * Return: the cross-timestamp.
 */
struct idle_latency_cross idle_latency_cross_monotonic(void)
{
	u64 tsc, ns;

	if (!hw_tsc_of_monotonic(&tsc, &ns))
		return bracket_monotonic();

	return idle_latency_cross_between(tsc, ns, tsc, MONOTONIC_DRIFT_PPM);
}

/**
 * idle_latency_source_handled() - the last thing that the handler of a source does
 * @session: the session, with TIntr and the cross-timestamp in its shot
 *
 * Not inlined, so that the handler has one call less to save a register for before it
 * reads the TSC.
 *
 * Context: interrupts disabled.
 */
noinline void idle_latency_source_handled(struct idle_latency_session *session)
{
	idle_latency_residency_end(session);
	idle_latency_event_handled(session);
}

static enum hrtimer_restart timer_handler(struct hrtimer *timer)
{
	/* First of all, as this is TIntr. */
	u64 tsc = hw_tsc();
	struct idle_latency_session *session;
	struct idle_latency_shot *shot;

	session = &container_of(timer, struct idle_latency_x86_session, timer)->session;
	shot = &session->shot;

	shot->tintr_cyc = tsc;
	shot->cross = idle_latency_cross_monotonic();
	idle_latency_source_handled(session);
	return HRTIMER_NORESTART;
}

static int timer_start(struct idle_latency_session *session)
{
	hrtimer_setup(&to_x86_session(session)->timer, timer_handler, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_PINNED_HARD);
	return 0;
}

/* A timer that is due when it is started fires at once. */
static int timer_arm(struct idle_latency_session *session)
{
	struct idle_latency_shot *shot = &session->shot;

	shot->expires = ktime_add_ns(ktime_get(), shot->ldist_ns);
	/* Before the timer starts: it may have fired when that returns. */
	WRITE_ONCE(shot->armed, true);
	hrtimer_start(&to_x86_session(session)->timer, shot->expires, HRTIMER_MODE_ABS_PINNED_HARD);
	return 0;
}

static int timer_disarm(struct idle_latency_session *session)
{
	hrtimer_cancel(&to_x86_session(session)->timer);
	return 0;
}

/*
 * When it enters a state, cpuidle stores the time to which the timer of the CPU is programmed.
 * If that is earlier than the event, another timer fires first. If it is later, the timer of the
 * event had already fired.
 */
static void explain_timer(const struct idle_latency_session *session,
			  struct idle_latency_event *event)
{
	ktime_t next = session->shot.entry.next_event;

	event->own_timer = true;
	if (!event->idle_periods)
		return;

	event->timer_later = next >= session->shot.expires;
	if (next < session->shot.expires)
		event->reasons |= BIT(IDLE_LATENCY_DISCARD_FOREIGN_TIMER);
	else if (next > session->shot.expires)
		event->reasons |= BIT(IDLE_LATENCY_DISCARD_BEFORE_IDLE);
}

static void timer_before_idle(struct idle_latency_session *session)
{
	session->shot.idle.deadline_tsc = hw_has_deadline() ? hw_deadline() : 0;
}

/*
 * The event fires when the TSC reaches the deadline, whatever time of CLOCK_MONOTONIC the kernel
 * converted into it. So LTime and the deadline are a cross-timestamp, which has no other error
 * than that of the timer itself.
 *
 * The kernel converts with a factor of 22 bits, which makes the deadline up to 0.5 ppm of the
 * launch distance early; changes of the rate by NTP are added to that. If the latency began when
 * the timer was due, all of this would be part of it: mostly a few ns in 10 ms, but 100 ns
 * while the clock is slewed.
 */
static void launch_at_deadline(const struct idle_latency_session *session,
			       struct idle_latency_event *event)
{
	event->cross = (struct idle_latency_cross) {
		.tsc = session->shot.idle.deadline_tsc,
		.clock_ns = event->ltime_ns,
	};
}

static void widen_by_tick(const struct idle_latency_session *session,
			  struct idle_latency_event *event)
{
	idle_latency_cross_widen(&event->cross, session->cstate.timer_tick_ns,
				 event->tsc_khz);
}

/* Returns whether the deadline that was read is that of the event, and not of another timer. */
static bool hrt_has_deadline(const struct idle_latency_session *session)
{
	const struct idle_latency_shot *shot = &session->shot;

	return shot->idle.deadline_tsc && shot->entry.next_event == shot->expires;
}

static void hrt_explain(struct idle_latency_session *session,
			struct idle_latency_event *event)
{
	event->ltime_ns = ktime_to_ns(session->shot.expires);
	event->ltime_known = true;
	if (hrt_has_deadline(session))
		launch_at_deadline(session, event);
	else
		event->cross = session->shot.cross;
	widen_by_tick(session, event);
	explain_timer(session, event);
}

/* How much later than it was due the timer was programmed to fire. */
static void hrt_record(const struct idle_latency_session *session,
		       struct idle_latency_record *record)
{
	const struct idle_latency_shot *shot = &session->shot;
	u64 deadline_ns;

	if (!hrt_has_deadline(session))
		return;

	deadline_ns = idle_latency_project(&shot->cross, shot->idle.deadline_tsc,
					   hw_tsc_khz());
	record->flags |= IDLE_LATENCY_RECORD_DEADLINE;
	record->deadline_ns = clamp_t(s64, deadline_ns - ktime_to_ns(shot->expires), S32_MIN,
				      S32_MAX);
}

static void tdt_explain(struct idle_latency_session *session,
			struct idle_latency_event *event)
{
	u64 deadline_tsc = session->shot.idle.deadline_tsc;

	explain_timer(session, event);
	if (!deadline_tsc) {
		event->reasons |= BIT(IDLE_LATENCY_DISCARD_BEFORE_IDLE);
		return;
	}

	event->ltime_ns = idle_latency_cyc_to_ns(deadline_tsc, event->tsc_khz);
	event->ltime_known = true;
	launch_at_deadline(session, event);
	widen_by_tick(session, event);
}

static void tdt_record(const struct idle_latency_session *session,
		       struct idle_latency_record *record)
{
	if (session->shot.idle.deadline_tsc)
		record->flags |= IDLE_LATENCY_RECORD_DEADLINE;
}

/**
 * idle_latency_check_tsc() - can the TSC tell times on this machine?
 *
 * Return: 0, or -EOPNOTSUPP without high-resolution timers, by which events are waited
 * for, or without a TSC that the kernel trusts.
 */
int idle_latency_check_tsc(void)
{
	return hw_timers_have_resolution() && hw_tsc_trusted() ? 0 : -EOPNOTSUPP;
}

static int hrt_check(const struct idle_latency_config *config, u32 state_flags)
{
	/* Another device, or another CPU, would be what wakes the CPU. */
	if (state_flags & IDLE_LATENCY_STATE_TIMER_STOP)
		return -EOPNOTSUPP;

	return idle_latency_check_tsc();
}

static int tdt_check(const struct idle_latency_config *config, u32 state_flags)
{
	if (!hw_has_deadline())
		return -EOPNOTSUPP;

	return hrt_check(config, state_flags);
}

const struct idle_latency_source_ops idle_latency_hrt = {
	.id		= IDLE_LATENCY_SOURCE_HRT,
	.ldist_min_ns	= IDLE_LATENCY_LDIST_MIN_NS,
	.check		= hrt_check,
	.start		= timer_start,
	.arm		= timer_arm,
	.disarm		= timer_disarm,
	.before_idle	= timer_before_idle,
	.explain	= hrt_explain,
	.record		= hrt_record,
};

const struct idle_latency_source_ops idle_latency_tdt = {
	.id		= IDLE_LATENCY_SOURCE_TDT,
	.ldist_min_ns	= IDLE_LATENCY_LDIST_MIN_NS,
	.check		= tdt_check,
	.start		= timer_start,
	.arm		= timer_arm,
	.disarm		= timer_disarm,
	.before_idle	= timer_before_idle,
	.explain	= tdt_explain,
	.record		= tdt_record,
};
