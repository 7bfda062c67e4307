// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is known of an idle state: what its cpuidle driver declares, and what the CPU has
 * to say about it.
 */
#include <linux/bitfield.h>
#include <linux/cpufeature.h>
#include <linux/cpuidle.h>
#include <linux/cpumask.h>
#include <linux/preempt.h>
#include <linux/processor.h>
#include <linux/string.h>

#include "hint.h"
#include "x86.h"

/* Where intel_idle keeps the MWAIT hint of a state; flg2MWAIT() there. */
#define INTEL_IDLE_HINT		GENMASK(31, 24)

/* Returns the MWAIT hint of a state, or -1 where it has none or nobody tells. */
static int find_hint(const struct cpuidle_driver *drv, const struct cpuidle_state *state)
{
	if (state->flags & CPUIDLE_FLAG_POLLING)
		return -1;
	if (!strcmp(drv->name, "acpi_idle"))
		return idle_latency_acpi_hint(state->desc);
	if (!strcmp(drv->name, "intel_idle"))
		return FIELD_GET(INTEL_IDLE_HINT, (u32)state->flags);

	return -1;
}

/* Returns 0 and the MWAIT hint in @hint, or a negative errno as below. */
static int read_declared(struct idle_latency_state *state, int *hint)
{
	const struct cpuidle_state *declared;
	const struct cpuidle_driver *drv;

	/* While preemption is disabled, the module of the driver cannot be unloaded. */
	guard(preempt)();

	drv = cpuidle_get_driver();
	if (!drv)
		return -ENODEV;
	if (state->state >= drv->state_count)
		return -ENOENT;

	declared = &drv->states[state->state];
	if (declared->flags & CPUIDLE_FLAG_UNUSABLE)
		return -ENOENT;

	state->exit_latency_ns = declared->exit_latency_ns;
	state->target_residency_ns = declared->target_residency_ns;
	state->flags = 0;
	if (declared->flags & CPUIDLE_FLAG_POLLING)
		state->flags |= IDLE_LATENCY_STATE_POLLS;
	if (declared->flags & CPUIDLE_FLAG_TIMER_STOP)
		state->flags |= IDLE_LATENCY_STATE_TIMER_STOP;
	/* The CPU is not really idle in simulated states, and so never wakes up early. */
	if (!strcmp(drv->name, "idle_latency_sim"))
		state->flags |= IDLE_LATENCY_STATE_NO_PREWAKE;
	*hint = find_hint(drv, declared);
	if (declared->flags & CPUIDLE_FLAG_POLLING || *hint >= 0)
		state->flags |= IDLE_LATENCY_STATE_WATCHES;
	return 0;
}

static bool same_declared(const struct idle_latency_state *a,
			  const struct idle_latency_state *b)
{
	return a->exit_latency_ns == b->exit_latency_ns &&
	       a->target_residency_ns == b->target_residency_ns && a->flags == b->flags;
}

/*
 * A driver may rewrite its table in place without a lock, as acpi_idle does when the power supply
 * changes. So the state is read until two readings in a row are the same.
 */
static int find_declared(struct idle_latency_state *state, int *hint)
{
	struct idle_latency_state before;
	int err;

	err = read_declared(state, hint);
	if (err)
		return err;

	do {
		before = *state;
		cpu_relax();
		err = read_declared(state, hint);
	} while (!err && !same_declared(&before, state));

	return err;
}

/**
 * idle_latency_state_find() - find out what is known of an idle state
 * @state: @cpu and @state say which; the rest is filled in
 * @cstate: what only this driver needs to know goes there; NULL: do not ask the CPU, and find out
 *	only what is declared
 *
 * Context: process context. May sleep.
 * Return: 0; -ENXIO when the CPU does not exist or is offline; -ENODEV when no cpuidle
 * driver is there; -ENOENT when the CPU has no such state, or its driver has marked it as
 * unusable.
 */
int idle_latency_state_find(struct idle_latency_state *state,
			    struct idle_latency_cstate *cstate)
{
	int err, hint;

	if (state->cpu >= nr_cpu_ids || !cpu_online(state->cpu))
		return -ENXIO;

	err = find_declared(state, &hint);
	if (err || !cstate)
		return err;

	idle_latency_cstate_find(cstate, state->cpu, hint);
	state->flags |= cstate->flags;
	/* What is known of the driver is surer than what the CPU could do. */
	if (state->flags & IDLE_LATENCY_STATE_NO_PREWAKE)
		state->flags &= ~IDLE_LATENCY_STATE_PREWAKE;
	state->core_counter = cstate->core;
	state->package_counter = cstate->package;
	if (boot_cpu_has(X86_FEATURE_HYPERVISOR))
		state->flags |= IDLE_LATENCY_STATE_VIRTUAL;

	return 0;
}
