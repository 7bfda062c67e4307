// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "held.h"

static bool read_topology(unsigned int cpu, const char *name, __u64 *number)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology/%s", cpu, name);
	return sysfs_read_number(path, number);
}

static struct package *package_of(struct package *packages, size_t *count, unsigned int number)
{
	for (size_t i = 0; i < *count; i++)
		if (packages[i].number == number)
			return &packages[i];
	if (*count == PACKAGES_MAX)
		return NULL;
	packages[*count] = (struct package) { .number = number };
	return &packages[(*count)++];
}

/* With its siblings, where it is not there already. */
static void add_core(struct package *package, unsigned int cpu, const struct cpu_list *online)
{
	static struct cpu_list siblings;

	if (!cpu_list_near(cpu, "core_cpus_list", &siblings))
		siblings = (struct cpu_list) { .cpu = { cpu }, .count = 1 };
	for (size_t i = 0; i < siblings.count; i++)
		if (cpu_list_has(online, siblings.cpu[i]) &&
		    !cpu_list_has(&package->cpus, siblings.cpu[i]))
			package->cpus.cpu[package->cpus.count++] = siblings.cpu[i];
}

size_t packages_find(struct package *packages)
{
	static struct cpu_list online;
	size_t count = 0;

	if (!cpu_list_online(&online))
		return 0;
	for (size_t i = 0; i < online.count; i++) {
		struct package *package;
		__u64 number = 0;

		read_topology(online.cpu[i], "physical_package_id", &number);
		package = package_of(packages, &count, number);
		if (package)
			add_core(package, online.cpu[i], &online);
	}
	return count;
}

bool idle_sum_read(const unsigned int *cpus, size_t count, unsigned int state,
		   struct idle_sum *sum)
{
	*sum = (struct idle_sum) { };
	for (size_t i = 0; i < count; i++) {
		char path[96];
		__u64 number;

		for (int time = 0; time < 2; time++) {
			snprintf(path, sizeof(path),
				 "/sys/devices/system/cpu/cpu%u/cpuidle/state%u/%s", cpus[i], state,
				 time ? "time" : "usage");
			if (!sysfs_read_number(path, &number))
				return false;
			if (time)
				sum->ns += 1000 * number;
			else
				sum->entries += number;
		}
	}
	return true;
}
