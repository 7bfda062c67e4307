/* SPDX-License-Identifier: GPL-2.0 */
/* What latency_test prints and writes. */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "csv.h"
#include "measure.h"
#include "prepare.h"

struct self_check;

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
void report_shortage(const struct summary *summary, const struct range *range);
/* Where nothing suggests that the state takes as long as is declared. */
void report_remark(const struct result *result);
/*
 * The verdict on a row, and why, but with --quiet only of a FAIL; its result in KTAP comes
 * after it.
 */
void report_verdict(const struct result *result);
void report_result(const struct result *result);
/* Its result in KTAP, such as KSFT_XFAIL. */
int report_code(const struct verdict *verdict);
/* @wrong: NULL, or what was wrong with the counts or records of a session */
void report_accounting(const char *wrong);
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

#endif
