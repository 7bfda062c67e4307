// SPDX-License-Identifier: GPL-2.0-only
/*
 * The source nic: a network card whose clock reaches a target time. Its clock is
 * that of the card, and the launch time is the target time. Nothing tells the CPU
 * when the interrupt will come.
 *
 * No access to the card is inside of the measured interval: the handler stamps
 * TIntr first of all, and everything else, also the reading of both clocks that
 * relates the stamps to the launch time, comes after it.
 */
#include <linux/err.h>
#include <linux/interrupt.h>

#include "hardware.h"
#include "nic.h"
#include "x86.h"

static irqreturn_t nic_handler(int irq, void *data)
{
	/* First of all, as this is TIntr. */
	u64 tsc = hw_tsc();
	struct idle_latency_nic *nic = data;
	struct idle_latency_session *session = nic->session;
	enum idle_latency_nic_cause cause;
	u64 warmup_cyc;

	cause = idle_latency_nic_acknowledge(nic, &warmup_cyc);
	/* The line may be shared with other devices; a message is not. */
	if (cause == IDLE_LATENCY_NIC_CAUSE_NONE && nic->shared)
		return IRQ_NONE;

	if (cause != IDLE_LATENCY_NIC_CAUSE_EVENT || !READ_ONCE(session->shot.armed)) {
		atomic_inc(&nic->spurious);
	} else if (idle_latency_nic_read_cross(nic, &session->shot.cross)) {
		nic->warmup_cyc = warmup_cyc;
		session->shot.tintr_cyc = tsc;
		idle_latency_source_handled(session);
	}

	idle_latency_nic_unmask(nic);
	return IRQ_HANDLED;
}

static int nic_check(const struct idle_latency_config *config, u32 state_flags)
{
	int err = idle_latency_nic_bound(config->card);

	return err ?: idle_latency_check_tsc();
}

/* Returns the one error that IDLE_LATENCY_IOC_START documents for all of these reasons. */
static int no_interrupt(const struct idle_latency_session *session, int err)
{
	/* The CPU may have gone offline since it was checked, which is the better reason. */
	if (READ_ONCE(session->error))
		return READ_ONCE(session->error);

	return err == -ENOMEM ? -ENOMEM : -ENOSPC;
}

static int start_card(struct idle_latency_session *session, struct idle_latency_nic *nic)
{
	int err;

	err = idle_latency_nic_check_clock(nic);
	if (err)
		return err;

	err = idle_latency_nic_request_irq(nic, session->config.cpu, nic_handler);
	if (err)
		return no_interrupt(session, err);

	idle_latency_nic_start(nic);
	return 0;
}

static int nic_start(struct idle_latency_session *session)
{
	struct idle_latency_x86_session *x86 = to_x86_session(session);
	struct idle_latency_nic *nic;
	int err;

	nic = idle_latency_nic_get(session);
	if (IS_ERR(nic))
		return PTR_ERR(nic);

	err = start_card(session, nic);
	if (err) {
		idle_latency_nic_put(nic);
		return err;
	}

	x86->nic = nic;
	x86->vector = nic->vector;
	return 0;
}

static void nic_stop(struct idle_latency_session *session)
{
	struct idle_latency_x86_session *x86 = to_x86_session(session);

	idle_latency_nic_stop(x86->nic);
	idle_latency_nic_free_irq(x86->nic);
	idle_latency_nic_put(x86->nic);
	x86->nic = NULL;
	x86->vector = 0;
}

/*
 * How a card treats a target time that has passed is not relied upon: its clock is read once
 * more after the event was armed, and tells whether it was late.
 */
static int nic_arm(struct idle_latency_session *session)
{
	struct idle_latency_shot *shot = &session->shot;
	struct idle_latency_nic *nic = to_x86_session(session)->nic;
	u64 now_ns;
	int err;

	err = idle_latency_nic_now(nic, &now_ns);
	if (err)
		return err;

	nic->target_ns = now_ns + shot->ldist_ns;
	atomic_set(&nic->spurious, 0);
	/* Before the card knows of the event: it may fire at once. */
	WRITE_ONCE(shot->armed, true);
	idle_latency_nic_set_target(nic, nic->target_ns);

	err = idle_latency_nic_now(nic, &now_ns);
	if (err)
		return err;

	return now_ns < nic->target_ns ? 0 : -ETIME;
}

static int nic_disarm(struct idle_latency_session *session)
{
	struct idle_latency_nic *nic = to_x86_session(session)->nic;

	idle_latency_nic_clear_target(nic);
	/* Its message may have been on its way. */
	idle_latency_nic_sync_irq(nic);
	return idle_latency_nic_gone(nic) ? -ENODEV : 0;
}

static void nic_explain(struct idle_latency_session *session,
			struct idle_latency_event *event)
{
	struct idle_latency_nic *nic = to_x86_session(session)->nic;
	struct idle_latency_cross monotonic;

	if (atomic_read(&nic->spurious))
		event->reasons |= BIT(IDLE_LATENCY_DISCARD_SPURIOUS);
	if (!event->handled)
		return;

	event->ltime_ns = nic->target_ns;
	event->ltime_known = true;
	event->cross = session->shot.cross;
	idle_latency_cross_stretch(&event->cross, &nic->first, nic->target_ns, hw_tsc_khz());

	monotonic = idle_latency_cross_monotonic();
	event->timer_later = idle_latency_timer_is_later(event, &monotonic,
							 session->shot.entry.next_event);
}

static void nic_record(const struct idle_latency_session *session,
		       struct idle_latency_record *record)
{
	const struct idle_latency_nic *nic = to_x86_session(session)->nic;

	record->warmup_ns = idle_latency_cyc_to_ns(nic->warmup_cyc, hw_tsc_khz());
	record->latch_ns = idle_latency_cyc_to_ns(nic->latch_cyc, hw_tsc_khz());
}

const struct idle_latency_source_ops idle_latency_nic_source = {
	.id		= IDLE_LATENCY_SOURCE_NIC,
	.ldist_min_ns	= IDLE_LATENCY_LDIST_MIN_NIC_NS,
	.check		= nic_check,
	.start		= nic_start,
	.stop		= nic_stop,
	.arm		= nic_arm,
	.disarm		= nic_disarm,
	.explain	= nic_explain,
	.record		= nic_record,
};
