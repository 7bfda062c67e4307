// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpuidle_force_state() for kernels that do not have it.
 *
 * The limit of idle injection does what is needed: while a CPU has one, it enters the
 * deepest state whose exit latency is within the limit, no governor is asked, PM QoS
 * does not matter, and the tick is stopped. States that user space has disabled are
 * not entered, and nothing here writes to what the "disable" attributes show.
 *
 * Idle injection on the CPU removes the limit. Forcing the state again, which fails
 * with -EBUSY otherwise, tells.
 */
#include <linux/atomic.h>
#include <linux/cpuidle.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/smp.h>

#include <asm/cpufeature.h>
#include <asm/msr.h>

/* Not exported. Found once, before there is a first session that forces a state. */
static struct cpuidle_device * __percpu *devices;

/* What cpuidle_force_state() has set, or 0. */
static DEFINE_PER_CPU(u64, forced_limit_ns);

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
 * compat_cpuidle_device() - the cpuidle device of a CPU
 * @cpu: a possible CPU
 *
 * Context: any, after a state was forced once.
 * Return: the device, or NULL where there is none or none can be found.
 */
struct cpuidle_device *compat_cpuidle_device(unsigned int cpu)
{
	return devices ? *per_cpu_ptr(devices, cpu) : NULL;
}

/**
 * compat_state_is_forced() - is the limit still the one of the state?
 * @dev: the cpuidle device of this CPU
 *
 * Context: preemption disabled.
 * Return: whether it is.
 */
bool compat_state_is_forced(const struct cpuidle_device *dev)
{
	u64 limit_ns = this_cpu_read(forced_limit_ns);

	return limit_ns && READ_ONCE(dev->forced_idle_latency_limit_ns) == limit_ns;
}

/* As find_deepest_state() of the kernel does it. */
static int find_deepest_state(const struct cpuidle_driver *drv,
			      const struct cpuidle_device *dev, u64 limit_ns)
{
	u64 deepest_ns = 0;
	int index = 0;

	for (int i = 1; i < drv->state_count; i++) {
		u64 exit_ns = drv->states[i].exit_latency_ns;

		if (dev->states_usage[i].disable || exit_ns <= deepest_ns ||
		    exit_ns > limit_ns)
			continue;

		deepest_ns = exit_ns;
		index = i;
	}

	return index;
}

static int set_limit(unsigned int cpu, int index)
{
	struct cpuidle_device *dev = compat_cpuidle_device(cpu);
	struct cpuidle_driver *drv = cpuidle_get_cpu_driver(dev);
	u64 limit_ns;

	if (!drv || !dev->enabled)
		return -ENODEV;

	if (index < 0 || index >= drv->state_count ||
	    dev->states_usage[index].disable & CPUIDLE_STATE_DISABLED_BY_DRIVER)
		return -EINVAL;

	if (READ_ONCE(dev->forced_idle_latency_limit_ns))
		return -EBUSY;

	/* POLL has an exit latency of 0, which means no limit. */
	limit_ns = max_t(u64, drv->states[index].exit_latency_ns, 1);
	if (find_deepest_state(drv, dev, limit_ns) != index)
		return -EOPNOTSUPP;

	per_cpu(forced_limit_ns, cpu) = limit_ns;
	WRITE_ONCE(dev->forced_idle_latency_limit_ns, limit_ns);
	return 0;
}

/**
 * cpuidle_force_state() - make a CPU enter one idle state and no other
 * @cpu: a possible CPU
 * @index: index of the state
 *
 * Context: process context. May sleep. Calls are serialised by the caller.
 * Return: as in kernels that have it, and -EOPNOTSUPP when the CPU would enter another
 * state than this, because user space has disabled it, or because another one has the
 * same exit latency.
 */
int cpuidle_force_state(unsigned int cpu, int index)
{
	int err;

	if (!devices)
		devices = (void __percpu *)find_symbol("cpuidle_devices");

	cpuidle_pause_and_lock();
	err = set_limit(cpu, index);
	cpuidle_resume_and_unlock();
	return err;
}

static void wake(void *unused)
{
}

/**
 * cpuidle_unforce_state() - undo cpuidle_force_state()
 * @cpu: the CPU
 *
 * Context: process context. May sleep. Calls are serialised by the caller.
 */
void cpuidle_unforce_state(unsigned int cpu)
{
	struct cpuidle_device *dev;

	cpuidle_pause_and_lock();
	/* Unless it is that of idle injection by now. */
	dev = compat_cpuidle_device(cpu);
	if (dev)
		cmpxchg64(&dev->forced_idle_latency_limit_ns,
			  per_cpu(forced_limit_ns, cpu), 0);
	per_cpu(forced_limit_ns, cpu) = 0;
	cpuidle_resume_and_unlock();

	/* An idle CPU asks its governor again, which may want the tick or another state. */
	smp_call_function_single(cpu, wake, NULL, 1);
}
