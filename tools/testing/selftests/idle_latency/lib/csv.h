/* SPDX-License-Identifier: GPL-2.0 */
/*
 * summary.csv, datapoints.csv, discarded.csv, and environment.txt beside them. Each is written
 * under another name and renamed when it is complete, so that a run that was
 * killed leaves none that looks complete.
 */
#ifndef CSV_H
#define CSV_H

#include <stdio.h>

#include "row.h"

struct csv {
	FILE *summary;
	FILE *datapoints;
	/* NULL: they are not wanted */
	FILE *discarded;
	FILE *environment;
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
bool csv_open(struct csv *csv, const char *dir, bool discarded);
bool csv_close(struct csv *csv);

void csv_summary_header(FILE *file);
void csv_summary_row(FILE *file, const struct csv_run *run,
		     const struct row *row);
void csv_datapoints_header(FILE *file);
void csv_discarded_header(FILE *file);
void csv_datapoint(FILE *file, const struct row *row,
		   const struct idle_latency_record *record);
void csv_discarded(FILE *file, const struct row *row,
		   const struct idle_latency_record *record);

#endif
