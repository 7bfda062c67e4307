// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests for sessions beside each other: who gets a CPU, what one costs the others, what
 * memory it takes, and when it begins.
 */
#include <kunit/test.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/suspend.h>

#include "fake_machine.h"

/* A machine whose CPUs are all measured at once, and how long that may take to begin. */
#define CPUS		448
#define START_US	1000000

/*
 * An idle CPU answers an interrupt once it has woken up. Of the states of servers in the tables of
 * intel_idle, C6SP of Sierra Forest takes the longest, 310 us.
 */
#define WAKE_US		310

/* A lock that somebody else holds, who is idle otherwise: to wake who waits for it. */
#define LOCK_US		WAKE_US

/* Who creates the armer, and the CPU that this then runs on, are woken. */
#define ARMER_US	(2 * WAKE_US)

/*
 * A patch of the text has three rounds of interrupts to all CPUs, and these interrupt each other's
 * path for less than 1 us each; there are less than ten places.
 */
#define PATCH_US	(10 * 3 * (WAKE_US + CPUS))

/* So many sessions, and the memory that they may take with small buffers. */
#define SESSIONS	512
#define MEMORY		SZ_64M

/* What an x86 machine has for a session beside that: a timer and a card. */
#define X86_BYTES	128

/* A start time that is far enough ahead for what a test does meanwhile. */
#define AHEAD_MS	300

/* One that no test waits for. */
#define FAR_NS		(50ULL * NSEC_PER_SEC)

static struct file *first_file;
static struct idle_latency_session *first;

/* From now on, @file and @session of the machine are those of a second session. */
static void open_second(struct kunit *test)
{
	struct fake *fake = test->priv;

	first_file = fake->file;
	first = fake->session;
	fake->file = kunit_kzalloc(test, sizeof(*fake->file), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, fake->file);
	KUNIT_ASSERT_EQ(test, fake_open(fake), 0);
	KUNIT_ASSERT_PTR_NE(test, fake->session, first);
}

/* They are those of the first again, and the second is closed. */
static void close_second(struct fake *fake)
{
	fake_close(fake);
	fake->file = first_file;
	fake->session = first;
}

/* A session has a CPU for itself, whether the state is forced or not. */
static void one_for_a_cpu(struct kunit *test)
{
	struct fake *fake = test->priv;

	fake_start(test, &fake_config);
	open_second(test);
	KUNIT_EXPECT_EQ(test, fake_configure(fake, &fake_config), 0);
	fake_clear_log(fake);
	fake->unforced = true;
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), -EBUSY);
	fake->unforced = false;
	KUNIT_EXPECT_STREQ(test, fake->log, "watch -watch");
	KUNIT_EXPECT_EQ(test, fake->in_force, HELD);
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STOP), -EINVAL);
	close_second(fake);

	/* That one has noticed nothing. */
	fake_run(test, 3);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 4, false), 3);
}

/* One that has ended leaves the CPU to others, also while its file is open. */
static void one_after_the_other(struct kunit *test)
{
	struct idle_latency_config config = fake_config;
	struct fake *fake = test->priv;

	config.samples = 1;
	fake_start(test, &config);
	fake_run(test, 1);
	KUNIT_EXPECT_EQ(test, fake->in_force, 0);
	open_second(test);
	fake_start(test, &fake_config);
	fake_clear_log(fake);
	close_second(fake);
	KUNIT_EXPECT_STREQ(test, fake->log, FINISHED);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 2, false), 1);
	fake_start(test, &config);
}

/* Who holds a CPU and who measures it are not the same. */
static void claimed_by_others(struct kunit *test)
{
	struct fake *fake = test->priv;

	KUNIT_ASSERT_EQ(test, fake_configure(fake, &fake_config), 0);
	KUNIT_ASSERT_TRUE(test, idle_latency_claim_cpu(fake_config.cpu));
	KUNIT_EXPECT_FALSE(test, idle_latency_claim_cpu(fake_config.cpu));
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), -EBUSY);
	idle_latency_yield_cpu(fake_config.cpu);

	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), 0);
	KUNIT_EXPECT_FALSE(test, idle_latency_claim_cpu(fake_config.cpu));
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STOP), 0);
	KUNIT_EXPECT_TRUE(test, idle_latency_claim_cpu(fake_config.cpu));
	idle_latency_yield_cpu(fake_config.cpu);
}

static void clear_costs(struct fake *fake, bool others_observe)
{
	fake->others_observe = others_observe;
	fake->costs = (struct fake_costs) { };
}

static unsigned int cost_us(const struct fake_costs *costs)
{
	return costs->ipis * WAKE_US + costs->locks * LOCK_US + costs->patches * PATCH_US;
}

/* But for the first and the last, nobody waits for a CPU that another session measures. */
static void others_are_left_alone(struct kunit *test)
{
	struct fake *fake = test->priv;

	KUNIT_ASSERT_EQ(test, fake_configure(fake, &fake_config), 0);
	KUNIT_EXPECT_EQ(test, fake->costs.ipis, 1);

	clear_costs(fake, true);
	KUNIT_ASSERT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), 0);
	KUNIT_EXPECT_EQ(test, fake->costs.ipis, 0);
	KUNIT_EXPECT_EQ(test, fake->costs.patches, 0);
	KUNIT_ASSERT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STOP), 0);
	/* Its own CPU: for the probe, and to leave the state. */
	KUNIT_EXPECT_EQ(test, fake->costs.ipis, 2);
	KUNIT_EXPECT_EQ(test, fake->costs.patches, 0);
	KUNIT_EXPECT_EQ(test, fake->costs.grace_periods, 0);
}

/* Computed from what one session does, one after the other. */
static void all_cpus_start_in_time(struct kunit *test)
{
	struct fake *fake = test->priv;
	unsigned int first_us, next_us;

	KUNIT_ASSERT_EQ(test, fake_configure(fake, &fake_config), 0);
	clear_costs(fake, false);
	KUNIT_ASSERT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), 0);
	first_us = cost_us(&fake->costs) + ARMER_US;
	KUNIT_ASSERT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STOP), 0);

	clear_costs(fake, true);
	KUNIT_ASSERT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), 0);
	next_us = cost_us(&fake->costs) + ARMER_US;
	KUNIT_EXPECT_EQ(test, fake->costs.grace_periods, 0);
	KUNIT_ASSERT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STOP), 0);
	clear_costs(fake, false);

	kunit_info(test, "START: %u us, and %u us for each more; of %u CPUs: %u ms\n", first_us,
		   next_us, CPUS, (first_us + (CPUS - 1) * next_us) / 1000);
	KUNIT_EXPECT_LE(test, first_us + (CPUS - 1) * next_us, START_US);
}

/* The session, its buffer, and its armer. */
static void memory(struct kunit *test)
{
	struct idle_latency_config config = fake_config;
	struct fake *fake = test->priv;
	size_t buffer, session, armer;

	if (IS_ENABLED(CONFIG_KASAN))
		kunit_skip(test, "a kernel that checks itself has larger tasks and stacks");

	config.buffer_records = IDLE_LATENCY_BUFFER_MIN;
	KUNIT_ASSERT_EQ(test, fake_configure(fake, &config), 0);
	buffer = PAGE_ALIGN(kfifo_size(&fake->session->records) *
			    sizeof(struct idle_latency_record));
	buffer += kmalloc_size_roundup(buffer / PAGE_SIZE * sizeof(struct page *));
	session = kmalloc_size_roundup(fake->device.machine->session_size + X86_BYTES) +
		  kmalloc_size_roundup(sizeof(struct file));
	armer = sizeof(struct task_struct) + sizeof(struct signal_struct) +
		sizeof(struct sighand_struct) + THREAD_SIZE;
	kunit_info(test, "%u sessions: %zu KiB; of each the buffer takes %zu, the armer %zu, the rest %zu bytes\n",
		   SESSIONS, SESSIONS * (buffer + session + armer) / 1024, buffer, armer, session);
	KUNIT_EXPECT_LE(test, SESSIONS * (buffer + session + armer), MEMORY);
}

struct room_case {
	const char *name;
	u32 asked;
	unsigned int room;
};

static const struct room_case room_cases[] = {
	{ "as ever", 0, 4096 },
	{ "the least", 256, 256 },
	{ "more than a power of two", 257, 512 },
	{ "the most", 65536, 65536 },
};

KUNIT_ARRAY_PARAM_DESC(room, room_cases, name);

static void room(struct kunit *test)
{
	const struct room_case *c = test->param_value;
	struct idle_latency_config config = fake_config;
	struct fake *fake = test->priv;
	void *buffer;

	config.buffer_records = c->asked;
	KUNIT_ASSERT_EQ(test, fake_configure(fake, &config), 0);
	KUNIT_EXPECT_EQ(test, kfifo_size(&fake->session->records), c->room);
	KUNIT_EXPECT_EQ(test, fake->session->wake_at, c->room / 2);

	/* It is kept as long as no other room is asked for. */
	buffer = fake->session->records.kfifo.data;
	KUNIT_ASSERT_EQ(test, fake_configure(fake, &config), 0);
	KUNIT_EXPECT_PTR_EQ(test, fake->session->records.kfifo.data, buffer);
	config.buffer_records = max(c->room / 2 + 1, IDLE_LATENCY_BUFFER_MIN);
	KUNIT_ASSERT_EQ(test, fake_configure(fake, &config), 0);
	KUNIT_EXPECT_PTR_EQ(test, fake->session->records.kfifo.data, buffer);
}

/* Half of it wakes the reader, all of it makes the armer wait, and then it goes on. */
static void small_room(struct kunit *test)
{
	const unsigned int size = IDLE_LATENCY_BUFFER_MIN;
	struct idle_latency_config config = fake_config;
	struct fake *fake = test->priv;

	config.buffer_records = size;
	fake_start(test, &config);
	fake_run(test, size / 2 - 1);
	KUNIT_EXPECT_EQ(test, fake_poll(fake), 0);
	fake_run(test, 1);
	KUNIT_EXPECT_EQ(test, fake_poll(fake), FAKE_POLL_READ);
	fake_run(test, size);
	KUNIT_EXPECT_EQ(test, fake_counts(fake)->delivered, size);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 2 * size, false), size);
	KUNIT_EXPECT_EQ(test, fake_record(fake, size - 1)->seq, size - 1);
	KUNIT_ASSERT_TRUE(test, fake_settles(fake));
	KUNIT_EXPECT_EQ(test, fake_read(fake, 2 * size, false), size / 2);
	KUNIT_EXPECT_EQ(test, fake_record(fake, 0)->seq, size);
	fake_expect_accounted(test);
}

/* Returns what CONFIG says of a time that is so far ahead. */
static int configure_ahead(struct fake *fake, u64 ahead_ns)
{
	struct idle_latency_config config = fake_config;

	config.start_ns = ktime_get_ns() + ahead_ns;
	return fake_configure(fake, &config);
}

static void start_times(struct kunit *test)
{
	struct idle_latency_config config = fake_config;
	struct fake *fake = test->priv;

	KUNIT_EXPECT_EQ(test, configure_ahead(fake, IDLE_LATENCY_START_MAX_NS), 0);
	/* More than CONFIG takes. */
	KUNIT_EXPECT_EQ(test, configure_ahead(fake, 2 * IDLE_LATENCY_START_MAX_NS), -ERANGE);
	config.start_ns = U64_MAX;
	KUNIT_EXPECT_EQ(test, fake_configure(fake, &config), -ERANGE);
	config.start_ns = 1;
	fake_start(test, &config);
	KUNIT_EXPECT_EQ(test, fake_counts(fake)->armed, 1);
}

/* All is prepared, and the CPU forced, but no event is armed until then. */
static void waits_for_its_time(struct kunit *test)
{
	struct idle_latency_config config = fake_config;
	struct fake *fake = test->priv;
	u64 armed;

	config.start_ns = ktime_get_ns() + AHEAD_MS * NSEC_PER_MSEC;
	KUNIT_ASSERT_EQ(test, fake_configure(fake, &config), 0);
	KUNIT_ASSERT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), 0);
	KUNIT_EXPECT_EQ(test, fake->in_force, HELD);
	armed = fake_counts(fake)->armed;
	if (ktime_get_ns() < config.start_ns)
		KUNIT_EXPECT_EQ(test, armed, 0);
	KUNIT_ASSERT_TRUE(test, fake_settles(fake));
	KUNIT_EXPECT_GE(test, ktime_get_ns(), config.start_ns);
	KUNIT_EXPECT_EQ(test, fake_counts(fake)->armed, 1);
}

static void stop_ends_it(struct fake *fake)
{
	fake_ioctl(fake, IDLE_LATENCY_IOC_STOP);
}

static void offline_ends_it(struct fake *fake)
{
	fake_goes_offline(fake, fake_config.cpu);
}

static void suspend_ends_it(struct fake *fake)
{
	fake_suspends(fake, PM_SUSPEND_PREPARE);
}

struct wait_case {
	const char *name;
	void (*happens)(struct fake *fake);
	int result;
};

static const struct wait_case wait_cases[] = {
	{ "a stop", stop_ends_it, 0 },
	{ "the CPU goes offline", offline_ends_it, -ENXIO },
	{ "the machine is suspended", suspend_ends_it, -ECANCELED },
};

KUNIT_ARRAY_PARAM_DESC(wait, wait_cases, name);

/* Nobody waits for the time of a session that ends before. */
static void the_wait_ends(struct kunit *test)
{
	const struct wait_case *c = test->param_value;
	struct fake *fake = test->priv;

	KUNIT_ASSERT_EQ(test, configure_ahead(fake, FAR_NS), 0);
	KUNIT_ASSERT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), 0);
	KUNIT_ASSERT_TRUE(test, fake_sleeps(fake));
	c->happens(fake);
	KUNIT_ASSERT_TRUE(test, fake_finishes(fake));
	KUNIT_EXPECT_EQ(test, fake_counts(fake)->armed, 0);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 1, false), c->result);
}

/* Between the call that says so and the one that says that it is over. */
static void no_start_into_a_suspend(struct kunit *test)
{
	struct fake *fake = test->priv;
	struct notifier_block *notifier = &fake->device.suspend_notifier;

	KUNIT_ASSERT_EQ(test, fake_configure(fake, &fake_config), 0);
	notifier->notifier_call(notifier, PM_SUSPEND_PREPARE, NULL);
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), -EBUSY);
	notifier->notifier_call(notifier, PM_POST_SUSPEND, NULL);
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), 0);
}

static struct kunit_case sessions_test_cases[] = {
	KUNIT_CASE(one_for_a_cpu),
	KUNIT_CASE(one_after_the_other),
	KUNIT_CASE(claimed_by_others),
	KUNIT_CASE(others_are_left_alone),
	KUNIT_CASE(all_cpus_start_in_time),
	KUNIT_CASE(memory),
	KUNIT_CASE_PARAM(room, room_gen_params),
	KUNIT_CASE(small_room),
	KUNIT_CASE(start_times),
	KUNIT_CASE(waits_for_its_time),
	KUNIT_CASE_PARAM(the_wait_ends, wait_gen_params),
	KUNIT_CASE(no_start_into_a_suspend),
	{}
};

static struct kunit_suite sessions_suite = {
	.name = "idle_latency_sessions",
	.init = fake_init,
	.exit = fake_exit,
	.test_cases = sessions_test_cases,
};

kunit_test_suite(sessions_suite);
