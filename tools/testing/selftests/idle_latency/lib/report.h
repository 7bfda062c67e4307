/* SPDX-License-Identifier: GPL-2.0 */
/* Output for people (plain) or for kselftest (KTAP). */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>

#include "kselftest.h"
#include "row.h"

/* What latency_test returns; all but USAGE are those of kselftest. */
enum exit_code {
	EXIT_CODE_OK = 0,
	EXIT_CODE_FAIL = 1,
	EXIT_CODE_USAGE = 2,
	EXIT_CODE_NOTHING = 4,
};

void report_begin(bool plain);
/* How many results follow. */
void report_plan(unsigned int results);
/* A line; in KTAP a diagnostic one. */
__printf(1, 2) void report_line(const char *format, ...);
/* The verdict on a row, and why; its result in KTAP comes after it. */
void report_verdict(const struct row *row);
void report_result(const struct row *row);
/* @wrong: NULL, or what was wrong with the counts or records of a session */
void report_accounting(const char *wrong);
/* @failed: something that is no result went wrong */
int report_end(bool failed);
/* Nothing can be measured. */
int report_skip_all(const char *reason);

#endif
