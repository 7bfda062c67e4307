// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stamps that cpuidle takes directly around the ->enter() callback of an idle
 * state, and the state that was entered.
 */
#include <linux/cpuidle.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/percpu.h>

#include "x86.h"

/* While stamps are taken; the same for everybody. */
static struct cpuidle_stamps __percpu *stamps;

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
	stamps = cpuidle_stamps_get();
}

/**
 * idle_latency_stamps_off() - undo idle_latency_stamps_on()
 *
 * Context: process context. May sleep.
 */
void idle_latency_stamps_off(void)
{
	cpuidle_stamps_put();
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

	this_cpu_write(stamps->before, 0);
	this_cpu_write(stamps->after, 0);
	this_cpu_write(stamps->next_event, 0);
	this_cpu_write(stamps->requested, -1);
	this_cpu_write(stamps->entered, -1);
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
	const struct cpuidle_stamps *last = per_cpu_ptr(stamps, session->config.cpu);

	*entry = (struct idle_latency_entry) {
		.before_tsc = last->before,
		.after_tsc = last->after,
		.next_event = last->next_event,
		.requested = last->requested,
		.entered = max(last->entered, -1),
		.forced = last->requested >= 0 && idle_latency_was_forced(session, last),
	};
}
