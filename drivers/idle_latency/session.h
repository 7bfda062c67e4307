/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _IDLE_LATENCY_SESSION_H
#define _IDLE_LATENCY_SESSION_H

#include <linux/hrtimer.h>
#include <linux/kfifo.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

#include <uapi/linux/idle_latency.h>

#include "math.h"

struct idle_latency_nic;
struct idle_latency_session;
struct module;
struct task_struct;

/* Records in the buffer of a session: 1 MiB, a power of two for kfifo. */
#define IDLE_LATENCY_BUFFER_RECORDS	4096

/**
 * struct idle_latency_source_ops - an event source: what arms and explains an event
 * @id: one of &enum idle_latency_source
 * @ldist_min_ns: smallest launch distance, in ns
 * @check: can the source work on this machine? May sleep. Returns 0 or
 *	-EOPNOTSUPP.
 * @start: get ready to arm events. May sleep. Returns 0 or a negative errno.
 * @stop: undo @start; no event is armed. May sleep. Optional.
 * @arm: called from the armer: arm the event @ldist_ns ahead. Returns 0; -ETIME
 *	when the launch time had passed before it was armed; any other error ends
 *	the session.
 * @disarm: called from the armer: when it returns, the event is not armed and its
 *	handler does not run. Returns 0, or an error that ends the session.
 * @before_idle: called on the measured CPU with interrupts disabled when an idle
 *	period begins with the event armed; takes note of what the hardware will
 *	not tell later. Optional.
 * @explain: called from the armer after the event was handled; fills in
 *	@ltime_ns, @cross and whatever @before_idle found
 * @record: called from the armer: adds to a record what only this source knows.
 *	Optional.
 */
struct idle_latency_source_ops {
	u32 id;
	u64 ldist_min_ns;
	int (*check)(void);
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
 * struct idle_latency_hold - an idle state held as the only one of a CPU
 * @owner: module of the cpuidle driver, pinned so that the states stay
 * @cpu: the CPU
 * @state: index of the state
 * @polls: the state polls
 * @was_disabled: user space had disabled the state
 */
struct idle_latency_hold {
	struct module *owner;
	unsigned int cpu;
	unsigned int state;
	bool polls;
	bool was_disabled;
};

/**
 * struct idle_latency_interrupts - what interrupted a CPU since it came up
 * @irqs: interrupts, without NMIs
 * @nmis: NMIs
 * @smis: SMIs, 0 where the CPU does not count them
 */
struct idle_latency_interrupts {
	u32 irqs;
	u32 nmis;
	u32 smis;
};

/**
 * struct idle_latency_idle - what was seen of the last idle period
 * @tbi_tsc: TBI from the probe, in TSC cycles
 * @tai_tsc: TAI from the probe, in TSC cycles
 * @next_timer: what the CPU's timer was programmed to, CLOCK_MONOTONIC, 0 where
 *	cpuidle was not asked
 * @usage: number of times the state had been entered before
 * @deadline_tsc: TSC deadline that was armed, 0 for none; tdt only
 * @interrupts: interrupts before it
 * @state: index of the state that was asked for
 * @woken: a task was to run when it ended
 * @periods: idle periods since the event was armed
 *
 * Written by the probe on the measured CPU with interrupts disabled, read by
 * the armer on the same CPU after the event was handled; no idle period can
 * begin between these two, because the armer is runnable.
 */
struct idle_latency_idle {
	u64 tbi_tsc;
	u64 tai_tsc;
	ktime_t next_timer;
	unsigned long long usage;
	u64 deadline_tsc;
	struct idle_latency_interrupts interrupts;
	unsigned int state;
	bool woken;
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
 * struct idle_latency_shot - one armed event
 * @ldist_ns: launch distance, in ns
 * @expires: when the timer of the event is due, CLOCK_MONOTONIC; hrt and tdt
 * @late: the launch time had passed before the event was armed
 * @lost: the event did not fire in time
 * @armed: the event is armed; probe and handler ignore everything else
 * @handled: the handler has run and all below is written
 * @cpu: CPU on which the handler ran
 * @tintr_tsc: TIntr, in TSC cycles
 * @cross: the clock of the source against the TSC, read in the handler; not tdt
 * @residency: readings around the last idle period
 * @idle: the last idle period
 */
struct idle_latency_shot {
	u64 ldist_ns;
	ktime_t expires;
	bool late;
	bool lost;
	bool armed;
	bool handled;
	unsigned int cpu;
	u64 tintr_tsc;
	struct idle_latency_cross cross;
	struct idle_latency_residency residency;
	struct idle_latency_idle idle;
};

/**
 * struct idle_latency_session - an open /dev/idle_latency
 * @lock: serialises configuring, starting and stopping
 * @config: what to measure; @configured says whether it was ever set
 * @source: the source of @config
 * @stamp: one of &enum idle_latency_stamp
 * @has_smi_count: the measured CPU has MSR_SMI_COUNT
 * @residency_present: counters that can be read on the measured CPU, a bit for
 *	each of &enum idle_latency_residency_counter
 * @has_aperf: the measured CPU has MSR_IA32_APERF and MSR_IA32_MPERF
 * @configured: @config is valid
 * @started: there was a session to read from
 * @armer: the kthread that arms events, with a reference; NULL when there is
 *	none to stop
 * @hotplug_node: for the CPU hotplug callback
 * @suspend_notifier: for the suspend callback
 * @hold: the held state
 * @timer: timer of hrt and tdt
 * @nic: the card of nic, while it runs
 * @shot: the event in flight; belongs to the armer except while it is armed
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
	/* serialises configuring, starting and stopping */
	struct mutex lock;
	struct idle_latency_config config;
	const struct idle_latency_source_ops *source;
	u32 stamp;
	bool has_smi_count;
	u32 residency_present;
	bool has_aperf;
	bool configured;
	bool started;
	struct task_struct *armer;
	struct hlist_node hotplug_node;
	struct notifier_block suspend_notifier;
	struct idle_latency_hold hold;
	struct hrtimer timer;
	struct idle_latency_nic *nic;
	struct idle_latency_shot shot;

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

/* core.c */
int idle_latency_configure(struct idle_latency_session *session,
			   const struct idle_latency_config *config);
int idle_latency_start(struct idle_latency_session *session);
int idle_latency_stop(struct idle_latency_session *session);
void idle_latency_abort(struct idle_latency_session *session, int error);
void idle_latency_finish(struct idle_latency_session *session);

/* chrdev.c */
int idle_latency_chrdev_register(void);
void idle_latency_chrdev_unregister(void);

/* armer.c */
void idle_latency_event_handled(struct idle_latency_session *session);
int idle_latency_armer(void *data);

/* hotplug.c */
int idle_latency_hotplug_init(void);
void idle_latency_hotplug_exit(void);
int idle_latency_hotplug_add(struct idle_latency_session *session);
void idle_latency_hotplug_remove(struct idle_latency_session *session);

/* hold.c */
int idle_latency_check_state(unsigned int cpu, unsigned int state);
int idle_latency_hold_state(struct idle_latency_hold *hold, unsigned int cpu,
			    unsigned int state);
void idle_latency_unhold_state(struct idle_latency_hold *hold);

/* interrupts.c */
void idle_latency_interrupts_init(struct idle_latency_session *session);
void idle_latency_count_interrupts(const struct idle_latency_session *session,
				   struct idle_latency_interrupts *counts);

/* probe.c */
int idle_latency_probe_add(struct idle_latency_session *session);
void idle_latency_probe_remove(struct idle_latency_session *session);
bool idle_latency_probe_entered(const struct idle_latency_session *session);

/* residency.c */
void idle_latency_residency_init(struct idle_latency_session *session);
void idle_latency_residency_begin(struct idle_latency_session *session);
void idle_latency_residency_end(struct idle_latency_session *session);
void idle_latency_residency_record(struct idle_latency_session *session,
				   struct idle_latency_record *record);

/* suspend.c */
int idle_latency_suspend_add(struct idle_latency_session *session);
void idle_latency_suspend_remove(struct idle_latency_session *session);

/* stamps.c */
bool idle_latency_has_enter_stamps(void);
void idle_latency_stamps_on(const struct idle_latency_session *session);
void idle_latency_stamps_off(const struct idle_latency_session *session);
void idle_latency_read_stamps(const struct idle_latency_session *session,
			      struct idle_latency_event *event);

/* nic_pci.c */
#ifdef CONFIG_IDLE_LATENCY_NIC
int idle_latency_nic_register(void);
void idle_latency_nic_unregister(void);
#else
static inline int idle_latency_nic_register(void) { return 0; }
static inline void idle_latency_nic_unregister(void) { }
#endif

/* timer.c */
int idle_latency_timer_start(struct idle_latency_session *session);
int idle_latency_timer_arm(struct idle_latency_session *session);
int idle_latency_timer_disarm(struct idle_latency_session *session);
void idle_latency_timer_explain(const struct idle_latency_session *session,
				struct idle_latency_event *event);
int idle_latency_timer_check(void);

extern const struct idle_latency_source_ops idle_latency_hrt;
extern const struct idle_latency_source_ops idle_latency_tdt;
extern const struct idle_latency_source_ops idle_latency_nic_source;

#endif /* _IDLE_LATENCY_SESSION_H */
