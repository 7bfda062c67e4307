/* SPDX-License-Identifier: GPL-2.0 */
/* Where the CPU was during a sample, in percent, as far as it says so. */
#ifndef RESIDENCY_H
#define RESIDENCY_H

#include <stdbool.h>

#include <linux/idle_latency.h>

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

/* Frequency after the wake-up, in percent of that of the TSC. False: absent. */
bool residency_frequency(const struct idle_latency_record *record,
			 double *percent);

#endif
