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
struct row;
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
	const char *dir;
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

void csv_summary_header(FILE *file);
void csv_summary_row(FILE *file, const struct csv_run *run,
		     const struct result *result);
void csv_datapoints_header(FILE *file);
void csv_discarded_header(FILE *file);
void csv_discards_header(FILE *file);
void csv_sweep_header(FILE *file);
void csv_datapoint(FILE *file, const struct summary *summary,
		   const struct idle_latency_record *record);
void csv_discarded(FILE *file, const struct row *row,
		   const struct idle_latency_record *record);

void csv_discards(FILE *file, const struct summary *summary);
void csv_sweep(FILE *file, const struct summary *summary);

/* Each sample of a row and, if they are wanted, each discarded event. */
void csv_records(const struct csv *csv, const struct summary *summary,
		 const struct collection *collection);

#endif
