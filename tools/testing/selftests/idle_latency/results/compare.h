/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between runs, by more than chance and by more than a margin. All times are in ns,
 * A is the run before and B the one after.
 */
#ifndef COMPARE_H
#define COMPARE_H

#include "comparison.h"
#include "results.h"

/* Of all that is tested in one comparison, wrong alarms are at most as probable as this. */
#define COMPARE_ALPHA	0.05

/* From fewer samples, the approximation of the test of ranks is not good. */
#define COMPARE_LEAST	20

enum change {
	CHANGE_SAME,
	CHANGE_FASTER,
	CHANGE_SLOWER,
	/* measured, but the difference would mean nothing */
	CHANGE_UNCOMPARABLE,
	/* measured in none of the runs */
	CHANGE_UNMEASURED,
	/* nothing was found, but with so few samples or runs that says nothing */
	CHANGE_UNDECIDED,
	CHANGES,
};

/* "same", "faster", "slower", "not comparable", "not measured" or "not decided" */
const char *change_name(enum change change);

/* What is tested of samples. */
enum tested {
	/* all of them, by their ranks */
	TESTED_BODY,
	/* how many are above this quantile of both runs together */
	TESTED_P50,
	TESTED_P75,
	TESTED_P90,
	TESTED_P99,
	/* of whom the 20 slowest of both runs are */
	TESTED_SLOWEST,
	/* how many are above the exit latency that A declares */
	TESTED_DECLARED,
	TESTED,
};

/* What came of a test. */
struct finding {
	/* two-sided, adjusted for all tests of the comparison */
	double p;
	/* which of both is the less probable: B is slower, or faster */
	bool slower;
	/* how many samples of each run are above this */
	__u64 threshold_ns;
	size_t above_a;
	size_t above_b;
};

/* By how much a quantile of B is above that of A: in between, with a confidence of 95 %. */
struct moved {
	/* false: this end is not known */
	bool has_low;
	bool has_high;
	__s64 low_ns;
	__s64 high_ns;
};

/*
 * The samples of a row are of two kinds: at the launch distances that count, and at shorter ones,
 * of which some are woken during entry. Each is compared with its like.
 */
enum part { PART_COUNTED, PART_ENTRY, PARTS };

struct part_difference {
	/* false: there are too few of these, and nothing of what follows is known */
	bool compared;
	struct sample_set a;
	struct sample_set b;
	struct margin margin;
	struct finding findings[TESTED];
	struct moved median;
	struct moved p99;
};

struct difference {
	/* the same CPU, method and state; NULL where a run does not have it */
	const struct result *a;
	const struct result *b;
	enum change change;
	/* why it is not comparable, or NULL */
	const char *reason;
	struct part_difference parts[PARTS];
};

struct comparison {
	struct difference *differences;
	size_t count;
	/*
	 * Slower where a row is, else not comparable where a row is, or all; else not decided where
	 * a row is; else faster where a row is.
	 */
	enum change change;
};

/* What some findings make of a change: slower in one respect is slower, whatever else. */
void add_findings(enum change *change, const struct finding *findings,
		  size_t count);

/*
 * Compares two runs. What the margin has for errors of the measurement is what both runs say
 * of themselves, added to that of @margin.
 */
void compare_runs(const struct run *a, const struct run *b,
		  const struct margin *margin, struct comparison *comparison);
void comparison_free(struct comparison *comparison);

/* What makes two runs of other machines, so that nothing of them can be compared; or NULL. */
const char *runs_differ(const struct run *a, const struct run *b);

/* Why a row of two runs cannot be compared; or NULL. */
const char *results_differ(const struct result *a, const struct result *b);

/* Whether two rows are of the same CPU, method and state. */
bool same_row(const struct result *a, const struct result *b);

/* The row of the same CPU, method and state; NULL where there is none. */
const struct result *find_same(const struct run *run,
			       const struct result *result);

/* The samples of a row that are of one kind, sorted, to be freed. */
void take_part(const struct result *result, enum part part,
	       struct sample_set *set);

/* What the samples of a row say that they may be wrong by: the median of it. */
__u64 median_error(const struct result *result);

/* Tests one row. */
void compare_results(struct difference *difference,
		     const struct margin *margin);

/*
 * Whether the second half of the samples of a row is slower or faster than the first: p, as
 * above, two-sided and not adjusted. Samples that drift cannot be exchanged for those of another
 * run, so that a difference of two runs may be one of time.
 */
double drift_p(const struct result *result, const struct margin *margin);

/* Whether a line is in environment.txt. */
bool has_line(const struct run *run, const char *line);

/* The lines of environment.txt that only @a has, to be freed. */
const char **environment_only(const struct run *a, const struct run *b,
			      size_t *count);

/* What A and B are called where both are named: "A", "run 1". */
struct run_names {
	const char *a;
	const char *b;
};

/* Without the name of the row: "became slower by 1.90 to 2.30 us". */
void difference_what(const struct difference *difference,
		     const struct run_names *names, char *text, size_t size);

/* With it, in whole sentences of A and B: "cpu0 nic C6 became slower by 1.90 to 2.30 us". */
void difference_text(const struct difference *difference, char *text,
		     size_t size);

/*
 * How many samples, then quantiles with their intervals, maximum, and how many are above a
 * latency, as columns of a table.
 */
void set_text(const struct sample_set *set, __u64 declared_ns, char *text,
	      size_t size);
void set_header(char *text, size_t size);

/* Whether a median that is @median_ns now has moved by less than the margin for sure. */
bool moved_within(const struct moved *moved, const struct margin *margin,
		  __u64 median_ns);

/* "1.90 to 2.30 us", "-12 to 15 ns", "at least 1.90 us" */
void moved_text(const struct moved *moved, struct text *text);

/*
 * Several runs of each kind, which say something of what they are runs of, such as two kernels.
 * Each run gives one figure.
 */

enum figure { FIGURE_MEDIAN, FIGURE_P99, FIGURES };

struct replicated {
	const struct result *result;
	enum change change;
	const char *reason;
	struct margin margin;
	__u64 a[FIGURES][REPLICATES_MAX];
	__u64 b[FIGURES][REPLICATES_MAX];
	struct finding findings[FIGURES];
};

struct replication {
	const struct run *a;
	size_t a_count;
	const struct run *b;
	size_t b_count;
	struct replicated *rows;
	size_t count;
	enum change change;
	/* how many runs of each kind it takes to find a change in so many rows */
	size_t needed;
	/* with those that are there, none could be found */
	bool too_few;
};

/* Fills in the rest. The runs are REPLICATES_MAX at most. */
void compare_replicates(struct replication *replication,
			const struct margin *margin);
void replication_free(struct replication *replication);

/* Whether all rows of two runs have the same samples: then these are one run, and its copy. */
bool same_samples(const struct run *a, const struct run *b);
void replicated_text(const struct replication *replication,
		     const struct replicated *row, char *text, size_t size);

#endif
