/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _IDLE_LATENCY_MODEL_H
#define _IDLE_LATENCY_MODEL_H

#include <linux/bits.h>
#include <linux/types.h>

/* MSR_IA32_POWER_CTL: no wake-up ahead of timers, where the CPU can do that; see pepc(1). */
#define IDLE_LATENCY_NO_PREWAKE		BIT_ULL(30)
/* MSR_IA32_POWER_CTL: a request for C1 enters C1E; intel_idle clears it. */
#define IDLE_LATENCY_C1E_PROMOTION	BIT_ULL(1)
/* MSR_PKG_CST_CONFIG_CONTROL: what limits the package cannot be written until a reset. */
#define IDLE_LATENCY_LIMIT_LOCK		BIT_ULL(15)
/* The same: the CPU may enter C1 or C3 where a deeper state is asked for. */
#define IDLE_LATENCY_C3_DEMOTION	BIT_ULL(25)
#define IDLE_LATENCY_C1_DEMOTION	BIT_ULL(26)

/* In the limits of a model: nobody has said what the value means, or nothing limits the package. */
#define IDLE_LATENCY_LIMIT_UNKNOWN	0xff
#define IDLE_LATENCY_LIMIT_NONE		0xfe

/**
 * struct idle_latency_model - which settings of the firmware a model of CPU has
 * @limit_mask: the bits of MSR_PKG_CST_CONFIG_CONTROL that limit the package, from bit 0 on;
 *	0 where they are not known, and of a CPU of which nothing is
 * @limits: by the value of these bits, the number of the deepest package state
 * @demotion: the bits of the same register that let the CPU enter a shallower state
 * @prewake: the CPU can wake up ahead of its timers; source: pepc(1)
 * @table_follows: where the package cannot get to C6, intel_idle declares the exit
 *	latency without it: skx_idle_state_table_update(), spr_idle_state_table_update()
 * @own_package_state: only the states whose hint has bit 0 set let the package get to C6,
 *	such as C6P beside C6: drop_pc6_redundant_cstates() in intel_idle.c
 * @own_module_state: only the states whose hint has bit 1 set, such as C6S, have the cores
 *	of a module flush the cache that they share, so that it gets to C6; source: pepc
 */
struct idle_latency_model {
	u32 limit_mask;
	const u8 *limits;
	u32 demotion;
	bool prewake;
	bool table_follows;
	bool own_package_state;
	bool own_module_state;
};

#endif /* _IDLE_LATENCY_MODEL_H */
