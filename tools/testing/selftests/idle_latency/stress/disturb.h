/* SPDX-License-Identifier: GPL-2.0 */
/* A process that disturbs a CPU again and again while a session measures it. */
#ifndef DISTURB_H
#define DISTURB_H

#include <stdbool.h>
#include <stddef.h>

#include <sys/types.h>

#include <linux/idle_latency.h>

#define DISTURB_STAMPS_MAX 65536

/* What the process and the test share. */
struct disturb_log {
	/* number of disturbances, and when the first of them were */
	__u64 count;
	__u64 tsc[DISTURB_STAMPS_MAX];
};

struct disturbance {
	pid_t child;
	struct disturb_log *log;
};

/*
 * Disturbs once. Sets @tsc to a time at which the disturbed CPU was certainly
 * not idle, by its own TSC, to another time if it says so, or to 0 where there is
 * none. Returns false when it cannot go on.
 */
typedef bool disturb_once(void *context, __u64 *tsc);

/* Begins to disturb from a process that runs on @cpu. */
bool disturb_start(struct disturbance *disturbance, unsigned int cpu,
		   disturb_once *once, void *context);

/* Returns false when the process could not go on until now. The log stays. */
bool disturb_stop(struct disturbance *disturbance);
void disturb_free(struct disturbance *disturbance);

/* Is a time of the log between the two? */
bool disturb_between(const struct disturb_log *log, __u64 from_tsc,
		     __u64 to_tsc);

/* How many of the samples among the records are contradicted by the log. */
size_t disturb_inside(const struct disturb_log *log,
		      const struct idle_latency_record *records, size_t count);

#endif
