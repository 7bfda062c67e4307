/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From when on an idle state costs less energy than the one above it, and what that says of the
 * target residency that it declares. Arithmetic only.
 *
 * The model: an idle period of the length l, from its entry until the event that ends it, takes
 * E(l) = C + P * l, where P is the power of the state and C the energy of a transition: entry and
 * exit at the power of an awake CPU, less what the state would have drawn meanwhile. A state pays
 * from the length on at which its line crosses that of the one above it. That is the target
 * residency in Documentation/admin-guide/pm/cpuidle.rst: the least time to spend in the state,
 * with the time to enter it, to save more energy than a shallower one would.
 */
#ifndef BREAK_EVEN_H
#define BREAK_EVEN_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

/* The mean of many idle periods, or the sum of some: how long they were, and what they took. */
struct energy_point {
	double length_ns;
	double nj;
	/* how many of them that is; a mean is 1 */
	double periods;
};

/* The line through points, with what it may be off by. */
struct energy_line {
	size_t points;
	/* of a transition, in nJ */
	double cost_nj;
	/* in nJ per ns, which are W */
	double power_w;
	/* of the mean square, with points - 2 degrees of freedom */
	double cost_variance;
	double power_variance;
	double covariance;
	/* the largest distance of a point from it; where that is of means, as a part of it */
	double residual;
};

/* Where errors are parts of the energies, as those of means are, each point weighs as much. */
bool energy_line_fit(const struct energy_point *points, size_t count, struct energy_line *line);

/*
 * Where each of many updates has an error of its own, the variance of their sum is proportional to
 * the length. A sum of n idle periods takes n * C + P * l. Energies may be 0.
 */
bool energy_line_fit_sums(const struct energy_point *points, size_t count,
			  struct energy_line *line);

/* Longer than that, idle periods are as good as endless. */
#define BREAK_EVEN_MOST_NS	50000000.0

enum break_even_result {
	/* the state costs less from ns on */
	BREAK_EVEN_KNOWN,
	/* it costs less at once: its transition is no more than that of the state above */
	BREAK_EVEN_AT_ONCE,
	/* it does not cost less before BREAK_EVEN_MOST_NS */
	BREAK_EVEN_NEVER,
	/* chance explains the difference between the powers */
	BREAK_EVEN_UNKNOWN,
};

struct break_even {
	enum break_even_result result;
	double ns;
	/* one-sided bounds, each with the confidence of 99.9 %; infinity where there is none */
	double low_ns;
	double high_ns;
};

struct break_even break_even_find(const struct energy_line *state, const struct energy_line *above);

/*
 * An interval of the first width decides wherever in it the declared value is. It is measured until
 * the second one, so that chance alone moves the length by less than 5 %.
 */
#define BREAK_EVEN_NARROW	0.10
#define BREAK_EVEN_TARGET	0.06
/* Whether the interval is narrower than that part, or it is certain that there is none. */
bool break_even_is_within(const struct break_even *found, double part);
/* How many times as long it takes until it is narrow, as intervals shrink; 0: nobody knows. */
double break_even_takes(const struct break_even *found);

/* One-sided quantile of Student's distribution with so many degrees of freedom, from 1 on. */
double student_999(size_t freedom);
double student_975(size_t freedom);

/* What is judged: PASS, FAIL, SKIP. */
struct residency {
	int result;
	/* constant, without figures and commas; "" where there is nothing to say */
	const char *reason;
};

/* Of which somebody says that energy is left. */
#define RESIDENCY_TOO_LONG	2.0

/* @declared_ns: the target residency */
struct residency residency_judge(const struct break_even *found, __u64 declared_ns);

/* A target residency below the exit latency of its own row, which no measurement is needed for. */
bool residency_too_short(__u64 latency_ns, __u64 residency_ns);

#endif
