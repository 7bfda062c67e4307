// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the driver needs of cpuidle, for kernels that do not export it.
 */
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/printk.h>

#include <asm/cpufeature.h>
#include <asm/msr.h>

/* Where one of cpuidle_devices and cpuidle_lock cannot be found, no CPU has a device. */
static DEFINE_PER_CPU(struct cpuidle_device *, no_devices);
static DEFINE_MUTEX(no_lock);

static DEFINE_MUTEX(find_lock);
static struct cpuidle_device * __percpu *devices;
static struct mutex *devices_lock;

/*
 * The function was never meant to be called through a pointer, so that it may not
 * begin with the instruction that a CPU with indirect branch tracking looks for.
 */
static unsigned long call_lookup(unsigned long (*lookup)(const char *name),
				 const char *name)
{
	unsigned long address, flags;
	u64 cet;

	if (!cpu_feature_enabled(X86_FEATURE_IBT))
		return lookup(name);

	local_irq_save(flags);
	rdmsrq(MSR_IA32_S_CET, cet);
	wrmsrq(MSR_IA32_S_CET, cet & ~CET_ENDBR_EN);
	address = lookup(name);
	wrmsrq(MSR_IA32_S_CET, cet);
	local_irq_restore(flags);

	return address;
}

static unsigned long find_symbol(const char *name)
{
	struct kprobe probe = { .symbol_name = "kallsyms_lookup_name" };

	if (register_kprobe(&probe))
		return 0;

	unregister_kprobe(&probe);
	return call_lookup((void *)probe.addr, name);
}

static void find_devices(void)
{
	struct cpuidle_device * __percpu *found;

	guard(mutex)(&find_lock);

	if (devices)
		return;

	found = (void __percpu *)find_symbol("cpuidle_devices");
	devices_lock = (void *)find_symbol("cpuidle_lock");
	if (!found || !devices_lock) {
		pr_warn("idle_latency: cpuidle_devices cannot be found, no state can be forced\n");
		found = &no_devices;
		devices_lock = &no_lock;
	}

	/* Who sees it sees the lock, too. */
	smp_store_release(&devices, found);
}

/**
 * compat_cpuidle_devices() - find cpuidle_devices
 *
 * Context: any but the first time, which is before a first session forces a state: process
 * context, without a lock of cpuidle.
 * Return: the per-CPU variable, or one without devices.
 */
struct cpuidle_device * __percpu *compat_cpuidle_devices(void)
{
	/* Pairs with find_devices(). */
	if (!smp_load_acquire(&devices))
		find_devices();

	return devices;
}

/**
 * compat_cpuidle_lock() - find the lock of what compat_cpuidle_devices() returns
 *
 * Context: as for compat_cpuidle_devices().
 * Return: the lock, under which no device is added or goes.
 */
struct mutex *compat_cpuidle_lock(void)
{
	compat_cpuidle_devices();
	return devices_lock;
}
