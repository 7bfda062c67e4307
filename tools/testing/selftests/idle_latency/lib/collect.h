/* SPDX-License-Identifier: GPL-2.0 */
/* The sessions of a row, and the records and counts that they give. */
#ifndef COLLECT_H
#define COLLECT_H

#include "plan.h"

struct keep;
struct progress;

/* The counters of the package are read for one event in so many. */
#define PACKAGE_READ_EVERY	8

/*
 * Of all sessions of a row: seq counts the samples and the discarded events in
 * here, each from 0, and event goes on from one session to the next.
 */
struct collection {
	struct idle_latency_record *samples;
	size_t count;
	/* at most as many as there is to be room for; the counts have them all */
	struct idle_latency_record *discarded;
	size_t discarded_count;
	size_t discarded_room;
	/* those of the row, and its steps */
	struct stratum strata[STRATA];
	struct stratum *steps;
	/* sums, but for the largest latencies */
	struct idle_latency_counts counts;
	/* in sessions */
	__u64 elapsed_ns;
	/* why it ended early: a positive errno, EINTR after a signal; or 0 */
	int error;
};

/* With what a row is measured. */
struct task {
	int fd;
	const struct options *options;
	/* by CLOCK_MONOTONIC: give up then; 0: when it is clear that it is no use */
	__u64 until_ns;
	const struct row *row;
	/* but for samples and launch distances */
	struct idle_latency_config config;
	/* how many of the samples that count are to have the package state, or 0 */
	size_t package_wanted;
	/* NULL: the machine is left as it is */
	const struct keep *keep;
	struct progress *progress;
};

/*
 * Sets what is of the row; this program goes to other CPUs.
 * @progress: for this row alone, or NULL where it is none of the table
 */
void task_begin(struct task *task, const struct row *row, struct progress *progress);

/* When to give up. */
struct patience {
	/* in all sessions of the collection */
	__u64 armed;
	__u64 until_ns;
};

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

/* What was wrong first with the accounting of the driver since the last call, or NULL. */
const char *collect_wrong(void);

#endif
