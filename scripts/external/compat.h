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
#include <asm/cpu_device_id.h>
#include <asm/hardirq.h>
#include <asm/intel-family.h>
#include <asm/msr.h>

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

/* Models of Intel CPUs by the names of v7.3, all of which are missing before v6.10. */
#ifndef INTEL_NEHALEM
#define IFM(family, model)		VFM_MAKE(X86_VENDOR_INTEL, family, model)

#define INTEL_NEHALEM_EP		IFM(6, 0x1A)
#define INTEL_NEHALEM			IFM(6, 0x1E)
#define INTEL_WESTMERE			IFM(6, 0x25)
#define INTEL_SANDYBRIDGE		IFM(6, 0x2A)
#define INTEL_WESTMERE_EP		IFM(6, 0x2C)
#define INTEL_SANDYBRIDGE_X		IFM(6, 0x2D)
#define INTEL_NEHALEM_EX		IFM(6, 0x2E)
#define INTEL_WESTMERE_EX		IFM(6, 0x2F)
#define INTEL_ATOM_SILVERMONT		IFM(6, 0x37)
#define INTEL_IVYBRIDGE			IFM(6, 0x3A)
#define INTEL_HASWELL			IFM(6, 0x3C)
#define INTEL_BROADWELL			IFM(6, 0x3D)
#define INTEL_IVYBRIDGE_X		IFM(6, 0x3E)
#define INTEL_HASWELL_X			IFM(6, 0x3F)
#define INTEL_HASWELL_L			IFM(6, 0x45)
#define INTEL_HASWELL_G			IFM(6, 0x46)
#define INTEL_BROADWELL_G		IFM(6, 0x47)
#define INTEL_ATOM_AIRMONT		IFM(6, 0x4C)
#define INTEL_ATOM_SILVERMONT_D		IFM(6, 0x4D)
#define INTEL_SKYLAKE_L			IFM(6, 0x4E)
#define INTEL_BROADWELL_X		IFM(6, 0x4F)
#define INTEL_SKYLAKE_X			IFM(6, 0x55)
#define INTEL_BROADWELL_D		IFM(6, 0x56)
#define INTEL_XEON_PHI_KNL		IFM(6, 0x57)
#define INTEL_ATOM_GOLDMONT		IFM(6, 0x5C)
#define INTEL_SKYLAKE			IFM(6, 0x5E)
#define INTEL_ATOM_GOLDMONT_D		IFM(6, 0x5F)
#define INTEL_CANNONLAKE_L		IFM(6, 0x66)
#define INTEL_ICELAKE_X			IFM(6, 0x6A)
#define INTEL_ICELAKE_D			IFM(6, 0x6C)
#define INTEL_ATOM_AIRMONT_NP		IFM(6, 0x75)
#define INTEL_ATOM_GOLDMONT_PLUS	IFM(6, 0x7A)
#define INTEL_ICELAKE			IFM(6, 0x7D)
#define INTEL_ICELAKE_L			IFM(6, 0x7E)
#define INTEL_XEON_PHI_KNM		IFM(6, 0x85)
#define INTEL_ATOM_TREMONT_D		IFM(6, 0x86)
#define INTEL_TIGERLAKE_L		IFM(6, 0x8C)
#define INTEL_TIGERLAKE			IFM(6, 0x8D)
#define INTEL_KABYLAKE_L		IFM(6, 0x8E)
#define INTEL_SAPPHIRERAPIDS_X		IFM(6, 0x8F)
#define INTEL_ATOM_TREMONT		IFM(6, 0x96)
#define INTEL_ALDERLAKE			IFM(6, 0x97)
#define INTEL_ALDERLAKE_L		IFM(6, 0x9A)
#define INTEL_ATOM_TREMONT_L		IFM(6, 0x9C)
#define INTEL_KABYLAKE			IFM(6, 0x9E)
#define INTEL_COMETLAKE			IFM(6, 0xA5)
#define INTEL_COMETLAKE_L		IFM(6, 0xA6)
#define INTEL_ROCKETLAKE		IFM(6, 0xA7)
#define INTEL_METEORLAKE_L		IFM(6, 0xAA)
#define INTEL_METEORLAKE		IFM(6, 0xAC)
#define INTEL_GRANITERAPIDS_X		IFM(6, 0xAD)
#define INTEL_GRANITERAPIDS_D		IFM(6, 0xAE)
#define INTEL_ATOM_CRESTMONT_X		IFM(6, 0xAF)
#define INTEL_ARROWLAKE_U		IFM(6, 0xB5)
#define INTEL_ATOM_CRESTMONT		IFM(6, 0xB6)
#define INTEL_RAPTORLAKE		IFM(6, 0xB7)
#define INTEL_RAPTORLAKE_P		IFM(6, 0xBA)
#define INTEL_LUNARLAKE_M		IFM(6, 0xBD)
#define INTEL_ATOM_GRACEMONT		IFM(6, 0xBE)
#define INTEL_RAPTORLAKE_S		IFM(6, 0xBF)
#define INTEL_ARROWLAKE_H		IFM(6, 0xC5)
#define INTEL_ARROWLAKE			IFM(6, 0xC6)
#define INTEL_PANTHERLAKE_L		IFM(6, 0xCC)
#define INTEL_EMERALDRAPIDS_X		IFM(6, 0xCF)
#define INTEL_ATOM_DARKMONT_X		IFM(6, 0xDD)
#endif

/* The newest are also missing later. */
#ifndef INTEL_DIAMONDRAPIDS_X
#define INTEL_DIAMONDRAPIDS_X		IFM(19, 0x01)
#endif
#ifndef INTEL_NOVALAKE
#define INTEL_NOVALAKE			IFM(18, 0x01)
#endif
#ifndef INTEL_NOVALAKE_L
#define INTEL_NOVALAKE_L		IFM(18, 0x03)
#endif
#ifndef INTEL_WILDCATLAKE_L
#define INTEL_WILDCATLAKE_L		IFM(6, 0xD5)
#endif

#endif /* _IDLE_LATENCY_COMPAT_H */
