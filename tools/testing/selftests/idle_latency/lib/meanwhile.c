// SPDX-License-Identifier: GPL-2.0
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "environment.h"
#include "interrupts.h"
#include "meanwhile.h"
#include "report.h"

#define MSR_SMI_COUNT	0x34
/* Bits 12-8 of the register of the units (SDM volume 3, RAPL Interfaces). */
#define ENERGY_UNIT(value)	((value) >> 8 & 0x1f)

/* Any CPU can read the energy of its own package. */
static const struct rapl {
	const char *vendor;
	unsigned int unit_msr;
	unsigned int energy_msr;
} rapls[] = {
	{ "GenuineIntel", 0x606, 0x611 },
	{ "AuthenticAMD", 0xc0010299, 0xc001029b },
	{ "HygonGenuine", 0xc0010299, 0xc001029b },
};

/* Silvermont and Airmont have other units, see drivers/powercap/intel_rapl_msr.c. */
static const unsigned int other_units[] = { 0x37, 0x4a, 0x4c, 0x4d, 0x5a };

static const char * const throttled[] = { "core", "package" };

/* What may not be there. */
struct maybe {
	bool known;
	__u64 value;
};

/* Too large for a stack. */
struct reading {
	__u64 ns;
	/* the CPU that has read it */
	int reader;
	struct cpu_time times[CPU_LIST_MAX];
	struct interrupt_table interrupts;
	struct maybe smi, unit, energy;
	/* of each row, or NULL */
	struct maybe (*throttled)[ARRAY_SIZE(throttled)];
};

static struct {
	const struct csv *csv;
	/* NULL: none is measured */
	const struct row * const *rows;
	size_t count;
	/* NULL: the energy cannot be read, or its unit is not known */
	const struct rapl *rapl;
	struct reading readings[2];
	/* the last one */
	struct reading *last;
} watched;

__u64 meanwhile_busy_pct(const struct cpu_time *before, const struct cpu_time *after)
{
	/* The kernel may correct idle time downwards. */
	const __u64 busy = minus_or_0(after->busy, before->busy);
	const __u64 all = busy + minus_or_0(after->idle, before->idle);

	/* A CPU that was offline has no time before. */
	if (!all || (!before->busy && !before->idle))
		return 0;
	return (100 * busy + all / 2) / all;
}

__u64 meanwhile_power_mw(__u64 before, __u64 after, unsigned int bits, __u64 interval_ns)
{
	const __u32 units = after - before;
	const double mj = 1000.0 * units / (1ULL << bits);

	return interval_ns ? mj * NS_PER_SEC / interval_ns + 0.5 : 0;
}

static struct maybe read_msr(const struct reading *reading, unsigned int number)
{
	struct maybe msr = { };

	msr.known = reading->reader >= 0 && !power_msr_read(reading->reader, number, &msr.value);
	return msr;
}

bool meanwhile_throttled(const char *cpu, const char *of, __u64 *count)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/thermal_throttle/%s_throttle_count", cpu, of);
	return sysfs_read_number(path, count);
}

/*
 * These counts are memory of the kernel, too: the CPU gets an interrupt for each. CPUs that cannot
 * tell, and kernels without CONFIG_X86_THERMAL_VECTOR, have none.
 */
static void read_throttled(unsigned int cpu, struct maybe *counts)
{
	char dir[64];

	snprintf(dir, sizeof(dir), "/sys/devices/system/cpu/cpu%u", cpu);
	for (size_t i = 0; i < ARRAY_SIZE(throttled); i++)
		counts[i].known = meanwhile_throttled(dir, throttled[i], &counts[i].value);
}

static void free_reading(struct reading *reading)
{
	interrupts_free(&reading->interrupts);
	free(reading->throttled);
	reading->throttled = NULL;
}

static void read_all(struct reading *reading)
{
	free_reading(reading);
	reading->ns = now_ns();
	reading->reader = sched_getcpu();
	causes_read_times(reading->times);
	interrupts_read_all(&reading->interrupts);
	reading->throttled = calloc(watched.count, sizeof(*reading->throttled));
	for (size_t i = 0; i < watched.count && reading->throttled; i++)
		read_throttled(watched.rows[i]->cpu, reading->throttled[i]);
	reading->smi = read_msr(reading, MSR_SMI_COUNT);
	if (!watched.rapl)
		return;
	reading->unit = read_msr(reading, watched.rapl->unit_msr);
	reading->energy = read_msr(reading, watched.rapl->energy_msr);
}

static void put(const struct reading *before, const struct reading *after, const struct row *row,
		const char *what, const char *of, __u64 value)
{
	const struct statistic statistic = {
		.row = row,
		.read_ns = after->ns,
		.interval_ns = after->ns - before->ns,
		.what = what,
		.of = of,
		.value = value,
	};

	csv_statistic(watched.csv, &statistic);
}

static bool is_measured(unsigned int cpu)
{
	for (size_t i = 0; i < watched.count; i++)
		if (watched.rows[i]->cpu == cpu)
			return true;
	return false;
}

static void put_busy(const struct reading *before, const struct reading *after)
{
	char of[16];

	for (unsigned int i = 0; i < CPU_LIST_MAX; i++) {
		__u64 percent = meanwhile_busy_pct(&before->times[i], &after->times[i]);

		if (!percent || is_measured(i))
			continue;
		snprintf(of, sizeof(of), "%u", i);
		put(before, after, *watched.rows, "busy_pct", of, percent);
	}
}

static void put_interrupts(const struct reading *before, const struct reading *after,
			   const struct row *row)
{
	/* Too large for a stack. */
	static __u64 taken[INTERRUPTS_MAX];
	const size_t count = interrupts_taken(&before->interrupts, &after->interrupts, row->cpu,
					      taken);

	for (size_t i = 0; i < count; i++)
		if (taken[i])
			put(before, after, row, "interrupts", after->interrupts.names[i], taken[i]);
}

static void put_throttled(const struct reading *before, const struct reading *after, size_t at)
{
	if (!before->throttled || !after->throttled)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(throttled); i++) {
		const struct maybe *from = &before->throttled[at][i];
		const struct maybe *to = &after->throttled[at][i];

		if (from->known && to->known && to->value > from->value)
			put(before, after, watched.rows[at], "throttled", throttled[i],
			    to->value - from->value);
	}
}

/* Two readings of one register, so the program must not have gone to another CPU. */
static void put_registers(const struct reading *before, const struct reading *after)
{
	char path[96], package[16];

	if (before->reader != after->reader)
		return;
	if (before->smi.known && after->smi.known)
		put(before, after, *watched.rows, "smi", "",
		    (__u32)(after->smi.value - before->smi.value));
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/physical_package_id",
		 after->reader);
	if (before->energy.known && after->energy.known && after->unit.known &&
	    sysfs_read_line(path, package, sizeof(package)))
		put(before, after, *watched.rows, "power_mw", package,
		    meanwhile_power_mw(before->energy.value, after->energy.value,
				       ENERGY_UNIT(after->unit.value), after->ns - before->ns));
}

static void read_next(void)
{
	struct reading *before = watched.last;
	struct reading *after = &watched.readings[before == watched.readings];

	read_all(after);
	put_busy(before, after);
	for (size_t i = 0; i < watched.count; i++) {
		put_interrupts(before, after, watched.rows[i]);
		put_throttled(before, after, i);
	}
	put_registers(before, after);
	watched.last = after;
}

static const struct rapl *find_rapl(void)
{
	char vendor[32], model[32];
	__u64 number;

	environment_cpuinfo("vendor_id", vendor, sizeof(vendor));
	environment_cpuinfo("model", model, sizeof(model));
	for (size_t i = 0; i < ARRAY_SIZE(other_units); i++)
		if (!parse_number(model, &number) ||
		    (!strcmp(vendor, rapls[0].vendor) && number == other_units[i]))
			return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(rapls); i++)
		if (!strcmp(vendor, rapls[i].vendor))
			return &rapls[i];
	return NULL;
}

void meanwhile_begin(const struct csv *csv, const struct row * const *rows, size_t count)
{
	if (!csv->file[CSV_STATISTICS])
		return;
	if (!watched.csv)
		watched.rapl = find_rapl();
	watched.csv = csv;
	watched.rows = rows;
	watched.count = count;
	watched.last = watched.readings;
	read_all(watched.last);
}

void meanwhile_update(void)
{
	if (watched.rows && watched.count == 1 && now_ns() - watched.last->ns >= NS_PER_SEC &&
	    sched_getcpu() != (int)watched.rows[0]->cpu)
		read_next();
}

void meanwhile_end(void)
{
	if (!watched.rows)
		return;
	read_next();
	for (size_t i = 0; i < ARRAY_SIZE(watched.readings); i++)
		free_reading(&watched.readings[i]);
	watched.rows = NULL;
}
