/* SPDX-License-Identifier: GPL-2.0 */
/* What a reviewer of a table needs to know of a FAIL. */
#ifndef WORST_H
#define WORST_H

#include "collect.h"
#include "row.h"

#define WORST_SAMPLES	10

/*
 * The slowest samples, those first of which the latency less its error is
 * largest. Returns how many there are, WORST_SAMPLES at most.
 */
size_t worst_find(const struct idle_latency_record *samples, size_t count,
		  const struct idle_latency_record *worst[WORST_SAMPLES]);

/*
 * One of them in a line, with the reasons why the events before and after it were
 * discarded; @discarded is in the order of the events.
 */
void worst_text(const struct idle_latency_record *sample,
		const struct idle_latency_record *discarded,
		size_t discarded_count, char *line, size_t size);

void worst_report(const struct row *row, const struct collection *collection);

#endif
