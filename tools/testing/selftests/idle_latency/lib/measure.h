/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The measurement of one row, from its sessions to its verdict. It is a straight way: each stage
 * takes what those before it gave, and hands on something that nobody changes afterwards.
 *
 * options.c	the arguments: struct options
 * measured_cpu.c, reference.c, software.c
 *		what is known of a CPU before its rows: struct measured_cpu
 * plan.c	what is measured, when and for how long: struct row
 * collect.c
 *		the records of the sessions of a row: struct collection
 * summary.c	what these say: struct summary
 * reference.c	what the instrument adds at the distances of the row, where it decides
 * tally.c, verdict.c, figures.c
 *		struct verdict
 * report.c, table.c, worst.c, csv.c, proposal.c
 *		what people and programs get of a struct result
 *
 * progress.c listens to collect.c.
 */
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
