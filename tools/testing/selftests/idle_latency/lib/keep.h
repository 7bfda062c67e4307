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

/* The same without settings, for who holds CPUs by keep_hold(). */
bool keep_open(struct keep *keep, struct obstacle *obstacle);

/* Holds these CPUs, and no others. Returns NULL, or why not: constant, without commas. */
const char *keep_hold(const struct keep *keep, const struct cpu_list *cpus, unsigned int state);

/*
 * For rows that want CPUs to be held although the options do not. Returns NULL, or why that cannot
 * be: constant, without commas.
 */
const char *keep_offers(struct keep *keep);

/* The other online CPUs of the scope that the CPU is in. Returns whether there are any. */
bool keep_others(enum hold hold, unsigned int cpu, struct cpu_list *others);

/*
 * What measuring a row takes: the settings are still there, and the CPUs that it wants to be held
 * are. Returns NULL, or why not: constant, without commas. keep_row_end() in any case.
 */
const char *keep_row_begin(const struct keep *keep, const struct row *row);
/* Lets them go. */
void keep_row_end(const struct keep *keep, const struct row *row);

/*
 * Whether C1 is demoted to and the CPU comes back from that, or neither: then intel_idle's file
 * intel_c1_demotion says all of it, and can put it back.
 * @cst_config: MSR_PKG_CST_CONFIG_CONTROL
 */
bool keep_demotion_is_one(__u64 cst_config);

#endif
