// SPDX-License-Identifier: GPL-2.0
/* What the firmware allows the idle states of Intel CPUs, in MSRs. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "environment.h"

/* By the bits of MSR_PKG_CST_CONFIG_CONTROL that hold the limit. */
enum { IVY_BRIDGE, HASWELL_EP, SERVER, GRANITE_RAPIDS, ALDER_LAKE };
static const char * const limits[][16] = {
	[IVY_BRIDGE] = { "PC0", "PC2", "PC6 without retention", "PC6 with retention", "PC7",
			 "PC7s", NULL, "none" },
	[HASWELL_EP] = { "PC0", "PC2", "PC3", "PC6", [7] = "none" },
	[SERVER] = { "PC0", "PC2", "PC6 without retention", "PC6 with retention", [7] = "none" },
	[GRANITE_RAPIDS] = { "PC0", "PC2", "PC6", [7] = "none" },
	[ALDER_LAKE] = { "PC0", "PC2", "PC3", "PC6", "PC7", "PC7s", "PC8", "PC9", "none" },
};

struct power_model {
	unsigned int model;
	unsigned int mask;
	const char * const *limits;
};

/* Of family 6; names as in arch/x86/include/asm/intel-family.h */
static const struct power_model models[] = {
	{ 0x3a, 0x7, limits[IVY_BRIDGE] },	/* IVYBRIDGE */
	{ 0x3c, 0xf, limits[ALDER_LAKE] },	/* HASWELL */
	{ 0x4e, 0xf, limits[ALDER_LAKE] },	/* SKYLAKE_L */
	{ 0x5e, 0xf, limits[ALDER_LAKE] },	/* SKYLAKE */
	{ 0x8e, 0xf, limits[ALDER_LAKE] },	/* KABYLAKE_L */
	{ 0x9e, 0xf, limits[ALDER_LAKE] },	/* KABYLAKE */
	{ 0x3e, 0x7, limits[SERVER] },	/* IVYBRIDGE_X */
	{ 0x3f, 0x7, limits[HASWELL_EP] },	/* HASWELL_X */
	{ 0x4f, 0x7, limits[HASWELL_EP] },	/* BROADWELL_X */
	{ 0x55, 0x7, limits[SERVER] },	/* SKYLAKE_X */
	{ 0x6a, 0x7, limits[GRANITE_RAPIDS] },	/* ICELAKE_X */
	{ 0x8f, 0x7, limits[SERVER] },	/* SAPPHIRERAPIDS_X */
	{ 0xcf, 0x7, limits[SERVER] },	/* EMERALDRAPIDS_X */
	{ 0xad, 0x7, limits[GRANITE_RAPIDS] },	/* GRANITERAPIDS_X */
	{ 0xae, 0x7, limits[GRANITE_RAPIDS] },	/* GRANITERAPIDS_D */
	{ 0xaf, 0x7, limits[GRANITE_RAPIDS] },	/* ATOM_CRESTMONT_X */
	{ 0xdd, 0x7, limits[GRANITE_RAPIDS] },	/* ATOM_DARKMONT_X */
	{ 0x97, 0xf, limits[ALDER_LAKE] },	/* ALDERLAKE */
	{ 0x9a, 0xf, limits[ALDER_LAKE] },	/* ALDERLAKE_L */
	{ 0xaa, 0xf, limits[ALDER_LAKE] },	/* METEORLAKE_L */
	{ 0xcc, 0xf, limits[ALDER_LAKE] },	/* PANTHERLAKE_L */
};

const struct power_model *power_model(const char *vendor, const char *family, const char *model)
{
	__u64 number;

	if (strcmp(vendor, "GenuineIntel") || strcmp(family, "6") || !parse_number(model, &number))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(models); i++)
		if (models[i].model == number)
			return &models[i];
	return NULL;
}

const char *power_msr_read(unsigned int cpu, unsigned int msr, __u64 *value)
{
	char path[64];
	ssize_t size;
	int fd;

	snprintf(path, sizeof(path), "/dev/cpu/%u/msr", cpu);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return "not readable: load the module msr";
	size = pread(fd, value, sizeof(*value), msr);
	close(fd);
	return size == sizeof(*value) ? NULL : "unknown";
}

static const struct {
	const char *name;
	unsigned int msr;
	/* the only one, or the lowest */
	unsigned int bit;
} settings[] = {
	[POWER_PREWAKE] = { "timer pre-wake", MSR_POWER_CTL, POWER_CTL_NO_PREWAKE },
	[POWER_C1E_PROMOTION] = { "C1E promotion", MSR_POWER_CTL, POWER_CTL_C1E_PROMOTION },
	[POWER_C1_DEMOTION] = { "C1 demotion", MSR_PKG_CST_CONFIG_CONTROL, CST_CONFIG_C1_DEMOTION },
	[POWER_C3_DEMOTION] = { "C3 demotion", MSR_PKG_CST_CONFIG_CONTROL, CST_CONFIG_C3_DEMOTION },
	[POWER_PACKAGE_LIMIT] = { "package C-state limit", MSR_PKG_CST_CONFIG_CONTROL, 0 },
};

const char *power_name(enum power_setting setting)
{
	return settings[setting].name;
}

const char *power_meaning(const struct power_model *model, enum power_setting setting, __u64 value)
{
	const bool is_set = value >> settings[setting].bit & 1;

	if (setting == POWER_PREWAKE)
		return is_set ? "off" : "on, where the CPU has it";
	if (!model)
		return "unknown";
	if (setting == POWER_PACKAGE_LIMIT)
		return model->limits[value & model->mask] ?: "unknown";
	return is_set ? "on" : "off";
}

const char *power_value(unsigned int cpu, enum power_setting setting)
{
	char vendor[32], family[32], model[32];
	const char *obstacle;
	__u64 value;

	obstacle = power_msr_read(cpu, settings[setting].msr, &value);
	if (obstacle)
		return obstacle;
	environment_cpuinfo("vendor_id", vendor, sizeof(vendor));
	environment_cpuinfo("cpu family", family, sizeof(family));
	environment_cpuinfo("model", model, sizeof(model));
	return power_meaning(power_model(vendor, family, model), setting, value);
}
