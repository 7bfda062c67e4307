// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hold CPUs in an idle state beside the one that is measured, so that the core, the module or the
 * package that they share is in that state, too. A state is forced on each of them as on the
 * measured CPU, by limit.c or force.c, and nothing else is done. A CPU that is held is neither
 * measured nor held by another file.
 *
 * Whoever calls this holds the lock of keep.c and keeps CPUs from going on- and offline.
 */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/smp.h>

#include "keep.h"
#include "x86.h"

static void do_nothing(void *unused)
{
}

static int hold_cpu(struct idle_latency_held *held, unsigned int cpu)
{
	int err;

	if (!cpu_online(cpu))
		return -ENXIO;
	if (!idle_latency_claim_cpu(cpu))
		return -EBUSY;

	err = idle_latency_force_state(cpu, held->state);
	if (err)
		idle_latency_yield_cpu(cpu);
	else
		cpumask_set_cpu(cpu, held->held);

	return err;
}

static void let_go_of(struct idle_latency_held *held, unsigned int cpu)
{
	idle_latency_unforce_state(cpu);
	cpumask_clear_cpu(cpu, held->held);
	idle_latency_yield_cpu(cpu);
}

/**
 * idle_latency_hold() - hold CPUs in an idle state
 * @held: @wanted says which, and none is held; all of them or none are afterwards
 * @state: index of the state
 *
 * Context: process context. May sleep.
 * Return: 0; -ENXIO when a CPU is offline; -ENODEV when no cpuidle driver serves one; -ENOENT when
 * one has no such state; -EBUSY when one is measured or held already, or idle injected on it;
 * -EOPNOTSUPP when the state cannot be forced.
 */
int idle_latency_hold(struct idle_latency_held *held, int state)
{
	unsigned int cpu;
	int err;

	held->state = state;
	for_each_cpu(cpu, held->wanted) {
		err = hold_cpu(held, cpu);
		if (err)
			goto let_go;
	}
	/* Who is idle already goes idle again, now in the state. */
	on_each_cpu_mask(held->held, do_nothing, NULL, 1);
	return 0;

let_go:
	idle_latency_let_go(held);
	return err == -EINVAL ? -ENOENT : err;
}

/**
 * idle_latency_let_go() - let all CPUs go that are held
 * @held: these CPUs
 *
 * Context: process context. May sleep.
 */
void idle_latency_let_go(struct idle_latency_held *held)
{
	unsigned int cpu;

	for_each_cpu(cpu, held->held)
		let_go_of(held, cpu);
	cpumask_clear(held->wanted);
}

/**
 * idle_latency_hold_again() - hold a CPU that comes online, if it is to be held
 * @held: the CPUs
 * @cpu: that one
 *
 * Context: process context. May sleep.
 */
void idle_latency_hold_again(struct idle_latency_held *held, unsigned int cpu)
{
	if (cpumask_test_cpu(cpu, held->wanted))
		hold_cpu(held, cpu);
}

/**
 * idle_latency_let_go_of() - let a CPU go that goes offline
 * @held: the CPUs
 * @cpu: that one
 *
 * Context: process context. May sleep.
 */
void idle_latency_let_go_of(struct idle_latency_held *held, unsigned int cpu)
{
	if (cpumask_test_cpu(cpu, held->held))
		let_go_of(held, cpu);
}

/**
 * idle_latency_count_held() - how many CPUs are held at this moment?
 * @held: the CPUs
 *
 * A state is not forced any more when the cpuidle device of the CPU was gone meanwhile. To find
 * out, this tries to force it: -EBUSY means that it is still forced. Success means that it was not,
 * so that this undoes it, and the CPU is not held any more: its states may be others now.
 *
 * Context: process context. May sleep.
 * Return: the number.
 */
unsigned int idle_latency_count_held(struct idle_latency_held *held)
{
	unsigned int cpu, count = 0;
	int err;

	for_each_cpu(cpu, held->held) {
		err = idle_latency_force_state(cpu, held->state);
		count += err == -EBUSY;
		if (!err)
			let_go_of(held, cpu);
	}

	return count;
}
