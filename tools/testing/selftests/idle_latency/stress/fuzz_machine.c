// SPDX-License-Identifier: GPL-2.0
/* The machine of the fuzzer, see fuzz_machine.h. */
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "fuzz_machine.h"

#define REFERENCES "/sys/module/idle_latency/refcnt"

/* Idle periods of this length, until one of them was in a state. */
#define ENTER_MS	1
#define ENTER_TIMES	100

static bool enable_only(const struct machine_cpu *cpu, size_t state)
{
	for (size_t i = 0; i < cpu->states.count; i++)
		if (!cpuidle_disable(cpu->cpu, i, i != state))
			return false;
	return true;
}

static bool enable_as_before(const struct machine_cpu *cpu)
{
	for (size_t i = 0; i < cpu->states.count; i++)
		if (!cpuidle_disable(cpu->cpu, i,
				     cpu->states.state[i].disable))
			return false;
	return true;
}

static bool enters(const struct machine_cpu *cpu, size_t state)
{
	struct idle_states before, after;

	if (!enable_only(cpu, state) || !cpuidle_states(cpu->cpu, &before))
		return false;
	for (unsigned int i = 0; i < ENTER_TIMES; i++) {
		sleep_ms(ENTER_MS);
		if (!cpuidle_states(cpu->cpu, &after))
			return false;
		if (after.state[state].usage > before.state[state].usage)
			return true;
	}
	return false;
}

/* There, so that the CPU leaves and enters idle states. */
static bool go_to(const struct machine_cpu *cpu, cpu_set_t *before)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu->cpu, &one);
	return !sched_getaffinity(0, sizeof(*before), before) &&
	       !sched_setaffinity(0, sizeof(one), &one);
}

static const char *find_entered(const struct machine_cpu *cpu, bool *entered)
{
	cpu_set_t before;
	bool enabled;

	if (!go_to(cpu, &before))
		return "this program cannot run on the CPU";
	for (size_t i = 0; i < cpu->states.count; i++)
		entered[i] = enters(cpu, i);
	enabled = enable_as_before(cpu);
	sched_setaffinity(0, sizeof(before), &before);
	return enabled ? NULL : "a disable file cannot be written";
}

static const char *try_entering(struct machine *machine)
{
	const char *wrong = NULL;

	for (size_t i = 0; i < machine->cpu_count && !wrong; i++)
		wrong = find_entered(&machine->cpus[i],
				     machine->cpus[i].entered);
	return wrong;
}

static bool add_cpu(struct machine *machine, unsigned int number)
{
	struct machine_cpu *cpu = &machine->cpus[machine->cpu_count++];

	cpu->cpu = number;
	if (!cpuidle_states(number, &cpu->found))
		return false;
	cpu->states = cpu->found;
	for (size_t i = 0; i < cpu->found.count; i++)
		if (cpuidle_undo_disable(number, i) < 0)
			return false;
	return true;
}

static bool find_cpus(struct machine *machine)
{
	static struct cpu_list online, possible;
	char line[256];

	if (!cpu_list_online(&online) ||
	    !sysfs_read_line("/sys/devices/system/cpu/possible", line,
			     sizeof(line)) ||
	    !cpu_list_parse(line, &possible))
		return false;
	for (size_t i = 0; i < online.count && i < MACHINE_CPUS_MAX; i++)
		if (!add_cpu(machine, online.cpu[i]))
			return false;
	machine->beyond_cpus = possible.cpu[possible.count - 1] + 1;
	machine->has_offline_cpu = machine_offline_cpu(&machine->offline_cpu);
	return true;
}

static int ask(struct idle_latency_state *state)
{
	int fd = device_open(0), ret;

	if (fd < 0)
		return fd;
	ret = device_state(fd, state);
	close(fd);
	return ret;
}

static void ask_for_states(struct machine_cpu *cpu)
{
	for (size_t i = 0; i < cpu->found.count; i++) {
		cpu->known[i] = (struct idle_latency_state) {
			.cpu = cpu->cpu, .state = i,
		};
		cpu->usable[i] = !ask(&cpu->known[i]);
	}
}

static int try_config(unsigned int cpu, unsigned int state, __u32 source)
{
	const struct idle_latency_config config = {
		.ldist_from_ns = TEST_LDIST_FROM_NS,
		.ldist_to_ns = TEST_LDIST_TO_NS,
		.cpu = cpu,
		.state = state,
		.source = source,
	};
	int fd = device_open(0), ret;

	if (fd < 0)
		return fd;
	ret = device_config(fd, &config);
	close(fd);
	return ret;
}

static bool try_source(const struct machine_cpu *cpu, __u32 source)
{
	for (size_t i = 0; i < cpu->found.count; i++)
		if (!try_config(cpu->cpu, i, source))
			return true;
	return false;
}

const char *machine_find(struct machine *machine)
{
	*machine = (struct machine) { };
	if (!find_cpus(machine))
		return "no idle states: load a cpuidle driver";
	for (__u32 i = IDLE_LATENCY_SOURCE_HRT;
	     i <= IDLE_LATENCY_SOURCE_NIC; i++)
		machine->has_source[i] = try_source(&machine->cpus[0], i);
	if (!machine->has_source[IDLE_LATENCY_SOURCE_HRT])
		return "no high-resolution timers, or no trusted TSC";
	for (size_t i = 0; i < machine->cpu_count; i++)
		ask_for_states(&machine->cpus[i]);
	return try_entering(machine);
}

const struct machine_cpu *find_cpu(const struct machine *machine,
				   unsigned int cpu)
{
	for (size_t i = 0; i < machine->cpu_count; i++)
		if (machine->cpus[i].cpu == cpu)
			return &machine->cpus[i];
	return NULL;
}

/* A session does not show there. */
static const char *look_at_states(const struct machine_cpu *cpu)
{
	struct idle_states now;

	if (!cpuidle_states(cpu->cpu, &now) || now.count != cpu->states.count)
		return "the idle states have changed";
	return same_disable(&cpu->states, &now) ? NULL :
		"a disable file has changed";
}

static const char *look_at_references(const struct model *model)
{
	__u64 references;

	/* A driver that is built in has none. */
	if (!sysfs_read_number(REFERENCES, &references))
		return NULL;
	if (model->phase == PHASE_CLOSED && references)
		return "the module is in use after the last close";
	if (model->phase != PHASE_CLOSED && !references)
		return "the module is not in use while a file is open";
	return NULL;
}

const char *machine_look(const struct machine *machine,
			 const struct model *model)
{
	const struct machine_cpu *cpu = &machine->cpus[0];

	if (model->configured)
		cpu = find_cpu(machine, model->config.cpu);
	return look_at_states(cpu) ?: look_at_references(model);
}

const char *machine_enter(const struct machine *machine)
{
	for (size_t i = 0; i < machine->cpu_count; i++) {
		const struct machine_cpu *cpu = &machine->cpus[i];
		bool entered[IDLE_STATES_MAX] = { };
		const char *wrong = find_entered(cpu, entered);

		if (wrong)
			return wrong;
		if (memcmp(entered, cpu->entered, sizeof(entered)))
			return "the CPU enters other idle states than before";
	}
	return NULL;
}

const char *machine_toggle(struct machine *machine, struct dice *dice)
{
	struct machine_cpu *cpu =
		&machine->cpus[dice_below(dice, machine->cpu_count)];
	size_t i = dice_below(dice, cpu->states.count);
	__u64 *disable = &cpu->states.state[i].disable;

	if (!cpuidle_disable(cpu->cpu, i, !*disable))
		return "a disable file cannot be written";
	*disable = !*disable;
	return NULL;
}

const char *machine_restore(struct machine *machine)
{
	for (size_t i = 0; i < machine->cpu_count; i++) {
		struct machine_cpu *cpu = &machine->cpus[i];

		cpu->states = cpu->found;
		if (!enable_as_before(cpu))
			return "a disable file cannot be written";
	}
	return NULL;
}
