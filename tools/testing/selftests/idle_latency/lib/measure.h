/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The measurement of one row, from its sessions to its verdict. It is a straight way: each stage
 * takes what those before it gave, and hands on something that nobody changes afterwards.
 *
 * options.c	the arguments: struct options
 * measured_cpu.c, reference.c
 *		what is known of a CPU before its rows: struct measured_cpu
 * keep.c	what the machine is kept in while that is read and measured
 * plan.c	what is measured, when and for how long: struct row
 * collect.c
 *		the records of the sessions of a row: struct collection
 * summary.c	what these say: struct summary
 * reference.c	what the instrument adds at the distances of the row, where it decides
 * tally.c, verdict.c, figures.c
 *		struct verdict
 * types.c	the results of each core type
 * report.c, table.c, csv.c, package.c, drift.c, proposal.c
 *		what people and programs get of a struct result
 *
 * progress.c listens to collect.c.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include "summary.h"
#include "verdict.h"

struct csv;
struct obstacle;

/*
 * What the software around the idle instruction takes in one state: the largest TAI - TBI of
 * events that had fired before TBI, with which the instruction does not wait.
 */
struct software {
	/* such events */
	size_t events;
	__u64 ns;
	/* the launch distances of these */
	struct launch_distance ldist;
	/* the shortest WakeLatency of the state, 0 where it has none: the software is in it */
	__u64 least_wake_ns;
	/* a record has RECORD_DEADLINE */
	bool deadline;
};

/* Adds the kept records of a session, or samples of the same state. */
void software_add(struct software *software,
		  const struct idle_latency_record *records, size_t count);

/* With fewer events, the largest is not known. */
static inline bool software_known(const struct software *software)
{
	return software->events >= SOFTWARE_EVENTS;
}

/* The CPU that wakes a measured one by write and ipi. */
struct waker {
	unsigned int cpu;
	enum waker_place place;
	/* why there is none, or NULL */
	const char *hindrance;
};

struct waker waker_choose(const struct options *options, unsigned int cpu);

struct measured_cpu {
	unsigned int cpu;
	/* only where a method has one */
	struct waker waker;
	/* see cores_type() */
	__u32 type;
	/* as sysfs names them */
	struct idle_states states;
	/* what the driver says of each; all of it is 0 where it says nothing */
	struct idle_latency_state info[IDLE_STATES_MAX];
	/* BIT(index) of each state that has rows */
	__u32 chosen;
	/*
	 * By each of methods[]: the awake CPU, which is in the state that polls, as a row that is
	 * not judged, and what the software takes in the shallowest state that has a WakeLatency
	 * and those that have rows.
	 */
	struct row polls[METHODS];
	struct summary awake[METHODS];
	struct software software[METHODS][IDLE_STATES_MAX];
	/* the awake CPU by hrt at long distances, where its timer has no deadline */
	struct summary far;
	__u64 tick_ns;
};

/* Of the states in their order, the first one in which enough events were pending, or NULL. */
const struct software *software_shallowest(const struct measured_cpu *measured, size_t method);

/* The shortest WakeLatency of the shallowest state that has one, or 0. */
__u64 software_shallowest_wake_ns(const struct measured_cpu *measured, size_t method);

/* Whether the timer of a method has a deadline. */
bool measured_cpu_by_deadline(const struct measured_cpu *measured, size_t method);

/*
 * The tick of the timer of a CPU, in ns and rounded up, from /proc/timer_list; 1000 where it is
 * not there.
 */
__u64 timer_tick_ns(FILE *timer_list, unsigned int cpu);

/*
 * By how much its rate may be wrong, in parts per billion: IntrLatency of the awake CPU grows by
 * that with the launch distance, as the time to the handler does not.
 */
__u64 timer_rate_ppb(const struct summary *near, const struct summary *far, __u64 tick_ns);

/*
 * Sets the CPUs that are to be measured. Returns false where none that is named is online.
 * @offline: those that are not
 */
bool choose_cpus(struct options *options, struct cpu_list *offline, struct obstacle *obstacle);

/* Returns false where the CPU has not all of the states that are named. */
bool choose_states(const struct options *options, const struct measured_cpu *measured,
		   struct idle_states *chosen, struct obstacle *obstacle);

/* Reads what is known of the states. */
void measured_cpu_read(int fd, unsigned int cpu, struct measured_cpu *measured);

/*
 * Those that can be judged: a state that polls is not idle, and what declares no
 * latency has nothing to be held to.
 */
bool measured_cpu_judges(const struct measured_cpu *measured, size_t state);
void measured_cpu_judged(const struct measured_cpu *measured,
			 struct idle_states *judged);

/* A row of the method and the state with this index. */
struct row measured_cpu_row(const struct measured_cpu *measured, const struct method *method,
			    size_t state);

/* A hypervisor decides what the idle states do. */
bool measured_cpu_virtual(const struct measured_cpu *measured);

/*
 * Measures what a wake-up takes beside the state, on all CPUs at once.
 * @tasks: of each, but for the row
 */
void measured_cpus_prepare(struct task *tasks, struct measured_cpu **cpus, size_t count);

/* Reports it, and writes it to @file unless that is NULL. */
void measured_cpu_report(const struct measured_cpu *measured, FILE *file);

/* Sets what it says in the rule for a method of methods[] and the state with this index. */
void measured_cpu_rule(const struct measured_cpu *measured, const struct method *method,
		       unsigned int state, struct verdict_rule *rule);

/* Takes launch distances off a row at which the rate of the timer is too wrong. */
void measured_cpu_nearer(const struct measured_cpu *measured, struct row *row,
			 const struct options *options);

/* Whether what the awake CPU takes decides about a row. */
bool needs_awake(const struct measured_cpu *measured, const struct summary *summary);

/*
 * By how much longer the card may take than a timer to interrupt the awake CPU, by the
 * IntrLatency of both at the launch distances of a row: that of the smallest, of the median and
 * of the largest ones is what each of them may be. The rest of the way to the handler is in both.
 */
__u64 delivery_at_most(const struct order_stats *nic,
		       const struct order_stats *timer);

/* What came of a row; all outputs take it. */
struct result {
	struct summary summary;
	struct verdict verdict;
	/* of the samples that count, where other CPUs of the type are measured; see types.h */
	__u32 *latencies;
	size_t latency_count;
	/* it is in the table, and when it is FAIL has a line */
	bool shown;
};

/* What of it was allocated. */
void result_free(struct result *result);

/*
 * Whether what a state declares includes its module or its package, or may do so because nobody
 * knows: tables have the package for C6 and deeper.
 */
bool state_includes(const struct idle_latency_state *state, enum scope scope);

/*
 * The CPU may have woken ahead of the timer.
 * @nic: the same CPU and state by nic, or NULL
 */
bool is_lower_bound(const struct summary *summary, const struct summary *nic);

/* A row that was planned, and with what it is measured. */
struct measurement {
	struct task task;
	const struct measured_cpu *measured;
	bool virtual;
	/* what came of the same CPU and state by nic, or NULL */
	const struct result *nic;
	struct result *result;
	/* the stages fill these in */
	struct verdict_rule rule;
	struct collection collection;
	/* why no session ran, or NULL */
	const char *refused;
};

/* Measures the awake CPUs at the launch distances of those rows of which that decides, at once. */
void measure_awake(struct measurement *measurements, size_t count, FILE *environment);

/*
 * Takes the samples of rows of as many CPUs at once, judges them, reports the verdicts and results,
 * and writes the records to @csv, where there is a file for them. Of several rows that may be done
 * while the next ones are measured, or in measure_finish(). Returns false without memory; else
 * @measurements, which have to be from the heap, are freed when they are over.
 */
bool measure(struct measurement *measurements, size_t count, const struct csv *csv);
void measure_finish(void);

#endif
