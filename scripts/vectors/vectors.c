// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes all interrupt vectors that a CPU has left, for the jobs of test machines, and
 * gives them back when it is unloaded:
 *
 *	insmod vectors.ko cpu=NUMBER
 */
#include <linux/cpumask.h>
#include <linux/irqdomain.h>
#include <linux/module.h>
#include <linux/numa.h>

#include <asm/hw_irq.h>
#include <asm/irq_vectors.h>
#include <asm/irqdomain.h>

static unsigned int cpu;
module_param(cpu, uint, 0);
MODULE_PARM_DESC(cpu, "number of the CPU");

static int irqs[NR_VECTORS];
static unsigned int count;

static int __init vectors_init(void)
{
	struct irq_alloc_info info = { .mask = cpumask_of(cpu) };
	int irq = 0;

	while (irq >= 0 && count < NR_VECTORS) {
		irq = irq_domain_alloc_irqs(x86_vector_domain, 1, NUMA_NO_NODE, &info);
		if (irq >= 0)
			irqs[count++] = irq;
	}

	pr_info("took %u vectors of CPU %u\n", count, cpu);
	return count ? 0 : irq;
}

static void __exit vectors_exit(void)
{
	while (count)
		irq_domain_free_irqs(irqs[--count], 1);
}

module_init(vectors_init);
module_exit(vectors_exit);
MODULE_DESCRIPTION("Takes all interrupt vectors of a CPU");
MODULE_LICENSE("GPL");
