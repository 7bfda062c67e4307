/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _IDLE_LATENCY_CONVERT_H
#define _IDLE_LATENCY_CONVERT_H

#include <linux/types.h>

#define PPM	1000000U

/**
 * struct idle_latency_cross - the clock of a source and the TSC, read together
 * @tsc: the TSC, in cycles
 * @clock_ns: the clock of the source, in ns
 * @error_cyc: the clock was read within this many TSC cycles of @tsc
 * @drift_ppm: bound on the difference between the rates of the two clocks
 * @known_ns: for so long before @tsc, what the rates differ by is taken out, and in @error_cyc
 */
struct idle_latency_cross {
	u64 tsc;
	u64 clock_ns;
	u32 error_cyc;
	u32 drift_ppm;
	u64 known_ns;
};

/**
 * struct idle_latency_skew - by how much the TSC of one CPU is ahead of that of another
 * @least_cyc: no less than this, in cycles; negative where it is behind
 * @most_cyc: no more than this
 */
struct idle_latency_skew {
	s64 least_cyc;
	s64 most_cyc;
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
void idle_latency_skew_init(struct idle_latency_skew *skew);
void idle_latency_skew_add(struct idle_latency_skew *skew, u64 before, u64 answer, u64 after);
u64 idle_latency_skew_most(const struct idle_latency_skew *skew);
bool idle_latency_nic_time_ns(u32 sec, u32 nsec, u64 *ns);
void idle_latency_nic_split_ns(u64 ns, u32 *sec, u32 *nsec);
u64 idle_latency_project(const struct idle_latency_cross *cross, u64 tsc, u32 khz);
u64 idle_latency_project_error(const struct idle_latency_cross *cross, u64 tsc,
			       u32 khz);
u64 idle_latency_choose_ldist(u64 from_ns, u64 to_ns, u64 random);

#endif /* _IDLE_LATENCY_CONVERT_H */
