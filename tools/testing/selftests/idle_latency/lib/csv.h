/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is written to --out: the CSV files, and environment.txt beside them. Each is written
 * under another name and renamed when it is complete, so that a run that was
 * killed leaves none that looks complete.
 */
#ifndef CSV_H
#define CSV_H

#include <stdbool.h>
#include <stdio.h>

#include <linux/types.h>

struct collection;
struct idle_latency_record;
struct options;
struct result;
struct summary;

enum result_file {
	CSV_ENVIRONMENT,
	/* each sample, and each discarded event, if these are wanted */
	CSV_DATAPOINTS,
	CSV_DISCARDED,
	/* how many events of a row were discarded, by reason */
	CSV_DISCARDS,
	/* the steps of each row, if it is a sweep */
	CSV_SWEEP,
	/* a line for each row */
	CSV_SUMMARY,
	CSV_FILES
};

struct csv {
	/* NULL: it is not wanted */
	FILE *file[CSV_FILES];
	/* descriptor of the directory */
	int dir;
};

/* What is the same in all rows of the summary. */
struct csv_run {
	const char *machine;
	const char *cpu_model;
	const char *driver;
	const char *kernel;
	/* parts per billion */
	__u64 quantile;
};

/* Each returns false with errno set. */
bool csv_open(struct csv *csv, const struct options *options);
bool csv_close(struct csv *csv);

/* The names of the columns. */
void csv_header(const struct csv *csv, enum result_file of);

/* Each line goes where its file is wanted. */

/* The summary of a row, its discarded events by reason, and the steps of its sweep. */
void csv_result(const struct csv *csv, const struct csv_run *run, const struct result *result);

/* Each sample of a row and each discarded event. */
void csv_records(const struct csv *csv, const struct summary *summary,
		 const struct collection *collection);

#endif
