// SPDX-License-Identifier: GPL-2.0
/* The idle states of a CPU, as sysfs shows them. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "idle_latency_util.h"
#include "prepare.h"

#define SYS_CPU "/sys/devices/system/cpu"
#define GOVERNOR SYS_CPU "/cpuidle/current_governor"

bool cpuidle_driver(char *name, size_t size)
{
	return sysfs_read_line(SYS_CPU "/cpuidle/current_driver", name, size) &&
	       strcmp(name, "none");
}

/* Until the next call. */
static const char *state_path(unsigned int cpu, unsigned int state, const char *file)
{
	static char path[128];

	snprintf(path, sizeof(path), SYS_CPU "/cpu%u/cpuidle/state%u/%s", cpu, state, file);
	return path;
}

static bool read_state(unsigned int cpu, unsigned int index, struct idle_state *state)
{
	state->index = index;
	return sysfs_read_line(state_path(cpu, index, "name"), state->name,
			       sizeof(state->name)) &&
	       sysfs_read_number(state_path(cpu, index, "latency"), &state->latency_us) &&
	       sysfs_read_number(state_path(cpu, index, "residency"), &state->residency_us) &&
	       sysfs_read_number(state_path(cpu, index, "disable"), &state->disable) &&
	       sysfs_read_number(state_path(cpu, index, "usage"), &state->usage);
}

bool cpuidle_states(unsigned int cpu, struct idle_states *states)
{
	states->count = 0;
	while (states->count < IDLE_STATES_MAX &&
	       read_state(cpu, states->count, &states->state[states->count]))
		states->count++;
	return states->count;
}

bool cpuidle_disable(unsigned int cpu, unsigned int state, bool disable)
{
	return undo_change(state_path(cpu, state, "disable"), disable ? "1" : "0");
}

bool cpuidle_governors(struct idle_governors *governors)
{
	char line[256], *rest = line, *name;

	governors->count = 0;
	if (access(GOVERNOR, W_OK) ||
	    !sysfs_read_line(GOVERNOR, governors->used,
			     sizeof(governors->used)) ||
	    !sysfs_read_line(SYS_CPU "/cpuidle/available_governors", line,
			     sizeof(line)))
		return false;
	while ((name = strtok_r(rest, " ", &rest)) &&
	       governors->count < IDLE_GOVERNORS_MAX)
		snprintf(governors->name[governors->count++],
			 sizeof(governors->name[0]), "%s", name);
	return governors->count;
}

bool cpuidle_use_governor(const char *name)
{
	return undo_change(GOVERNOR, name);
}

void idle_states_judged(const struct idle_states *all,
			struct idle_states *judged)
{
	judged->count = 0;
	for (size_t i = 0; i < all->count; i++)
		if (strcmp(all->state[i].name, "POLL") &&
		    all->state[i].latency_us && !all->state[i].disable)
			judged->state[judged->count++] = all->state[i];
}

static bool is_named(const struct idle_state *state, const char *item)
{
	__u64 index;

	return !strcmp(state->name, item) ||
	       (parse_number(item, &index) && index == state->index);
}

static bool choose_item(const struct idle_states *all, const char *item,
			struct idle_states *chosen)
{
	size_t i = 0, j = 0;

	while (i < all->count && !is_named(&all->state[i], item))
		i++;
	if (i == all->count)
		return false;
	while (j < chosen->count && chosen->state[j].index != all->state[i].index)
		j++;
	chosen->state[j] = all->state[i];
	chosen->count += j == chosen->count;
	return true;
}

bool idle_states_choose(const struct idle_states *all, const char *list,
			struct idle_states *chosen, char *unknown, size_t size)
{
	chosen->count = 0;
	for (;;) {
		size_t length = strcspn(list, ",");

		snprintf(unknown, size, "%.*s", (int)length, list);
		if (!choose_item(all, unknown, chosen))
			return false;
		if (!list[length])
			return true;
		list += length + 1;
	}
}

bool same_disable(unsigned int cpu, const struct idle_states *before)
{
	struct idle_states now;

	if (!cpuidle_states(cpu, &now) || now.count != before->count)
		return false;
	for (size_t i = 0; i < now.count; i++)
		if (before->state[i].disable != now.state[i].disable)
			return false;
	return true;
}

__u64 other_usage(const struct idle_states *before,
		  const struct idle_states *after, unsigned int state)
{
	__u64 total = 0;

	for (size_t i = 0; i < before->count; i++)
		if (before->state[i].index != state)
			total += after->state[i].usage - before->state[i].usage;
	return total;
}
