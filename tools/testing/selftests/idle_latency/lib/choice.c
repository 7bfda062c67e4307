// SPDX-License-Identifier: GPL-2.0
/* What --cpus and --states name. */
#include <stdio.h>

#include "measured_cpu.h"
#include "options.h"
#include "prepare.h"

bool choose_cpus(struct options *options, struct obstacle *obstacle)
{
	static struct cpu_list online;

	if (!cpu_list_online(&online))
		online = (struct cpu_list) { .cpu = { 0 }, .count = 1 };
	if (options->all_cpus) {
		options->cpus = online;
		return true;
	}
	if (!options->cpus.count) {
		if (!cores_choose(&options->cpus))
			options->cpus.cpu[options->cpus.count++] = online.cpu[0];
		return true;
	}
	for (size_t i = 0; i < options->cpus.count; i++) {
		if (cpu_list_has(&online, options->cpus.cpu[i]))
			continue;
		obstacle->reason = "a CPU that --cpus names is not online";
		snprintf(obstacle->said, sizeof(obstacle->said), "CPU %u is not online",
			 options->cpus.cpu[i]);
		return false;
	}
	return true;
}

static void say_states(const struct idle_states *states, const char *unknown,
		       struct obstacle *obstacle)
{
	struct text said = text_begin(obstacle->said, sizeof(obstacle->said));

	obstacle->reason = "a state that --states names is not there";
	text_add(&said, "%s is none of", unknown);
	for (size_t i = 0; i < states->count; i++)
		text_add(&said, "%s %s", i ? "," : "", states->state[i].name);
}

bool choose_states(const struct options *options, const struct measured_cpu *measured,
		   struct idle_states *chosen, struct obstacle *obstacle)
{
	struct idle_states judged;
	char unknown[64];

	measured_cpu_judged(measured, &judged);
	if (!options->states) {
		*chosen = judged;
		return true;
	}
	if (idle_states_choose(&judged, options->states, chosen, unknown,
			       sizeof(unknown)))
		return true;
	say_states(&judged, unknown, obstacle);
	return false;
}
