/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A machine in memory for the unit tests of sessions, with an event source and a clock.
 * An open device, its armer and its user memory are real.
 *
 * A cycle of the TSC is a ns of the clock of the source. Nothing happens by itself: the
 * source holds an event until the test lets it go.
 */
#ifndef _IDLE_LATENCY_FAKE_MACHINE_H
#define _IDLE_LATENCY_FAKE_MACHINE_H

#include <kunit/test.h>
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "../session.h"

#define REASON(name)	BIT(IDLE_LATENCY_DISCARD_##name)

#define FAKE_KHZ		1000000

/* The events that are not changed by a test. */
#define FAKE_LDIST_NS		10000
#define FAKE_ENTRY_NS		100
#define FAKE_WAKE_NS		500
#define FAKE_INTR_NS		800

/* The clock of the source is ahead of the TSC. */
#define FAKE_AHEAD_NS		7000000

/* Two conversions to ns are rounded. */
#define FAKE_ERROR_NS		2

#define FAKE_EXIT_LATENCY_NS	1234

/* How much farther from the idle period the probe stamps. */
#define FAKE_PROBE_NS		50

/* How much farther yet the residency counters are read, and how long that is in all. */
#define FAKE_COUNTERS_NS	60
#define FAKE_INTERVAL_CYC	(FAKE_LDIST_NS - FAKE_ENTRY_NS + FAKE_INTR_NS + \
				 2 * FAKE_COUNTERS_NS)

/* That much of SilentTime is spent in the state. */
#define FAKE_RESIDENCY_CYC	9000

#define FAKE_STATE		2

/* What the frequency says at the wake-up, and how far it gets. */
#define FAKE_WOKEN_APERF	70000
#define FAKE_WOKEN_MPERF	50000
#define FAKE_APERF		300
#define FAKE_MPERF		200

/* What only the source knows. */
#define FAKE_WARMUP_NS		11
#define FAKE_LATCH_NS		12

/**
 * enum fake_step - what start does one after the other
 * @FAKE_WATCH: watch_add() of the machine
 * @FAKE_FIND: find_state()
 * @FAKE_CHECK: check() of the source
 * @FAKE_FORCE: force_state()
 * @FAKE_OBSERVE: observe()
 * @FAKE_START: start() of the source
 * @FAKE_STEPS: their number
 */
enum fake_step {
	FAKE_WATCH,
	FAKE_FIND,
	FAKE_CHECK,
	FAKE_FORCE,
	FAKE_OBSERVE,
	FAKE_START,
	FAKE_STEPS,
};

/* What the log says of these steps. */
#define STARTED		"watch force find check observe start"
#define FINISHED	"-start -observe -force -watch"

/* The steps of which something remains to be undone. */
#define HELD		(BIT(FAKE_WATCH) | BIT(FAKE_FORCE) | BIT(FAKE_OBSERVE) | BIT(FAKE_START))

/**
 * enum fake_outcome - what becomes of an event that is let go
 * @FAKE_FIRES: its handler runs
 * @FAKE_LATE: it was armed too late, and its handler does not run
 * @FAKE_LATE_FIRES: it was armed too late, and its handler runs
 * @FAKE_LOST: it never fires
 * @FAKE_BREAKS: the source cannot arm it
 * @FAKE_STICKS: its handler runs, and the source cannot disarm it
 * @FAKE_WAITS: it fires when the test says so, see fake_fire()
 */
enum fake_outcome {
	FAKE_FIRES,
	FAKE_LATE,
	FAKE_LATE_FIRES,
	FAKE_LOST,
	FAKE_BREAKS,
	FAKE_STICKS,
	FAKE_WAITS,
};

/**
 * struct fake_event - what the machine shows of an event; a difference to one that is
 * believed, except for the first
 * @outcome: what becomes of it
 * @cpu: the handler runs on another CPU by this much
 * @periods: idle periods more than one, or -1
 * @state: the tracepoint tells of another state by this much
 * @requested: cpuidle was asked for another state by this much
 * @entered: another state was entered by this much
 * @unforced: a governor was asked for the state
 * @overwritten: another idle period followed
 * @irqs: interrupts more than the event's own
 * @timer_irqs: how many of them were of the CPU's timer
 * @timer_later: that timer was due after the event
 * @nmis: NMIs
 * @smis: SMIs
 * @need_resched: a task was to run
 * @timer_pending: an interrupt of the CPU's timer was pending
 * @event_pending: one of the source was
 * @due_ns: the event was due so long before idle began, 0 for not
 * @unstable: the TSC is unstable
 * @wake_ns: TAI was later by this much, and TIntr too
 * @early_ns: TIntr was earlier by this much
 * @error_cyc: error of the cross-timestamp
 * @reasons: what the source says against it
 */
struct fake_event {
	enum fake_outcome outcome;
	int cpu;
	int periods;
	int state;
	int requested;
	int entered;
	bool unforced;
	bool overwritten;
	u32 irqs;
	u32 timer_irqs;
	bool timer_later;
	u32 nmis;
	u32 smis;
	bool need_resched;
	bool timer_pending;
	bool event_pending;
	u64 due_ns;
	bool unstable;
	u64 wake_ns;
	u64 early_ns;
	u32 error_cyc;
	u32 reasons;
};

/**
 * struct fake_costs - what was done since it was cleared that takes time of the whole machine
 * @ipis: interrupts of one CPU that are waited for
 * @locks: locks that all sessions take
 * @patches: changes of the text of the kernel
 * @grace_periods: of RCU
 */
struct fake_costs {
	unsigned int ipis;
	unsigned int locks;
	unsigned int patches;
	unsigned int grace_periods;
};

/**
 * struct fake - the machine, and a session on it
 * @device: the device
 * @file: as which it is open
 * @session: the session of @file
 * @user: memory of user space, of the size FAKE_USER
 * @fail: the step that fails, with @fail_error
 * @fail_error: a negative errno, or 0 for no step to fail
 * @during: called after each step of start, or NULL
 * @state_flags: IDLE_LATENCY_STATE_* bits
 * @exit_latency_ns: what is declared for each state
 * @target_residency_ns: likewise
 * @no_enter_stamps: the machine stamps in the probe only
 * @no_counters: no residency counter belongs to the state
 * @unforced: the forcing of the state was lost
 * @khz: rate of the TSC
 * @step: by how much it advances at once
 * @asked: the state that was asked for last
 * @refusals: what hotplug and close returned, which cannot fail
 * @log: steps that were done and undone since the log was cleared
 * @times: how often each step was done and not undone
 * @in_force: steps of which that is not never, a bit for each
 * @costs: what that cost, as struct idle_latency_machine_ops says
 * @others_observe: sessions of other CPUs are running
 * @suspend: has the machine suspended and resumed
 * @suspend_action: what it does, one of PM_*
 * @suspended: that is over
 * @changed: the armer waits here until an event may go
 * @event: the events that are let go
 * @go: how many events may go
 * @held: the armer is about to arm an event, and waits until that may go
 * @armed: events that are armed
 * @tsc: the time
 * @ltime: that of the event in flight
 * @interrupts: of the CPU
 * @entry: what cpuidle says of the last idle period
 * @residency: how much each counter advances in an idle period
 * @late: how much that of the core advances after it
 * @counted: the counters
 * @record: the record that was looked at last
 * @counts: the counts that were looked at last
 */
struct fake {
	struct idle_latency_device device;
	struct file *file;
	struct idle_latency_session *session;
	unsigned long user;

	enum fake_step fail;
	int fail_error;
	void (*during)(struct fake *fake, enum fake_step step);
	u32 state_flags;
	u64 exit_latency_ns;
	u64 target_residency_ns;
	bool no_enter_stamps;
	bool no_counters;
	bool unforced;
	u32 khz;
	u32 step;
	struct idle_latency_state asked;
	int refusals;
	char log[256];
	int times[FAKE_STEPS];
	u32 in_force;
	struct fake_costs costs;
	bool others_observe;
	struct work_struct suspend;
	unsigned long suspend_action;
	bool suspended;

	wait_queue_head_t changed;
	struct fake_event event;
	unsigned int go;
	bool held;
	int armed;

	u64 tsc;
	u64 ltime;
	struct idle_latency_interrupts interrupts;
	struct idle_latency_entry entry;
	u64 residency[IDLE_LATENCY_RESIDENCY_MAX];
	u64 late;
	u64 counted[IDLE_LATENCY_RESIDENCY_MAX];
	struct idle_latency_record record;
	struct idle_latency_counts counts;
};

/* What poll() returns, as numbers. */
#define FAKE_POLL_READ	((__force u32)(EPOLLIN | EPOLLRDNORM))
#define FAKE_POLL_HUP	((__force u32)EPOLLHUP)

/* Room for all records that there can be, and more. */
#define FAKE_USER	(2 * 1024 * 1024)

extern const struct idle_latency_config fake_config;

static inline void fake_clear_log(struct fake *fake)
{
	fake->log[0] = '\0';
}

int fake_init(struct kunit *test);
void fake_exit(struct kunit *test);

/* fake_user.c */
int fake_open(struct fake *fake);
void fake_close(struct fake *fake);
int fake_configure(struct fake *fake, const struct idle_latency_config *config);
long fake_ioctl(struct fake *fake, unsigned int cmd);
ssize_t fake_read(struct fake *fake, size_t records, bool block);
const struct idle_latency_record *fake_record(struct fake *fake, size_t number);
u32 fake_poll(struct fake *fake);
const struct idle_latency_counts *fake_counts(struct fake *fake);

void fake_start(struct kunit *test, const struct idle_latency_config *config);
void fake_run(struct kunit *test, unsigned int events);
void fake_expect_accounted(struct kunit *test);
void fake_let_go(struct fake *fake, unsigned int events);
bool fake_settles(struct fake *fake);
bool fake_finishes(struct fake *fake);
bool fake_lets_go(struct fake *fake);
bool fake_sleeps(struct fake *fake);
void fake_fire(struct fake *fake);

void fake_goes_offline(struct fake *fake, unsigned int cpu);
void fake_suspends(struct fake *fake, unsigned long action);
void fake_resumes(struct fake *fake);

#endif /* _IDLE_LATENCY_FAKE_MACHINE_H */
