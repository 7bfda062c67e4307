/* SPDX-License-Identifier: GPL-2.0 */
/* Where the CPU was during a sample, in percent, as far as it says so. */
#ifndef RESIDENCY_H
#define RESIDENCY_H

#include <stdbool.h>

#include <linux/idle_latency.h>

#include "text.h"

/* Share of the interval that a counter counted. False: absent or invalid. */
bool residency_share(const struct idle_latency_record *record,
		     enum idle_latency_residency_counter counter,
		     double *percent);

/*
 * Share of the interval that the core was in C1: counted where there is a
 * counter, else what C0 and the deeper core states leave. False: not known.
 */
bool residency_c1_share(const struct idle_latency_record *record,
			double *percent);

/* Such as "CC6"; NULL: there is no such counter. */
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

#endif
