// SPDX-License-Identifier: GPL-2.0-only
/*
 * Conversions: from cycles of the TSC to ns, and from the TSC to the clock of the event
 * source and back, each with a bound on its error.
 *
 * Nothing here reads hardware, sleeps or takes a lock. All functions can be called from any
 * context.
 */
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/overflow.h>
#include <linux/time64.h>

#include "convert.h"

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
	if (check_mul_overflow(ms, NSEC_PER_MSEC, &ns) ||
	    check_add_overflow(ns, div_u64((u64)rest * NSEC_PER_MSEC, khz), &ns))
		return U64_MAX;

	return ns;
}

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

/**
 * idle_latency_cross_widen_cyc() - add to the error of a cross-timestamp
 * @cross: cross-timestamp
 * @cyc: by what else the reading may be wrong, in TSC cycles
 */
void idle_latency_cross_widen_cyc(struct idle_latency_cross *cross, u64 cyc)
{
	cross->error_cyc = min_t(u64, cross->error_cyc + cyc, U32_MAX);
}

/**
 * idle_latency_cross_widen() - add to the error of a cross-timestamp
 * @cross: cross-timestamp
 * @ns: by what else the reading may be wrong, in ns
 * @khz: rate of the TSC
 */
void idle_latency_cross_widen(struct idle_latency_cross *cross, u32 ns, u32 khz)
{
	u64 cyc = div_u64((u64)ns * khz + NSEC_PER_MSEC - 1, NSEC_PER_MSEC);

	idle_latency_cross_widen_cyc(cross, cyc);
}

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

	return rate ? DIV64_U64_ROUND_UP(NSEC_PER_SEC, rate) : 0;
}

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
	cross->known_ns = mul_u64_u64_div_u64(distance_ns, tsc_ns, clock_ns);
	cross->clock_ns = anchor_ns + cross->known_ns;
	cross->error_cyc = min_t(u64, cross->error_cyc + error_cyc, U32_MAX);
}

/**
 * idle_latency_skew_init() - begin with knowing nothing of two TSCs
 * @skew: what will be known
 */
void idle_latency_skew_init(struct idle_latency_skew *skew)
{
	*skew = (struct idle_latency_skew) { .least_cyc = S64_MIN, .most_cyc = S64_MAX };
}

/**
 * idle_latency_skew_add() - learn from a question and its answer
 * @skew: what is known of the TSC that answers against the one that asks
 * @before: the TSC that asks, before it asked, in cycles
 * @answer: the TSC that answers, in cycles
 * @after: the TSC that asks, after it had the answer, in cycles
 *
 * The answer was read at some time between the other two readings: the way to the CPU that answers
 * and the way back each bound the difference from one side.
 */
void idle_latency_skew_add(struct idle_latency_skew *skew, u64 before, u64 answer, u64 after)
{
	skew->least_cyc = max(skew->least_cyc, (s64)(answer - after));
	skew->most_cyc = min(skew->most_cyc, (s64)(answer - before));
}

/**
 * idle_latency_skew_most() - how far the TSCs can be apart
 * @skew: what is known of them, of one answer at least
 *
 * Return: cycles, whichever of both is ahead.
 */
u64 idle_latency_skew_most(const struct idle_latency_skew *skew)
{
	return max(abs(skew->least_cyc), abs(skew->most_cyc));
}

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
	if (nsec >= NSEC_PER_SEC)
		return false;

	*ns = sec * (u64)NSEC_PER_SEC + nsec;
	return true;
}

/**
 * idle_latency_nic_split_ns() - undo idle_latency_nic_time_ns()
 * @ns: time of the card's clock, in ns
 * @sec: where the whole seconds go; they wrap like the card's register
 * @nsec: where the rest goes, in ns
 */
void idle_latency_nic_split_ns(u64 ns, u32 *sec, u32 *nsec)
{
	*sec = div_u64_rem(ns, NSEC_PER_SEC, nsec);
}

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

/**
 * idle_latency_project_error() - how wrong a projected stamp can be
 * @cross: cross-timestamp
 * @tsc: the stamp, in cycles
 * @khz: rate of the TSC, not zero
 *
 * Three things add up: the reading of the clock is only known to lie within
 * @cross->error_cyc of @cross->tsc; the clocks may drift apart on the way from
 * there to the stamp, where idle_latency_cross_stretch() has not taken that out;
 * and each of the conversions to ns, of the distance here and of the launch time
 * by the source, may lose up to 1 ns.
 *
 * Return: bound on the error of idle_latency_project(), in ns, either way.
 */
u64 idle_latency_project_error(const struct idle_latency_cross *cross, u64 tsc,
			       u32 khz)
{
	s64 distance_ns = idle_latency_cyc_diff_ns(cross->tsc, tsc, khz);
	u64 away_ns = abs(distance_ns), drift_ns, error_ns;

	if (distance_ns < 0)
		away_ns -= min(away_ns, cross->known_ns);
	drift_ns = mul_u64_u32_div(away_ns, cross->drift_ppm, PPM);
	if (cross->drift_ppm)
		drift_ns++;

	error_ns = idle_latency_cyc_to_ns(cross->error_cyc, khz);
	if (cross->error_cyc)
		error_ns++;

	return error_ns + drift_ns + 2;
}

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
