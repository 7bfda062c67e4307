// SPDX-License-Identifier: GPL-2.0-only
/*
 * A machine in memory for the unit tests of sessions, with an event source and a clock.
 */
#include <linux/hardirq.h>
#include <linux/kthread.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/string.h>
#include <linux/suspend.h>

#include "fake_machine.h"

static const char *const step_names[FAKE_STEPS] = {
	[FAKE_WATCH]	= "watch",
	[FAKE_FIND]	= "find",
	[FAKE_CHECK]	= "check",
	[FAKE_FORCE]	= "force",
	[FAKE_OBSERVE]	= "observe",
	[FAKE_START]	= "start",
};

/* What the CPU has counted before the first event. */
#define IRQS		40
#define TIMER_IRQS	30
#define NMIS		20
#define SMIS		10

/* The machine of the test that runs; not all of its functions get a session. */
static struct fake *machine;

static struct fake *fake_of(const struct idle_latency_session *session)
{
	return container_of(session->device, struct fake, device);
}

static void log_step(struct fake *fake, const char *sign, enum fake_step step)
{
	const size_t length = strlen(fake->log);

	snprintf(fake->log + length, sizeof(fake->log) - length, "%s%s%s",
		 length ? " " : "", sign, step_names[step]);
}

static int begin_step(struct fake *fake, enum fake_step step)
{
	log_step(fake, "", step);
	return fake->fail == step ? fake->fail_error : 0;
}

static void end_step(struct fake *fake, enum fake_step step)
{
	fake->times[step]++;
	fake->in_force |= BIT(step);
	if (fake->during)
		fake->during(fake, step);
}

static int do_step(struct fake *fake, enum fake_step step)
{
	int err = begin_step(fake, step);

	if (!err)
		end_step(fake, step);
	return err;
}

static void undo_step(struct fake *fake, enum fake_step step)
{
	log_step(fake, "-", step);
	/* One that is undone too often stays in force. */
	if (--fake->times[step])
		fake->in_force |= BIT(step);
	else
		fake->in_force &= ~BIT(step);
}

/* A step that leaves nothing to undo. */
static int do_check(struct fake *fake, enum fake_step step)
{
	int err = do_step(fake, step);

	fake->times[step] = 0;
	fake->in_force &= ~BIT(step);
	return err;
}

static bool machine_has_enter_stamps(void)
{
	return !machine->no_enter_stamps;
}

static u32 machine_tsc_khz(void)
{
	return machine->khz;
}

static u32 machine_tsc_step(void)
{
	return machine->step;
}

static bool machine_tsc_unstable(void)
{
	return machine->event.unstable;
}

static void ask_cpu(struct idle_latency_cstate *cstate)
{
	machine->costs.ipis++;
	*cstate = (struct idle_latency_cstate) {
		.present	= BIT(IDLE_LATENCY_RESIDENCY_CC1) |
				  BIT(IDLE_LATENCY_RESIDENCY_CC6) |
				  BIT(IDLE_LATENCY_RESIDENCY_MC6) |
				  BIT(IDLE_LATENCY_RESIDENCY_PC6) |
				  BIT(IDLE_LATENCY_RESIDENCY_PC7) |
				  BIT(IDLE_LATENCY_RESIDENCY_PC10) |
				  BIT(IDLE_LATENCY_RESIDENCY_C0),
		.core		= machine->no_counters ? IDLE_LATENCY_RESIDENCY_NONE :
							 IDLE_LATENCY_RESIDENCY_CC6,
		.package	= machine->no_counters ? IDLE_LATENCY_RESIDENCY_NONE :
							 IDLE_LATENCY_RESIDENCY_PC6,
		.has_frequency	= true,
	};
}

static int machine_find_state(struct idle_latency_state *state,
			      struct idle_latency_cstate *cstate)
{
	if (cstate)
		ask_cpu(cstate);
	machine->asked = *state;
	state->exit_latency_ns = machine->exit_latency_ns;
	state->target_residency_ns = machine->target_residency_ns;
	state->flags = machine->state_flags;
	return do_check(machine, FAKE_FIND);
}

static int machine_watch_add(struct idle_latency_session *session)
{
	int err = begin_step(fake_of(session), FAKE_WATCH);

	machine->costs.locks++;
	if (err)
		return err;

	err = idle_latency_watch_add(session);
	if (!err)
		end_step(fake_of(session), FAKE_WATCH);
	return err;
}

static void machine_watch_remove(struct idle_latency_session *session)
{
	machine->costs.locks++;
	idle_latency_watch_remove(session);
	undo_step(fake_of(session), FAKE_WATCH);
}

/* Also tells whether the state is forced, as the machine does. */
static int machine_force_state(unsigned int cpu, int state)
{
	machine->costs.locks++;
	if (machine->in_force & BIT(FAKE_FORCE))
		return machine->unforced ? 0 : -EBUSY;

	return do_step(machine, FAKE_FORCE);
}

static void machine_unforce_state(unsigned int cpu)
{
	machine->costs.locks++;
	machine->costs.ipis++;
	undo_step(machine, FAKE_FORCE);
}

static int machine_observe(struct idle_latency_session *session)
{
	machine->costs.locks++;
	if (!machine->others_observe)
		machine->costs.patches++;
	return do_step(fake_of(session), FAKE_OBSERVE);
}

static void machine_unobserve(struct idle_latency_session *session)
{
	machine->costs.locks++;
	machine->costs.ipis++;
	if (!machine->others_observe) {
		machine->costs.patches++;
		machine->costs.grace_periods++;
	}
	undo_step(fake_of(session), FAKE_OBSERVE);
}

static void machine_read_entry(const struct idle_latency_session *session,
			       struct idle_latency_entry *entry)
{
	*entry = fake_of(session)->entry;
}

static void machine_count_interrupts(const struct idle_latency_session *session,
				     struct idle_latency_interrupts *counts)
{
	*counts = fake_of(session)->interrupts;
}

static void machine_read_frequency(const struct idle_latency_session *session,
				   struct idle_latency_frequency *frequency)
{
	*frequency = (struct idle_latency_frequency) {
		.aperf = FAKE_WOKEN_APERF + FAKE_APERF,
		.mperf = FAKE_WOKEN_MPERF + FAKE_MPERF,
	};
}

static int source_check(const struct idle_latency_config *config, u32 state_flags)
{
	return do_check(machine, FAKE_CHECK);
}

static int source_start(struct idle_latency_session *session)
{
	return do_step(fake_of(session), FAKE_START);
}

static void source_stop(struct idle_latency_session *session)
{
	undo_step(fake_of(session), FAKE_START);
}

/* What the probe, or cpuidle, writes down of an idle period. */
static void be_idle(struct fake *fake, struct idle_latency_shot *shot)
{
	const struct fake_event *event = &fake->event;
	const u64 tbi = event->due_ns ? fake->ltime + event->due_ns :
					fake->tsc + FAKE_ENTRY_NS;
	const u64 tai = fake->ltime + FAKE_WAKE_NS + event->wake_ns;

	shot->idle = (struct idle_latency_idle) {
		.tbi_cyc = tbi - FAKE_PROBE_NS,
		.tai_cyc = tai + FAKE_PROBE_NS,
		.interrupts = fake->interrupts,
		.state = FAKE_STATE + event->state,
		.need_resched = event->need_resched,
		.timer_pending = event->timer_pending,
		.event_pending = event->event_pending,
		.overwritten = event->overwritten,
		.periods = 1 + event->periods,
	};
	fake->entry = (struct idle_latency_entry) {
		.before_tsc = tbi,
		.after_tsc = tai,
		.requested = FAKE_STATE + event->requested,
		.entered = FAKE_STATE + event->entered,
		.forced = !event->unforced,
	};
	shot->residency = (struct idle_latency_residency) {
		.begin_tsc = tbi - FAKE_COUNTERS_NS,
		/* They are read on the measured CPU only. */
		.end_tsc = event->cpu ? 0 : fake->ltime + FAKE_INTR_NS + FAKE_COUNTERS_NS,
		.woken = { .aperf = FAKE_WOKEN_APERF, .mperf = FAKE_WOKEN_MPERF },
	};
	for (int i = 0; i < IDLE_LATENCY_RESIDENCY_MAX; i++) {
		shot->residency.begin[i] = fake->counted[i];
		fake->counted[i] += fake->residency[i];
		shot->residency.end[i] = fake->counted[i];
	}
	fake->counted[IDLE_LATENCY_RESIDENCY_CC6] += fake->late;
}

static void wake_up_by(struct fake *fake)
{
	fake->interrupts.irqs += 1 + fake->event.irqs;
	fake->interrupts.timer_irqs += fake->event.timer_irqs;
	fake->interrupts.nmis += fake->event.nmis;
	fake->interrupts.smis += fake->event.smis;
}

/* In the context of an interrupt, as far as the driver can tell. */
static void handle(struct fake *fake, struct idle_latency_session *session)
{
	struct idle_latency_shot *shot = &session->shot;
	unsigned long flags;

	local_irq_save(flags);
	__irq_enter_raw();
	shot->tintr_cyc = fake->ltime + FAKE_INTR_NS + fake->event.wake_ns -
			  fake->event.early_ns;
	shot->cross = (struct idle_latency_cross) {
		.tsc = fake->ltime,
		.clock_ns = fake->ltime + FAKE_AHEAD_NS,
		.error_cyc = fake->event.error_cyc,
	};
	/* None that there is: the driver says which it is. */
	shot->cpu = nr_cpu_ids;
	idle_latency_event_handled(session);
	shot->cpu += fake->event.cpu;
	__irq_exit_raw();
	local_irq_restore(flags);
}

static void fire(struct fake *fake, struct idle_latency_session *session)
{
	struct idle_latency_shot *shot = &session->shot;

	be_idle(fake, shot);
	wake_up_by(fake);
	handle(fake, session);
	fake->tsc = fake->ltime + 100000;
}

static bool may_go(struct fake *fake, const struct idle_latency_session *session)
{
	return READ_ONCE(fake->go) || kthread_should_stop() || READ_ONCE(session->error);
}

/* Wait until the test lets the event go. Returns false when the session ends before. */
static bool hold(struct fake *fake, const struct idle_latency_session *session)
{
	if (!may_go(fake, session)) {
		WRITE_ONCE(fake->held, true);
		wake_up_all(&fake->changed);
		wait_event(fake->changed, may_go(fake, session));
		WRITE_ONCE(fake->held, false);
	}
	if (!READ_ONCE(fake->go))
		return false;

	/* Pairs with has_settled(): who sees the last event gone sees none held. */
	smp_store_release(&fake->go, fake->go - 1);
	return true;
}

static int source_arm(struct idle_latency_session *session)
{
	struct fake *fake = fake_of(session);

	WRITE_ONCE(session->shot.armed, true);
	fake->armed++;
	if (!hold(fake, session))
		return 0;

	fake->ltime = fake->tsc + session->shot.ldist_ns;
	switch (fake->event.outcome) {
	case FAKE_LATE:
		return -ETIME;
	case FAKE_LOST:
		return 0;
	case FAKE_BREAKS:
		return -EIO;
	case FAKE_WAITS:
		/* No machine is so slow that the armer takes the event for lost. */
		session->shot.ldist_ns = 3600ULL * NSEC_PER_SEC;
		return 0;
	default:
		fire(fake, session);
		return fake->event.outcome == FAKE_LATE_FIRES ? -ETIME : 0;
	}
}

static int source_disarm(struct idle_latency_session *session)
{
	struct fake *fake = fake_of(session);

	fake->armed--;
	return fake->event.outcome == FAKE_STICKS ? -ENODEV : 0;
}

static void source_explain(struct idle_latency_session *session,
			   struct idle_latency_event *event)
{
	struct fake *fake = fake_of(session);

	event->ltime_ns = fake->ltime + FAKE_AHEAD_NS;
	event->ltime_known = true;
	event->cross = session->shot.cross;
	event->timer_later = fake->event.timer_later;
	event->reasons |= fake->event.reasons;
}

static void source_record(const struct idle_latency_session *session,
			  struct idle_latency_record *record)
{
	record->warmup_ns = FAKE_WARMUP_NS;
	record->latch_ns = FAKE_LATCH_NS;
}

static const struct idle_latency_source_ops source = {
	.id		= IDLE_LATENCY_SOURCE_NIC,
	.ldist_min_ns	= IDLE_LATENCY_LDIST_MIN_NIC_NS,
	.check		= source_check,
	.start		= source_start,
	.stop		= source_stop,
	.arm		= source_arm,
	.disarm		= source_disarm,
	.explain	= source_explain,
	.record		= source_record,
};

/* One that has nothing to undo, and nothing of its own to tell. */
static int plain_start(struct idle_latency_session *session)
{
	return do_check(fake_of(session), FAKE_START);
}

static const struct idle_latency_source_ops plain_source = {
	.id		= IDLE_LATENCY_SOURCE_HRT,
	.ldist_min_ns	= IDLE_LATENCY_LDIST_MIN_NS,
	.check		= source_check,
	.start		= plain_start,
	.arm		= source_arm,
	.disarm		= source_disarm,
	.explain	= source_explain,
};

/* What is before the first is none. */
static const struct idle_latency_source_ops *const sources[] = {
	NULL, &plain_source, &source, NULL
};

static const struct idle_latency_machine_ops machine_ops = {
	.session_size		= sizeof(struct idle_latency_session),
	.sources		= sources + 1,
	.forced_flag		= IDLE_LATENCY_RECORD_FORCED,
	.has_enter_stamps	= machine_has_enter_stamps,
	.tsc_khz		= machine_tsc_khz,
	.tsc_step		= machine_tsc_step,
	.tsc_unstable		= machine_tsc_unstable,
	.find_state		= machine_find_state,
	.watch_add		= machine_watch_add,
	.watch_remove		= machine_watch_remove,
	.force_state		= machine_force_state,
	.unforce_state		= machine_unforce_state,
	.observe		= machine_observe,
	.unobserve		= machine_unobserve,
	.read_entry		= machine_read_entry,
	.count_interrupts	= machine_count_interrupts,
	.read_frequency		= machine_read_frequency,
};

/* What is measured unless a test says something else. CPU 0 is always there. */
const struct idle_latency_config fake_config = {
	.ldist_from_ns	= FAKE_LDIST_NS,
	.ldist_to_ns	= FAKE_LDIST_NS,
	.limit_ns	= FAKE_WAKE_NS,
	.entry_ns	= 1000,
	.state		= FAKE_STATE,
	.source		= IDLE_LATENCY_SOURCE_NIC,
};

/**
 * fake_fire() - let an event fire that was to wait
 * @fake: the machine, whose armer sleeps; this runs on the measured CPU
 */
void fake_fire(struct fake *fake)
{
	fire(fake, fake->session);
}

static void suspend(struct work_struct *work)
{
	struct fake *fake = container_of(work, struct fake, suspend);
	struct notifier_block *notifier = &fake->device.suspend_notifier;

	notifier->notifier_call(notifier, fake->suspend_action, NULL);
	notifier->notifier_call(notifier, PM_POST_SUSPEND, NULL);
	WRITE_ONCE(fake->suspended, true);
}

/**
 * fake_goes_offline() - a CPU goes offline
 * @fake: the machine
 * @cpu: the CPU
 *
 * CPU hotplug tells those who are registered with it.
 */
void fake_goes_offline(struct fake *fake, unsigned int cpu)
{
	fake->refusals |= idle_latency_cpu_goes_offline(cpu, &fake->device.hotplug_node);
}

/**
 * fake_suspends() - the machine is suspended, or does something like it
 * @fake: the machine
 * @action: what it does, one of PM_*
 *
 * Returns when it has resumed. In a step of start, which that waits for, it returns when the
 * session was told; fake_resumes() waits for the rest then.
 */
void fake_suspends(struct fake *fake, unsigned long action)
{
	fake->suspend_action = action;
	fake->suspended = false;
	schedule_work(&fake->suspend);
	if (!fake->during) {
		fake_resumes(fake);
		return;
	}

	while (!READ_ONCE(fake->session->error) && !READ_ONCE(fake->suspended))
		schedule_timeout_uninterruptible(1);
}

/**
 * fake_resumes() - wait until the machine has resumed
 * @fake: the machine
 */
void fake_resumes(struct fake *fake)
{
	flush_work(&fake->suspend);
}

/**
 * fake_init() - have a machine, whose device is open, as @priv of a test
 * @test: the test
 *
 * Return: 0 or a negative errno.
 */
int fake_init(struct kunit *test)
{
	struct fake *fake = kunit_kzalloc(test, sizeof(*fake), GFP_KERNEL);
	int err;

	KUNIT_ASSERT_NOT_NULL(test, fake);
	fake->file = kunit_kzalloc(test, sizeof(*fake->file), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, fake->file);
	fake->user = kunit_vm_mmap(test, NULL, 0, FAKE_USER, PROT_READ | PROT_WRITE,
				   MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_FALSE(test, !fake->user || IS_ERR_VALUE(fake->user));

	init_waitqueue_head(&fake->changed);
	INIT_WORK(&fake->suspend, suspend);
	fake->tsc = 1000000;
	fake->khz = FAKE_KHZ;
	fake->step = 1;
	fake->exit_latency_ns = FAKE_EXIT_LATENCY_NS;
	fake->interrupts = (struct idle_latency_interrupts) {
		.irqs = IRQS, .timer_irqs = TIMER_IRQS, .nmis = NMIS, .smis = SMIS,
	};
	for (int i = 0; i < IDLE_LATENCY_RESIDENCY_MAX; i++)
		fake->residency[i] = FAKE_RESIDENCY_CYC + i;
	fake->counted[IDLE_LATENCY_RESIDENCY_CC6] = 123456;
	fake->device = (struct idle_latency_device) {
		.misc.name	= "idle_latency_kunit",
		.machine	= &machine_ops,
	};
	err = idle_latency_register(&fake->device);
	if (err)
		return err;

	machine = fake;
	test->priv = fake;
	err = fake_open(fake);
	if (err)
		idle_latency_unregister(&fake->device);
	return err;
}

/**
 * fake_exit() - undo fake_init(), and make sure that sessions undid what they did
 * @test: the test
 */
void fake_exit(struct kunit *test)
{
	struct fake *fake = test->priv;

	if (!fake)
		return;

	if (fake->session)
		fake_close(fake);
	KUNIT_EXPECT_EQ(test, fake->in_force, 0);
	KUNIT_EXPECT_EQ(test, fake->armed, 0);
	KUNIT_EXPECT_EQ(test, fake->refusals, 0);
	idle_latency_unregister(&fake->device);
}
