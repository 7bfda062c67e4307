// SPDX-License-Identifier: GPL-2.0
#include <glob.h>
#include <stdio.h>

#include "idle_latency_util.h"
#include "irq_affinity.h"

static bool move(struct irq_affinity *before, const char *path, const char *cpu)
{
	snprintf(before->path, sizeof(before->path), "%s", path);
	return sysfs_read_line(path, before->cpus, sizeof(before->cpus)) &&
	       sysfs_write(path, cpu);
}

void irq_affinity_move(struct irq_affinities *before, unsigned int cpu)
{
	glob_t found = { };
	char text[16];
	size_t i;

	snprintf(text, sizeof(text), "%u", cpu);
	before->count = 0;
	if (glob("/proc/irq/*/smp_affinity_list", 0, NULL, &found))
		return;
	for (i = 0; i < found.gl_pathc && i < IRQ_AFFINITY_MAX; i++)
		before->count += move(&before->irq[before->count],
				      found.gl_pathv[i], text);
	globfree(&found);
}

void irq_affinity_restore(struct irq_affinities *before)
{
	for (size_t i = 0; i < before->count; i++)
		sysfs_write(before->irq[i].path, before->irq[i].cpus);
	before->count = 0;
}
