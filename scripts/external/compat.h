/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an unmodified distribution kernel, from v6.1 on, lacks of what the driver
 * uses. Only the build outside of the kernel tree includes this.
 */
#ifndef _IDLE_LATENCY_COMPAT_H
#define _IDLE_LATENCY_COMPAT_H

#include <linux/cpuidle.h>
#include <linux/hrtimer.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>
#include <linux/version.h>

#include <asm/hardirq.h>
#include <asm/msr.h>

#include "models.h"

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock_id, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock_id, mode);
	timer->function = function;
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
#define rdmsrq(msr, val)		rdmsrl(msr, val)
#define wrmsrq(msr, val)		wrmsrl(msr, val)
#define rdmsrq_safe(msr, val)		rdmsrl_safe(msr, val)
#define rdmsrq_safe_on_cpu		rdmsrl_safe_on_cpu
#define native_rdmsrq(msr)		__rdmsr(msr)
#endif

/*
 * The interrupt counters of a CPU became an array with v7.0. Before, they are
 * members of the same type that follow each other, the first of which counts
 * NMIs; the padding after the last is zero.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)
#define COMPAT_IRQ_COUNTS_TO(offset)	(((offset) - offsetof(irq_cpustat_t, __nmi_count)) / \
					 sizeof(unsigned int))
enum {
	IRQ_COUNT_NMI,
	IRQ_COUNT_APIC_TIMER = COMPAT_IRQ_COUNTS_TO(offsetof(irq_cpustat_t, apic_timer_irqs)),
	IRQ_COUNT_MAX = COMPAT_IRQ_COUNTS_TO(sizeof(irq_cpustat_t)),
};

struct compat_irq_stat {
	unsigned int counts[IRQ_COUNT_MAX];
};

#define irq_cpustat_t	struct compat_irq_stat
#define irq_stat	(*(struct compat_irq_stat __percpu *)&irq_stat.__nmi_count)
#endif

/* No snapshot of CLOCK_MONOTONIC: never valid, the driver does without. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 3, 0)
struct compat_time_snapshot {
	u64 cycles;
	ktime_t systime;
	int cs_id;
	bool valid;
};

static inline void compat_get_snapshot_id(clockid_t clock_id,
					  struct compat_time_snapshot *snapshot)
{
	*snapshot = (struct compat_time_snapshot) { };
}

#define system_time_snapshot	compat_time_snapshot
#define ktime_get_snapshot_id	compat_get_snapshot_id
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 9, 0)
#define CSID_X86_TSC		CSID_MAX
#endif
#endif

#ifndef kzalloc_obj
#define kzalloc_obj(obj)	((typeof(obj) *)kzalloc(sizeof(obj), GFP_KERNEL))
#endif

/* force.c */
struct cpuidle_device *compat_cpuidle_device(unsigned int cpu);
bool compat_state_is_forced(const struct cpuidle_device *dev);
int cpuidle_force_state(unsigned int cpu, int index);
void cpuidle_unforce_state(unsigned int cpu);

#endif /* _IDLE_LATENCY_COMPAT_H */
