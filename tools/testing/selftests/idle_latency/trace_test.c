// SPDX-License-Identifier: GPL-2.0
/*
 * The trace event carries each record as the reader gets it, those of discarded
 * events, too. It is enabled in an instance of its own, so that nobody's trace is in
 * the way. A trace also tells who has a CPU call a function.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sys/stat.h>

#include "idle_latency_util.h"
#include "kselftest_harness.h"
#include "options.h"
#include "prepare.h"

#define TRACING		"/sys/kernel/tracing"
#define INSTANCES	TRACING "/instances"
#define INSTANCE	INSTANCES "/idle_latency_test"
#define BUFFER		INSTANCE "/buffer_size_kb"
/* For SESSION_RECORDS_MAX events of less than 400 bytes. */
#define BUFFER_KB	"2048"
#define EVENT		INSTANCE "/events/idle_latency/idle_latency_record/enable"
#define TRACES		INSTANCE "/tracing_on"
#define CALLS		INSTANCE "/events/csd/csd_queue_cpu/"
#define OTHERS		INSTANCE "/events/csd/csd_function_entry/enable"
#define RECORD		"idle_latency_record: "
#define CALL		"csd_queue_cpu: "
/* The scheduler wakes a task: kthreadd where it ran last, so that it makes a session's thread. */
#define WAKES		"func=sched_ttwu_pending"

/* TRACE_FLAG_HARDIRQ, TRACE_FLAG_SOFTIRQ and TRACE_FLAG_NMI of the kernel's trace_events.h. */
#define IN_INTERRUPT	(0x08 | 0x10 | 0x40)

#define SAMPLES		20U
/* So many that some of them come before the CPU is idle, at these distances. */
#define NEAR_EVENTS	500
/* How often a session is started and stopped beside another one. */
#define ROUNDS		20U

/*
 * The kernel may be locked down so that nobody sees what it does. tracefs is empty where it was
 * when it booted, and refuses to be written where it was later.
 */
static bool tracefs_refuses(void)
{
	char line[64];
	int fd;

	if (sysfs_read_line("/sys/kernel/security/lockdown", line, sizeof(line)) &&
	    strstr(line, "[confidentiality]"))
		return true;
	fd = open(TRACING "/tracing_on", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == EPERM;
	close(fd);
	return false;
}

FIXTURE(trace) {
	int fd;
	/* number of the step that removes the instance, or -1 */
	int removal;
	struct idle_latency_config config;
};

static struct session_result result;

FIXTURE_SETUP(trace)
{
	MACHINE_OPEN(return, NULL, &self->config);
	if (tracefs_refuses())
		SKIP(return, "the kernel is locked down: it shows no traces");
	if (access(INSTANCES, F_OK))
		SKIP(return, "no tracefs at " TRACING);
	self->removal = undo_run("rmdir " INSTANCE);
	ASSERT_LE(0, self->removal);
	ASSERT_EQ(0, mkdir(INSTANCE, 0700));
	ASSERT_TRUE(sysfs_write(BUFFER, BUFFER_KB));
}

FIXTURE_TEARDOWN(trace)
{
	close(self->fd);
	EXPECT_TRUE(undo_change(EVENT, "0"));
	EXPECT_EQ(0, rmdir(INSTANCE));
	undo_withdraw(self->removal);
}

static void add_flags(struct text *text, __u32 flags)
{
	static const char * const names[] = {
		"wake", "forced", "counted", "reached", "package", "pending", "deadline",
		"module",
	};
	const char *between = "";

	text_add(text, "flags=");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!(flags & 1U << i))
			continue;
		text_add(text, "%s%s", between, names[i]);
		between = "|";
	}
}

/* What the event of a record looks like. */
static void add_record(struct text *text, const struct idle_latency_record *record)
{
	text_add(text,
		 "%scpu=%u state=%u source=%s seq=%llu ldist_ns=%llu silent_ns=%llu wake_ns=%llu intr_ns=%llu error_ns=%llu ",
		 RECORD, record->cpu, record->state,
		 methods[method_index(record->source)].name, record->seq, record->ldist_ns,
		 record->silent_ns, record->wake_ns, record->intr_ns, record->error_ns);
	add_flags(text, record->flags);
	text_add(text, " reasons=0x%x", record->reasons);
}

/* Finds the next line that says something; without its end. */
static bool next_line(FILE *trace, const char *what, char *line, size_t size)
{
	do {
		if (!fgets(line, size, trace))
			return false;
	} while (!strstr(line, what));
	line[strcspn(line, "\n")] = '\0';
	return true;
}

/* An event comes after its record, but before the end of the session. */
static void expect_trace(struct __test_metadata *_metadata)
{
	char line[2048], expected[2048];
	FILE *trace = fopen(INSTANCE "/trace", "r");

	ASSERT_FALSE(!trace);
	for (size_t i = 0; i < result.count; i++) {
		struct text text = text_begin(expected, sizeof(expected));

		ASSERT_TRUE(next_line(trace, RECORD, line, sizeof(line)));
		add_record(&text, &result.record[i]);
		EXPECT_STREQ(expected, strstr(line, RECORD));
	}
	EXPECT_FALSE(next_line(trace, RECORD, line, sizeof(line)));
	fclose(trace);
}

/* Takes samples by a source, where that works here. */
static void add_samples(struct __test_metadata *_metadata, const struct method *method)
{
	const struct source_variant by = { .source = method->source };
	struct idle_latency_config config;
	int fd;
	const char *lacks = machine_open(&by, &config, &fd);

	if (lacks) {
		ksft_print_msg("%s: %s\n", method->name, lacks);
		return;
	}
	ASSERT_LE(0, fd);
	ASSERT_FINE(session_take(fd, &config, SAMPLES, &result.record[result.count]));
	result.count += SAMPLES;
	close(fd);
}

TEST_F(trace, carries_the_record)
{
	ASSERT_TRUE(undo_change(EVENT, "1"));
	result.count = 0;
	/* By a timer: a card or another CPU may not answer, which is no fault of the trace. */
	for (size_t i = 0; i < METHODS; i++)
		if (methods[i].source != IDLE_LATENCY_SOURCE_NIC && !methods[i].has_waker)
			add_samples(_metadata, &methods[i]);
	ASSERT_LE(SAMPLES, result.count);
	expect_trace(_metadata);
}

TEST_F(trace, carries_discarded_events_that_are_kept)
{
	self->config.flags = IDLE_LATENCY_CONFIG_KEEP;
	self->config.ldist_from_ns = IDLE_LATENCY_LDIST_MIN_NS;
	self->config.ldist_to_ns = TEST_LDIST_FROM_NS;
	ASSERT_TRUE(undo_change(EVENT, "1"));
	ASSERT_FINE(session_run(self->fd, &self->config, NEAR_EVENTS, &result));
	ASSERT_LT(0ULL, result.counts.kept);
	expect_trace(_metadata);
}

/*
 * Traces which functions this program has the CPU call. Interrupts of the program are left out: the
 * scheduler's tick asks an idle CPU to balance the load. The trace begins when the kernel has
 * patched its code for it, as it interrupts each CPU to do so.
 */
static bool trace_calls(unsigned int cpu)
{
	char filter[100];

	/* By its name: a trace has no PIDs of a container. */
	snprintf(filter, sizeof(filter), "comm == \"%s\" && cpu == %u && !(common_flags & %d)",
		 program_invocation_short_name, cpu, IN_INTERRUPT);
	return sysfs_write(TRACES, "0") && sysfs_write(CALLS "filter", filter) &&
	       sysfs_write(CALLS "enable", "1") && sysfs_write(TRACES, "1");
}

static unsigned int calls_traced(void)
{
	char line[2048];
	unsigned int calls = 0;
	FILE *trace = fopen(INSTANCE "/trace", "r");

	/* What cannot be read is no proof that there were none. */
	if (!trace)
		return UINT_MAX;
	while (next_line(trace, CALL, line, sizeof(line))) {
		if (strstr(line, WAKES))
			continue;
		if (!calls++)
			ksft_print_msg("%s\n", line);
	}
	fclose(trace);
	return calls;
}

/*
 * This process stays away from the measured CPU. A START or a STOP that interrupts it does so in
 * each round.
 */
TEST_F(trace, the_other_cpu_is_not_interrupted)
{
	struct idle_latency_config config = self->config;
	unsigned int calls;
	int fd = device_open(0);

	ASSERT_LE(0, fd);
	if (!machine_other_cpu(false, &config.cpu) || device_begin(fd, &config) == -ENODEV)
		SKIP(return, "no other CPU with idle states");
	EXPECT_EQ(0, device_stop(fd));
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	ASSERT_TRUE(affinity_pin(config.cpu));
	if (access(CALLS, F_OK))
		SKIP(return, "kernels before v6.5 trace no calls of functions");
	ASSERT_TRUE(trace_calls(self->config.cpu));
	for (unsigned int i = 0; i < ROUNDS; i++) {
		EXPECT_EQ(0, device_start(fd));
		sleep_ms(1);
		EXPECT_EQ(0, device_stop(fd));
	}
	calls = calls_traced();
	EXPECT_GT(ROUNDS, calls);
	/* To trace something else patches code again, and that is seen. */
	EXPECT_TRUE(sysfs_write(OTHERS, "1"));
	EXPECT_LT(calls, calls_traced());
}

int main(int argc, char **argv)
{
	machine_required(false);
	return test_harness_run(argc, argv);
}
