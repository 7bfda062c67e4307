/* SPDX-License-Identifier: GPL-2.0 */
/* The sessions of one row, and the records and counts that they give. */
#ifndef COLLECT_H
#define COLLECT_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/idle_latency.h>

#include "progress.h"

/*
 * Of all sessions of a row: seq counts the samples and the discarded events in
 * here, each from 0, and event goes on from one session to the next.
 */
struct collection {
	struct idle_latency_record *samples;
	size_t count;
	/* at most as many as there is room for; the counts have them all */
	struct idle_latency_record *discarded;
	size_t discarded_count;
	size_t discarded_room;
	/* sums, but for the largest latencies */
	struct idle_latency_counts counts;
	/* in sessions */
	__u64 elapsed_ns;
	/* what was wrong with the accounting of the driver first, or NULL */
	const char *wrong;
};

/* When to give up. */
struct patience {
	/* in all sessions of the collection */
	__u64 armed;
	__u64 until_ns;
};

bool collect_alloc(struct collection *collection, size_t discarded_room);
void collect_free(struct collection *collection);

/*
 * Where nine of ten events are discarded, something is wrong with the machine,
 * and what is left is no fair selection.
 */
struct patience collect_patience(const struct collection *collection,
				 size_t wanted, __u64 ldist_to_ns);
bool collect_gives_up(const struct collection *collection,
		      const struct patience *patience);

/*
 * Runs a session until it has delivered what @config asks for, or it is clear
 * that it will not. Returns 0 or -errno, -EINTR after a signal; what was
 * collected until an error is there, too.
 */
int collect(int fd, const struct idle_latency_config *config,
	    const struct patience *patience, struct progress *progress,
	    struct collection *collection);

/* From now on SIGINT and SIGTERM end the session; a second one kills. */
void collect_catch_signals(void);
bool collect_interrupted(void);

#endif
