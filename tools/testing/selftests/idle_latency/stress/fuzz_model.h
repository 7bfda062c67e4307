/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the fuzzer knows of the device: the results that a call may have, and the
 * session.
 */
#ifndef FUZZ_MODEL_H
#define FUZZ_MODEL_H

#include "idle_latency_util.h"

#define RECORD_SIZE sizeof(struct idle_latency_record)

/* What a call may return, 0 or more or -errno: as many as can apply to one call. */
#define RESULTS_MAX 8

struct results {
	int result[RESULTS_MAX];
	size_t count;
};

/* Adds a result that is not among them yet. */
void results_add(struct results *results, int result);
void results_add_all(struct results *results, const struct results *more);
bool results_have(const struct results *results, int result);

/* As "0 or -16 (Device or resource busy)". */
void results_print(const struct results *results, char *text, size_t size);
void result_print(int result, char *text, size_t size);

/*
 * What include/uapi/linux/idle_latency.h says of a session, as a model: which
 * results each call may have, and what is known after it. Where a session ends
 * by itself at an unknown moment, the results of before and after are allowed,
 * until one of them tells which it was.
 */

enum phase {
	/* no file is open */
	PHASE_CLOSED,
	/* a file is open, no session is running */
	PHASE_STILL,
	/* it was running, and may have ended by itself */
	PHASE_MAYBE,
	/* it is running until it is stopped */
	PHASE_RUNS,
	PHASES
};

struct model {
	enum phase phase;
	bool readable;
	bool writable;
	bool nonblock;
	bool configured;
	struct idle_latency_config config;
	/* all below is of the session since the last configuration */
	bool started;
	/* the last counts that were seen, zero before */
	struct idle_latency_counts counts;
	/* counts.delivered and counts.kept are those of a session that has ended */
	bool is_final;
	/* records that were read, and the last of them that was a sample */
	struct reader seen;
	struct idle_latency_record last;
	/* poll() said that there is something to read */
	bool polled;
};

/* How read() is called. */
struct read_call {
	/* bytes asked for, and the first of them that can be written */
	size_t count;
	size_t room;
	/* signals come while it waits */
	bool signals;
};

/* What read() may return: errors, the end, and numbers of records. */
struct read_results {
	struct results results;
	__u64 least;
	__u64 most;
};

/* A session of it is running, or may be. */
bool model_may_run(const struct model *model);

/* A file was opened with these flags; the last one was closed. */
void model_opened(struct model *model, int flags);
void model_closed(struct model *model);

/* @errors: what is wrong with the configuration. */
void model_expect_config(const struct model *model,
			 const struct results *errors,
			 struct results *expected);
void model_configured(struct model *model,
		      const struct idle_latency_config *config);

void model_expect_start(const struct model *model, struct results *expected);
void model_started(struct model *model);

void model_expect_stop(const struct model *model, struct results *expected);
void model_stopped(struct model *model);
/* It turned out that it is not running any more. */
void model_ended(struct model *model);

void model_expect_read(const struct model *model,
		       const struct read_call *call,
		       struct read_results *expected);

/* These return NULL, or what is wrong. */
const char *model_counted(struct model *model,
			  const struct idle_latency_counts *counts);
const char *model_read(struct model *model, const struct read_call *call,
		       const struct idle_latency_record *records, __u64 count);
const char *model_polled(struct model *model, short events, short revents);

/* The session will end by itself once it has its samples. */
bool model_has_end(const struct idle_latency_config *config);

#endif
