/* SPDX-License-Identifier: GPL-2.0 */
/* Lists of CPUs in the format of sysfs, such as 0,2-3. */
#ifndef CPU_LIST_H
#define CPU_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* As many as the kernel supports on x86. */
#define CPU_LIST_MAX 8192

struct cpu_list {
	unsigned int cpu[CPU_LIST_MAX];
	size_t count;
};

bool cpu_list_parse(const char *text, struct cpu_list *list);
bool cpu_list_has(const struct cpu_list *list, unsigned int cpu);
bool cpu_list_online(struct cpu_list *list);

#endif
