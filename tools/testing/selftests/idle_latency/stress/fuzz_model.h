/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the fuzzer knows: the results that a call may have, the session, the machine,
 * configurations, and which results were seen.
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

/* The machine of the fuzzer, and what a session must leave as it was. */

#define MACHINE_CPUS_MAX 8

struct machine_cpu {
	unsigned int cpu;
	/* as they were, and with what the disable files must say now */
	struct idle_states found;
	struct idle_states states;
	/* what the device knows of those that can be used, and which the CPU enters */
	struct idle_latency_state known[IDLE_STATES_MAX];
	bool usable[IDLE_STATES_MAX];
	bool entered[IDLE_STATES_MAX];
};

struct machine {
	struct machine_cpu cpus[MACHINE_CPUS_MAX];
	size_t cpu_count;
	/* the lowest number that no CPU can have */
	unsigned int beyond_cpus;
	bool has_offline_cpu;
	unsigned int offline_cpu;
	bool has_source[IDLE_LATENCY_SOURCE_NIC + 1];
};

/* Returns NULL, or why nothing can be measured here. */
const char *machine_find(struct machine *machine);
const struct machine_cpu *find_cpu(const struct machine *machine,
				   unsigned int cpu);

/* These return NULL, or what is wrong. */

/* The disable files and the number of users of the module. */
const char *machine_look(const struct machine *machine,
			 const struct model *model);

/* Each state is still entered. Only where no session is running. */
const char *machine_enter(const struct machine *machine);

/* Disables or enables a state for user space, the measured one, too. */
const char *machine_toggle(struct machine *machine, struct dice *dice);

/* Undoes machine_toggle(). */
const char *machine_restore(struct machine *machine);

/* Configurations, right and wrong, and what is wrong with them. */

/* Ways to make a configuration wrong. */
enum fault {
	FAULT_FLAG,
	FAULT_RECORD_SIZE,
	FAULT_PADDING,
	FAULT_ENTRY,
	FAULT_SOURCE,
	FAULT_LDIST_REVERSED,
	FAULT_LDIST_FROM_ZERO,
	FAULT_LDIST_FROM_FAR,
	FAULT_LDIST_TO_ZERO,
	FAULT_LDIST_TO_FAR,
	FAULT_CPU_ABSENT,
	FAULT_CPU_OFFLINE,
	/* From here on, the kernel has to look at the idle states. */
	FAULT_STATE,
	FAULT_SOURCE_ABSENT,
	FAULTS
};

const char *fault_name(enum fault fault);
/* The machine can have it. */
bool fault_is_possible(const struct machine *machine, enum fault fault);
void fault_apply(struct idle_latency_config *config, enum fault fault,
		 const struct machine *machine, struct dice *dice);

void config_choose(struct idle_latency_config *config,
		   const struct machine *machine, struct dice *dice);
/* Every error that applies; none where the configuration is right. */
void config_errors(const struct idle_latency_config *config,
		   const struct machine *machine, struct results *errors);
/* Likewise when the device is asked for a state. */
void state_errors(const struct idle_latency_state *state,
		  const struct machine *machine, struct results *errors);
/* A session of it delivers records whenever the CPU is idle. */
bool config_is_productive(const struct idle_latency_config *config);
void config_print(const struct idle_latency_config *config, char *text,
		  size_t size);

/*
 * How often each call had each result, so that a fuzzer that does not get
 * anywhere any more is noticed.
 */

enum call {
	CALL_OPEN,
	CALL_OPEN_UNPRIVILEGED,
	CALL_OPEN_DIRECT,
	CALL_DUP,
	CALL_CLOSE,
	CALL_CHILD,
	CALL_NONBLOCK,
	CALL_CONFIG,
	CALL_CONFIG_WRONG,
	CALL_CONFIG_ABSENT,
	CALL_CONFIG_POINTER,
	CALL_START,
	CALL_STOP,
	CALL_COUNTS,
	CALL_COUNTS_POINTER,
	CALL_STATE,
	CALL_STATE_WRONG,
	CALL_STATE_POINTER,
	CALL_UNKNOWN_COMMAND,
	CALL_READ,
	CALL_READ_WAITING,
	CALL_READ_SIGNALLED,
	CALL_READ_SHORT,
	CALL_READ_PARTIAL,
	CALL_READ_FULL,
	CALL_READ_POINTER,
	CALL_POLL,
	CALL_POLL_FILLING,
	CALL_UNSUPPORTED,
	CALL_SLEEP,
	CALL_LOOK,
	CALL_ENTER,
	CALL_TOGGLE,
	CALLS
};

/* Results that tally_add() tells apart: those that fail, and 0 to 63. */
#define TALLY_ERRORS	134
#define TALLY_RESULTS	(TALLY_ERRORS + 64)

struct tally {
	__u64 seen[CALLS][TALLY_RESULTS];
	/* configurations with this fault alone that failed because of it */
	__u64 faults[FAULTS];
};

void tally_add(struct tally *tally, enum call call, int result);
bool tally_has(const struct tally *tally, enum call call, int result);

/* Print a line for each call, and for each result that is missing. */
void tally_print(const struct tally *tally);
/* Returns the number of results that the machine can have but were not seen. */
unsigned int tally_missing(const struct tally *tally,
			   const struct machine *machine);

const char *call_name(enum call call);

#endif
