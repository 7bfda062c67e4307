// SPDX-License-Identifier: GPL-2.0-only
/*
 * Make a CPU enter one idle state by the limit of idle injection.
 *
 * While a CPU has one, it enters the deepest state whose exit latency is within the limit,
 * no governor is asked, PM QoS does not matter, and the tick is stopped. States that user
 * space has disabled are not entered, and nothing here writes to what the "disable"
 * attributes show.
 *
 * Idle injection on the CPU removes the limit. To find out, force the state again: -EBUSY means
 * that it is still forced, and success that it was not.
 */
#include <linux/atomic.h>
#include <linux/cpuidle.h>
#include <linux/percpu.h>
#include <linux/smp.h>

#include "limit.h"
#include "x86.h"

/* What idle_latency_force_state() has set, or 0. */
static DEFINE_PER_CPU(u64, forced_limit_ns);

static int set_limit(struct cpuidle_device *dev, unsigned int cpu, int index)
{
	struct cpuidle_driver *drv = cpuidle_get_cpu_driver(dev);
	u64 limit_ns;

	if (!drv || !dev || !dev->enabled)
		return -ENODEV;

	if (index < 0 || index >= drv->state_count ||
	    dev->states_usage[index].disable & CPUIDLE_STATE_DISABLED_BY_DRIVER)
		return -EINVAL;

	limit_ns = idle_latency_find_limit(drv, dev, index);
	if (!limit_ns)
		return -EOPNOTSUPP;

	/* Idle injection sets its own on that CPU. */
	if (cmpxchg64(&dev->forced_idle_latency_limit_ns, 0, limit_ns))
		return -EBUSY;

	WRITE_ONCE(per_cpu(forced_limit_ns, cpu), limit_ns);
	return 0;
}

/**
 * idle_latency_force_state() - make a CPU enter one idle state and no other
 * @cpu: a possible CPU
 * @index: index of the state
 *
 * Context: process context. May sleep. Of two callers for a CPU, one gets -EBUSY.
 * Return: 0; -ENODEV when @cpu has no enabled cpuidle device; -EINVAL when the state does not
 * exist or its driver has disabled it; -EOPNOTSUPP when no limit leads to it, or no longer, as
 * user space may disable states; -EBUSY when a state is forced already, or idle is injected.
 */
int idle_latency_force_state(unsigned int cpu, int index)
{
	int err;

	/* No device goes meanwhile. To pause cpuidle for that would interrupt all CPUs. */
	cpuidle_lock_devices();
	err = set_limit(per_cpu(cpuidle_devices, cpu), cpu, index);
	cpuidle_unlock_devices();
	return err;
}

/* Unless the limit is that of idle injection by now. */
static void take_back(void *data)
{
	const unsigned int cpu = *(unsigned int *)data;
	struct cpuidle_device *dev = per_cpu(cpuidle_devices, cpu);

	if (dev)
		cmpxchg64(&dev->forced_idle_latency_limit_ns,
			  per_cpu(forced_limit_ns, cpu), 0);
	WRITE_ONCE(per_cpu(forced_limit_ns, cpu), 0);
}

/**
 * idle_latency_unforce_state() - undo idle_latency_force_state()
 * @cpu: the CPU
 *
 * Context: process context. May sleep. Only who has forced the state calls it.
 */
void idle_latency_unforce_state(unsigned int cpu)
{
	cpuidle_lock_devices();
	/*
	 * On the CPU, which is not between two looks at the limit then, and asks its governor again
	 * when it was idle: that may want the tick or another state.
	 */
	if (smp_call_function_single(cpu, take_back, &cpu, 1))
		take_back(&cpu);
	cpuidle_unlock_devices();
}

/**
 * idle_latency_was_forced() - was the state forced with which an idle period began?
 * @session: the session that has forced one
 * @stamps: what cpuidle says of the idle period
 *
 * Context: any.
 * Return: whether it was.
 */
bool idle_latency_was_forced(const struct idle_latency_session *session,
			     const struct cpuidle_stamps *stamps)
{
	u64 limit_ns = READ_ONCE(per_cpu(forced_limit_ns, session->config.cpu));

	return limit_ns && stamps->limit_ns == limit_ns;
}
