// SPDX-License-Identifier: GPL-2.0-only
/*
 * End the session when the measured CPU goes offline.
 */
#include <linux/cpuhotplug.h>

#include "session.h"

static enum cpuhp_state hotplug_state;

/*
 * The CPU need not wait for the session: the event in flight is discarded,
 * wherever its timer is moved to, and the armer ends on another CPU.
 */
static int cpu_goes_offline(unsigned int cpu, struct hlist_node *node)
{
	struct idle_latency_session *session;

	session = hlist_entry(node, struct idle_latency_session, hotplug_node);
	if (cpu == session->config.cpu)
		idle_latency_abort(session, -ENXIO);

	return 0;
}

/**
 * idle_latency_hotplug_init() - get ready for idle_latency_hotplug_add()
 *
 * Context: process context. May sleep.
 * Return: 0 or a negative errno.
 */
int idle_latency_hotplug_init(void)
{
	int state;

	state = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "idle_latency:online",
					NULL, cpu_goes_offline);
	if (state < 0)
		return state;

	hotplug_state = state;
	return 0;
}

/**
 * idle_latency_hotplug_exit() - undo idle_latency_hotplug_init()
 *
 * Context: process context. May sleep.
 */
void idle_latency_hotplug_exit(void)
{
	cpuhp_remove_multi_state(hotplug_state);
}

/**
 * idle_latency_hotplug_add() - watch the measured CPU of a session
 * @session: the session
 *
 * Context: process context. May sleep.
 * Return: 0 or a negative errno.
 */
int idle_latency_hotplug_add(struct idle_latency_session *session)
{
	return cpuhp_state_add_instance_nocalls(hotplug_state, &session->hotplug_node);
}

/**
 * idle_latency_hotplug_remove() - undo idle_latency_hotplug_add()
 * @session: the session
 *
 * Context: process context. May sleep.
 */
void idle_latency_hotplug_remove(struct idle_latency_session *session)
{
	cpuhp_state_remove_instance_nocalls(hotplug_state, &session->hotplug_node);
}
