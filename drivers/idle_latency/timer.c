// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the timer sources hrt and tdt share: the event is a high-resolution timer
 * on the measured CPU, handled in hard interrupt context.
 */
#include <linux/cpufeature.h>
#include <linux/hrtimer.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>

#include <asm/tsc.h>

#include "session.h"

/*
 * NTP corrects the rate of CLOCK_MONOTONIC by at most this; MAXFREQ in
 * include/linux/timex.h. That a program slews it faster is not allowed for.
 */
#define MONOTONIC_DRIFT_PPM	500

/*
 * A clocksource with long ticks makes a time that is up to one of them old: the one
 * read here, and the one from which the timer was programmed, which then fires late
 * by as much. The first makes a stamp too early, the second too late.
 */
static struct idle_latency_cross bracket_monotonic(void)
{
	struct idle_latency_cross cross;
	u64 before, after, ns;

	before = rdtsc_ordered();
	ns = ktime_get_ns();
	after = rdtsc_ordered();

	cross = idle_latency_cross_between(before, ns, after, MONOTONIC_DRIFT_PPM);
	/* The resolution is truncated. */
	idle_latency_cross_widen(&cross, ktime_get_resolution_ns() + 1, tsc_khz);
	return cross;
}

/* Where timekeeping reads the TSC, it can tell which TSC value makes the time. */
static struct idle_latency_cross cross_monotonic(void)
{
	struct system_time_snapshot now;

	ktime_get_snapshot_id(CLOCK_MONOTONIC, &now);
	if (!now.valid || now.cs_id != CSID_X86_TSC)
		return bracket_monotonic();

	return idle_latency_cross_between(now.cycles, ktime_to_ns(now.systime), now.cycles,
					  MONOTONIC_DRIFT_PPM);
}

static enum hrtimer_restart timer_handler(struct hrtimer *timer)
{
	/* First of all, as this is TIntr. */
	u64 tsc = rdtsc();
	struct idle_latency_session *session;
	struct idle_latency_shot *shot;

	session = container_of(timer, struct idle_latency_session, timer);
	shot = &session->shot;

	shot->tintr_tsc = tsc;
	shot->cross = cross_monotonic();
	idle_latency_event_handled(session);
	return HRTIMER_NORESTART;
}

/**
 * idle_latency_timer_start() - get the timer of a session ready
 * @session: the session
 *
 * Return: 0.
 */
int idle_latency_timer_start(struct idle_latency_session *session)
{
	hrtimer_setup(&session->timer, timer_handler, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_PINNED_HARD);
	return 0;
}

/**
 * idle_latency_timer_arm() - arm the event
 * @session: the session, with the launch distance in its shot
 *
 * A timer that is due when it is started fires at once.
 *
 * Context: armer.
 * Return: 0.
 */
int idle_latency_timer_arm(struct idle_latency_session *session)
{
	struct idle_latency_shot *shot = &session->shot;

	shot->expires = ktime_add_ns(ktime_get(), shot->ldist_ns);
	/* Before the timer starts: it may have fired when that returns. */
	WRITE_ONCE(shot->armed, true);
	hrtimer_start(&session->timer, shot->expires, HRTIMER_MODE_ABS_PINNED_HARD);
	return 0;
}

/**
 * idle_latency_timer_disarm() - make sure that no event is armed
 * @session: the session
 *
 * When it returns, the timer is not armed and its handler does not run.
 *
 * Context: armer.
 * Return: 0.
 */
int idle_latency_timer_disarm(struct idle_latency_session *session)
{
	hrtimer_cancel(&session->timer);
	return 0;
}

/**
 * idle_latency_timer_explain() - whose timer was programmed when idle began?
 * @session: the session
 * @event: where it goes
 *
 * cpuidle takes note of what the timer of the CPU is programmed to when it
 * enters a state. Anything earlier than the event is another timer; anything
 * later means that the timer of the event had fired.
 *
 * Context: armer, after the event was handled.
 */
void idle_latency_timer_explain(const struct idle_latency_session *session,
				struct idle_latency_event *event)
{
	ktime_t next = session->shot.idle.next_timer;

	event->foreign_timer = next < session->shot.expires;
	event->unarmed = next > session->shot.expires;
}

/**
 * idle_latency_timer_check() - can timers be a source on this machine?
 *
 * Return: 0, or -EOPNOTSUPP without high-resolution timers or without a TSC that
 * the kernel trusts.
 */
int idle_latency_timer_check(void)
{
	/* Without high resolution a timer waits for the next tick. */
	if (hrtimer_resolution >= TICK_NSEC)
		return -EOPNOTSUPP;

	if (!boot_cpu_has(X86_FEATURE_CONSTANT_TSC) || check_tsc_unstable())
		return -EOPNOTSUPP;

	return 0;
}
