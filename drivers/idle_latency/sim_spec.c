// SPDX-License-Identifier: GPL-2.0-only
/*
 * The text that describes simulated idle states, for example
 *
 *	FAST:2000:1000 SLOW:50000:40000:spread=300,outlier=10000/60000
 *
 * States are separated by blanks. Each has a name, the exit latency it declares
 * and the one it has, in ns, and options:
 *
 *	spread=NS	up to NS more, uniformly random
 *	outlier=N/NS	each Nth entry has a latency of NS instead
 *	demote=N	each Nth entry enters the state before this one
 *	reject=N	each Nth entry is rejected
 *	mwait		a task that another CPU wakes ends it without an interrupt
 *	irqs		interrupts are enabled while the CPU comes back
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "sim_spec.h"

static int parse_ns(const char *text, u32 *ns)
{
	int err;

	if (!text)
		return -EINVAL;

	err = kstrtou32(text, 10, ns);
	if (err)
		return err;

	return *ns <= SIM_LATENCY_MAX_NS ? 0 : -ERANGE;
}

static int parse_every(const char *text, u32 *every)
{
	int err;

	if (!text)
		return -EINVAL;

	err = kstrtou32(text, 10, every);
	if (err)
		return err;

	return *every ? 0 : -ERANGE;
}

static int parse_outlier(char *text, struct sim_spec *spec)
{
	int err;

	err = parse_every(strsep(&text, "/"), &spec->outlier_every);
	if (err)
		return err;

	return parse_ns(text, &spec->outlier_ns);
}

static int parse_option(char *text, struct sim_spec *spec)
{
	const char *key = strsep(&text, "=");

	if (!strcmp(key, "spread"))
		return parse_ns(text, &spec->spread_ns);
	if (!strcmp(key, "outlier"))
		return parse_outlier(text, spec);
	if (!strcmp(key, "demote"))
		return parse_every(text, &spec->demote_every);
	if (!strcmp(key, "reject"))
		return parse_every(text, &spec->reject_every);
	if (!strcmp(key, "mwait") && !text) {
		spec->mwait = true;
		return 0;
	}
	if (!strcmp(key, "irqs") && !text) {
		spec->irqs = true;
		return 0;
	}

	return -EINVAL;
}

static int parse_options(char *text, struct sim_spec *spec)
{
	char *option;
	int err;

	while ((option = strsep(&text, ","))) {
		err = parse_option(option, spec);
		if (err)
			return err;
	}

	return 0;
}

static int parse_state(char *text, struct sim_spec *spec)
{
	const char *name = strsep(&text, ":");
	int err;

	*spec = (struct sim_spec) {};

	if (!*name || strscpy(spec->name, name, sizeof(spec->name)) < 0)
		return -EINVAL;

	err = parse_ns(strsep(&text, ":"), &spec->declared_ns);
	if (err)
		return err;

	err = parse_ns(strsep(&text, ":"), &spec->actual_ns);
	if (err)
		return err;

	return parse_options(text, spec);
}

/* The first state has none before it that it could demote to. */
static int check_order(const struct sim_spec *specs)
{
	return specs[0].demote_every ? -EINVAL : 0;
}

/**
 * idle_latency_sim_parse() - read the description of simulated idle states
 * @text: the description, see the head of this file
 * @specs: where the states go
 * @max: room in @specs
 *
 * Context: process context. May sleep.
 * Return: number of states, or -EINVAL for a text that is not a description,
 * -ERANGE for a number that is out of range, -E2BIG for more than @max states,
 * -ENOMEM.
 */
int idle_latency_sim_parse(const char *text, struct sim_spec *specs, unsigned int max)
{
	char *copy, *rest, *state;
	unsigned int count = 0;
	int err = 0;

	copy = kstrdup(text, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;

	rest = copy;
	while (!err && (state = strsep(&rest, "\n "))) {
		if (!*state)
			continue;
		err = count < max ? parse_state(state, &specs[count++]) : -E2BIG;
	}
	kfree(copy);

	if (err)
		return err;
	if (!count)
		return -EINVAL;

	return check_order(specs) ?: count;
}
