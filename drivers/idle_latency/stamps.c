// SPDX-License-Identifier: GPL-2.0-only
/*
 * TBI and TAI of the last idle period, from where the kernel takes them
 * closest to idle.
 */
#include <linux/cpuidle.h>
#include <linux/jump_label.h>
#include <linux/percpu.h>

#include "session.h"

#ifdef CONFIG_CPU_IDLE_STAMPS

/**
 * idle_latency_has_enter_stamps() - does the kernel stamp around ->enter()?
 *
 * Return: true when it can.
 */
bool idle_latency_has_enter_stamps(void)
{
	return true;
}

static void switch_stamps(bool on)
{
	if (on)
		static_branch_inc(&cpuidle_stamps_key);
	else
		static_branch_dec(&cpuidle_stamps_key);
}

static void read_enter_stamps(unsigned int cpu, struct idle_latency_event *event)
{
	const struct cpuidle_stamps *stamps = per_cpu_ptr(&cpuidle_stamps, cpu);

	event->tbi_tsc = stamps->before;
	event->tai_tsc = stamps->after;
}

#else /* CONFIG_CPU_IDLE_STAMPS */

bool idle_latency_has_enter_stamps(void)
{
	return false;
}

static void switch_stamps(bool on)
{
}

static void read_enter_stamps(unsigned int cpu, struct idle_latency_event *event)
{
}

#endif /* CONFIG_CPU_IDLE_STAMPS */

/**
 * idle_latency_stamps_on() - have the stamps taken that a session uses
 * @session: the session
 *
 * Context: process context. May sleep.
 */
void idle_latency_stamps_on(const struct idle_latency_session *session)
{
	if (session->stamp == IDLE_LATENCY_STAMP_ENTER)
		switch_stamps(true);
}

/**
 * idle_latency_stamps_off() - undo idle_latency_stamps_on()
 * @session: the session
 *
 * Context: process context. May sleep.
 */
void idle_latency_stamps_off(const struct idle_latency_session *session)
{
	if (session->stamp == IDLE_LATENCY_STAMP_ENTER)
		switch_stamps(false);
}

/**
 * idle_latency_read_stamps() - TBI and TAI of the last idle period
 * @session: the session
 * @event: where they go
 *
 * Context: armer, after the event was handled.
 */
void idle_latency_read_stamps(const struct idle_latency_session *session,
			      struct idle_latency_event *event)
{
	if (session->stamp == IDLE_LATENCY_STAMP_ENTER) {
		read_enter_stamps(session->config.cpu, event);
		return;
	}

	event->tbi_tsc = session->shot.idle.tbi_tsc;
	event->tai_tsc = session->shot.idle.tai_tsc;
}
