// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cpu_list.h"
#include "device.h"
#include "kselftest.h"
#include "sysfs.h"
#include "test_machine.h"

static const char *find_obstacle(void)
{
	int fd;

	if (geteuid())
		return "run as root";
	fd = device_open(0);
	if (fd == -ENOENT || fd == -ENODEV || fd == -ENXIO)
		return "no /dev/idle_latency: run 'modprobe idle_latency' (CONFIG_IDLE_LATENCY)";
	if (fd == -EBUSY)
		return "/dev/idle_latency is in use: end the program that uses it";
	if (fd >= 0)
		close(fd);
	return NULL;
}

void machine_required(void)
{
	const char *obstacle = find_obstacle();

	if (!obstacle)
		return;
	ksft_print_header();
	ksft_exit_skip("%s\n", obstacle);
}

bool machine_config(struct idle_latency_config *config)
{
	static struct cpu_list online;
	struct idle_states all, judged;

	if (!cpu_list_online(&online) || !cpuidle_states(online.cpu[0], &all))
		return false;
	idle_states_judged(&all, &judged);
	if (!judged.count)
		return false;
	*config = (struct idle_latency_config) {
		.ldist_from_ns = TEST_LDIST_FROM_NS,
		.ldist_to_ns = TEST_LDIST_TO_NS,
		.cpu = online.cpu[0],
		.state = judged.state[0].index,
		.source = IDLE_LATENCY_SOURCE_HRT,
	};
	return true;
}

void machine_use(struct idle_latency_config *config, __u32 source, __u64 flags)
{
	config->source = source;
	config->flags = flags;
	if (source != IDLE_LATENCY_SOURCE_NIC)
		return;
	config->ldist_from_ns *= TEST_LDIST_NIC;
	config->ldist_to_ns *= TEST_LDIST_NIC;
}

bool machine_state(unsigned int cpu, const char *name, __u32 *state)
{
	struct idle_states all;

	if (!cpuidle_states(cpu, &all))
		return false;
	for (size_t i = 0; i < all.count; i++) {
		if (!strcmp(all.state[i].name, name)) {
			*state = all.state[i].index;
			return true;
		}
	}
	return false;
}

static void online_path(unsigned int cpu, char *path, size_t size)
{
	snprintf(path, size, "/sys/devices/system/cpu/cpu%u/online", cpu);
}

bool machine_offline_cpu(unsigned int *cpu)
{
	static struct cpu_list offline;
	char line[256];

	if (!sysfs_read_line("/sys/devices/system/cpu/offline", line, sizeof(line)) ||
	    !cpu_list_parse(line, &offline) || !offline.count)
		return false;
	*cpu = offline.cpu[0];
	return true;
}

bool machine_spare_cpu(unsigned int *cpu)
{
	static struct cpu_list online;
	char path[64];

	if (!cpu_list_online(&online))
		return false;
	for (size_t i = 1; i < online.count; i++) {
		*cpu = online.cpu[i];
		online_path(*cpu, path, sizeof(path));
		if (!access(path, W_OK))
			return true;
	}
	return false;
}

bool machine_set_online(unsigned int cpu, bool online)
{
	char path[64];

	online_path(cpu, path, sizeof(path));
	return sysfs_write(path, online ? "1" : "0");
}

bool same_disable(const struct idle_states *before,
		  const struct idle_states *after)
{
	if (before->count != after->count)
		return false;
	for (size_t i = 0; i < before->count; i++)
		if (before->state[i].disable != after->state[i].disable)
			return false;
	return true;
}

__u64 other_usage(const struct idle_states *before,
		  const struct idle_states *after, unsigned int held)
{
	__u64 total = 0;

	for (size_t i = 0; i < before->count; i++)
		if (before->state[i].index != held)
			total += after->state[i].usage - before->state[i].usage;
	return total;
}

void sleep_ms(unsigned int ms)
{
	struct timespec left = {
		.tv_sec = ms / 1000,
		.tv_nsec = ms % 1000 * 1000000L,
	};

	while (nanosleep(&left, &left))
		if (errno != EINTR)
			ksft_exit_fail_perror("cannot sleep");
}
