// SPDX-License-Identifier: GPL-2.0
/*
 * The trace event carries each record as the reader gets it. It is enabled in an
 * instance of its own, so that nobody's trace is in the way.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device.h"
#include "kselftest_harness.h"
#include "sysfs.h"
#include "test_machine.h"

#define INSTANCE	"/sys/kernel/tracing/instances/idle_latency_test"
#define EVENT		INSTANCE "/events/idle_latency/idle_latency_record/enable"

#define RECORDS		20

FIXTURE(trace) {
	int fd;
	struct idle_latency_config config;
	struct idle_latency_record record[RECORDS];
};

FIXTURE_SETUP(trace)
{
	if (!machine_config(&self->config))
		SKIP(return, "no idle states: load a cpuidle driver");
	if (mkdir(INSTANCE, 0700))
		SKIP(return, "no tracefs at /sys/kernel/tracing");
	self->config.samples = RECORDS;
	self->fd = device_open(0);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(trace)
{
	close(self->fd);
	EXPECT_TRUE(sysfs_write(EVENT, "0"));
	EXPECT_EQ(0, rmdir(INSTANCE));
}

static void print_residencies(FILE *file, const struct idle_latency_record *record)
{
	for (unsigned int i = 0; i < IDLE_LATENCY_RESIDENCY_SLOTS; i++)
		fprintf(file, "%c0x%llx", i ? ',' : '{', record->residency_cyc[i]);
	fprintf(file,
		"} residency_present=0x%x residency_invalid=0x%x aperf_cyc=%llu mperf_cyc=%llu",
		record->residency_present, record->residency_invalid,
		record->aperf_cyc, record->mperf_cyc);
}

/* What the event of a record by hrt looks like. */
static void print_record(FILE *file, const struct idle_latency_record *record)
{
	fprintf(file, "idle_latency_record: cpu=%u state=%u source=hrt stamp=%s ",
		record->cpu, record->state,
		record->stamp == IDLE_LATENCY_STAMP_ENTER ? "enter" : "probe");
	fprintf(file,
		"seq=%llu ldist_ns=%llu ltime_ns=%llu silent_ns=%llu wake_ns=%llu intr_ns=%llu error_ns=%llu ",
		record->seq, record->ldist_ns, record->ltime_ns,
		record->silent_ns, record->wake_ns, record->intr_ns,
		record->error_ns);
	fprintf(file, "flags=%s idle_periods=%u warmup_ns=%u latch_ns=%u ",
		record->flags & IDLE_LATENCY_RECORD_WAKE ? "wake" : "",
		record->idle_periods, record->warmup_ns, record->latch_ns);
	fprintf(file, "tbi_tsc=%llu tai_tsc=%llu tintr_tsc=%llu interval_cyc=%llu residency_cyc=",
		record->tbi_tsc, record->tai_tsc, record->tintr_tsc,
		record->interval_cyc);
	print_residencies(file, record);
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

TEST_F(trace, carries_the_record)
{
	char line[2048], expected[2048];
	FILE *trace, *file;
	const char *event;

	ASSERT_TRUE(sysfs_write(EVENT, "1"));
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	for (unsigned int i = 0; i < RECORDS; i++)
		ASSERT_EQ(1, device_read(self->fd, &self->record[i], 1));
	/* The event comes after the record, but before the end of the session. */
	ASSERT_EQ(0, device_read(self->fd, self->record, 1));

	trace = fopen(INSTANCE "/trace", "r");
	ASSERT_FALSE(!trace);
	for (unsigned int i = 0; i < RECORDS; i++) {
		ASSERT_TRUE(next_event(trace, line, sizeof(line)));
		file = fmemopen(expected, sizeof(expected), "w");
		ASSERT_FALSE(!file);
		print_record(file, &self->record[i]);
		fclose(file);
		event = strstr(line, "idle_latency_record: ");
		EXPECT_STREQ(expected, event);
	}
	EXPECT_FALSE(next_event(trace, line, sizeof(line)));
	fclose(trace);
}

int main(int argc, char **argv)
{
	machine_required();
	return test_harness_run(argc, argv);
}
