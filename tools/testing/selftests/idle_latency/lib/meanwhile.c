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

/* A register that may not be there. */
struct msr {
	bool known;
	__u64 value;
};

/* Too large for a stack. */
struct reading {
	__u64 ns;
	/* the CPU that has read it */
	int reader;
	struct cpu_time times[CPU_LIST_MAX];
	struct interrupts interrupts;
	struct msr smi, unit, energy;
	__u64 throttled[ARRAY_SIZE(throttled)];
};

static struct {
	const struct csv *csv;
	/* NULL: none is measured */
	const struct row *row;
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

static struct msr read_msr(const struct reading *reading, unsigned int number)
{
	struct msr msr = { };

	msr.known = reading->reader >= 0 && !power_msr_read(reading->reader, number, &msr.value);
	return msr;
}

/* These counts are memory of the kernel, too: the CPU gets an interrupt for each. */
static void read_throttled(unsigned int cpu, struct reading *reading)
{
	char path[128];

	for (size_t i = 0; i < ARRAY_SIZE(throttled); i++) {
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%u/thermal_throttle/%s_throttle_count",
			 cpu, throttled[i]);
		if (!sysfs_read_number(path, &reading->throttled[i]))
			reading->throttled[i] = 0;
	}
}

static void read_all(unsigned int cpu, struct reading *reading)
{
	reading->ns = now_ns();
	reading->reader = sched_getcpu();
	causes_read_times(reading->times);
	interrupts_read(cpu, &reading->interrupts);
	read_throttled(cpu, reading);
	reading->smi = read_msr(reading, MSR_SMI_COUNT);
	if (!watched.rapl)
		return;
	reading->unit = read_msr(reading, watched.rapl->unit_msr);
	reading->energy = read_msr(reading, watched.rapl->energy_msr);
}

static void put(const struct reading *before, const struct reading *after, const char *what,
		const char *of, __u64 value)
{
	const struct statistic statistic = {
		.row = watched.row,
		.read_ns = after->ns,
		.interval_ns = after->ns - before->ns,
		.what = what,
		.of = of,
		.value = value,
	};

	csv_statistic(watched.csv, &statistic);
}

static void put_busy(const struct reading *before, const struct reading *after)
{
	char of[16];

	for (unsigned int i = 0; i < CPU_LIST_MAX; i++) {
		__u64 percent = meanwhile_busy_pct(&before->times[i], &after->times[i]);

		if (!percent || i == watched.row->cpu)
			continue;
		snprintf(of, sizeof(of), "%u", i);
		put(before, after, "busy_pct", of, percent);
	}
}

static void put_interrupts(const struct reading *before, const struct reading *after)
{
	const struct interrupts *interrupts = &after->interrupts;

	for (size_t i = 0; i < interrupts->count; i++) {
		__u64 count = interrupts_taken(&before->interrupts, interrupts, i);

		if (count)
			put(before, after, "interrupts", interrupts->interrupt[i].name, count);
	}
}

/* Two readings of one register, so the program must not have gone to another CPU. */
static void put_registers(const struct reading *before, const struct reading *after)
{
	char path[96], package[16];

	if (before->reader != after->reader)
		return;
	if (before->smi.known && after->smi.known)
		put(before, after, "smi", "", (__u32)(after->smi.value - before->smi.value));
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/physical_package_id",
		 after->reader);
	if (before->energy.known && after->energy.known && after->unit.known &&
	    sysfs_read_line(path, package, sizeof(package)))
		put(before, after, "power_mw", package,
		    meanwhile_power_mw(before->energy.value, after->energy.value,
				       ENERGY_UNIT(after->unit.value), after->ns - before->ns));
}

static void read_next(void)
{
	struct reading *before = watched.last;
	struct reading *after = &watched.readings[before == watched.readings];

	read_all(watched.row->cpu, after);
	put_busy(before, after);
	put_interrupts(before, after);
	for (size_t i = 0; i < ARRAY_SIZE(throttled); i++)
		if (after->throttled[i] > before->throttled[i])
			put(before, after, "throttled", throttled[i],
			    after->throttled[i] - before->throttled[i]);
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

void meanwhile_begin(const struct csv *csv, const struct row *row)
{
	if (!csv->file[CSV_STATISTICS])
		return;
	if (!watched.csv)
		watched.rapl = find_rapl();
	watched.csv = csv;
	watched.row = row;
	watched.last = watched.readings;
	read_all(row->cpu, watched.last);
}

void meanwhile_update(void)
{
	if (watched.row && now_ns() - watched.last->ns >= NS_PER_SEC &&
	    sched_getcpu() != (int)watched.row->cpu)
		read_next();
}

void meanwhile_end(void)
{
	if (watched.row)
		read_next();
	watched.row = NULL;
}
