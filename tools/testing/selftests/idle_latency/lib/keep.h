/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The condition in which the machine is measured, which /dev/idle_latency_keep keeps: settings of
 * the processor for the whole run, and CPUs that are held in the state of a row. All of it is
 * put back when the program ends, however it does.
 */
#ifndef KEEP_H
#define KEEP_H

#include "plan.h"

struct obstacle;

struct keep {
	/* of the device; -1 where nothing is to be kept */
	int fd;
	/* the settings that the device keeps, as IDLE_LATENCY_SETTING_* bits */
	__u32 settings;
};

/*
 * To be called before the states of CPUs are read, as the settings are a part of these. Returns
 * false, and why not, where the machine does not take what is asked for.
 */
bool keep_begin(struct keep *keep, const struct options *options, struct obstacle *obstacle);
void keep_end(struct keep *keep);

/* The other online CPUs of the scope that the CPU is in. Returns whether there are any. */
bool keep_others(enum hold hold, unsigned int cpu, struct cpu_list *others);

/*
 * What measuring a row takes: the settings are still there, and the CPUs that it wants to be held
 * are. Returns NULL, or why not: constant, without commas. keep_row_end() in any case.
 */
const char *keep_row_begin(const struct keep *keep, const struct row *row);
/* Lets them go. */
void keep_row_end(const struct keep *keep, const struct row *row);

#endif
