// SPDX-License-Identifier: GPL-2.0
/*
 * Reads or writes a model-specific register of a CPU, for the jobs of test machines.
 *
 *	msr CPU NUMBER			prints the time and the value, or "fault"
 *	msr CPU NUMBER COUNT MS		the same, COUNT times, every MS ms
 *	msr CPU NUMBER = VALUE		writes the value, or prints "fault"
 *
 * The program runs on that CPU: if it asked from another one, it would sleep until the answer has come,
 * and the time would be late by what that CPU takes to wake up. The time is the first ns in which a TSC
 * of TSC_KHZ shows what it does.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <x86intrin.h>

static int fail(const char *what)
{
	fprintf(stderr, "msr: %s: %s\n", what, strerror(errno));
	return 1;
}

static bool run_on(unsigned long cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

int main(int argc, char **argv)
{
	bool writes = argc == 5 && !strcmp(argv[3], "=");
	unsigned long count, us;
	uint64_t value, ns;
	char path[64];
	ssize_t done;
	off_t number;
	int fd;

	if (argc != 3 && argc != 5) {
		fprintf(stderr, "usage: msr CPU NUMBER [COUNT MS | = VALUE]\n");
		return 1;
	}
	if (!run_on(strtoul(argv[1], NULL, 0)))
		return fail(argv[1]);
	snprintf(path, sizeof(path), "/dev/cpu/%s/msr", argv[1]);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return fail(path);
	number = strtoul(argv[2], NULL, 0);
	count = argc == 5 && !writes ? strtoul(argv[3], NULL, 0) : 1;
	us = argc == 5 && !writes ? strtoul(argv[4], NULL, 0) * 1000 : 0;
	value = writes ? strtoull(argv[4], NULL, 0) : 0;
	for (unsigned long i = 0; i < count; i++) {
		if (i)
			usleep(us);
		done = writes ? pwrite(fd, &value, sizeof(value), number) :
				pread(fd, &value, sizeof(value), number);
		ns = ((unsigned __int128)__rdtsc() * 1000000 + TSC_KHZ - 1) / TSC_KHZ;
		if (done != sizeof(value)) {
			if (errno != EIO)
				return fail("cannot access the register");
			puts("fault");
			return 0;
		}
		if (!writes)
			printf("%llu %llu\n", (unsigned long long)ns, (unsigned long long)value);
	}
	return 0;
}
