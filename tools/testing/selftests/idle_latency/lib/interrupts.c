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

/* Which of the numbers of a line is that of a CPU, and how many there are. */
struct columns {
	int count;
	int of_cpu;
};

/* From a line like "  CPU0  CPU2". */
static struct columns find_columns(char *line, unsigned int cpu)
{
	struct columns columns = { .of_cpu = -1 };
	char *rest = line, *word;
	unsigned int number;

	while ((word = strtok_r(NULL, "\n ", &rest))) {
		if (sscanf(word, "CPU%u", &number) == 1 && number == cpu)
			columns.of_cpu = columns.count;
		columns.count++;
	}
	return columns;
}

/*
 * From a line like "CAL:  12  3  Function call interrupts", or "27:  1  0  PCI-MSI 2-edge  eth0".
 * Returns false where there is not a number for each CPU.
 */
static bool parse_line(char *line, const struct columns *columns, struct interrupt *interrupt)
{
	char *rest = line, *end, *name = strtok_r(NULL, " :\n", &rest), *device;

	if (!name || !rest)
		return false;
	for (int i = 0; i < columns->count; i++, rest = end) {
		__u64 number;

		/* In a name, there may be digits, too. */
		rest += strspn(rest, " :");
		number = strtoull(rest, &end, 10);
		if (!isdigit((unsigned char)*rest))
			return false;
		if (i == columns->of_cpu)
			interrupt->taken = number;
	}
	rest[strcspn(rest, "\n")] = '\0';
	device = isdigit((unsigned char)*name) ? strrchr(rest, ' ') : NULL;
	snprintf(interrupt->name, sizeof(interrupt->name), "%.8s%.23s", name, device ?: "");
	return true;
}

void interrupts_parse(FILE *file, unsigned int cpu, struct interrupts *interrupts)
{
	struct columns columns = { .of_cpu = -1 };
	char *line = NULL;
	size_t size = 0;

	interrupts->count = 0;
	if (getline(&line, &size, file) > 0)
		columns = find_columns(line, cpu);
	while (columns.of_cpu >= 0 && interrupts->count < INTERRUPTS_MAX &&
	       getline(&line, &size, file) > 0)
		interrupts->count += parse_line(line, &columns,
						&interrupts->interrupt[interrupts->count]);
	free(line);
}

void interrupts_read(unsigned int cpu, struct interrupts *interrupts)
{
	FILE *file = fopen("/proc/interrupts", "re");

	interrupts->count = 0;
	if (!file)
		return;
	interrupts_parse(file, cpu, interrupts);
	fclose(file);
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
