/* SPDX-License-Identifier: GPL-2.0 */
/* What --self-check does. */
#ifndef SELF_CHECK_H
#define SELF_CHECK_H

#include "measure.h"

/*
 * Whether the instruments on this machine are what the verdicts rely on: latency_test
 * --self-check. Each function that judges sets all but the name, from what sessions gave, and
 * returns NULL, or why that is not possible here.
 */

struct self_check {
	char name[48];
	enum verdict_result result;
	/* constant: in what it differs, or why it is not possible here; NULL when it passes */
	const char *reason;
	char figures[256];
};

#define SELF_TOO_FEW	"too few samples"

/* The median IntrLatency of the second less that of the first; false with too few samples. */
bool self_check_difference(const struct collection *timer, const struct collection *other,
			   __s64 *ns);

/* @delivery_ns: by how much that of the second is to be larger */
const char *self_check_agree(const struct collection *timer, const struct collection *other,
			     __s64 delivery_ns, struct self_check *check);

/* WakeLatency is the same at all launch distances; all samples have one. */
const char *self_check_slope(const struct collection *collection, struct self_check *check);

/*
 * @tsc: readings one after the other on one CPU
 * @error_ns: that of a sample by a timer, or 0
 */
const char *self_check_step(const __u64 *tsc, size_t count, double cyc_per_ns, __u64 error_ns,
			    struct self_check *check);

/* hrt: from when the timer is due to the time that it is programmed to. */
const char *self_check_deadline(const struct collection *collection, struct self_check *check);

/* What the counter of a state advanced by, around events and between them. */
const char *self_check_residency(const struct idle_latency_counts *counts,
				 struct self_check *check);

/* Discarded events that were pending before idle, in a state that declares this. */
const char *self_check_software(const struct collection *collection, double cyc_per_ns,
				__u64 declared_ns, struct self_check *check);

/*
 * nic: whether the link slept when the event fired.
 * @delivery_ns: median IntrLatency of the awake CPU by nic less that by a timer; 0: not known
 */
const char *self_check_warmup(const struct collection *collection, __s64 delivery_ns,
			      struct self_check *check);

/* CPUID 15H: TSC cycles per tick of the crystal are numerator / denominator. */
struct crystal {
	__u32 denominator;
	__u32 numerator;
};

/* tdt: whether wake-ups come at ticks of the crystal only. */
const char *self_check_crystal(const struct collection *collection, const struct crystal *crystal,
			       double cyc_per_ns, struct self_check *check);

/* How many results self_check() reports. */
size_t self_check_results(const struct measured_cpu *measured);

/*
 * Runs the sessions for all that, and reports what they say. States that somebody disabled are
 * left alone.
 * @task: but for the row
 * @no_card: why there is no card for nic, or NULL
 */
void self_check(const struct task *task, const struct measured_cpu *measured,
		const char *no_card);

#endif
