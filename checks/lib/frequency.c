// SPDX-License-Identifier: GPL-2.0
/*
 * Measures an idle state of CPU 0 by hrt, and prints what the driver has read of APERF and MPERF
 * after each wake-up, for the jobs of test machines.
 *
 *	frequency STATE SAMPLES		STATE: its index
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <sys/ioctl.h>

#include <linux/idle_latency.h>

int main(int argc, char **argv)
{
	static struct idle_latency_record records[64];
	struct idle_latency_config config = {
		.ldist_from_ns = 300000, .ldist_to_ns = 3000000,
		.samples = argc == 3 ? strtoul(argv[2], NULL, 0) : 0,
		.state = argc == 3 ? strtoul(argv[1], NULL, 0) : 0,
		.source = IDLE_LATENCY_SOURCE_HRT, .record_size = sizeof(*records),
	};
	int fd = open("/dev/idle_latency", O_RDONLY);
	ssize_t bytes;

	if (!config.samples || ioctl(fd, IDLE_LATENCY_IOC_CONFIG, &config) ||
	    ioctl(fd, IDLE_LATENCY_IOC_START)) {
		perror("frequency: usage: frequency STATE SAMPLES");
		return 1;
	}
	puts("cpu,tai_tsc,tintr_tsc,aperf_cyc,mperf_cyc");
	while ((bytes = read(fd, records, sizeof(records))) > 0)
		for (size_t i = 0; i < bytes / sizeof(*records); i++)
			printf("0,%llu,%llu,%llu,%llu\n", records[i].tai_cyc, records[i].tintr_cyc,
			       records[i].aperf_cyc, records[i].mperf_cyc);
	return bytes < 0;
}
