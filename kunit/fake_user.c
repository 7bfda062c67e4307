// SPDX-License-Identifier: GPL-2.0-only
/*
 * User space of the machine in memory: it opens the device, commands and reads, and waits for
 * what the session does.
 */
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "fake_machine.h"

/* Far longer than anything takes, so that a test that waits for nothing ends. */
#define PATIENCE	(10 * HZ)

/**
 * fake_open() - open the device
 * @fake: the machine, which has no session
 *
 * Return: 0 or a negative errno.
 */
int fake_open(struct fake *fake)
{
	int err;

	/* What misc_open() puts there. */
	fake->file->private_data = &fake->device.misc;
	err = fake->device.misc.fops->open(NULL, fake->file);
	if (!err)
		fake->session = fake->file->private_data;
	return err;
}

/**
 * fake_close() - close it
 * @fake: the machine, with a session
 */
void fake_close(struct fake *fake)
{
	fake->refusals |= fake->device.misc.fops->release(NULL, fake->file);
	fake->session = NULL;
}

/**
 * fake_ioctl() - a command with what is in the memory of user space
 * @fake: the machine, with a session
 * @cmd: the command
 *
 * Return: what the command returns.
 */
long fake_ioctl(struct fake *fake, unsigned int cmd)
{
	return fake->device.misc.fops->unlocked_ioctl(fake->file, cmd, fake->user);
}

/**
 * fake_configure() - say what the next session measures
 * @fake: the machine, with a session
 * @config: that
 *
 * Return: what the command returns.
 */
int fake_configure(struct fake *fake, const struct idle_latency_config *config)
{
	if (copy_to_user((void __user *)fake->user, config, sizeof(*config)))
		return -EFAULT;

	return fake_ioctl(fake, IDLE_LATENCY_IOC_CONFIG);
}

/**
 * fake_read() - read records
 * @fake: the machine, with a session
 * @records: how many
 * @block: wait for them
 *
 * Return: how many were read, or a negative errno.
 */
ssize_t fake_read(struct fake *fake, size_t records, bool block)
{
	const size_t size = sizeof(struct idle_latency_record);
	ssize_t ret;

	fake->file->f_flags = block ? 0 : O_NONBLOCK;
	ret = fake->device.misc.fops->read(fake->file, (char __user *)fake->user,
					   records * size, NULL);
	return ret < 0 ? ret : ret / size;
}

/**
 * fake_record() - look at a record that was read
 * @fake: the machine
 * @number: which of those that were read together, from 0
 *
 * Return: the record, until this is called again.
 */
const struct idle_latency_record *fake_record(struct fake *fake, size_t number)
{
	const unsigned long address = fake->user + number * sizeof(fake->record);

	if (copy_from_user(&fake->record, (void __user *)address, sizeof(fake->record)))
		memset(&fake->record, 0xff, sizeof(fake->record));
	return &fake->record;
}

/**
 * fake_poll() - what can be read?
 * @fake: the machine, with a session
 *
 * Return: what poll() returns, as a number.
 */
u32 fake_poll(struct fake *fake)
{
	struct poll_table_struct table;

	init_poll_funcptr(&table, NULL);
	return (__force u32)fake->device.misc.fops->poll(fake->file, &table);
}

/**
 * fake_counts() - what became of the events?
 * @fake: the machine, with a session
 *
 * Return: the counts, until this is called again.
 */
const struct idle_latency_counts *fake_counts(struct fake *fake)
{
	struct idle_latency_counts *counts = &fake->counts;

	if (fake_ioctl(fake, IDLE_LATENCY_IOC_COUNTS) ||
	    copy_from_user(counts, (void __user *)fake->user, sizeof(*counts)))
		memset(counts, 0xff, sizeof(*counts));
	return counts;
}

/**
 * fake_let_go() - let events come
 * @fake: the machine
 * @events: how many more, each as in @event of the machine
 */
void fake_let_go(struct fake *fake, unsigned int events)
{
	WRITE_ONCE(fake->go, fake->go + events);
	wake_up_all(&fake->changed);
}

static bool has_settled(const struct fake *fake)
{
	struct idle_latency_session *session = fake->session;

	/* Pairs with idle_latency_finish(). */
	if (smp_load_acquire(&session->finished))
		return true;
	/* The armer waits for the test, or for the reader. Pairs with hold(). */
	if (!smp_load_acquire(&fake->go) && READ_ONCE(fake->held))
		return true;

	return kfifo_is_full(&session->records) && wq_has_sleeper(&session->writable);
}

/* Nobody tells of the end of a session, or that it waits for the reader: look at times. */
static bool wait_until(bool (*condition)(const struct fake *fake), struct fake *fake)
{
	const unsigned long end = jiffies + PATIENCE;

	while (!wait_event_timeout(fake->changed, condition(fake), 1)) {
		if (time_after(jiffies, end))
			return false;
	}

	return true;
}

/**
 * fake_settles() - wait until the armer cannot go on
 * @fake: the machine, whose session was started
 *
 * Return: whether that came to be.
 */
bool fake_settles(struct fake *fake)
{
	return wait_until(has_settled, fake);
}

static bool has_finished(const struct fake *fake)
{
	/* Pairs with idle_latency_finish(). */
	return smp_load_acquire(&fake->session->finished);
}

/**
 * fake_finishes() - wait until the session is finished
 * @fake: the machine, whose session was started
 *
 * Return: whether that came to be.
 */
bool fake_finishes(struct fake *fake)
{
	return wait_until(has_finished, fake);
}

static bool has_let_go(const struct fake *fake)
{
	return !(READ_ONCE(fake->in_force) & BIT(FAKE_FORCE));
}

/**
 * fake_lets_go() - wait until the state is not forced any more
 * @fake: the machine, whose session was started
 *
 * Return: whether that came to be.
 */
bool fake_lets_go(struct fake *fake)
{
	return wait_until(has_let_go, fake);
}

static bool armer_sleeps(const struct fake *fake)
{
	return READ_ONCE(fake->session->armer->__state) == TASK_IDLE;
}

/**
 * fake_sleeps() - wait until the armer sleeps, because its event has yet to fire
 * @fake: the machine, whose session was started and has room
 *
 * Return: whether that came to be.
 */
bool fake_sleeps(struct fake *fake)
{
	return wait_until(armer_sleeps, fake);
}

/**
 * fake_start() - bring a session to where its armer waits for an event
 * @test: the test, which fails otherwise
 * @config: what to configure before
 */
void fake_start(struct kunit *test, const struct idle_latency_config *config)
{
	struct fake *fake = test->priv;

	KUNIT_ASSERT_EQ(test, fake_configure(fake, config), 0);
	KUNIT_ASSERT_EQ(test, fake_ioctl(fake, IDLE_LATENCY_IOC_START), 0);
	KUNIT_ASSERT_TRUE(test, fake_settles(fake));
}

/**
 * fake_run() - let events go, and wait for what becomes of them
 * @test: the test, whose session was started
 * @events: their number
 */
void fake_run(struct kunit *test, unsigned int events)
{
	fake_let_go(test->priv, events);
	KUNIT_ASSERT_TRUE(test, fake_settles(test->priv));
}

/**
 * fake_expect_accounted() - all events are accounted for
 * @test: the test, whose session arms one after the other
 */
void fake_expect_accounted(struct kunit *test)
{
	const struct idle_latency_counts *counts = fake_counts(test->priv);
	u64 sum = counts->delivered + counts->pending;

	for (int i = 0; i < IDLE_LATENCY_DISCARD_SLOTS; i++)
		sum += counts->discarded[i];
	KUNIT_EXPECT_EQ(test, counts->armed, sum);
}
