// SPDX-License-Identifier: GPL-2.0
/*
 * Disturbs a CPU until it is killed, beside a program that measures it. Not a
 * test.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sys/prctl.h>

#include "contaminants.h"

/* On a machine with one CPU, the other program needs time as well. */
#define PAUSE_US 100

int main(int argc, char **argv)
{
	disturb_once *once = contaminate_by_timer;
	struct contaminant disk = { };
	__u64 cpu, tsc;

	if (argc != 3 || !parse_number(argv[2], &cpu) || !affinity_pin(cpu)) {
		fprintf(stderr, "usage: disturb_cpu timer|disk CPU\n");
		return 2;
	}
	if (strcmp(argv[1], "timer")) {
		once = contaminate_by_disk;
		disk.fd = contaminant_disk_open();
	}
	prctl(PR_SET_TIMERSLACK, 1);
	while (once(&disk, &tsc))
		usleep(PAUSE_US);
	perror("disturb_cpu");
	return 1;
}
