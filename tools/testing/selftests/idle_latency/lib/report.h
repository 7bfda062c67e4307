/* SPDX-License-Identifier: GPL-2.0 */
/* What latency_test prints and writes. */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "measure.h"
#include "prepare.h"

/* Output for people (plain) or for kselftest (KTAP). */

/*
 * What latency_test returns: what the runner of kselftest takes them for, so that wrong usage is
 * a failure, and what a shell says of a program that SIGINT has ended.
 */
enum exit_code {
	EXIT_CODE_OK = 0,
	EXIT_CODE_FAIL = 1,
	EXIT_CODE_NOTHING = 4,
	EXIT_CODE_INTERRUPTED = 130,
};

void report_begin(const struct options *options);
/* How many results follow. */
void report_plan(unsigned int results);
/* A line; in KTAP a diagnostic one. */
__printf(1, 2) void report_line(const char *format, ...);
/* The same of what the table has, too, or what belongs to a row: not with --quiet. */
__printf(1, 2) void report_detail(const char *format, ...);
/*
 * The verdict on a row, and why, but with --quiet only of a FAIL; its result in KTAP comes
 * after it.
 */
void report_verdict(const struct row *row);
void report_result(const struct row *row);
/* Its result in KTAP, such as KSFT_XFAIL. */
int report_code(const struct verdict *verdict);
/* @wrong: NULL, or what was wrong with the counts or records of a session */
void report_accounting(const char *wrong);
/* What --self-check found, in a line, and its result in KTAP. */
void report_self_check(const struct self_check *check);
/* @failed: something that is no result went wrong */
int report_end(bool failed);
/* Instead of all that, when nothing can be measured. Returns what report_end() does. */
int report_obstacle(const struct options *options,
		    const struct obstacle *obstacle);

/*
 * What an error of a session means to the user, and what to do.
 * @error: a positive errno
 */
const char *explain_session(const struct row *row, int error);

/* Why there are no idle states, where the command line of the kernel tells; else "". */
void explain_no_idle_states(char *said, size_t size);
/* The first argument of a command line without which there may be idle states, or "". */
void explain_command_line(const char *line, char *argument, size_t size);

/*
 * The method that a proposed table is made by: the one with samples of most states, and of these
 * the one with the smallest errors. NULL: there is no sample.
 */
const struct method *proposal_method(const struct row *rows, size_t count);

/*
 * What a state of a CPU has to declare: all samples of this method are below it, and none of any
 * other is above.
 */
__u64 proposal_needed(const struct row *rows, size_t count,
		      const struct method *method, unsigned int state);

/* What this machine can do. Returns what report_end() does. */
int scan(void);

/* The verdict table. */

void table_begin(void);

/* The awake CPU, as a row that is not judged; nothing where it has no sample. */
void table_awake(const struct row *row);
void table_row(const struct row *row);

/* What the rows have to be read with. */
void table_end(const struct row *rows, size_t count,
	       const struct options *options);

/* What a reviewer of a table needs to know of a FAIL. */

#define WORST_SAMPLES	10

/*
 * The slowest samples, those first of which the latency less its error is
 * largest. Returns how many there are, WORST_SAMPLES at most.
 */
size_t worst_find(const struct idle_latency_record *samples, size_t count,
		  const struct idle_latency_record *worst[WORST_SAMPLES]);

/*
 * One of them in a line, with the reasons why the events before and after it were
 * discarded; @discarded is in the order of the events.
 */
void worst_text(const struct idle_latency_record *sample,
		const struct idle_latency_record *discarded,
		size_t discarded_count, char *line, size_t size);

void worst_report(const struct row *row, const struct collection *collection);

/*
 * What is written to --out: the CSV files, and environment.txt beside them. Each is written
 * under another name and renamed when it is complete, so that a run that was
 * killed leaves none that looks complete.
 */

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
		     const struct row *row);
void csv_datapoints_header(FILE *file);
void csv_discarded_header(FILE *file);
void csv_discards_header(FILE *file);
void csv_sweep_header(FILE *file);
void csv_datapoint(FILE *file, const struct row *row,
		   const struct idle_latency_record *record);
void csv_discarded(FILE *file, const struct row *row,
		   const struct idle_latency_record *record);

void csv_discards(FILE *file, const struct row *row);
void csv_sweep(FILE *file, const struct row *row);

#endif
