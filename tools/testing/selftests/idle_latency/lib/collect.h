/* SPDX-License-Identifier: GPL-2.0 */
/* The sessions of a row, and the records and counts that they give. */
#ifndef COLLECT_H
#define COLLECT_H

#include "packed.h"
#include "plan.h"
#include "progress.h"
#include "verdict.h"

struct keep;

/* Of a row that is taken beside others, as many discarded events are kept. */
#define DISCARDED_PACKED	1000
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
	/* all of them are in there instead, which may become so large; 0: none is */
	size_t packed_bytes;
	struct packed packed;
	/* those of the row, and its steps */
	struct stratum strata[STRATA];
	struct stratum *steps;
	/* of the samples that are being taken */
	struct verdict_counting counting;
	/* some samples have no WakeLatency */
	bool has_intr;
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
	/* in how many of the samples that count module and package are to be asleep, or 0 */
	size_t asleep_wanted[SCOPES];
	/* NULL: the machine is left as it is */
	const struct keep *keep;
	/* this program runs already where nothing is measured */
	bool is_apart;
	struct progress *progress;
	/* of what is no row of the table */
	struct progress of_no_row;
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

/*
 * What is usual: where nine of ten events are discarded, something is wrong with the machine,
 * and what is left is no fair selection.
 */
struct patience collect_patience(const struct collection *collection, size_t wanted,
				 __u64 ldist_to_ns);
bool collect_gives_up(const struct collection *collection, const struct patience *patience);

/* Room for so many records, or NULL. */
struct idle_latency_record *collect_alloc(size_t count);
void collect_free(struct collection *collection);

/*
 * A copy of a collection, with its samples and discarded events where the other one has them
 * packed. Returns false without memory for them. collect_free_copy() in any case, which leaves
 * the collection as it is.
 */
bool collect_unpack(const struct collection *collection, struct collection *copy);
void collect_free_copy(struct collection *copy);

/* For how many rows with so many samples that count at once there is memory; and that of each. */
size_t collect_most(size_t samples);
size_t collect_bytes(size_t rows);

/* A session that is to deliver so many samples at these launch distances. */
struct take {
	const struct task *task;
	struct launch_distance ldist;
	size_t samples;
	/* beside the time of the task; NULL for what is usual */
	const struct patience *patience;
	struct collection *collection;
};

/*
 * Runs sessions, each on a CPU of its own and with a file of its own, until they have delivered
 * their samples, or it is clear that they will not; all of them begin at the same time. What was
 * collected until an error is there, too.
 */
void take_sessions(const struct take *takes, size_t count);

/*
 * What is to be done where sessions of several CPUs leave time: a part of it at each call, which
 * returns false when there is none.
 */
void take_sessions_beside(bool (*work)(void));

/* From now on SIGINT and SIGTERM end the session; a second one kills. */
void collect_catch_signals(void);
bool collect_interrupted(void);

/* What was wrong first with the accounting of the driver since the last call, or NULL. */
const char *collect_wrong(void);

#endif
