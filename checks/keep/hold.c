// SPDX-License-Identifier: GPL-2.0
/*
 * Holds a CPU in an idle state until it is killed, as another program would.
 *
 *	hold CPU STATE	ends with the number of the error when that is refused
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/idle_latency_keep.h>

int main(int argc, char **argv)
{
	__u64 cpus = argc > 1 ? 1ULL << atoi(argv[1]) : 0;
	struct idle_latency_hold hold = {
		.cpus = (unsigned long)&cpus, .words = 1, .state = argc > 2 ? atoi(argv[2]) : 0,
	};
	int fd = open("/dev/idle_latency_keep", O_RDWR);

	if (fd < 0 || ioctl(fd, IDLE_LATENCY_KEEP_IOC_HOLD, &hold)) {
		fprintf(stderr, "hold: %s\n", strerror(errno));
		return errno;
	}
	for (;;)
		pause();
}
