// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/idle_latency_keep: files that keep CPUs in an idle state and settings of the processor
 * until they are closed.
 *
 * Everything is done under one lock, which is taken while no CPU goes on- or offline. The
 * callbacks of CPU hotplug, which run while one does, take it, too.
 */
#include <linux/capability.h>
#include <linux/cleanup.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/suspend.h>
#include <linux/uaccess.h>

#include "keep.h"
#include "x86.h"

/* Far more CPUs than a kernel can have. */
#define WORDS_MAX	1024

/* Programs are built with these sizes, on 32 bits, too. */
static_assert(sizeof(struct idle_latency_hold) == 16);
static_assert(sizeof(struct idle_latency_settings) == 16);
static_assert(sizeof(struct idle_latency_kept) == 8);

/**
 * struct keeper - an open file
 * @others: in the list of all of them
 * @held: CPUs that it holds
 * @settings: IDLE_LATENCY_SETTING_* bits that it keeps
 */
struct keeper {
	struct list_head others;
	struct idle_latency_held held;
	u32 settings;
};

/* Protects all that files keep, and the rest of these. */
static DEFINE_MUTEX(keep_lock);
static LIST_HEAD(keepers);
static bool suspending;
static enum cpuhp_state hotplug_state;

static void free_keeper(struct keeper *keeper)
{
	free_cpumask_var(keeper->held.wanted);
	free_cpumask_var(keeper->held.held);
	kfree(keeper);
}

static struct keeper *alloc_keeper(void)
{
	struct keeper *keeper = kzalloc(sizeof(*keeper), GFP_KERNEL);

	if (!keeper)
		return NULL;

	if (zalloc_cpumask_var(&keeper->held.wanted, GFP_KERNEL) &&
	    zalloc_cpumask_var(&keeper->held.held, GFP_KERNEL))
		return keeper;

	free_keeper(keeper);
	return NULL;
}

static void put_settings_back(struct keeper *keeper)
{
	lockdep_assert_held(&keep_lock);

	idle_latency_put_back_settings(keeper->settings);
	keeper->settings = 0;
}

static int keep_open(struct inode *inode, struct file *file)
{
	struct keeper *keeper;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;

	keeper = alloc_keeper();
	if (!keeper)
		return -ENOMEM;

	scoped_guard(mutex, &keep_lock)
		list_add(&keeper->others, &keepers);
	file->private_data = keeper;
	return stream_open(inode, file);
}

static int keep_release(struct inode *inode, struct file *file)
{
	struct keeper *keeper = file->private_data;

	scoped_guard(cpus_read_lock) {
		guard(mutex)(&keep_lock);
		idle_latency_let_go(&keeper->held);
		put_settings_back(keeper);
		list_del(&keeper->others);
	}
	free_keeper(keeper);
	return 0;
}

/* Returns 0, or -ENXIO where a bit is that of a CPU that does not exist. */
static int take_cpus(struct cpumask *cpus, const u64 *bits, u32 words)
{
	for (u32 i = 0; i < words * 64; i++) {
		if (!(bits[i / 64] & BIT_ULL(i % 64)))
			continue;
		if (i >= nr_cpu_ids)
			return -ENXIO;
		cpumask_set_cpu(i, cpus);
	}

	return 0;
}

static int hold(struct keeper *keeper, const u64 *bits, const struct idle_latency_hold *wanted)
{
	int err;

	guard(cpus_read_lock)();
	guard(mutex)(&keep_lock);

	idle_latency_let_go(&keeper->held);
	if (suspending)
		return -EBUSY;

	err = take_cpus(keeper->held.wanted, bits, wanted->words);
	if (!err)
		return idle_latency_hold(&keeper->held, wanted->state);

	idle_latency_let_go(&keeper->held);
	return err;
}

static int ioctl_hold(struct keeper *keeper, void __user *arg)
{
	struct idle_latency_hold wanted;
	u64 *bits;
	int err;

	if (copy_from_user(&wanted, arg, sizeof(wanted)))
		return -EFAULT;
	if (wanted.words > WORDS_MAX)
		return -ENXIO;

	bits = memdup_array_user(u64_to_user_ptr(wanted.cpus), wanted.words, sizeof(*bits));
	if (IS_ERR(bits))
		return PTR_ERR(bits);

	err = hold(keeper, bits, &wanted);
	kfree(bits);
	return err;
}

static int set(struct keeper *keeper, struct idle_latency_settings *settings)
{
	int err;

	guard(cpus_read_lock)();
	guard(mutex)(&keep_lock);

	put_settings_back(keeper);
	if (suspending)
		return -EBUSY;

	err = idle_latency_keep_settings(&idle_latency_model, settings);
	if (!err)
		keeper->settings = settings->kept;
	return err;
}

static int ioctl_set(struct keeper *keeper, void __user *arg)
{
	struct idle_latency_settings settings;
	int err;

	if (copy_from_user(&settings, arg, sizeof(settings)))
		return -EFAULT;

	err = idle_latency_check_settings(&settings);
	if (err)
		return err;

	err = set(keeper, &settings);
	/* Of what is kept the caller knows all. */
	return err && copy_to_user(arg, &settings, sizeof(settings)) ? -EFAULT : err;
}

static int ioctl_kept(struct keeper *keeper, void __user *arg)
{
	struct idle_latency_kept kept;

	scoped_guard(cpus_read_lock) {
		guard(mutex)(&keep_lock);
		kept = (struct idle_latency_kept) {
			.cpus		= idle_latency_count_held(&keeper->held),
			.settings	= keeper->settings,
		};
	}

	return copy_to_user(arg, &kept, sizeof(kept)) ? -EFAULT : 0;
}

static long keep_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	switch (cmd) {
	case IDLE_LATENCY_KEEP_IOC_HOLD:
		return ioctl_hold(file->private_data, (void __user *)arg);
	case IDLE_LATENCY_KEEP_IOC_SET:
		return ioctl_set(file->private_data, (void __user *)arg);
	case IDLE_LATENCY_KEEP_IOC_KEPT:
		return ioctl_kept(file->private_data, (void __user *)arg);
	default:
		return -ENOTTY;
	}
}

static const struct file_operations keep_fops = {
	.owner		= THIS_MODULE,
	.open		= keep_open,
	.release	= keep_release,
	.unlocked_ioctl	= keep_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
};

static struct miscdevice keep_device = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "idle_latency_keep",
	.fops	= &keep_fops,
	.mode	= 0600,
};

static int cpu_comes_online(unsigned int cpu)
{
	struct keeper *keeper;

	guard(mutex)(&keep_lock);

	list_for_each_entry(keeper, &keepers, others)
		idle_latency_hold_again(&keeper->held, cpu);
	idle_latency_settings_online(cpu);
	return 0;
}

static int cpu_goes_offline(unsigned int cpu)
{
	struct keeper *keeper;

	guard(mutex)(&keep_lock);

	list_for_each_entry(keeper, &keepers, others)
		idle_latency_let_go_of(&keeper->held, cpu);
	idle_latency_settings_offline(cpu);
	return 0;
}

/* The firmware may write to the registers, and CPUs have other idle states meanwhile. */
static void put_all_back(void)
{
	struct keeper *keeper;

	guard(cpus_read_lock)();
	guard(mutex)(&keep_lock);

	suspending = true;
	list_for_each_entry(keeper, &keepers, others) {
		idle_latency_let_go(&keeper->held);
		put_settings_back(keeper);
	}
}

static int machine_suspends(struct notifier_block *notifier, unsigned long action,
			    void *unused)
{
	switch (action) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		put_all_back();
		break;
	default:
		scoped_guard(mutex, &keep_lock)
			suspending = false;
	}

	return NOTIFY_DONE;
}

static struct notifier_block suspend_notifier = {
	.notifier_call = machine_suspends,
};

/**
 * idle_latency_keep_register() - make /dev/idle_latency_keep appear
 *
 * Context: module init.
 * Return: 0 or a negative errno.
 */
int __init idle_latency_keep_register(void)
{
	int state, err;

	state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "idle_latency_keep:online",
					  cpu_comes_online, cpu_goes_offline);
	if (state < 0)
		return state;

	hotplug_state = state;
	err = register_pm_notifier(&suspend_notifier);
	if (err)
		goto remove_state;

	err = misc_register(&keep_device);
	if (err)
		goto unregister_notifier;

	return 0;

unregister_notifier:
	unregister_pm_notifier(&suspend_notifier);
remove_state:
	cpuhp_remove_state_nocalls(hotplug_state);
	return err;
}

/**
 * idle_latency_keep_unregister() - undo idle_latency_keep_register()
 *
 * Context: module init, where that fails, or module exit. No file is open.
 */
void idle_latency_keep_unregister(void)
{
	misc_deregister(&keep_device);
	unregister_pm_notifier(&suspend_notifier);
	cpuhp_remove_state_nocalls(hotplug_state);
}
