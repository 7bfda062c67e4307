// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests for the states of a session: what each command does in each of them, what
 * is undone when a step of start fails, and what the machine may do in between.
 */
#include <kunit/test.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/miscdevice.h>
#include <linux/sched.h>
#include <linux/suspend.h>

#include "fake_machine.h"

#define STARTED		"watch force find check observe start"
#define FINISHED	"-start -observe -force -watch"

/* The steps of which something remains to be undone. */
#define HELD		(BIT(FAKE_WATCH) | BIT(FAKE_FORCE) | BIT(FAKE_OBSERVE) | BIT(FAKE_START))

static void clear_log(struct fake *fake)
{
	fake->log[0] = '\0';
}

/* Bring the session to where its armer waits for an event. */
static void configure_and_start(struct kunit *test, const struct idle_latency_config *config)
{
	struct fake *fake = test->priv;

	KUNIT_ASSERT_EQ(test, fake_configure(fake, config), 0);
	KUNIT_ASSERT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), 0);
	KUNIT_ASSERT_TRUE(test, fake_settles(fake));
}

/**
 * enum state - what a session can be
 * @UNCONFIGURED: opened
 * @CONFIGURED: not yet started
 * @RUNNING: an event is in flight
 * @FULL: the armer waits for the reader
 * @FINISHED_ALL: it has all its samples
 * @FAILED: it ended with an error
 * @STOPPED: it was stopped
 */
enum state {
	UNCONFIGURED,
	CONFIGURED,
	RUNNING,
	FULL,
	FINISHED_ALL,
	FAILED,
	STOPPED,
};

#define SAMPLES	2

static void enter(struct kunit *test, enum state state)
{
	struct idle_latency_config config = fake_config;
	struct fake *fake = test->priv;

	if (state == UNCONFIGURED)
		return;

	if (state == FINISHED_ALL)
		config.samples = SAMPLES;
	KUNIT_ASSERT_EQ(test, fake_configure(fake, &config), 0);
	if (state == CONFIGURED)
		return;

	KUNIT_ASSERT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), 0);
	KUNIT_ASSERT_TRUE(test, fake_settles(fake));
	if (state == RUNNING)
		return;

	if (state == FAILED)
		fake->event.outcome = FAKE_BREAKS;
	if (state != STOPPED)
		fake_let_go(fake, IDLE_LATENCY_BUFFER_RECORDS);
	else
		KUNIT_ASSERT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STOP), 0);
	KUNIT_ASSERT_TRUE(test, fake_settles(fake));
	fake->event.outcome = FAKE_FIRES;
	fake->go = 0;
}

/**
 * struct command_case - what the commands do in a state
 * @name: the state
 * @state: the same
 * @configure: what CONFIG returns
 * @start: what START returns
 * @stop: what STOP returns
 * @read: what read() of more records than there are returns, without waiting; in records
 * @again: what the same returns when it is called again
 * @poll: what poll() returns
 * @runs: the machine is not as it was
 */
struct command_case {
	const char *name;
	enum state state;
	int configure;
	int start;
	int stop;
	int read;
	int again;
	u32 poll;
	bool runs;
};

static const struct command_case command_cases[] = {
	{ "not configured", UNCONFIGURED, 0, -EINVAL, -EINVAL, -EINVAL, -EINVAL, 0, false },
	{ "configured", CONFIGURED, 0, 0, -EINVAL, -EINVAL, -EINVAL, 0, false },
	{ "running", RUNNING, -EBUSY, -EBUSY, 0, -EAGAIN, -EAGAIN, 0, true },
	{ "waiting for the reader", FULL, -EBUSY, -EBUSY, 0, IDLE_LATENCY_BUFFER_RECORDS,
	  -EAGAIN, FAKE_POLL_READ, true },
	{ "finished", FINISHED_ALL, 0, 0, -EINVAL, SAMPLES, 0,
	  FAKE_POLL_READ | FAKE_POLL_HUP, false },
	{ "failed", FAILED, 0, 0, -EINVAL, -EIO, -EIO, FAKE_POLL_READ | FAKE_POLL_HUP, false },
	{ "stopped", STOPPED, 0, 0, -EINVAL, 0, 0, FAKE_POLL_READ | FAKE_POLL_HUP, false },
};

KUNIT_ARRAY_PARAM_DESC(command, command_cases, name);

static void configure_in(struct kunit *test)
{
	const struct command_case *c = test->param_value;
	struct fake *fake = test->priv;

	enter(test, c->state);
	KUNIT_EXPECT_EQ(test, fake_configure(fake, &fake_config), c->configure);
	KUNIT_EXPECT_EQ(test, fake->in_force, c->runs ? HELD : 0);
	if (c->configure)
		return;

	/* What was before is forgotten. */
	KUNIT_EXPECT_EQ(test, fake_counts(fake)->armed, 0);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 1, false), -EINVAL);
	KUNIT_EXPECT_EQ(test, fake_poll(fake), 0);
}

static void start_in(struct kunit *test)
{
	const struct command_case *c = test->param_value;
	struct fake *fake = test->priv;

	enter(test, c->state);
	clear_log(fake);
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), c->start);
	KUNIT_EXPECT_STREQ(test, fake->log, c->start ? "" : STARTED);
	KUNIT_EXPECT_EQ(test, fake->in_force, c->runs || !c->start ? HELD : 0);
	if (c->start)
		return;

	/* Results of a session before are gone. */
	KUNIT_ASSERT_TRUE(test, fake_settles(fake));
	KUNIT_EXPECT_EQ(test, fake_counts(fake)->armed, 1);
	KUNIT_EXPECT_EQ(test, fake_counts(fake)->pending, 1);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 1, false), -EAGAIN);
}

static void stop_in(struct kunit *test)
{
	const struct command_case *c = test->param_value;
	const struct idle_latency_counts *counts;
	struct fake *fake = test->priv;

	enter(test, c->state);
	clear_log(fake);
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STOP), c->stop);
	KUNIT_EXPECT_STREQ(test, fake->log, c->stop ? "" : FINISHED);
	KUNIT_EXPECT_EQ(test, fake->in_force, 0);
	KUNIT_EXPECT_EQ(test, fake->armed, 0);
	KUNIT_EXPECT_FALSE(test, fake->session->shot.armed);
	if (c->stop)
		return;

	counts = fake_counts(fake);
	KUNIT_EXPECT_EQ(test, counts->pending, 0);
	KUNIT_EXPECT_EQ(test, counts->discarded[IDLE_LATENCY_DISCARD_STOPPED],
			c->state == RUNNING);
	KUNIT_EXPECT_EQ(test, counts->armed, counts->delivered + (c->state == RUNNING));
	KUNIT_EXPECT_EQ(test, fake_poll(fake), FAKE_POLL_READ | FAKE_POLL_HUP);
	KUNIT_EXPECT_EQ(test, fake_read(fake, counts->delivered + 1, false), counts->delivered);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 1, false), 0);
}

static void read_in(struct kunit *test)
{
	const struct command_case *c = test->param_value;
	struct fake *fake = test->priv;

	enter(test, c->state);
	KUNIT_EXPECT_EQ(test, fake_poll(fake), c->poll);
	KUNIT_EXPECT_EQ(test, fake_read(fake, IDLE_LATENCY_BUFFER_RECORDS + 1, false), c->read);
	if (c->runs)
		KUNIT_EXPECT_TRUE(test, fake_settles(fake));
	KUNIT_EXPECT_EQ(test, fake_read(fake, 1, false), c->again);
	KUNIT_EXPECT_EQ(test, fake->in_force, c->runs ? HELD : 0);
}

static void close_in(struct kunit *test)
{
	const struct command_case *c = test->param_value;
	struct fake *fake = test->priv;

	enter(test, c->state);
	clear_log(fake);
	fake_close(fake);
	KUNIT_EXPECT_STREQ(test, fake->log, c->runs ? FINISHED : "");
	KUNIT_EXPECT_EQ(test, fake->in_force, 0);
	KUNIT_EXPECT_EQ(test, fake_open(fake), 0);
}

/* What ends a session, and what does not. */
static void goes_offline(struct fake *fake)
{
	fake_goes_offline(fake, fake_config.cpu);
}

static void another_goes_offline(struct fake *fake)
{
	fake_goes_offline(fake, fake_config.cpu + 1);
}

static void suspends(struct fake *fake)
{
	fake_suspends(fake, PM_SUSPEND_PREPARE);
}

static void hibernates(struct fake *fake)
{
	fake_suspends(fake, PM_HIBERNATION_PREPARE);
}

static void is_restored(struct fake *fake)
{
	fake_suspends(fake, PM_RESTORE_PREPARE);
}

static void has_been_suspended(struct fake *fake)
{
	fake_suspends(fake, PM_POST_SUSPEND);
}

struct disturbance_case {
	const char *name;
	void (*happens)(struct fake *fake);
	int error;
};

static const struct disturbance_case disturbance_cases[] = {
	{ "the CPU goes offline", goes_offline, -ENXIO },
	{ "another CPU goes offline", another_goes_offline, 0 },
	{ "the machine is suspended", suspends, -ECANCELED },
	{ "the machine is hibernated", hibernates, -ECANCELED },
	{ "the machine is restored", is_restored, -ECANCELED },
	{ "the machine was suspended", has_been_suspended, 0 },
};

KUNIT_ARRAY_PARAM_DESC(disturbance, disturbance_cases, name);

/* An event is in flight, or the buffer is full. */
static void disturb(struct kunit *test, enum state state, int records)
{
	const struct disturbance_case *c = test->param_value;
	struct fake *fake = test->priv;

	enter(test, state);
	clear_log(fake);
	c->happens(fake);
	if (!c->error) {
		KUNIT_EXPECT_TRUE(test, fake_settles(fake));
		KUNIT_EXPECT_EQ(test, fake->in_force, HELD);
		return;
	}

	KUNIT_ASSERT_TRUE(test, fake_finishes(fake));
	KUNIT_EXPECT_STREQ(test, fake->log, FINISHED);
	KUNIT_EXPECT_EQ(test, fake_counts(fake)->discarded[IDLE_LATENCY_DISCARD_STOPPED],
			state == RUNNING);
	if (records)
		KUNIT_EXPECT_EQ(test, fake_read(fake, records + 1, false), records);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 1, false), c->error);
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STOP), -EINVAL);

	/* Nothing of it is left for the next session. */
	configure_and_start(test, &fake_config);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 1, false), -EAGAIN);
}

static void disturb_running(struct kunit *test)
{
	disturb(test, RUNNING, 0);
}

static void disturb_full(struct kunit *test)
{
	disturb(test, FULL, IDLE_LATENCY_BUFFER_RECORDS);
}

/* Nobody is told of a session that has ended, or has not begun. */
static void disturb_others(struct kunit *test)
{
	const struct disturbance_case *c = test->param_value;
	struct fake *fake = test->priv;

	c->happens(fake);
	enter(test, CONFIGURED);
	c->happens(fake);
	enter(test, STOPPED);
	c->happens(fake);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 1, false), 0);
	enter(test, FINISHED_ALL);
	c->happens(fake);
	KUNIT_EXPECT_EQ(test, fake_read(fake, SAMPLES + 1, false), SAMPLES);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 1, false), 0);
}

static const struct disturbance_case *disturbance;
static enum fake_step disturbed_step;

static void disturb_step(struct fake *fake, enum fake_step step)
{
	if (step == disturbed_step)
		disturbance->happens(fake);
}

/* The session is being started: it ends before an event is armed. */
static void disturb_start(struct kunit *test)
{
	struct fake *fake = test->priv;

	disturbance = test->param_value;
	for (disturbed_step = FAKE_WATCH; disturbed_step < FAKE_STEPS; disturbed_step++) {
		KUNIT_ASSERT_EQ(test, fake_configure(fake, &fake_config), 0);
		fake->during = disturb_step;
		KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), 0);
		fake->during = NULL;
		KUNIT_ASSERT_TRUE(test, fake_settles(fake));

		if (disturbance->error) {
			KUNIT_EXPECT_EQ(test, fake->in_force, 0);
			KUNIT_EXPECT_EQ(test, fake_counts(fake)->armed, 0);
			KUNIT_EXPECT_EQ(test, fake_read(fake, 1, false), disturbance->error);
		} else {
			KUNIT_EXPECT_EQ(test, fake->in_force, HELD);
			KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STOP), 0);
		}
	}
}

struct step_case {
	const char *name;
	enum fake_step step;
	int error;
	int result;
	const char *log;
};

static const struct step_case step_cases[] = {
	{ "nobody watches the machine", FAKE_WATCH, -ENOMEM, -ENOMEM, "watch" },
	{ "the CPU has gone", FAKE_FIND, -ENXIO, -ENXIO, "watch force find -force -watch" },
	{ "the state has gone", FAKE_FIND, -ENOENT, -ENOENT, "watch force find -force -watch" },
	{ "the source cannot work", FAKE_CHECK, -EOPNOTSUPP, -EOPNOTSUPP,
	  "watch force find check -force -watch" },
	{ "a state is forced already", FAKE_FORCE, -EBUSY, -EBUSY, "watch force find -watch" },
	/* What cpuidle calls invalid does not exist. */
	{ "the state is unusable", FAKE_FORCE, -EINVAL, -ENOENT, "watch force find -watch" },
	{ "there is no probe", FAKE_OBSERVE, -ENOMEM, -ENOMEM,
	  "watch force find check observe -force -watch" },
	{ "the source does not start", FAKE_START, -ENOSPC, -ENOSPC,
	  "watch force find check observe start -observe -force -watch" },
};

KUNIT_ARRAY_PARAM_DESC(step, step_cases, name);

static void step_fails(struct kunit *test)
{
	const struct step_case *c = test->param_value;
	struct fake *fake = test->priv;

	KUNIT_ASSERT_EQ(test, fake_configure(fake, &fake_config), 0);
	fake->fail = c->step;
	fake->fail_error = c->error;
	clear_log(fake);
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), c->result);
	KUNIT_EXPECT_STREQ(test, fake->log, c->log);
	KUNIT_EXPECT_EQ(test, fake->in_force, 0);

	/* It was not started, and is as it was configured. */
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STOP), -EINVAL);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 1, false), -EINVAL);
	fake->fail_error = 0;
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), 0);
	KUNIT_EXPECT_EQ(test, fake->in_force, HELD);
}

/* What user space judges by is what it was told when it configured the session. */
static void declared_otherwise(struct kunit *test)
{
	struct fake *fake = test->priv;

	KUNIT_ASSERT_EQ(test, fake_configure(fake, &fake_config), 0);
	fake->exit_latency_ns++;
	clear_log(fake);
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), -ENOENT);
	KUNIT_EXPECT_STREQ(test, fake->log, "watch force find -force -watch");
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), -ENOENT);
	fake->exit_latency_ns--;
	fake->target_residency_ns++;
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), -ENOENT);
	fake->target_residency_ns--;
	fake->state_flags = IDLE_LATENCY_STATE_TIMER_STOP;
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), -ENOENT);
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), -ENOENT);

	KUNIT_ASSERT_EQ(test, fake_configure(fake, &fake_config), 0);
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), 0);
}

/* The same after a session that is not forgotten until then. */
static void step_fails_again(struct kunit *test)
{
	const struct step_case *c = test->param_value;
	struct fake *fake = test->priv;

	enter(test, FINISHED_ALL);
	fake->fail = c->step;
	fake->fail_error = c->error;
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), c->result);
	KUNIT_EXPECT_EQ(test, fake->in_force, 0);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 1, false), 0);
	KUNIT_EXPECT_EQ(test, fake_counts(fake)->armed, 0);
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STOP), -EINVAL);
}

struct config_case {
	const char *name;
	u64 from;
	u64 to;
	u32 source;
	u64 flags;
	u32 padding;
	u32 entry_ns;
	int result;
};

#define NIC	IDLE_LATENCY_SOURCE_NIC
#define HRT	IDLE_LATENCY_SOURCE_HRT
#define NEAREST	IDLE_LATENCY_LDIST_MIN_NIC_NS
#define FARTHEST	IDLE_LATENCY_LDIST_MAX_NS

static const struct config_case config_cases[] = {
	{ "valid", 5000, 6000, NIC, 0, 0, 0, 0 },
	{ "one distance", 5000, 5000, NIC, 0, 0, 0, 0 },
	{ "all flags", 5000, 6000, NIC,
	  IDLE_LATENCY_CONFIG_PROBE | IDLE_LATENCY_CONFIG_KEEP, 0, 0, 0 },
	{ "an unknown flag", 5000, 6000, NIC, 4, 0, 0, -EINVAL },
	{ "padding", 5000, 6000, NIC, 0, 1, 0, -EINVAL },
	{ "no source", 5000, 6000, 0, 0, 0, 0, -EINVAL },
	{ "a source that the machine does not have", 5000, 6000, IDLE_LATENCY_SOURCE_TDT,
	  0, 0, 0, -EINVAL },
	{ "another source", 5000, 6000, HRT, 0, 0, 0, 0 },
	{ "all distances", NEAREST, FARTHEST, NIC, 0, 0, 0, 0 },
	{ "too near", NEAREST - 1, 6000, NIC, 0, 0, 0, -ERANGE },
	{ "both too near", 0, 0, NIC, 0, 0, 0, -ERANGE },
	{ "near enough for another source", 1, 6000, HRT, 0, 0, 0, 0 },
	{ "too far", 5000, FARTHEST + 1, NIC, 0, 0, 0, -ERANGE },
	{ "the wrong way round", 6000, 5999, NIC, 0, 0, 0, -EINVAL },
	{ "the idle instruction comes late", 5000, 6000, NIC, 0, 0, FARTHEST, 0 },
	{ "too late", 5000, 6000, NIC, 0, 0, FARTHEST + 1, -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(config, config_cases, name);

static void configure(struct kunit *test)
{
	const struct config_case *c = test->param_value;
	const struct idle_latency_config config = {
		.flags		= c->flags,
		.ldist_from_ns	= c->from,
		.ldist_to_ns	= c->to,
		.state		= FAKE_STATE,
		.source		= c->source,
		.entry_ns	= c->entry_ns,
		.padding[1]	= c->padding,
	};
	struct fake *fake = test->priv;

	KUNIT_EXPECT_EQ(test, fake_configure(fake, &config), c->result);
	KUNIT_EXPECT_STREQ(test, fake->log, c->result ? "" : "find check");
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), c->result ? -EINVAL : 0);
}

static void declare_otherwise(struct fake *fake, enum fake_step step)
{
	if (step == FAKE_FORCE)
		fake->exit_latency_ns++;
}

/* It is compared once the state is forced, so that no later change can be missed. */
static void declared_otherwise_when_forced(struct kunit *test)
{
	struct fake *fake = test->priv;

	KUNIT_ASSERT_EQ(test, fake_configure(fake, &fake_config), 0);
	fake->during = declare_otherwise;
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), -ENOENT);
	fake->during = NULL;
	KUNIT_EXPECT_EQ(test, fake->in_force, 0);
}

/* What cannot be measured is refused, and what was configured before stays. */
static void configure_refused(struct kunit *test)
{
	struct idle_latency_config config = fake_config;
	struct fake *fake = test->priv;

	KUNIT_ASSERT_EQ(test, fake_configure(fake, &fake_config), 0);

	config.limit_ns = 4711;
	fake->fail = FAKE_FIND;
	fake->fail_error = -ENOENT;
	KUNIT_EXPECT_EQ(test, fake_configure(fake, &config), -ENOENT);
	fake->fail = FAKE_CHECK;
	fake->fail_error = -EOPNOTSUPP;
	KUNIT_EXPECT_EQ(test, fake_configure(fake, &config), -EOPNOTSUPP);

	KUNIT_EXPECT_EQ(test, fake->session->config.limit_ns, fake_config.limit_ns);
	fake->fail_error = 0;
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), 0);
}

/* The machine is asked for the state, and for the CPU, that were configured. */
static void configure_asks(struct kunit *test)
{
	struct idle_latency_config config = fake_config;
	struct fake *fake = test->priv;

	config.cpu = 5;
	config.state = FAKE_STATE + 1;
	KUNIT_EXPECT_EQ(test, fake_configure(fake, &config), 0);
	KUNIT_EXPECT_EQ(test, fake->asked.cpu, 5);
	KUNIT_EXPECT_EQ(test, fake->asked.state, FAKE_STATE + 1);
}

static void start_and_stop(struct kunit *test)
{
	struct fake *fake = test->priv;

	KUNIT_ASSERT_EQ(test, fake_configure(fake, &fake_config), 0);
	for (int i = 0; i < 100; i++) {
		clear_log(fake);
		KUNIT_ASSERT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), 0);
		KUNIT_ASSERT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STOP), 0);
		KUNIT_ASSERT_STREQ(test, fake->log, STARTED " " FINISHED);
		KUNIT_ASSERT_EQ(test, fake_read(fake, 1, false), 0);
	}
}

/* The armer cannot run before this thread, of a higher class on the same CPU, waits. */
static void stop_before_the_armer_runs(struct kunit *test)
{
	struct fake *fake = test->priv;
	long started, stopped;

	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(fake_config.cpu)), 0);
	KUNIT_ASSERT_EQ(test, fake_configure(fake, &fake_config), 0);
	clear_log(fake);
	sched_set_fifo(current);
	started = fake_ioctl(fake, IDLE_LATENCY_IOC_START);
	stopped = fake_ioctl(fake, IDLE_LATENCY_IOC_STOP);
	sched_set_normal(current, 0);
	set_cpus_allowed_ptr(current, cpu_possible_mask);

	KUNIT_EXPECT_EQ(test, started, 0);
	KUNIT_EXPECT_EQ(test, stopped, 0);
	KUNIT_EXPECT_STREQ(test, fake->log, STARTED " " FINISHED);
	KUNIT_EXPECT_EQ(test, fake_counts(fake)->armed, 0);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 1, false), 0);
}

/* The machine has forgotten a session that was stopped. */
static void suspend_is_not_watched(struct kunit *test)
{
	struct fake *fake = test->priv;

	if (!IS_ENABLED(CONFIG_PM_SLEEP))
		kunit_skip(test, "needs CONFIG_PM_SLEEP");

	configure_and_start(test, &fake_config);
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STOP), 0);
	KUNIT_EXPECT_EQ(test, unregister_pm_notifier(&fake->session->suspend_notifier), -ENOENT);
}

/* The machine is as it was when the suspend goes on. */
static void suspend_waits(struct kunit *test)
{
	struct fake *fake = test->priv;

	configure_and_start(test, &fake_config);
	clear_log(fake);
	suspends(fake);
	KUNIT_EXPECT_EQ(test, READ_ONCE(fake->in_force) & ~BIT(FAKE_WATCH), 0);
	KUNIT_EXPECT_EQ(test, strncmp(fake->log, "-start -observe -force", 22), 0);
	KUNIT_EXPECT_TRUE(test, fake_finishes(fake));

	/* The next one, too. */
	configure_and_start(test, &fake_config);
	suspends(fake);
	KUNIT_EXPECT_EQ(test, READ_ONCE(fake->in_force) & ~BIT(FAKE_WATCH), 0);
	KUNIT_EXPECT_TRUE(test, fake_finishes(fake));
}

/* CPU hotplug tells the session, and not one that was stopped. */
static void unplug(struct kunit *test)
{
	struct idle_latency_config config = fake_config;
	struct fake *fake = test->priv;

	config.cpu = cpumask_last(cpu_online_mask);
	if (!IS_ENABLED(CONFIG_HOTPLUG_CPU))
		kunit_skip(test, "needs CONFIG_HOTPLUG_CPU");
	if (!config.cpu || !get_cpu_device(config.cpu) || !cpu_is_hotpluggable(config.cpu))
		kunit_skip(test, "needs a second CPU that can be unplugged");

	configure_and_start(test, &config);
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STOP), 0);
	KUNIT_ASSERT_EQ(test, remove_cpu(config.cpu), 0);
	KUNIT_EXPECT_EQ(test, add_cpu(config.cpu), 0);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 1, false), 0);

	configure_and_start(test, &config);
	KUNIT_ASSERT_EQ(test, remove_cpu(config.cpu), 0);
	KUNIT_EXPECT_TRUE(test, fake_finishes(fake));
	KUNIT_EXPECT_EQ(test, add_cpu(config.cpu), 0);
	KUNIT_EXPECT_EQ(test, fake->in_force, 0);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 1, false), -ENXIO);
}

/* The source has nothing to stop. */
static void plain_source(struct kunit *test)
{
	struct idle_latency_config config = fake_config;
	struct fake *fake = test->priv;

	config.source = IDLE_LATENCY_SOURCE_HRT;
	configure_and_start(test, &config);
	clear_log(fake);
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STOP), 0);
	KUNIT_EXPECT_STREQ(test, fake->log, "-observe -force -watch");
}

/* It has a number of its own, and is for the superuser only. */
static void device(struct kunit *test)
{
	struct fake *fake = test->priv;

	KUNIT_EXPECT_GT(test, fake->device.misc.minor, MISC_DYNAMIC_MINOR);
	KUNIT_EXPECT_EQ(test, fake->device.misc.mode, 0600);
}

static void one_session_only(struct kunit *test)
{
	struct fake *fake = test->priv;
	struct idle_latency_session *session = fake->session;

	KUNIT_EXPECT_EQ(test, fake_open(fake), -EBUSY);
	fake->file->private_data = session;
	fake_close(fake);
	KUNIT_EXPECT_EQ(test, fake_open(fake), 0);
}

static void open_needs_capability(struct kunit *test)
{
	struct fake *fake = test->priv;
	const struct cred *old;
	struct cred *cred;
	int err;

	fake_close(fake);
	cred = prepare_creds();
	KUNIT_ASSERT_NOT_NULL(test, cred);
	cap_lower(cred->cap_effective, CAP_SYS_ADMIN);
	old = override_creds(cred);
	err = fake_open(fake);
	revert_creds(old);
	put_cred(cred);

	KUNIT_EXPECT_EQ(test, err, -EPERM);
	KUNIT_EXPECT_EQ(test, fake_open(fake), 0);
}

static struct kunit_case session_test_cases[] = {
	KUNIT_CASE_PARAM(configure_in, command_gen_params),
	KUNIT_CASE_PARAM(start_in, command_gen_params),
	KUNIT_CASE_PARAM(stop_in, command_gen_params),
	KUNIT_CASE_PARAM(read_in, command_gen_params),
	KUNIT_CASE_PARAM(close_in, command_gen_params),
	KUNIT_CASE_PARAM(disturb_running, disturbance_gen_params),
	KUNIT_CASE_PARAM(disturb_full, disturbance_gen_params),
	KUNIT_CASE_PARAM(disturb_others, disturbance_gen_params),
	KUNIT_CASE_PARAM(disturb_start, disturbance_gen_params),
	KUNIT_CASE_PARAM(step_fails, step_gen_params),
	KUNIT_CASE(declared_otherwise),
	KUNIT_CASE(declared_otherwise_when_forced),
	KUNIT_CASE_PARAM(step_fails_again, step_gen_params),
	KUNIT_CASE_PARAM(configure, config_gen_params),
	KUNIT_CASE(configure_refused),
	KUNIT_CASE(configure_asks),
	KUNIT_CASE(start_and_stop),
	KUNIT_CASE(stop_before_the_armer_runs),
	KUNIT_CASE(suspend_is_not_watched),
	KUNIT_CASE(suspend_waits),
	KUNIT_CASE(unplug),
	KUNIT_CASE(plain_source),
	KUNIT_CASE(device),
	KUNIT_CASE(one_session_only),
	KUNIT_CASE(open_needs_capability),
	{}
};

static struct kunit_suite session_suite = {
	.name = "idle_latency_session",
	.init = fake_init,
	.exit = fake_exit,
	.test_cases = session_test_cases,
};

kunit_test_suite(session_suite);
