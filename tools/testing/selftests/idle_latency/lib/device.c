// SPDX-License-Identifier: GPL-2.0
/* The calls of /dev/idle_latency, and the cards that it measures with. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/ioctl.h>
#include <sys/resource.h>

#include "idle_latency_util.h"

int device_open(int flags)
{
	int fd = open(DEVICE_PATH, O_RDONLY | O_CLOEXEC | flags);

	return fd < 0 ? -errno : fd;
}

/* What other files the program has are few. */
#define OTHER_FILES	64

size_t device_open_more(int **files, int fd, size_t wanted)
{
	struct rlimit limit;
	size_t count = 0;

	*files = calloc(wanted, sizeof(**files));
	if (!*files)
		return 1;
	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < wanted + OTHER_FILES) {
		limit.rlim_cur = wanted + OTHER_FILES;
		if (limit.rlim_max < limit.rlim_cur)
			limit.rlim_max = limit.rlim_cur;
		/* More than the hard limit takes a privilege. */
		if (setrlimit(RLIMIT_NOFILE, &limit) && !getrlimit(RLIMIT_NOFILE, &limit)) {
			limit.rlim_cur = limit.rlim_max;
			setrlimit(RLIMIT_NOFILE, &limit);
		}
	}
	for ((*files)[count++] = fd; count < wanted; count++) {
		(*files)[count] = device_open(O_NONBLOCK);
		if ((*files)[count] < 0)
			break;
	}
	return count;
}

void device_user(char *text, size_t size)
{
	char path[64], target[64], name[32];
	glob_t found = { };
	ssize_t length;
	int process;

	*text = '\0';
	if (!glob("/proc/[0-9]*/fd/*", 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc && !*text; i++) {
			length = readlink(found.gl_pathv[i], target, sizeof(target));
			if (length != sizeof(DEVICE_PATH) - 1 ||
			    strncmp(target, DEVICE_PATH, length) ||
			    sscanf(found.gl_pathv[i], "/proc/%d", &process) != 1)
				continue;
			snprintf(path, sizeof(path), "/proc/%d/comm", process);
			if (sysfs_read_line(path, name, sizeof(name)))
				snprintf(text, size, "%s, process %d", name, process);
		}
	globfree(&found);
}

int device_config(int fd, const struct idle_latency_config *config)
{
	return ioctl(fd, IDLE_LATENCY_IOC_CONFIG, config) ? -errno : 0;
}

int device_start(int fd)
{
	return ioctl(fd, IDLE_LATENCY_IOC_START) ? -errno : 0;
}

int device_begin(int fd, const struct idle_latency_config *config)
{
	int ret = device_config(fd, config);

	return ret ? ret : device_start(fd);
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

size_t card_count(void)
{
	glob_t found = { };
	size_t count = 0;

	if (!glob(CARD_DRIVER "/*:*", 0, NULL, &found))
		count = found.gl_pathc;
	globfree(&found);
	return count;
}

bool card_find(char *address, size_t size)
{
	glob_t found = { };
	bool fits = false;

	if (!glob(CARD_DRIVER "/*:*", 0, NULL, &found))
		fits = snprintf(address, size, "%s", found.gl_pathv[0] + strlen(CARD_DRIVER "/")) <
		       (int)size;
	globfree(&found);
	return fits;
}
