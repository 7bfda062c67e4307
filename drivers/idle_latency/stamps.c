// SPDX-License-Identifier: GPL-2.0-only
/*
 * What cpuidle stores about the last idle period of a CPU while somebody wants it: the
 * time stamps around ->enter(), and what was asked for and entered.
 */
#include <linux/cpuidle.h>
#include <linux/jump_label.h>
#include <linux/percpu.h>

#include "session.h"

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
 * idle_latency_stamps_on() - have the stamps stored from now on
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
 * What is stored is of the one before. Where cpuidle does not store anything in this
 * one, because nobody asks it for a state, that can be told afterwards.
 *
 * Context: the measured CPU, interrupts disabled, before TBI.
 */
void idle_latency_stamps_begin(struct idle_latency_session *session)
{
	this_cpu_write(cpuidle_stamps.requested, -1);
	this_cpu_write(cpuidle_stamps.entered, -1);
}

/**
 * idle_latency_stamps_read() - what was stored about the last idle period
 * @session: the session
 * @entry: where it goes
 *
 * Context: armer, after the event was handled.
 */
void idle_latency_stamps_read(const struct idle_latency_session *session,
			      struct idle_latency_entry *entry)
{
	const struct cpuidle_stamps *stamps = per_cpu_ptr(&cpuidle_stamps,
							  session->config.cpu);

	*entry = (struct idle_latency_entry) {
		.before_tsc	= stamps->before,
		.after_tsc	= stamps->after,
		.next_event	= stamps->next_event,
		.requested	= stamps->requested,
		.entered	= stamps->entered,
	};
}
