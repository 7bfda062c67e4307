// SPDX-License-Identifier: GPL-2.0-only
/*
 * The source tdt: the TSC-deadline timer of the local APIC. Its clock is the
 * TSC, and the launch time is the deadline that is really armed, read from the
 * register when idle begins.
 *
 * Intel SDM volume 3, "TSC-Deadline Mode" of the APIC timer: the timer fires
 * when the TSC reaches IA32_TSC_DEADLINE; the register reads as zero when the
 * timer is not armed, which includes that it has fired.
 */
#include <linux/cpufeature.h>

#include <asm/msr.h>

#include "session.h"

static int tdt_check(void)
{
	/* The kernel clears the feature when it does not use the deadline. */
	if (!boot_cpu_has(X86_FEATURE_TSC_DEADLINE_TIMER))
		return -EOPNOTSUPP;

	return idle_latency_timer_check();
}

static void tdt_before_idle(struct idle_latency_session *session)
{
	rdmsrq(MSR_IA32_TSC_DEADLINE, session->shot.idle.deadline_tsc);
}

static void tdt_explain(struct idle_latency_session *session,
			struct idle_latency_event *event)
{
	u64 deadline_tsc = session->shot.idle.deadline_tsc;

	idle_latency_timer_explain(session, event);
	if (!deadline_tsc)
		event->unarmed = true;

	/* The clock is the TSC itself: nothing to read, and no error. */
	event->ltime_ns = idle_latency_cyc_to_ns(deadline_tsc, event->tsc_khz);
	event->cross = (struct idle_latency_cross) {
		.tsc = deadline_tsc,
		.clock_ns = event->ltime_ns,
	};
}

const struct idle_latency_source_ops idle_latency_tdt = {
	.id		= IDLE_LATENCY_SOURCE_TDT,
	.ldist_min_ns	= IDLE_LATENCY_LDIST_MIN_NS,
	.check		= tdt_check,
	.start		= idle_latency_timer_start,
	.arm		= idle_latency_timer_arm,
	.disarm		= idle_latency_timer_disarm,
	.before_idle	= tdt_before_idle,
	.explain	= tdt_explain,
};
