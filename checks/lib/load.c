// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps the CPU that it runs on busy for a part of the time, until it is killed. With a PRIORITY, no
 * usual task runs there meanwhile.
 *
 *	load BUSY_US IDLE_US [PRIORITY]
 */
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int main(int argc, char **argv)
{
	const long busy_us = argc > 1 ? atol(argv[1]) : 0, idle_us = argc > 2 ? atol(argv[2]) : 0;
	const struct sched_param param = { .sched_priority = argc > 3 ? atoi(argv[3]) : 0 };
	long until_us;

	if (param.sched_priority && sched_setscheduler(0, SCHED_FIFO, &param))
		return 1;
	for (;;) {
		until_us = now_us() + busy_us;
		while (now_us() < until_us)
			;
		usleep(idle_us);
	}
}
