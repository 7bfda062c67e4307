/* SPDX-License-Identifier: GPL-2.0 */
/* Why events gave no sample, in words. */
#ifndef DISCARDS_H
#define DISCARDS_H

#include <stddef.h>

#include <linux/idle_latency.h>

__u64 discards_total(const struct idle_latency_counts *counts);

/* How many of them had a latency above the limit. */
__u64 discards_above(const struct idle_latency_counts *counts);

/*
 * "no_idle 2, nmi 2 (1 above, largest 812000 ns)"; empty when nothing was
 * discarded.
 */
void discards_text(const struct idle_latency_counts *counts, char *text,
		   size_t size);

/*
 * Only those of which some were above the limit, and whose they are:
 * "nmi 2 (1 above, largest 812000 ns; the watchdog's or perf's)".
 */
void discards_above_text(const struct idle_latency_counts *counts, char *text,
			 size_t size);

/* "nmi+smi" for these bits of a record; empty for a sample. */
void discards_reasons_text(__u32 reasons, char *text, size_t size);

/* "no_idle 2", the most frequent reason; "none" when nothing was discarded. */
void discards_most_text(const struct idle_latency_counts *counts, char *text,
			size_t size);

#endif
