/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How far the rows are while they are measured: by lines now and then, or in place on a
 * terminal.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "plan.h"

struct result;
struct verdict;

/* How far the sessions of a row are, in sums that grow with each sample. */
struct progress {
	const struct row *row;
	/* by CLOCK_MONOTONIC: when it is over in any case, or 0 */
	__u64 until_ns;
	/* of a sweep, from 1 on; else 0 */
	size_t step;
	size_t wanted;
	size_t samples;
	/* by budget_cost(): of all that are wanted, of those so far, and of one now */
	__u64 all_cost_ns;
	__u64 done_cost_ns;
	__u64 sample_cost_ns;
	/* WakeLatency, or IntrLatency where there is none; so is what follows */
	const char *latency;
	__u64 smallest_ns;
	__u64 largest_ns;
	__u64 sum_ns;
	/* events */
	__u64 armed;
	__u64 discarded;
	/* by CLOCK_MONOTONIC */
	__u64 began_ns;
};

enum progress_style {
	PROGRESS_NONE,
	/* a line of the row, every 10 s of it */
	PROGRESS_LINES,
	/* the same in place, every second */
	PROGRESS_IN_PLACE,
	/* all rows in place, every second */
	PROGRESS_TOP,
};

/* @terminal: whether the output is one */
enum progress_style progress_style(const struct options *options, bool terminal);

/*
 * To be called first, with the rows that are in the table in the end, and what is known of each
 * as it grows.
 */
void progress_show(enum progress_style style, const struct progress *progress,
		   const struct result *results, size_t count);

/* Takes away what is shown in place, so that something else can be printed. */
void progress_hide(void);

/* This row is measured now: what it wants takes what it costs. */
void progress_begin(struct progress *progress, const struct row *row, __u64 until_ns);

/* So many more of those that are taken now. */
void progress_want(struct progress *progress, size_t more);

/* A sample of it came. */
void progress_note(struct progress *progress, const struct idle_latency_record *record);

/* @counts: of all of its sessions so far */
void progress_count(struct progress *progress, const struct idle_latency_counts *counts);

/* Shows those that are measured now, when that is due. */
void progress_update(const struct progress * const *running, size_t count);

#define PROGRESS_UNKNOWN	(~0ULL)

/*
 * How long the row takes from now on: as much longer or shorter than its samples cost as those
 * so far took, and not longer than it may take. PROGRESS_UNKNOWN: nothing says how long.
 */
__u64 progress_left_ns(const struct progress *progress, __u64 now);

/* The row in a line, as it is now; rows that are measured at once, with the slowest CPU. */
void progress_text(const struct progress * const *running, size_t count, __u64 now,
		   char *line, size_t size);

/*
 * Which of @count rows is the first one that is shown where there is room for @fit: the one
 * with the index @at is about in the middle.
 */
size_t progress_first(size_t at, size_t fit, size_t count);

/*
 * The row, and what is above such lines, as --top shows them; of rows that are measured at once,
 * how many there are, and the slowest CPU.
 */
extern const char progress_top_head[];
void progress_top_text(const struct progress * const *rows, const struct verdict * const *verdicts,
		       size_t count, char *line, size_t size);

#endif
