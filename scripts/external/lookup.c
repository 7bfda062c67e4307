// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the driver needs of cpuidle, for kernels that do not export it.
 */
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/printk.h>

#include <asm/cpufeature.h>
#include <asm/msr.h>

/* Where cpuidle_devices cannot be found, no CPU has a device. */
static DEFINE_PER_CPU(struct cpuidle_device *, no_devices);

static struct cpuidle_device * __percpu *devices;

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

/**
 * compat_cpuidle_devices() - find cpuidle_devices
 *
 * Context: any but the first time, which is before a first session forces a state: process
 * context, without a lock of cpuidle.
 * Return: the per-CPU variable, or one without devices.
 */
struct cpuidle_device * __percpu *compat_cpuidle_devices(void)
{
	if (devices)
		return devices;

	devices = (void __percpu *)find_symbol("cpuidle_devices");
	if (!devices) {
		pr_warn("idle_latency: cpuidle_devices cannot be found, no state can be forced\n");
		devices = &no_devices;
	}

	return devices;
}
