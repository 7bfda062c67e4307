// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hold one idle state as the only one that a CPU enters.
 *
 * The other states get a disable bit of our own, so that what user space writes
 * to their disable files in sysfs meanwhile is neither lost nor in the way. A held
 * state that user space had disabled is disabled again afterwards.
 */
#include <linux/cpuidle.h>
#include <linux/module.h>
#include <linux/percpu.h>

#include "session.h"

/*
 * Between cpuidle_pause_and_lock() and cpuidle_resume_and_unlock() devices and
 * drivers can neither come nor go.
 */
static int find_state(unsigned int cpu, unsigned int state,
		      struct cpuidle_device **dev, struct cpuidle_driver **drv)
{
	*dev = per_cpu(cpuidle_devices, cpu);
	*drv = cpuidle_get_cpu_driver(*dev);
	if (!*drv || !(*dev)->enabled)
		return -ENODEV;

	if (state >= (*drv)->state_count ||
	    (*dev)->states_usage[state].disable & CPUIDLE_STATE_DISABLED_BY_DRIVER)
		return -ENOENT;

	return 0;
}

/**
 * idle_latency_check_state() - can a state be held?
 * @cpu: a CPU that can exist
 * @state: index of the state
 *
 * Context: process context. May sleep.
 * Return: 0, -ENODEV when no cpuidle driver serves the CPU, or -ENOENT when it
 * has no such state or has marked it as unusable.
 */
int idle_latency_check_state(unsigned int cpu, unsigned int state)
{
	struct cpuidle_device *dev;
	struct cpuidle_driver *drv;
	int err;

	cpuidle_pause_and_lock();
	err = find_state(cpu, state, &dev, &drv);
	cpuidle_resume_and_unlock();
	return err;
}

static void disable_others(struct cpuidle_device *dev, struct cpuidle_driver *drv,
			   unsigned int state)
{
	for (int i = 0; i < drv->state_count; i++) {
		if (i != state)
			dev->states_usage[i].disable |= CPUIDLE_STATE_DISABLED_BY_HOLD;
	}
}

static bool enable_for_user(struct cpuidle_device *dev, unsigned int state)
{
	bool was_disabled = dev->states_usage[state].disable & CPUIDLE_STATE_DISABLED_BY_USER;

	dev->states_usage[state].disable &= ~CPUIDLE_STATE_DISABLED_BY_USER;
	return was_disabled;
}

/**
 * idle_latency_hold_state() - make a CPU enter one idle state and no other
 * @hold: filled in for idle_latency_unhold_state()
 * @cpu: a CPU that can exist
 * @state: index of the state; enabled if user space had disabled it
 *
 * The module of the cpuidle driver cannot be unloaded while the state is held.
 *
 * Context: process context. May sleep.
 * Return: 0, or an error as from idle_latency_check_state().
 */
int idle_latency_hold_state(struct idle_latency_hold *hold, unsigned int cpu,
			    unsigned int state)
{
	struct cpuidle_device *dev;
	struct cpuidle_driver *drv;
	int err;

	cpuidle_pause_and_lock();

	err = find_state(cpu, state, &dev, &drv);
	if (err)
		goto unlock;

	if (!try_module_get(drv->owner)) {
		err = -ENODEV;
		goto unlock;
	}

	hold->owner = drv->owner;
	hold->cpu = cpu;
	hold->state = state;
	hold->polls = drv->states[state].flags & CPUIDLE_FLAG_POLLING;
	hold->was_disabled = enable_for_user(dev, state);
	disable_others(dev, drv, state);

unlock:
	cpuidle_resume_and_unlock();
	return err;
}

/**
 * idle_latency_unhold_state() - let a CPU enter the idle states it did before
 * @hold: from idle_latency_hold_state()
 *
 * Context: process context. May sleep.
 */
void idle_latency_unhold_state(struct idle_latency_hold *hold)
{
	struct cpuidle_device *dev;

	cpuidle_pause_and_lock();

	/* A CPU that was removed altogether has no device any more. */
	dev = per_cpu(cpuidle_devices, hold->cpu);
	if (dev) {
		for (int i = 0; i < CPUIDLE_STATE_MAX; i++)
			dev->states_usage[i].disable &= ~CPUIDLE_STATE_DISABLED_BY_HOLD;
		if (hold->was_disabled)
			dev->states_usage[hold->state].disable |= CPUIDLE_STATE_DISABLED_BY_USER;
	}

	cpuidle_resume_and_unlock();
	module_put(hold->owner);
}
