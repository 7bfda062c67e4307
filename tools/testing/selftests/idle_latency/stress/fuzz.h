/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fuzzer makes calls with random arguments. The result of each is compared with what
 * the model allows, the model learns from it, and it is counted, so that a fuzzer that does
 * not get anywhere any more is noticed.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include "idle_latency_util.h"

/* What a call may return, 0 or more or -errno: as many as can apply to one call. */

#define RESULTS_MAX 8

struct results {
	int result[RESULTS_MAX];
	size_t count;
};

#define RESULTS(...) \
	{ .result = { __VA_ARGS__ }, .count = ARRAY_SIZE(((int[]) { __VA_ARGS__ })) }

/* Adds a result that is not among them yet. */
void results_add(struct results *results, int result);
bool results_have(const struct results *results, int result);

/* As "0 or -16 (Device or resource busy)". */
void text_add_result(struct text *text, int result);
void text_add_results(struct text *text, const struct results *results);

/* The machine, and what a session must leave as it was. */

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
	bool has_source[IDLE_LATENCY_SOURCE_IPI + 1];
};

/* Returns NULL, or why nothing can be measured here. */
const char *machine_find(struct machine *machine);
/* Undoes what call_toggle() does. */
bool machine_restore(struct machine *machine);
/* One that the machine has, or one that it has not; 0 where there is none. */
__u32 machine_source(const struct machine *machine, bool present, struct dice *dice);
/* A timer that stops in the state is no source, nor is a write to what the CPU does not watch. */
bool source_works_in(const struct machine_cpu *cpu, __u32 state, __u32 source);
bool source_has_waker(__u32 source);
const struct machine_cpu *find_cpu(const struct machine *machine,
				   unsigned int cpu);

/* Says which faults of a configuration were never seen alone. Returns how many of them. */
unsigned int config_report_missing(const struct machine *machine);

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

/* Of one record, as the session was told. */
size_t model_record_size(const struct model *model);

/* A session of it is running, or may be. */
bool model_may_run(const struct model *model);

/* A file was opened with these flags. */
void model_opened(struct model *model, int flags);

/* Of CONFIG and START. @expected: has what is wrong with it beside that */
void model_expect_still(const struct model *model, struct results *expected);
void model_configured(struct model *model,
		      const struct idle_latency_config *config);

void model_started(struct model *model);

void model_expect_stop(const struct model *model, struct results *expected);
/* It turned out that it is not running any more. */
void model_ended(struct model *model);

struct read_results model_expect_read(const struct model *model,
				      const struct read_call *call);

/* These return NULL, or what is wrong. */
const char *model_counted(struct model *model,
			  const struct idle_latency_counts *counts);
const char *model_read(struct model *model, const struct read_call *call,
		       const char *records, __u64 count);
const char *model_polled(struct model *model, short events, short revents);

/* Memory of the arguments. */

/* The largest object that memory_place() has room for. */
#define MEMORY_ROOM 16384

struct memory {
	/* MEMORY_ROOM bytes that can be used, before a page that cannot */
	char *begin;
	char *guard;
	/* a page that can only be read */
	char *read_only;
};

bool memory_map(struct memory *memory);

/* The last bytes before the guard, of which a call must not use more. */
void *memory_place(const struct memory *memory, size_t size);

/*
 * An address with fewer than @size bytes that can be used, or that can be read
 * where @reading.
 */
void *memory_bad(const struct memory *memory, size_t size, bool reading,
		 struct dice *dice);

/* Marks bytes, and finds out whether the marks are still there. */
void memory_mark(void *bytes, size_t size);
bool memory_is_marked(const void *bytes, size_t size);

/* The calls. */

#define CALLS 34

/* Results that are told apart: those that fail, and 0 to 63. */
#define TALLY_ERRORS	134
#define TALLY_RESULTS	(TALLY_ERRORS + 64)

/* Copies of the open file. */
#define FUZZ_FILES_MAX 4

struct fuzz;

/* Makes a call, and returns false when something was wrong. */
typedef bool fuzz_call(struct fuzz *fuzz);

struct call {
	const char *name;
	fuzz_call *make;
	/* how often it is made among others, in each phase of a session */
	unsigned int weight[PHASES];
	/* what the interface says that it can return, and any machine can have */
	struct results needed;
};

extern const struct call calls[CALLS];

struct fuzz {
	struct dice dice;
	struct machine machine;
	struct memory memory;
	struct model model;
	int files[FUZZ_FILES_MAX];
	size_t file_count;
	/* the one that is made now, and how often each had each result */
	const struct call *call;
	__u64 seen[CALLS][TALLY_RESULTS];
	/* of the first call that went wrong */
	struct text wrong;
};

/* Makes one of them, also on behalf of another. */
bool fuzz_make(struct fuzz *fuzz, fuzz_call *make);

/* One of the CPUs. */
struct machine_cpu *choose_cpu(struct fuzz *fuzz);

/* One of the copies of the open file. */
int fuzz_file(struct fuzz *fuzz);

/* Count how often a call has had a result. */
void fuzz_count(struct fuzz *fuzz, int result);
__u64 fuzz_counted(const struct fuzz *fuzz, const struct call *call, int result);

/* Counts the result, and says what is wrong if it is not one of @expected. */
bool fuzz_expect(struct fuzz *fuzz, int result, const struct results *expected);
bool fuzz_expect_one(struct fuzz *fuzz, int result, int expected);

/* Says what is wrong with the call unless it is NULL. */
bool fuzz_check(struct fuzz *fuzz, const char *wrong);

/*
 * Many times the longest launch distance, and than a normal session takes: nothing
 * that comes takes as long.
 */
#define PATIENCE_S	3

fuzz_call call_open, call_start_another, call_open_unprivileged, call_open_direct;
fuzz_call call_dup, call_close;
fuzz_call call_child, call_nonblock, call_unsupported;
/* Closes all copies of the file. */
fuzz_call fuzz_close_all;

fuzz_call call_config, call_config_wrong, call_config_absent, call_config_pointer;
fuzz_call call_start, call_stop, call_counts, call_counts_pointer;
fuzz_call call_state, call_state_wrong, call_state_pointer, call_unknown_command;

fuzz_call call_read, call_read_waiting, call_read_signalled, call_read_short;
fuzz_call call_read_partial, call_read_pointer, call_poll, call_poll_filling;
/* Is counted beside the read that got all that there was memory for. */
fuzz_call call_read_full;

fuzz_call call_sleep;
/* Looks at the disable files and the number of users of the module. */
fuzz_call call_look;
/* Each state is still entered. Only where no session is running. */
fuzz_call call_enter;
/* Disables or enables a state for user space, the measured one, too. */
fuzz_call call_toggle;

#endif
