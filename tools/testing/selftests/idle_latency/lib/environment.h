/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What of the machine has an effect on the latencies, and has to be known with
 * them. One thing per line, as "key: value"; the key of what is said of one CPU is
 * its name.
 */
#ifndef ENVIRONMENT_H
#define ENVIRONMENT_H

#include <stdio.h>

#include "kselftest.h"
#include "options.h"

/*
 * Writes all of it to @file unless that is NULL, and reports what has to be seen
 * beside the latencies.
 */
void environment_report(const struct options *options, FILE *file);

/* Reports a line, and writes it to @file unless that is NULL. */
__printf(2, 3) void environment_line(FILE *file, const char *format, ...);

/* Whether a command line of the kernel has to do with idle states. */
bool environment_command_line_matters(const char *line);

/* ASPM states that the link control register allows: its bits 0 and 1. */
const char *environment_aspm(unsigned int link_control);

/*
 * Returns the link control register in the configuration space of a PCI device,
 * or -1 when it has none.
 */
int environment_link_control(const unsigned char *config, size_t size);

/* Timer pre-wake as MSR_POWER_CTL says. */
const char *environment_prewake(__u64 power_ctl);

#endif
