/* SPDX-License-Identifier: GPL-2.0 */
/* The machine beside the latencies. */
#ifndef ENVIRONMENT_H
#define ENVIRONMENT_H

#include "options.h"

struct row;
struct timex;

/*
 * What of the machine has an effect on the latencies, and has to be known with
 * them. One thing per line, as "key: value"; the key of what is said of one CPU is
 * its name. Writes all of it to @file unless that is NULL, and reports what has to be
 * seen beside the latencies.
 */
void environment_report(const struct options *options, FILE *file);

/*
 * The same of when and by what it was measured: what somebody needs to measure the same again.
 * environment_report() has it.
 */
void environment_provenance(const struct options *options, FILE *file);

/*
 * What may have changed when all is measured.
 * @duration_ns: how long that took
 */
void environment_after(const struct options *options, __u64 duration_ns, FILE *file);

/*
 * How the interrupt of the card gets to a CPU. Only a session shows it.
 * @row: the awake CPU, by nic
 */
void environment_card(int fd, const struct row *row, FILE *file);

/* All arguments, quoted for a shell, but for --out: that is where they are written. */
void environment_arguments(const char * const *arguments, char *memory, size_t size);

/* What adjtimex(2) says of the clock. */
void environment_clock(const struct timex *clock, char *memory, size_t size);

/*
 * Whether somebody changed its rate, by so much that a launch distance is another one, or its
 * status in between; if so, by how much.
 */
bool environment_clock_moved(const struct timex *before, const struct timex *after,
			     char *memory, size_t size);

/* Writes a line to @file unless that is NULL, and reports it where it has to be seen. */
__printf(3, 4) void environment_say(FILE *file, bool is_shown, const char *format, ...);

#define environment_line(file, ...) environment_say(file, true, __VA_ARGS__)
/* Of one CPU: it is in the file only where there are many. */
#define environment_cpu(file, ...) environment_say(file, report_each_cpu(), __VA_ARGS__)

/* A field of the first CPU in /proc/cpuinfo; "unknown" where there is none. */
void environment_cpuinfo(const char *field, char *value, size_t size);

/* Whether a command line of the kernel has to do with idle states. */
bool environment_command_line_matters(const char *line);

/* ASPM states that the link control register allows: its bits 0 and 1. */
const char *environment_aspm(unsigned int link_control);

/* ASPM states of the link of a PCI device. */
const char *environment_link(const char *address);

/*
 * Returns the link control register in the configuration space of a PCI device,
 * or -1 when it has none.
 */
int environment_link_control(const unsigned char *config, size_t size);

/* What the firmware allows the idle states of Intel CPUs, in MSRs. */

#define MSR_PKG_CST_CONFIG_CONTROL	0xe2
#define CST_CONFIG_C3_DEMOTION		25
#define CST_CONFIG_C1_DEMOTION		26

#define MSR_POWER_CTL			0x1fc
#define POWER_CTL_C1E_PROMOTION		1
/* Set: off. What "--cstate-prewake" of Intel's pepc changes. */
#define POWER_CTL_NO_PREWAKE		30

enum power_setting {
	POWER_PREWAKE,
	POWER_C1E_PROMOTION,
	POWER_C1_DEMOTION,
	POWER_C3_DEMOTION,
	/* the deepest package state */
	POWER_PACKAGE_LIMIT,
	POWER_SETTINGS
};

const char *power_name(enum power_setting setting);

/*
 * Whether the bits above, but for the one of pre-wake, are known to mean this on a CPU: the model,
 * or NULL. All three as /proc/cpuinfo has them.
 */
const struct power_model *power_model(const char *vendor, const char *family, const char *model);

/* What the MSR of a setting says on a model, in a word or two such as "on". */
const char *power_meaning(const struct power_model *model, enum power_setting setting, __u64 value);

/* The same of a CPU, or why that is unknown. */
const char *power_value(unsigned int cpu, enum power_setting setting);

/* Returns NULL, or why the MSR of the CPU has no value. */
const char *power_msr_read(unsigned int cpu, unsigned int msr, __u64 *value);

#endif
