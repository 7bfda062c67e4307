/* SPDX-License-Identifier: GPL-2.0 */
/* The sessions of a row, and the records and counts that they give. */
#ifndef COLLECT_H
#define COLLECT_H

#include "plan.h"

struct progress;

/* What was taken of a stratum or of a step. */
struct part {
	/* index of its first sample, and how many follow */
	size_t first;
	size_t count;
	/* events of it */
	__u64 discarded;
};

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
	/* of the strata of the row, and of its steps */
	struct part strata[STRATA];
	struct part *steps;
	/* sums, but for the largest latencies */
	struct idle_latency_counts counts;
	/* in sessions */
	__u64 elapsed_ns;
	/* why it ended early: a positive errno, EINTR after a signal; or 0 */
	int error;
	/* what was wrong with the accounting of the driver first, or NULL */
	const char *wrong;
};

/* With what a row is measured. */
struct task {
	int fd;
	const struct row *row;
	/* but for samples and launch distances */
	struct idle_latency_config config;
	/* by CLOCK_MONOTONIC: give up then; 0: when it is clear that it is no use */
	__u64 until_ns;
	struct progress *progress;
};

/* This program goes to other CPUs. @progress: for this row alone */
struct task task_begin(int fd, const struct row *row, const struct options *options,
		       __u64 until_ns, struct progress *progress);

/* When to give up. */
struct patience {
	/* in all sessions of the collection */
	__u64 armed;
	__u64 until_ns;
};

bool collect_alloc(struct collection *collection, const struct row *row, size_t discarded_room);
void collect_free(struct collection *collection);

/*
 * Runs a session until it has delivered so many samples at these launch distances, or it is
 * clear that it will not. What was collected until an error is there, too.
 * @patience: beside the time of the task; NULL for what is usual
 */
void take_session(const struct task *task, struct launch_distance ldist, size_t samples,
		  const struct patience *patience, struct collection *collection);

/* All strata of the row, or all steps, as long as the time of the task is. */
void take_row(const struct task *task, struct collection *collection);

/* From now on SIGINT and SIGTERM end the session; a second one kills. */
void collect_catch_signals(void);
bool collect_interrupted(void);

#endif
