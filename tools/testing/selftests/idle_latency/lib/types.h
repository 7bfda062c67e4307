/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the CPUs of one core type come to together, by one method and in one state: a result beside
 * those of the CPUs, and the CPU that is slower than the others. A row whose type has no other CPU
 * is all there is to say of the type.
 */
#ifndef TYPES_H
#define TYPES_H

#include "measure.h"

/* Of so many CPUs of a type that FAIL there are lines, where there are not lines of all CPUs. */
#define TYPES_FAILING	4

/* The slowest CPU, where chance or the margin do not explain it. */
struct slowest {
	/* NULL: there is none */
	const struct row *row;
	/* its latency, and that of all others together */
	__u64 median_ns;
	__u64 others_ns;
};

/* Its row and its result are like those of a CPU, so that all outputs take them. */
struct type {
	/* "all:core"; "all:cpu" where the processor has one type only */
	char name[24];
	struct row row;
	struct result result;
	struct slowest slowest;
};

struct types {
	struct type *types;
	size_t count;
	/* as many as there are rows */
	const struct result **of;
	struct trials *trials;
	__u64 *medians;
};

/*
 * Finds the types of which several CPUs are measured, and says so in their rows. Rows of CPUs that
 * are measured alone and at once, or with others held and without, are never put together.
 * Returns false without memory.
 */
bool types_begin(struct types *types, struct row *rows, size_t count);
void types_end(struct types *types);

/* How many results there are in KTAP, of rows and of types. */
size_t types_results(const struct types *types, const struct row *rows, size_t count,
		     const struct options *options);

/*
 * Sets the result of each type from those of its CPUs, and which of these are shown where there
 * are many: those that FAIL, as far as they are few, and the slowest.
 */
void types_judge(struct types *types, struct result *results, size_t count,
		 const struct options *options);

/*
 * Lines and results of types. @results: of the rows, of which those that are shown have lines;
 * @environment: NULL, or where it is also written what is said of types
 */
void types_report(const struct types *types, const struct result *results, size_t count,
		  FILE *environment);

/*
 * The remark that several core types have one table, and which states need another latency on one
 * of them than on another. Returns false where one type was measured.
 */
bool types_remark(const struct result *results, size_t count, const struct method *method,
		  const struct idle_states *states, char *line, size_t size);

#endif
