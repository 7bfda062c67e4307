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

int device_config(int fd, const struct idle_latency_config *config)
{
	return ioctl(fd, IDLE_LATENCY_IOC_CONFIG, config) ? -errno : 0;
}

int device_start(int fd)
{
	return ioctl(fd, IDLE_LATENCY_IOC_START) ? -errno : 0;
}

int device_stop(int fd)
{
	return ioctl(fd, IDLE_LATENCY_IOC_STOP) ? -errno : 0;
}

int device_counts(int fd, struct idle_latency_counts *counts)
{
	return ioctl(fd, IDLE_LATENCY_IOC_COUNTS, counts) ? -errno : 0;
}

int device_state(int fd, struct idle_latency_state *state)
{
	return ioctl(fd, IDLE_LATENCY_IOC_STATE, state) ? -errno : 0;
}

ssize_t device_read(int fd, struct idle_latency_record *records, size_t room)
{
	ssize_t bytes = read(fd, records, room * sizeof(*records));

	return bytes < 0 ? -errno : bytes / (ssize_t)sizeof(*records);
}
