/* SPDX-License-Identifier: GPL-2.0 */
/* The types of core that a hybrid processor has. */
#ifndef CORES_H
#define CORES_H

#include <stddef.h>

#include <linux/types.h>

#include "cpu_list.h"

/*
 * The type of a CPU: leaf 0x1a of CPUID, EAX (SDM volume 2, CPUID), the core type
 * in bits 31-24 and the native model in bits 23-0. 0: the processor has one type
 * only, or the CPU cannot be asked. Leaves the calling thread on a CPU that was asked.
 */
__u32 cores_type(unsigned int cpu);

/* "core", "atom", or the number; "" for 0. */
void cores_type_name(__u32 type, char *name, size_t size);

/* The first CPU of each type; types[i] is that of cpus->cpu[i]. */
void cores_first_of_each(const struct cpu_list *cpus, const __u32 *types,
			 struct cpu_list *chosen);

#endif
