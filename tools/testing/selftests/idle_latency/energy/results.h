/* SPDX-License-Identifier: GPL-2.0 */
/* What energy_test prints and writes. */
#ifndef RESULTS_H
#define RESULTS_H

#include <stdio.h>

#include "break_even.h"
#include "watts.h"

/* Power of a package with so many of its CPUs in the state. */
struct power_line {
	unsigned int package;
	const char *state;
	size_t idle;
	size_t cpus;
	const char *domain;
	struct power power;
	/* of the same domain while all poll; 0 or NAN: not known */
	double poll_mw;
	/* of a transition of a CPU, in nJ; NAN: not known */
	double cost_nj;
};

struct results {
	/* NULL: not wanted */
	FILE *energy;
	FILE *residency;
	int dir;
	/* energy.csv has them at the end, when costs are known */
	struct power_line *lines;
	size_t count;
};

/* @out: a directory, or NULL. Returns false, with errno set, where it cannot be written to. */
bool results_open(struct results *results, const char *out);
/* Files get their names when they are complete. Returns false, with errno set, if they are not. */
bool results_close(struct results *results);

/* Of a power that is not known it is said only. The names in it stay where they are. */
void results_power(struct results *results, const struct power_line *line);

/* What a transition of a CPU takes, in a package whose CPUs are all in the state. */
void results_cost(struct results *results, unsigned int package, const char *state, double nj);

struct residency_line {
	const char *type;
	const char *state;
	__u64 latency_ns;
	__u64 declared_ns;
	/* NULL: it was not measured */
	const struct break_even *found;
	struct residency verdict;
};

void results_residency(struct results *results, const struct residency_line *line);

#endif
