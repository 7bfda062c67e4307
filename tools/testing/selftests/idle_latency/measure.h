/* SPDX-License-Identifier: GPL-2.0 */
/* The measurement of one row. */
#ifndef MEASURE_H
#define MEASURE_H

#include <stdio.h>

#include "row.h"

/*
 * Fills in a row of which CPU, method and state are set, and writes its
 * samples to @datapoints unless that is NULL. Returns NULL, or a sentence that
 * says what is wrong with the accounting of the driver.
 */
const char *measure(struct row *row, const struct options *options,
		    FILE *datapoints);

#endif
