// SPDX-License-Identifier: GPL-2.0-only
/*
 * The source hrt: a high-resolution timer. Its clock is CLOCK_MONOTONIC, and
 * the launch time is when the timer is due. Works with any hardware behind it.
 */
#include <linux/ktime.h>

#include "session.h"

static void hrt_explain(struct idle_latency_session *session,
			struct idle_latency_event *event)
{
	event->ltime_ns = ktime_to_ns(session->shot.expires);
	event->cross = session->shot.cross;
	idle_latency_timer_explain(session, event);
}

const struct idle_latency_source_ops idle_latency_hrt = {
	.id		= IDLE_LATENCY_SOURCE_HRT,
	.ldist_min_ns	= IDLE_LATENCY_LDIST_MIN_NS,
	.check		= idle_latency_timer_check,
	.start		= idle_latency_timer_start,
	.arm		= idle_latency_timer_arm,
	.disarm		= idle_latency_timer_disarm,
	.explain	= hrt_explain,
};
