// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit test that gives a session random commands, events and disturbances, and compares
 * what it does with a model of it.
 */
#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/suspend.h>

#include "fake_machine.h"

#define STEPS		1000
#define SIZE		IDLE_LATENCY_BUFFER_RECORDS

/**
 * struct model - what a session is to be
 * @configured: it was configured
 * @started: there was a session to read from
 * @running: it is not finished
 * @samples: how many it is to deliver
 * @keep: discarded events give a record
 * @error: why it ended
 * @delivered: samples
 * @kept: records of discarded events
 * @stopped: events in flight at the end
 * @nmis: events with an NMI
 * @late: events that were armed too late
 * @read: records that were read
 * @go: events that may go, which wait for the reader
 */
struct model {
	bool configured;
	bool started;
	bool running;
	u64 samples;
	bool keep;
	int error;
	u64 delivered;
	u64 kept;
	u64 stopped;
	u64 nmis;
	u64 late;
	u64 read;
	unsigned int go;
};

static struct model model;

static u64 buffered(void)
{
	return model.delivered + model.kept - model.read;
}

/* The armer arms an event and waits, rather than for the reader. */
static bool in_flight(void)
{
	return model.running && buffered() < SIZE;
}

static void model_forget(void)
{
	model.started = false;
	model.error = 0;
	model.delivered = 0;
	model.kept = 0;
	model.stopped = 0;
	model.nmis = 0;
	model.late = 0;
	model.read = 0;
}

static void model_end(int error)
{
	if (in_flight())
		model.stopped++;
	model.running = false;
	model.error = error;
	model.go = 0;
}

/* Let events go until one has to wait. */
static void model_go(const struct fake_event *event)
{
	while (model.go && in_flight()) {
		model.go--;
		if (event->outcome == FAKE_LATE) {
			model.late++;
		} else if (event->nmis) {
			model.nmis++;
			model.kept += model.keep;
		} else {
			model.delivered++;
		}
		if (model.samples && model.delivered == model.samples) {
			model.running = false;
			model.go = 0;
		}
	}
}

static void compare(struct kunit *test)
{
	struct fake *fake = test->priv;
	const struct idle_latency_counts *counts = fake_counts(fake);

	KUNIT_ASSERT_EQ(test, counts->delivered, model.delivered);
	KUNIT_ASSERT_EQ(test, counts->pending, in_flight());
	KUNIT_ASSERT_EQ(test, counts->kept, model.kept);
	KUNIT_ASSERT_EQ(test, counts->discarded[IDLE_LATENCY_DISCARD_STOPPED], model.stopped);
	KUNIT_ASSERT_EQ(test, counts->discarded[IDLE_LATENCY_DISCARD_NMI], model.nmis);
	KUNIT_ASSERT_EQ(test, counts->discarded[IDLE_LATENCY_DISCARD_LATE], model.late);
	KUNIT_ASSERT_EQ(test, counts->armed, model.delivered + in_flight() + model.stopped +
			model.nmis + model.late);
	KUNIT_ASSERT_EQ(test, !!fake->in_force, model.running);
	KUNIT_ASSERT_EQ(test, fake->armed, in_flight());
}

static void configure(struct kunit *test, u32 random)
{
	struct idle_latency_config config = fake_config;
	const bool valid = random % 8;
	int expected = valid ? 0 : -ERANGE;

	config.samples = random & 0x100 ? (random >> 16) % 100 + 1 : 0;
	config.flags = random & 0x200 ? IDLE_LATENCY_CONFIG_KEEP : 0;
	if (!valid)
		config.ldist_to_ns = IDLE_LATENCY_LDIST_MAX_NS + 1;
	if (model.running)
		expected = -EBUSY;
	KUNIT_ASSERT_EQ(test, fake_configure(test->priv, &config), expected);
	if (expected)
		return;

	model_forget();
	model.configured = true;
	model.samples = config.samples;
	model.keep = config.flags;
}

static int expected_start(const struct fake *fake)
{
	if (model.running)
		return -EBUSY;
	if (!model.configured)
		return -EINVAL;

	return fake->fail_error;
}

static void start(struct kunit *test, u32 random)
{
	struct fake *fake = test->priv;
	const bool started = model.started;
	int expected;

	fake->fail = random % FAKE_STEPS;
	fake->fail_error = random & 0x300 ? 0 : -EIO;
	expected = expected_start(fake);
	KUNIT_ASSERT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), expected);
	fake->fail_error = 0;
	if (expected == -EBUSY || expected == -EINVAL)
		return;

	model_forget();
	model.running = !expected;
	model.started = started || !expected;
}

static void stop(struct kunit *test, u32 random)
{
	struct fake *fake = test->priv;

	KUNIT_ASSERT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STOP),
			model.running ? 0 : -EINVAL);
	if (model.running)
		model_end(0);
	fake->go = 0;
}

static void reopen(struct kunit *test, u32 random)
{
	struct fake *fake = test->priv;

	/* Seldom enough for long sessions. */
	if (random % 8)
		return;

	fake_close(fake);
	KUNIT_ASSERT_EQ(test, fake->in_force, 0);
	fake->go = 0;
	KUNIT_ASSERT_EQ(test, fake_open(fake), 0);
	model = (struct model) { };
}

static void let_go(struct kunit *test, u32 random)
{
	struct fake *fake = test->priv;

	/* Those that wait for the reader stay what they are. */
	if (!model.running || model.go)
		return;

	fake->event.outcome = random & 0x100 ? FAKE_FIRES : FAKE_LATE;
	fake->event.nmis = random & 0x200 ? 1 : 0;
	model.go = (random >> 16) % (random & 0xc00 ? 30 : 2 * SIZE);
	fake_let_go(fake, model.go);
	model_go(&fake->event);
}

static int expected_read(unsigned int records)
{
	if (!model.started)
		return -EINVAL;
	if (buffered())
		return min(buffered(), records);

	return model.running ? -EAGAIN : model.error;
}

static void read(struct kunit *test, u32 random)
{
	struct fake *fake = test->priv;
	unsigned int records = 1 + (random >> 16) % (random & 0x300 ? 50 : SIZE);
	int expected = expected_read(records);

	KUNIT_ASSERT_EQ(test, fake_read(fake, records, false), expected);
	if (expected <= 0)
		return;

	for (int i = 0; i < expected; i++) {
		const struct idle_latency_record *record = fake_record(fake, i);

		KUNIT_ASSERT_EQ(test, record->seq, model.read + i);
	}
	model.read += expected;
	model_go(&fake->event);
}

static void disturb(struct kunit *test, u32 random)
{
	const bool offline = random & 0x100;
	struct fake *fake = test->priv;

	/* Seldom enough for long sessions. */
	if (random % 4)
		return;

	if (offline)
		fake_goes_offline(fake, fake_config.cpu);
	else
		fake_suspends(fake, PM_SUSPEND_PREPARE);
	if (!model.running)
		return;

	KUNIT_ASSERT_TRUE(test, fake_finishes(fake));
	model_end(offline ? -ENXIO : -ECANCELED);
	fake->go = 0;
}

static void (*const commands[])(struct kunit *test, u32 random) = {
	configure, start, start, stop, reopen, let_go, let_go, let_go, read, read, disturb,
};

static const u64 seeds[] = { 1, 2, 3, 4 };

static void get_seed_desc(const u64 *seed, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "seed %llu", *seed);
}

KUNIT_ARRAY_PARAM(seed, seeds, get_seed_desc);

static void walk(struct kunit *test)
{
	const u64 *seed = test->param_value;
	struct fake *fake = test->priv;
	struct rnd_state random;

	model = (struct model) { };
	prandom_seed_state(&random, *seed);
	for (int i = 0; i < STEPS; i++) {
		const u32 command = prandom_u32_state(&random) % ARRAY_SIZE(commands);

		commands[command](test, prandom_u32_state(&random));
		if (model.running || model.started)
			KUNIT_ASSERT_TRUE(test, fake_settles(fake));
		if (!model.running)
			fake->go = 0;
		compare(test);
	}
}

static struct kunit_case walk_test_cases[] = {
	KUNIT_CASE_PARAM_ATTR(walk, seed_gen_params, { .speed = KUNIT_SPEED_SLOW }),
	{}
};

static struct kunit_suite walk_suite = {
	.name = "idle_latency_walk",
	.init = fake_init,
	.exit = fake_exit,
	.test_cases = walk_test_cases,
};

kunit_test_suite(walk_suite);
