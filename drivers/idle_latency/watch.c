// SPDX-License-Identifier: GPL-2.0-only
/*
 * End the session when the measured CPU goes offline, or when the machine is about to be
 * suspended or restored: its timers stop then, the TSC may be reset, and idle is entered
 * another way.
 */
#include <linux/completion.h>
#include <linux/cpuhotplug.h>
#include <linux/notifier.h>
#include <linux/suspend.h>

#include "session.h"

/**
 * idle_latency_cpu_goes_offline() - callback of CPU hotplug
 * @cpu: the CPU
 * @node: that of the session
 *
 * The CPU need not wait for the session: the event in flight is discarded,
 * wherever its timer is moved to, and the armer ends on another CPU.
 *
 * Context: process context.
 * Return: 0.
 */
int idle_latency_cpu_goes_offline(unsigned int cpu, struct hlist_node *node)
{
	struct idle_latency_session *session;

	session = hlist_entry(node, struct idle_latency_session, hotplug_node);
	if (cpu == session->config.cpu)
		idle_latency_abort(session, -ENXIO);

	return 0;
}

static int machine_suspends(struct notifier_block *notifier, unsigned long action,
			    void *unused)
{
	struct idle_latency_session *session;

	session = container_of(notifier, struct idle_latency_session, suspend_notifier);
	if (action != PM_SUSPEND_PREPARE && action != PM_HIBERNATION_PREPARE &&
	    action != PM_RESTORE_PREPARE)
		return NOTIFY_DONE;

	idle_latency_abort(session, -ECANCELED);
	/* While a session is being started, suspend does not begin. */
	if (READ_ONCE(session->armer))
		wait_for_completion(&session->undone);

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
	int state;

	state = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "idle_latency:online",
					NULL, idle_latency_cpu_goes_offline);
	if (state < 0)
		return state;

	device->hotplug_state = state;
	return 0;
}

/**
 * idle_latency_watch_exit() - undo idle_latency_watch_init()
 * @device: the device, which has no session
 *
 * Context: process context. May sleep.
 */
void idle_latency_watch_exit(struct idle_latency_device *device)
{
	cpuhp_remove_multi_state(device->hotplug_state);
}

/**
 * idle_latency_watch_add() - watch what may end a session
 * @session: the session
 *
 * Context: process context. May sleep.
 * Return: 0 or a negative errno.
 */
int idle_latency_watch_add(struct idle_latency_session *session)
{
	const enum cpuhp_state state = session->device->hotplug_state;
	int err;

	err = cpuhp_state_add_instance_nocalls(state, &session->hotplug_node);
	if (err)
		return err;

	session->suspend_notifier.notifier_call = machine_suspends;
	err = register_pm_notifier(&session->suspend_notifier);
	if (err)
		cpuhp_state_remove_instance_nocalls(state, &session->hotplug_node);

	return err;
}

/**
 * idle_latency_watch_remove() - undo idle_latency_watch_add()
 * @session: the session
 *
 * Context: process context. May sleep.
 */
void idle_latency_watch_remove(struct idle_latency_session *session)
{
	unregister_pm_notifier(&session->suspend_notifier);
	cpuhp_state_remove_instance_nocalls(session->device->hotplug_state,
					    &session->hotplug_node);
}
