// SPDX-License-Identifier: GPL-2.0
/*
 * Measures an idle state by hrt, for the jobs of test machines: a session on each of the first CPUs,
 * all of which begin at the same moment.
 *
 *	session CPUS STATE ROUNDS SAMPLES FROM TO
 *
 * STATE is its index, FROM and TO are launch distances in ns. Prints the samples, and how long all
 * STARTs of the round took.
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

/* The samples of the session, until it has ended. */
static void take(int fd, unsigned int round, __u64 started_ns)
{
	static struct idle_latency_record records[64];
	ssize_t bytes;

	while ((bytes = read(fd, records, sizeof(records))) > 0)
		for (size_t i = 0; i < bytes / sizeof(*records); i++)
			printf("%u,%llu,%u,%llu,%llu,%llu,%llu,%llu,%llu\n", round, started_ns,
			       records[i].cpu, records[i].wake_ns, records[i].tbi_cyc,
			       records[i].tai_cyc, records[i].tintr_cyc, records[i].aperf_cyc,
			       records[i].mperf_cyc);
	must(!bytes, "session: read");
}

int main(int argc, char **argv)
{
	unsigned int cpus = argc == 7 ? atoi(argv[1]) : 0;
	struct idle_latency_config config = {
		.source = IDLE_LATENCY_SOURCE_HRT,
		.record_size = sizeof(struct idle_latency_record),
		.buffer_records = IDLE_LATENCY_BUFFER_MIN,
	};
	int fd[CPUS_MAX];
	__u64 begin_ns, end_ns;

	if (!cpus || cpus > CPUS_MAX)
		return 2;
	config.state = atoi(argv[2]);
	config.samples = atoi(argv[4]);
	config.ldist_from_ns = atoi(argv[5]);
	config.ldist_to_ns = atoi(argv[6]);
	for (unsigned int cpu = 0; cpu < cpus; cpu++) {
		fd[cpu] = open("/dev/idle_latency", O_RDWR);
		must(fd[cpu] >= 0, "session: open");
	}
	puts("round,started_ns,cpu,wake_ns,tbi_cyc,tai_cyc,tintr_cyc,aperf_cyc,mperf_cyc");
	for (int round = 0; round < atoi(argv[3]); round++) {
		config.start_ns = now_ns() + AHEAD_NS;
		for (config.cpu = 0; config.cpu < cpus; config.cpu++)
			must(!ioctl(fd[config.cpu], IDLE_LATENCY_IOC_CONFIG, &config),
			     "session: configure");
		begin_ns = now_ns();
		for (unsigned int cpu = 0; cpu < cpus; cpu++)
			must(!ioctl(fd[cpu], IDLE_LATENCY_IOC_START), "session: start");
		end_ns = now_ns();
		must(end_ns < config.start_ns, "session: started too late");
		for (unsigned int cpu = 0; cpu < cpus; cpu++)
			take(fd[cpu], round, end_ns - begin_ns);
	}
	return 0;
}
