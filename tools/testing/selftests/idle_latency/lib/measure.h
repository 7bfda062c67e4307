/* SPDX-License-Identifier: GPL-2.0 */
/* What latency_test is asked to do, and how it measures that. */
#ifndef MEASURE_H
#define MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <linux/idle_latency.h>
#include <linux/types.h>

#include "verdict.h"

struct csv;
struct step;

/*
 * How far ahead events are armed. A state is measured in two strata: those
 * wake-ups that count, after its target residency, and those before it, which
 * may still be in its entry and have to keep to the exit latency, too.
 */

struct launch_distance {
	__u64 from_ns;
	__u64 to_ns;
};

/*
 * By how much SilentTime may be shorter than the launch distance: arming an
 * event and going idle take some us.
 */
#define LAUNCH_DISTANCE_ARMING_NS	20000ULL

/* The smallest launch distance of one of enum idle_latency_source. */
__u64 launch_distance_least(unsigned int source);

/* The launch distances of the samples that count. */
struct launch_distance launch_distance_counted(__u64 residency_ns,
					       __u64 least_ns);

/* Fewer of them, where there is no time for more. */
struct launch_distance launch_distance_short(__u64 residency_ns, __u64 least_ns);

/* Those below them; false where there are none. */
bool launch_distance_entry(__u64 residency_ns, __u64 least_ns,
			   struct launch_distance *entry);

/* What is measured without --ldist, from the first to the last one. */
struct launch_distance launch_distance_default(__u64 residency_ns,
					       __u64 least_ns);

/*
 * One launch distance after the other: each range is so many percent of its begin long, at
 * least 1 ns, and the last one ends where all of them do.
 */
struct sweep {
	struct launch_distance ldist;
	/* 0: no sweep */
	unsigned int percent;
};

/* What latency_test is asked to do. */

/* All records of a row are kept in memory until it is judged. */
#define SAMPLES_MAX	1000000

struct options {
	/* say what can be asked for, or what this is, and do nothing else */
	bool help;
	bool version;
	/* say what can be measured, and do not */
	bool scan;
	/* say whether what measures can be relied on here, and judge no state */
	bool self_check;
	bool plain;
	/* print what the table does not have only where it has to be seen */
	bool quiet;
	/* show all rows in place while they are measured */
	bool top;
	/* measure what a hypervisor runs, too */
	bool force;
	/* write the records of discarded events */
	bool keep_discarded;
	const char *machine;
	const char *cpu_model;
	/* BIT(source) of each enum idle_latency_source to measure with */
	unsigned int methods;
	/* the user has chosen them */
	bool methods_named;
	/* empty: one CPU of each core type */
	struct cpu_list cpus;
	bool all_cpus;
	/* NULL: every state that can be judged */
	const char *states;
	/* how many that count are taken of each state */
	size_t samples;
	/* how long all of it may take; 0: as long as the samples take */
	unsigned int seconds;
	/* to_ns is 0 where each state gets what suits it */
	struct launch_distance ldist;
	/* instead of that */
	struct sweep sweep;
	/* enum idle_latency_stamp; 0: the closest that the kernel has */
	unsigned int stamp;
	/* parts per billion; QUANTILE_ONE: the maximum */
	__u64 quantile;
	bool has_limit;
	__u64 limit_ns;
	const char *out;
};

struct method {
	unsigned int source;
	const char *name;
};

#define METHODS 3
extern const struct method methods[METHODS];

const char *stamp_name(unsigned int stamp);

/*
 * How many samples that count make a PASS. Where the time is limited, the bound of
 * 1 % that 300 samples give is better than no verdict.
 */
size_t options_least(const struct options *options);

/* "max", or a quantile such as "0.9999". */
void quantile_name(__u64 quantile, char *name, size_t size);

/*
 * Parses what follows the name of the program. Returns false, and a line that
 * names what is wrong in @error.
 */
bool options_parse(const char * const *arguments, struct options *options,
		   char *error, size_t size);
void options_help(FILE *file);
void options_version(FILE *file);

/* What is known of one CPU, method and idle state. */

/* The launch distances that a row is measured at are in one or two ranges. */
struct stratum {
	struct launch_distance ldist;
	/* 0: nothing is measured here */
	size_t wanted;
	/* index of its first sample, and how many follow */
	size_t first;
	size_t count;
	size_t above;
	/* the largest WakeLatency, or IntrLatency where there is none */
	__u64 slowest_ns;
};

/*
 * Where the samples that count are taken, and the wake-ups during entry into the
 * state, which only have to keep to the declared exit latency like all others.
 */
enum stratum_index { STRATUM_COUNTED, STRATUM_ENTRY, STRATA };

/* How far its sessions are, in sums that grow with each sample. */
struct progress {
	/* of a sweep, from 1 on; else 0 */
	size_t step;
	size_t wanted;
	size_t samples;
	/* by budget_cost(): of all that are wanted, of those so far, and of one now */
	__u64 all_cost_ns;
	__u64 done_cost_ns;
	__u64 sample_cost_ns;
	/* WakeLatency, or IntrLatency where there is none; so is what follows */
	const char *latency;
	__u64 smallest_ns;
	__u64 largest_ns;
	__u64 sum_ns;
	/* events */
	__u64 armed;
	__u64 discarded;
	/* by CLOCK_MONOTONIC */
	__u64 began_ns;
};

struct row {
	unsigned int cpu;
	const struct method *method;
	/* sysfs gives the name and the index */
	struct idle_state state;
	/* what is declared, by the driver */
	struct idle_latency_state info;
	/* the same CPU and state by nic, or NULL */
	const struct row *nic;
	/* the awake CPU by the same method */
	const struct row *awake;
	/* why it cannot be measured, known before, or NULL */
	const char *hindrance;
	/* what measuring all samples takes, about, and what at least makes a PASS */
	__u64 cost_ns;
	__u64 least_ns;
	/* the launch distances that count are fewer, for want of time */
	bool shortened;
	/* it has had its part of the time, or there was none for it */
	bool over;
	bool refused;
	/* by CLOCK_MONOTONIC: give up then; 0: when it is clear that it is no use */
	__u64 until_ns;
	struct progress progress;
	/* false: no session ran, and only the verdict is valid below */
	bool ran;
	/* enum idle_latency_stamp; 0: no sample */
	unsigned int stamp;
	/* all samples have RECORD_DEADLINE */
	bool deadline;
	struct idle_latency_counts counts;
	__u64 elapsed_ns;
	size_t valid;
	/* a counter tells whether the state, or its package state, was reached */
	bool counted;
	bool package_counted;
	/* valid with at least one sample */
	struct order_stats intr;
	__u64 median_error_ns;
	/* what the samples may be wrong by beside their errors, and its median */
	struct instrument instrument;
	__u64 median_uncertain_ns;
	/* valid where all samples have a WakeLatency */
	bool has_wake;
	struct order_stats wake;
	struct stratum strata[STRATA];
	/* of a sweep: its parts, where STRATUM_COUNTED is all of it */
	struct step *steps;
	size_t step_count;
	struct verdict verdict;
};

static inline bool row_by_nic(const struct row *row)
{
	return row->method->source == IDLE_LATENCY_SOURCE_NIC;
}

/* The driver says nothing of a state that it cannot measure; sysfs has whole us then. */
static inline __u64 row_declared_ns(const struct row *row)
{
	return row->info.exit_latency_ns ? row->info.exit_latency_ns :
					   1000 * row->state.latency_us;
}

/*
 * Whether what a state declares includes its package, or may do so because nobody knows: tables
 * have the package for C6 and deeper.
 */
bool state_has_package(const struct idle_latency_state *state);

/* The CPU may have woken ahead of the timer; the row of nic, if any, was measured. */
bool row_is_lower_bound(const struct row *row);

/* The sessions of one row, and the records and counts that they give. */

/*
 * Of all sessions of a row: seq counts the samples and the discarded events in
 * here, each from 0, and event goes on from one session to the next.
 */
struct collection {
	struct idle_latency_record *samples;
	size_t count;
	/* at most as many as there is room for; the counts have them all */
	struct idle_latency_record *discarded;
	size_t discarded_count;
	size_t discarded_room;
	/* sums, but for the largest latencies */
	struct idle_latency_counts counts;
	/* in sessions */
	__u64 elapsed_ns;
	/* what was wrong with the accounting of the driver first, or NULL */
	const char *wrong;
};

/* When to give up. */
struct patience {
	/* in all sessions of the collection */
	__u64 armed;
	__u64 until_ns;
};

bool collect_alloc(struct collection *collection, size_t discarded_room);
void collect_free(struct collection *collection);

/*
 * Where nine of ten events are discarded, something is wrong with the machine,
 * and what is left is no fair selection.
 */
struct patience collect_patience(const struct collection *collection,
				 size_t wanted, __u64 ldist_to_ns);
bool collect_gives_up(const struct collection *collection,
		      const struct patience *patience);

/*
 * Runs a session of @row until it has delivered what @config asks for, or it is clear
 * that it will not. Returns 0 or -errno, -EINTR after a signal; what was
 * collected until an error is there, too.
 */
int collect(int fd, const struct idle_latency_config *config,
	    const struct patience *patience, struct row *row,
	    struct collection *collection);

/* From now on SIGINT and SIGTERM end the session; a second one kills. */
void collect_catch_signals(void);
bool collect_interrupted(void);

/*
 * The plan of a run. First of all, each row gets what at least makes a PASS, the cheapest first,
 * as one of a shallow state takes a hundredth of one of a deep state. What is left is shared so
 * that all get the same number of samples. A row with a hindrance gets nothing.
 */

/*
 * What @samples samples take at these launch distances in a state with this exit
 * latency, in ns: the mean of the distances, the exit, and what the program and
 * the driver do between two events.
 */
__u64 budget_cost(struct launch_distance ldist, __u64 exit_latency_ns,
		  size_t samples);

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
	/* what has to be measured before the rows, of all CPUs; 0: as long as it takes */
	__u64 preparation_ns;
	/* of the rows that are to come: what they need, and what they would take beyond it */
	__u64 least_ns;
	__u64 more_ns;
};

/*
 * Sets the strata of the rows, or the steps of their sweeps, and what measuring them takes. Where
 * they do not get what they need otherwise, the deepest states get fewer launch distances.
 * Returns false without memory.
 */
bool plan_begin(struct plan *plan, const struct options *options);

/* How many seconds it takes until this row has what it needs, and the cheaper ones. */
unsigned int plan_seconds(const struct plan *plan, const struct row *row);

/*
 * Takes a row off those that are to come. Returns what it gets of the time that is left for all
 * of them: 0 when it would not get what it needs.
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

/* The measurement of one row. */

/*
 * Both return NULL, or a sentence that says what is wrong with the accounting of
 * the driver.
 *
 * measure() fills in a row that was planned, judges it, and
 * writes its records to @csv unless that is NULL. @known: the part of the rule that
 * the other rows give.
 */
const char *measure(int fd, struct row *row, const struct options *options,
		    const struct verdict_rule *known, const struct csv *csv);

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

/* With fewer, the largest is not known. */
#define SOFTWARE_EVENTS		30

/*
 * Where the launch distances are known, so many are armed at most. One gives a sample where the
 * CPU is quicker on its way to idle than it was when they were found, which is rare; where it is
 * not, the session ends with so many.
 */
#define SOFTWARE_ARMED		(4 * SOFTWARE_EVENTS)
#define SOFTWARE_SAMPLES	10

/* Adds the kept records of a session. */
void software_add(struct software *software,
		  const struct idle_latency_record *records, size_t count);

/* Adds a sample of the same state. */
void software_note(struct software *software,
		   const struct idle_latency_record *sample);

static inline bool software_known(const struct software *software)
{
	return software->events >= SOFTWARE_EVENTS;
}

/*
 * Collects such events in the state of a row. Where they are pending depends on the machine and
 * hardly on the state: at the launch distances of @known, which is that of another state, or
 * NULL, with which it takes some 100 ms to find them.
 */
const char *measure_software(int fd, struct row *row, const struct options *options,
			     const struct software *known, struct software *software);

/*
 * By how much longer the card may take than a timer to interrupt the awake CPU, by the
 * IntrLatency of both at the launch distances of a row: that of the smallest, of the median and
 * of the largest ones is what each of them may be. The rest of the way to the handler is in both.
 */
__u64 delivery_at_most(const struct order_stats *nic,
		       const struct order_stats *timer);
/* Of which few are enough: the more, the longer the link was left alone. */
size_t delivery_samples(struct launch_distance ldist);

/* Takes samples of a row that is not judged, and needs no plan. */
const char *measure_samples(int fd, struct row *row,
			    const struct options *options,
			    struct launch_distance ldist, size_t samples);

/*
 * What has to be known of a CPU to judge its idle states: what they declare, and
 * what a wake-up takes beside the state.
 */

struct measured_cpu {
	unsigned int cpu;
	/* as sysfs names them */
	struct idle_states states;
	/* what the driver says of each; all of it is 0 where it says nothing */
	struct idle_latency_state info[IDLE_STATES_MAX];
	/* BIT(index) of each state that has rows */
	__u32 chosen;
	/*
	 * By each of methods[]: the awake CPU, which is in the state that polls, and what the
	 * software takes in the shallowest state that has a WakeLatency and those that have rows.
	 */
	struct row awake[METHODS];
	struct software software[METHODS][IDLE_STATES_MAX];
	/* the awake CPU by hrt at long distances, where its timer has no deadline */
	struct row far;
	__u64 tick_ns;
	/* by CLOCK_MONOTONIC: when to give up measuring these, or 0 */
	__u64 until_ns;
};

/*
 * The tick of the timer of a CPU, in ns and rounded up, from /proc/timer_list; 1000 where it is
 * not there.
 */
__u64 timer_tick_ns(FILE *timer_list, unsigned int cpu);

/*
 * By how much its rate may be wrong, in parts per billion: IntrLatency of the awake CPU grows by
 * that with the launch distance, as the time to the handler does not.
 */
__u64 timer_rate_ppb(const struct row *near, const struct row *far,
		     __u64 tick_ns);

/* Reads what is known of the states. */
void measured_cpu_read(int fd, unsigned int cpu, struct measured_cpu *measured);

/*
 * Those that can be judged: a state that polls is not idle, and what declares no
 * latency has nothing to be held to.
 */
void measured_cpu_judged(const struct measured_cpu *measured,
			 struct idle_states *judged);

/* A hypervisor decides what the idle states do. */
bool measured_cpu_virtual(const struct measured_cpu *measured);

/*
 * Measures what a wake-up takes beside the state. Returns NULL, or what was
 * wrong with the accounting of the driver.
 */
const char *measured_cpu_prepare(int fd, struct measured_cpu *measured,
				 const struct options *options);

/* Reports it, and writes it to @file unless that is NULL. */
void measured_cpu_report(const struct measured_cpu *measured, FILE *file);

/* Sets what it says in the rule for a method of methods[] and the state with this index. */
void measured_cpu_rule(const struct measured_cpu *measured, const struct method *method,
		       unsigned int state, struct verdict_rule *rule);

/*
 * Whether the instruments on this machine are what the verdicts rely on: latency_test
 * --self-check. Each function judges what sessions gave, and sets all but the name.
 */

enum self_verdict {
	SELF_OK,
	SELF_DIFFERS,
	SELF_IMPOSSIBLE,
};

struct self_check {
	char name[48];
	enum self_verdict verdict;
	/* constant: in what it differs, or why it is not possible here; NULL when it is OK */
	const char *reason;
	char figures[256];
};

void self_check_impossible(struct self_check *check, const char *reason);

/* The median IntrLatency of the second less that of the first; false with too few samples. */
bool self_check_difference(const struct collection *timer, const struct collection *other,
			   __s64 *ns);

/* @delivery_ns: by how much that of the second is to be larger */
void self_check_agree(const struct collection *timer, const struct collection *other,
		      __s64 delivery_ns, struct self_check *check);

/* WakeLatency is the same at all launch distances; all samples have one. */
void self_check_slope(const struct collection *collection, struct self_check *check);

/*
 * @tsc: readings one after the other on one CPU
 * @error_ns: that of a sample by a timer, or 0
 */
void self_check_step(const __u64 *tsc, size_t count, double cyc_per_ns, __u64 error_ns,
		     struct self_check *check);

/* hrt: from when the timer is due to the time that it is programmed to. */
void self_check_deadline(const struct collection *collection, struct self_check *check);

/* What the counter of a state advanced by, around events and between them. */
void self_check_residency(const struct idle_latency_counts *counts, struct self_check *check);

/* Discarded events that were pending before idle, in a state that declares this. */
void self_check_software(const struct collection *collection, double cyc_per_ns,
			 __u64 declared_ns, struct self_check *check);

/*
 * nic: whether the link slept when the event fired.
 * @delivery_ns: median IntrLatency of the awake CPU by nic less that by a timer; 0: not known
 */
void self_check_warmup(const struct collection *collection, __s64 delivery_ns,
		       struct self_check *check);

/* CPUID 15H: TSC cycles per tick of the crystal are numerator / denominator. */
struct crystal {
	__u32 denominator;
	__u32 numerator;
};

/* tdt: whether wake-ups come at ticks of the crystal only. */
void self_check_crystal(const struct collection *collection, const struct crystal *crystal,
			double cyc_per_ns, struct self_check *check);

/* How many results self_check() reports. */
size_t self_check_results(const struct measured_cpu *measured);

/*
 * Runs the sessions for all that, until the time is up by CLOCK_MONOTONIC, and reports what
 * they say. States that somebody disabled are left alone.
 * @no_card: why there is no card for nic, or NULL
 *
 * Returns NULL, or what was wrong with the accounting of the driver.
 */
const char *self_check(int fd, const struct measured_cpu *measured,
		       const struct options *options, const char *no_card, __u64 until_ns);

/*
 * What of the machine has an effect on the latencies, and has to be known with
 * them. One thing per line, as "key: value"; the key of what is said of one CPU is
 * its name.
 */

/*
 * Writes all of it to @file unless that is NULL, and reports what has to be seen
 * beside the latencies.
 */
void environment_report(const struct options *options, FILE *file);

/* Reports a line, and writes it to @file unless that is NULL. */
__printf(2, 3) void environment_line(FILE *file, const char *format, ...);

/* Whether a command line of the kernel has to do with idle states. */
bool environment_command_line_matters(const char *line);

/* ASPM states that the link control register allows: its bits 0 and 1. */
const char *environment_aspm(unsigned int link_control);

/* ASPM states of the link of a PCI device. */
const char *environment_link(const char *address);

/*
 * Returns the link control register in the configuration space of a PCI device,
 * or -1 when it has none.
 */
int environment_link_control(const unsigned char *config, size_t size);

/* Timer pre-wake as MSR_POWER_CTL says. */
const char *environment_prewake(__u64 power_ctl);

/* What the firmware allows the idle states of Intel CPUs, in MSRs. */

#define MSR_PKG_CST_CONFIG_CONTROL	0xe2
#define CST_CONFIG_C3_DEMOTION		25
#define CST_CONFIG_C1_DEMOTION		26

#define MSR_POWER_CTL			0x1fc
#define POWER_CTL_C1E_PROMOTION		1
/* Set: off. What "--cstate-prewake" of Intel's pepc changes. */
#define POWER_CTL_NO_PREWAKE		30

struct power_model;

/*
 * Whether the bits above are known to mean this on a CPU: the model, or NULL.
 * All three as /proc/cpuinfo has them.
 */
const struct power_model *power_model(const char *vendor, const char *family,
				      const char *model);

/* The deepest package state that MSR_PKG_CST_CONFIG_CONTROL allows. */
const char *power_package_limit(const struct power_model *model,
				__u64 cst_config);

/* What they say of one CPU, each in a word or two, such as "on", or why that is unknown. */
struct power_settings {
	const char *prewake;
	const char *c1e_promotion;
	const char *c1_demotion;
	const char *c3_demotion;
	const char *package_limit;
};

void power_settings_read(unsigned int cpu, struct power_settings *settings);

/* Returns NULL, or why the MSR of the CPU has no value. */
const char *power_msr_read(unsigned int cpu, unsigned int msr, __u64 *value);

#endif
