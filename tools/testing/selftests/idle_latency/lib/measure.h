/* SPDX-License-Identifier: GPL-2.0 */
/* The measurement of one row. */
#ifndef MEASURE_H
#define MEASURE_H

#include "csv.h"
#include "row.h"

/*
 * Both return NULL, or a sentence that says what is wrong with the accounting of
 * the driver.
 *
 * measure() fills in a row of which CPU, method and state are set, judges it, and
 * writes its records to @csv unless that is NULL. @known: the part of the rule that
 * the other rows give.
 */
const char *measure(int fd, struct row *row, const struct options *options,
		    const struct verdict_rule *known, const struct csv *csv);

/* Takes samples of a row that is not judged. */
const char *measure_samples(int fd, struct row *row,
			    const struct options *options,
			    struct launch_distance ldist, size_t samples);

#endif
