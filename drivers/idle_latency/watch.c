// SPDX-License-Identifier: GPL-2.0-only
/*
 * End sessions when the measured CPU or its waker goes offline, or when the machine is about to be
 * suspended or restored: its timers stop then, the TSC may be reset, and idle is entered
 * another way.
 */
#include <linux/cleanup.h>
#include <linux/cpu.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/suspend.h>
#include <linux/wait.h>

#include "session.h"

/**
 * idle_latency_cpu_goes_offline() - callback of CPU hotplug
 * @cpu: the CPU
 * @node: that of the device
 *
 * The CPU need not wait for the session: the event in flight is discarded,
 * wherever its timer is moved to, and the armer ends on another CPU.
 *
 * Context: process context.
 * Return: 0.
 */
int idle_latency_cpu_goes_offline(unsigned int cpu, struct hlist_node *node)
{
	struct idle_latency_device *device;
	struct idle_latency_session *session;

	device = hlist_entry(node, struct idle_latency_device, hotplug_node);
	guard(mutex)(&device->lock);

	list_for_each_entry(session, &device->watched, others) {
		if (cpu == session->config.cpu ||
		    (session->source->has_waker && cpu == session->config.waker))
			idle_latency_abort(session, -ENXIO);
	}

	return 0;
}

/* A session that is just being started ends, too, and none is begun until it is over. */
static void end_all(struct idle_latency_device *device)
{
	struct idle_latency_session *session;

	scoped_guard(mutex, &device->lock) {
		device->suspending = true;
		list_for_each_entry(session, &device->watched, others)
			idle_latency_abort(session, -ECANCELED);
	}

	/* Pairs with idle_latency_watch_remove(), before which a session undoes what it did. */
	wait_event(device->ended, list_empty_careful(&device->watched));
}

static int machine_suspends(struct notifier_block *notifier, unsigned long action,
			    void *unused)
{
	struct idle_latency_device *device;

	device = container_of(notifier, struct idle_latency_device, suspend_notifier);
	switch (action) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		end_all(device);
		break;
	default:
		scoped_guard(mutex, &device->lock)
			device->suspending = false;
	}

	return NOTIFY_DONE;
}

/**
 * idle_latency_watch_init() - get ready to watch the sessions of a device
 * @device: the device
 *
 * Context: process context. May sleep.
 * Return: 0 or a negative errno.
 */
int idle_latency_watch_init(struct idle_latency_device *device)
{
	int state, err;

	mutex_init(&device->lock);
	INIT_LIST_HEAD(&device->watched);
	init_waitqueue_head(&device->ended);

	state = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "idle_latency:online",
					NULL, idle_latency_cpu_goes_offline);
	if (state < 0)
		return state;

	device->hotplug_state = state;
	err = cpuhp_state_add_instance_nocalls(state, &device->hotplug_node);
	if (err)
		goto remove_state;

	device->suspend_notifier.notifier_call = machine_suspends;
	err = register_pm_notifier(&device->suspend_notifier);
	if (err)
		goto remove_instance;

	return 0;

remove_instance:
	cpuhp_state_remove_instance_nocalls(state, &device->hotplug_node);
remove_state:
	cpuhp_remove_multi_state(state);
	return err;
}

/**
 * idle_latency_watch_exit() - undo idle_latency_watch_init()
 * @device: the device, which has no session
 *
 * Context: process context. May sleep.
 */
void idle_latency_watch_exit(struct idle_latency_device *device)
{
	unregister_pm_notifier(&device->suspend_notifier);
	cpuhp_state_remove_instance_nocalls(device->hotplug_state, &device->hotplug_node);
	cpuhp_remove_multi_state(device->hotplug_state);
}

/**
 * idle_latency_watch_add() - watch what may end a session
 * @session: the session
 *
 * Context: process context. May sleep.
 * Return: 0, or -EBUSY when the machine is about to be suspended.
 */
int idle_latency_watch_add(struct idle_latency_session *session)
{
	struct idle_latency_device *device = session->device;

	/* A CPU on its way offline, of which no session would be told any more, is waited for. */
	guard(cpus_read_lock)();
	guard(mutex)(&device->lock);

	if (device->suspending)
		return -EBUSY;

	list_add(&session->others, &device->watched);
	return 0;
}

/**
 * idle_latency_watch_remove() - undo idle_latency_watch_add()
 * @session: the session
 *
 * Context: process context. May sleep.
 */
void idle_latency_watch_remove(struct idle_latency_session *session)
{
	struct idle_latency_device *device = session->device;

	guard(mutex)(&device->lock);

	/* Pairs with end_all(). */
	list_del_init_careful(&session->others);
	wake_up_all(&device->ended);
}
