/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What runs of latency_test have written, read again: to compare runs, and to show
 * them on a page. All times are in ns.
 */
#ifndef RESULTS_H
#define RESULTS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <linux/types.h>

#include "verdict.h"

/*
 * Memory, all 0, to be freed; and an array with room for one more than @count, where it grows by
 * one at a time. Without memory the program ends: it only reads, so nothing is lost.
 */
void *memory(size_t count, size_t size);
char *copy_of(const char *text);
void *memory_for_one_more(void *array, size_t count, size_t size);

/* A file of comma-separated values with a header, read line by line. */

#define CSV_COLUMNS_MAX	48

struct csv_file {
	char path[PATH_MAX];
	FILE *file;
	/* of the line that was read last; the header is line 1 */
	unsigned long line;
	char *buffer;
	size_t size;
	/* its fields, which point into the buffer */
	char *field[CSV_COLUMNS_MAX];
	char *header;
	char *column[CSV_COLUMNS_MAX];
	size_t columns;
	/* what was wrong first, with path and line; "" for nothing */
	char error[PATH_MAX + 256];
};

/* Returns false, and why in the error, where there is no such file or no header. */
bool csv_file_open(struct csv_file *csv, const char *dir, const char *name);
void csv_file_close(struct csv_file *csv);

/* The index of a column, and an error where there is none. */
size_t csv_file_column(struct csv_file *csv, const char *name);

/* Reads the next line. Returns false at the end, and when something is wrong. */
bool csv_file_next(struct csv_file *csv);

/* Notes what is wrong with the line that was read last. */
__printf(2, 3) void csv_file_wrong(struct csv_file *csv, const char *format, ...);

/* A number; an error where the field has something else. */
__u64 csv_file_number(struct csv_file *csv, size_t column);

/* Likewise, and an error where it is larger. */
__u64 csv_file_at_most(struct csv_file *csv, size_t column, __u64 most);

/* The same, but false where the field is empty. */
bool csv_file_optional(struct csv_file *csv, size_t column, __u64 *number);

/* One line of datapoints.csv. */

/* Columns with shares of the interval in percent, "c0_pct" to "frequency_pct". */
#define SHARES		14
extern const char * const share_columns[SHARES];

/* A state that is entered with interrupts enabled has no WakeLatency and no SilentTime. */
struct sample {
	/* of datapoints.csv */
	unsigned long line;
	__u64 seq;
	__u64 ldist_ns;
	__u64 silent_ns;
	__u64 wake_ns;
	__u64 intr_ns;
	__u64 error_ns;
	/* TAI - TBI and TIntr - TAI, in cycles of the TSC */
	__u64 away_cyc;
	__u64 handler_cyc;
	/* NAN: not known */
	float share[SHARES];
	bool has_wake;
};

/* Why events gave no sample: a line of discards.csv. */
struct discard {
	char reason[32];
	__u64 count;
	/* of these with a latency above the limit */
	__u64 above;
	/* the largest latency; 0: none is known */
	__u64 largest_ns;
};

#define DISCARDS_MAX	32

/* A step of a sweep: a line of sweep.csv. */
struct step {
	__u64 ldist_from_ns;
	__u64 ldist_to_ns;
	__u64 samples;
	__u64 discarded;
	__u64 silent_min_ns;
	__u64 silent_max_ns;
	/* of the latency: WakeLatency, or IntrLatency where there is none */
	__u64 min_ns;
	__u64 median_ns;
	__u64 p99_ns;
	__u64 max_ns;
	/* exceedances of the declared exit latency */
	__u64 above;
	/* false: too few samples for it */
	bool has_p99;
	/* "slower" or "faster" than in the step before; "" for neither */
	char change[16];
};

/* What the summary says of the samples of a row. */
struct summary {
	/* of summary.csv */
	unsigned long line;
	__u64 valid;
	struct order_stats wake;
	bool has_wake;
	__u64 intr_median;
	__u64 intr_max;
};

/* One CPU, method and state: a line of summary.csv, and what the other files have of it. */
struct result {
	unsigned int cpu;
	char method[8];
	/* "enter" or "probe"; "" without a sample */
	char stamp[8];
	char state[IDLE_STATE_NAME_LEN + 1];
	char machine[64];
	char cpu_model[128];
	char driver[32];
	char kernel[128];
	char rule[16];
	char verdict[8];
	char qualifier[96];
	char reason[256];
	/* false: it was not measured, and all numbers below are 0 */
	bool ran;
	__u64 declared_ns;
	__u64 armed;
	__u64 discarded;
	__u64 ldist_from_ns;
	__u64 ldist_to_ns;
	__u64 above;
	__u64 discarded_above;
	__u64 smallest_pass_ns;
	/* how many samples reached the state; has_reached: a counter tells */
	bool has_reached;
	__u64 reached;
	/* in the order in which they were taken */
	struct sample *samples;
	size_t count;
	struct summary summary;
	/* all samples have a WakeLatency */
	bool has_wake;
	struct discard discards[DISCARDS_MAX];
	size_t discard_count;
	struct step *steps;
	size_t step_count;
};

/* WakeLatency, or IntrLatency where the row has none. */
static inline __u64 sample_latency(const struct result *result,
				   const struct sample *sample)
{
	return result->has_wake ? sample->wake_ns : sample->intr_ns;
}

/* What a run of latency_test left in a directory. */
struct run {
	const char *dir;
	struct result *results;
	size_t count;
	/* environment.txt, line by line: "key: value" */
	char **environment;
	size_t environment_count;
};

/*
 * Reads a run: summary.csv, datapoints.csv and environment.txt, and discards.csv and
 * sweep.csv where they are there. Returns false, and what is wrong, with file and line, in
 * @error, where a file is missing, has a line that latency_test does not write, or where two
 * files do not agree.
 */
bool run_read(const char *dir, struct run *run, char *error, size_t size);
void run_free(struct run *run);

/*
 * Whether the samples of a run are what its summary says, and their times what their stamps
 * say. Returns false and the first contradiction, with file and line.
 */
bool run_agrees(const struct run *run, char *error, size_t size);

#endif
