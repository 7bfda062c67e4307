/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What of the machine has an effect on the latencies, and has to be known with
 * them: the network card of nic and its link, and whether the CPU wakes up ahead
 * of its timers.
 */
#ifndef ENVIRONMENT_H
#define ENVIRONMENT_H

#include <stdio.h>

#include "options.h"

/* Reports it, and writes it to @file unless that is NULL. */
void environment_report(const struct options *options, FILE *file);

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
