// SPDX-License-Identifier: GPL-2.0-only
/*
 * The arithmetic of an idle latency measurement: from TSC stamps to times on
 * the clock of the event source, and the decision whether they can be believed.
 *
 * Nothing here reads hardware, sleeps or takes a lock. All functions can be
 * called from any context.
 */
#include <linux/bits.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/overflow.h>

#include <uapi/linux/idle_latency.h>

#include "math.h"

#define NS_PER_MS	1000000ULL
#define NS_PER_SEC	1000000000U
#define PPM		1000000U

/**
 * idle_latency_cyc_to_ns() - convert a number of TSC cycles
 * @cyc: cycles
 * @khz: rate of the TSC, not zero
 *
 * The cycles are split into whole milliseconds and a rest below @khz, so that
 * the products stay within 64 bits whatever the uptime: @khz cycles are 1 ms.
 *
 * Return: ns, rounded down; U64_MAX where they do not fit into 64 bits, which
 * takes a TSC below 1 GHz and 584 years.
 */
u64 idle_latency_cyc_to_ns(u64 cyc, u32 khz)
{
	u64 ms, ns;
	u32 rest;

	ms = div_u64_rem(cyc, khz, &rest);
	if (check_mul_overflow(ms, NS_PER_MS, &ns) ||
	    check_add_overflow(ns, div_u64(rest * NS_PER_MS, khz), &ns))
		return U64_MAX;

	return ns;
}
EXPORT_SYMBOL_GPL(idle_latency_cyc_to_ns);

/**
 * idle_latency_cyc_diff_ns() - time from one TSC stamp to another
 * @from: the one, in cycles
 * @to: the other, in cycles
 * @khz: rate of the TSC, not zero
 *
 * Stamps less than 2^63 cycles apart are told apart correctly, also across a
 * wrap of the counter.
 *
 * Return: @to - @from in ns, rounded towards zero; negative where @to is the
 * earlier stamp; limited to S64_MAX either way.
 */
s64 idle_latency_cyc_diff_ns(u64 from, u64 to, u32 khz)
{
	s64 diff = to - from;
	u64 ns;

	ns = idle_latency_cyc_to_ns(diff < 0 ? from - to : to - from, khz);
	ns = min_t(u64, ns, S64_MAX);

	return diff < 0 ? -(s64)ns : ns;
}
EXPORT_SYMBOL_GPL(idle_latency_cyc_diff_ns);

/**
 * idle_latency_cross_between() - a cross-timestamp from a bracketed reading
 * @before: TSC before the clock was read, in cycles
 * @clock_ns: the reading of the clock, in ns
 * @after: TSC after it, in cycles
 * @drift_ppm: bound on the difference between the rates of the two clocks
 *
 * The clock was read at some time between the two stamps. Taking the middle
 * assumes nothing about where: the error is half of the distance, either way.
 *
 * Return: the cross-timestamp.
 */
struct idle_latency_cross idle_latency_cross_between(u64 before, u64 clock_ns,
						     u64 after, u32 drift_ppm)
{
	u64 width = after - before;

	return (struct idle_latency_cross) {
		.tsc = before + width / 2,
		.clock_ns = clock_ns,
		.error_cyc = min_t(u64, width - width / 2, U32_MAX),
		.drift_ppm = drift_ppm,
	};
}
EXPORT_SYMBOL_GPL(idle_latency_cross_between);

/**
 * idle_latency_cross_widen_cyc() - add to the error of a cross-timestamp
 * @cross: cross-timestamp
 * @cyc: by what else the reading may be wrong, in TSC cycles
 */
void idle_latency_cross_widen_cyc(struct idle_latency_cross *cross, u64 cyc)
{
	cross->error_cyc = min_t(u64, cross->error_cyc + cyc, U32_MAX);
}
EXPORT_SYMBOL_GPL(idle_latency_cross_widen_cyc);

/**
 * idle_latency_cross_widen() - add to the error of a cross-timestamp
 * @cross: cross-timestamp
 * @ns: by what else the reading may be wrong, in ns
 * @khz: rate of the TSC
 */
void idle_latency_cross_widen(struct idle_latency_cross *cross, u32 ns, u32 khz)
{
	idle_latency_cross_widen_cyc(cross, div_u64((u64)ns * khz + NS_PER_MS - 1, NS_PER_MS));
}
EXPORT_SYMBOL_GPL(idle_latency_cross_widen);

/**
 * idle_latency_crystal_ns() - one tick of the crystal that the TSC is made of
 * @denominator: EAX of CPUID 15H
 * @numerator: EBX of it: the TSC has @numerator cycles in @denominator ticks
 * @hz: ECX of it, 0 where it does not tell the rate
 * @khz: rate of the TSC
 *
 * Return: the tick in ns, rounded up, or 0 where CPUID tells nothing of it.
 */
u32 idle_latency_crystal_ns(u32 denominator, u32 numerator, u32 hz, u32 khz)
{
	u64 rate = hz;

	if (!hz && numerator)
		rate = div_u64((u64)khz * 1000 * denominator, numerator);

	return rate ? DIV64_U64_ROUND_UP(NS_PER_SEC, rate) : 0;
}
EXPORT_SYMBOL_GPL(idle_latency_crystal_ns);

/**
 * idle_latency_cross_agrees() - can two cross-timestamps be of the same clock?
 * @cross: cross-timestamp of now
 * @first: an earlier one
 * @khz: rate of the TSC, not zero
 *
 * Return: true; false when the clocks have come apart by more than the drift of @cross
 * and the errors of both readings allow, because one of them has jumped.
 */
bool idle_latency_cross_agrees(const struct idle_latency_cross *cross,
			       const struct idle_latency_cross *first, u32 khz)
{
	u64 clock_ns = cross->clock_ns - first->clock_ns;
	u64 tsc_ns = idle_latency_cyc_to_ns(cross->tsc - first->tsc, khz);
	u64 apart_ns = clock_ns > tsc_ns ? clock_ns - tsc_ns : tsc_ns - clock_ns;
	u64 error_cyc = (u64)cross->error_cyc + first->error_cyc;

	return apart_ns <= mul_u64_u32_div(tsc_ns, cross->drift_ppm, PPM) +
			   idle_latency_cyc_to_ns(error_cyc, khz) + 2;
}
EXPORT_SYMBOL_GPL(idle_latency_cross_agrees);

/**
 * idle_latency_cross_stretch() - take out that a clock runs fast or slow
 * @cross: cross-timestamp of now
 * @first: an earlier one of the same clock
 * @anchor_ns: time of the clock to stretch around, in ns
 * @khz: rate of the TSC, not zero
 *
 * From @first to @cross the clock advanced by c and the TSC by t, both in ns. The
 * time from @anchor_ns to @cross is c/t times as long on the clock as it is by the
 * TSC. Afterwards it is as long as by the TSC. By how much c/t can be wrong, because
 * of the errors of both readings, is added to the error.
 *
 * Nothing is done where one of the clocks has jumped, nor where @anchor_ns is not
 * between both readings.
 */
void idle_latency_cross_stretch(struct idle_latency_cross *cross,
				const struct idle_latency_cross *first, u64 anchor_ns,
				u32 khz)
{
	u64 clock_ns = cross->clock_ns - first->clock_ns;
	u64 distance_ns = cross->clock_ns - anchor_ns;
	u64 tsc_cyc = cross->tsc - first->tsc;
	u64 tsc_ns = idle_latency_cyc_to_ns(tsc_cyc, khz);
	u64 error_cyc;

	if (!idle_latency_cross_agrees(cross, first, khz))
		return;
	if (!distance_ns || distance_ns > clock_ns || distance_ns > tsc_ns)
		return;

	error_cyc = (u64)first->error_cyc + cross->error_cyc;
	error_cyc = mul_u64_u64_div_u64(distance_ns, error_cyc, tsc_ns) + 1;
	cross->clock_ns = anchor_ns + mul_u64_u64_div_u64(distance_ns, tsc_ns, clock_ns);
	cross->error_cyc = min_t(u64, cross->error_cyc + error_cyc, U32_MAX);
}
EXPORT_SYMBOL_GPL(idle_latency_cross_stretch);

/**
 * idle_latency_nic_time_ns() - time of a card's clock from its two registers
 * @sec: whole seconds
 * @nsec: the rest, in ns
 * @ns: where the time goes, in ns; it fits for as long as 32 bits of seconds do
 *
 * Return: true; false when the rest is not below a second, as in a read of a card
 * that does not answer; *@ns is zero then.
 */
bool idle_latency_nic_time_ns(u32 sec, u32 nsec, u64 *ns)
{
	*ns = 0;
	if (nsec >= NS_PER_SEC)
		return false;

	*ns = sec * (u64)NS_PER_SEC + nsec;
	return true;
}
EXPORT_SYMBOL_GPL(idle_latency_nic_time_ns);

/**
 * idle_latency_nic_split_ns() - undo idle_latency_nic_time_ns()
 * @ns: time of the card's clock, in ns
 * @sec: where the whole seconds go; they wrap like the card's register
 * @nsec: where the rest goes, in ns
 */
void idle_latency_nic_split_ns(u64 ns, u32 *sec, u32 *nsec)
{
	*sec = div_u64_rem(ns, NS_PER_SEC, nsec);
}
EXPORT_SYMBOL_GPL(idle_latency_nic_split_ns);

/**
 * idle_latency_project() - express a TSC stamp in the clock of the source
 * @cross: cross-timestamp
 * @tsc: the stamp, in cycles
 * @khz: rate of the TSC, not zero
 *
 * Return: ns of the clock of the source.
 */
u64 idle_latency_project(const struct idle_latency_cross *cross, u64 tsc, u32 khz)
{
	return cross->clock_ns + idle_latency_cyc_diff_ns(cross->tsc, tsc, khz);
}
EXPORT_SYMBOL_GPL(idle_latency_project);

/**
 * idle_latency_project_error() - how wrong a projected stamp can be
 * @cross: cross-timestamp
 * @tsc: the stamp, in cycles
 * @khz: rate of the TSC, not zero
 *
 * Three things add up: the reading of the clock is only known to lie within
 * @cross->error_cyc of @cross->tsc; the clocks may drift apart on the way from
 * there to the stamp; and each of the conversions to ns, of the distance here
 * and of the launch time by the source, may lose up to 1 ns.
 *
 * Return: bound on the error of idle_latency_project(), in ns, either way.
 */
u64 idle_latency_project_error(const struct idle_latency_cross *cross, u64 tsc,
			       u32 khz)
{
	s64 distance_ns = idle_latency_cyc_diff_ns(cross->tsc, tsc, khz);
	u64 drift_ns, error_ns;

	drift_ns = mul_u64_u32_div(abs(distance_ns), cross->drift_ppm, PPM);
	if (cross->drift_ppm)
		drift_ns++;

	error_ns = idle_latency_cyc_to_ns(cross->error_cyc, khz);
	if (cross->error_cyc)
		error_ns++;

	return error_ns + drift_ns + 2;
}
EXPORT_SYMBOL_GPL(idle_latency_project_error);

/**
 * idle_latency_choose_ldist() - choose a launch distance
 * @from_ns: smallest, in ns
 * @to_ns: largest, in ns, not below @from_ns
 * @random: 64 random bits
 *
 * Return: a launch distance, uniform from @from_ns to @to_ns, both included.
 */
u64 idle_latency_choose_ldist(u64 from_ns, u64 to_ns, u64 random)
{
	u64 range = to_ns - from_ns + 1;

	/* The whole of 64 bits was asked for. */
	if (!range)
		return random;

	return from_ns + mul_u64_u64_shr(random, range, 64);
}
EXPORT_SYMBOL_GPL(idle_latency_choose_ldist);

/**
 * idle_latency_residency_cyc() - residency from two readings of a counter
 * @begin: first reading
 * @end: second reading; the counter may have wrapped once
 * @count_cyc: TSC cycles that one count stands for
 * @interval_cyc: TSC cycles around both readings
 * @residency_cyc: where the residency goes, in TSC cycles
 *
 * A counter that advances once in @count_cyc may show one count more than the
 * interval is long. Anything above that is not a residency, and is not made to
 * look like one.
 *
 * Return: true when the residency is possible; else *@residency_cyc is zero.
 */
bool idle_latency_residency_cyc(u64 begin, u64 end, u32 count_cyc, u64 interval_cyc,
				u64 *residency_cyc)
{
	u64 cyc, most;

	*residency_cyc = 0;
	if (check_add_overflow(interval_cyc, (u64)count_cyc - 1, &most) ||
	    check_mul_overflow(end - begin, (u64)count_cyc, &cyc) || cyc > most)
		return false;

	*residency_cyc = cyc;
	return true;
}
EXPORT_SYMBOL_GPL(idle_latency_residency_cyc);

/**
 * idle_latency_reached() - was the CPU in the state when the event fired?
 * @residency_cyc: how long the counter says that it was, in TSC cycles
 * @silent_ns: SilentTime, in ns
 * @entry_ns: within this time after TBI the CPU may still have been on its way, in ns
 * @khz: rate of the TSC, not zero
 *
 * A counter that only advanced does not tell: the core may have been in the state and
 * have left it before the event, for a sibling that woke up.
 *
 * Return: true when it was for all of the rest of SilentTime; else false.
 */
bool idle_latency_reached(u64 residency_cyc, s64 silent_ns, u64 entry_ns, u32 khz)
{
	/* The conversion may lose up to 1 ns. */
	return residency_cyc && silent_ns > 0 &&
	       idle_latency_cyc_to_ns(residency_cyc, khz) + 1 + entry_ns >= silent_ns;
}
EXPORT_SYMBOL_GPL(idle_latency_reached);

/* Which core state an MWAIT hint asks for: 0 for C1, 1 for C3, 2 for C6, ... */
static u32 hint_level(u32 hint)
{
	return hint >> 4;
}

static u32 counter_if_present(u32 counter, u32 present)
{
	return present & BIT(counter) ? counter : IDLE_LATENCY_RESIDENCY_NONE;
}

/**
 * idle_latency_core_counter() - the counter of the core state that is asked for
 * @hint: MWAIT hint, bits 7 to 4 the state less one, bits 3 to 0 the sub-state (Intel
 *	SDM volume 2B, "MWAIT"); C3 of cpuidle is 0x10, C6 is 0x20, C7 and deeper 0x30
 *	and above
 * @present: counters of the CPU, a bit for each of &enum
 *	idle_latency_residency_counter
 *
 * What is deeper than C7 counts as C7, and as C6 where the core has no counter for C7
 * (turbostat(8): CC7 includes C8 to C10).
 *
 * Return: one of &enum idle_latency_residency_counter, or
 * %IDLE_LATENCY_RESIDENCY_NONE.
 */
u32 idle_latency_core_counter(u32 hint, u32 present)
{
	switch (hint_level(hint)) {
	case 0:
		return counter_if_present(IDLE_LATENCY_RESIDENCY_CC1, present);
	case 1:
		return counter_if_present(IDLE_LATENCY_RESIDENCY_CC3, present);
	case 2:
		return counter_if_present(IDLE_LATENCY_RESIDENCY_CC6, present);
	default:
		if (present & BIT(IDLE_LATENCY_RESIDENCY_CC7))
			return IDLE_LATENCY_RESIDENCY_CC7;
		return counter_if_present(IDLE_LATENCY_RESIDENCY_CC6, present);
	}
}
EXPORT_SYMBOL_GPL(idle_latency_core_counter);

/**
 * idle_latency_package_counter() - the counter of the package state that goes with a hint
 * @hint: MWAIT hint, as above
 * @present: counters of the CPU, as above
 *
 * A package can get to the state of its shallowest core.
 *
 * Return: as idle_latency_core_counter().
 */
u32 idle_latency_package_counter(u32 hint, u32 present)
{
	static const u32 by_level[] = {
		[1] = IDLE_LATENCY_RESIDENCY_PC3,
		[2] = IDLE_LATENCY_RESIDENCY_PC6,
		[3] = IDLE_LATENCY_RESIDENCY_PC7,
		[4] = IDLE_LATENCY_RESIDENCY_PC8,
		[5] = IDLE_LATENCY_RESIDENCY_PC9,
		[6] = IDLE_LATENCY_RESIDENCY_PC10,
	};
	u32 level = hint_level(hint);

	if (!level || level >= ARRAY_SIZE(by_level))
		return IDLE_LATENCY_RESIDENCY_NONE;

	return counter_if_present(by_level[level], present);
}
EXPORT_SYMBOL_GPL(idle_latency_package_counter);

/**
 * idle_latency_acpi_hint() - the MWAIT hint of a state of acpi_idle
 * @desc: its description, see acpi_processor_ffh_cstate_probe()
 *
 * Return: the hint, or -1 where the state is not entered with MWAIT.
 */
int idle_latency_acpi_hint(const char *desc)
{
	unsigned int address;

	if (sscanf(desc, "ACPI FFH MWAIT 0x%x", &address) != 1)
		return -1;

	return address & 0xff;
}
EXPORT_SYMBOL_GPL(idle_latency_acpi_hint);

/**
 * idle_latency_prewake_flags() - does the CPU wake up ahead of its timers?
 * @hint: MWAIT hint of the state, as above, negative where nobody knows
 * @can_prewake: it is of a model that can
 * @prevented: its firmware prevents that
 *
 * In C1 and C1E nothing is switched off that would take time to come back.
 *
 * Return: IDLE_LATENCY_STATE_* bits, 0 where nobody knows.
 */
u32 idle_latency_prewake_flags(int hint, bool can_prewake, bool prevented)
{
	if (!hint_level(hint))
		return IDLE_LATENCY_STATE_NO_PREWAKE;
	if (!can_prewake)
		return 0;

	return prevented ? IDLE_LATENCY_STATE_NO_PREWAKE : IDLE_LATENCY_STATE_PREWAKE;
}
EXPORT_SYMBOL_GPL(idle_latency_prewake_flags);

/* Does the handler run before the first instruction after idle? */
static bool irqs_enabled_in_idle(const struct idle_latency_event *event)
{
	return (s64)(event->tai_tsc - event->tintr_tsc) > 0;
}

static u32 reason_if(bool applies, enum idle_latency_discard reason)
{
	return applies ? BIT(reason) : 0;
}

/*
 * Is there an interrupt that may have ended the idle period and is not the event's? The
 * CPU's own timer is none when it was not due before the event. Where the timer event
 * itself is not counted as one of that timer, another device makes it.
 */
static bool foreign_irq(const struct idle_latency_event *event)
{
	u32 expected = event->own_timer && event->timer_irqs ? 0 : 1;

	if (!event->timer_later || event->timer_pending)
		return event->irqs > 1;

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
	/* Where the handler ran before, it has woken the armer. */
	reasons |= reason_if(event->woken && !irqs_enabled_in_idle(event),
			     IDLE_LATENCY_DISCARD_WOKEN);
	return reasons;
}

/* The stamps are from one counter, so their order is known without error. */
static bool stamps_in_order(const struct idle_latency_event *event)
{
	return (s64)(event->tai_tsc - event->tbi_tsc) >= 0 &&
	       (s64)(event->tintr_tsc - event->tbi_tsc) >= 0;
}

/* How much later than the event a stamp is, in ns. */
static s64 after_event(const struct idle_latency_event *event, u64 tsc)
{
	return idle_latency_project(&event->cross, tsc, event->tsc_khz) - event->ltime_ns;
}

static u64 event_error(const struct idle_latency_event *event)
{
	return max(idle_latency_project_error(&event->cross, event->tai_tsc,
					      event->tsc_khz),
		   idle_latency_project_error(&event->cross, event->tintr_tsc,
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
	u64 tai_ns = idle_latency_project(monotonic, event->tai_tsc, event->tsc_khz);
	u64 error_ns = idle_latency_project_error(monotonic, event->tai_tsc,
						  event->tsc_khz) +
		       idle_latency_project_error(&event->cross, event->tai_tsc,
						  event->tsc_khz);
	s64 until_tai = after_event(event, event->tai_tsc);
	u32 drift_ppm = monotonic->drift_ppm + event->cross.drift_ppm;

	error_ns += mul_u64_u32_div(abs(until_tai), drift_ppm, PPM);
	if (drift_ppm)
		error_ns++;

	return (s64)(timer_ns - (tai_ns - until_tai)) > (s64)error_ns;
}
EXPORT_SYMBOL_GPL(idle_latency_timer_is_later);

/*
 * The error of TBI is added: an event of which it is not known whether it fired before
 * the CPU was idle is none to believe.
 */
static bool fired_before_idle(const struct idle_latency_event *event)
{
	s64 silent_ns = -after_event(event, event->tbi_tsc);

	return silent_ns <= event->entry_ns +
	       (s64)idle_latency_project_error(&event->cross, event->tbi_tsc, event->tsc_khz);
}

static u32 judge_stamps(const struct idle_latency_event *event)
{
	bool irqs_enabled = irqs_enabled_in_idle(event);
	u32 reasons;

	if (!stamps_in_order(event))
		return BIT(IDLE_LATENCY_DISCARD_STAMPS);
	if (!event->ltime_known)
		return 0;

	/* What was pending is the event itself, or it was another timer that fired. */
	reasons = reason_if(event->own_timer && event->timer_pending &&
			    after_event(event, event->tbi_tsc) < 0,
			    IDLE_LATENCY_DISCARD_FOREIGN_TIMER);
	reasons |= reason_if(fired_before_idle(event), IDLE_LATENCY_DISCARD_BEFORE_IDLE);
	reasons |= reason_if(after_event(event, event->tai_tsc) < 0 ||
			     (event->polls && !irqs_enabled),
			     IDLE_LATENCY_DISCARD_AFTER_IDLE);
	reasons |= reason_if(after_event(event, event->tintr_tsc) < 0,
			     IDLE_LATENCY_DISCARD_EARLY_INTR);
	return reasons;
}

/*
 * How long the CPU needs for an event that fired before the idle instruction, in ns. It
 * does not wake the CPU, but is pending when that instruction begins, so that all that
 * follows is the way back. What comes before is the way into idle, and none of the state's.
 */
static u64 pending_ns(const struct idle_latency_event *event)
{
	u64 end_tsc = irqs_enabled_in_idle(event) ? event->tintr_tsc : event->tai_tsc;
	s64 idle_ns = idle_latency_cyc_diff_ns(event->tbi_tsc, end_tsc, event->tsc_khz);

	return max(idle_ns - event->entry_ns, 0);
}

/*
 * Did the idle instruction find the interrupt of the event pending? In a state that is
 * entered with interrupts enabled, what follows TBI contains the handler.
 */
static bool found_pending(const struct idle_latency_event *event)
{
	bool pending = event->own_timer ? event->timer_pending : event->card_pending;

	return pending && !irqs_enabled_in_idle(event) &&
	       (!event->ltime_known || after_event(event, event->tbi_tsc) >= 0);
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
	s64 silent_ns = -after_event(event, event->tbi_tsc);
	s64 wake_ns = after_event(event, event->tai_tsc);
	s64 intr_ns = after_event(event, event->tintr_tsc);

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
EXPORT_SYMBOL_GPL(idle_latency_judge);
