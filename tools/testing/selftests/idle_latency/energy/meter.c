// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/perf_event.h>
#include <sys/syscall.h>

#include "meter.h"
#include "prepare.h"

#define POWERCAP	"/sys/class/powercap"
#define POWER_PMU	"/sys/bus/event_source/devices/power"

/* As many updates say how long the time between two is. */
#define CALIBRATION	16

/* Those of perf, and as powercap calls them. */
static const struct {
	const char *event;
	const char *name;
} events[] = {
	{ "energy-pkg", "package" },
	{ "energy-cores", "core" },
	{ "energy-gpu", "uncore" },
	{ "energy-ram", "dram" },
	{ "energy-psys", "psys" },
};

/* Returns whether it could be read. */
static bool read_count(const struct meter *meter, __u64 *count)
{
	char text[32];
	ssize_t size;

	if (meter->unit_nj)
		return read(meter->fd, count, sizeof(*count)) == sizeof(*count);
	size = pread(meter->fd, text, sizeof(text) - 1, 0);
	if (size <= 0)
		return false;
	text[size - 1] = '\0';
	return parse_number(text, count);
}

/* Returns whether it has changed. */
static bool update(struct meter *meter)
{
	__u64 count;

	if (!read_count(meter, &count) || count == meter->last)
		return false;
	meter->total += count - meter->last;
	if (count < meter->last)
		meter->total += meter->range;
	meter->last = count;
	return true;
}

static bool has_name(const struct meters *meters, const char *name)
{
	for (size_t i = 0; i < meters->count; i++)
		if (!strcmp(meters->meter[i].name, name))
			return true;
	return false;
}

static void add(struct meters *meters, const char *name, struct meter meter)
{
	if (meter.fd >= 0 && !has_name(meters, name) && meters->count < METERS_MAX &&
	    read_count(&meter, &meter.last)) {
		snprintf(meter.name, sizeof(meter.name), "%s", name);
		meters->meter[meters->count++] = meter;
	} else if (meter.fd >= 0) {
		close(meter.fd);
	}
}

static void add_zone(struct meters *meters, const char *zone, const char *name)
{
	struct meter meter = { };
	char path[256];

	snprintf(path, sizeof(path), "%s/max_energy_range_uj", zone);
	/* It says the largest value. */
	if (sysfs_read_number(path, &meter.range))
		meter.range++;
	snprintf(path, sizeof(path), "%s/energy_uj", zone);
	meter.fd = open(path, O_RDONLY | O_CLOEXEC);
	add(meters, name, meter);
}

/*
 * "intel-rapl:0" is called "package-0" or "package-0-die-0", or "psys", which is that of all
 * packages; "intel-rapl:0:1" is a part of it.
 */
static void find_zones(const struct package *package, struct meters *meters)
{
	glob_t zones, parts;

	if (glob(POWERCAP "/intel-rapl:*", 0, NULL, &zones))
		return;
	for (size_t i = 0; i < zones.gl_pathc; i++) {
		char path[256], name[32], pattern[256];
		unsigned int number;

		snprintf(path, sizeof(path), "%s/name", zones.gl_pathv[i]);
		if (!sysfs_read_line(path, name, sizeof(name)))
			continue;
		if (!strcmp(name, "psys") && !package->number)
			add_zone(meters, zones.gl_pathv[i], name);
		if (sscanf(name, "package-%u", &number) != 1 || number != package->number)
			continue;
		add_zone(meters, zones.gl_pathv[i], "package");
		snprintf(pattern, sizeof(pattern), "%s:*", zones.gl_pathv[i]);
		if (glob(pattern, 0, NULL, &parts))
			continue;
		for (size_t j = 0; j < parts.gl_pathc; j++) {
			snprintf(path, sizeof(path), "%s/name", parts.gl_pathv[j]);
			if (sysfs_read_line(path, name, sizeof(name)))
				add_zone(meters, parts.gl_pathv[j], name);
		}
		globfree(&parts);
	}
	globfree(&zones);
}

static int open_event(__u64 type, __u64 config, unsigned int cpu)
{
	struct perf_event_attr attr = { .type = type, .size = sizeof(attr), .config = config };

	return syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static void find_events(const struct package *package, struct meters *meters)
{
	__u64 type;

	if (!sysfs_read_number(POWER_PMU "/type", &type))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		struct meter meter = { };
		char path[128], line[64];
		unsigned int config;

		snprintf(path, sizeof(path), POWER_PMU "/events/%s", events[i].event);
		if (!sysfs_read_line(path, line, sizeof(line)) ||
		    sscanf(line, "event=%x", &config) != 1)
			continue;
		snprintf(path, sizeof(path), POWER_PMU "/events/%s.scale", events[i].event);
		if (!sysfs_read_line(path, line, sizeof(line)))
			continue;
		/* The scale is in J. */
		meter.unit_nj = 1e9 * atof(line);
		meter.fd = open_event(type, config, package->cpus.cpu[0]);
		add(meters, events[i].name, meter);
	}
}

static void put_package_first(struct meters *meters)
{
	for (size_t i = 1; i < meters->count; i++) {
		const struct meter meter = meters->meter[i];

		if (strcmp(meter.name, "package"))
			continue;
		meters->meter[i] = meters->meter[0];
		meters->meter[0] = meter;
	}
}

bool meters_open(const struct package *package, struct meters *meters, struct obstacle *obstacle)
{
	static const char * const modules[] = { "intel_rapl_msr", "rapl" };
	char said[160];

	for (size_t i = 0; i < ARRAY_SIZE(modules); i++) {
		char command[64];

		snprintf(command, sizeof(command), "modprobe -q %s", modules[i]);
		command_run(command, said, sizeof(said));
	}
	*meters = (struct meters) { };
	find_zones(package, meters);
	find_events(package, meters);
	put_package_first(meters);
	if (meters->count)
		return true;
	obstacle->reason = "no energy counter: powercap and perf have none for this CPU";
	snprintf(obstacle->said, sizeof(obstacle->said),
		 "take CONFIG_INTEL_RAPL or CONFIG_PERF_EVENTS_INTEL_RAPL; Granite Rapids and Sierra Forest have CONFIG_INTEL_RAPL_TPMI only");
	return false;
}

void meters_close(struct meters *meters)
{
	while (meters->count)
		close(meters->meter[--meters->count].fd);
}

bool meters_next_update(struct meters *meters, struct edge *edges)
{
	const __u64 until_ns = now_ns() + STANDS_STILL_NS;
	size_t missing = 0, all;
	__u64 before_ns;

	for (size_t i = 0; i < meters->count; i++) {
		edges[i] = (struct edge) { };
		missing += !meters->meter[i].still;
		/* What came before is not seen when it comes. */
		update(&meters->meter[i]);
	}
	all = missing;
	before_ns = now_ns();
	while (missing && before_ns < until_ns) {
		for (size_t i = 0; i < meters->count; i++) {
			struct meter *meter = &meters->meter[i];
			bool changed = !meter->still && !edges[i].ns && update(meter);
			__u64 after_ns = now_ns();

			if (changed)
				edges[i] = (struct edge) {
					.ns = before_ns / 2 + after_ns / 2, .nj = meter_nj(meter),
				};
			missing -= changed;
			before_ns = after_ns;
		}
	}
	return all && !missing;
}

void meters_calibrate(struct meters *meters)
{
	struct edge first[METERS_MAX], last[METERS_MAX];

	for (size_t i = 0; i < meters->count; i++)
		meters->meter[i].still = false;
	meters_next_update(meters, first);
	for (size_t i = 0; i < meters->count; i++)
		meters->meter[i].still = !first[i].ns;
	/* Some begin to count only now. */
	meters_next_update(meters, first);
	for (size_t i = 0; i < CALIBRATION; i++)
		meters_next_update(meters, last);
	for (size_t i = 0; i < meters->count; i++)
		if (!meters->meter[i].still)
			meters->period_ns = (last[i].ns - first[i].ns) / (double)CALIBRATION;
}
