// SPDX-License-Identifier: GPL-2.0
#include <sched.h>

#include "affinity.h"
#include "cpu_list.h"

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
