// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stamps that cpuidle takes directly around the ->enter() callback of an idle
 * state, and the state that was entered.
 */
#include <linux/cpuidle.h>
#include <linux/jump_label.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/percpu.h>

#include "x86.h"

/**
 * idle_latency_has_enter_stamps() - does the kernel stamp around ->enter()?
 *
 * Return: true.
 */
bool idle_latency_has_enter_stamps(void)
{
	return true;
}

/**
 * idle_latency_stamps_on() - have the stamps taken
 *
 * Context: process context. May sleep.
 */
void idle_latency_stamps_on(void)
{
	static_branch_inc(&cpuidle_stamps_key);
}

/**
 * idle_latency_stamps_off() - undo idle_latency_stamps_on()
 *
 * Context: process context. May sleep.
 */
void idle_latency_stamps_off(void)
{
	static_branch_dec(&cpuidle_stamps_key);
}

/**
 * idle_latency_stamps_begin() - an idle period of the measured CPU begins
 * @session: the session
 *
 * What an earlier idle period left must not pass for this one, which may not go
 * through cpuidle.
 *
 * Context: measured CPU, interrupts disabled, before the stamps are taken.
 */
void idle_latency_stamps_begin(struct idle_latency_session *session)
{
	lockdep_assert_irqs_disabled();

	this_cpu_write(cpuidle_stamps.before, 0);
	this_cpu_write(cpuidle_stamps.after, 0);
	this_cpu_write(cpuidle_stamps.next_event, 0);
	this_cpu_write(cpuidle_stamps.requested, -1);
	this_cpu_write(cpuidle_stamps.entered, -1);
	this_cpu_write(cpuidle_stamps.forced, false);
}

/**
 * idle_latency_stamps_read() - what cpuidle says of the last idle period
 * @session: the session
 * @entry: where it goes
 *
 * Context: armer, after the event was handled.
 */
void idle_latency_stamps_read(const struct idle_latency_session *session,
			      struct idle_latency_entry *entry)
{
	const struct cpuidle_stamps *stamps =
		per_cpu_ptr(&cpuidle_stamps, session->config.cpu);

	*entry = (struct idle_latency_entry) {
		.before_tsc = stamps->before,
		.after_tsc = stamps->after,
		.next_event = stamps->next_event,
		.requested = stamps->requested,
		.entered = max(stamps->entered, -1),
		.forced = stamps->forced,
	};
}
