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

/*
 * When the last idle period began. There is one session and so one measured CPU, on
 * which they are written with interrupts disabled.
 */
static ktime_t next_event;
static unsigned long long usage;
static struct cpuidle_stamps stamps;

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

	lockdep_assert_irqs_disabled();

	next_event = 0;
	stamps.limit_ns = 0;
	/* The device may go at any time where cpuidle is not asked: that cannot be seen here. */
	if (dev) {
		stamps.limit_ns = READ_ONCE(dev->forced_idle_latency_limit_ns);
		next_event = READ_ONCE(dev->next_hrtimer);
		usage = dev->states_usage[session->shot.idle.state].usage;
	}
}

static bool was_entered(unsigned int cpu, unsigned int state)
{
	const struct cpuidle_device *dev;

	guard(preempt)();
	dev = per_cpu(cpuidle_devices, cpu);
	return dev && dev->states_usage[state].usage == usage + 1;
}

void idle_latency_stamps_read(const struct idle_latency_session *session,
			      struct idle_latency_entry *entry)
{
	unsigned int state = session->shot.idle.state;

	*entry = (struct idle_latency_entry) {
		.next_event = next_event,
		.requested = -1,
		.entered = -1,
		.forced = idle_latency_was_forced(session, &stamps),
	};
	if (!next_event)
		return;

	entry->requested = state;
	if (was_entered(session->config.cpu, state))
		entry->entered = state;
}
