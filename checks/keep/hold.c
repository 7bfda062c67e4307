// SPDX-License-Identifier: GPL-2.0
/*
 * Holds a CPU in an idle state, or keeps a limit of the package, until it is killed, as another
 * program would.
 *
 *	hold CPU STATE		each ends with the number of the error when that is refused
 *	hold limit STATE
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/idle_latency_keep.h>

static int hold(int fd, const char *cpu, const char *state)
{
	__u64 cpus = 1ULL << atoi(cpu);
	struct idle_latency_hold hold = {
		.cpus = (unsigned long)&cpus, .words = 1, .state = atoi(state),
	};

	return ioctl(fd, IDLE_LATENCY_KEEP_IOC_HOLD, &hold);
}

static int limit(int fd, const char *state)
{
	struct idle_latency_settings settings = {
		.kept = IDLE_LATENCY_SETTING_PACKAGE_LIMIT, .package_limit = atoi(state),
	};

	return ioctl(fd, IDLE_LATENCY_KEEP_IOC_SET, &settings);
}

int main(int argc, char **argv)
{
	const bool limits = argc == 3 && !strcmp(argv[1], "limit");
	int fd = open("/dev/idle_latency_keep", O_RDWR);

	if (argc != 3) {
		fprintf(stderr, "usage: hold CPU STATE, or hold limit STATE\n");
		return 1;
	}
	if (fd < 0 || (limits ? limit(fd, argv[2]) : hold(fd, argv[1], argv[2]))) {
		fprintf(stderr, "hold: %s\n", strerror(errno));
		return errno;
	}
	for (;;)
		pause();
}
