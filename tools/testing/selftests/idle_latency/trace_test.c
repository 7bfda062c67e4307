// SPDX-License-Identifier: GPL-2.0
/*
 * The trace event carries each record as the reader gets it, those of discarded
 * events, too. It is enabled in an instance of its own, so that nobody's trace is in
 * the way. A trace also tells whose function calls interrupt a CPU.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sys/stat.h>

#include "idle_latency_util.h"
#include "interrupts.h"
#include "kselftest_harness.h"
#include "prepare.h"

#define TRACING		"/sys/kernel/tracing"
#define INSTANCES	TRACING "/instances"
#define INSTANCE	INSTANCES "/idle_latency_test"
#define BUFFER		INSTANCE "/buffer_size_kb"
/* For SESSION_RECORDS_MAX events of less than 400 bytes. */
#define BUFFER_KB	"2048"
#define EVENT		INSTANCE "/events/idle_latency/idle_latency_record/enable"
#define CALLS		INSTANCE "/events/csd/csd_function_entry/enable"
/* The scheduler asks an idle CPU to balance for a busy one. */
#define BALANCE		"func=nohz_csd_func,"

#define SAMPLES		20
/* So many that some of them come before the CPU is idle, at these distances. */
#define NEAR_EVENTS	500

/* How often a session is started and stopped beside another one. */
#define ROUNDS		20

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
	const char *lacks = machine_open(NULL, &self->config, &self->fd);

	if (lacks)
		SKIP(return, "%s", lacks);
	ASSERT_LE(0, self->fd);
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

/* What the event of a record by hrt looks like. */
static void add_record(struct text *text, const struct idle_latency_record *record)
{
	text_add(text,
		 "idle_latency_record: cpu=%u state=%u source=hrt seq=%llu ldist_ns=%llu silent_ns=%llu wake_ns=%llu intr_ns=%llu error_ns=%llu ",
		 record->cpu, record->state, record->seq, record->ldist_ns,
		 record->silent_ns, record->wake_ns, record->intr_ns,
		 record->error_ns);
	add_flags(text, record->flags);
	text_add(text, " reasons=0x%x", record->reasons);
}

/* Finds the next event of the trace; without the end of its line. */
static bool next_event(FILE *trace, char *line, size_t size)
{
	while (fgets(line, size, trace)) {
		if (!strstr(line, "idle_latency_record: "))
			continue;
		line[strcspn(line, "\n")] = '\0';
		return true;
	}
	return false;
}

/* An event comes after its record, but before the end of the session. */
static void expect_trace(struct __test_metadata *_metadata)
{
	char line[2048], expected[2048];
	FILE *trace = fopen(INSTANCE "/trace", "r");

	ASSERT_FALSE(!trace);
	for (size_t i = 0; i < result.count; i++) {
		struct text text = text_begin(expected, sizeof(expected));

		ASSERT_TRUE(next_event(trace, line, sizeof(line)));
		add_record(&text, &result.record[i]);
		EXPECT_STREQ(expected, strstr(line, "idle_latency_record: "));
	}
	EXPECT_FALSE(next_event(trace, line, sizeof(line)));
	fclose(trace);
}

TEST_F(trace, carries_the_record)
{
	ASSERT_TRUE(undo_change(EVENT, "1"));
	ASSERT_FINE(session_take(self->fd, &self->config, SAMPLES, result.record));
	result.count = SAMPLES;
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

/* How many of the function calls of a CPU are the scheduler's. Kernels before v6.5 trace none. */
static __u64 calls_to_balance(unsigned int cpu)
{
	char path[128], line[2048];
	__u64 calls = 0;
	FILE *trace;

	snprintf(path, sizeof(path), INSTANCE "/per_cpu/cpu%u/trace", cpu);
	trace = fopen(path, "r");
	if (!trace)
		return 0;
	while (fgets(line, sizeof(line), trace))
		calls += !!strstr(line, BALANCE);
	fclose(trace);
	return calls;
}

/*
 * To start and to stop a session does not interrupt a CPU that another one measures. Function
 * calls of others may, but not with each: this process stays away from that CPU, which would be
 * interrupted by each of its wake-ups there.
 */
TEST_F(trace, the_other_cpu_is_not_interrupted)
{
	struct idle_latency_config config = self->config;
	unsigned int cpu = config.cpu;
	__u64 before, after;
	int fd, ret;

	if (!machine_other_cpu(false, &config.cpu))
		SKIP(return, "no other CPU with idle states");
	fd = device_open(0);
	ASSERT_LE(0, fd);
	ret = device_begin(fd, &config);
	if (ret == -ENODEV)
		SKIP(return, "no other CPU with idle states");
	ASSERT_EQ(0, ret);
	EXPECT_EQ(0, device_stop(fd));
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	ASSERT_TRUE(affinity_pin(config.cpu));
	sysfs_write(CALLS, "1");
	if (!interrupts_of_row(cpu, "CAL", &before))
		SKIP(return, "nobody counts function calls");
	for (unsigned int i = 0; i < ROUNDS; i++) {
		EXPECT_EQ(0, device_start(fd));
		sleep_ms(1);
		EXPECT_EQ(0, device_stop(fd));
	}
	ASSERT_TRUE(interrupts_of_row(cpu, "CAL", &after));
	/* One interrupt may be for several calls. */
	EXPECT_GT(ROUNDS + calls_to_balance(cpu), after - before);
	EXPECT_EQ(0, close(fd));
	EXPECT_EQ(0, device_stop(self->fd));
}

int main(int argc, char **argv)
{
	machine_required(false);
	return test_harness_run(argc, argv);
}
