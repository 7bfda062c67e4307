// SPDX-License-Identifier: GPL-2.0
/*
 * Wakes CPUs at the same time: a session on each, all of which begin at the same moment and take one
 * sample at the same launch distance.
 *
 *	together CPUS STATE ROUNDS	prints the samples, and how long all STARTs of the round took
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <linux/idle_latency.h>

#define CPUS_MAX	32
#define NS_PER_SEC	1000000000ULL

/* All sessions are started by then. */
#define AHEAD_NS	100000000

/* Longer than any state of the emulated processor needs. */
#define LDIST_NS	400000

static __u64 now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_SEC + now.tv_nsec;
}

static void must(int good, const char *what)
{
	if (!good) {
		perror(what);
		exit(1);
	}
}

static void configure(int fd, unsigned int cpu, unsigned int state, __u64 start_ns)
{
	struct idle_latency_config config = {
		.ldist_from_ns = LDIST_NS, .ldist_to_ns = LDIST_NS, .samples = 1,
		.start_ns = start_ns, .cpu = cpu, .state = state,
		.source = IDLE_LATENCY_SOURCE_HRT,
		.record_size = sizeof(struct idle_latency_record),
		.buffer_records = IDLE_LATENCY_BUFFER_MIN,
	};

	must(!ioctl(fd, IDLE_LATENCY_IOC_CONFIG, &config), "together: configure");
}

/* The one sample of the session, and that it has ended. */
static void take(int fd, unsigned int round, __u64 started_ns)
{
	struct idle_latency_record record;

	must(read(fd, &record, sizeof(record)) == sizeof(record), "together: read");
	printf("%u,%llu,%u,%llu,%llu,%llu,%llu\n", round, started_ns, record.cpu, record.wake_ns,
	       record.tbi_cyc, record.tai_cyc, record.tintr_cyc);
	must(!read(fd, &record, sizeof(record)), "together: end");
}

int main(int argc, char **argv)
{
	unsigned int cpus = argc == 4 ? atoi(argv[1]) : 0;
	int fd[CPUS_MAX];
	__u64 begin_ns, end_ns;

	if (!cpus || cpus > CPUS_MAX)
		return 2;
	for (unsigned int cpu = 0; cpu < cpus; cpu++) {
		fd[cpu] = open("/dev/idle_latency", O_RDWR);
		must(fd[cpu] >= 0, "together: open");
	}
	puts("round,started_ns,cpu,wake_ns,tbi_cyc,tai_cyc,tintr_cyc");
	for (int round = 0; round < atoi(argv[3]); round++) {
		__u64 start_ns = now_ns() + AHEAD_NS;

		for (unsigned int cpu = 0; cpu < cpus; cpu++)
			configure(fd[cpu], cpu, atoi(argv[2]), start_ns);
		begin_ns = now_ns();
		for (unsigned int cpu = 0; cpu < cpus; cpu++)
			must(!ioctl(fd[cpu], IDLE_LATENCY_IOC_START), "together: start");
		end_ns = now_ns();
		must(end_ns < start_ns, "together: started too late");
		for (unsigned int cpu = 0; cpu < cpus; cpu++)
			take(fd[cpu], round, end_ns - begin_ns);
	}
	return 0;
}
