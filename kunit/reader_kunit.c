// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests for what a reader gets of the records, when it is woken, and what user memory may
 * do.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/mman.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "fake_machine.h"

/* How many records wake a reader that waits for more. */
#define WAKE_AT		(IDLE_LATENCY_BUFFER_RECORDS / 2)

/* Where nothing is mapped. */
#define NOWHERE		8UL

/* The armer waits for the reader, arms as many as there is room for, and loses none. */
static void back_pressure(struct kunit *test)
{
	const unsigned int size = IDLE_LATENCY_BUFFER_RECORDS;
	struct fake *fake = test->priv;
	u64 seq = 0;

	fake_start(test, &fake_config);
	fake_run(test, 3 * size);
	for (unsigned int records = 1; records < size; records *= 5) {
		KUNIT_EXPECT_EQ(test, fake_counts(fake)->armed, seq + size);
		KUNIT_EXPECT_EQ(test, fake_counts(fake)->pending, 0);
		KUNIT_ASSERT_EQ(test, fake_read(fake, records, false), records);
		for (unsigned int i = 0; i < records; i++)
			KUNIT_ASSERT_EQ(test, fake_record(fake, i)->seq, seq + i);
		seq += records;
		KUNIT_ASSERT_TRUE(test, fake_settles(fake));
	}

	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STOP), 0);
	fake_expect_accounted(test);
	KUNIT_ASSERT_EQ(test, fake_read(fake, 2 * size, false), size);
	for (unsigned int i = 0; i < size; i++)
		KUNIT_ASSERT_EQ(test, fake_record(fake, i)->seq, seq + i);
}

/* With KEEP, what is not believed fills the buffer, too. */
static void back_pressure_by_discarded(struct kunit *test)
{
	const unsigned int size = IDLE_LATENCY_BUFFER_RECORDS;
	struct idle_latency_config config = fake_config;
	struct fake *fake = test->priv;

	config.flags = IDLE_LATENCY_CONFIG_KEEP;
	fake->event.nmis = 1;
	fake_start(test, &config);
	fake_run(test, size + 1);
	KUNIT_EXPECT_EQ(test, fake_counts(fake)->armed, size);
	KUNIT_EXPECT_EQ(test, fake_counts(fake)->kept, size);
	KUNIT_EXPECT_EQ(test, fake_read(fake, 1, false), 1);
	KUNIT_EXPECT_TRUE(test, fake_settles(fake));
	KUNIT_EXPECT_EQ(test, fake_counts(fake)->kept, size + 1);
}

/* Fill the buffer, and do not read. */
static void let_go_of_cpu(struct kunit *test)
{
	struct fake *fake = test->priv;

	fake_start(test, &fake_config);
	fake_run(test, IDLE_LATENCY_BUFFER_RECORDS + 1);
	KUNIT_EXPECT_TRUE(test, fake->in_force & BIT(FAKE_FORCE));
	KUNIT_ASSERT_TRUE(test, fake_lets_go(fake));
	KUNIT_EXPECT_FALSE(test, fake->session->finished);
	fake_clear_log(fake);
}

/* A reader that does not come back does not keep the CPU forced; when it does, it goes on. */
static void reader_comes_back(struct kunit *test)
{
	const unsigned int size = IDLE_LATENCY_BUFFER_RECORDS;
	struct fake *fake = test->priv;

	let_go_of_cpu(test);
	KUNIT_ASSERT_EQ(test, fake_read(fake, size, false), size);
	KUNIT_ASSERT_TRUE(test, fake_settles(fake));
	KUNIT_EXPECT_STREQ(test, fake->log, "force find");
	KUNIT_ASSERT_EQ(test, fake_read(fake, 2, false), 1);
	KUNIT_EXPECT_EQ(test, fake_record(fake, 0)->seq, size);
}

/* Somebody else has forced a state of the CPU meanwhile, which stays as it is. */
static void reader_comes_back_too_late(struct kunit *test)
{
	const unsigned int size = IDLE_LATENCY_BUFFER_RECORDS;
	struct fake *fake = test->priv;

	let_go_of_cpu(test);
	fake->fail = FAKE_FORCE;
	fake->fail_error = -EBUSY;
	KUNIT_ASSERT_EQ(test, fake_read(fake, size, false), size);
	KUNIT_ASSERT_TRUE(test, fake_finishes(fake));
	KUNIT_EXPECT_EQ(test, fake_read(fake, 1, false), -EBUSY);
	KUNIT_EXPECT_STREQ(test, fake->log, "force find -start -observe -watch");
	fake->fail_error = 0;
}

/* The index may be that of another state now, whatever the session was configured for. */
static void reader_comes_back_to_another_state(struct kunit *test)
{
	const unsigned int size = IDLE_LATENCY_BUFFER_RECORDS;
	struct fake *fake = test->priv;

	let_go_of_cpu(test);
	fake->target_residency_ns++;
	KUNIT_ASSERT_EQ(test, fake_read(fake, size, false), size);
	KUNIT_ASSERT_TRUE(test, fake_finishes(fake));
	KUNIT_EXPECT_EQ(test, fake_read(fake, 1, false), -ENOENT);
	KUNIT_EXPECT_STREQ(test, fake->log, "force find -start -observe -force -watch");
}

static void reader_stops_instead(struct kunit *test)
{
	struct fake *fake = test->priv;

	let_go_of_cpu(test);
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STOP), 0);
	KUNIT_EXPECT_STREQ(test, fake->log, "-start -observe -watch");
}

struct later {
	struct delayed_work work;
	struct fake *fake;
	unsigned int events;
};

/* One after the other, so that the reader has looked before the next one comes. */
static void let_go_later(struct work_struct *work)
{
	struct later *later = container_of(to_delayed_work(work), struct later, work);

	for (unsigned int i = 0; i < later->events; i++) {
		fake_let_go(later->fake, 1);
		fake_settles(later->fake);
	}
}

static void goes_offline_later(struct work_struct *work)
{
	struct later *later = container_of(to_delayed_work(work), struct later, work);

	fake_goes_offline(later->fake, fake_config.cpu);
}

/* Start a session, and read while @happens does something to it. Returns what was read. */
static ssize_t blocking_read(struct kunit *test, const struct idle_latency_config *config,
			     unsigned int records, unsigned int events,
			     work_func_t happens)
{
	struct fake *fake = test->priv;
	struct later later = { .fake = fake, .events = events };
	ssize_t ret;

	fake_start(test, config);
	INIT_DELAYED_WORK_ONSTACK(&later.work, happens);
	schedule_delayed_work(&later.work, 2);
	ret = fake_read(fake, records, true);
	flush_delayed_work(&later.work);
	destroy_delayed_work_on_stack(&later.work);
	return ret;
}

/* A reader that waits is woken when there is what it asked for, but for half the buffer. */
static void read_waits(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, blocking_read(test, &fake_config, 3, 3, let_go_later), 3);
}

static void read_waits_for_half(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, blocking_read(test, &fake_config, IDLE_LATENCY_BUFFER_RECORDS,
					    WAKE_AT, let_go_later), WAKE_AT);
}

static void read_waits_for_discarded(struct kunit *test)
{
	struct idle_latency_config config = fake_config;
	struct fake *fake = test->priv;

	config.flags = IDLE_LATENCY_CONFIG_KEEP;
	fake->event.nmis = 1;
	KUNIT_EXPECT_EQ(test, blocking_read(test, &config, 3, 3, let_go_later), 3);
}

static void read_ends_with_the_session(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, blocking_read(test, &fake_config, 3, 0, goes_offline_later),
			-ENXIO);
}

/* Somebody who polls, and counts how often he is woken. */
struct waiter {
	struct poll_table_struct table;
	struct wait_queue_entry entry;
	struct wait_queue_head *head;
	unsigned int wakes;
};

static void wait_at(struct file *file, struct wait_queue_head *head,
		    struct poll_table_struct *table)
{
	struct waiter *waiter = container_of(table, struct waiter, table);

	waiter->head = head;
	add_wait_queue(head, &waiter->entry);
}

static int count_wake(struct wait_queue_entry *entry, unsigned int mode, int flags, void *key)
{
	container_of(entry, struct waiter, entry)->wakes++;
	return 0;
}

/* With half the buffer and not for each record, also after a reader that wanted only one. */
static void poll_is_woken_with_half(struct kunit *test)
{
	struct fake *fake = test->priv;
	struct waiter waiter = { };

	init_poll_funcptr(&waiter.table, wait_at);
	init_waitqueue_func_entry(&waiter.entry, count_wake);
	fake_start(test, &fake_config);
	fake->device.misc.fops->poll(fake->file, &waiter.table);
	KUNIT_ASSERT_PTR_EQ(test, waiter.head, &fake->session->readable);

	for (unsigned int i = 0; i < 2; i++) {
		fake_run(test, WAKE_AT - 1);
		KUNIT_EXPECT_EQ(test, waiter.wakes, i);
		fake_run(test, 1);
		KUNIT_EXPECT_EQ(test, waiter.wakes, i + 1);
		KUNIT_EXPECT_EQ(test, fake_read(fake, 2 * WAKE_AT, false), WAKE_AT);
		fake_run(test, 1);
		KUNIT_EXPECT_EQ(test, fake_read(fake, 1, true), 1);
	}
	remove_wait_queue(waiter.head, &waiter.entry);
}

static void poll_tells_of_half(struct kunit *test)
{
	struct fake *fake = test->priv;

	fake_start(test, &fake_config);
	fake_run(test, WAKE_AT - 1);
	KUNIT_EXPECT_EQ(test, fake_poll(fake), 0);
	fake_run(test, 1);
	KUNIT_EXPECT_EQ(test, fake_poll(fake), FAKE_POLL_READ);
}

/* A signal ends the waiting, and what is there is read all the same. */
static void read_with_signal(struct kunit *test)
{
	struct fake *fake = test->priv;
	ssize_t nothing, one;

	fake_start(test, &fake_config);
	allow_signal(SIGUSR1);
	send_sig(SIGUSR1, current, 0);
	nothing = fake_read(fake, 2, true);
	fake_let_go(fake, 1);
	fake_settles(fake);
	one = fake_read(fake, 2, true);
	flush_signals(current);
	disallow_signal(SIGUSR1);

	KUNIT_EXPECT_EQ(test, nothing, -ERESTARTSYS);
	KUNIT_EXPECT_EQ(test, one, 1);
}

static bool is_being_read(const struct fake *fake)
{
	return mutex_is_locked(&fake->session->read_lock);
}

struct reader {
	struct work_struct work;
	struct fake *fake;
	ssize_t ret;
};

static void read_meanwhile(struct work_struct *work)
{
	struct reader *reader = container_of(work, struct reader, work);

	reader->ret = fake_read(reader->fake, 1, true);
}

/* One reader waits for a record, and the other for the first, until a signal comes. */
static void two_readers(struct kunit *test)
{
	struct fake *fake = test->priv;
	struct reader reader = { .fake = fake };
	ssize_t ret;

	fake_start(test, &fake_config);
	INIT_WORK_ONSTACK(&reader.work, read_meanwhile);
	schedule_work(&reader.work);
	for (int i = 0; i < 10 * HZ && !is_being_read(fake); i++)
		schedule_timeout_uninterruptible(1);
	allow_signal(SIGUSR1);
	send_sig(SIGUSR1, current, 0);
	ret = fake_read(fake, 1, true);
	flush_signals(current);
	disallow_signal(SIGUSR1);
	KUNIT_EXPECT_TRUE(test, is_being_read(fake));
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STOP), 0);
	flush_work(&reader.work);
	destroy_work_on_stack(&reader.work);

	KUNIT_EXPECT_EQ(test, ret, -ERESTARTSYS);
	KUNIT_EXPECT_EQ(test, reader.ret, 0);
}

static ssize_t read_to(struct fake *fake, unsigned long address, size_t size)
{
	fake->file->f_flags = O_NONBLOCK;
	return fake->device.misc.fops->read(fake->file, (char __user *)address, size, NULL);
}

static void read_whole_records(struct kunit *test)
{
	const size_t size = sizeof(struct idle_latency_record);
	struct fake *fake = test->priv;

	fake_start(test, &fake_config);
	fake_run(test, 3);
	KUNIT_EXPECT_EQ(test, read_to(fake, fake->user, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, read_to(fake, fake->user, size - 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, read_to(fake, fake->user, 2 * size - 1), size);
	KUNIT_EXPECT_EQ(test, fake_record(fake, 0)->seq, 0);
	KUNIT_EXPECT_EQ(test, read_to(fake, fake->user, 2 * size), 2 * size);
	KUNIT_EXPECT_EQ(test, fake_record(fake, 1)->seq, 2);
}

/* A reader that knows a longer record gets zeros for what the driver does not know. */
static void read_longer_records(struct kunit *test)
{
	const size_t known = sizeof(struct idle_latency_record), size = known + 16;
	struct idle_latency_config config = fake_config;
	struct fake *fake = test->priv;
	u64 second[3];

	config.record_size = size;
	fake_start(test, &config);
	fake_run(test, 2);
	KUNIT_ASSERT_EQ(test, clear_user((void __user *)fake->user, FAKE_USER), 0);
	KUNIT_ASSERT_EQ(test, put_user(1ULL, (u64 __user *)(fake->user + known)), 0);
	KUNIT_EXPECT_EQ(test, read_to(fake, fake->user, known), -EINVAL);
	KUNIT_EXPECT_EQ(test, read_to(fake, fake->user, 2 * size), 2 * size);
	KUNIT_ASSERT_EQ(test, copy_from_user(second, (void __user *)(fake->user + known), 24), 0);
	KUNIT_EXPECT_EQ(test, second[0], 0);
	KUNIT_EXPECT_EQ(test, second[1], 0);
	KUNIT_EXPECT_EQ(test, second[2], 1);
}

/* What could not be copied is not lost. */
static void read_to_nowhere(struct kunit *test)
{
	const size_t size = sizeof(struct idle_latency_record);
	struct fake *fake = test->priv;

	fake_start(test, &fake_config);
	fake_run(test, 4);
	KUNIT_EXPECT_EQ(test, read_to(fake, NOWHERE, size), -EFAULT);
	KUNIT_EXPECT_EQ(test, read_to(fake, fake->user + FAKE_USER - 2 * size - 1, 4 * size),
			2 * size);
	KUNIT_EXPECT_EQ(test, read_to(fake, fake->user, 4 * size), 2 * size);
	KUNIT_EXPECT_EQ(test, fake_record(fake, 0)->seq, 2);
	KUNIT_EXPECT_EQ(test, fake_record(fake, 1)->seq, 3);
}

static void ioctl_from_nowhere(struct kunit *test)
{
	struct fake *fake = test->priv;
	const unsigned long user = fake->user;

	fake->user = NOWHERE;
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_CONFIG), -EFAULT);
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_COUNTS), -EFAULT);
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STATE), -EFAULT);
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STATE + 1), -ENOTTY);
	fake->user = user;
	KUNIT_EXPECT_STREQ(test, fake->log, "");
}

/* What is asked for can be read from there, but not answered to there. */
static void ioctl_to_read_only_memory(struct kunit *test)
{
	struct fake *fake = test->priv;
	const unsigned long user = fake->user;

	fake->user = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ,
				   MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_FALSE(test, !fake->user || IS_ERR_VALUE(fake->user));
	KUNIT_EXPECT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_STATE), -EFAULT);
	KUNIT_EXPECT_STREQ(test, fake->log, "find");
	fake->user = user;
}

static long ask_for_state(struct fake *fake, struct idle_latency_state *state)
{
	void __user *user = (void __user *)fake->user;
	long ret;

	if (copy_to_user(user, state, sizeof(*state)))
		return -EFAULT;

	ret = fake_ioctl(fake, IDLE_LATENCY_IOC_STATE);
	return copy_from_user(state, user, sizeof(*state)) ? -EFAULT : ret;
}

static void ioctl_state(struct kunit *test)
{
	struct idle_latency_state state = { .state = FAKE_STATE };
	struct fake *fake = test->priv;

	fake->state_flags = IDLE_LATENCY_STATE_PREWAKE;
	KUNIT_EXPECT_EQ(test, ask_for_state(fake, &state), 0);
	KUNIT_EXPECT_EQ(test, state.state, FAKE_STATE);
	KUNIT_EXPECT_EQ(test, state.exit_latency_ns, FAKE_EXIT_LATENCY_NS);
	KUNIT_EXPECT_EQ(test, state.flags, IDLE_LATENCY_STATE_PREWAKE);

	fake->fail = FAKE_FIND;
	fake->fail_error = -ENOENT;
	KUNIT_EXPECT_EQ(test, ask_for_state(fake, &state), -ENOENT);
	state.padding[ARRAY_SIZE(state.padding) - 1] = 1;
	KUNIT_EXPECT_EQ(test, ask_for_state(fake, &state), -EINVAL);
}

static struct kunit_case reader_test_cases[] = {
	KUNIT_CASE(back_pressure),
	KUNIT_CASE(back_pressure_by_discarded),
	KUNIT_CASE(reader_comes_back),
	KUNIT_CASE(reader_comes_back_too_late),
	KUNIT_CASE(reader_comes_back_to_another_state),
	KUNIT_CASE(reader_stops_instead),
	KUNIT_CASE(read_waits),
	KUNIT_CASE(read_waits_for_half),
	KUNIT_CASE(read_waits_for_discarded),
	KUNIT_CASE(read_ends_with_the_session),
	KUNIT_CASE(poll_tells_of_half),
	KUNIT_CASE(poll_is_woken_with_half),
	KUNIT_CASE(read_with_signal),
	KUNIT_CASE(two_readers),
	KUNIT_CASE(read_whole_records),
	KUNIT_CASE(read_longer_records),
	KUNIT_CASE(read_to_nowhere),
	KUNIT_CASE(ioctl_from_nowhere),
	KUNIT_CASE(ioctl_to_read_only_memory),
	KUNIT_CASE(ioctl_state),
	{}
};

static struct kunit_suite reader_suite = {
	.name = "idle_latency_reader",
	.init = fake_init,
	.exit = fake_exit,
	.test_cases = reader_test_cases,
};

kunit_test_suite(reader_suite);
