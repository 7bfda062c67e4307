/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an unmodified distribution kernel, from v6.1 on, lacks of what the driver
 * uses. Only the build outside of the kernel tree includes this.
 */
#ifndef _IDLE_LATENCY_COMPAT_H
#define _IDLE_LATENCY_COMPAT_H

#include <linux/bits.h>
#include <linux/cleanup.h>
#include <linux/cpu.h>
#include <linux/cpufeature.h>
#include <linux/cpuidle.h>
#include <linux/hrtimer.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>
#include <linux/version.h>

#include <asm/apic.h>
#include <asm/hardirq.h>
#include <asm/msr.h>

#include "models.h"

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
DEFINE_LOCK_GUARD_0(cpus_read_lock, cpus_read_lock(), cpus_read_unlock())
#endif

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
#define wrmsrq_safe(msr, val)		wrmsrl_safe(msr, val)
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
#ifdef CONFIG_X86_POSTED_MSI
	IRQ_COUNT_POSTED_MSI_NOTIFICATION =
		COMPAT_IRQ_COUNTS_TO(offsetof(irq_cpustat_t, posted_msi_notification_count)),
#endif
	IRQ_COUNT_MAX = COMPAT_IRQ_COUNTS_TO(sizeof(irq_cpustat_t)),
};

struct compat_irq_stat {
	unsigned int counts[IRQ_COUNT_MAX];
};

#define irq_cpustat_t	struct compat_irq_stat
#define irq_stat	(*(struct compat_irq_stat __percpu *)&irq_stat.__nmi_count)
#endif

/* What the series adds to arch/x86 or exports to the driver. */
#define read_irq_stat(index)	this_cpu_read(irq_stat.counts[IRQ_COUNT_##index])

#undef arch_irq_stat_cpu
#define arch_irq_stat_cpu	compat_irq_stat_cpu
static inline u64 compat_irq_stat_cpu(unsigned int cpu)
{
	const irq_cpustat_t *stat = per_cpu_ptr(&irq_stat, cpu);
	u64 sum = 0;

	for (int i = 0; i < IRQ_COUNT_MAX; i++)
		sum += READ_ONCE(stat->counts[i]);

	return sum;
}

/* Always inlined, as idle states must not call what can be traced. */
static __always_inline u32 compat_read_irr(unsigned int reg)
{
	const unsigned int offset = APIC_IRR + reg * 0x10;

	if (x2apic_mode)
		return native_rdmsrq(APIC_BASE_MSR + (offset >> 4));

	return READ_ONCE(*(u32 *)(APIC_BASE + offset));
}

#define is_vector_pending	compat_vector_pending
static inline bool compat_vector_pending(unsigned int vector)
{
	return boot_cpu_has(X86_FEATURE_APIC) &&
	       compat_read_irr(vector / 32) & BIT(vector % 32);
}

/* Timer and IPIs are in the last of the registers, exceptions in the first. */
#define lapic_irq_pending	compat_irq_pending
static __always_inline bool compat_irq_pending(void)
{
	u32 pending = compat_read_irr(7);

	for (unsigned int reg = 1; reg < 7 && !pending; reg++)
		pending = compat_read_irr(reg);

	return pending;
}

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

/* What scripts/external/stamps.c notes of an idle period for limit.c. */
struct cpuidle_stamps {
	u64 limit_ns;
};

/* lookup.c */
struct cpuidle_device * __percpu *compat_cpuidle_devices(void);
struct mutex *compat_cpuidle_lock(void);
#define cpuidle_devices			(*compat_cpuidle_devices())
#define cpuidle_lock_devices()		mutex_lock(compat_cpuidle_lock())
#define cpuidle_unlock_devices()	mutex_unlock(compat_cpuidle_lock())

#endif /* _IDLE_LATENCY_COMPAT_H */
