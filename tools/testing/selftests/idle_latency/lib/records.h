/* SPDX-License-Identifier: GPL-2.0 */
/* What records and counts say beside the latencies. */
#ifndef RECORDS_H
#define RECORDS_H

#include <linux/idle_latency.h>

#include "idle_latency_util.h"

/* Where the CPU was during a sample, in percent, as far as it says so. */

/*
 * Share of the interval that a counter counted. That of C1 is what C0 and the deeper core states
 * leave where it has no counter. False: absent, invalid or not known.
 */
bool residency_share(const struct idle_latency_record *record, unsigned int counter,
		     double *percent);

/* The counters in the order of people: C0, C1 and the deeper states, and those of newer kernels. */
unsigned int residency_by_depth(unsigned int n);

/* Such as "CC6", or "unknown_13" until the next call; NULL: there is no counter. */
const char *residency_name(unsigned int counter);

/*
 * The deepest package state of which the counter advanced, such as "PC6"; "PC0"
 * when none did, and "" where the CPU has no such counters.
 */
const char *residency_package(const struct idle_latency_record *record);

/* Adds what is not 0, such as "C0 1.5 %, C1 8.5 %, CC6 90.0 %". */
void residency_add(struct text *text, const struct idle_latency_record *record);

/* Frequency after the wake-up, in percent of that of the TSC. False: absent. */
bool residency_frequency(const struct idle_latency_record *record,
			 double *percent);

/* What can be asleep only when all of its cores are. */
enum scope { SCOPE_MODULE, SCOPE_PACKAGE, SCOPES };

/* "module" or "package" */
const char *scope_name(enum scope scope);
/* Whether counters tell where it was during an event. */
bool scope_known(const struct idle_latency_record *record, enum scope scope);
/*
 * Whether it is known to have got to what belongs to the state, and that it has not been there. A
 * module may have been for a part of the time only.
 */
bool scope_asleep(const struct idle_latency_record *record, enum scope scope);
bool scope_awake(const struct idle_latency_record *record, enum scope scope);

/* Why events gave no sample, in words. */

__u64 discards_total(const struct idle_latency_counts *counts);

/*
 * Those for which the machine is to blame, which had something else to do, and thereby selects
 * what is left. An event that is so near that the CPU had not been idle yet comes from its launch
 * distance, as most of those have it that are taken during entry.
 */
__u64 discards_selecting(const struct idle_latency_counts *counts);

/* How many of all had a latency above the limit. */
__u64 discards_above(const struct idle_latency_counts *counts);

/*
 * "no_idle 2, nmi 2 (1 above, largest 812000 ns)"; empty when nothing was
 * discarded. @above: only those of which some were above the limit, and whose they are:
 * "nmi 2 (1 above, largest 812000 ns; the watchdog's or perf's)".
 */
void discards_text(const struct idle_latency_counts *counts, bool above, char *text, size_t size);

/* "nmi+smi" for these bits of a record, until the next call; "" for a sample. */
const char *discards_reasons(__u32 reasons);

/* Whether other interrupts are the most frequent reason. */
bool discards_mostly_interrupts(const struct idle_latency_counts *counts);

/* Adds "no_idle 2", the most frequent reason; "none" when nothing was discarded. */
void discards_add_most(struct text *text, const struct idle_latency_counts *counts);

#endif
