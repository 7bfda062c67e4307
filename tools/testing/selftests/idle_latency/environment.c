// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/idle_latency.h>
#include <linux/pci_regs.h>

#include "card.h"
#include "environment.h"
#include "report.h"
#include "sysfs.h"

/*
 * MSR_POWER_CTL, and the bit that switches timer pre-wake off on the CPUs that
 * have it: what "--cstate-prewake" of Intel's pepc changes.
 */
#define MSR_POWER_CTL		0x1fc
#define POWER_CTL_NO_PREWAKE	30

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

const char *environment_prewake(__u64 power_ctl)
{
	return power_ctl >> POWER_CTL_NO_PREWAKE & 1 ? "off" :
						       "on, where the CPU has it";
}

static void say(FILE *file, const char *line)
{
	report_line("%s", line);
	if (file)
		fprintf(file, "%s\n", line);
}

static const char *read_aspm(const char *address)
{
	unsigned char config[PCI_CFG_SPACE_SIZE];
	char path[PATH_MAX];
	ssize_t size;
	int fd, link_control;

	snprintf(path, sizeof(path), CARD_DRIVER "/%s/config", address);
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
	if (!sysfs_read_line(path, text, size))
		snprintf(text, size, "unknown");
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
	char address[32], device[16], cpus[64];
	char real[PATH_MAX], line[PATH_MAX + 256];

	if (!card_find(address, sizeof(address)))
		return;
	read_attribute(address, "device", device, sizeof(device));
	read_attribute(address, "local_cpulist", cpus, sizeof(cpus));
	snprintf(line, sizeof(line), "nic: card %s, device %s, near CPUs %s, ASPM %s, path %s",
		 address, device, cpus, read_aspm(address),
		 read_path(address, real));
	say(file, line);
}

static void describe_cpu(unsigned int cpu, FILE *file)
{
	char path[64], line[128];
	__u64 power_ctl;
	bool known;
	int fd;

	snprintf(path, sizeof(path), "/dev/cpu/%u/msr", cpu);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	known = fd >= 0 &&
		pread(fd, &power_ctl, sizeof(power_ctl), MSR_POWER_CTL) ==
			sizeof(power_ctl);
	if (fd >= 0)
		close(fd);
	snprintf(line, sizeof(line), "cpu%u: timer pre-wake %s", cpu,
		 known ? environment_prewake(power_ctl) : "not readable");
	say(file, line);
}

void environment_report(const struct options *options, FILE *file)
{
	if (options->methods & 1u << IDLE_LATENCY_SOURCE_NIC)
		describe_card(file);
	for (size_t i = 0; i < options->cpus.count; i++)
		describe_cpu(options->cpus.cpu[i], file);
}
