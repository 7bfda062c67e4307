/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _IDLE_LATENCY_SIM_SPEC_H
#define _IDLE_LATENCY_SIM_SPEC_H

#include <linux/types.h>

/* Longest name of a state, with its terminating zero: CPUIDLE_NAME_LEN. */
#define SIM_NAME_LEN	16

/* Longest declared or actual latency: a second is a typing error. */
#define SIM_LATENCY_MAX_NS	1000000000U

/**
 * struct sim_spec - one simulated idle state
 * @name: its name
 * @declared_ns: the exit latency that it declares, in ns
 * @actual_ns: the exit latency that it has, in ns
 * @spread_ns: up to this much more, uniformly random, in ns
 * @outlier_every: each so many entries are outliers, 0 for none
 * @outlier_ns: exit latency of an outlier, in ns
 * @demote_every: each so many entries enter the next shallower simulated state
 *	instead, 0 for none
 * @reject_every: each so many entries are rejected, 0 for none
 * @mwait: a task that another CPU wakes ends it without an interrupt
 * @irqs: interrupts are enabled while the CPU comes back
 */
struct sim_spec {
	char name[SIM_NAME_LEN];
	u32 declared_ns;
	u32 actual_ns;
	u32 spread_ns;
	u32 outlier_every;
	u32 outlier_ns;
	u32 demote_every;
	u32 reject_every;
	bool mwait;
	bool irqs;
};

int idle_latency_sim_parse(const char *text, struct sim_spec *specs, unsigned int max);

#endif /* _IDLE_LATENCY_SIM_SPEC_H */
