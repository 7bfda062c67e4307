// SPDX-License-Identifier: GPL-2.0
/*
 * The driver counts what ended an idle period, and does not ask what it was: names of interrupts
 * are known to no other part of the kernel than /proc/interrupts, and to take note of each of them
 * would make the way into idle longer.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "interrupts.h"

/* From a line like "  CPU0  CPU2". */
static void parse_cpus(char *line, struct cpu_list *cpus)
{
	char *rest = line, *word;
	unsigned int number;

	while ((word = strtok_r(NULL, "\n ", &rest)))
		if (sscanf(word, "CPU%u", &number) == 1 && cpus->count < CPU_LIST_MAX)
			cpus->cpu[cpus->count++] = number;
}

/*
 * From a line like "CAL:  12  3  Function call interrupts", or "27:  1  0  PCI-MSI 2-edge  eth0".
 * Returns false where there is not a number for each CPU.
 */
static bool parse_line(char *line, struct interrupt_table *table)
{
	char *rest = line, *end, *name = strtok_r(NULL, " :\n", &rest), *device;
	__u64 *taken = table->taken + table->count * table->cpus.count;

	if (!name || !rest)
		return false;
	for (size_t i = 0; i < table->cpus.count; i++, rest = end) {
		/* In a name, there may be digits, too. */
		rest += strspn(rest, " :");
		taken[i] = strtoull(rest, &end, 10);
		if (!isdigit((unsigned char)*rest))
			return false;
	}
	rest[strcspn(rest, "\n")] = '\0';
	device = isdigit((unsigned char)*name) ? strrchr(rest, ' ') : NULL;
	snprintf(table->names[table->count], sizeof(*table->names), "%.8s%.23s", name,
		 device ?: "");
	return true;
}

/* For one more. */
static bool make_room(struct interrupt_table *table)
{
	const size_t row = table->cpus.count * sizeof(*table->taken);
	void *names = realloc(table->names, (table->count + 1) * sizeof(*table->names));
	void *taken = realloc(table->taken, (table->count + 1) * row + 1);

	table->names = names ?: table->names;
	table->taken = taken ?: table->taken;
	return names && taken;
}

void interrupts_parse(FILE *file, struct interrupt_table *table)
{
	char *line = NULL;
	size_t size = 0;

	*table = (struct interrupt_table) { };
	if (getline(&line, &size, file) > 0)
		parse_cpus(line, &table->cpus);
	while (table->count < INTERRUPTS_MAX && getline(&line, &size, file) > 0 &&
	       make_room(table))
		table->count += parse_line(line, table);
	free(line);
}

void interrupts_read_all(struct interrupt_table *table)
{
	FILE *file = fopen("/proc/interrupts", "re");

	*table = (struct interrupt_table) { };
	if (!file)
		return;
	interrupts_parse(file, table);
	fclose(file);
}

void interrupts_free(struct interrupt_table *table)
{
	free(table->names);
	free(table->taken);
	*table = (struct interrupt_table) { };
}

/* Where the numbers of a CPU are in each row, or how many CPUs there are when it is offline. */
static size_t column_of(const struct interrupt_table *table, unsigned int cpu)
{
	size_t column = 0;

	while (column < table->cpus.count && table->cpus.cpu[column] != cpu)
		column++;
	return column;
}

/* 0 where there is no such row or column. */
static __u64 taken_at(const struct interrupt_table *table, size_t row, size_t column)
{
	const size_t cpus = table->cpus.count;

	return row < table->count && column < cpus ? table->taken[row * cpus + column] : 0;
}

static bool is_of_device(const char *name)
{
	return isdigit((unsigned char)*name) && !strstr(name, "idle_latency");
}

bool interrupts_of_row(unsigned int cpu, const char *row, __u64 *sum)
{
	static struct interrupt_table now;
	bool found = false;
	size_t column;

	*sum = 0;
	interrupts_read_all(&now);
	column = column_of(&now, cpu);
	for (size_t i = 0; i < now.count && column < now.cpus.count; i++) {
		if (row ? strcmp(now.names[i], row) : !is_of_device(now.names[i]))
			continue;
		*sum += taken_at(&now, i, column);
		found = true;
	}
	interrupts_free(&now);
	return found;
}

/* Rows come and go. @at: where it most probably is */
static size_t row_of(const struct interrupt_table *table, const char *name, size_t at)
{
	if (at < table->count && !strcmp(table->names[at], name))
		return at;
	for (at = 0; at < table->count && strcmp(table->names[at], name); at++)
		;
	return at;
}

size_t interrupts_taken(const struct interrupt_table *before, const struct interrupt_table *after,
			unsigned int cpu, __u64 *taken)
{
	const size_t from = column_of(before, cpu), to = column_of(after, cpu);

	if (to == after->cpus.count)
		return 0;
	/* The counters of the kernel have 32 bits, and devices come and go. */
	for (size_t i = 0; i < after->count; i++)
		taken[i] = (__u32)(taken_at(after, i, to) -
				   taken_at(before, row_of(before, after->names[i], i), from));
	return after->count;
}

/* Whether it is told apart, or that of the event source. */
static bool is_left_out(const char *name, const char *own)
{
	return !strcmp(name, "NMI") || (own && !strcmp(name, own));
}

void interrupts_between(const struct interrupt_table *before,
			const struct interrupt_table *after, unsigned int cpu, const char *own,
			size_t most, char *memory, size_t size)
{
	struct text text = text_begin(memory, size);
	static __u64 taken[INTERRUPTS_MAX];
	const size_t count = interrupts_taken(before, after, cpu, taken);
	size_t largest = 0;

	for (size_t i = 0; i < count; i++)
		if (is_left_out(after->names[i], own))
			taken[i] = 0;
	for (; most && count; most--) {
		for (size_t i = 0; i < count; i++)
			if (taken[i] > taken[largest])
				largest = i;
		if (!taken[largest])
			return;
		text_add(&text, "%s%s %llu", text.used ? ", " : "", after->names[largest],
			 taken[largest]);
		taken[largest] = 0;
	}
}
