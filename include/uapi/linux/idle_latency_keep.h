/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Interface of /dev/idle_latency_keep, which keeps a machine in the condition in which it is to
 * be measured: CPUs in an idle state, and settings of the processor.
 *
 * An open file keeps what it was told to until it is closed, or the machine is about to be
 * suspended. Then everything is put back, also when the program was killed. Any number of files
 * can be open. No event is armed for any of them, and nothing is measured: see
 * include/uapi/linux/idle_latency.h for that.
 *
 * open(2) fails with
 *
 * * EPERM: the caller lacks CAP_SYS_ADMIN.
 * * ENOMEM: out of memory.
 *
 * A command that is not listed below, or has another size, fails with ENOTTY; one whose argument
 * cannot be read or written fails with EFAULT.
 */
#ifndef _UAPI_LINUX_IDLE_LATENCY_KEEP_H
#define _UAPI_LINUX_IDLE_LATENCY_KEEP_H

#include <linux/const.h>
#include <linux/ioctl.h>
#include <linux/types.h>

/**
 * struct idle_latency_hold - which CPUs to hold in an idle state
 * @cpus: address of @words words of 64 bits; CPU n is bit n % 64 of the word n / 64
 * @words: 0: hold no CPU
 * @state: index of the cpuidle state
 *
 * Whenever one of these CPUs goes idle, it enters the state and no other, without a tick. Tasks
 * and interrupts run on it as ever.
 */
struct idle_latency_hold {
	__aligned_u64 cpus;
	__u32 words;
	__u32 state;
};

/* The CPU wakes up ahead of its timers, where it can do that. */
#define IDLE_LATENCY_SETTING_PREWAKE		_BITUL(0)
/* It may enter C1 where a deeper state is asked for. */
#define IDLE_LATENCY_SETTING_C1_DEMOTION	_BITUL(1)
/* It may enter C3 where a deeper state is asked for. */
#define IDLE_LATENCY_SETTING_C3_DEMOTION	_BITUL(2)
/* It enters C1E where C1 is asked for. */
#define IDLE_LATENCY_SETTING_C1E_PROMOTION	_BITUL(3)
/* The package goes no deeper than to @package_limit. */
#define IDLE_LATENCY_SETTING_PACKAGE_LIMIT	_BITUL(4)

/**
 * struct idle_latency_settings - which settings to keep on all CPUs
 * @kept: IDLE_LATENCY_SETTING_* bits
 * @on: those of them that are to be on; 0 in the bit of the package limit
 * @package_limit: with %IDLE_LATENCY_SETTING_PACKAGE_LIMIT, the deepest state of the package as a
 *	number, such as 6 for PC6, and 0 for PC0; else 0
 * @refused: where the command fails, the setting that is the reason, or 0; else 0
 */
struct idle_latency_settings {
	__u32 kept;
	__u32 on;
	__u32 package_limit;
	__u32 refused;
};

/**
 * struct idle_latency_kept - what the file keeps at this moment
 * @cpus: how many CPUs are held. One that goes offline is not, until it comes back; nor one of
 *	which the cpuidle driver changed, or of which user space disabled the state where only
 *	the limit of idle injection holds it
 * @settings: IDLE_LATENCY_SETTING_* bits
 */
struct idle_latency_kept {
	__u32 cpus;
	__u32 settings;
};

#define IDLE_LATENCY_KEEP_IOC_MAGIC	0xBB

/**
 * define IDLE_LATENCY_KEEP_IOC_HOLD - hold these CPUs, and no others
 *
 * CPUs that the file has held before are let go first. When it fails, the file holds none, but for
 * EFAULT, more words than there are CPUs, and ENOMEM: these change nothing. Fails with
 *
 * * EFAULT: the struct or the words cannot be read.
 * * ENXIO: a CPU does not exist or is offline.
 * * EBUSY: somebody measures a CPU, forces one of its states or injects idle on it; another
 *   file holds it; or the machine is about to be suspended.
 * * ENODEV: no cpuidle driver serves a CPU.
 * * ENOENT: a CPU has no such state, or its driver marked it as unusable.
 * * EOPNOTSUPP: nobody can force the state, see IDLE_LATENCY_IOC_START.
 * * ENOMEM: out of memory.
 */
#define IDLE_LATENCY_KEEP_IOC_HOLD \
	_IOW(IDLE_LATENCY_KEEP_IOC_MAGIC, 8, struct idle_latency_hold)

/**
 * define IDLE_LATENCY_KEEP_IOC_SET - keep these settings, and no others
 *
 * Settings that the file has kept before are put back first. When it fails, the file keeps none,
 * but for EINVAL and EFAULT before the struct was read: these change nothing.
 * What is put back are the bits of these settings, and only where they say what was written: who
 * has changed them meanwhile keeps that. A CPU that comes online gets them, too. Fails with
 *
 * * EINVAL: an unknown setting; one that is on but not kept; a package limit that is not kept.
 * * EPERM: the kernel is locked down.
 * * EOPNOTSUPP: nothing is known of the setting on this model of CPU, or the machine is virtual.
 * * ERANGE: the model has no such package limit.
 * * EROFS: the firmware has locked the setting.
 * * EBUSY: another file keeps the setting otherwise; or the machine is about to be suspended.
 * * EIO: a CPU does not take the setting: it reads back differently.
 */
#define IDLE_LATENCY_KEEP_IOC_SET \
	_IOWR(IDLE_LATENCY_KEEP_IOC_MAGIC, 9, struct idle_latency_settings)

/**
 * define IDLE_LATENCY_KEEP_IOC_KEPT - what the file keeps at this moment
 */
#define IDLE_LATENCY_KEEP_IOC_KEPT \
	_IOR(IDLE_LATENCY_KEEP_IOC_MAGIC, 10, struct idle_latency_kept)

#endif /* _UAPI_LINUX_IDLE_LATENCY_KEEP_H */
