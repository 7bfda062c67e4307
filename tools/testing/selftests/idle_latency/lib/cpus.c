// SPDX-License-Identifier: GPL-2.0
/* CPUs, and what /proc/interrupts counts for them. */
#include <ctype.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "idle_latency_util.h"

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

bool affinity_pin(unsigned int cpu)
{
	size_t size = CPU_ALLOC_SIZE(CPU_LIST_MAX);
	cpu_set_t *only = CPU_ALLOC(CPU_LIST_MAX);
	bool ok;

	if (!only)
		return false;
	CPU_ZERO_S(size, only);
	CPU_SET_S(cpu, size, only);
	ok = !sched_setaffinity(0, size, only);
	CPU_FREE(only);
	return ok;
}

void affinity_avoid(unsigned int cpu)
{
	size_t size = CPU_ALLOC_SIZE(CPU_LIST_MAX);
	static struct cpu_list online;
	cpu_set_t *others;

	if (!cpu_list_online(&online))
		return;
	others = CPU_ALLOC(CPU_LIST_MAX);
	if (!others)
		return;
	CPU_ZERO_S(size, others);
	for (size_t i = 0; i < online.count; i++)
		if (online.cpu[i] != cpu)
			CPU_SET_S(online.cpu[i], size, others);
	/* An empty set, on a machine with one CPU, is refused: stay there. */
	sched_setaffinity(0, size, others);
	CPU_FREE(others);
}

typedef bool row_wanted(const char *name, const char *wanted);

/* Position of a CPU in a line like "  CPU0  CPU2", or -1. */
static int find_column(char *line, unsigned int cpu)
{
	char *rest = line, *word;
	unsigned int number;

	for (int column = 0; (word = strtok_r(NULL, "\n ", &rest)); column++)
		if (sscanf(word, "CPU%u", &number) == 1 && number == cpu)
			return column;
	return -1;
}

/* Number in a column of a line like "NMI:  12  3  Non-maskable interrupts". */
static __u64 number_in(const char *numbers, int column)
{
	char *end = (char *)numbers;
	__u64 number = 0;

	for (int i = 0; i <= column; i++)
		number = strtoull(end, &end, 10);
	return number;
}

/* Adds the rows up. Returns how many there were. */
static unsigned int add_rows(unsigned int cpu, row_wanted *is_wanted,
			     const char *wanted, __u64 *sum)
{
	FILE *file = fopen("/proc/interrupts", "re");
	char *line = NULL, *rest;
	unsigned int rows = 0;
	size_t size = 0;
	int column;

	*sum = 0;
	if (!file)
		return 0;
	column = getline(&line, &size, file) < 0 ? -1 : find_column(line, cpu);
	while (column >= 0 && getline(&line, &size, file) > 0) {
		rest = line;
		if (!is_wanted(strtok_r(NULL, " :", &rest), wanted))
			continue;
		*sum += number_in(rest + strspn(rest, " :"), column);
		rows++;
	}
	free(line);
	fclose(file);
	return rows;
}

static bool has_name(const char *name, const char *wanted)
{
	return name && !strcmp(name, wanted);
}

static bool is_number(const char *name, const char *wanted)
{
	(void)wanted;
	return name && isdigit((unsigned char)*name);
}

bool interrupts_of_row(unsigned int cpu, const char *row, __u64 *count)
{
	return add_rows(cpu, has_name, row, count);
}

__u64 interrupts_of_devices(unsigned int cpu)
{
	__u64 sum;

	add_rows(cpu, is_number, NULL, &sum);
	return sum;
}
