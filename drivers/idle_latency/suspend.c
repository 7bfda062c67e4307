// SPDX-License-Identifier: GPL-2.0-only
/*
 * End the session when the machine is about to be suspended or restored: its timers stop,
 * the TSC may be reset, and idle is entered another way.
 */
#include <linux/notifier.h>
#include <linux/suspend.h>

#include "session.h"

static int machine_suspends(struct notifier_block *notifier, unsigned long action,
			    void *unused)
{
	struct idle_latency_session *session;

	session = container_of(notifier, struct idle_latency_session, suspend_notifier);
	if (action == PM_SUSPEND_PREPARE || action == PM_HIBERNATION_PREPARE ||
	    action == PM_RESTORE_PREPARE)
		idle_latency_abort(session, -ECANCELED);

	return NOTIFY_DONE;
}

/**
 * idle_latency_suspend_add() - watch for suspend while a session runs
 * @session: the session
 *
 * Context: process context. May sleep.
 * Return: 0 or a negative errno.
 */
int idle_latency_suspend_add(struct idle_latency_session *session)
{
	session->suspend_notifier.notifier_call = machine_suspends;
	return register_pm_notifier(&session->suspend_notifier);
}

/**
 * idle_latency_suspend_remove() - undo idle_latency_suspend_add()
 * @session: the session
 *
 * Context: process context. May sleep.
 */
void idle_latency_suspend_remove(struct idle_latency_session *session)
{
	unregister_pm_notifier(&session->suspend_notifier);
}
