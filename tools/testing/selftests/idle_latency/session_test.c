// SPDX-License-Identifier: GPL-2.0
/*
 * What a session of /dev/idle_latency promises: as many records as asked for,
 * all of them plausible and none lost, only the configured idle state while it
 * runs, and nothing left behind, however it ends.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/time.h>

#include "accounting.h"
#include "device.h"
#include "kselftest_harness.h"
#include "test_machine.h"

#define SAMPLES		100
/* As many as the buffer of the device has room for. */
#define RECORDS_MAX	4096

FIXTURE(session) {
	int fd;
	struct idle_latency_config config;
	struct idle_states before;
	struct idle_latency_record *records;
};

FIXTURE_VARIANT(session) {
	__u32 source;
	__u64 flags;
};

FIXTURE_VARIANT_ADD(session, hrt) {
	.source = IDLE_LATENCY_SOURCE_HRT,
};

FIXTURE_VARIANT_ADD(session, hrt_probe) {
	.source = IDLE_LATENCY_SOURCE_HRT,
	.flags = IDLE_LATENCY_CONFIG_PROBE,
};

FIXTURE_VARIANT_ADD(session, tdt) {
	.source = IDLE_LATENCY_SOURCE_TDT,
};

FIXTURE_VARIANT_ADD(session, tdt_probe) {
	.source = IDLE_LATENCY_SOURCE_TDT,
	.flags = IDLE_LATENCY_CONFIG_PROBE,
};

FIXTURE_VARIANT_ADD(session, nic) {
	.source = IDLE_LATENCY_SOURCE_NIC,
};

FIXTURE_VARIANT_ADD(session, nic_probe) {
	.source = IDLE_LATENCY_SOURCE_NIC,
	.flags = IDLE_LATENCY_CONFIG_PROBE,
};

FIXTURE_SETUP(session)
{
	int ret;

	if (!machine_config(&self->config))
		SKIP(return, "no idle states: load a cpuidle driver");
	self->config.source = variant->source;
	self->config.flags = variant->flags;
	ASSERT_TRUE(cpuidle_states(self->config.cpu, &self->before));
	self->records = calloc(RECORDS_MAX, sizeof(*self->records));
	ASSERT_NE(NULL, self->records);
	self->fd = device_open(0);
	ASSERT_LE(0, self->fd);
	ret = device_config(self->fd, &self->config);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "the source cannot work on this machine");
	ASSERT_EQ(0, ret);
}

FIXTURE_TEARDOWN(session)
{
	struct idle_states after;
	int fd;

	close(self->fd);
	free(self->records);
	fd = device_open(0);
	EXPECT_LE(0, fd);
	close(fd);
	ASSERT_TRUE(cpuidle_states(self->config.cpu, &after));
	EXPECT_TRUE(same_disable(&self->before, &after));
}

/* Returns what is wrong with records that begin with number @seq, or NULL. */
static const char *check_records(const struct idle_latency_record *records,
				 ssize_t count, __u64 seq,
				 const struct idle_latency_config *config)
{
	const char *wrong = NULL;

	for (ssize_t i = 0; i < count && !wrong; i++)
		wrong = accounting_record(&records[i], seq + i, config);
	return wrong;
}

/*
 * Reads to the end of the session, or until nothing is there. Returns the
 * number of records; -1 when one of them is wrong.
 */
static ssize_t read_all(int fd, struct idle_latency_record *records, __u64 seq,
			const struct idle_latency_config *config)
{
	ssize_t total = 0, got;

	while ((got = device_read(fd, records, RECORDS_MAX)) > 0) {
		if (check_records(records, got, seq + total, config))
			return -1;
		total += got;
	}
	return total;
}

TEST_F(session, delivers_what_was_asked_for)
{
	struct idle_latency_counts counts;
	const char *wrong;
	ssize_t got;

	self->config.samples = SAMPLES;
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	got = device_read(self->fd, self->records, RECORDS_MAX);
	ASSERT_EQ(SAMPLES, got);
	wrong = check_records(self->records, got, 0, &self->config);
	EXPECT_EQ(NULL, wrong)
		TH_LOG("%s", wrong);
	EXPECT_EQ(0, device_read(self->fd, self->records, RECORDS_MAX));
	ASSERT_EQ(0, device_counts(self->fd, &counts));
	wrong = accounting_end(&counts, got);
	EXPECT_EQ(NULL, wrong)
		TH_LOG("%s", wrong);
	EXPECT_EQ(-EINVAL, device_stop(self->fd));
}

TEST_F(session, times_move_forward)
{
	self->config.samples = SAMPLES;
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	ASSERT_EQ(SAMPLES, device_read(self->fd, self->records, SAMPLES));
	for (size_t i = 1; i < SAMPLES; i++) {
		EXPECT_LT(self->records[i - 1].ltime_ns,
			  self->records[i].ltime_ns);
		EXPECT_LE(self->records[i - 1].tintr_tsc,
			  self->records[i].tbi_tsc);
	}
}

static double idle_ns(const struct idle_latency_record *record)
{
	return record->silent_ns + record->wake_ns;
}

static double idle_cycles(const struct idle_latency_record *record)
{
	return record->tai_tsc - record->tbi_tsc;
}

static const struct idle_latency_record *
longest_idle(const struct idle_latency_record *records, size_t count)
{
	const struct idle_latency_record *longest = records;

	for (size_t i = 1; i < count; i++)
		if (idle_cycles(&records[i]) > idle_cycles(longest))
			longest = &records[i];
	return longest;
}

/*
 * SilentTime + WakeLatency is TAI - TBI. The rate of the TSC is taken from the
 * longest of them; a thousandth and some ns are for rounding.
 */
TEST_F(session, times_agree_with_the_tsc)
{
	const struct idle_latency_record *longest;
	double rate;

	self->config.samples = SAMPLES;
	self->config.ldist_to_ns = 10 * TEST_LDIST_TO_NS;
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	ASSERT_EQ(SAMPLES, device_read(self->fd, self->records, SAMPLES));
	if (!(self->records[0].flags & IDLE_LATENCY_RECORD_WAKE))
		SKIP(return, "the state gives no WakeLatency");
	longest = longest_idle(self->records, SAMPLES);
	rate = idle_ns(longest) / idle_cycles(longest);
	for (size_t i = 0; i < SAMPLES; i++) {
		const struct idle_latency_record *record = &self->records[i];
		double ns = idle_cycles(record) * rate;
		double slack = ns / 1000 + 10 + 2.0 * record->error_ns +
			       2.0 * longest->error_ns;

		EXPECT_LE(idle_ns(record), ns + slack);
		EXPECT_GE(idle_ns(record), ns - slack);
	}
}

/* So far ahead that also a slow machine is idle in time for the nearest. */
TEST_F(session, launch_distances_fill_the_range)
{
	const __u64 from = 50 * TEST_LDIST_FROM_NS, span = from;
	unsigned int low = 0, high = 0;

	self->config.samples = SAMPLES;
	self->config.ldist_from_ns = from;
	self->config.ldist_to_ns = from + span;
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	ASSERT_EQ(SAMPLES, device_read(self->fd, self->records, SAMPLES));
	for (size_t i = 0; i < SAMPLES; i++) {
		__u64 offset = self->records[i].ldist_ns - from;

		low += offset < span / 4;
		high += offset > span - span / 4;
	}
	/* All 100 miss a quarter with a probability of 3e-13. */
	EXPECT_LT(0U, low);
	EXPECT_LT(0U, high);
}

TEST_F(session, counts_add_up_while_it_runs)
{
	struct idle_latency_counts counts = { }, last;

	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	for (unsigned int i = 0; i < 200; i++) {
		last = counts;
		ASSERT_EQ(0, device_counts(self->fd, &counts));
		EXPECT_EQ(NULL, accounting_counts(&counts));
		EXPECT_LE(last.armed, counts.armed);
		EXPECT_LE(last.delivered, counts.delivered);
		sleep_ms(i % 3);
	}
	EXPECT_LT(0ULL, counts.delivered);
	EXPECT_EQ(0, device_stop(self->fd));
}

/*
 * An idle period that began before the state was held is counted when it
 * ends, so one entry into another state is allowed.
 */
TEST_F(session, enters_only_the_held_state)
{
	struct idle_states first, last;

	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	ASSERT_TRUE(cpuidle_states(self->config.cpu, &first));
	ASSERT_EQ(SAMPLES, device_read(self->fd, self->records, SAMPLES));
	ASSERT_TRUE(cpuidle_states(self->config.cpu, &last));
	EXPECT_EQ(0, device_stop(self->fd));
	EXPECT_GE(1ULL, other_usage(&first, &last, self->config.state));
}

TEST_F(session, every_state_can_be_held)
{
	struct idle_states judged;

	idle_states_judged(&self->before, &judged);
	self->config.samples = SAMPLES;
	for (size_t i = 0; i < judged.count; i++) {
		self->config.state = judged.state[i].index;
		ASSERT_EQ(0, device_begin(self->fd, &self->config));
		EXPECT_EQ(SAMPLES, read_all(self->fd, self->records, 0,
					    &self->config))
			TH_LOG("state %s", judged.state[i].name);
	}
}

/* Waits until no further event is armed. Returns false when that never is. */
static bool wait_until_full(int fd, struct idle_latency_counts *counts)
{
	__u64 armed = ~0ULL;

	for (unsigned int i = 0; i < 100; i++) {
		if (device_counts(fd, counts))
			return false;
		if (!counts->pending && counts->armed == armed)
			return true;
		armed = counts->armed;
		sleep_ms(200);
	}
	return false;
}

TEST_F(session, slow_reader_loses_nothing)
{
	struct idle_latency_counts counts;
	ssize_t rest;

	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	ASSERT_TRUE(wait_until_full(self->fd, &counts));
	EXPECT_LT(0ULL, counts.delivered);
	/* Makes room, so that events are armed again. */
	ASSERT_EQ(SAMPLES, device_read(self->fd, self->records, SAMPLES));
	EXPECT_EQ(NULL, check_records(self->records, SAMPLES, 0,
				      &self->config));
	sleep_ms(200);
	EXPECT_EQ(0, device_stop(self->fd));
	rest = read_all(self->fd, self->records, SAMPLES, &self->config);
	EXPECT_LT((ssize_t)counts.delivered - SAMPLES, rest);
	ASSERT_EQ(0, device_counts(self->fd, &counts));
	EXPECT_EQ(NULL, accounting_end(&counts, SAMPLES + rest));
}

TEST_F(session, stop_leaves_records_to_read)
{
	struct idle_latency_counts counts;

	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	sleep_ms(100);
	EXPECT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, device_counts(self->fd, &counts));
	EXPECT_LT(0ULL, counts.delivered);
	EXPECT_EQ((ssize_t)counts.delivered,
		  read_all(self->fd, self->records, 0, &self->config));
	EXPECT_EQ(NULL, accounting_end(&counts, counts.delivered));
}

TEST_F(session, config_drops_unread_records)
{
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	sleep_ms(100);
	EXPECT_EQ(0, device_stop(self->fd));
	self->config.samples = SAMPLES;
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	EXPECT_EQ(SAMPLES,
		  read_all(self->fd, self->records, 0, &self->config));
}

TEST_F(session, restarts_at_zero)
{
	struct idle_latency_counts counts;

	self->config.samples = SAMPLES;
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	for (unsigned int i = 0; i < 3; i++) {
		EXPECT_EQ(SAMPLES, read_all(self->fd, self->records, 0,
					    &self->config));
		ASSERT_EQ(0, device_counts(self->fd, &counts));
		EXPECT_EQ(NULL, accounting_end(&counts, SAMPLES));
		ASSERT_EQ(0, device_start(self->fd));
	}
}

static short poll_events(int fd, int timeout_ms)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	return poll(&poll_fd, 1, timeout_ms) < 0 ? -1 : poll_fd.revents;
}

TEST_F(session, poll_waits_for_half_of_the_buffer)
{
	struct idle_latency_counts counts;

	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	EXPECT_EQ(0, poll_events(self->fd, 0));
	EXPECT_EQ(POLLIN, poll_events(self->fd, 20000));
	ASSERT_EQ(0, device_counts(self->fd, &counts));
	EXPECT_LE(RECORDS_MAX / 2ULL, counts.delivered);
	EXPECT_EQ(0, device_stop(self->fd));
}

TEST_F(session, poll_reports_the_end)
{
	self->config.samples = 1;
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	EXPECT_EQ(POLLIN | POLLHUP, poll_events(self->fd, 20000));
	EXPECT_EQ(1, read_all(self->fd, self->records, 0, &self->config));
	EXPECT_EQ(POLLIN | POLLHUP, poll_events(self->fd, 0));
}

/* The reader waits for more than will come; a child that shares the file. */
TEST_F(session, stop_wakes_a_reader)
{
	int status;
	pid_t child;

	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		sleep_ms(50);
		_exit(device_stop(self->fd) ? 1 : 0);
	}
	EXPECT_LT(0, read_all(self->fd, self->records, 0, &self->config));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_F(session, closing_one_of_two_files_changes_nothing)
{
	int copy = dup(self->fd);

	ASSERT_LE(0, copy);
	self->config.samples = SAMPLES;
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	EXPECT_EQ(0, close(copy));
	EXPECT_EQ(SAMPLES,
		  read_all(self->fd, self->records, 0, &self->config));
}

static void ignore(int signal __always_unused)
{
}

TEST_F(session, signal_interrupts_a_reader)
{
	/* Again and again, in case one comes before the read. */
	struct itimerval soon = {
		.it_value.tv_usec = 5000, .it_interval.tv_usec = 5000,
	};
	const struct itimerval never = { };
	struct sigaction action = { .sa_handler = ignore };

	ASSERT_EQ(0, sigaction(SIGALRM, &action, NULL));
	/* No record is there before the signal. */
	self->config.ldist_from_ns = IDLE_LATENCY_LDIST_MAX_NS;
	self->config.ldist_to_ns = IDLE_LATENCY_LDIST_MAX_NS;
	self->config.samples = 2;
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &soon, NULL));
	EXPECT_EQ(-EINTR, device_read(self->fd, self->records, 2));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &never, NULL));
	EXPECT_EQ(2, read_all(self->fd, self->records, 0, &self->config));
}

/* A program that runs a session of this state and never ends by itself. */
static pid_t fork_session(const struct idle_latency_config *config)
{
	pid_t child = fork();
	int fd;

	if (child)
		return child;
	fd = device_open(0);
	if (fd < 0 || device_begin(fd, config))
		_exit(1);
	for (;;)
		pause();
}

/* Reads the states of the CPU twice, with some time between. */
static bool watch_states(unsigned int cpu, struct idle_states *first,
			 struct idle_states *last)
{
	if (!cpuidle_states(cpu, first))
		return false;
	sleep_ms(500);
	return cpuidle_states(cpu, last);
}

/* Returns how often other states were entered in a while. */
static __u64 watch_other_states(const struct idle_latency_config *config)
{
	struct idle_states first, last;

	if (!watch_states(config->cpu, &first, &last))
		return 0;
	return other_usage(&first, &last, config->state);
}

/*
 * Chooses to hold the state that the CPU enters least by itself, so that it is bound
 * to enter others as soon as they are given back. Returns how many states it has, 0 if
 * that cannot be read.
 */
static size_t hold_rarest_state(struct idle_latency_config *config)
{
	struct idle_states first, last, judged;
	__u64 least = ~0ULL;

	if (!watch_states(config->cpu, &first, &last))
		return 0;
	idle_states_judged(&last, &judged);
	for (size_t i = 0; i < judged.count; i++) {
		__u32 state = judged.state[i].index;
		__u64 usage = judged.state[i].usage -
			      first.state[state].usage;

		if (usage <= least) {
			least = usage;
			config->state = state;
		}
	}
	return judged.count;
}

TEST_F(session, sigkill_leaves_nothing_behind)
{
	struct idle_states after;
	size_t states;
	pid_t child;
	int status;

	EXPECT_EQ(0, close(self->fd));
	states = hold_rarest_state(&self->config);
	ASSERT_LT(0U, states);
	child = fork_session(&self->config);
	ASSERT_LE(0, child);
	/* Until it has started, and while it runs. */
	sleep_ms(500);
	EXPECT_EQ(-EBUSY, device_open(0));
	EXPECT_EQ(0, kill(child, SIGKILL));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
	ASSERT_TRUE(cpuidle_states(self->config.cpu, &after));
	EXPECT_TRUE(same_disable(&self->before, &after));
	EXPECT_TRUE(states == 1 || watch_other_states(&self->config));
	self->fd = device_open(0);
	ASSERT_LE(0, self->fd);
	self->config.samples = SAMPLES;
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	EXPECT_EQ(SAMPLES,
		  read_all(self->fd, self->records, 0, &self->config));
}

TEST_F(session, stop_gives_other_states_back)
{
	size_t states = hold_rarest_state(&self->config);

	ASSERT_LT(0U, states);
	if (states == 1)
		SKIP(return, "the CPU has no other idle state");
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	sleep_ms(100);
	EXPECT_EQ(0, device_stop(self->fd));
	EXPECT_LT(0ULL, watch_other_states(&self->config));
}

TEST_F(session, ends_when_the_cpu_goes_offline)
{
	struct idle_latency_counts counts;
	ssize_t got, total = 0;

	if (!machine_spare_cpu(&self->config.cpu))
		SKIP(return, "no CPU that can be taken offline");
	ASSERT_TRUE(cpuidle_states(self->config.cpu, &self->before));
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	sleep_ms(100);
	ASSERT_TRUE(machine_set_online(self->config.cpu, false));
	EXPECT_TRUE(poll_events(self->fd, 1000) & POLLHUP);
	while ((got = device_read(self->fd, self->records, RECORDS_MAX)) > 0)
		total += got;
	EXPECT_EQ(-ENXIO, got);
	EXPECT_EQ(0, device_counts(self->fd, &counts));
	EXPECT_EQ(NULL, accounting_end(&counts, total));
	EXPECT_EQ(-ENXIO, device_start(self->fd));
	EXPECT_TRUE(machine_set_online(self->config.cpu, true));
}

int main(int argc, char **argv)
{
	machine_required();
	return test_harness_run(argc, argv);
}
