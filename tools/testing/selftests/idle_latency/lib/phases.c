// SPDX-License-Identifier: GPL-2.0

#include "phases.h"
#include "statistics.h"

/* The reader comes ten times a second, and may be late by half of that. */
#define READER_NS	150000000ULL

/* Of the kernel, for the records of all sessions: 256 of each of 512 have room in it. */
#define BUFFERS_BYTES	(48ULL << 20)

/* Has the core a CPU that is still to be measured? */
static bool is_to_come(const struct phases *phases, unsigned int core)
{
	for (size_t i = 0; i < phases->cpus; i++)
		if (phases->cpu[i].core == core && phases->cpu[i].wanted && !phases->cpu[i].phase)
			return true;
	return false;
}

/*
 * Best where nothing is left to be measured, as nobody waits for that core then; else one that was
 * measured, or the first of all.
 */
static const struct phase_cpu *choose_housekeeping(const struct phases *phases)
{
	const struct phase_cpu *measured = NULL, *any = NULL;

	for (size_t i = 0; i < phases->cpus; i++) {
		const struct phase_cpu *cpu = &phases->cpu[i];

		if (!cpu->allowed)
			continue;
		if (!is_to_come(phases, cpu->core))
			return cpu;
		if (!any)
			any = cpu;
		if (!measured && (cpu->phase || !cpu->wanted))
			measured = cpu;
	}
	return measured ? measured : any;
}

static bool did_housekeeping(const struct phases *phases, unsigned int cpu)
{
	for (unsigned int i = 1; i < phases->count; i++)
		if (phases->housekeeping[i] == cpu)
			return true;
	return false;
}

static bool core_is_in(const struct phases *phases, unsigned int core, unsigned int phase)
{
	for (size_t i = 0; i < phases->cpus; i++)
		if (phases->cpu[i].core == core && phases->cpu[i].phase == phase)
			return true;
	return false;
}

/* Returns how many CPUs it has added to the phase. @late: those that did the housekeeping */
static size_t fill(struct phases *phases, const struct phase_cpu *housekeeping, bool late,
		   size_t most)
{
	size_t added = 0;

	for (size_t i = 0; i < phases->cpus && added < most; i++) {
		struct phase_cpu *cpu = &phases->cpu[i];

		if (!cpu->wanted || cpu->phase ||
		    (housekeeping && cpu->core == housekeeping->core) ||
		    core_is_in(phases, cpu->core, phases->count) ||
		    did_housekeeping(phases, cpu->cpu) != late)
			continue;
		cpu->phase = phases->count;
		added++;
	}
	return added;
}

/* A phase without a CPU of its own for the housekeeping: all others are of its core. */
static size_t fill_alone(struct phases *phases)
{
	phases->housekeeping[phases->count] = NO_CPU;
	return fill(phases, NULL, false, 1) ?: fill(phases, NULL, true, 1);
}

void phases_plan(struct phases *phases, size_t most)
{
	size_t added;

	phases->count = 0;
	for (size_t i = 0; i < phases->cpus; i++)
		phases->cpu[i].phase = 0;
	do {
		const struct phase_cpu *housekeeping = choose_housekeeping(phases);

		phases->count++;
		phases->housekeeping[phases->count] = housekeeping ? housekeeping->cpu : NO_CPU;
		added = housekeeping ? fill(phases, housekeeping, false, most) : 0;
		if (housekeeping)
			added += fill(phases, housekeeping, true, most - added);
		if (!added)
			added = fill_alone(phases);
	} while (added);
	phases->count--;
}

size_t phases_size(const struct phases *phases, unsigned int phase)
{
	size_t size = 0;

	for (size_t i = 0; i < phases->cpus; i++)
		size += phases->cpu[i].phase == phase;
	return size;
}

size_t phases_largest(const struct phases *phases)
{
	size_t largest = 0;

	for (unsigned int i = 1; i <= phases->count; i++)
		largest = larger(largest, phases_size(phases, i));
	return largest;
}

bool phases_first_of_package(const struct phases *phases, unsigned int number)
{
	for (size_t i = 0; i < phases->cpus; i++) {
		const struct phase_cpu *cpu = &phases->cpu[i];
		size_t first = 0;

		if (cpu->cpu != number)
			continue;
		while (!phases->cpu[first].wanted || phases->cpu[first].package != cpu->package)
			first++;
		return first == i;
	}
	return false;
}

/* A number that the CPUs of a list have in common: that of the first of them. */
static unsigned int first_of(unsigned int cpu, const char *of)
{
	static struct cpu_list list;

	return cpu_list_near(cpu, of, &list) ? list.cpu[0] : cpu;
}

void phases_read(struct phases *phases, const struct cpu_list *measured)
{
	static struct cpu_list online, allowed;

	cpu_list_online(&online);
	affinity_allowed(&allowed);
	phases->cpus = 0;
	for (size_t i = 0; i < online.count; i++) {
		const unsigned int cpu = online.cpu[i];

		phases->cpu[phases->cpus++] = (struct phase_cpu) {
			.cpu = cpu,
			.core = first_of(cpu, "core_cpus_list"),
			.package = first_of(cpu, "package_cpus_list"),
			.allowed = cpu_list_has(&allowed, cpu),
			.wanted = cpu_list_has(measured, cpu) && !cpu_keeps_time(cpu),
		};
	}
}

unsigned int phases_buffer(__u64 sample_ns, size_t sessions)
{
	const __u64 share = BUFFERS_BYTES / sessions / sizeof(struct idle_latency_record);
	const __u64 needed = READER_NS / larger(sample_ns, 1) + 1;
	unsigned int records = IDLE_LATENCY_BUFFER_MIN;

	while (records < needed && 2 * records <= smaller(share, IDLE_LATENCY_BUFFER_MAX))
		records *= 2;
	return records;
}
