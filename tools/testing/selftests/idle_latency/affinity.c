// SPDX-License-Identifier: GPL-2.0
#include <sched.h>
#include <string.h>

#include "affinity.h"

#define SET_BYTES	CPU_ALLOC_SIZE(CPU_LIST_MAX)

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

	if (!cpu_list_online(&online))
		return false;
	cpus->count = 0;
	for (size_t i = 0; i < online.count; i++)
		if (CPU_ISSET_S(online.cpu[i], SET_BYTES, &allowed->set))
			cpus->cpu[cpus->count++] = online.cpu[i];
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
