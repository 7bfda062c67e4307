/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fuzzer makes calls with random arguments. The result of each is compared with what
 * the model allows, the model learns from it, and it is counted, so that a fuzzer that does
 * not get anywhere any more is noticed. There is one machine, one model of one session, and
 * one call that is made now, and so none of them is handed to functions.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include "idle_latency_util.h"

/* By which all is chosen. */
extern struct dice dice;

/* What a call may return, 0 or more or -errno: as many as can apply to one call. */

#define RESULTS_MAX 8

struct results {
	int result[RESULTS_MAX];
	size_t count;
};

#define RESULTS(...) \
	{ .result = { __VA_ARGS__ }, .count = ARRAY_SIZE(((int[]) { __VA_ARGS__ })) }

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

extern struct machine {
	struct machine_cpu cpus[MACHINE_CPUS_MAX];
	size_t cpu_count;
	/* the lowest number that no CPU can have */
	unsigned int beyond_cpus;
	bool has_offline_cpu;
	unsigned int offline_cpu;
	bool has_source[IDLE_LATENCY_SOURCE_IPI + 1];
} machine;

/* Returns NULL, or why nothing can be measured here. */
const char *machine_find(void);
/* Undoes what call_toggle() does. */
bool machine_restore(void);
/* One that the machine has, or one that it has not; 0 where there is none. */
__u32 machine_source(bool present);
/* A timer that stops in the state is no source, nor is a write to what the CPU does not watch. */
bool source_works_in(const struct machine_cpu *cpu, __u32 state, __u32 source);
bool source_has_waker(__u32 source);
const struct machine_cpu *find_cpu(unsigned int cpu);
/* One of the CPUs. */
struct machine_cpu *choose_cpu(void);

/* Says which faults of a configuration were never seen alone. Returns how many of them. */
unsigned int config_report_missing(void);

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

extern struct model {
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
} model;

/* How read() is called, in records, and how many of them it may return if there are any. */
struct read_call {
	__u64 asked;
	/* for which there is memory, and whether that is less than what is asked for */
	__u64 fit;
	bool is_cut;
	/* to the end, or until it has all that is asked for */
	bool waits;
	__u64 least;
	__u64 most;
};

/* Of one record, as the session was told. */
size_t model_record_size(void);

/* A session of it is running, or may be. */
bool model_may_run(void);

/* A file was opened with these flags. */
void model_opened(int flags);

/* Of CONFIG and START, with what they may return because of something else. */
void model_expect_still(void);
void model_configured(const struct idle_latency_config *config);

void model_started(void);

void model_expect_stop(void);
/* It turned out that it is not running any more. */
void model_ended(void);

/* Errors, the end, and numbers of records. */
void model_expect_read(struct read_call *call);

/* These return NULL, or what is wrong. */
const char *model_counted(const struct idle_latency_counts *counts);
const char *model_read(const struct read_call *call, const char *records, __u64 count);
const char *model_polled(short events, short revents);

/* Memory of the arguments: what can be used, before a page that cannot. */

/* The largest object that memory_place() has room for. */
#define MEMORY_ROOM 16384

bool memory_map(void);

/* The last bytes before the guard, of which a call must not use more. */
void *memory_place(size_t size);

/*
 * An address with fewer than @size bytes that can be used, or that can be read
 * where @reading.
 */
void *memory_bad(size_t size, bool reading);

/* Marks bytes, and finds out whether the marks are still there. */
void memory_mark(void *bytes, size_t size);
bool memory_is_marked(const void *bytes, size_t size);

/* The calls. */

/* Makes a call, and returns false when something was wrong. */
typedef bool fuzz_call(void);

struct call {
	const char *name;
	fuzz_call *make;
	/* how often it is made among others, in each phase of a session */
	unsigned int weight[PHASES];
	/* what the interface says that it can return, and any machine can have */
	struct results needed;
};

/* The one that is made now, and what it may return. */
extern struct made {
	const struct call *call;
	struct results may;
} made;

/* Of the first call that went wrong. */
extern struct text fuzz_wrong;

/* Makes one of them, also on behalf of another. */
bool fuzz_make(fuzz_call *make);

/* A result that it may have, too. */
void fuzz_may(int result);

/* Count how often it has had a result. */
void fuzz_count(int result);
__u64 *fuzz_counter(const struct call *call, int result);

/* Counts the result, and says what is wrong if it is none that it may have. */
bool fuzz_expect(int result);
/* The same where it may have that one only. */
bool fuzz_expect_one(int result, int expected);

/* Says what is wrong with the call unless it is NULL. */
bool fuzz_check(const char *what);

/* One of the copies of the open file. */
int fuzz_file(void);

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
