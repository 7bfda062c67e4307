/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What must be true of the counts and records of every session, whatever the
 * machine does. Each function returns NULL, or a sentence that says what is
 * wrong.
 */
#ifndef ACCOUNTING_H
#define ACCOUNTING_H

#include <linux/idle_latency.h>

/* At every moment. */
const char *accounting_counts(const struct idle_latency_counts *counts);

/* Likewise, of a session with this limit_ns. */
const char *accounting_limit(const struct idle_latency_counts *counts,
			     __u64 limit_ns);

/* After the end of a session of which all records were read. */
const char *accounting_end(const struct idle_latency_counts *counts,
			   __u64 records);

/* The record with this number in a session configured like this. */
const char *accounting_record(const struct idle_latency_record *record,
			      __u64 seq,
			      const struct idle_latency_config *config);

#endif
