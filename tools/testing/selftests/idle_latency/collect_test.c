// SPDX-License-Identifier: GPL-2.0
/*
 * The sessions of several CPUs at once, with a device that is in here: it makes a record now and
 * then, and has a buffer of as many as it is told. What the reader does with them is real.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sys/eventfd.h>
#include <sys/resource.h>

#include "kselftest_harness.h"
#include "take.h"

#define ROWS_MAX	512

/* What is known of a session, by the descriptor of its file. */
static struct fake {
	struct idle_latency_config config;
	__u64 delivered;
	/* when it was started, or 0 */
	__u64 started_ns;
	unsigned int starts;
	/* so many records had no room when they were due */
	__u64 late;
	unsigned int reads;
	/* of the test: START fails, the CPU goes offline, one sample in so many does not count */
	int start_error;
	__u64 offline_at;
	unsigned int misses;
} fakes[2 * ROWS_MAX];

/* What a record takes. */
static __u64 period_ns;

int device_open(int flags __maybe_unused)
{
	/* What can always be read; the reader comes no more often for that. */
	return eventfd(1, EFD_CLOEXEC);
}

int device_config(int fd, const struct idle_latency_config *config)
{
	fakes[fd].config = *config;
	return 0;
}

int device_start(int fd)
{
	struct fake *fake = &fakes[fd];

	if (fake->start_error)
		return fake->start_error;
	fake->started_ns = now_ns();
	fake->delivered = 0;
	fake->starts++;
	return 0;
}

int device_stop(int fd)
{
	fakes[fd].config.samples = fakes[fd].delivered;
	return 0;
}

int device_counts(int fd, struct idle_latency_counts *counts)
{
	const __u64 delivered = fakes[fd].delivered;

	*counts = (struct idle_latency_counts) { .armed = delivered, .delivered = delivered };
	return 0;
}

int device_state(int fd __maybe_unused, struct idle_latency_state *state __maybe_unused)
{
	return -ENXIO;
}

/* Times as they are in C6, and noise in all of them. */
static void make_record(struct fake *fake, struct idle_latency_record *record)
{
	static struct dice dice;
	const struct idle_latency_config *config = &fake->config;
	const __u64 i = fake->delivered++, noise = dice_below(&dice, 65536);
	const __u64 ldist_ns = config->ldist_from_ns +
			       noise * (config->ldist_to_ns - config->ldist_from_ns) / 65536;
	const __u64 ltime_ns = fake->started_ns + i * period_ns + noise;
	const __u64 silent_ns = ldist_ns - 2000 - noise % 64, wake_ns = 90000 + noise % 4096;

	*record = (struct idle_latency_record) {
		.seq = i, .event = i, .ldist_ns = ldist_ns, .ltime_ns = ltime_ns,
		.silent_ns = silent_ns, .wake_ns = wake_ns, .intr_ns = wake_ns + 600 + noise % 32,
		.error_ns = 20 + noise % 4, .tbi_cyc = 2 * (ltime_ns - silent_ns),
		.tai_cyc = 2 * (ltime_ns + wake_ns), .tintr_cyc = 2 * (ltime_ns + wake_ns + 700),
		.interval_cyc = 2 * (silent_ns + wake_ns + 5000) + noise,
		.residency_cyc[IDLE_LATENCY_RESIDENCY_CC3] = 0,
		.residency_cyc[IDLE_LATENCY_RESIDENCY_CC6] = 2 * silent_ns - noise % 1024,
		.residency_cyc[IDLE_LATENCY_RESIDENCY_C0] = 9000 + noise % 512,
		.aperf_cyc = 3000 + noise % 128, .mperf_cyc = 2000 + noise % 128,
		.residency_present = COUNTER(CC3) | COUNTER(CC6) | COUNTER(C0),
		.flags = IDLE_LATENCY_RECORD_WAKE | IDLE_LATENCY_RECORD_FORCED |
			 IDLE_LATENCY_RECORD_COUNTED,
		.cpu = config->cpu, .state = config->state, .source = config->source,
		.stamp = IDLE_LATENCY_STAMP_ENTER, .idle_periods = 1, .deadline_ns = noise % 8,
	};
	record->flags |= IDLE_LATENCY_RECORD_DEADLINE;
	if (!fake->misses || i % fake->misses)
		record->flags |= IDLE_LATENCY_RECORD_REACHED;
}

/* As many as are due and have room in the buffer. */
ssize_t device_read(int fd, struct idle_latency_record *records, size_t room)
{
	struct fake *fake = &fakes[fd];
	const struct idle_latency_config *config = &fake->config;
	const __u64 begin_ns = larger(fake->started_ns, config->start_ns);
	__u64 due = smaller(minus_or_0(now_ns(), begin_ns) / period_ns, config->samples);
	size_t read = 0;

	fake->reads++;
	if (fake->offline_at)
		due = smaller(due, fake->offline_at);
	/* The session waited, so that all others come later. */
	if (config->buffer_records && due > fake->delivered + config->buffer_records) {
		fake->late += due - fake->delivered - config->buffer_records;
		fake->started_ns = now_ns() -
				   (fake->delivered + config->buffer_records) * period_ns;
		fake->config.start_ns = 0;
		due = fake->delivered + config->buffer_records;
	}
	while (read < room && fake->delivered < due)
		make_record(fake, &records[read++]);
	if (read)
		return read;
	if (fake->offline_at && fake->delivered == fake->offline_at)
		return -ENXIO;
	return fake->delivered == config->samples ? 0 : -EAGAIN;
}

/* As many rows, each of a CPU of its own. */
FIXTURE(rows) {
	struct row row[ROWS_MAX];
	struct task task[ROWS_MAX];
	struct progress progress[ROWS_MAX];
	struct collection collection[ROWS_MAX];
	struct row_take take[ROWS_MAX];
	struct options options;
	size_t count;
};

FIXTURE_SETUP(rows)
{
	static const char * const none[] = { NULL };
	struct rlimit limit;
	char error[64];

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	memset(fakes, 0, sizeof(fakes));
	period_ns = 20000;
	options_parse(none, &self->options, error, sizeof(error));
	self->options.quiet = true;
}

FIXTURE_TEARDOWN(rows)
{
	for (size_t i = 0; i < self->count; i++) {
		collect_free(&self->collection[i]);
		close(self->task[i].fd);
	}
}

static void make_rows(FIXTURE_DATA(rows) * self, size_t count, size_t samples)
{
	for (size_t i = 0; i < count; i++) {
		struct row *row = &self->row[i];
		struct task *task = &self->task[i];

		*row = (struct row) {
			.cpu = i, .phase = 1, .method = &methods[0],
			.info = { .exit_latency_ns = 100000, .target_residency_ns = 300000 },
			.strata[STRATUM_COUNTED] = {
				.ldist = { 320000, 3200000 }, .wanted = samples,
			},
			.strata[STRATUM_ENTRY] = { .ldist = { 9000, 300000 }, .wanted = 10 },
		};
		*task = (struct task) {
			.fd = device_open(0), .options = &self->options, .is_apart = true,
		};
		task_begin(task, row, &self->progress[i]);
		self->collection[i] = (struct collection) {
			.discarded_room = DISCARDED_PACKED,
			.packed_bytes = count > 1 ? collect_bytes(count) : 0,
		};
		self->take[i] = (struct row_take) {
			.task = task, .collection = &self->collection[i],
		};
	}
	self->count = count;
}

static struct fake *fake_of(FIXTURE_DATA(rows) * self, size_t i)
{
	return &fakes[self->task[i].fd];
}

/* Of CPUs that are measured at once, as many samples more are asked for at first. */
#define AT_ONCE	10

TEST_F(rows, have_all_their_samples)
{
	make_rows(self, 5, 300);
	take_rows(self->take, 5);
	for (size_t i = 0; i < 5; i++) {
		const struct collection *collection = &self->collection[i];
		struct collection copy;

		EXPECT_EQ(0, collection->error);
		EXPECT_EQ(310UL + AT_ONCE, collection->count);
		EXPECT_EQ(300UL + AT_ONCE, collection->strata[STRATUM_COUNTED].count);
		EXPECT_EQ(300UL + AT_ONCE, collection->strata[STRATUM_ENTRY].first);
		EXPECT_EQ(2U, fake_of(self, i)->starts);
		ASSERT_TRUE(collect_unpack(collection, &copy));
		for (size_t j = 0; j < copy.count; j++) {
			EXPECT_EQ(j, copy.samples[j].seq);
			EXPECT_EQ(j, copy.samples[j].event);
			EXPECT_EQ(i, copy.samples[j].cpu);
		}
		collect_free_copy(&copy);
	}
	EXPECT_EQ(NULL, collect_wrong());
}

/* Sessions begin together, when the last one was started. */
TEST_F(rows, begin_together)
{
	make_rows(self, 100, 300);
	for (size_t round = 0; round < 3; round++) {
		take_rows(self->take, 100);
		for (size_t i = 0; i < 100; i++) {
			const struct fake *fake = fake_of(self, i);

			EXPECT_EQ(fake_of(self, 0)->config.start_ns, fake->config.start_ns);
			EXPECT_LE(fake->started_ns, fake->config.start_ns);
			collect_free(&self->collection[i]);
		}
		for (size_t i = 0; i < 100; i++)
			close(self->task[i].fd);
		make_rows(self, 100, 300);
	}
}

/* One alone begins at once, with the buffer that a session has by itself. */
TEST_F(rows, alone_are_as_before)
{
	make_rows(self, 1, 300);
	take_rows(self->take, 1);
	EXPECT_EQ(310UL, self->collection[0].count);
	EXPECT_EQ(0ULL, fake_of(self, 0)->config.start_ns);
	EXPECT_EQ(0U, fake_of(self, 0)->config.buffer_records);
}

TEST_F(rows, go_on_without_those_that_cannot)
{
	make_rows(self, 4, 300);
	fake_of(self, 1)->start_error = -EBUSY;
	fake_of(self, 2)->offline_at = 100;
	take_rows(self->take, 4);
	EXPECT_EQ(EBUSY, self->collection[1].error);
	EXPECT_EQ(0UL, self->collection[1].count);
	EXPECT_EQ(ENXIO, self->collection[2].error);
	EXPECT_EQ(100UL, self->collection[2].count);
	for (size_t i = 0; i < 4; i += 3) {
		EXPECT_EQ(0, self->collection[i].error);
		EXPECT_EQ(310UL + AT_ONCE, self->collection[i].count);
	}
}

/* The others wait, and there is no session of them. */
TEST_F(rows, that_miss_samples_take_more)
{
	make_rows(self, 3, 300);
	fake_of(self, 1)->misses = 3;
	take_rows(self->take, 3);
	EXPECT_EQ(310UL + AT_ONCE, self->collection[0].count);
	EXPECT_LT(400UL, self->collection[1].count);
	EXPECT_EQ(self->collection[1].count, self->collection[1].strata[STRATUM_ENTRY].first + 10);
	EXPECT_EQ(2U, fake_of(self, 0)->starts);
	EXPECT_LT(2U, fake_of(self, 1)->starts);
}

static double cpu_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/*
 * 500 records a second of each of 448 CPUs are 61 MB/s. What the reader needs of a CPU for that is
 * counted, and not whether another program kept it from coming in time.
 */
TEST_F(rows, of_many_cpus_are_read_in_time)
{
	const double bytes = 448.0 * (1010 + AT_ONCE) * sizeof(struct idle_latency_record);
	double seconds = cpu_seconds(), mb_s;
	__u64 began_ns = now_ns(), late = 0;
	struct rusage usage;

	period_ns = 2000000;
	make_rows(self, 448, 1000);
	take_rows(self->take, 448);
	seconds = cpu_seconds() - seconds;
	began_ns = now_ns() - began_ns;
	mb_s = bytes / seconds / 1e6;
	for (size_t i = 0; i < 448; i++) {
		EXPECT_EQ(1010UL + AT_ONCE, self->collection[i].count);
		late += fake_of(self, i)->late;
	}
	getrusage(RUSAGE_SELF, &usage);
	TH_LOG("%.0f MB in %.1f s by %.2f s of a CPU: up to %.0f MB/s", bytes / 1e6,
	       began_ns / 1e9, seconds, mb_s);
	TH_LOG("%llu records had to wait; %ld MB of memory", late, usage.ru_maxrss / 1024);
	EXPECT_LT(61, mb_s);
	/* Two reads each time, and some at the begin and at the end of a session. */
	EXPECT_GE(2 * (began_ns / 100000000 + 1) + 8, fake_of(self, 0)->reads);
}

/* All of the memory that 512 CPUs take. */
TEST_F(rows, of_512_cpus_are_in_256_mib)
{
	struct rusage usage;

	period_ns = 20000;
	make_rows(self, 512, 3000);
	take_rows(self->take, 512);
	for (size_t i = 0; i < 512; i++)
		EXPECT_EQ(3010UL + AT_ONCE, self->collection[i].count);
	getrusage(RUSAGE_SELF, &usage);
	TH_LOG("%ld MB of memory", usage.ru_maxrss / 1024);
	EXPECT_GT(256 * 1024, usage.ru_maxrss);
}

TEST_HARNESS_MAIN
