/* SPDX-License-Identifier: GPL-2.0 */
/* What latency_test is asked to do. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "cpu_list.h"
#include "launch_distance.h"

/* All records of a row are kept in memory until it is judged. */
#define SAMPLES_MAX	1000000

struct options {
	/* say what can be asked for, and do nothing else */
	bool help;
	bool plain;
	/* measure what a hypervisor runs, too */
	bool force;
	/* write the records of discarded events */
	bool keep_discarded;
	const char *machine;
	const char *cpu_model;
	/* BIT(source) of each enum idle_latency_source to measure with */
	unsigned int methods;
	/* empty: the lowest online CPU */
	struct cpu_list cpus;
	/* NULL: every state that can be judged */
	const char *states;
	size_t samples;
	/* to_ns is 0 where each state gets what suits it */
	struct launch_distance ldist;
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

/* "max", or a quantile such as "0.9999". */
void quantile_name(__u64 quantile, char *name, size_t size);

/*
 * Parses what follows the name of the program. Returns false, and a line that
 * names what is wrong in @error.
 */
bool options_parse(const char * const *arguments, struct options *options,
		   char *error, size_t size);
void options_help(FILE *file);

#endif
