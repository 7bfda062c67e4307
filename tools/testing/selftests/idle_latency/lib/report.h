/* SPDX-License-Identifier: GPL-2.0 */
/* What latency_test prints and writes. */
#ifndef REPORT_H
#define REPORT_H

#include <stdio.h>

#include "measure.h"
#include "prepare.h"

struct self_check;
struct statistic;

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
/* Each CPU has lines; else its type has, and those CPUs that matter. */
bool report_each_cpu(void);
/* How many results follow. */
void report_plan(unsigned int results);
/*
 * A line; in KTAP a diagnostic one. A detail is what the table has, too, or what belongs to a
 * row: not with --quiet.
 */
__printf(2, 3) void report_say(bool is_detail, const char *format, ...);

#define report_line(...) report_say(false, __VA_ARGS__)
#define report_detail(...) report_say(true, __VA_ARGS__)

/* How many samples a row has, or what else was collected in its state. */
void report_counts(const struct summary *summary, const char *what);
/* Where it has fewer than were wanted. */
void report_shortage(const struct summary *summary, const struct stratum *stratum);
/* Where it differed from sample to sample. */
void report_frequency(const struct summary *summary);
/* Where nothing suggests that the state takes as long as is declared. */
void report_remark(const struct result *result);
/*
 * The verdict on a row, and why, but with --quiet only of a FAIL; its result in KTAP comes
 * after it. @environment: NULL, or where it is also written what the verdict is made of
 */
void report_verdict(const struct result *result, FILE *environment);
void report_result(const struct result *result);
/* The verdict on a CPU that is FAIL, where only the types have lines. */
void report_failing(const struct result *result);
/* Its result in KTAP, such as KSFT_XFAIL. */
int report_code(const struct verdict *verdict);
/* @wrong: NULL, or what was wrong with the counts or records of a session */
void report_accounting(const char *wrong);
/* @complained: the kernel did, and what it said is reported */
void report_kernel(bool complained);
/* A result in KTAP that is told by its name only. @code: such as KSFT_SKIP */
void report_named(int code, const char *name, const char *reason);
/* What --self-check found, in a line, and its result in KTAP. */
void report_self_check(const struct self_check *check);
/* @failed: something that is no result went wrong */
int report_end(bool failed);
/* Instead of all that, when nothing can be measured. Returns what report_end() does. */
int report_obstacle(const struct options *options, const struct obstacle *obstacle);

/*
 * What an error of a session means to the user, and what to do.
 * @error: a positive errno
 */
const char *explain_session(const struct row *row, int error);

/* Why there are no idle states, where the command line of the kernel tells; else "". */
void explain_no_idle_states(char *said, size_t size);
/* The first argument of a command line without which there may be idle states, or "". */
void explain_command_line(const char *line, char *argument, size_t size);

/* What this machine can do. Returns what report_end() does. */
int scan(void);

/* The verdict table. */

void table_begin(void);

/* The awake CPU, as a row that is not judged; nothing where it has no sample. */
void table_awake(const struct summary *summary);
void table_row(const struct result *result);
/* "the first 50 samples are slower by 4 us", or "" where none differ. */
void drift_text(const struct drift *drift, char *line, size_t size);

/* What the rows have to be read with. */
void table_end(const struct result *results, size_t count, const struct options *options);

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

void worst_report(const struct result *result, const struct collection *collection);

/*
 * By how much longer or shorter the state takes when module or package are asleep, too, in a line
 * with the medians of WakeLatency. Returns false where that is not more than chance, or what both
 * may be wrong by, explains, or where one kind has too few samples that count.
 */
bool scope_text(enum scope scope, const struct summary *summary,
		const struct idle_latency_record *samples, char *line, size_t size);

/* What to declare instead, for a table that does not hold. */

struct proposal_state {
	const char *name;
	/* declared, in ns */
	__u64 latency_ns;
	__u64 residency_ns;
	/* smallest exit latency that would have passed; 0: not measured */
	__u64 needed_ns;
};

/* Room for the longest line that Linux takes, and its name. */
#define PROPOSAL_BYTES	320

/*
 * "intel_idle.table=C1:2:2,C1E:10:20": all states of a CPU in their order, to
 * boot with. What suffices is kept; the rest is raised to the next whole us,
 * and until intel_idle of Linux v7.3 takes the line. Returns false where there
 * is no such line.
 */
bool proposal_line(const struct proposal_state *states, size_t count,
		   char *line, size_t size);

/*
 * Where the declared exit latency is far above the largest latency that was
 * seen, to which its error is added: returns true, and a remark with both.
 */
bool proposal_too_high(__u64 declared_ns, __u64 largest_ns, char *remark,
		       size_t size);

/*
 * The method that a proposed table is made by: the one with samples of most states, and of these
 * the one with the smallest errors. NULL: there is no sample.
 */
const struct method *proposal_method(const struct result *results, size_t count);

/*
 * What a state of a CPU has to declare: all samples of this method are below it, and none of any
 * other is above. @type: of these CPUs only, see cores_type(); NULL: of all
 */
__u64 proposal_needed(const struct result *results, size_t count,
		      const struct method *method, unsigned int state, const __u32 *type);

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
	/* what the machine did meanwhile */
	CSV_STATISTICS,
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
	/* the settings that were kept, or "" */
	const char *set;
};

/*
 * A file of results in a directory, which has its name when it is complete. A complete one of an
 * earlier run, which would be taken for one of this run, is removed. Returns NULL with errno set.
 */
FILE *csv_begin(int dir, const char *name);
/* @others: false: it is not to have its name. Returns whether it has; errno says why not. */
bool csv_end(FILE *file, int dir, const char *name, bool others);

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

/* What the machine did while a row was measured. */
void csv_statistic(const struct csv *csv, const struct statistic *statistic);

#endif
