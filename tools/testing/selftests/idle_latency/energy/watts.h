/* SPDX-License-Identifier: GPL-2.0 */
/* The power of a package while its CPUs are held in idle states. */
#ifndef WATTS_H
#define WATTS_H

#include "meter.h"

/* Between two updates of each counter. */
struct interval {
	double ns[METERS_MAX];
	double nj[METERS_MAX];
	/* for which the reader was awake beside the CPUs that are to be */
	double awake_ns[METERS_MAX];
	/* how often it fell asleep */
	double periods;
};

/*
 * What the reader does between the updates, until then: it sleeps, or more. Returns for how long
 * it was awake for itself.
 */
typedef double (*between_updates)(void *with, __u64 until_ns);

double sleep_until(void *with, __u64 until_ns);

/*
 * Takes an interval of so many updates, between which the reader sleeps unless it has something
 * to do. Returns false where a counter stood still.
 */
bool interval_take(struct meters *meters, size_t updates, between_updates between, void *with,
		   struct interval *interval);

/* In W, of each meter, while the reader polls: the CPUs that are held sleep. */
bool awake_power(struct meters *meters, double *watts);

struct power {
	/* NAN: not known */
	double mw;
	/* with a confidence of 95 % */
	double low_mw;
	double high_mw;
	size_t updates;
	/* the counter did not change but for what the reader took */
	bool still;
};

/*
 * Intervals are doubled from this many updates on until that is known within a part of so much.
 * There are three of each length, of two lengths at least.
 */
#define POWER_UPDATES		64
#define POWER_PRECISION		0.01
#define POWER_REPEATS		3
#define POWER_DOUBLINGS		10
/* A counter that shows less says that it stands still: no processor draws so little. */
#define POWER_LEAST_MW		1.0

/*
 * Measures it while CPUs are held. The caller runs on the first CPU of the package, which is one of
 * these. Returns false where no counter moved.
 * @powers: of each meter
 * @disturbed: gets in how many intervals that were repeated CPUs woke up ten times or more
 */
bool power_measure(struct meters *meters, const struct cpu_list *held, unsigned int state,
		   __u64 until_ns, struct power *powers, size_t *disturbed);

#endif
