// SPDX-License-Identifier: GPL-2.0
/* The calls of /dev/idle_latency. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <sys/ioctl.h>

#include "idle_latency_util.h"

int device_open(int flags)
{
	int fd = open(DEVICE_PATH, O_RDONLY | O_CLOEXEC | flags);

	return fd < 0 ? -errno : fd;
}

int device_call(int fd, unsigned long command, const void *argument)
{
	return ioctl(fd, command, argument) ? -errno : 0;
}

int device_config(int fd, const struct idle_latency_config *config)
{
	return device_call(fd, IDLE_LATENCY_IOC_CONFIG, config);
}

int device_start(int fd)
{
	return device_call(fd, IDLE_LATENCY_IOC_START, NULL);
}

int device_stop(int fd)
{
	return device_call(fd, IDLE_LATENCY_IOC_STOP, NULL);
}

int device_counts(int fd, struct idle_latency_counts *counts)
{
	return device_call(fd, IDLE_LATENCY_IOC_COUNTS, counts);
}

int device_state(int fd, struct idle_latency_state *state)
{
	return device_call(fd, IDLE_LATENCY_IOC_STATE, state);
}

ssize_t device_read(int fd, struct idle_latency_record *records, size_t room)
{
	ssize_t bytes = read(fd, records, room * sizeof(*records));

	return bytes < 0 ? -errno : bytes / (ssize_t)sizeof(*records);
}
