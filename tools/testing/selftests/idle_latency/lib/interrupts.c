// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interrupts.h"

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
