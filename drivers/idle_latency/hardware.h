/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the sources of events, and the settings of the processor, read and write of the hardware.
 * All of it is inlined, as a call would add to what is between two stamps.
 */
#ifndef _IDLE_LATENCY_HARDWARE_H
#define _IDLE_LATENCY_HARDWARE_H

#include <linux/cpufeature.h>
#include <linux/hrtimer.h>
#include <linux/io.h>
#include <linux/jiffies.h>
#include <linux/security.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <linux/types.h>

#include <asm/msr.h>
#include <asm/tsc.h>

static __always_inline u64 hw_tsc(void)
{
	return rdtsc();
}

/* The TSC, read in order with the instructions before and after it. */
static __always_inline u64 hw_tsc_ordered(void)
{
	return rdtsc_ordered();
}

static inline u32 hw_tsc_khz(void)
{
	return tsc_khz;
}

/* Without high resolution a timer waits for the next tick. */
static inline bool hw_timers_have_resolution(void)
{
	return hrtimer_resolution < TICK_NSEC;
}

static inline bool hw_tsc_unstable(void)
{
	return check_tsc_unstable();
}

/* Does the TSC count at a constant rate, as far as the kernel knows? */
static inline bool hw_tsc_trusted(void)
{
	return boot_cpu_has(X86_FEATURE_CONSTANT_TSC) && !hw_tsc_unstable();
}

/*
 * Read CLOCK_MONOTONIC together with the TSC value that it was computed from. Returns false
 * where the clocksource is not the TSC.
 */
static __always_inline bool hw_tsc_of_monotonic(u64 *tsc, u64 *ns)
{
	struct system_time_snapshot now;

	ktime_get_snapshot_id(CLOCK_MONOTONIC, &now);
	*tsc = now.cycles;
	*ns = ktime_to_ns(now.systime);
	return now.valid && now.cs_id == CSID_X86_TSC;
}

/* The kernel clears the feature when it does not use the deadline. */
static inline bool hw_has_deadline(void)
{
	return boot_cpu_has(X86_FEATURE_TSC_DEADLINE_TIMER);
}

static __always_inline u64 hw_deadline(void)
{
	u64 tsc;

	rdmsrq(MSR_IA32_TSC_DEADLINE, tsc);
	return tsc;
}

/* Registers that have settings of the firmware. */
#define HW_CST_CONFIG	MSR_PKG_CST_CONFIG_CONTROL
#define HW_POWER_CTL	MSR_IA32_POWER_CTL

/* Returns 0 where such registers may be written, or a negative errno. */
static inline int hw_settings_allowed(void)
{
	if (boot_cpu_has(X86_FEATURE_HYPERVISOR))
		return -EOPNOTSUPP;

	return security_locked_down(LOCKDOWN_MSR) ? -EPERM : 0;
}

/* Both on the CPU that has the register; they return 0 or a negative errno. */
#define hw_read_setting(reg, value)	rdmsrq_safe(reg, value)
#define hw_write_setting(reg, value)	wrmsrq_safe(reg, value)

/* Calls a function on an online CPU with interrupts disabled there, and waits for its end. */
static inline void hw_call_on(unsigned int cpu, smp_call_func_t function, void *data)
{
	smp_call_function_single(cpu, function, data, 1);
}

static __always_inline u32 hw_readl(const void __iomem *address)
{
	return readl(address);
}

static __always_inline void hw_writel(u32 value, void __iomem *address)
{
	writel(value, address);
}

#endif /* _IDLE_LATENCY_HARDWARE_H */
