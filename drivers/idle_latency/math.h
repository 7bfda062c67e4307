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
 * @ltime_ns: LTime, in ns of the clock of the source
 * @tbi_tsc: TBI, in TSC cycles
 * @tai_tsc: TAI, in TSC cycles
 * @tintr_tsc: TIntr, in TSC cycles
 * @idle_periods: idle periods that began after the event was armed
 * @irqs: interrupts since the last of them began, including the event's own
 *	and those that were pending then
 * @nmis: NMIs since the last of them began
 * @smis: SMIs likewise
 * @spurious: interrupts of the source since the event was armed that were not
 *	the event's
 * @stopped: the session ended before the event was handled
 * @late: LTime had passed before the event was armed
 * @lost: the event did not fire in time
 * @other_cpu: the event was handled on another CPU than the measured one
 * @other_state: another idle state was entered than the configured one
 * @untrusted_tsc: the kernel does not trust the TSC any more
 * @foreign_timer: another timer was to fire first when idle began
 * @unarmed: the timer of the event was no longer armed when idle began
 * @woken: a task was to run when the last idle period ended
 * @polls: the state polls: it is left when a task is to run, which the handler
 *	brings about, or after a time, but not because of an interrupt
 */
struct idle_latency_event {
	struct idle_latency_cross cross;
	u32 tsc_khz;
	u64 ltime_ns;
	u64 tbi_tsc;
	u64 tai_tsc;
	u64 tintr_tsc;
	u32 idle_periods;
	u32 irqs;
	u32 nmis;
	u32 smis;
	u32 spurious;
	bool stopped;
	bool late;
	bool lost;
	bool other_cpu;
	bool other_state;
	bool untrusted_tsc;
	bool foreign_timer;
	bool unarmed;
	bool woken;
	bool polls;
};

/**
 * struct idle_latency_times - what a believed event says, in ns
 * @silent_ns: LTime - TBI
 * @wake_ns: TAI - LTime
 * @intr_ns: TIntr - LTime
 * @error_ns: bound on the error of @wake_ns and @intr_ns, either way
 * @wake_valid: interrupts were disabled during idle, so that TAI is the end of
 *	the wake-up and @wake_ns is valid
 */
struct idle_latency_times {
	u64 silent_ns;
	u64 wake_ns;
	u64 intr_ns;
	u64 error_ns;
	bool wake_valid;
};

u64 idle_latency_cyc_to_ns(u64 cyc, u32 khz);
s64 idle_latency_cyc_diff_ns(u64 from, u64 to, u32 khz);
struct idle_latency_cross idle_latency_cross_between(u64 before, u64 clock_ns,
						     u64 after, u32 drift_ppm);
void idle_latency_cross_widen(struct idle_latency_cross *cross, u32 ns, u32 khz);
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
int idle_latency_judge(const struct idle_latency_event *event,
		       struct idle_latency_times *times);

#endif /* _IDLE_LATENCY_MATH_H */
