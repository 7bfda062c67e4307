/* SPDX-License-Identifier: GPL-2.0 */
/* What the firmware allows the idle states of Intel CPUs, in MSRs. */
#ifndef POWER_MSR_H
#define POWER_MSR_H

#include <stdbool.h>

#include <linux/types.h>

#define MSR_PKG_CST_CONFIG_CONTROL	0xe2
#define CST_CONFIG_C3_DEMOTION		25
#define CST_CONFIG_C1_DEMOTION		26

#define MSR_POWER_CTL			0x1fc
#define POWER_CTL_C1E_PROMOTION		1
/* Set: off. What "--cstate-prewake" of Intel's pepc changes. */
#define POWER_CTL_NO_PREWAKE		30

struct power_model;

/*
 * Whether the bits above are known to mean this on a CPU: the model, or NULL.
 * All three as /proc/cpuinfo has them.
 */
const struct power_model *power_model(const char *vendor, const char *family,
				      const char *model);

/* The deepest package state that MSR_PKG_CST_CONFIG_CONTROL allows. */
const char *power_package_limit(const struct power_model *model,
				__u64 cst_config);

/* Returns NULL, or why the MSR of the CPU has no value. */
const char *power_msr_read(unsigned int cpu, unsigned int msr, __u64 *value);

#endif
