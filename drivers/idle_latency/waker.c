// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sources write and ipi. Another CPU, the waker, ends the idle period of the measured CPU in
 * one of the two ways in which the scheduler does that:
 *
 * - write: it queues a function for the measured CPU. A CPU that polls its need_resched flag,
 *   in MWAIT or in a loop, is told of that by a write to the flag, and takes no interrupt. See
 *   call_function_single_prep_ipi() in kernel/sched/core.c.
 * - ipi: it sends the reschedule interrupt.
 *
 * A kthread on the waker sleeps until the event is due. It reads the TSC right before and right
 * after what it does then, with interrupts disabled. LTime is the middle between both readings, and
 * half of the time between them is in the error. So is what the TSCs of both CPUs may
 * differ by, which is measured in both directions when the session starts.
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/cleanup.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/ipi.h>
#include <trace/events/sched.h>

#include <asm/irq_vectors.h>
#include <asm/trace/irq_vectors.h>

#include "hardware.h"
#include "x86.h"

/*
 * An interrupt that is sent later than this after its time, in ms, would not have the time that any
 * other event has until it is taken for lost.
 */
#define SEND_WITHIN_MS	50

/* No latency is worth being told with a larger error, in ns. */
#define SKEW_MOST_NS	1000

/**
 * struct idle_latency_waker - the CPU that wakes the measured one
 * @session: its session
 * @thread: the kthread on the waker, with a reference
 * @ready: @skew is known, or @error
 * @error: why the waker cannot be used, a negative errno, or 0
 * @skew: by how much the TSC of the waker is ahead of that of the measured CPU
 * @csd: the function that is queued for the measured CPU
 * @wakes: how often the measured CPU had been woken when its last idle period began
 * @lock: protects what follows
 * @expires: when to send, CLOCK_MONOTONIC; KTIME_MAX: never
 * @sent: it was sent, and the event will be handled
 * @before_cyc: TSC before it was sent, in cycles
 * @after_cyc: TSC afterwards, in cycles
 * @wakes_before: as @wakes, before it was sent
 * @wakes_after: likewise afterwards
 */
struct idle_latency_waker {
	struct idle_latency_session *session;
	struct task_struct *thread;
	struct completion ready;
	int error;
	struct idle_latency_skew skew;
	call_single_data_t csd;
	u32 wakes;
	/* protects what follows */
	raw_spinlock_t lock;
	ktime_t expires;
	bool sent;
	u64 before_cyc;
	u64 after_cyc;
	u32 wakes_before;
	u32 wakes_after;
};

/* The waker whose interrupt a CPU waits for, or NULL. */
static DEFINE_PER_CPU(struct idle_latency_waker *, awaited);

/* How often other CPUs have woken each CPU by a write, while a session is there that counts it. */
static DEFINE_PER_CPU(atomic_t, wakes);

/* An interrupt that the waker has not sent is one of the scheduler, and is counted. */
static void probe_reschedule(void *data, int vector)
{
	/* First of all, as this is TIntr. */
	u64 tsc = hw_tsc();
	struct idle_latency_waker *waker = this_cpu_read(awaited);

	if (!waker || !READ_ONCE(waker->sent) || !READ_ONCE(waker->session->shot.armed))
		return;

	waker->session->shot.tintr_cyc = tsc;
	idle_latency_source_handled(waker->session);
}

static u32 wakes_of(const struct idle_latency_session *session)
{
	return atomic_read(per_cpu_ptr(&wakes, session->config.cpu));
}

static void probe_wake(void *data, int cpu)
{
	atomic_inc(per_cpu_ptr(&wakes, cpu));
}

/*
 * A tracepoint that a source needs. The kernel does not export it, but lists it for modules.
 * There is one probe for all sessions, which is there only while one runs.
 */
struct traced {
	const char *name;
	void *probe;
	struct tracepoint *tracepoint;
	unsigned int sessions;
};

static struct traced traced_reschedule = {
	.name = "reschedule_entry", .probe = probe_reschedule,
};

static struct traced traced_wake = {
	.name = "sched_wake_idle_without_ipi", .probe = probe_wake,
};

/* Protects both. */
static DEFINE_MUTEX(traced_lock);

static void find_tracepoint(struct tracepoint *tp, void *data)
{
	struct traced *traced = data;

	if (!strcmp(tp->name, traced->name))
		traced->tracepoint = tp;
}

/* Returns 0, or -EOPNOTSUPP where the kernel has it not. */
static int check_tracepoint(struct traced *traced)
{
	guard(mutex)(&traced_lock);

	if (!traced->tracepoint)
		for_each_kernel_tracepoint(find_tracepoint, traced);

	return traced->tracepoint ? 0 : -EOPNOTSUPP;
}

static int get_tracepoint(struct traced *traced)
{
	int err = 0;

	guard(mutex)(&traced_lock);

	if (!traced->sessions)
		err = tracepoint_probe_register(traced->tracepoint, traced->probe, NULL);
	if (!err)
		traced->sessions++;

	return err;
}

static void put_tracepoint(struct traced *traced)
{
	guard(mutex)(&traced_lock);

	if (--traced->sessions)
		return;

	tracepoint_probe_unregister(traced->tracepoint, traced->probe, NULL);
	tracepoint_synchronize_unregister();
}

/* Returns 0 or a negative errno. */
static int measure_skew(struct idle_latency_waker *waker)
{
	const struct idle_latency_config *config = &waker->session->config;
	u64 most_ns;
	int err;

	err = idle_latency_find_skew(config->cpu, config->waker, &waker->skew);
	if (err)
		return err;

	most_ns = idle_latency_cyc_to_ns(idle_latency_skew_most(&waker->skew), hw_tsc_khz());
	return most_ns > SKEW_MOST_NS ? -EXDEV : 0;
}

/* Nothing is sent from another CPU, to which the kthread is moved when its own goes offline. */
static void send(struct idle_latency_waker *waker)
{
	const struct idle_latency_config *config = &waker->session->config;
	bool by_write = config->source == IDLE_LATENCY_SOURCE_WRITE;
	ktime_t late;
	int err = 0;

	guard(raw_spinlock_irqsave)(&waker->lock);

	late = ktime_sub(ktime_get(), waker->expires);
	if (late < 0 || smp_processor_id() != config->waker)
		return;

	waker->expires = KTIME_MAX;
	if (ktime_to_ms(late) > SEND_WITHIN_MS)
		return;

	waker->wakes_before = wakes_of(waker->session);
	/* The handler of ipi may run before the interrupt was sent. */
	WRITE_ONCE(waker->sent, true);
	waker->before_cyc = hw_tsc_ordered();
	if (by_write)
		err = smp_call_function_single_async(config->cpu, &waker->csd);
	else
		smp_send_reschedule(config->cpu);
	waker->after_cyc = hw_tsc_ordered();
	waker->wakes_after = wakes_of(waker->session);
	/* The measured CPU is offline. */
	if (err)
		waker->sent = false;
}

static int waker_thread(void *data)
{
	struct idle_latency_waker *waker = data;
	ktime_t expires;

	waker->error = measure_skew(waker);
	complete(&waker->ready);

	for (;;) {
		set_current_state(TASK_IDLE);
		if (kthread_should_stop())
			break;
		scoped_guard(raw_spinlock_irqsave, &waker->lock)
			expires = waker->expires;
		schedule_hrtimeout_range(&expires, 0, HRTIMER_MODE_ABS);
		send(waker);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

/* On the measured CPU: in an interrupt, or when it has left idle. */
static void write_handler(void *data)
{
	/* First of all, as this is TIntr. */
	u64 tsc = hw_tsc();
	struct idle_latency_waker *waker = data;

	waker->session->shot.tintr_cyc = tsc;
	idle_latency_source_handled(waker->session);
}

static void end_kthread(struct idle_latency_waker *waker)
{
	kthread_stop(waker->thread);
	put_task_struct(waker->thread);
}

static int create_kthread(struct idle_latency_waker *waker)
{
	struct task_struct *thread;

	thread = kthread_create_on_cpu(waker_thread, waker, waker->session->config.waker,
				       "idle_latency_waker/%u");
	if (IS_ERR(thread))
		return PTR_ERR(thread);

	waker->thread = get_task_struct(thread);
	wake_up_process(thread);
	wait_for_completion(&waker->ready);
	if (!waker->error)
		return 0;

	end_kthread(waker);
	return waker->error;
}

static int waker_start(struct idle_latency_session *session)
{
	struct idle_latency_x86_session *x86 = to_x86_session(session);
	struct idle_latency_waker *waker;
	int err;

	waker = kzalloc_obj(*waker);
	if (!waker)
		return -ENOMEM;

	waker->session = session;
	waker->expires = KTIME_MAX;
	raw_spin_lock_init(&waker->lock);
	init_completion(&waker->ready);

	err = create_kthread(waker);
	if (err) {
		kfree(waker);
		return err;
	}

	INIT_CSD(&waker->csd, write_handler, waker);
	x86->waker = waker;
	/* A CPU that does not poll yet is told by an interrupt. It is pending at TBI then. */
	x86->vector = session->source->id == IDLE_LATENCY_SOURCE_IPI ? RESCHEDULE_VECTOR :
								      CALL_FUNCTION_SINGLE_VECTOR;
	return 0;
}

static void waker_stop(struct idle_latency_session *session)
{
	struct idle_latency_x86_session *x86 = to_x86_session(session);
	struct idle_latency_waker *waker = x86->waker;

	x86->vector = 0;
	x86->waker = NULL;
	end_kthread(waker);
	kfree(waker);
}

static void set_expires(struct idle_latency_waker *waker, ktime_t expires)
{
	guard(raw_spinlock_irqsave)(&waker->lock);

	waker->expires = expires;
}

static int waker_arm(struct idle_latency_session *session)
{
	struct idle_latency_waker *waker = to_x86_session(session)->waker;
	struct idle_latency_shot *shot = &session->shot;

	shot->expires = ktime_add_ns(ktime_get(), shot->ldist_ns);
	/* Nothing is sent now. An interrupt of the scheduler is not to pass for the one before. */
	WRITE_ONCE(waker->sent, false);
	/* Before the waker knows of the event: it may send at once. */
	WRITE_ONCE(shot->armed, true);
	set_expires(waker, shot->expires);
	wake_up_process(waker->thread);
	return 0;
}

static int ipi_disarm(struct idle_latency_session *session)
{
	set_expires(to_x86_session(session)->waker, KTIME_MAX);
	return 0;
}

/* A function that is queued runs on this CPU as soon as its interrupt comes. */
static int write_disarm(struct idle_latency_session *session)
{
	struct idle_latency_waker *waker = to_x86_session(session)->waker;

	set_expires(waker, KTIME_MAX);
	if (waker->sent)
		smp_cond_load_acquire(&session->shot.handled, VAL);
	return 0;
}

static void waker_explain(struct idle_latency_session *session,
			  struct idle_latency_event *event)
{
	const struct idle_latency_waker *waker = to_x86_session(session)->waker;
	struct idle_latency_cross monotonic;

	if (!event->handled) {
		/* Nothing woke the CPU, as the waker had something else to do for too long. */
		if (event->reasons & BIT(IDLE_LATENCY_DISCARD_LOST) && !waker->sent)
			event->reasons = BIT(IDLE_LATENCY_DISCARD_LATE);
		return;
	}

	event->cross = idle_latency_cross_between(waker->before_cyc, 0, waker->after_cyc, 0);
	event->cross.clock_ns = idle_latency_cyc_to_ns(event->cross.tsc, event->tsc_khz);
	idle_latency_cross_widen_cyc(&event->cross, idle_latency_skew_most(&waker->skew));
	event->ltime_ns = event->cross.clock_ns;
	event->ltime_known = true;

	monotonic = idle_latency_cross_monotonic();
	event->timer_later = idle_latency_timer_is_later(event, &monotonic,
							 session->shot.entry.next_event);
}

static void write_before_idle(struct idle_latency_session *session)
{
	to_x86_session(session)->waker->wakes = wakes_of(session);
}

/* Did somebody else write first? Then the waker only adds to what the CPU has been woken for. */
static bool woken_before(const struct idle_latency_waker *waker)
{
	return waker->wakes_before != waker->wakes || waker->wakes_after == waker->wakes_before;
}

/* What the waker writes to is what the state polls, and need_resched() tells of. */
static void write_explain(struct idle_latency_session *session,
			  struct idle_latency_event *event)
{
	waker_explain(session, event);
	if (event->handled && event->idle_periods &&
	    woken_before(to_x86_session(session)->waker))
		event->reasons |= BIT(IDLE_LATENCY_DISCARD_WOKEN);
	event->no_interrupt = true;
	event->polls = false;
	event->need_resched = false;
}

static void waker_record(const struct idle_latency_session *session,
			 struct idle_latency_record *record)
{
	const struct idle_latency_waker *waker = to_x86_session(session)->waker;

	record->latch_ns = idle_latency_cyc_to_ns(waker->after_cyc - waker->before_cyc,
						  hw_tsc_khz());
}

static int write_start(struct idle_latency_session *session)
{
	int err;

	err = waker_start(session);
	if (err)
		return err;

	err = get_tracepoint(&traced_wake);
	if (err)
		waker_stop(session);

	return err;
}

static void write_stop(struct idle_latency_session *session)
{
	put_tracepoint(&traced_wake);
	waker_stop(session);
}

static int waker_check(const struct idle_latency_config *config, u32 state_flags)
{
	if (config->waker == config->cpu)
		return -EINVAL;
	if (config->waker >= nr_cpu_ids || !cpu_online(config->waker))
		return -ENXIO;

	return idle_latency_check_tsc();
}

static int write_check(const struct idle_latency_config *config, u32 state_flags)
{
	if (!(state_flags & IDLE_LATENCY_STATE_WATCHES))
		return -EOPNOTSUPP;

	check_trace_callback_type_sched_wake_idle_without_ipi(probe_wake);
	return check_tracepoint(&traced_wake) ?: waker_check(config, state_flags);
}

static int ipi_start(struct idle_latency_session *session)
{
	int err;

	err = waker_start(session);
	if (err)
		return err;

	/* The waker is complete. The probe reaches it from now on. */
	smp_store_release(per_cpu_ptr(&awaited, session->config.cpu),
			  to_x86_session(session)->waker);
	err = get_tracepoint(&traced_reschedule);
	if (err) {
		per_cpu(awaited, session->config.cpu) = NULL;
		waker_stop(session);
	}

	return err;
}

static void forget_waker(void *unused)
{
	this_cpu_write(awaited, NULL);
}

static void ipi_stop(struct idle_latency_session *session)
{
	const unsigned int cpu = session->config.cpu;

	/* A CPU that is offline does not call the probe, and stays so. */
	scoped_guard(cpus_read_lock) {
		if (smp_call_function_single(cpu, forget_waker, NULL, 1))
			WRITE_ONCE(per_cpu(awaited, cpu), NULL);
	}
	put_tracepoint(&traced_reschedule);
	waker_stop(session);
}

static int ipi_check(const struct idle_latency_config *config, u32 state_flags)
{
	check_trace_callback_type_reschedule_entry(probe_reschedule);
	return check_tracepoint(&traced_reschedule) ?: waker_check(config, state_flags);
}

const struct idle_latency_source_ops idle_latency_write = {
	.id		= IDLE_LATENCY_SOURCE_WRITE,
	.ldist_min_ns	= IDLE_LATENCY_LDIST_MIN_NS,
	.has_waker	= true,
	.check		= write_check,
	.start		= write_start,
	.stop		= write_stop,
	.arm		= waker_arm,
	.disarm		= write_disarm,
	.before_idle	= write_before_idle,
	.explain	= write_explain,
	.record		= waker_record,
};

const struct idle_latency_source_ops idle_latency_ipi = {
	.id		= IDLE_LATENCY_SOURCE_IPI,
	.ldist_min_ns	= IDLE_LATENCY_LDIST_MIN_NS,
	.has_waker	= true,
	.check		= ipi_check,
	.start		= ipi_start,
	.stop		= ipi_stop,
	.arm		= waker_arm,
	.disarm		= ipi_disarm,
	.explain	= waker_explain,
	.record		= waker_record,
};
