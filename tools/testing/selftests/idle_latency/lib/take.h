/* SPDX-License-Identifier: GPL-2.0 */
/* All samples of rows that are measured at once. */
#ifndef TAKE_H
#define TAKE_H

#include "collect.h"

/* A row that is taken beside others; the rest is for the collection to remember. */
struct row_take {
	const struct task *task;
	struct collection *collection;
	struct stratum *stratum;
	__u64 costs_ns;
	struct patience patience;
	__u64 discarded;
	size_t missing;
};

/*
 * All strata of some rows, or all steps, as long as the time of their tasks is: one stratum of all
 * of them after the other.
 */
void take_rows(struct row_take *rows, size_t count);

#endif
