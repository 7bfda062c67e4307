/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files in verdict/ can say of the parts of latency_test that need no device. Only
 * verdict_case.c knows the structures that the values are in.
 */
#ifndef VERDICT_CASE_H
#define VERDICT_CASE_H

#include <stdbool.h>

#include "idle_latency_util.h"

/* Room for the longest text that is said. */
#define CASE_BYTES	4096

/* Begins a case: one row in which 4 samples are at the limit, so that it is PASS. */
void case_begin(void);

/* Sets what "rule.limit_ns" or "wake_ns[1-3]" names. Returns NULL, or what is wrong. */
const char *case_set(const char *name, const char *value);

/* Adds what the function or the value with this name says. Returns false where there is none. */
bool case_say(const char *name, struct text *text);

#endif
