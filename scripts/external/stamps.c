// SPDX-License-Identifier: GPL-2.0-only
/*
 * The state that was entered, for kernels that take no stamps around the ->enter()
 * callback of an idle state: from the counters of cpuidle.
 */
#include <linux/cpuidle.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/preempt.h>

#include "x86.h"

/**
 * struct noted - what was seen when the last idle period of a CPU began
 * @next_event: what its timer was programmed to, 0 where cpuidle was not asked for a state
 * @usage: how often the state had been entered
 * @stamps: for limit.c
 *
 * Written with interrupts disabled on the CPU, and read there.
 */
struct noted {
	ktime_t next_event;
	unsigned long long usage;
	struct cpuidle_stamps stamps;
};

static DEFINE_PER_CPU(struct noted, noted);

bool idle_latency_has_enter_stamps(void)
{
	return false;
}

void idle_latency_stamps_on(void)
{
}

void idle_latency_stamps_off(void)
{
}

/* next_hrtimer is 0 unless cpuidle has been asked for a state and enters it. */
void idle_latency_stamps_begin(struct idle_latency_session *session)
{
	const struct cpuidle_device *dev = READ_ONCE(per_cpu(cpuidle_devices,
							     session->config.cpu));
	struct noted *now = this_cpu_ptr(&noted);

	lockdep_assert_irqs_disabled();

	now->next_event = 0;
	now->stamps.limit_ns = 0;
	/* The device may go at any time where cpuidle is not asked: that cannot be seen here. */
	if (dev) {
		now->stamps.limit_ns = READ_ONCE(dev->forced_idle_latency_limit_ns);
		now->next_event = READ_ONCE(dev->next_hrtimer);
		now->usage = dev->states_usage[session->shot.idle.state].usage;
	}
}

static bool was_entered(unsigned int cpu, unsigned int state, unsigned long long usage)
{
	const struct cpuidle_device *dev;

	guard(preempt)();
	dev = per_cpu(cpuidle_devices, cpu);
	return dev && dev->states_usage[state].usage == usage + 1;
}

void idle_latency_stamps_read(const struct idle_latency_session *session,
			      struct idle_latency_entry *entry)
{
	const struct noted *last = per_cpu_ptr(&noted, session->config.cpu);
	unsigned int state = session->shot.idle.state;

	*entry = (struct idle_latency_entry) {
		.next_event = last->next_event,
		.requested = -1,
		.entered = -1,
		.forced = idle_latency_was_forced(session, &last->stamps),
	};
	if (!last->next_event)
		return;

	entry->requested = state;
	if (was_entered(session->config.cpu, state, last->usage))
		entry->entered = state;
}
