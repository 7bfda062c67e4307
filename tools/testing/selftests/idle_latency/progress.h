/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How far the session of a row is: a line about once a second, which a
 * terminal shows in place, and the last one when the session ends.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "row.h"

struct progress {
	const struct row *row;
	size_t wanted;
	__u64 shown_ns;
	bool live;
};

void progress_begin(struct progress *progress, const struct row *row,
		    size_t wanted, bool plain);
/* @latency: WakeLatency, or IntrLatency where there is none */
void progress_update(struct progress *progress, size_t samples,
		     const char *latency, __u64 largest_ns);
void progress_end(struct progress *progress, size_t samples,
		  const char *latency, __u64 largest_ns);
__u64 now_ns(void);

#endif
