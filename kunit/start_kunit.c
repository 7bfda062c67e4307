// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests for how a session is configured, started and undone, and who may have
 * one.
 */
#include <kunit/test.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/list.h>
#include <linux/miscdevice.h>
#include <linux/sched.h>
#include <linux/suspend.h>

#include "fake_machine.h"

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
	fake_clear_log(fake);
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
	fake_clear_log(fake);
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

/* The same after a session that is not forgotten until then. */
static void step_fails_again(struct kunit *test)
{
	const struct step_case *c = test->param_value;
	struct idle_latency_config config = fake_config;
	struct fake *fake = test->priv;

	config.samples = 1;
	fake_start(test, &config);
	fake_run(test, 1);
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
	u32 waker;
	u32 entry_ns;
	u32 record_size;
	u32 buffer_records;
	u32 card;
	int result;
};

#define NIC	IDLE_LATENCY_SOURCE_NIC
#define HRT	IDLE_LATENCY_SOURCE_HRT
#define NEAREST	IDLE_LATENCY_LDIST_MIN_NIC_NS
#define FARTHEST	IDLE_LATENCY_LDIST_MAX_NS

static const struct config_case config_cases[] = {
	{ "valid", 5000, 6000, NIC, 0, 0, 0, 0, 0, 0, 0 },
	{ "one distance", 5000, 5000, NIC, 0, 0, 0, 0, 0, 0, 0 },
	{ "all flags", 5000, 6000, NIC,
	  IDLE_LATENCY_CONFIG_PROBE | IDLE_LATENCY_CONFIG_KEEP, 0, 0, 0, 0, 0, 0 },
	{ "an unknown flag", 5000, 6000, NIC, 4, 0, 0, 0, 0, 0, -EINVAL },
	{ "waker of a source without", 5000, 6000, NIC, 0, 1, 0, 0, 0, 0, -EINVAL },
	{ "no source", 5000, 6000, 0, 0, 0, 0, 0, 0, 0, -EINVAL },
	{ "a source that the machine does not have", 5000, 6000, IDLE_LATENCY_SOURCE_TDT,
	  0, 0, 0, 0, 0, 0, -EINVAL },
	{ "another source", 5000, 6000, HRT, 0, 0, 0, 0, 0, 0, 0 },
	{ "all distances", NEAREST, FARTHEST, NIC, 0, 0, 0, 0, 0, 0, 0 },
	{ "too near", NEAREST - 1, 6000, NIC, 0, 0, 0, 0, 0, 0, -ERANGE },
	{ "both too near", 0, 0, NIC, 0, 0, 0, 0, 0, 0, -ERANGE },
	{ "near enough for another source", 1, 6000, HRT, 0, 0, 0, 0, 0, 0, 0 },
	{ "too far", 5000, FARTHEST + 1, NIC, 0, 0, 0, 0, 0, 0, -ERANGE },
	{ "the wrong way round", 6000, 5999, NIC, 0, 0, 0, 0, 0, 0, -EINVAL },
	{ "the idle instruction comes late", 5000, 6000, NIC, 0, 0, FARTHEST, 0, 0, 0, 0 },
	{ "too late", 5000, 6000, NIC, 0, 0, FARTHEST + 1, 0, 0, 0, -EINVAL },
	{ "records as they are", 5000, 6000, NIC, 0, 0, 0, 272, 0, 0, 0 },
	{ "the longest records", 5000, 6000, NIC, 0, 0, 0, 4096, 0, 0, 0 },
	{ "longer ones", 5000, 6000, NIC, 0, 0, 0, 4104, 0, 0, -EINVAL },
	{ "shorter ones", 5000, 6000, NIC, 0, 0, 0, 264, 0, 0, -EINVAL },
	{ "records with half a word", 5000, 6000, NIC, 0, 0, 0, 276, 0, 0, -EINVAL },
	{ "the smallest buffer", 5000, 6000, NIC, 0, 0, 0, 0, 256, 0, 0 },
	{ "one of no power of two", 5000, 6000, NIC, 0, 0, 0, 0, 257, 0, 0 },
	{ "the largest buffer", 5000, 6000, NIC, 0, 0, 0, 0, 65536, 0, 0 },
	{ "too small a buffer", 5000, 6000, NIC, 0, 0, 0, 0, 255, 0, -ERANGE },
	{ "too large a buffer", 5000, 6000, NIC, 0, 0, 0, 0, 65537, 0, -ERANGE },
	{ "a card", 5000, 6000, NIC, 0, 0, 0, 0, 0, 0x500, 0 },
	{ "a card for a timer", 5000, 6000, HRT, 0, 0, 0, 0, 0, 0x500, -EINVAL },
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
		.record_size	= c->record_size,
		.buffer_records	= c->buffer_records,
		.card		= c->card,
		.waker		= c->waker,
	};
	struct fake *fake = test->priv;

	KUNIT_EXPECT_EQ(test, fake_configure(fake, &config), c->result);
	KUNIT_EXPECT_STREQ(test, fake->log, c->result ? "" : "find check");
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), c->result ? -EINVAL : 0);
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

	config.cpu = cpumask_last(cpu_possible_mask);
	config.state = FAKE_STATE + 1;
	KUNIT_EXPECT_EQ(test, fake_configure(fake, &config), 0);
	KUNIT_EXPECT_EQ(test, fake->asked.cpu, config.cpu);
	KUNIT_EXPECT_EQ(test, fake->asked.state, FAKE_STATE + 1);
}

static void start_and_stop(struct kunit *test)
{
	struct fake *fake = test->priv;

	KUNIT_ASSERT_EQ(test, fake_configure(fake, &fake_config), 0);
	for (int i = 0; i < 100; i++) {
		fake_clear_log(fake);
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
	fake_clear_log(fake);
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
static void nobody_watches(struct kunit *test)
{
	struct fake *fake = test->priv;

	fake_start(test, &fake_config);
	KUNIT_EXPECT_FALSE(test, list_empty(&fake->device.watched));
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STOP), 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&fake->device.watched));
}

/* The machine is as it was when the suspend goes on. */
static void suspend_waits(struct kunit *test)
{
	struct fake *fake = test->priv;

	fake_start(test, &fake_config);
	fake_clear_log(fake);
	fake_suspends(fake, PM_SUSPEND_PREPARE);
	KUNIT_EXPECT_EQ(test, READ_ONCE(fake->in_force) & ~BIT(FAKE_WATCH), 0);
	KUNIT_EXPECT_EQ(test, strncmp(fake->log, "-start -observe -force", 22), 0);
	KUNIT_EXPECT_TRUE(test, fake_finishes(fake));

	/* The next one, too. */
	fake_start(test, &fake_config);
	fake_suspends(fake, PM_SUSPEND_PREPARE);
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

	fake_start(test, &config);
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STOP), 0);
	KUNIT_ASSERT_EQ(test, remove_cpu(config.cpu), 0);
	KUNIT_EXPECT_EQ(test, add_cpu(config.cpu), 0);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 1, false), 0);

	fake_start(test, &config);
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
	fake_start(test, &config);
	fake_clear_log(fake);
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

static struct kunit_case start_test_cases[] = {
	KUNIT_CASE_PARAM(step_fails, step_gen_params),
	KUNIT_CASE(declared_otherwise),
	KUNIT_CASE(declared_otherwise_when_forced),
	KUNIT_CASE_PARAM(step_fails_again, step_gen_params),
	KUNIT_CASE_PARAM(configure, config_gen_params),
	KUNIT_CASE(configure_refused),
	KUNIT_CASE(configure_asks),
	KUNIT_CASE(start_and_stop),
	KUNIT_CASE(stop_before_the_armer_runs),
	KUNIT_CASE(nobody_watches),
	KUNIT_CASE(suspend_waits),
	KUNIT_CASE(unplug),
	KUNIT_CASE(plain_source),
	KUNIT_CASE(device),
	KUNIT_CASE(open_needs_capability),
	{}
};

static struct kunit_suite start_suite = {
	.name = "idle_latency_start",
	.init = fake_init,
	.exit = fake_exit,
	.test_cases = start_test_cases,
};

kunit_test_suite(start_suite);
