/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How far the sessions of a row are: a line about once a second, which a
 * terminal shows in place, and the last one when they have ended.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "row.h"

struct progress {
	const struct row *row;
	size_t wanted;
	size_t samples;
	/* WakeLatency, or IntrLatency where there is none */
	__u64 largest_ns;
	const char *latency;
	__u64 shown_ns;
	bool live;
};

void progress_begin(struct progress *progress, const struct row *row,
		    size_t wanted, bool plain);
void progress_note(struct progress *progress,
		   const struct idle_latency_record *record);
void progress_update(struct progress *progress);
void progress_end(const struct progress *progress);
__u64 now_ns(void);

#endif
