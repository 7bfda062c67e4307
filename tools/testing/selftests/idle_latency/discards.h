/* SPDX-License-Identifier: GPL-2.0 */
/* Why events gave no sample, in words. */
#ifndef DISCARDS_H
#define DISCARDS_H

#include <stddef.h>

#include <linux/idle_latency.h>

__u64 discards_total(const struct idle_latency_counts *counts);

/* "no_idle 2, foreign_timer 1"; empty when nothing was discarded. */
void discards_text(const struct idle_latency_counts *counts, char *text,
		   size_t size);

/* "no_idle 2", the most frequent reason; "none" when nothing was discarded. */
void discards_most_text(const struct idle_latency_counts *counts, char *text,
			size_t size);

#endif
