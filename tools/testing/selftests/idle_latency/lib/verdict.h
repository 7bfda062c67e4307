/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From samples and counts to a verdict, and what can be said of it.
 */
#ifndef VERDICT_H
#define VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/idle_latency.h>
#include <linux/types.h>

#include "idle_latency_util.h"

/* Exact order statistics, by nearest rank. */

/* Quantiles are in parts per billion, so that a rank is exact. */
#define QUANTILE_ONE	1000000000ULL

/*
 * A quantile above which not even one sample may lie is but the maximum under
 * another name: has_ is false then, and the quantile is 0.
 */
struct order_stats {
	__u64 min;
	__u64 median;
	__u64 p99;
	__u64 p999;
	__u64 p9999;
	__u64 max;
	bool has_p99;
	bool has_p999;
	bool has_p9999;
};

void sort_samples(__u64 *samples, size_t count);

/*
 * The smallest sample that at least this part of all samples does not exceed.
 * There is at least one sample, and they are sorted.
 */
__u64 order_stat(const __u64 *sorted, size_t count, __u64 quantile);
struct order_stats order_stats(const __u64 *sorted, size_t count);

/*
 * How sure one can be of the probability of an event that was seen k times in
 * n trials: exact tails of the binomial distribution, and the bounds of Clopper
 * and Pearson that follow from them.
 */

/* One-sided bounds at 95 %: each of them is wrong in at most 5 % of cases. */
#define BINOMIAL_ALPHA	0.05

/* Of n trials, each with the probability p, at least or at most k. */
double binomial_at_least(__u64 n, __u64 k, double p);
double binomial_at_most(__u64 n, __u64 k, double p);

/*
 * One-sided bounds of the probability of what was seen k times in n trials,
 * with the confidence 1 - alpha. Nothing is known, so that they are 0 and 1,
 * where n is 0 or k is above n.
 */
double binomial_lower(__u64 n, __u64 k, double alpha);
double binomial_upper(__u64 n, __u64 k, double alpha);

/*
 * The smallest n with which k show that the probability is below p: the upper
 * bound is below it. 0 where there is none, because p is 0.
 */
__u64 binomial_smallest_n(__u64 k, double p, double alpha);

/* Where the CPU was during a sample, in percent, as far as it says so. */

/* Share of the interval that a counter counted. False: absent or invalid. */
bool residency_share(const struct idle_latency_record *record,
		     enum idle_latency_residency_counter counter,
		     double *percent);

/*
 * Share of the interval that the core was in C1: counted where there is a
 * counter, else what C0 and the deeper core states leave. False: not known.
 */
bool residency_c1_share(const struct idle_latency_record *record,
			double *percent);

/* Such as "CC6"; NULL: there is no such counter. */
const char *residency_name(unsigned int counter);

/*
 * The deepest package state of which the counter advanced, such as "PC6"; "PC0"
 * when none did, and "" where the CPU has no such counters.
 */
const char *residency_package(const struct idle_latency_record *record);

/* Adds what is not 0, such as "C0 1.5 %, C1 8.5 %, CC6 90.0 %". */
void residency_add(struct text *text, const struct idle_latency_record *record);

/* Frequency after the wake-up, in percent of that of the TSC. False: absent. */
bool residency_frequency(const struct idle_latency_record *record,
			 double *percent);

/* Why events gave no sample, in words. */

__u64 discards_total(const struct idle_latency_counts *counts);

/*
 * Those for which the machine is to blame, which had something else to do, and thereby selects
 * what is left. An event that is so near that the CPU had not been idle yet comes from its launch
 * distance, as most of those have it that are taken during entry.
 */
__u64 discards_selecting(const struct idle_latency_counts *counts);

/* How many of all had a latency above the limit. */
__u64 discards_above(const struct idle_latency_counts *counts);

/*
 * "no_idle 2, nmi 2 (1 above, largest 812000 ns)"; empty when nothing was
 * discarded.
 */
void discards_text(const struct idle_latency_counts *counts, char *text,
		   size_t size);

/*
 * Only those of which some were above the limit, and whose they are:
 * "nmi 2 (1 above, largest 812000 ns; the watchdog's or perf's)".
 */
void discards_above_text(const struct idle_latency_counts *counts, char *text,
			 size_t size);

/* "nmi+smi" for these bits of a record; empty for a sample. */
void discards_reasons_text(__u32 reasons, char *text, size_t size);

/* Whether other timers are the most frequent reason. */
bool discards_mostly_timers(const struct idle_latency_counts *counts);

/* "no_idle 2", the most frequent reason; "none" when nothing was discarded. */
void discards_most_text(const struct idle_latency_counts *counts, char *text,
			size_t size);

/*
 * Whether the latencies that were measured keep to the declared exit latency.
 *
 * What a sample may be wrong by beside error_ns of its record is its doubt, in ns: as much
 * either way, and what can only have made the latency longer.
 */

struct doubt {
	__u64 either_ns;
	__u64 longer_ns;
};

/* What the instrument adds to the samples of a row, as far as their records have it not. */
struct instrument {
	/* nic: what the card needs longer than a timer to interrupt the awake CPU, at most */
	__u64 delivery_ns;
	/* what the CPU takes from TBI to TAI where the idle instruction does not wait, at most */
	__u64 software_ns;
	/*
	 * hrt without a deadline: the tick of the timer, and by how much its rate may be wrong,
	 * in parts per billion of the launch distance
	 */
	__u64 tick_ns;
	__u64 rate_ppb;
	/* NULL, or which of these could not be measured: then no sample is above */
	const char *unknown;
};

struct doubt instrument_doubt(const struct instrument *instrument,
			      const struct idle_latency_record *sample);

/*
 * The longest launch distance at which the rate of the timer is wrong by no more than a tenth of
 * this limit.
 */
__u64 instrument_ldist_most(const struct instrument *instrument, __u64 limit_ns);

/* All of that. */
__u64 instrument_uncertain(const struct instrument *instrument,
			   const struct idle_latency_record *sample);

/*
 * Where a latency is with its error and its doubt: ABOVE the limit even without what made it
 * longer, or BELOW it, which includes the limit itself, even with all of its error.
 */
enum zone {
	ZONE_BELOW,
	ZONE_WITHIN,
	ZONE_ABOVE,
};

enum zone verdict_zone(const struct instrument *instrument, __u64 limit_ns,
		       const struct idle_latency_record *sample);

enum verdict_result {
	VERDICT_PASS,
	VERDICT_FAIL,
	VERDICT_SKIP,
};

/*
 * What a PASS does not say; several can apply.
 *
 * UNVERIFIED: no counter tells whether the state was reached.
 * VIRTUAL: a hypervisor decides what the state does.
 * LOWER_BOUND: the CPU may have woken ahead of the timer.
 * CORE_ONLY: the declared value includes the package, which mostly did not
 *	reach its state.
 * UPPER_BOUND: only IntrLatency is known, which is not below WakeLatency.
 * UNPROVEN: the quantile may be above the limit, because there are too few samples.
 * FEW_ABOVE: some are not below the limit, but no more than the quantile lets be.
 */
enum {
	QUALIFIER_UNVERIFIED = 1,
	QUALIFIER_VIRTUAL = 2,
	QUALIFIER_LOWER_BOUND = 4,
	QUALIFIER_CORE_ONLY = 8,
	QUALIFIER_UPPER_BOUND = 16,
	QUALIFIER_UNPROVEN = 32,
	QUALIFIER_FEW_ABOVE = 64,
};

/* Room for all of them in words. */
#define QUALIFIERS_BYTES	96

struct verdict {
	enum verdict_result result;
	/* of a FAIL: the firmware declares what does not hold, and not the kernel */
	bool firmware;
	/* of a PASS, else 0 */
	unsigned int qualifiers;
	/* constant, without figures and commas; "" for a PASS */
	const char *reason;
	/* one sentence */
	char figures[1024];
	/* samples that are above the limit */
	size_t above;
	/* discarded events above the limit, for all reasons */
	__u64 discarded_above;
	/* samples that reached the state, and those that are known to have its package state */
	size_t reached;
	size_t package;
	/*
	 * One-sided bounds at 95 % of the probability of a sample above: from those that
	 * count and are not below, and from those that are above among all samples.
	 */
	double p_upper;
	double p_lower;
	/*
	 * The smallest limit that all samples are below, and the smallest that a
	 * quantile of 99.99 % passes, where there are enough samples for that.
	 */
	__u64 smallest_pass_ns;
	__u64 smallest_p9999_ns;
	/* the smallest that no sample is above */
	__u64 none_above_ns;
	bool has_p9999;
};

struct verdict_rule {
	/* declared exit latency, or what --limit-ns says */
	__u64 limit_ns;
	/* target residency */
	__u64 residency_ns;
	/* parts per billion; QUANTILE_ONE: the maximum */
	__u64 quantile;
	/* how many samples that count make a PASS */
	size_t wanted;
	/* a counter tells whether the state was reached */
	bool counter_known;
	/* its name, such as "CC6", or NULL */
	const char *counter;
	/* what is declared includes the package, or nobody knows whether it does */
	bool package_included;
	/* the firmware has declared it */
	bool firmware;
	/* its tick cannot be stopped, because others of nohz_full have none */
	bool keeps_time;
	/* the events are those of a card, which may lose them by itself */
	bool by_card;
	/* a timer that the CPU may wake ahead of */
	bool lower_bound;
	/* by a timer: how many samples nic has of the state, and how many reached it */
	size_t nic_count;
	size_t nic_reached;
	/* in a virtual machine */
	bool virtual;
	struct instrument instrument;
	/* for the session: what the CPU may take from TBI to the idle instruction */
	__u64 entry_ns;
	/* nic: the timer that wakes the awake CPU, too; NULL: none does */
	const struct method *timer;
	/* the method with the smallest error of those that work here, or NULL; its median */
	const char *best;
	__u64 best_error_ns;
	/*
	 * For states that are entered with interrupts enabled: so many samples of
	 * the awake CPU, and their IntrLatency.
	 */
	size_t awake_count;
	struct order_stats awake;
};

/* All of it is summed over the sessions of the state. */
struct verdict_evidence {
	const struct idle_latency_record *samples;
	size_t count;
	const struct idle_latency_counts *counts;
	/* of discarded events, as far as they were kept */
	const struct idle_latency_record *discarded;
	size_t discarded_count;
	/* why a session ended early: constant, without commas; or NULL */
	const char *error;
	/* what on this machine usually keeps a CPU out of the state, or "" */
	const char *causes;
};

/*
 * Whether so many of n above a limit contradict that it is this quantile, in parts per billion:
 * of 40 rows at the quantile itself, one is wrong in 4 % at most.
 */
bool verdict_contradicts(__u64 n, __u64 above, __u64 quantile);

const char *verdict_name(enum verdict_result result);

/* "unverified+lower-bound"; "" for none. */
void verdict_qualifiers_text(unsigned int qualifiers, char *text, size_t size);

/* The latency less its error. */
__u64 verdict_least(const struct idle_latency_record *sample);

/* How many of these samples count, by the counter where there is one. */
size_t verdict_counted(const struct idle_latency_record *samples, size_t count,
		       __u64 residency_ns);

void verdict_judge(const struct verdict_rule *rule,
		   const struct verdict_evidence *evidence,
		   struct verdict *verdict);

/* There is nothing to judge. */
void verdict_skip(struct verdict *verdict, const char *reason);

/*
 * What keeps a CPU out of a deep idle state: work on CPUs that have to be idle
 * with it, and what the firmware has set.
 */

/* How a CPU has spent its time since the boot, in ticks of USER_HZ. */
struct cpu_time {
	__u64 busy;
	__u64 idle;
};

/* Too large for a stack. */
struct causes {
	unsigned int cpu;
	/* of its core and of its package; the CPU itself is in both */
	struct cpu_list siblings;
	struct cpu_list package;
	struct cpu_time before[CPU_LIST_MAX];
	struct cpu_time after[CPU_LIST_MAX];
};

/* Begins to watch what has to be idle with @cpu. */
void causes_begin(struct causes *causes, unsigned int cpu);

/*
 * Says what has kept the CPU out of @state since then, joined by ", "; nothing
 * when nothing was found.
 */
void causes_text(struct causes *causes, const struct idle_latency_state *state,
		 char *text, size_t size);

/*
 * Whether a CPU keeps the time for others, as the file nohz_full in /sys/devices/system/cpu says:
 * then it has to tick even while it is idle.
 */
bool causes_keeps_time(const char *nohz_full, unsigned int cpu);

/*
 * Whether the firmware declares a state with this name, not the cpuidle driver, nor whoever gave
 * the parameter table of intel_idle.
 */
bool causes_firmware(const char *driver, const char *state, const char *table);

/* Parses the line of a CPU in /proc/stat; other lines return false. */
bool causes_parse(const char *line, unsigned int *cpu, struct cpu_time *time);

/* Whether a CPU has worked so much that others were kept awake with it. */
bool causes_busy(const struct cpu_time *before, const struct cpu_time *after);

/* As causes_text(), from what is in @causes. */
void causes_describe(const struct causes *causes,
		     const struct idle_latency_state *state, char *text,
		     size_t size);

/* What to declare instead, for a table that does not hold. */

struct proposal_state {
	const char *name;
	/* declared, in ns */
	__u64 latency_ns;
	__u64 residency_ns;
	/* smallest exit latency that would have passed; 0: not measured */
	__u64 needed_ns;
};

/* Room for the longest line that Linux takes, and its name. */
#define PROPOSAL_BYTES	320

/*
 * "intel_idle.table=C1:2:2,C1E:10:20": all states of a CPU in their order, to
 * boot with. What suffices is kept; the rest is raised to the next whole us,
 * and until intel_idle of Linux v7.3 takes the line. Returns false where there
 * is no such line.
 */
bool proposal_line(const struct proposal_state *states, size_t count,
		   char *line, size_t size);

/*
 * Where the declared exit latency is far above the largest latency that was
 * seen, to which its error is added: returns true, and a remark with both.
 */
bool proposal_too_high(__u64 declared_ns, __u64 largest_ns, char *remark,
		       size_t size);

#endif
