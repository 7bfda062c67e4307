// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests for the states of a session: what each command does in each of them, and
 * what the machine may do in between.
 */
#include <kunit/test.h>
#include <linux/suspend.h>

#include "fake_machine.h"

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
	fake_clear_log(fake);
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
	fake_clear_log(fake);
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
	fake_clear_log(fake);
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
	fake_clear_log(fake);
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
	fake_start(test, &fake_config);
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
		fake_resumes(fake);

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
	{}
};

static struct kunit_suite session_suite = {
	.name = "idle_latency_session",
	.init = fake_init,
	.exit = fake_exit,
	.test_cases = session_test_cases,
};

kunit_test_suite(session_suite);
