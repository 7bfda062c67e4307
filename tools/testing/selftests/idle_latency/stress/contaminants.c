// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <x86intrin.h>

#include "contaminants.h"
#include "idle_latency_util.h"

#define MSR_TSC		0x10
#define BLOCK_SIZE	4096

/*
 * Who was woken stays awake for a while, so that events fire before the CPU can
 * go idle again. The CPU is idle for about as long as events are ahead.
 */
#define AWAKE_NS	30000
#define ASLEEP_NS	90000

static void stay_awake(__u64 ns)
{
	__u64 begin = now_ns();

	while (now_ns() - begin < ns)
		;
}

static bool sleep_ns(__u64 ns)
{
	const struct timespec time = { .tv_nsec = ns };

	return !nanosleep(&time, NULL);
}

bool contaminate_by_timer(void *context, __u64 *tsc)
{
	(void)context;
	if (!sleep_ns(ASLEEP_NS))
		return false;
	*tsc = __rdtsc();
	stay_awake(AWAKE_NS);
	return true;
}

bool contaminate_by_known_timer(void *context, __u64 *tsc)
{
	const double *rate = context;
	struct timespec at;
	__u64 ns;

	*tsc = __rdtsc();
	ns = now_ns() + ASLEEP_NS;
	*tsc += ASLEEP_NS * *rate;
	at.tv_sec = ns / 1000000000;
	at.tv_nsec = ns % 1000000000;
	if (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL))
		return false;
	stay_awake(AWAKE_NS);
	return true;
}

int contaminant_msr_open(unsigned int cpu)
{
	char path[32];

	snprintf(path, sizeof(path), "/dev/cpu/%u/msr", cpu);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* An emulator may not know this register and read 0, which proves nothing. */
bool contaminate_by_ipi(void *context, __u64 *tsc)
{
	const int *fd = context;

	return pread(*fd, tsc, sizeof(*tsc), MSR_TSC) == sizeof(*tsc);
}

/* A disk that is hardware, not made of memory or of other disks. */
static bool is_disk(const char *sysfs_path)
{
	char path[300];
	__u64 removable, sectors;

	snprintf(path, sizeof(path), "%s/removable", sysfs_path);
	if (!sysfs_read_number(path, &removable) || removable)
		return false;
	snprintf(path, sizeof(path), "%s/size", sysfs_path);
	if (!sysfs_read_number(path, &sectors) || !sectors)
		return false;
	snprintf(path, sizeof(path), "%s/device", sysfs_path);
	return !access(path, F_OK);
}

static int open_block(const char *sysfs_path)
{
	char path[300];

	snprintf(path, sizeof(path), "/dev/%s", strrchr(sysfs_path, '/') + 1);
	return open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
}

int contaminant_disk_open(void)
{
	glob_t found = { };
	int fd = -1;

	if (!glob("/sys/block/*", 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc && fd < 0; i++)
			if (is_disk(found.gl_pathv[i]))
				fd = open_block(found.gl_pathv[i]);
	globfree(&found);
	return fd;
}

bool contaminate_by_disk(void *context, __u64 *tsc)
{
	static char block[2 * BLOCK_SIZE];
	char *aligned = block + BLOCK_SIZE - (uintptr_t)block % BLOCK_SIZE;
	const int *fd = context;

	*tsc = 0;
	return pread(*fd, aligned, BLOCK_SIZE, 0) == BLOCK_SIZE;
}

bool contaminate_by_waking(void *context, __u64 *tsc)
{
	const int *fd = context;

	*tsc = 0;
	return sleep_ns(ASLEEP_NS) && write(*fd, "", 1) == 1;
}

bool contaminate_by_being_woken(void *context, __u64 *tsc)
{
	const int *fd = context;
	char byte;
	ssize_t got = read(*fd, &byte, 1);

	*tsc = __rdtsc();
	return got == 1;
}
