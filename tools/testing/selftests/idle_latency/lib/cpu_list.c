// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <stdlib.h>

#include "cpu_list.h"
#include "sysfs.h"

#define ONLINE_CPUS "/sys/devices/system/cpu/online"

static bool parse_cpu(const char **text, unsigned int *cpu)
{
	unsigned long number;
	char *end;

	if (!isdigit((unsigned char)**text))
		return false;
	number = strtoul(*text, &end, 10);
	if (number >= CPU_LIST_MAX)
		return false;
	*cpu = number;
	*text = end;
	return true;
}

static void add_range(struct cpu_list *list, unsigned int first,
		      unsigned int last)
{
	for (unsigned int cpu = first; cpu <= last; cpu++)
		if (!cpu_list_has(list, cpu))
			list->cpu[list->count++] = cpu;
}

bool cpu_list_parse(const char *text, struct cpu_list *list)
{
	unsigned int first, last;

	list->count = 0;
	for (;;) {
		if (!parse_cpu(&text, &first))
			return false;
		last = first;
		if (*text == '-') {
			text++;
			if (!parse_cpu(&text, &last) || last < first)
				return false;
		}
		add_range(list, first, last);
		if (!*text)
			return true;
		if (*text++ != ',')
			return false;
	}
}

bool cpu_list_has(const struct cpu_list *list, unsigned int cpu)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->cpu[i] == cpu)
			return true;
	return false;
}

/*
 * The list of the kernel, because a CPU that cannot be taken offline has no
 * file of its own that says that it is online.
 */
bool cpu_list_online(struct cpu_list *list)
{
	char line[4096];

	return sysfs_read_line(ONLINE_CPUS, line, sizeof(line)) &&
	       cpu_list_parse(line, list);
}
