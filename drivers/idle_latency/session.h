/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _IDLE_LATENCY_SESSION_H
#define _IDLE_LATENCY_SESSION_H

#include <linux/bits.h>
#include <linux/cpuhotplug.h>
#include <linux/kfifo.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/miscdevice.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

#include <uapi/linux/idle_latency.h>

#include "judge.h"

struct idle_latency_session;
struct task_struct;

/* Counters that take longer to read than all others. */
#define IDLE_LATENCY_PACKAGE_COUNTERS	GENMASK(IDLE_LATENCY_RESIDENCY_PC10, \
						IDLE_LATENCY_RESIDENCY_PC2)

/* They are read around one event of so many; a power of two. */
#define IDLE_LATENCY_PACKAGE_EVENTS	8

/* Records in the buffer of a session that asks for none, some 1 MiB; a power of two. */
#define IDLE_LATENCY_BUFFER_RECORDS	4096

/**
 * struct idle_latency_source_ops - an event source: what arms and explains an event
 * @id: one of &enum idle_latency_source
 * @ldist_min_ns: smallest launch distance, in ns
 * @has_waker: another CPU, which the configuration names, wakes the measured one
 * @check: can the source work on this machine, as configured, in a state with these
 *	IDLE_LATENCY_STATE_* bits? May sleep. Returns 0, -EOPNOTSUPP, or -ENODEV when the
 *	card is not there.
 * @start: get ready to arm events. May sleep. Returns 0 or a negative errno.
 * @stop: undo @start; no event is armed. May sleep. Optional.
 * @arm: called from the armer: arm the event @ldist_ns ahead. Returns 0; -ETIME
 *	when the launch time had passed before it was armed; any other error ends
 *	the session.
 * @disarm: called from the armer: when it returns, the event is not armed and its
 *	handler does not run. Returns 0, or an error that ends the session.
 * @before_idle: called on the measured CPU with interrupts disabled when an idle period begins
 *	with the event armed; takes note of what nothing will tell later. Optional.
 * @explain: called from the armer after the event was over; fills in what the source
 *	knows of it: @ltime_ns, @cross, what the timer of the CPU was programmed to, and
 *	adds to @reasons
 * @record: called from the armer: adds to a record what only this source knows. Optional.
 */
struct idle_latency_source_ops {
	u32 id;
	u64 ldist_min_ns;
	bool has_waker;
	int (*check)(const struct idle_latency_config *config, u32 state_flags);
	int (*start)(struct idle_latency_session *session);
	void (*stop)(struct idle_latency_session *session);
	int (*arm)(struct idle_latency_session *session);
	int (*disarm)(struct idle_latency_session *session);
	void (*before_idle)(struct idle_latency_session *session);
	void (*explain)(struct idle_latency_session *session,
			struct idle_latency_event *event);
	void (*record)(const struct idle_latency_session *session,
		       struct idle_latency_record *record);
};

/**
 * struct idle_latency_cstate - what the CPU has to say about an idle state
 * @present: counters that can be read, a bit for each of &enum
 *	idle_latency_residency_counter
 * @core: the counter that advances when the core is in the state, one of the same
 *	enum, or %IDLE_LATENCY_RESIDENCY_NONE
 * @package: likewise the package
 * @flags: those IDLE_LATENCY_STATE_* bits that the hardware decides
 * @timer_tick_ns: as much later the timer may fire in the state, in ns
 * @has_frequency: the CPU has what its frequency is computed from
 * @counts_smis: the CPU counts SMIs
 */
struct idle_latency_cstate {
	u32 present;
	u32 core;
	u32 package;
	u32 flags;
	u32 timer_tick_ns;
	bool has_frequency;
	bool counts_smis;
};

/**
 * struct idle_latency_interrupts - what interrupted a CPU since it came up
 * @irqs: interrupts, without NMIs
 * @timer_irqs: how many of them were of the CPU's own timer
 * @nmis: NMIs
 * @smis: SMIs, 0 where the CPU does not count them
 */
struct idle_latency_interrupts {
	u32 irqs;
	u32 timer_irqs;
	u32 nmis;
	u32 smis;
};

/**
 * struct idle_latency_entry - what cpuidle says of the last idle period of a CPU
 * @before_tsc: TSC directly before ->enter(), in cycles; only with enter stamps
 * @after_tsc: TSC directly after it, in cycles; only with enter stamps
 * @next_event: what the CPU's timer was programmed to, CLOCK_MONOTONIC
 * @requested: index of the state that was asked for, -1 where cpuidle was not asked
 * @entered: index of the state that was entered, -1 for none
 * @forced: cpuidle was told to enter it only
 */
struct idle_latency_entry {
	u64 before_tsc;
	u64 after_tsc;
	ktime_t next_event;
	int requested;
	int entered;
	bool forced;
};

/**
 * struct idle_latency_idle - what was seen of the last idle period
 * @tbi_cyc: TBI from the probe, in TSC cycles
 * @tai_cyc: TAI from the probe, in TSC cycles
 * @deadline_tsc: TSC deadline that was armed, 0 for none; hrt and tdt
 * @interrupts: interrupts before it
 * @state: index of the state that the tracepoint told of
 * @timer_pending: an interrupt of the CPU's own timer was pending when it began
 * @event_pending: likewise one of nic, write or ipi
 * @need_resched: a task was to run when it ended
 * @overwritten: another idle period began after the event was handled and before the
 *	armer looked, and what is here may be of that one
 * @periods: idle periods since the event was armed
 *
 * Written by the probe on the measured CPU with interrupts disabled, read by
 * the armer on the same CPU after the event was handled. The armer is runnable in
 * between, so that no idle period begins but those that are injected.
 */
struct idle_latency_idle {
	u64 tbi_cyc;
	u64 tai_cyc;
	u64 deadline_tsc;
	struct idle_latency_interrupts interrupts;
	unsigned int state;
	bool timer_pending;
	bool event_pending;
	bool need_resched;
	bool overwritten;
	u32 periods;
};

/**
 * struct idle_latency_frequency - what the core frequency is computed from
 * @aperf: MSR_IA32_APERF
 * @mperf: MSR_IA32_MPERF
 */
struct idle_latency_frequency {
	u64 aperf;
	u64 mperf;
};

/**
 * struct idle_latency_residency - readings of the residency counters
 * @begin_tsc: TSC before the counters were read before idle
 * @end_tsc: TSC after they were read after the wake-up
 * @begin: the counters before idle, by &enum idle_latency_residency_counter
 * @end: the counters after the wake-up
 * @woken: for the frequency after the wake-up
 */
struct idle_latency_residency {
	u64 begin_tsc;
	u64 end_tsc;
	u64 begin[IDLE_LATENCY_RESIDENCY_MAX];
	u64 end[IDLE_LATENCY_RESIDENCY_MAX];
	struct idle_latency_frequency woken;
};

/**
 * struct idle_latency_counted - what the counter of the state said at an earlier event
 * @begin_tsc: TSC before it was read before idle, 0 where nothing is known
 * @end: the counter after the wake-up
 */
struct idle_latency_counted {
	u64 begin_tsc;
	u64 end;
};

/**
 * struct idle_latency_machine_ops - what a session needs of the machine that it measures
 * @session_size: of what a session is a part of, at its beginning
 * @sources: what can arm events, with NULL at the end
 * @forced_flag: IDLE_LATENCY_RECORD_FORCED, or 0 where forcing a state is not all that
 *	decides which is entered
 * @has_enter_stamps: are there stamps around ->enter() of an idle state?
 * @tsc_khz: rate of the TSC
 * @tsc_step: by how many cycles the TSC advances at once, as far as is known
 * @tsc_unstable: has the kernel found the TSC to be unstable?
 * @find_state: find out what is known of an idle state. Interrupts the CPU once; with NULL for
 *	@cstate nobody, and only what is declared is filled in. May sleep. Returns 0 or an
 *	error as listed for IDLE_LATENCY_IOC_STATE.
 * @watch_add: from now on, abort the session when it cannot go on. May sleep. Returns 0 or
 *	a negative errno.
 * @watch_remove: undo @watch_add. May sleep.
 * @force_state: make a CPU enter one idle state and no other. Interrupts nobody. May sleep.
 *	Returns 0; -EINVAL when the CPU has no such state; -EBUSY when a state is forced; or
 *	another error.
 * @unforce_state: undo @force_state. Interrupts the CPU once. May sleep.
 * @observe: begin to write down what the measured CPU does. Interrupts nobody, but the first
 *	of all sessions patches the kernel. May sleep. Returns 0 or a negative errno.
 * @unobserve: undo @observe. Interrupts the CPU once; the last of all sessions also patches the
 *	kernel, and waits for a grace period of RCU. May sleep.
 * @read_entry: called from the armer after the event was over: what cpuidle says of the
 *	last idle period
 * @count_interrupts: called from the armer with interrupts disabled: what interrupted
 *	this CPU by now
 * @read_frequency: called from the armer with interrupts disabled, on the measured CPU:
 *	what its frequency is computed from
 *
 * Nothing here is called between arming an event and the end of its handler.
 */
struct idle_latency_machine_ops {
	size_t session_size;
	const struct idle_latency_source_ops *const *sources;
	u32 forced_flag;
	bool (*has_enter_stamps)(void);
	u32 (*tsc_khz)(void);
	u32 (*tsc_step)(void);
	bool (*tsc_unstable)(void);
	int (*find_state)(struct idle_latency_state *state,
			  struct idle_latency_cstate *cstate);
	int (*watch_add)(struct idle_latency_session *session);
	void (*watch_remove)(struct idle_latency_session *session);
	int (*force_state)(unsigned int cpu, int state);
	void (*unforce_state)(unsigned int cpu);
	int (*observe)(struct idle_latency_session *session);
	void (*unobserve)(struct idle_latency_session *session);
	void (*read_entry)(const struct idle_latency_session *session,
			   struct idle_latency_entry *entry);
	void (*count_interrupts)(const struct idle_latency_session *session,
				 struct idle_latency_interrupts *counts);
	void (*read_frequency)(const struct idle_latency_session *session,
			       struct idle_latency_frequency *frequency);
};

/**
 * struct idle_latency_device - a character device that measures a machine
 * @misc: the device; its name is set
 * @machine: the machine
 * @lock: protects @watched and @suspending; taken where CPUs cannot go offline
 * @watched: sessions that hotplug and suspend end
 * @suspending: the machine is about to be suspended, and no session is begun
 * @ended: who suspends the machine waits here until @watched is empty
 * @hotplug_state: for the CPU hotplug callback
 * @hotplug_node: likewise
 * @suspend_notifier: for the suspend callback
 */
struct idle_latency_device {
	struct miscdevice misc;
	const struct idle_latency_machine_ops *machine;
	/* protects what follows */
	struct mutex lock;
	struct list_head watched;
	bool suspending;
	wait_queue_head_t ended;
	enum cpuhp_state hotplug_state;
	struct hlist_node hotplug_node;
	struct notifier_block suspend_notifier;
};

/**
 * struct idle_latency_shot - one armed event
 * @ldist_ns: launch distance, in ns
 * @counters: residency counters that are read around it, a bit for each
 * @expires: when the timer of the event is due, CLOCK_MONOTONIC; not nic
 * @late: the launch time had passed before the event was armed
 * @lost: the event did not fire in time
 * @armed: the event is armed; probe and handler ignore everything else
 * @handled: the handler has run, and all below but @entry is written
 * @cpu: CPU on which the handler ran
 * @tintr_cyc: TIntr, in TSC cycles
 * @cross: the clock of the source against the TSC, read in the handler; hrt, tdt and nic
 * @residency: readings around the last idle period
 * @idle: the last idle period, as the probe saw it
 * @entry: the same, as cpuidle saw it
 */
struct idle_latency_shot {
	u64 ldist_ns;
	u32 counters;
	ktime_t expires;
	bool late;
	bool lost;
	bool armed;
	bool handled;
	unsigned int cpu;
	u64 tintr_cyc;
	struct idle_latency_cross cross;
	struct idle_latency_residency residency;
	struct idle_latency_idle idle;
	struct idle_latency_entry entry;
};

/**
 * struct idle_latency_session - an open /dev/idle_latency
 * @device: the device that was opened
 * @machine: the machine of @device
 * @lock: serialises configuring, starting and stopping
 * @config: what to measure; @configured says whether it was ever set
 * @record_size: size of a record as the reader knows it, in bytes; written under both
 *	@lock and @read_lock
 * @source: the source of @config
 * @stamp: one of &enum idle_latency_stamp
 * @state: what was known of the state when the session was configured
 * @cstate: what the measured CPU has to say about it
 * @configured: @config is valid
 * @forced: the state is forced, and nobody but this session has done it
 * @started: there was a session to read from
 * @armer: the kthread that arms events, with a reference; NULL when there is
 *	none to stop
 * @others: in @watched of the device
 * @shot: the event in flight; belongs to the armer except while it is armed
 * @counted: the event before, where nothing came between
 * @finished: the machine is as it was, and no more records will come
 * @error: why the session has to end early, a negative errno, or 0
 * @read_lock: serialises readers; taken inside @lock
 * @records: written by the armer, read under @read_lock
 * @wake_at: number of records in @records that wakes the reader
 * @readable: reader and poll wait here for records
 * @writable: the armer waits here for room
 * @counts_lock: protects @counts
 * @counts: what became of the events
 */
struct idle_latency_session {
	struct idle_latency_device *device;
	const struct idle_latency_machine_ops *machine;
	/* serialises configuring, starting and stopping */
	struct mutex lock;
	struct idle_latency_config config;
	size_t record_size;
	const struct idle_latency_source_ops *source;
	u32 stamp;
	struct idle_latency_state state;
	struct idle_latency_cstate cstate;
	bool configured;
	bool forced;
	bool started;
	struct task_struct *armer;
	struct list_head others;
	struct idle_latency_shot shot;
	struct idle_latency_counted counted;

	bool finished;
	int error;
	/* serialises readers; taken inside lock */
	struct mutex read_lock;
	DECLARE_KFIFO_PTR(records, struct idle_latency_record);
	unsigned int wake_at;
	wait_queue_head_t readable;
	wait_queue_head_t writable;

	/* protects counts */
	spinlock_t counts_lock;
	struct idle_latency_counts counts;
};

/**
 * idle_latency_on_measured_cpu() - may what only the measured CPU has be read?
 * @session: the session
 *
 * While that CPU goes offline, the armer and the interrupts of a device move to
 * another one, which may lack counters or has other counts.
 *
 * Context: interrupts disabled.
 * Return: whether this is the measured CPU.
 */
static inline bool idle_latency_on_measured_cpu(const struct idle_latency_session *session)
{
	lockdep_assert_irqs_disabled();

	return smp_processor_id() == session->config.cpu;
}

/* buffer.c */
int idle_latency_make_room(struct idle_latency_session *session,
			   const struct idle_latency_config *config);
void idle_latency_free_buffer(struct idle_latency_session *session);

/* core.c */
bool idle_latency_claim_cpu(unsigned int cpu);
void idle_latency_yield_cpu(unsigned int cpu);
int idle_latency_configure(struct idle_latency_session *session,
			   const struct idle_latency_config *config);
int idle_latency_start(struct idle_latency_session *session);
int idle_latency_stop(struct idle_latency_session *session);
int idle_latency_force(struct idle_latency_session *session);
void idle_latency_unforce(struct idle_latency_session *session);
void idle_latency_abort(struct idle_latency_session *session, int error);
void idle_latency_finish(struct idle_latency_session *session);

/* chrdev.c */
int idle_latency_register(struct idle_latency_device *device);
void idle_latency_unregister(struct idle_latency_device *device);

/* armer.c */
void idle_latency_event_handled(struct idle_latency_session *session);
int idle_latency_armer(void *data);

/* record.c */
bool idle_latency_residency_cyc(u64 begin, u64 end, u32 count_cyc, u64 interval_cyc,
				u64 *residency_cyc);
bool idle_latency_reached(u64 residency_cyc, s64 silent_ns, u64 entry_ns, u32 khz);
void idle_latency_follow_counter(struct idle_latency_session *session, u64 *advanced_cyc,
				 u64 *between_cyc);
struct idle_latency_record
idle_latency_make_record(const struct idle_latency_session *session,
			 const struct idle_latency_event *event,
			 const struct idle_latency_times *times);

/* watch.c */
int idle_latency_cpu_goes_offline(unsigned int cpu, struct hlist_node *node);
int idle_latency_watch_init(struct idle_latency_device *device);
void idle_latency_watch_exit(struct idle_latency_device *device);
int idle_latency_watch_add(struct idle_latency_session *session);
void idle_latency_watch_remove(struct idle_latency_session *session);

#endif /* _IDLE_LATENCY_SESSION_H */
