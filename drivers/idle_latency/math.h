/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _IDLE_LATENCY_MATH_H
#define _IDLE_LATENCY_MATH_H

#include <linux/types.h>

/**
 * struct idle_latency_cross - the clock of a source and the TSC, read together
 * @tsc: the TSC, in cycles
 * @clock_ns: the clock of the source, in ns
 * @error_cyc: the clock was read within this many TSC cycles of @tsc
 * @drift_ppm: bound on the difference between the rates of the two clocks
 */
struct idle_latency_cross {
	u64 tsc;
	u64 clock_ns;
	u32 error_cyc;
	u32 drift_ppm;
};

/**
 * struct idle_latency_event - all that was seen of one armed event
 * @cross: the clock of the source against the TSC, read near the wake-up
 * @tsc_khz: rate of the TSC
 * @entry_ns: what the CPU may need from TBI to the idle instruction, in ns: whoever is
 *	interrupted in between never was idle
 * @ltime_ns: LTime, in ns of the clock of the source
 * @tbi_tsc: TBI, in TSC cycles
 * @tai_tsc: TAI, in TSC cycles
 * @tintr_tsc: TIntr, in TSC cycles
 * @reasons: what else than the stamps speaks against the event, a bit for each of
 *	&enum idle_latency_discard
 * @idle_periods: idle periods that began after the event was armed
 * @irqs: interrupts since the last of them began, including the event's own
 *	and those that were pending then
 * @timer_irqs: how many of them were of the CPU's own timer
 * @handled: the handler has run: @cross and @tintr_tsc are valid
 * @ltime_known: @ltime_ns is valid
 * @own_timer: the event is one of the CPU's own timer
 * @timer_later: the CPU's own timer was programmed for the event, or for a time after
 *	LTime, so that no interrupt of it ended the idle period before the event did
 * @timer_pending: an interrupt of that timer was pending when the last of them began, and
 *	ended it at once
 * @card_pending: likewise an interrupt of the card
 * @woken: a task was to run when the last idle period ended
 * @polls: the state polls: it is left when a task is to run, which the handler
 *	brings about, or after a time, but not because of an interrupt
 */
struct idle_latency_event {
	struct idle_latency_cross cross;
	u32 tsc_khz;
	u32 entry_ns;
	u64 ltime_ns;
	u64 tbi_tsc;
	u64 tai_tsc;
	u64 tintr_tsc;
	u32 reasons;
	u32 idle_periods;
	u32 irqs;
	u32 timer_irqs;
	bool handled;
	bool ltime_known;
	bool own_timer;
	bool timer_later;
	bool timer_pending;
	bool card_pending;
	bool woken;
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

u64 idle_latency_cyc_to_ns(u64 cyc, u32 khz);
s64 idle_latency_cyc_diff_ns(u64 from, u64 to, u32 khz);
struct idle_latency_cross idle_latency_cross_between(u64 before, u64 clock_ns,
						     u64 after, u32 drift_ppm);
void idle_latency_cross_widen_cyc(struct idle_latency_cross *cross, u64 cyc);
void idle_latency_cross_widen(struct idle_latency_cross *cross, u32 ns, u32 khz);
u32 idle_latency_crystal_ns(u32 denominator, u32 numerator, u32 hz, u32 khz);
bool idle_latency_cross_agrees(const struct idle_latency_cross *cross,
			       const struct idle_latency_cross *first, u32 khz);
void idle_latency_cross_stretch(struct idle_latency_cross *cross,
				const struct idle_latency_cross *first, u64 anchor_ns,
				u32 khz);
bool idle_latency_nic_time_ns(u32 sec, u32 nsec, u64 *ns);
void idle_latency_nic_split_ns(u64 ns, u32 *sec, u32 *nsec);
u64 idle_latency_project(const struct idle_latency_cross *cross, u64 tsc, u32 khz);
u64 idle_latency_project_error(const struct idle_latency_cross *cross, u64 tsc,
			       u32 khz);
u64 idle_latency_choose_ldist(u64 from_ns, u64 to_ns, u64 random);
bool idle_latency_residency_cyc(u64 begin, u64 end, u32 count_cyc, u64 interval_cyc,
				u64 *residency_cyc);
bool idle_latency_reached(u64 residency_cyc, s64 silent_ns, u64 entry_ns, u32 khz);
u32 idle_latency_core_counter(u32 hint, u32 present);
u32 idle_latency_package_counter(u32 hint, u32 present);
int idle_latency_acpi_hint(const char *desc);
u32 idle_latency_prewake_flags(int hint, bool can_prewake, bool prevented);
bool idle_latency_timer_is_later(const struct idle_latency_event *event,
				 const struct idle_latency_cross *monotonic, u64 timer_ns);
u32 idle_latency_judge(const struct idle_latency_event *event,
		       struct idle_latency_times *times);

#endif /* _IDLE_LATENCY_MATH_H */
