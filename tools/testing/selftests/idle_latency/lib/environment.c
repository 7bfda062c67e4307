// SPDX-License-Identifier: GPL-2.0
/* What of the machine has an effect on the latencies. */
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/utsname.h>

#include <linux/pci_regs.h>

#include "environment.h"
#include "report.h"

#define SYS_CPU		"/sys/devices/system/cpu"

/* Far above the number of capabilities that fit into 192 bytes. */
#define CAPABILITIES_MAX	48

const char *environment_aspm(unsigned int link_control)
{
	static const char * const names[] = { "off", "L0s", "L1", "L0s and L1" };

	return names[link_control & PCI_EXP_LNKCTL_ASPMC];
}

static unsigned int get_u16(const unsigned char *config, unsigned int offset)
{
	return config[offset] | config[offset + 1] << 8;
}

int environment_link_control(const unsigned char *config, size_t size)
{
	unsigned int offset;

	if (size < PCI_CFG_SPACE_SIZE || !(get_u16(config, PCI_STATUS) & PCI_STATUS_CAP_LIST))
		return -1;
	offset = config[PCI_CAPABILITY_LIST] & ~3;
	for (int i = 0; i < CAPABILITIES_MAX && offset; i++) {
		if (config[offset] == PCI_CAP_ID_EXP &&
		    offset + PCI_EXP_LNKCTL + 1 < PCI_CFG_SPACE_SIZE)
			return get_u16(config, offset + PCI_EXP_LNKCTL);
		offset = config[offset + PCI_CAP_LIST_NEXT] & ~3;
	}
	return -1;
}

bool environment_command_line_matters(const char *line)
{
	return strstr(line, "idle") || strstr(line, "max_cstate");
}

void environment_say(FILE *file, bool is_shown, const char *format, ...)
{
	char line[PATH_MAX + 256];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (is_shown)
		report_line("%s", line);
	if (file)
		fprintf(file, "%s\n", line);
}

/* What need not be seen beside the latencies. */
#define note(file, ...) environment_say(file, false, __VA_ARGS__)

void environment_cpuinfo(const char *field, char *value, size_t size)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	const char *found = NULL;
	char *line = NULL;
	size_t room = 0;

	while (file && !found && getline(&line, &room, file) > 0)
		found = parse_field(line, field);
	found = found ?: "unknown";
	snprintf(value, size, "%.*s", (int)strcspn(found, "\n"), found);
	free(line);
	if (file)
		fclose(file);
}

const char *environment_link(const char *address)
{
	unsigned char config[PCI_CFG_SPACE_SIZE];
	char path[PATH_MAX];
	ssize_t size;
	int fd, link_control;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/config", address);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return "not readable";
	size = read(fd, config, sizeof(config));
	close(fd);
	link_control = environment_link_control(config, size < 0 ? 0 : size);
	return link_control < 0 ? "without a link" : environment_aspm(link_control);
}

/* The bridges between the CPU's package and the card. */
static const char *read_path(const char *address, char real[PATH_MAX])
{
	static const char above[] = "/sys/devices/";
	char path[PATH_MAX];

	snprintf(path, sizeof(path), CARD_DRIVER "/%s", address);
	if (!realpath(path, real) || strncmp(real, above, strlen(above)))
		return "unknown";
	return real + strlen(above);
}

static void describe_card(FILE *file)
{
	char address[32], path[128], device[16], cpus[64], real[PATH_MAX];

	if (!card_find(address, sizeof(address)))
		return;
	snprintf(path, sizeof(path), CARD_DRIVER "/%s/device", address);
	sysfs_read_text(path, device, sizeof(device));
	snprintf(path, sizeof(path), CARD_DRIVER "/%s/local_cpulist", address);
	sysfs_read_text(path, cpus, sizeof(cpus));
	environment_line(file, "nic: card %s, device %s, near CPUs %s, ASPM %s, path %s",
			 address, device, cpus, environment_link(address),
			 read_path(address, real));
}

static void describe_kernel(FILE *file)
{
	struct utsname name;

	if (uname(&name)) {
		note(file, "kernel: unknown");
		return;
	}
	note(file, "kernel: %s", name.release);
	note(file, "kernel version: %s", name.version);
	note(file, "architecture: %s", name.machine);
}

static void describe_command_line(FILE *file)
{
	char line[4096];

	sysfs_read_text("/proc/cmdline", line, sizeof(line));
	environment_say(file, environment_command_line_matters(line), "command line: %s", line);
}

static void describe_hypervisor(FILE *file)
{
	char flags[8192], type[64];

	environment_cpuinfo("flags", flags, sizeof(flags));
	if (strstr(flags, " hypervisor")) {
		sysfs_read_text("/sys/hypervisor/type", type, sizeof(type));
		environment_line(file, "hypervisor: yes, type %s", type);
	} else {
		note(file, "hypervisor: %s", strcmp(flags, "unknown") ? "none" : flags);
	}
}

static const char *read_turbo(void)
{
	__u64 value;

	if (sysfs_read_number(SYS_CPU "/intel_pstate/no_turbo", &value))
		return value ? "off" : "on";
	if (sysfs_read_number(SYS_CPU "/cpufreq/boost", &value))
		return value ? "on" : "off";
	return "unknown";
}

static void describe_dma_latency(FILE *file)
{
	int fd = open("/dev/cpu_dma_latency", O_RDONLY | O_CLOEXEC);
	__s32 latency_us;

	if (fd >= 0 && read(fd, &latency_us, sizeof(latency_us)) == sizeof(latency_us))
		note(file, "cpu_dma_latency: %d us", latency_us);
	else
		note(file, "cpu_dma_latency: unknown");
	if (fd >= 0)
		close(fd);
}

struct source {
	const char *key;
	/* of a file, or of a field of /proc/cpuinfo */
	const char *name;
};

/*
 * @begin: what comes before the key of each
 * @dir: NULL where they are fields
 */
static void describe_sources(FILE *file, const char *begin, const char *dir,
			     const struct source *sources, size_t count)
{
	char path[128], text[4096];

	for (size_t i = 0; i < count; i++) {
		if (dir) {
			snprintf(path, sizeof(path), "%s/%s", dir, sources[i].name);
			sysfs_read_text(path, text, sizeof(text));
		} else {
			environment_cpuinfo(sources[i].name, text, sizeof(text));
		}
		note(file, "%s%s %s", begin, sources[i].key, text);
	}
}

static void describe_machine(FILE *file)
{
	static const struct source fields[] = {
		{ "CPU vendor:", "vendor_id" },
		{ "CPU model:", "model name" },
		{ "CPU family:", "cpu family" },
		{ "CPU model number:", "model" },
		{ "CPU stepping:", "stepping" },
		{ "microcode:", "microcode" },
	};
	static const struct source files[] = {
		{ "cpuidle driver:", "devices/system/cpu/cpuidle/current_driver" },
		{ "cpuidle governor:", "devices/system/cpu/cpuidle/current_governor" },
		{ "intel_c1_demotion:", "devices/system/cpu/cpuidle/intel_c1_demotion" },
		{ "intel_idle.max_cstate:", "module/intel_idle/parameters/max_cstate" },
		{ "intel_idle.states_off:", "module/intel_idle/parameters/states_off" },
		{ "intel_idle.ibrs_off:", "module/intel_idle/parameters/ibrs_off" },
		{ "intel_idle.table:", "module/intel_idle/parameters/table" },
		{ "SMT control:", "devices/system/cpu/smt/control" },
		{ "online CPUs:", "devices/system/cpu/online" },
		{ "isolated CPUs:", "devices/system/cpu/isolated" },
		{ "nohz_full CPUs:", "devices/system/cpu/nohz_full" },
		{ "clocksource:", "devices/system/clocksource/clocksource0/current_clocksource" },
		{ "machine vendor:", "class/dmi/id/sys_vendor" },
		{ "machine product:", "class/dmi/id/product_name" },
		{ "BIOS vendor:", "class/dmi/id/bios_vendor" },
		{ "BIOS version:", "class/dmi/id/bios_version" },
		{ "BIOS date:", "class/dmi/id/bios_date" },
	};

	describe_sources(file, "", NULL, fields, ARRAY_SIZE(fields));
	describe_hypervisor(file);
	describe_sources(file, "", "/sys", files, ARRAY_SIZE(files));
	note(file, "turbo: %s", read_turbo());
	describe_dma_latency(file);
}

static void describe_registers(unsigned int cpu, FILE *file)
{
	static const unsigned int msrs[] = { MSR_POWER_CTL, MSR_PKG_CST_CONFIG_CONTROL };
	const char *obstacle;
	__u64 value;

	for (unsigned int i = 0; i < POWER_SETTINGS; i++)
		environment_say(file, i == POWER_PREWAKE, "cpu%u: %s %s", cpu, power_name(i),
				power_value(cpu, i));
	for (size_t i = 0; i < ARRAY_SIZE(msrs); i++) {
		obstacle = power_msr_read(cpu, msrs[i], &value);
		if (obstacle)
			note(file, "cpu%u: MSR 0x%x %s", cpu, msrs[i], obstacle);
		else
			note(file, "cpu%u: MSR 0x%x 0x%llx", cpu, msrs[i], value);
	}
}

static void describe_cpu(unsigned int cpu, FILE *file)
{
	static const struct source files[] = {
		{ "package id", "topology/physical_package_id" },
		{ "core id", "topology/core_id" },
		{ "SMT siblings", "topology/thread_siblings_list" },
		{ "cpufreq driver", "cpufreq/scaling_driver" },
		{ "cpufreq governor", "cpufreq/scaling_governor" },
		{ "EPB", "power/energy_perf_bias" },
		{ "EPP", "cpufreq/energy_performance_preference" },
		{ "pm_qos_resume_latency_us", "power/pm_qos_resume_latency_us" },
	};
	char begin[16], dir[64];
	struct idle_states states;

	snprintf(begin, sizeof(begin), "cpu%u: ", cpu);
	snprintf(dir, sizeof(dir), SYS_CPU "/cpu%u", cpu);
	describe_sources(file, begin, dir, files, ARRAY_SIZE(files));
	describe_registers(cpu, file);
	if (!cpuidle_states(cpu, &states))
		note(file, "%sstates unknown", begin);
	for (size_t i = 0; i < states.count; i++) {
		char path[64], desc[64] = "";

		snprintf(path, sizeof(path), SYS_CPU "/cpu%u/cpuidle/state%zu/desc", cpu, i);
		sysfs_read_line(path, desc, sizeof(desc));
		note(file, "%sstate%zu %s, exit latency %llu us, target residency %llu us, desc %s",
		     begin, i, states.state[i].name, states.state[i].latency_us,
		     states.state[i].residency_us, desc);
	}
}

void environment_report(const struct options *options, FILE *file)
{
	environment_provenance(options, file);
	describe_kernel(file);
	describe_command_line(file);
	describe_machine(file);
	if (options->methods & 1u << IDLE_LATENCY_SOURCE_NIC)
		describe_card(file);
	for (size_t i = 0; i < options->cpus.count; i++)
		describe_cpu(options->cpus.cpu[i], file);
}
