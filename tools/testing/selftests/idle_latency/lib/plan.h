/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is measured: one CPU, method and idle state in each row, at which launch distances, in
 * which order and for how long. Whoever comes after the plan takes a row as it is.
 */
#ifndef PLAN_H
#define PLAN_H

#include "options.h"

/*
 * By how much SilentTime may be shorter than the launch distance: arming an
 * event and going idle take some us.
 */
#define LAUNCH_DISTANCE_ARMING_NS	20000ULL

/* The smallest launch distance of one of enum idle_latency_source. */
__u64 launch_distance_least(unsigned int source);

/*
 * How long a CPU takes to come back depends on how long it was away, so a
 * decade is covered; where there is no time for that, a factor of two.
 */
#define LAUNCH_DISTANCE_DECADE	10
#define LAUNCH_DISTANCE_SHORT	2

/* The launch distances of the samples that count; the last is so many times the first. */
struct launch_distance launch_distance_counted(__u64 residency_ns, __u64 least_ns,
					       unsigned int times);

/* Those below the ones that count; to_ns is 0 where there are none. */
struct launch_distance launch_distance_entry(__u64 residency_ns, __u64 least_ns);

/* What is measured without --ldist, from the first to the last one. */
struct launch_distance launch_distance_default(__u64 residency_ns, __u64 least_ns);

/* Against an earlier step of a sweep. */
enum step_change { STEP_SAME, STEP_SLOWER, STEP_FASTER };

/*
 * One range of launch distances of a row: the plan sets where and how many samples, and the
 * collection and the summary have copies of it in which each adds what it knows.
 */
struct stratum {
	struct launch_distance ldist;
	/* 0: nothing is measured here */
	size_t wanted;
	/* index of its first sample, how many follow, and how many events were discarded */
	size_t first;
	size_t count;
	__u64 discarded;
	size_t above;
	/* the largest WakeLatency, or IntrLatency where there is none */
	__u64 slowest_ns;
	/* of a step with samples: WakeLatency, or IntrLatency without it in the summary */
	struct order_stats latency;
	__u64 median_error_ns;
	/* SilentTime; valid with a WakeLatency in the summary */
	struct order_stats silent;
	/* and the index of the step that it differs from */
	enum step_change change;
	size_t before;
};

/*
 * Where the samples that count are taken, after the target residency, and the wake-ups before it,
 * which may still be in the entry into the state and have to keep to the exit latency, too.
 */
enum stratum_index { STRATUM_COUNTED, STRATUM_ENTRY, STRATA };

struct row {
	unsigned int cpu;
	/* of its core, see cores_type(); other CPUs of this type are measured, too */
	__u32 type;
	bool typed;
	/* of a result of such a type: what stands in place of the CPU; else NULL */
	const char *all;
	const struct method *method;
	/* sysfs gives the name and the index */
	struct idle_state state;
	/* what is declared, by the driver */
	struct idle_latency_state info;
	/* why it cannot be measured, known before, or NULL */
	const char *hindrance;
	/* where the method has one; place: else WAKER_ANY */
	unsigned int waker;
	enum waker_place waker_place;
	/* which other CPUs are held meanwhile; none where the scope has no other */
	enum hold hold;
	/*
	 * of the run, from 1 on: measured beside the other CPUs of that, unless it has one only; 0:
	 * one CPU is measured after the other
	 */
	unsigned int phase;
	/* where not all of them can be: those with the same one are */
	size_t turn;
	/* how many are wanted; 0: as many as the options say */
	size_t samples;
	struct stratum strata[STRATA];
	/* of a sweep: its steps, where STRATUM_COUNTED is all of it */
	struct stratum *steps;
	size_t step_count;
	/* it takes no time of its own: another one that is measured at once takes as long */
	bool beside;
	/* what measuring all samples takes, about, and what at least makes a PASS */
	__u64 cost_ns;
	__u64 least_ns;
	/* the launch distances that count are fewer, for want of time */
	bool shortened;
	/* notes of the plan: it has had its part of the time, or there was none for it */
	bool over;
	bool refused;
};

/* "C6", or "C6 held" where its package is held, until the next call. */
const char *row_state(const struct row *row);
/* "cpu0 hrt C6", or "all:core hrt C6", until the next call. */
const char *row_name(const struct row *row);
/* "0", or "all:core", until the next call. */
const char *row_cpus(const struct row *row);

/* It follows the phases, with the other CPUs of the package held, beside one of the same state. */
static inline bool row_of_package(const struct row *row)
{
	return row->samples && row->hold;
}

static inline bool row_by_nic(const struct row *row)
{
	return row->method->source == IDLE_LATENCY_SOURCE_NIC;
}

/* No CPU foresees what a card or another CPU does. */
static inline bool row_by_timer(const struct row *row)
{
	return !row_by_nic(row) && !row->method->has_waker;
}

/* Whether they are measured at the same time. */
bool rows_together(const struct row *a, const struct row *b);

/* The driver says nothing of a state that it cannot measure; sysfs has whole us then. */
static inline __u64 row_declared_ns(const struct row *row)
{
	return row->info.exit_latency_ns ? row->info.exit_latency_ns :
					   1000 * row->state.latency_us;
}

/* What is above is a sample above this: what is declared, or what --limit-ns says. */
static inline __u64 row_limit_ns(const struct row *row, const struct options *options)
{
	return options->has_limit ? options->limit_ns : row->info.exit_latency_ns;
}

/* The launch distances of the step that begins at @from_ns, which is in the sweep. */
struct launch_distance sweep_step(const struct sweep *sweep, __u64 from_ns);

size_t sweep_count(const struct sweep *sweep);

/*
 * The plan of a run. First of all, each row gets what at least makes a PASS, the cheapest first,
 * as one of a shallow state takes a hundredth of one of a deep state. What is left is shared so
 * that all get the same number of samples. A row with a hindrance gets nothing.
 */

/* The mean of the distances, the exit, and what is done between two events, of so many. */
__u64 budget_cost(struct launch_distance ldist, __u64 exit_latency_ns, size_t samples);

/* The part of @left_ns that one of some costs gets. */
__u64 budget_share(__u64 left_ns, __u64 cost, __u64 all_costs);

/* Of all samples that are wanted of a stratum. */
__u64 stratum_cost(const struct row *row, const struct stratum *stratum);

/*
 * What measuring the software in the state of a row takes: events that are pending cost what there
 * is between two of them, and those that are not the exit from the state, too.
 */
__u64 software_cost(const struct row *row);

/* What it takes to tell what the card adds to the wake-ups of a row; 0 for a timer. */
__u64 delivery_cost(const struct row *row);

struct plan {
	struct row *rows;
	size_t count;
	/* for nic, which is measured with so many at once */
	size_t cards;
	/* what has to be measured before the rows, of all CPUs; 0: as long as it takes */
	__u64 preparation_ns;
};

/* What all samples of all rows take. Rows that are measured at once take the time of one. */
__u64 plan_cost(const struct plan *plan);

/*
 * What the rows that are to come need, or those of them that are not dearer than @last, which is
 * NULL for all. @also_over: also those that had it
 */
__u64 plan_least(const struct plan *plan, const struct row *last, bool also_over);

/*
 * Sets the strata of the rows, or the steps of their sweeps, and what measuring them takes. Where
 * they do not get what they need otherwise, the deepest states get fewer launch distances.
 * Returns false without memory.
 */
bool plan_begin(struct plan *plan, const struct options *options);
void plan_end(struct plan *plan);

/*
 * Where the rate of the timer is not exact, far events say less: then none of the row is farther
 * than @most_ns. What counts cannot come nearer than the target residency, and what the user
 * asked for is done.
 */
void plan_nearer(struct row *row, const struct options *options, __u64 most_ns);

/* How few samples tell what the card adds: the fewer, the longer the link was left alone. */
size_t delivery_samples(struct launch_distance ldist);

/* How many seconds it takes until this row has what it needs, and the cheaper ones. */
unsigned int plan_seconds(const struct plan *plan, const struct row *row);

/* Says of all rows whether they take time of their own. */
void plan_together(struct plan *plan);

/* Of the rows that are measured at once with this one, the one that takes the longest. */
struct row *plan_longest(const struct plan *plan, const struct row *row);

/*
 * Takes a row off those that are to come, which takes the longest of those that are measured at
 * once, and these with it. Returns what it gets of the time that is left for all of them: 0 when
 * it would not get what it needs.
 */
__u64 plan_take(struct plan *plan, struct row *row, __u64 left_ns);

/* Those for which there was no time are to come once more, as others may have needed less. */
void plan_again(struct plan *plan);

/*
 * Where samples are above, a row may take so much longer, for as many of the awake CPU at the
 * launch distances of C1: the rows after it have that less, and the last one takes it of this,
 * which the plan leaves.
 */
#define AWAKE_LEAST_NS		200000000ULL

/*
 * Of what the software around the idle instruction takes in a state, so many events are armed at
 * most where the launch distances are known. One gives a sample where the CPU is quicker on its
 * way to idle than it was when they were found, which is rare; where it is not, the session ends
 * with so many.
 */
#define SOFTWARE_EVENTS		30
#define SOFTWARE_ARMED		(4 * SOFTWARE_EVENTS)
#define SOFTWARE_SAMPLES	10

#endif
