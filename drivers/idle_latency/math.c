// SPDX-License-Identifier: GPL-2.0-only
/*
 * The arithmetic of an idle latency measurement: from TSC stamps to times on
 * the clock of the event source, and the decision whether they can be believed.
 *
 * Nothing here reads hardware, sleeps or takes a lock. All functions can be
 * called from any context.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/module.h>
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
 * idle_latency_cross_widen() - add to the error of a cross-timestamp
 * @cross: cross-timestamp
 * @ns: by what else the reading may be wrong, in ns
 * @khz: rate of the TSC
 */
void idle_latency_cross_widen(struct idle_latency_cross *cross, u32 ns, u32 khz)
{
	u64 cyc = div_u64((u64)ns * khz + NS_PER_MS - 1, NS_PER_MS);

	cross->error_cyc = min_t(u64, cross->error_cyc + cyc, U32_MAX);
}
EXPORT_SYMBOL_GPL(idle_latency_cross_widen);

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

/* Does the handler run before the first instruction after idle? */
static bool irqs_enabled_in_idle(const struct idle_latency_event *event)
{
	return (s64)(event->tai_tsc - event->tintr_tsc) > 0;
}

/* What made the event worthless before any stamp is looked at, or -1. */
static int judge_circumstances(const struct idle_latency_event *event)
{
	if (event->stopped)
		return IDLE_LATENCY_DISCARD_STOPPED;
	if (event->spurious)
		return IDLE_LATENCY_DISCARD_SPURIOUS;
	if (event->late)
		return IDLE_LATENCY_DISCARD_LATE;
	if (event->lost)
		return IDLE_LATENCY_DISCARD_LOST;
	if (event->other_cpu)
		return IDLE_LATENCY_DISCARD_OTHER_CPU;
	if (!event->idle_periods)
		return IDLE_LATENCY_DISCARD_NO_IDLE;
	if (event->other_state)
		return IDLE_LATENCY_DISCARD_OTHER_STATE;
	if (event->untrusted_tsc)
		return IDLE_LATENCY_DISCARD_TSC;
	if (event->foreign_timer)
		return IDLE_LATENCY_DISCARD_FOREIGN_TIMER;
	if (event->irqs > 1)
		return IDLE_LATENCY_DISCARD_FOREIGN_IRQ;
	if (event->nmis)
		return IDLE_LATENCY_DISCARD_NMI;
	if (event->smis)
		return IDLE_LATENCY_DISCARD_SMI;
	/* Where the handler ran before, it has woken the armer. */
	if (event->woken && !irqs_enabled_in_idle(event))
		return IDLE_LATENCY_DISCARD_WOKEN;

	return -1;
}

/* The stamps are from one counter, so their order is known without error. */
static bool stamps_in_order(const struct idle_latency_event *event)
{
	return (s64)(event->tai_tsc - event->tbi_tsc) >= 0 &&
	       (s64)(event->tintr_tsc - event->tbi_tsc) >= 0;
}

static bool fired_before_idle(const struct idle_latency_event *event, s64 silent_ns)
{
	return silent_ns <= IDLE_LATENCY_ENTRY_NS +
	       (s64)idle_latency_project_error(&event->cross, event->tbi_tsc, event->tsc_khz);
}

static u64 event_error(const struct idle_latency_event *event)
{
	return max(idle_latency_project_error(&event->cross, event->tai_tsc,
					      event->tsc_khz),
		   idle_latency_project_error(&event->cross, event->tintr_tsc,
					      event->tsc_khz));
}

/**
 * idle_latency_judge() - decide whether an event can be believed
 * @event: all that was seen of the event
 * @times: where the times go; written only when the event is believed
 *
 * An event is believed when the CPU was idle in the configured state when the
 * event fired, TBI + %IDLE_LATENCY_ENTRY_NS < LTime <= TAI, and nothing else is
 * known to have ended the idle period first. The error of TBI is added to the left
 * side, as an event of which nothing is known is none to believe. Where the handler
 * ran before the CPU left idle, TAI cannot tell anything about the event, and
 * LTime <= TIntr takes its place.
 *
 * Return: -1 when the event is believed, else the reason to discard it, one of
 * &enum idle_latency_discard.
 */
int idle_latency_judge(const struct idle_latency_event *event,
		       struct idle_latency_times *times)
{
	bool irqs_enabled = irqs_enabled_in_idle(event);
	s64 silent_ns, wake_ns, intr_ns;
	int reason;

	reason = judge_circumstances(event);
	if (reason >= 0)
		return reason;

	if (!stamps_in_order(event))
		return IDLE_LATENCY_DISCARD_STAMPS;

	silent_ns = event->ltime_ns - idle_latency_project(&event->cross, event->tbi_tsc,
							   event->tsc_khz);
	wake_ns = idle_latency_project(&event->cross, event->tai_tsc, event->tsc_khz) -
		  event->ltime_ns;
	intr_ns = idle_latency_project(&event->cross, event->tintr_tsc, event->tsc_khz) -
		  event->ltime_ns;

	if (event->unarmed || fired_before_idle(event, silent_ns))
		return IDLE_LATENCY_DISCARD_BEFORE_IDLE;
	if (wake_ns < 0 || (event->polls && !irqs_enabled))
		return IDLE_LATENCY_DISCARD_AFTER_IDLE;
	if (intr_ns < 0)
		return IDLE_LATENCY_DISCARD_EARLY_INTR;

	*times = (struct idle_latency_times) {
		.silent_ns = silent_ns,
		.wake_ns = irqs_enabled ? 0 : wake_ns,
		.intr_ns = intr_ns,
		.error_ns = event_error(event),
		.wake_valid = !irqs_enabled,
	};
	return -1;
}
EXPORT_SYMBOL_GPL(idle_latency_judge);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Arithmetic of the idle latency measurement");
