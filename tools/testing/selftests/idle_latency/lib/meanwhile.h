/* SPDX-License-Identifier: GPL-2.0 */
/* What the machine did while a row was measured, beside what is measured. */
#ifndef MEANWHILE_H
#define MEANWHILE_H

#include <stddef.h>

#include "causes.h"

struct csv;
struct row;

/*
 * statistics.csv: what was counted between two readings. A session is disturbed by none: what is
 * read is memory of the kernel, and registers of the CPU that reads, which is not the measured one
 * or reads between two sessions.
 */

/* Begins with rows that are measured at once, unless nobody wants the file. */
void meanwhile_begin(const struct csv *csv, const struct row * const *rows, size_t count);
/*
 * Reads once a second, where this program runs on another CPU; not of several rows, as that is
 * long to read and many lines: these have what was counted from their begin to their end.
 */
void meanwhile_update(void);
/* Reads the last time, after the sessions of the rows. */
void meanwhile_end(void);

/* A value of statistics.csv. */
struct statistic {
	const struct row *row;
	/* by CLOCK_MONOTONIC: when it was read, and how long that was after the time before */
	__u64 read_ns;
	__u64 interval_ns;
	/* busy_pct, for example, and of which of several things, such as CPU 3 */
	const char *what;
	const char *of;
	__u64 value;
};

/* The share of the time that a CPU worked, in whole percent. */
__u64 meanwhile_busy_pct(const struct cpu_time *before, const struct cpu_time *after);

/*
 * The power by two readings of a register of RAPL, which has 32 bits.
 * @bits: its unit is 1 J / 2^bits
 */
__u64 meanwhile_power_mw(__u64 before, __u64 after, unsigned int bits, __u64 interval_ns);

/*
 * How often a CPU was throttled since it came up. Returns false where that is not known.
 * @cpu: its directory in sysfs
 * @of: core or package
 */
bool meanwhile_throttled(const char *cpu, const char *of, __u64 *count);

/* Whether the kernel complained. */

/* What it counts, and the bits of /proc/sys/kernel/tainted. */
struct complaints {
	__u64 warnings;
	__u64 oopses;
	__u64 taint;
};

/* Begins to look. */
void complaints_begin(void);
/* Whether it complained since then; if so, what it said is reported. */
bool complaints_end(void);

bool complaints_rose(const struct complaints *before, const struct complaints *after);

/*
 * The text of a record of /dev/kmsg. Returns false where that is less than a warning, or not of
 * the kernel.
 */
bool complaints_line(const char *record, char *line, size_t size);

#endif
