/* SPDX-License-Identifier: GPL-2.0 */
/* The measurement of one row, from its sessions to its verdict. */
#ifndef MEASURE_H
#define MEASURE_H

#include "measured_cpu.h"

struct csv;

/* What came of a row; all outputs take it. */
struct result {
	struct summary summary;
	struct verdict verdict;
};

/*
 * Whether what a state declares includes its package, or may do so because nobody knows: tables
 * have the package for C6 and deeper.
 */
bool state_has_package(const struct idle_latency_state *state);

/*
 * The CPU may have woken ahead of the timer.
 * @nic: the same CPU and state by nic, or NULL
 */
bool is_lower_bound(const struct summary *summary, const struct summary *nic);

/*
 * Takes the samples of a row that was planned, judges them, reports the verdict, and writes the
 * records to @csv unless that is NULL.
 * @nic: what came of the same CPU and state by nic, or NULL
 *
 * Returns NULL, or a sentence that says what is wrong with the accounting of the driver.
 */
const char *measure(const struct task *task, const struct measured_cpu *measured,
		    const struct options *options, bool virtual, const struct result *nic,
		    const struct csv *csv, struct result *result);

#endif
