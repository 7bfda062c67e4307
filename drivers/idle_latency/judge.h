/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _IDLE_LATENCY_JUDGE_H
#define _IDLE_LATENCY_JUDGE_H

#include <linux/bits.h>
#include <linux/types.h>

#include <uapi/linux/idle_latency.h>

#include "convert.h"

/* Numbers of reasons and of counters, which are no part of the interface: both may grow. */
#define IDLE_LATENCY_DISCARD_MAX	(IDLE_LATENCY_DISCARD_EARLY_INTR + 1)
#define IDLE_LATENCY_RESIDENCY_MAX	(IDLE_LATENCY_RESIDENCY_C0 + 1)

/**
 * struct idle_latency_event - all that was seen of one armed event
 * @cross: the clock of the source against the TSC, read near the wake-up
 * @tsc_khz: rate of the TSC
 * @entry_ns: how long the CPU may need from TBI to the idle instruction, in ns; if it is
 *	interrupted before that instruction, it never was idle
 * @ltime_ns: LTime, in ns of the clock of the source
 * @tbi_cyc: TBI, in TSC cycles
 * @tai_cyc: TAI, in TSC cycles
 * @tintr_cyc: TIntr, in TSC cycles
 * @reasons: what else than the stamps speaks against the event, a bit for each of
 *	&enum idle_latency_discard
 * @idle_periods: idle periods that began after the event was armed
 * @irqs: interrupts since the last of them began, including the event's own
 *	and those that were pending then
 * @timer_irqs: how many of them were of the CPU's own timer
 * @handled: the handler has run: @cross and @tintr_cyc are valid
 * @ltime_known: @ltime_ns is valid
 * @own_timer: the event is one of the CPU's own timer
 * @no_interrupt: the event is no interrupt
 * @timer_later: the CPU's own timer was programmed for the event, or for a time after
 *	LTime, and so did not end the idle period before the event
 * @timer_pending: an interrupt of that timer was pending when the last of them began
 * @event_pending: likewise an interrupt of the source, if it is not that timer
 * @need_resched: a task was to run when the last idle period ended
 * @polls: the state polls: it is left when a task is to run, which the handler
 *	brings about, or after a time, but not because of an interrupt
 */
struct idle_latency_event {
	struct idle_latency_cross cross;
	u32 tsc_khz;
	u32 entry_ns;
	u64 ltime_ns;
	u64 tbi_cyc;
	u64 tai_cyc;
	u64 tintr_cyc;
	u32 reasons;
	u32 idle_periods;
	u32 irqs;
	u32 timer_irqs;
	bool handled;
	bool ltime_known;
	bool own_timer;
	bool no_interrupt;
	bool timer_later;
	bool timer_pending;
	bool event_pending;
	bool need_resched;
	bool polls;
};

/**
 * struct idle_latency_times - what an event says, believed or not, in ns
 * @silent_ns: LTime - TBI
 * @wake_ns: TAI - LTime
 * @intr_ns: TIntr - LTime
 * @error_ns: bound on the error of @wake_ns and @intr_ns, either way
 * @latency_ns: how long the CPU needed to come back, as far as the event tells: that is
 *	the time from LTime to TAI, or from TBI + @entry_ns of the event to TAI where LTime
 *	is earlier; in a state that is entered with interrupts enabled, to TIntr
 * @wake_valid: @silent_ns and @wake_ns are valid, else 0: the event fired between TBI
 *	and TAI, with interrupts disabled
 * @intr_valid: @intr_ns is valid, else 0: the handler ran after LTime
 * @latency_valid: @latency_ns is valid
 * @pending: the event had fired before TBI, so that the CPU did not wait for it
 */
struct idle_latency_times {
	u64 silent_ns;
	u64 wake_ns;
	u64 intr_ns;
	u64 error_ns;
	u64 latency_ns;
	bool wake_valid;
	bool intr_valid;
	bool latency_valid;
	bool pending;
};

static inline u32 reason_if(bool applies, enum idle_latency_discard reason)
{
	return applies ? BIT(reason) : 0;
}

bool idle_latency_timer_is_later(const struct idle_latency_event *event,
				 const struct idle_latency_cross *monotonic, u64 timer_ns);
u32 idle_latency_judge(const struct idle_latency_event *event,
		       struct idle_latency_times *times);

#endif /* _IDLE_LATENCY_JUDGE_H */
