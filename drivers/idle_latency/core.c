// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measure how long a CPU needs to come back from an idle state.
 *
 * A session arms one event after the other on the measured CPU, a random time
 * ahead, and lets the CPU go idle in between. For each event three stamps of
 * the TSC are taken: before idle (TBI), after idle (TAI), and in the handler of
 * the event's interrupt (TIntr). Together with the time at which the event
 * fired in hardware (LTime) they say how long the way from the event to the
 * first instruction after idle was, and to the handler.
 *
 * Who does what, without knowing any hardware:
 *
 * - chrdev.c is the device file. One open file is one session, and buffer.c is where it finds
 *   its records.
 * - This file configures, starts and stops a session. There is one at a time for a CPU, and any
 *   number for all of them; nothing that one does waits for another, or interrupts its CPU, but
 *   that the first and the last of all switch the stamps on and off.
 * - armer.c is the kthread on the measured CPU that arms events, waits for
 *   them and hands out records. It may sleep, so it waits when the reader is slow,
 *   and no record is ever lost.
 * - judge.c decides whether an event can be believed, by the arithmetic in convert.c.
 * - record.c makes a record of an event.
 * - watch.c ends sessions when the measured CPU goes away, or when the machine is
 *   suspended.
 *
 * And on an x86 machine:
 *
 * - x86.c is what a session knows of it.
 * - probe.c and stamps.c stamp the idle period, and the handler of the event stamps TIntr.
 *   Nothing is computed and no lock is taken before that; the handler of the card reads the
 *   card's clock afterwards. Nobody but the armer is woken.
 * - timer.c has the event sources hrt and tdt, waker.c write and ipi, and nic.c nic. skew.c finds
 *   out how far the TSCs of two CPUs are apart. nic_card.c knows the registers of the card,
 *   nic_clock.c how its clock relates to the TSC, and nic_pci.c binds it and gets its interrupt.
 *   Of the hardware they use what is in hardware.h.
 * - declared.c knows what cpuidle declares for an idle state; counters.c knows which
 *   residency counters the model of the CPU has, and hint.c which of them belong to the
 *   state. That the CPU enters the measured state and no other is up to limit.c, or to
 *   force.c where cpuidle can force any state.
 * - interrupts.c counts what else interrupts the CPU.
 * - residency.c reads what the CPU says about where it was.
 *
 * Limitation: a CPU may know when its timer will fire and wake up early. What
 * hrt and tdt measure is then a lower bound of the exit latency; no CPU knows of
 * the event of nic.
 */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "session.h"

/* CPUs of which a session or a hold forces a state, or is about to. */
static struct cpumask claimed_cpus;

/**
 * idle_latency_claim_cpu() - be the only one to force a state of a CPU
 * @cpu: a possible CPU
 *
 * That the state is forced does not keep others away: the forcing may be lost.
 *
 * Context: any.
 * Return: true, until idle_latency_yield_cpu(); false when somebody else has the CPU.
 */
bool idle_latency_claim_cpu(unsigned int cpu)
{
	return !test_and_set_bit_lock(cpu, cpumask_bits(&claimed_cpus));
}

/**
 * idle_latency_yield_cpu() - undo idle_latency_claim_cpu()
 * @cpu: the CPU, of which no state is forced
 *
 * Context: any.
 */
void idle_latency_yield_cpu(unsigned int cpu)
{
	clear_bit_unlock(cpu, cpumask_bits(&claimed_cpus));
}

static const struct idle_latency_source_ops *
find_source(const struct idle_latency_session *session, u32 id)
{
	for (size_t i = 0; session->machine->sources[i]; i++) {
		if (session->machine->sources[i]->id == id)
			return session->machine->sources[i];
	}

	return NULL;
}

static bool ldist_in_range(const struct idle_latency_source_ops *source, u64 ns)
{
	return ns >= source->ldist_min_ns && ns <= IDLE_LATENCY_LDIST_MAX_NS;
}

static bool is_record_size(u32 size)
{
	return !size || (size >= IDLE_LATENCY_RECORD_SIZE_VER0 &&
			 size <= IDLE_LATENCY_RECORD_SIZE_MAX && IS_ALIGNED(size, 8));
}

static bool is_room(u32 records)
{
	return !records || (records >= IDLE_LATENCY_BUFFER_MIN &&
			    records <= IDLE_LATENCY_BUFFER_MAX);
}

static int check_config(const struct idle_latency_source_ops *source,
			const struct idle_latency_config *config)
{
	if (config->flags & ~(IDLE_LATENCY_CONFIG_PROBE | IDLE_LATENCY_CONFIG_KEEP))
		return -EINVAL;
	if (!source || (config->card && source->id != IDLE_LATENCY_SOURCE_NIC) ||
	    (config->waker && !source->has_waker))
		return -EINVAL;
	if (config->entry_ns > IDLE_LATENCY_LDIST_MAX_NS || !is_record_size(config->record_size))
		return -EINVAL;
	if (!ldist_in_range(source, config->ldist_from_ns) ||
	    !ldist_in_range(source, config->ldist_to_ns) || !is_room(config->buffer_records))
		return -ERANGE;
	if (config->start_ns > ktime_get_ns() + IDLE_LATENCY_START_MAX_NS)
		return -ERANGE;
	if (config->ldist_from_ns > config->ldist_to_ns)
		return -EINVAL;

	return 0;
}

static bool is_running(const struct idle_latency_session *session)
{
	/* Pairs with idle_latency_finish(), after which the armer uses nothing of the session. */
	return session->armer && !smp_load_acquire(&session->finished);
}

/* Stop the armer and wait for it; the machine is as it was afterwards. */
static void reap(struct idle_latency_session *session)
{
	struct task_struct *armer = session->armer;

	lockdep_assert_held(&session->lock);

	if (!armer)
		return;

	kthread_stop(armer);
	/* A kthread that is stopped before it first ran never runs at all. */
	if (!session->finished)
		idle_latency_finish(session);

	/* Nobody watches the session any more, who could abort it and wake the armer. */
	WRITE_ONCE(session->armer, NULL);
	put_task_struct(armer);
}

static void reset_results(struct idle_latency_session *session)
{
	guard(mutex)(&session->read_lock);

	kfifo_reset(&session->records);
	scoped_guard(spinlock, &session->counts_lock)
		memset(&session->counts, 0, sizeof(session->counts));
	session->error = 0;
	session->counted.begin_tsc = 0;
}

static u32 choose_stamp(const struct idle_latency_session *session,
			const struct idle_latency_config *config)
{
	if (config->flags & IDLE_LATENCY_CONFIG_PROBE || !session->machine->has_enter_stamps())
		return IDLE_LATENCY_STAMP_PROBE;

	return IDLE_LATENCY_STAMP_ENTER;
}

/**
 * idle_latency_configure() - say what the next session measures
 * @session: the session
 * @config: what to measure, as it came from user space
 *
 * Context: process context. May sleep.
 * Return: 0, or an error as listed for IDLE_LATENCY_IOC_CONFIG.
 */
int idle_latency_configure(struct idle_latency_session *session,
			   const struct idle_latency_config *config)
{
	const struct idle_latency_source_ops *source = find_source(session, config->source);
	struct idle_latency_state state = { .cpu = config->cpu, .state = config->state };
	struct idle_latency_cstate cstate;
	int err;

	guard(mutex)(&session->lock);

	if (is_running(session))
		return -EBUSY;

	err = check_config(source, config);
	if (err)
		return err;

	err = session->machine->find_state(&state, &cstate);
	if (err)
		return err;

	err = source->check(config, state.flags);
	if (err)
		return err;

	err = idle_latency_make_room(session, config);
	if (err)
		return err;

	reset_results(session);
	scoped_guard(mutex, &session->read_lock)
		session->record_size = config->record_size ?: IDLE_LATENCY_RECORD_SIZE_VER0;
	session->config = *config;
	session->source = source;
	session->state = state;
	session->cstate = cstate;
	session->stamp = choose_stamp(session, config);
	session->configured = true;
	WRITE_ONCE(session->started, false);
	return 0;
}

/**
 * idle_latency_abort() - make a session end early
 * @session: the session; hotplug and suspend are still being watched for it
 * @error: what the reader gets after the last record, a negative errno
 *
 * Does not wait for the end.
 *
 * Context: process context.
 */
void idle_latency_abort(struct idle_latency_session *session, int error)
{
	struct task_struct *armer;

	WRITE_ONCE(session->error, error);
	/*
	 * A session that is about to start looks at the error itself. Pairs with the barrier of
	 * wake_up_process() in begin(): either the armer is seen here, or it sees the error.
	 */
	smp_mb();
	armer = READ_ONCE(session->armer);
	if (armer)
		wake_up_process(armer);
}

/* User space judges by what it was told of the state when it configured the session. */
static bool is_declared(const struct idle_latency_session *session,
			const struct idle_latency_state *state)
{
	const u32 flags = IDLE_LATENCY_STATE_POLLS | IDLE_LATENCY_STATE_TIMER_STOP;

	return session->state.exit_latency_ns == state->exit_latency_ns &&
	       session->state.target_residency_ns == state->target_residency_ns &&
	       !((session->state.flags ^ state->flags) & flags);
}

/**
 * idle_latency_force() - have the CPU enter the state and no other
 * @session: the session
 *
 * While nobody forces the state, its index may become that of another one, it may become
 * unusable, and somebody else may force one. What is declared is compared once it is forced:
 * from then on the forcing is lost when the cpuidle device of the CPU goes, which is noticed.
 * idle_latency_unforce() undoes it, also when this fails.
 *
 * Context: process context. May sleep.
 * Return: 0 or a negative errno; -ENOENT when what is declared for the state is not what
 * it was.
 */
int idle_latency_force(struct idle_latency_session *session)
{
	struct idle_latency_state state = {
		.cpu	= session->config.cpu,
		.state	= session->config.state,
	};
	int err, unforced;

	unforced = session->machine->force_state(state.cpu, state.state);
	session->forced = !unforced;

	/* It knows better why: the CPU is offline, for example. */
	err = session->machine->find_state(&state, NULL);
	if (err)
		return err;
	if (unforced == -EINVAL || !is_declared(session, &state))
		return -ENOENT;

	return unforced;
}

/**
 * idle_latency_unforce() - undo idle_latency_force(), if that has succeeded
 * @session: the session
 *
 * Context: process context. May sleep.
 */
void idle_latency_unforce(struct idle_latency_session *session)
{
	if (session->forced)
		session->machine->unforce_state(session->config.cpu);
	session->forced = false;
}

/* What start does before the armer exists; undo() takes it back. */
static int prepare(struct idle_latency_session *session)
{
	const struct idle_latency_machine_ops *machine = session->machine;
	int err;

	/* First, so that the CPU cannot go away unseen after it was checked. */
	err = machine->watch_add(session);
	if (err)
		return err;

	if (!idle_latency_claim_cpu(session->config.cpu)) {
		err = -EBUSY;
		goto unwatch;
	}

	err = idle_latency_force(session);
	if (err)
		goto unforce;

	err = session->source->check(&session->config, session->state.flags);
	if (err)
		goto unforce;

	err = machine->observe(session);
	if (err)
		goto unforce;

	err = session->source->start(session);
	if (err)
		goto unobserve;

	return 0;

unobserve:
	machine->unobserve(session);
unforce:
	idle_latency_unforce(session);
	idle_latency_yield_cpu(session->config.cpu);
unwatch:
	machine->watch_remove(session);
	return err;
}

static void undo(struct idle_latency_session *session)
{
	const struct idle_latency_machine_ops *machine = session->machine;

	if (session->source->stop)
		session->source->stop(session);
	machine->unobserve(session);
	idle_latency_unforce(session);
	idle_latency_yield_cpu(session->config.cpu);
	/* Last: who suspends the machine waits for this. */
	machine->watch_remove(session);
}

/**
 * idle_latency_finish() - leave the machine as it was before the session
 * @session: the session, whose armer arms no more events
 *
 * When it returns, no probe and no stamp is active, the idle states are as they
 * were, and readers know that no more records will come.
 *
 * Context: process context. May sleep.
 */
void idle_latency_finish(struct idle_latency_session *session)
{
	undo(session);
	/* Readers and is_running() may see it only after all else. */
	smp_store_release(&session->finished, true);
	wake_up_all(&session->readable);
}

static int begin(struct idle_latency_session *session)
{
	struct task_struct *armer;
	int err;

	err = prepare(session);
	if (err)
		return err;

	armer = kthread_create_on_cpu(idle_latency_armer, session, session->config.cpu,
				      "idle_latency/%u");
	if (IS_ERR(armer)) {
		undo(session);
		return PTR_ERR(armer);
	}

	/* Whoever sees the armer may end the session, which then is finished. */
	session->finished = false;
	WRITE_ONCE(session->armer, get_task_struct(armer));
	WRITE_ONCE(session->started, true);
	wake_up_process(armer);
	return 0;
}

/**
 * idle_latency_start() - force the idle state and begin to measure
 * @session: the session
 *
 * Context: process context. May sleep.
 * Return: 0, or an error as listed for IDLE_LATENCY_IOC_START.
 */
int idle_latency_start(struct idle_latency_session *session)
{
	guard(mutex)(&session->lock);

	if (is_running(session))
		return -EBUSY;
	if (!session->configured)
		return -EINVAL;

	reap(session);
	reset_results(session);

	return begin(session);
}

/**
 * idle_latency_stop() - end the session
 * @session: the session
 *
 * When it returns, no event is armed and the machine is as it was before the
 * session was started.
 *
 * Context: process context. May sleep.
 * Return: 0, or -EINVAL when the session is not running.
 */
int idle_latency_stop(struct idle_latency_session *session)
{
	bool running;

	guard(mutex)(&session->lock);

	running = is_running(session);
	reap(session);
	return running ? 0 : -EINVAL;
}

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Measure the exit latency of idle states");
