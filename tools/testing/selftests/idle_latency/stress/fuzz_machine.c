// SPDX-License-Identifier: GPL-2.0
/* The machine of the fuzzer. */
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

#define REFERENCES "/sys/module/idle_latency/refcnt"

/* Idle periods of this length, until one of them was in a state. */
#define ENTER_MS	1
#define ENTER_TIMES	100

struct machine machine;

/* Enables one state only, or with -1 what user space has enabled. */
static bool enable(const struct machine_cpu *cpu, int only)
{
	for (int i = 0; i < (int)cpu->states.count; i++)
		if (!cpuidle_disable(cpu->cpu, i, only < 0 ? cpu->states.state[i].disable :
							     i != only))
			return false;
	return true;
}

static bool enters(const struct machine_cpu *cpu, unsigned int state)
{
	struct idle_states before, after;

	if (!enable(cpu, state) || !cpuidle_states(cpu->cpu, &before))
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

/* From there, so that the CPU leaves and enters idle states. */
static const char *find_entered(const struct machine_cpu *cpu, bool *entered)
{
	cpu_set_t before;
	bool enabled;

	if (sched_getaffinity(0, sizeof(before), &before) || !affinity_pin(cpu->cpu))
		return "this program cannot run on the CPU";
	for (size_t i = 0; i < cpu->states.count; i++)
		entered[i] = enters(cpu, i);
	enabled = enable(cpu, -1);
	sched_setaffinity(0, sizeof(before), &before);
	return enabled ? NULL : "a disable file cannot be written";
}

static bool find_cpus(void)
{
	static struct cpu_list online, possible;

	if (!cpu_list_online(&online) || !cpu_list_read("possible", &possible))
		return false;
	for (size_t i = 0; i < online.count && i < MACHINE_CPUS_MAX; i++) {
		struct machine_cpu *cpu = &machine.cpus[machine.cpu_count++];

		cpu->cpu = online.cpu[i];
		if (!cpuidle_states(cpu->cpu, &cpu->found))
			return false;
		cpu->states = cpu->found;
	}
	machine.beyond_cpus = possible.cpu[possible.count - 1] + 1;
	machine.has_offline_cpu = machine_offline_cpu(&machine.offline_cpu);
	return true;
}

bool source_has_waker(__u32 source)
{
	return source == IDLE_LATENCY_SOURCE_WRITE || source == IDLE_LATENCY_SOURCE_IPI;
}

bool source_works_in(const struct machine_cpu *cpu, __u32 state, __u32 source)
{
	switch (source) {
	case IDLE_LATENCY_SOURCE_HRT:
	case IDLE_LATENCY_SOURCE_TDT:
		return !(cpu->known[state].flags & IDLE_LATENCY_STATE_TIMER_STOP);
	case IDLE_LATENCY_SOURCE_WRITE:
		return cpu->known[state].flags & IDLE_LATENCY_STATE_WATCHES;
	default:
		return true;
	}
}

__u32 machine_source(bool present)
{
	__u32 chosen = 0, seen = 0;

	for (__u32 i = IDLE_LATENCY_SOURCE_HRT; i <= IDLE_LATENCY_SOURCE_IPI; i++)
		if (machine.has_source[i] == present && dice_once_in(&dice, ++seen))
			chosen = i;
	return chosen;
}

/* On a machine with one CPU, the waker is the measured CPU, which the device refuses. */
static bool has_source(int fd, __u32 source)
{
	struct idle_latency_config config = {
		.ldist_from_ns = TEST_LDIST_FROM_NS,
		.ldist_to_ns = TEST_LDIST_TO_NS,
		.cpu = machine.cpus[0].cpu,
		.source = source,
		.waker = source_has_waker(source) ?
			machine.cpus[machine.cpu_count - 1].cpu : 0,
	};

	for (; config.state < machine.cpus[0].found.count; config.state++)
		if (!device_config(fd, &config))
			return true;
	return false;
}

static void ask_for_states(struct machine_cpu *cpu, int fd)
{
	for (size_t i = 0; i < cpu->found.count; i++) {
		cpu->known[i] = (struct idle_latency_state) { .cpu = cpu->cpu, .state = i };
		cpu->usable[i] = !device_state(fd, &cpu->known[i]);
	}
}

const char *machine_find(void)
{
	const char *wrong = NULL;
	int fd;

	if (!find_cpus())
		return "no idle states: load a cpuidle driver";
	fd = device_open(0);
	for (__u32 i = IDLE_LATENCY_SOURCE_HRT; i <= IDLE_LATENCY_SOURCE_IPI; i++)
		machine.has_source[i] = has_source(fd, i);
	for (size_t i = 0; i < machine.cpu_count; i++)
		ask_for_states(&machine.cpus[i], fd);
	close(fd);
	if (!machine.has_source[IDLE_LATENCY_SOURCE_HRT])
		return "no high-resolution timers, or no trusted TSC";
	for (size_t i = 0; i < machine.cpu_count && !wrong; i++)
		wrong = find_entered(&machine.cpus[i], machine.cpus[i].entered);
	return wrong;
}

const struct machine_cpu *find_cpu(unsigned int cpu)
{
	for (size_t i = 0; i < machine.cpu_count; i++)
		if (machine.cpus[i].cpu == cpu)
			return &machine.cpus[i];
	return NULL;
}

struct machine_cpu *choose_cpu(void)
{
	return &machine.cpus[dice_below(&dice, machine.cpu_count)];
}

/* A session does not show there. */
static const char *look_at_states(const struct machine_cpu *cpu)
{
	struct idle_states now;

	if (!cpuidle_states(cpu->cpu, &now) || now.count != cpu->states.count)
		return "the idle states have changed";
	return same_disable(cpu->cpu, &cpu->states) ? NULL : "a disable file has changed";
}

static const char *look_at_references(void)
{
	__u64 references;

	/* A driver that is built in has none. */
	if (!sysfs_read_number(REFERENCES, &references))
		return NULL;
	if (model.phase == PHASE_CLOSED)
		return references ? "the module is in use after the last close" : NULL;
	return references ? NULL : "the module is not in use while a file is open";
}

bool call_look(void)
{
	const struct machine_cpu *cpu = model.configured ? find_cpu(model.config.cpu) :
							   &machine.cpus[0];

	fuzz_count(0);
	return fuzz_check(look_at_states(cpu) ?: look_at_references());
}

bool call_enter(void)
{
	const char *wrong = NULL;

	for (size_t i = 0; i < machine.cpu_count && !wrong; i++) {
		const struct machine_cpu *cpu = &machine.cpus[i];
		bool entered[IDLE_STATES_MAX] = { };

		wrong = find_entered(cpu, entered);
		if (!wrong && memcmp(entered, cpu->entered, sizeof(entered)))
			wrong = "the CPU enters other idle states than before";
	}
	fuzz_count(0);
	return fuzz_check(wrong);
}

bool call_toggle(void)
{
	struct machine_cpu *cpu = choose_cpu();
	size_t i = dice_below(&dice, cpu->states.count);
	__u64 *disable = &cpu->states.state[i].disable;

	fuzz_count(0);
	if (!cpuidle_disable(cpu->cpu, i, !*disable))
		return fuzz_check("a disable file cannot be written");
	*disable = !*disable;
	return true;
}

bool call_sleep(void)
{
	fuzz_count(0);
	sleep_ns(dice_scale(&dice, 1000, 1000000));
	return true;
}

bool machine_restore(void)
{
	bool fine = true;

	for (size_t i = 0; i < machine.cpu_count; i++) {
		machine.cpus[i].states = machine.cpus[i].found;
		fine = enable(&machine.cpus[i], -1) && fine;
	}
	return fine;
}
