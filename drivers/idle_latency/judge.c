// SPDX-License-Identifier: GPL-2.0-only
/*
 * The decision whether what was seen of an event can be believed, and the times that it says.
 *
 * Nothing here reads hardware, sleeps or takes a lock. All functions can be called from any
 * context.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/math64.h>

#include <uapi/linux/idle_latency.h>

#include "judge.h"

/* Does the handler run before the first instruction after idle? */
static bool irqs_enabled_in_idle(const struct idle_latency_event *event)
{
	return (s64)(event->tai_cyc - event->tintr_cyc) > 0;
}

/*
 * Returns whether an interrupt other than the event's own may have ended the idle period.
 * Interrupts of the CPU's own timer are ignored if that timer was not due before the event. If
 * the event is a timer that was not counted as an interrupt of the CPU's own timer, it came from
 * another device, and counts as one.
 */
static bool foreign_irq(const struct idle_latency_event *event)
{
	u32 expected = event->no_interrupt || (event->own_timer && event->timer_irqs) ? 0 : 1;

	if (!event->timer_later || event->timer_pending)
		return event->irqs > !event->no_interrupt;

	return event->irqs - event->timer_irqs > expected;
}

static u32 judge_circumstances(const struct idle_latency_event *event)
{
	u32 reasons = event->reasons;

	if (!event->handled)
		return reasons;
	/* What is counted since the last idle period began says nothing without one. */
	if (!event->idle_periods)
		return reasons | BIT(IDLE_LATENCY_DISCARD_NO_IDLE);

	reasons |= reason_if(foreign_irq(event), IDLE_LATENCY_DISCARD_FOREIGN_IRQ);
	/* A handler that ran before the CPU left idle has itself woken the armer. */
	reasons |= reason_if(event->need_resched && !irqs_enabled_in_idle(event),
			     IDLE_LATENCY_DISCARD_WOKEN);
	return reasons;
}

/* The stamps are from one counter, so their order is known without error. */
static bool stamps_in_order(const struct idle_latency_event *event)
{
	return (s64)(event->tai_cyc - event->tbi_cyc) >= 0 &&
	       (s64)(event->tintr_cyc - event->tbi_cyc) >= 0;
}

/* How much later than the event a stamp is, in ns. */
static s64 after_event(const struct idle_latency_event *event, u64 tsc)
{
	return idle_latency_project(&event->cross, tsc, event->tsc_khz) - event->ltime_ns;
}

static u64 event_error(const struct idle_latency_event *event)
{
	return max(idle_latency_project_error(&event->cross, event->tai_cyc,
					      event->tsc_khz),
		   idle_latency_project_error(&event->cross, event->tintr_cyc,
					      event->tsc_khz));
}

/**
 * idle_latency_timer_is_later() - was a timer due after the event?
 * @event: the event, with LTime and TAI
 * @monotonic: CLOCK_MONOTONIC against the TSC
 * @timer_ns: what the timer was programmed to, in ns of CLOCK_MONOTONIC
 *
 * TAI is what both clocks are compared by, as it is close to the event. On the way from
 * there to LTime they may drift apart.
 *
 * Return: true when the timer was due after LTime whatever the errors of both clocks
 * are; else false.
 */
bool idle_latency_timer_is_later(const struct idle_latency_event *event,
				 const struct idle_latency_cross *monotonic, u64 timer_ns)
{
	u64 tai_ns = idle_latency_project(monotonic, event->tai_cyc, event->tsc_khz);
	u64 error_ns = idle_latency_project_error(monotonic, event->tai_cyc,
						  event->tsc_khz) +
		       idle_latency_project_error(&event->cross, event->tai_cyc,
						  event->tsc_khz);
	s64 until_tai = after_event(event, event->tai_cyc);
	u32 drift_ppm = monotonic->drift_ppm + event->cross.drift_ppm;

	error_ns += mul_u64_u32_div(abs(until_tai), drift_ppm, PPM);
	if (drift_ppm)
		error_ns++;

	return (s64)(timer_ns - (tai_ns - until_tai)) > (s64)error_ns;
}

/*
 * The error of TBI is added, because an event is not believed when it may have fired before the
 * CPU was idle.
 */
static bool fired_before_idle(const struct idle_latency_event *event)
{
	s64 silent_ns = -after_event(event, event->tbi_cyc);

	return silent_ns <= event->entry_ns +
	       (s64)idle_latency_project_error(&event->cross, event->tbi_cyc, event->tsc_khz);
}

static u32 judge_stamps(const struct idle_latency_event *event)
{
	bool irqs_enabled = irqs_enabled_in_idle(event);
	u32 reasons;

	if (!stamps_in_order(event))
		return BIT(IDLE_LATENCY_DISCARD_STAMPS);
	if (!event->ltime_known)
		return 0;

	/*
	 * A timer interrupt was pending at TBI. If the event was not due yet, it belonged to
	 * another timer.
	 */
	reasons = reason_if(event->own_timer && event->timer_pending &&
			    after_event(event, event->tbi_cyc) < 0,
			    IDLE_LATENCY_DISCARD_FOREIGN_TIMER);
	reasons |= reason_if(fired_before_idle(event), IDLE_LATENCY_DISCARD_BEFORE_IDLE);
	reasons |= reason_if(after_event(event, event->tai_cyc) < 0 ||
			     (event->polls && !irqs_enabled),
			     IDLE_LATENCY_DISCARD_AFTER_IDLE);
	reasons |= reason_if(after_event(event, event->tintr_cyc) < 0,
			     IDLE_LATENCY_DISCARD_EARLY_INTR);
	return reasons;
}

/*
 * How long the CPU needs for an event that fired before the idle instruction, in ns. Its
 * interrupt is pending when that instruction begins and ends it at once, so that all that follows
 * is the way back. The time before that instruction is the way into idle, and is subtracted.
 */
static u64 pending_ns(const struct idle_latency_event *event)
{
	u64 end_tsc = irqs_enabled_in_idle(event) ? event->tintr_cyc : event->tai_cyc;
	s64 idle_ns = idle_latency_cyc_diff_ns(event->tbi_cyc, end_tsc, event->tsc_khz);

	return max(idle_ns - event->entry_ns, 0);
}

/*
 * Did the idle instruction find the interrupt of the event pending? In a state that is
 * entered with interrupts enabled, what follows TBI contains the handler.
 */
static bool found_pending(const struct idle_latency_event *event)
{
	bool pending = event->own_timer ? event->timer_pending : event->event_pending;

	return pending && !irqs_enabled_in_idle(event) &&
	       (!event->ltime_known || after_event(event, event->tbi_cyc) >= 0);
}

static void find_latency(const struct idle_latency_event *event, s64 wake_ns,
			 struct idle_latency_times *times)
{
	bool irqs_enabled = irqs_enabled_in_idle(event);

	times->latency_valid = irqs_enabled ? times->intr_valid : !event->polls && wake_ns >= 0;
	if (times->latency_valid)
		times->latency_ns = min(pending_ns(event),
					irqs_enabled ? times->intr_ns : wake_ns);
}

static void find_times(const struct idle_latency_event *event,
		       struct idle_latency_times *times)
{
	s64 silent_ns = -after_event(event, event->tbi_cyc);
	s64 wake_ns = after_event(event, event->tai_cyc);
	s64 intr_ns = after_event(event, event->tintr_cyc);

	times->error_ns = event_error(event);
	if (intr_ns >= 0) {
		times->intr_ns = intr_ns;
		times->intr_valid = true;
	}
	if (!irqs_enabled_in_idle(event) && !event->polls && silent_ns >= 0 && wake_ns >= 0) {
		times->silent_ns = silent_ns;
		times->wake_ns = wake_ns;
		times->wake_valid = true;
	}
	find_latency(event, wake_ns, times);
}

/**
 * idle_latency_judge() - decide whether an event can be believed
 * @event: all that was seen of the event
 * @times: where the times go; as far as the event has stamps, also when it is not
 *	believed
 *
 * An event is believed when the CPU was idle in the configured state when the
 * event fired, TBI + @entry_ns < LTime <= TAI, and nothing else is known
 * to have ended the idle period first. Where the handler ran before the CPU
 * left idle, TAI cannot tell anything about the event, and LTime <= TIntr takes its
 * place.
 *
 * Return: 0 when the event is believed, else the reasons to discard it, a bit for
 * each of &enum idle_latency_discard.
 */
u32 idle_latency_judge(const struct idle_latency_event *event,
		       struct idle_latency_times *times)
{
	u32 reasons = judge_circumstances(event);

	*times = (struct idle_latency_times) { };
	if (!event->handled || !event->idle_periods)
		return reasons;

	reasons |= judge_stamps(event);
	if (reasons & BIT(IDLE_LATENCY_DISCARD_STAMPS))
		return reasons;

	if (event->ltime_known) {
		find_times(event, times);
	} else {
		times->latency_ns = pending_ns(event);
		times->latency_valid = true;
	}
	times->pending = reasons & BIT(IDLE_LATENCY_DISCARD_BEFORE_IDLE) &&
			 found_pending(event);
	return reasons;
}
