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

#define CPUINFO		"/proc/cpuinfo"
#define SYS_CPU		"/sys/devices/system/cpu"
#define CLOCKSOURCE	"/sys/devices/system/clocksource/clocksource0"
#define PCI_DEVICES	"/sys/bus/pci/devices"
#define INTEL_IDLE	"/sys/module/intel_idle/parameters"

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

	if (size < PCI_CFG_SPACE_SIZE ||
	    !(get_u16(config, PCI_STATUS) & PCI_STATUS_CAP_LIST))
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

void environment_line(FILE *file, const char *format, ...)
{
	char line[PATH_MAX + 256];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	report_line("%s", line);
	if (file)
		fprintf(file, "%s\n", line);
}

/* Writes what need not be seen beside the latencies. */
static __printf(2, 3) void note(FILE *file, const char *format, ...)
{
	va_list args;

	if (!file)
		return;
	va_start(args, format);
	vfprintf(file, format, args);
	va_end(args);
	fputc('\n', file);
}

static void read_cpuinfo(const char *field, char *value, size_t size)
{
	if (!sysfs_read_field(CPUINFO, field, value, size))
		snprintf(value, size, "unknown");
}

const char *environment_link(const char *address)
{
	unsigned char config[PCI_CFG_SPACE_SIZE];
	char path[PATH_MAX];
	ssize_t size;
	int fd, link_control;

	snprintf(path, sizeof(path), PCI_DEVICES "/%s/config", address);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return "not readable";
	size = read(fd, config, sizeof(config));
	close(fd);
	link_control = environment_link_control(config, size < 0 ? 0 : size);
	return link_control < 0 ? "without a link" : environment_aspm(link_control);
}

static void read_attribute(const char *address, const char *name, char *text,
			   size_t size)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), CARD_DRIVER "/%s/%s", address, name);
	sysfs_read_text(path, text, size);
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
	char address[32], device[16], cpus[64], real[PATH_MAX];

	if (!card_find(address, sizeof(address)))
		return;
	read_attribute(address, "device", device, sizeof(device));
	read_attribute(address, "local_cpulist", cpus, sizeof(cpus));
	environment_line(file,
			 "nic: card %s, device %s, near CPUs %s, ASPM %s, path %s",
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
	if (environment_command_line_matters(line))
		environment_line(file, "command line: %s", line);
	else
		note(file, "command line: %s", line);
}

/* Of the first CPU that is online; the others are of the same model. */
static void describe_model(FILE *file)
{
	static const struct {
		const char *key;
		const char *field;
	} fields[] = {
		{ "CPU vendor", "vendor_id" },
		{ "CPU model", "model name" },
		{ "CPU family", "cpu family" },
		{ "CPU model number", "model" },
		{ "CPU stepping", "stepping" },
		{ "microcode", "microcode" },
	};
	char value[128];

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		read_cpuinfo(fields[i].field, value, sizeof(value));
		note(file, "%s: %s", fields[i].key, value);
	}
}

static void describe_hypervisor(FILE *file)
{
	char flags[8192], type[64];

	read_cpuinfo("flags", flags, sizeof(flags));
	if (!strstr(flags, " hypervisor")) {
		note(file, "hypervisor: %s",
		     strcmp(flags, "unknown") ? "none" : flags);
		return;
	}
	sysfs_read_text("/sys/hypervisor/type", type, sizeof(type));
	environment_line(file, "hypervisor: yes, type %s", type);
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

	if (fd >= 0 &&
	    read(fd, &latency_us, sizeof(latency_us)) == sizeof(latency_us))
		note(file, "cpu_dma_latency: %d us", latency_us);
	else
		note(file, "cpu_dma_latency: unknown");
	if (fd >= 0)
		close(fd);
}

static void describe_machine(FILE *file)
{
	static const struct {
		const char *key;
		const char *path;
	} files[] = {
		{ "cpuidle driver", SYS_CPU "/cpuidle/current_driver" },
		{ "cpuidle governor", SYS_CPU "/cpuidle/current_governor" },
		{ "intel_c1_demotion", SYS_CPU "/cpuidle/intel_c1_demotion" },
		{ "intel_idle.max_cstate", INTEL_IDLE "/max_cstate" },
		{ "intel_idle.states_off", INTEL_IDLE "/states_off" },
		{ "intel_idle.table", INTEL_IDLE "/table" },
		{ "SMT control", SYS_CPU "/smt/control" },
		{ "online CPUs", SYS_CPU "/online" },
		{ "isolated CPUs", SYS_CPU "/isolated" },
		{ "nohz_full CPUs", SYS_CPU "/nohz_full" },
		{ "clocksource", CLOCKSOURCE "/current_clocksource" },
	};
	char text[4096];

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		sysfs_read_text(files[i].path, text, sizeof(text));
		note(file, "%s: %s", files[i].key, text);
	}
	note(file, "turbo: %s", read_turbo());
	describe_dma_latency(file);
}

static void describe_cpu_files(unsigned int cpu, FILE *file)
{
	static const struct {
		const char *name;
		const char *path;
	} files[] = {
		{ "package id", "topology/physical_package_id" },
		{ "core id", "topology/core_id" },
		{ "SMT siblings", "topology/thread_siblings_list" },
		{ "cpufreq driver", "cpufreq/scaling_driver" },
		{ "cpufreq governor", "cpufreq/scaling_governor" },
		{ "EPB", "power/energy_perf_bias" },
		{ "EPP", "cpufreq/energy_performance_preference" },
		{ "pm_qos_resume_latency_us", "power/pm_qos_resume_latency_us" },
	};
	char path[128], text[4096];

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(path, sizeof(path), SYS_CPU "/cpu%u/%s", cpu,
			 files[i].path);
		sysfs_read_text(path, text, sizeof(text));
		note(file, "cpu%u: %s %s", cpu, files[i].name, text);
	}
}

static void describe_msr(unsigned int cpu, unsigned int msr, FILE *file)
{
	const char *obstacle;
	__u64 value;

	obstacle = power_msr_read(cpu, msr, &value);
	if (obstacle)
		note(file, "cpu%u: MSR 0x%x %s", cpu, msr, obstacle);
	else
		note(file, "cpu%u: MSR 0x%x 0x%llx", cpu, msr, value);
}

static void describe_settings(unsigned int cpu, FILE *file)
{
	struct power_settings settings;

	power_settings_read(cpu, &settings);
	environment_line(file, "cpu%u: timer pre-wake %s", cpu,
			 settings.prewake);
	note(file, "cpu%u: C1E promotion %s", cpu, settings.c1e_promotion);
	note(file, "cpu%u: C1 demotion %s", cpu, settings.c1_demotion);
	note(file, "cpu%u: C3 demotion %s", cpu, settings.c3_demotion);
	note(file, "cpu%u: package C-state limit %s", cpu,
	     settings.package_limit);
}

static void describe_states(unsigned int cpu, FILE *file)
{
	struct idle_states states;

	if (!cpuidle_states(cpu, &states))
		note(file, "cpu%u: states unknown", cpu);
	for (size_t i = 0; i < states.count; i++)
		note(file,
		     "cpu%u: state%zu %s, exit latency %llu us, target residency %llu us",
		     cpu, i, states.state[i].name, states.state[i].latency_us,
		     states.state[i].residency_us);
}

static void describe_cpu(unsigned int cpu, FILE *file)
{
	describe_cpu_files(cpu, file);
	describe_settings(cpu, file);
	describe_msr(cpu, MSR_POWER_CTL, file);
	describe_msr(cpu, MSR_PKG_CST_CONFIG_CONTROL, file);
	describe_states(cpu, file);
}

void environment_report(const struct options *options, FILE *file)
{
	describe_kernel(file);
	describe_command_line(file);
	describe_model(file);
	describe_hypervisor(file);
	describe_machine(file);
	if (options->methods & 1u << IDLE_LATENCY_SOURCE_NIC)
		describe_card(file);
	for (size_t i = 0; i < options->cpus.count; i++)
		describe_cpu(options->cpus.cpu[i], file);
}
