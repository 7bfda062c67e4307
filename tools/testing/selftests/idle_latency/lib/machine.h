/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of the device need; others take idle_latency_util.h. */
#ifndef MACHINE_H
#define MACHINE_H

#include "idle_latency_util.h"

/* What a fixture is that is tested with each source and both places to stamp. */
struct source_variant {
	__u32 source;
	__u64 flags;
};

#define VARIANT_HRT	.by.source = IDLE_LATENCY_SOURCE_HRT
#define VARIANT_TDT	.by.source = IDLE_LATENCY_SOURCE_TDT
#define VARIANT_NIC	.by.source = IDLE_LATENCY_SOURCE_NIC
#define VARIANT_WRITE	.by.source = IDLE_LATENCY_SOURCE_WRITE
#define VARIANT_IPI	.by.source = IDLE_LATENCY_SOURCE_IPI
#define VARIANT_PROBE	.by.flags = IDLE_LATENCY_CONFIG_PROBE

/* With kselftest_harness.h, of a function that returns NULL, or what is wrong. */

#define CHECK_FINE(check, call, format, ...) do {			\
	const char *what_is_wrong = (call);				\
									\
	check(!what_is_wrong)						\
		TH_LOG(format "%s", ##__VA_ARGS__, what_is_wrong);	\
} while (0)

#define EXPECT_FINE(call)	CHECK_FINE(EXPECT_TRUE, call, "")
#define ASSERT_FINE(call)	CHECK_FINE(ASSERT_TRUE, call, "")

/* Likewise, machine_open() for a fixture with a member fd. @skip: its return */
#define MACHINE_OPEN(skip, by, config) do {				\
	const char *what_it_lacks = machine_open(by, config, &self->fd);	\
									\
	if (what_it_lacks)						\
		SKIP(skip, "%s", what_it_lacks);			\
	ASSERT_LE(0, self->fd);						\
} while (0)

/* Near enough for a test to be quick, too far for an event to come early. */
#define TEST_LDIST_FROM_NS	20000
#define TEST_LDIST_TO_NS	200000

struct obstacle;

/*
 * What all programs that measure ask before they do: can hrt work here, on the CPU of
 * machine_config()? Returns false, and why not, with the device open at @fd.
 */
bool machine_measures(int fd, struct obstacle *obstacle);

/*
 * Loads the driver, and simulated idle states where the machine has none, until the end
 * of the program. Ends it with a result where the device cannot be tested, or nothing can
 * be measured with it.
 * @everywhere: all CPUs have the simulated states, and not only that of machine_cpu()
 */
void machine_required(bool everywhere);

/*
 * The CPU that tests measure: the first that the caller allows this program; the first of all
 * where there is none.
 */
bool machine_cpu(unsigned int *cpu);

/* Whether a line of the file has both. */
bool file_has(const char *path, const char *name, const char *value);

/* The shallowest state of machine_cpu() that is not POLL, by hrt. */
bool machine_config(struct idle_latency_config *config);
/*
 * Finds an online CPU that is not this one.
 * @spare: it can be taken offline
 */
bool machine_other_cpu(bool spare, unsigned int *cpu);

/*
 * What most tests begin with: that by another source, and the device open and configured like
 * this. Returns NULL, or why the test is to be skipped.
 * @by: NULL for hrt
 * @fd: -errno where the device cannot be opened or configured
 */
const char *machine_open(const struct source_variant *by, struct idle_latency_config *config,
			 int *fd);

/* Finds the state of a CPU with this name. */
bool machine_state(unsigned int cpu, const char *name, __u32 *state);

/*
 * Chooses the deepest state that a session of this configuration can force, with
 * the device open at @fd. Returns false when there is none.
 */
bool machine_deepest(int fd, struct idle_latency_config *config);

/*
 * Is the CPU still forced to enter the state? Nothing in sysfs says so, but then it
 * enters no other, even while this one is disabled. The answer is no where that cannot
 * be found out: the CPU has no other state, or the governor is haltpoll.
 */
bool machine_is_forced(unsigned int cpu, unsigned int state);

/*
 * What was left behind, with the device closed, or NULL. A CPU can be forced to enter one
 * state only, so another session cannot start where any state is still forced.
 */
const char *machine_left(unsigned int cpu, const struct idle_states *before);

/*
 * Reads the TSC and a clock at the same time, as far as that is possible: the
 * tightest of some pairs, lest the thread was interrupted in between.
 */
void machine_read_clocks(clockid_t clock, __u64 *tsc, __u64 *ns);

/* Cycles of the TSC in a ns of CLOCK_MONOTONIC_RAW. Takes 200 ms. */
double machine_tsc_rate(void);

/* Finds a CPU that is there but offline. */
bool machine_offline_cpu(unsigned int *cpu);

bool machine_set_online(unsigned int cpu, bool online);

/*
 * Notes that it is to be online again, see prepare.h, and to have its interrupts: those
 * that it alone has go to other CPUs meanwhile. Returns false when that cannot be
 * promised, or when it cannot be taken offline.
 */
bool machine_undo_offline(unsigned int cpu);

#endif
