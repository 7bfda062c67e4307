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

void interrupts_of(const struct interrupt_table *table, unsigned int cpu,
		   struct interrupts *interrupts)
{
	const size_t cpus = table->cpus.count;
	size_t column = 0;

	interrupts->count = 0;
	while (column < cpus && table->cpus.cpu[column] != cpu)
		column++;
	if (column == cpus)
		return;
	for (size_t i = 0; i < table->count; i++) {
		struct interrupt *interrupt = &interrupts->interrupt[interrupts->count++];

		memcpy(interrupt->name, table->names[i], sizeof(interrupt->name));
		interrupt->taken = table->taken[i * cpus + column];
	}
}

void interrupts_read(unsigned int cpu, struct interrupts *interrupts)
{
	static struct interrupt_table table;

	interrupts_read_all(&table);
	interrupts_of(&table, cpu, interrupts);
	interrupts_free(&table);
}

static bool is_of_device(const char *name)
{
	return isdigit((unsigned char)*name) && !strstr(name, "idle_latency");
}

bool interrupts_of_row(unsigned int cpu, const char *row, __u64 *sum)
{
	static struct interrupts now;
	bool found = false;

	*sum = 0;
	interrupts_read(cpu, &now);
	for (size_t i = 0; i < now.count; i++) {
		const struct interrupt *interrupt = &now.interrupt[i];

		if (row ? strcmp(interrupt->name, row) : !is_of_device(interrupt->name))
			continue;
		*sum += interrupt->taken;
		found = true;
	}
	return found;
}

/* Rows come and go. @at: where it most probably is */
static __u64 taken_before(const struct interrupts *before, const char *name, size_t at)
{
	if (at < before->count && !strcmp(before->interrupt[at].name, name))
		return before->interrupt[at].taken;
	for (size_t i = 0; i < before->count; i++)
		if (!strcmp(before->interrupt[i].name, name))
			return before->interrupt[i].taken;
	return 0;
}

__u64 interrupts_taken(const struct interrupts *before, const struct interrupts *after, size_t at)
{
	const struct interrupt *interrupt = &after->interrupt[at];

	/* The counters of the kernel have 32 bits, and devices come and go. */
	return (__u32)(interrupt->taken - taken_before(before, interrupt->name, at));
}

/* Whether it is told apart, or that of the event source. */
static bool is_left_out(const char *name, const char *own)
{
	return !strcmp(name, "NMI") || (own && !strcmp(name, own));
}

void interrupts_between(const struct interrupts *before, const struct interrupts *after,
			const char *own, size_t most, char *memory, size_t size)
{
	struct text text = text_begin(memory, size);
	static __u64 taken[INTERRUPTS_MAX];
	size_t largest = 0;

	for (size_t i = 0; i < after->count; i++)
		taken[i] = is_left_out(after->interrupt[i].name, own) ? 0 :
			   interrupts_taken(before, after, i);
	for (; most && after->count; most--) {
		for (size_t i = 0; i < after->count; i++)
			if (taken[i] > taken[largest])
				largest = i;
		if (!taken[largest])
			return;
		text_add(&text, "%s%s %llu", text.used ? ", " : "",
			 after->interrupt[largest].name, taken[largest]);
		taken[largest] = 0;
	}
}
