// SPDX-License-Identifier: GPL-2.0
/* CPUs: lists of them, where this program runs, and their types. */
#include <cpuid.h>
#include <ctype.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "idle_latency_util.h"

#define SET_BYTES	CPU_ALLOC_SIZE(CPU_LIST_MAX)

/* CPUID */
#define LEAF_FEATURES		7
#define FEATURES_EDX_HYBRID	0x8000
#define LEAF_NATIVE_MODEL	0x1a
#define TYPE_ATOM		0x20
#define TYPE_CORE		0x40

static bool parse_cpu(const char **text, unsigned int *cpu)
{
	unsigned long number;
	char *end;

	if (!isdigit((unsigned char)**text))
		return false;
	number = strtoul(*text, &end, 10);
	*cpu = number;
	*text = end;
	return number < CPU_LIST_MAX;
}

bool cpu_list_parse(const char *text, struct cpu_list *list)
{
	unsigned int first, last;

	list->count = 0;
	do {
		if (!parse_cpu(&text, &first))
			return false;
		last = first;
		if (*text == '-') {
			text++;
			if (!parse_cpu(&text, &last) || last < first)
				return false;
		}
		for (; first <= last; first++)
			if (!cpu_list_has(list, first))
				list->cpu[list->count++] = first;
	} while (*text++ == ',');
	return !text[-1];
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
bool cpu_list_read(const char *name, struct cpu_list *list)
{
	char path[64], line[4096];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/%s", name);
	return sysfs_read_line(path, line, sizeof(line)) && cpu_list_parse(line, list);
}

bool cpu_list_near(unsigned int cpu, const char *what, struct cpu_list *list)
{
	char name[64];

	snprintf(name, sizeof(name), "cpu%u/topology/%s", cpu, what);
	if (cpu_list_read(name, list))
		return true;
	list->count = 0;
	return false;
}

bool cpu_list_timekeeper(const struct cpu_list *online, const char *nohz_full,
			 unsigned int *cpu)
{
	static struct cpu_list without_tick;

	/* Empty or "(null)" where nohz_full= was not given. */
	if (!cpu_list_parse(nohz_full, &without_tick))
		return false;
	for (size_t i = 0; i < online->count; i++) {
		*cpu = online->cpu[i];
		if (!cpu_list_has(&without_tick, *cpu))
			return true;
	}
	return false;
}

static bool find_timekeeper(unsigned int *cpu)
{
	static struct cpu_list online;
	char line[4096];

	return sysfs_read_line("/sys/devices/system/cpu/nohz_full", line, sizeof(line)) &&
	       cpu_list_online(&online) && cpu_list_timekeeper(&online, line, cpu);
}

bool cpu_keeps_time(unsigned int cpu)
{
	unsigned int timekeeper;

	return find_timekeeper(&timekeeper) && timekeeper == cpu;
}

void cpu_list_split(struct cpu_list *list, const struct cpu_list *of, struct cpu_list *others)
{
	size_t kept = 0;

	others->count = 0;
	for (size_t i = 0; i < list->count; i++)
		if (cpu_list_has(of, list->cpu[i]))
			list->cpu[kept++] = list->cpu[i];
		else
			others->cpu[others->count++] = list->cpu[i];
	list->count = kept;
}

void cpu_list_postpone(struct cpu_list *list, unsigned int cpu)
{
	size_t kept = 0;

	if (!cpu_list_has(list, cpu))
		return;
	for (size_t i = 0; i < list->count; i++)
		if (list->cpu[i] != cpu)
			list->cpu[kept++] = list->cpu[i];
	list->cpu[kept] = cpu;
}

/* A set of as many CPUs as the kernel may have; cpu_set_t has 1024. */
union cpus {
	cpu_set_t set;
	unsigned char room[CPU_LIST_MAX / 8];
};

/* What the caller allowed, read before this program changes it. */
static const union cpus *allowed_at_begin(void)
{
	static union cpus cpus;
	static bool known;

	if (!known && sched_getaffinity(0, SET_BYTES, &cpus.set))
		memset(&cpus, 0xff, sizeof(cpus));
	known = true;
	return &cpus;
}

bool affinity_allowed(struct cpu_list *cpus)
{
	const union cpus *allowed = allowed_at_begin();
	static struct cpu_list online;
	unsigned int timekeeper;

	if (!cpu_list_online(&online))
		return false;
	cpus->count = 0;
	for (size_t i = 0; i < online.count; i++)
		if (CPU_ISSET_S(online.cpu[i], SET_BYTES, &allowed->set))
			cpus->cpu[cpus->count++] = online.cpu[i];
	if (find_timekeeper(&timekeeper))
		cpu_list_postpone(cpus, timekeeper);
	return true;
}

bool affinity_pin(unsigned int cpu)
{
	union cpus only = { .room = { 0 } };

	allowed_at_begin();
	CPU_SET_S(cpu, SET_BYTES, &only.set);
	return !sched_setaffinity(0, SET_BYTES, &only.set);
}

void affinity_avoid(unsigned int cpu)
{
	union cpus others = *allowed_at_begin();

	CPU_CLR_S(cpu, SET_BYTES, &others.set);
	/* A set without an online CPU is refused: then it runs where it may. */
	if (sched_setaffinity(0, SET_BYTES, &others.set))
		sched_setaffinity(0, SET_BYTES, &allowed_at_begin()->set);
}

__u32 cores_type(unsigned int cpu)
{
	unsigned int a, b, c, d;

	/* This bit is the same on all CPUs. */
	if (!__get_cpuid_count(LEAF_FEATURES, 0, &a, &b, &c, &d) ||
	    !(d & FEATURES_EDX_HYBRID) || !affinity_pin(cpu) ||
	    !__get_cpuid_count(LEAF_NATIVE_MODEL, 0, &a, &b, &c, &d))
		return 0;
	return a;
}

void cores_type_name(__u32 type, char *name, size_t size)
{
	const char *known = !(type >> 24) ? "" : type >> 24 == TYPE_ATOM ? "atom" :
			    type >> 24 == TYPE_CORE ? "core" : NULL;

	if (known)
		snprintf(name, size, "%s", known);
	else
		snprintf(name, size, "0x%08x", type);
}

void cores_first_of_each(const struct cpu_list *cpus, const __u32 *types,
			 struct cpu_list *chosen)
{
	size_t j;

	chosen->count = 0;
	for (size_t i = 0; i < cpus->count; i++) {
		for (j = 0; j < i && types[j] != types[i]; j++)
			;
		if (j == i)
			chosen->cpu[chosen->count++] = cpus->cpu[i];
	}
}

bool cores_choose(struct cpu_list *chosen)
{
	static struct cpu_list allowed;
	static __u32 types[CPU_LIST_MAX];

	if (!affinity_allowed(&allowed) || !allowed.count)
		return false;
	for (size_t i = 0; i < allowed.count; i++)
		types[i] = cores_type(allowed.cpu[i]);
	cores_first_of_each(&allowed, types, chosen);
	return true;
}

void cpu_list_text(const struct cpu_list *list, char *memory, size_t size)
{
	struct text text = text_begin(memory, size);
	size_t last;

	for (size_t i = 0; i < list->count; i = last + 1) {
		last = i;
		while (last + 1 < list->count &&
		       list->cpu[last + 1] == list->cpu[last] + 1)
			last++;
		text_add(&text, "%s%u", i ? "," : "", list->cpu[i]);
		if (last > i)
			text_add(&text, "-%u", list->cpu[last]);
	}
}
