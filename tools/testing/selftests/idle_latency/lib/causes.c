// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "causes.h"
#include "statistics.h"

/* From which share of the time on a CPU is called busy. */
#define BUSY_PERCENT	5

/* In fewer ticks than these a share cannot be told from chance. */
#define SHARE_TICKS	10

bool causes_parse(const char *line, unsigned int *cpu, struct cpu_time *time)
{
	__u64 user, nice, system, idle, iowait, irq, softirq, steal;

	if (sscanf(line, "cpu%u %llu %llu %llu %llu %llu %llu %llu %llu", cpu,
		   &user, &nice, &system, &idle, &iowait, &irq, &softirq,
		   &steal) != 9)
		return false;
	/* The line that begins with "cpu " is the sum of all. */
	if (!isdigit((unsigned char)line[3]) || *cpu >= CPU_LIST_MAX)
		return false;
	/* What follows, time in guests, is contained in user and nice. */
	time->busy = user + nice + system + irq + softirq + steal;
	time->idle = idle + iowait;
	return true;
}

bool causes_busy(const struct cpu_time *before, const struct cpu_time *after)
{
	/* The kernel may correct idle time downwards. */
	const __u64 busy = minus_or_0(after->busy, before->busy);
	const __u64 idle = minus_or_0(after->idle, before->idle);

	/* A CPU that was offline has no time before. */
	if (!before->busy && !before->idle)
		return false;
	if (busy + idle < SHARE_TICKS)
		return busy > idle;
	return 100 * busy >= BUSY_PERCENT * (busy + idle);
}

void causes_read_times(struct cpu_time *times)
{
	FILE *file = fopen("/proc/stat", "re");
	struct cpu_time time;
	unsigned int cpu;
	char line[256];

	memset(times, 0, CPU_LIST_MAX * sizeof(*times));
	while (file && fgets(line, sizeof(line), file))
		if (causes_parse(line, &cpu, &time))
			times[cpu] = time;
	if (file)
		fclose(file);
}

bool causes_firmware(const char *driver, const char *state, const char *table)
{
	static const char suffix[] = "_ACPI";
	size_t length = strlen(state);

	if (!strcmp(driver, "acpi_idle"))
		return true;
	if (length < strlen(suffix) || strcmp(state + length - strlen(suffix), suffix))
		return false;
	for (const char *at = table; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, state, length) && at[length] == ':')
			return false;
	}
	return true;
}

static bool was_busy(const struct causes *causes, unsigned int cpu)
{
	return cpu != causes->cpu && causes_busy(&causes->before[cpu], &causes->after[cpu]);
}

/* To be called before another cause is added. */
static const char *comma(const struct text *text)
{
	return text->used ? ", " : "";
}

static void add_siblings(struct text *text, const struct causes *causes)
{
	const struct cpu_list *siblings = &causes->siblings;

	for (size_t i = 0; i < siblings->count; i++)
		if (was_busy(causes, siblings->cpu[i]))
			text_add(text, "%sbusy SMT sibling cpu %u", comma(text), siblings->cpu[i]);
}

static void add_package(struct text *text, const struct causes *causes)
{
	unsigned int first = 0;
	size_t busy = 0;

	for (size_t i = 0; i < causes->package.count; i++) {
		unsigned int cpu = causes->package.cpu[i];

		if (!cpu_list_has(&causes->siblings, cpu) && was_busy(causes, cpu) && !busy++)
			first = cpu;
	}
	if (busy == 1)
		text_add(text, "%scpu %u of the package was busy", comma(text), first);
	else if (busy)
		text_add(text, "%scpu %u and %zu more of the package were busy", comma(text),
			 first, busy - 1);
}

void causes_describe(const struct causes *causes, const struct idle_latency_state *state,
		     char *memory, size_t size)
{
	const bool package = state->package_counter != IDLE_LATENCY_RESIDENCY_NONE;
	/* Deeper than C1 and C1E: a state that can be demoted. */
	const bool deep = state->core_counter != IDLE_LATENCY_RESIDENCY_CC1 &&
			  state->core_counter != IDLE_LATENCY_RESIDENCY_NONE;
	struct text text = text_begin(memory, size);

	add_siblings(&text, causes);
	if (deep && state->flags & IDLE_LATENCY_STATE_DEMOTION)
		text_add(&text, "%sdemotion on", comma(&text));
	if (!deep && state->flags & IDLE_LATENCY_STATE_C1E)
		text_add(&text, "%sC1E promotion on", comma(&text));
	if (package)
		add_package(&text, causes);
	if (package && state->flags & IDLE_LATENCY_STATE_NO_PC6)
		text_add(&text, "%spackage C6 is off", comma(&text));
}

void causes_text(struct causes *causes, unsigned int cpu, const struct idle_latency_state *state,
		 char *text, size_t size)
{
	causes->cpu = cpu;
	cpu_list_near(cpu, "thread_siblings_list", &causes->siblings);
	cpu_list_near(cpu, "package_cpus_list", &causes->package);
	causes_describe(causes, state, text, size);
}
