// SPDX-License-Identifier: GPL-2.0
/*
 * How long does it take until CPU 1 sees what CPU 0 wrote to memory? For the check of
 * the emulator: CPU 1 looks all the time, CPU 0 sleeps before it writes.
 *
 *	lead COUNT	prints so many times, in ns of a TSC of TSC_KHZ
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <x86intrin.h>

static volatile uint64_t written, seen;

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		perror("lead: needs two CPUs");
		exit(1);
	}
}

static void *look(void *unused __attribute__((unused)))
{
	uint64_t last = 0;

	run_on(1);
	for (;;) {
		while (written == last)
			;
		last = written;
		seen = __rdtsc() - last;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long count = argc == 2 ? strtoul(argv[1], NULL, 0) : 0;
	pthread_t thread;

	run_on(0);
	if (!count || pthread_create(&thread, NULL, look, NULL))
		return 1;
	usleep(20000);
	for (unsigned long i = 0; i < count; i++) {
		usleep(1000 + 7 * i);
		seen = 0;
		written = __rdtsc();
		while (!seen)
			;
		printf("%llu\n", (unsigned long long)seen * 1000000 / TSC_KHZ);
	}
	return 0;
}
