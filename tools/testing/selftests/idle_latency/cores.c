// SPDX-License-Identifier: GPL-2.0
#include <cpuid.h>
#include <stdbool.h>
#include <stdio.h>

#include "affinity.h"
#include "cores.h"

#define LEAF_FEATURES		7
#define FEATURES_EDX_HYBRID	0x8000
#define LEAF_NATIVE_MODEL	0x1a
#define TYPE_ATOM		0x20
#define TYPE_CORE		0x40

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
	switch (type >> 24) {
	case 0:
		snprintf(name, size, "%s", "");
		break;
	case TYPE_ATOM:
		snprintf(name, size, "atom");
		break;
	case TYPE_CORE:
		snprintf(name, size, "core");
		break;
	default:
		snprintf(name, size, "0x%08x", type);
		break;
	}
}

static bool has_type(const struct cpu_list *chosen, const struct cpu_list *cpus,
		     const __u32 *types, __u32 type)
{
	for (size_t i = 0; i < cpus->count; i++)
		if (types[i] == type && cpu_list_has(chosen, cpus->cpu[i]))
			return true;
	return false;
}

void cores_first_of_each(const struct cpu_list *cpus, const __u32 *types,
			 struct cpu_list *chosen)
{
	chosen->count = 0;
	for (size_t i = 0; i < cpus->count; i++)
		if (!has_type(chosen, cpus, types, types[i]))
			chosen->cpu[chosen->count++] = cpus->cpu[i];
}
