// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/idle_latency: the file operations of a session.
 */
#include <linux/build_bug.h>
#include <linux/capability.h>
#include <linux/container_of.h>
#include <linux/fs.h>
#include <linux/minmax.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "session.h"

/* Programs are built with these sizes, on 32 bits, too. */
static_assert(sizeof(struct idle_latency_config) == 80);
static_assert(sizeof(struct idle_latency_record) == IDLE_LATENCY_RECORD_SIZE_VER0);
static_assert(sizeof(struct idle_latency_counts) == (6 + 3 * IDLE_LATENCY_DISCARD_SLOTS) * 8);
static_assert(sizeof(struct idle_latency_state) == 48);
static_assert(IDLE_LATENCY_RESIDENCY_MAX <= IDLE_LATENCY_RESIDENCY_SLOTS);
static_assert(IDLE_LATENCY_DISCARD_MAX <= IDLE_LATENCY_DISCARD_SLOTS);

static struct idle_latency_session *alloc_session(struct idle_latency_device *device)
{
	struct idle_latency_session *session;

	session = kzalloc(device->machine->session_size, GFP_KERNEL_ACCOUNT);
	if (!session)
		return NULL;

	session->device = device;
	session->machine = device->machine;
	mutex_init(&session->lock);
	mutex_init(&session->read_lock);
	spin_lock_init(&session->counts_lock);
	init_waitqueue_head(&session->readable);
	init_waitqueue_head(&session->writable);
	return session;
}

/* The device is registered as long as this runs: misc_open() sees to that. */
static int chrdev_open(struct inode *inode, struct file *file)
{
	struct idle_latency_device *device;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;

	device = container_of(file->private_data, struct idle_latency_device, misc);
	file->private_data = alloc_session(device);
	return file->private_data ? stream_open(inode, file) : -ENOMEM;
}

static int chrdev_release(struct inode *inode, struct file *file)
{
	struct idle_latency_session *session = file->private_data;

	idle_latency_stop(session);
	idle_latency_free_buffer(session);
	kfree(session);
	return 0;
}

static bool has_finished(struct idle_latency_session *session)
{
	/* Pairs with idle_latency_finish(): all records are seen after it. */
	return smp_load_acquire(&session->finished);
}

/*
 * A reader that waits for half of the buffer is woken about every 100 ms at the highest rate
 * where that has its usual size, and leaves the armer as much room to go on.
 */
static unsigned int half_of_buffer(struct idle_latency_session *session)
{
	return kfifo_size(&session->records) / 2;
}

static bool can_read(struct idle_latency_session *session, unsigned int wanted)
{
	return kfifo_len(&session->records) >= wanted || has_finished(session);
}

static int wait_for_records(struct idle_latency_session *session, size_t records)
{
	unsigned int wanted = min_t(size_t, records, half_of_buffer(session));
	int err;

	lockdep_assert_held(&session->read_lock);

	WRITE_ONCE(session->wake_at, wanted);
	err = wait_event_interruptible(session->readable, can_read(session, wanted));
	WRITE_ONCE(session->wake_at, half_of_buffer(session));
	return err;
}

/* The reader may know records that are longer, whose end is zero then, or shorter ones. */
static int copy_record(const struct idle_latency_session *session, char __user *buf,
		       const struct idle_latency_record *record)
{
	const size_t known = min(session->record_size, sizeof(*record));

	if (copy_to_user(buf, record, known) ||
	    clear_user(buf + known, session->record_size - known))
		return -EFAULT;

	return 0;
}

/* Whole records only. What was copied is returned even when more failed to be. */
static ssize_t copy_records(struct idle_latency_session *session, char __user *buf,
			    size_t records)
{
	struct idle_latency_record record;
	size_t copied = 0;
	int err = 0;

	lockdep_assert_held(&session->read_lock);

	while (copied < records && kfifo_peek(&session->records, &record)) {
		err = copy_record(session, buf + copied * session->record_size, &record);
		if (err)
			break;
		kfifo_skip(&session->records);
		copied++;
	}
	if (!copied)
		return err;

	wake_up(&session->writable);
	return copied * session->record_size;
}

static ssize_t read_records(struct idle_latency_session *session, char __user *buf,
			    size_t count, bool nonblock)
{
	size_t records;
	bool finished;
	int err = 0;

	lockdep_assert_held(&session->read_lock);

	if (!READ_ONCE(session->started))
		return -EINVAL;
	records = count / session->record_size;
	if (!records)
		return -EINVAL;

	if (!nonblock)
		err = wait_for_records(session, records);

	/* Looked at before the buffer, because records may still come until it is true. */
	finished = has_finished(session);
	if (!kfifo_is_empty(&session->records))
		return copy_records(session, buf, records);
	if (err)
		return err;

	return finished ? READ_ONCE(session->error) : -EAGAIN;
}

static ssize_t chrdev_read(struct file *file, char __user *buf, size_t count,
			   loff_t *ppos)
{
	struct idle_latency_session *session = file->private_data;
	ssize_t ret;

	if (mutex_lock_interruptible(&session->read_lock))
		return -ERESTARTSYS;

	ret = read_records(session, buf, count, file->f_flags & O_NONBLOCK);
	mutex_unlock(&session->read_lock);
	return ret;
}

static __poll_t chrdev_poll(struct file *file, poll_table *wait)
{
	struct idle_latency_session *session = file->private_data;
	__poll_t mask = 0;

	poll_wait(file, &session->readable, wait);

	if (!READ_ONCE(session->started))
		return 0;
	if (can_read(session, half_of_buffer(session)))
		mask |= EPOLLIN | EPOLLRDNORM;
	if (has_finished(session))
		mask |= EPOLLHUP;

	return mask;
}

static int ioctl_config(struct idle_latency_session *session, void __user *arg)
{
	struct idle_latency_config config;

	if (copy_from_user(&config, arg, sizeof(config)))
		return -EFAULT;

	return idle_latency_configure(session, &config);
}

static int ioctl_counts(struct idle_latency_session *session, void __user *arg)
{
	struct idle_latency_counts counts;

	scoped_guard(spinlock, &session->counts_lock)
		counts = session->counts;

	return copy_to_user(arg, &counts, sizeof(counts)) ? -EFAULT : 0;
}

static int ioctl_state(const struct idle_latency_session *session, void __user *arg)
{
	struct idle_latency_state state;
	struct idle_latency_cstate cstate;
	int err;

	if (copy_from_user(&state, arg, sizeof(state)))
		return -EFAULT;
	if (memchr_inv(state.padding, 0, sizeof(state.padding)))
		return -EINVAL;

	err = session->machine->find_state(&state, &cstate);
	if (err)
		return err;

	return copy_to_user(arg, &state, sizeof(state)) ? -EFAULT : 0;
}

static long chrdev_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct idle_latency_session *session = file->private_data;

	switch (cmd) {
	case IDLE_LATENCY_IOC_CONFIG:
		return ioctl_config(session, (void __user *)arg);
	case IDLE_LATENCY_IOC_START:
		return idle_latency_start(session);
	case IDLE_LATENCY_IOC_STOP:
		return idle_latency_stop(session);
	case IDLE_LATENCY_IOC_COUNTS:
		return ioctl_counts(session, (void __user *)arg);
	case IDLE_LATENCY_IOC_STATE:
		return ioctl_state(session, (void __user *)arg);
	default:
		return -ENOTTY;
	}
}

static const struct file_operations chrdev_fops = {
	.owner		= THIS_MODULE,
	.open		= chrdev_open,
	.release	= chrdev_release,
	.read		= chrdev_read,
	.poll		= chrdev_poll,
	.unlocked_ioctl	= chrdev_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
};

/**
 * idle_latency_register() - make a device appear
 * @device: the device, with its name and its machine, else zero
 *
 * Context: process context. May sleep.
 * Return: 0 or a negative errno.
 */
int idle_latency_register(struct idle_latency_device *device)
{
	int err;

	err = idle_latency_watch_init(device);
	if (err)
		return err;

	device->misc.minor = MISC_DYNAMIC_MINOR;
	device->misc.fops = &chrdev_fops;
	device->misc.mode = 0600;
	err = misc_register(&device->misc);
	if (err)
		idle_latency_watch_exit(device);
	return err;
}

/**
 * idle_latency_unregister() - take a device away
 * @device: the device, which is not open
 *
 * Context: process context. May sleep.
 */
void idle_latency_unregister(struct idle_latency_device *device)
{
	misc_deregister(&device->misc);
	idle_latency_watch_exit(device);
}
