/* SPDX-License-Identifier: GPL-2.0 */
/* A run of latency_test: what is measured, with what, and what came of it so far. */
#ifndef RUN_H
#define RUN_H

#include <sys/utsname.h>

#include "keep.h"
#include "phases.h"
#include "prepare.h"
#include "progress.h"
#include "report.h"
#include "types.h"

struct run {
	struct options options;
	/* the user has chosen the CPUs: then several are measured at once */
	bool cpus_named;
	int fd;
	/* files for sessions, the first of which is fd, and how many there are */
	int *files;
	size_t file_count;
	/* where fewer CPUs are measured at once than could be: how many; else 0 */
	size_t at_once;
	/* of the CPUs that --cpus names, those that are not measured, and why some are not */
	struct cpu_list offline;
	struct cpu_list without_states;
	char states_said[160];
	/* no phases: one CPU is measured after the other */
	struct phases phases;
	struct keep keep;
	/* as summary.csv has what is set */
	char set[SETTINGS_BYTES];
	char driver[32];
	char cpu_model[128];
	struct utsname uts;
	/* by index of options.cpus */
	struct measured_cpu *cpus;
	/* phases, or CPUs that are measured alone */
	size_t units;
	struct plan plan;
	/* of each row of the plan */
	struct progress *progress;
	struct result *results;
	struct types types;
	/* by CLOCK_MONOTONIC: when it began, and when all is to be over, or 0 */
	__u64 began_ns;
	__u64 until_ns;
	struct csv csv;
	/* what was wrong with the accounting of the driver last, or NULL */
	const char *wrong;
	/* why there is no card for nic, where there is none */
	struct obstacle no_card;
};

static inline bool run_by_method(const struct run *run, const struct method *method)
{
	return run->options.methods & 1u << method->source;
}

/* In which phase a CPU is measured; 0: in none. */
unsigned int run_phase(const struct run *run, unsigned int cpu);

/* Sets the phases, the CPUs and their rows. Returns false, and why there are none. */
bool run_plan(struct run *run, struct obstacle *obstacle);

/*
 * Measures all rows: phase after phase, or CPU after CPU, and those once more at last for which
 * there was no time before.
 */
void run_measure(struct run *run);

#endif
