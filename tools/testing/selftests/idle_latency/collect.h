/* SPDX-License-Identifier: GPL-2.0 */
/* One session, from its start to its end. */
#ifndef COLLECT_H
#define COLLECT_H

#include <stddef.h>

#include <linux/idle_latency.h>

#include "progress.h"

struct collection {
	const struct idle_latency_config *config;
	struct idle_latency_record *records;
	size_t count;
	struct idle_latency_counts counts;
	/* from the start of the session to its end */
	__u64 elapsed_ns;
};

/*
 * Runs the session that @fd is configured for until it has delivered what
 * @config asks for, or it is clear that it will not. Returns 0 or -errno; what
 * was collected until an error is there, too. Free it with collect_free().
 */
int collect(int fd, const struct idle_latency_config *config,
	    struct progress *progress, struct collection *collection);
void collect_free(struct collection *collection);

#endif
