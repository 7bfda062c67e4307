// SPDX-License-Identifier: GPL-2.0
/*
 * What a session of /dev/idle_latency promises: as many records as asked for,
 * all of them plausible and none lost, only the configured idle state while it
 * runs, and nothing left behind, however it ends. What else it promises, stress/
 * tests, as others would notice that.
 */
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>

#include <sys/time.h>

#include "interrupts.h"
#include "kselftest_harness.h"
#include "prepare.h"
#include "records.h"

#define SAMPLES		100
/* So many that some of them come before the CPU is idle. */
#define NEAR_EVENTS	500
/* So far ahead that there are many ticks before each, where the tick goes on. */
#define FAR_EVENTS	8

/* As a session waits for its time. */
#define AHEAD_NS	(100 * 1000000ULL)
/* A timer, the way out of an idle state, and a host that has other things to do. */
#define LATE_NS		(10 * 1000000ULL)

/* Longer than a session waits for the reader before it lets the CPU go. */
#define LET_GO_MS	1500

/* So long that there are many ticks. */
#define BUSY_MS		60

/* Of which the CPU enters its usual states in some. */
#define IDLE_PERIODS	100

FIXTURE(session) {
	int fd;
	struct idle_latency_config config;
	struct idle_states before;
};

/* Of the session of a test, of which each is a process. */
static struct session_result result;

FIXTURE_VARIANT(session) {
	struct source_variant by;
};

/* Where the stamps are from is the same to all sources. */
FIXTURE_VARIANT_ADD(session, hrt) { VARIANT_HRT };
FIXTURE_VARIANT_ADD(session, hrt_probe) { VARIANT_HRT, VARIANT_PROBE };
FIXTURE_VARIANT_ADD(session, tdt) { VARIANT_TDT };
FIXTURE_VARIANT_ADD(session, nic) { VARIANT_NIC };

FIXTURE_SETUP(session)
{
	MACHINE_OPEN(return, &variant->by, &self->config);
	ASSERT_TRUE(cpuidle_states(self->config.cpu, &self->before));
}

FIXTURE_TEARDOWN(session)
{
	close(self->fd);
	EXPECT_FINE(machine_left(self->config.cpu, &self->before));
}

/* What no source has a part in, such as the buffer and when a state is forced, is tried by one. */
FIXTURE(any_source) {
	int fd;
	struct idle_latency_config config;
	struct idle_states before;
};

FIXTURE_SETUP(any_source)
{
	MACHINE_OPEN(return, NULL, &self->config);
	ASSERT_TRUE(cpuidle_states(self->config.cpu, &self->before));
}

FIXTURE_TEARDOWN(any_source)
{
	close(self->fd);
	EXPECT_FINE(machine_left(self->config.cpu, &self->before));
}

/* Reads a session to its end. Returns the number of records, or -errno. */
static ssize_t read_all(int fd, const struct idle_latency_config *config)
{
	struct reader reader = { .fd = fd, .config = config };
	ssize_t end = reader_drain(&reader);

	return end ? end : (ssize_t)reader.records;
}

TEST_F(session, delivers_what_was_asked_for)
{
	ASSERT_FINE(session_take(self->fd, &self->config, SAMPLES, NULL));
	EXPECT_EQ(-EINVAL, device_stop(self->fd));
}

TEST_F(session, times_move_forward)
{
	ASSERT_FINE(session_take(self->fd, &self->config, SAMPLES, result.record));
	for (size_t i = 1; i < SAMPLES; i++) {
		EXPECT_LT(result.record[i - 1].ltime_ns,
			  result.record[i].ltime_ns);
		EXPECT_LE(result.record[i - 1].tintr_cyc,
			  result.record[i].tbi_cyc);
	}
}

/*
 * SilentTime + WakeLatency is TAI - TBI, by another clock than that of the source.
 * A thousandth is for the rates of both, and some ns are for rounding.
 */
TEST_F(session, times_agree_with_the_tsc)
{
	double rate = machine_tsc_rate();

	self->config.ldist_to_ns = 10 * TEST_LDIST_TO_NS;
	ASSERT_FINE(session_take(self->fd, &self->config, SAMPLES, result.record));
	if (!(result.record[0].flags & IDLE_LATENCY_RECORD_WAKE))
		SKIP(return, "the state gives no WakeLatency");
	for (size_t i = 0; i < SAMPLES; i++) {
		const struct idle_latency_record *record = &result.record[i];
		double ns = (record->tai_cyc - record->tbi_cyc) / rate;
		double idle_ns = record->silent_ns + record->wake_ns;
		double slack = ns / 1000 + 10 + 2.0 * record->error_ns;

		EXPECT_LE(idle_ns, ns + slack);
		EXPECT_GE(idle_ns, ns - slack);
	}
}

/* So far ahead that also a slow machine is idle in time for the nearest. */
TEST_F(session, launch_distances_fill_the_range)
{
	const __u64 from = 50 * TEST_LDIST_FROM_NS, span = from;
	unsigned int low = 0, high = 0;

	self->config.ldist_from_ns = from;
	self->config.ldist_to_ns = from + span;
	ASSERT_FINE(session_take(self->fd, &self->config, SAMPLES, result.record));
	for (size_t i = 0; i < SAMPLES; i++) {
		__u64 offset = result.record[i].ldist_ns - from;

		low += offset < span / 4;
		high += offset > span - span / 4;
	}
	/* All 100 miss a quarter with a probability of 3e-13. */
	EXPECT_LT(0U, low);
	EXPECT_LT(0U, high);
}

TEST_F(any_source, counts_add_up_while_it_runs)
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
 * An idle period that began before the state was forced is counted when it
 * ends, so one entry into another state is allowed.
 */
TEST_F(session, enters_only_the_forced_state)
{
	struct idle_states first, last;

	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	ASSERT_TRUE(cpuidle_states(self->config.cpu, &first));
	ASSERT_EQ(SAMPLES, device_read(self->fd, result.record, SAMPLES));
	ASSERT_TRUE(cpuidle_states(self->config.cpu, &last));
	EXPECT_EQ(0, device_stop(self->fd));
	EXPECT_GE(1ULL, other_usage(&first, &last, self->config.state));
}

/* But for the second of two with the same exit latency, without cpuidle_force_state(). */
TEST_F(session, every_state_can_be_forced)
{
	struct idle_latency_state info[IDLE_STATES_MAX] = { };
	struct idle_states judged;
	bool ties, forces = true;

	idle_states_judged(&self->before, &judged);
	for (size_t i = 0; i < judged.count; i++) {
		self->config.state = judged.state[i].index;
		info[i].cpu = self->config.cpu;
		info[i].state = self->config.state;
		ASSERT_EQ(0, device_state(self->fd, &info[i]));
		ties = false;
		for (size_t j = 0; j < i; j++)
			ties |= info[j].exit_latency_ns == info[i].exit_latency_ns;
		if (ties && !forces) {
			EXPECT_EQ(-EOPNOTSUPP, device_begin(self->fd, &self->config));
			continue;
		}
		CHECK_FINE(EXPECT_TRUE,
			   session_take(self->fd, &self->config, SAMPLES, result.record),
			   "state %s: ", judged.state[i].name);
		forces = result.record->flags & IDLE_LATENCY_RECORD_FORCED;
	}
}

/* What a process does that is on the CPU alone. Returns false when it was not. */
static bool run_on(unsigned int cpu, void (*work)(void))
{
	pid_t child = fork();
	int status;

	if (!child) {
		if (!affinity_pin(cpu))
			_exit(1);
		work();
		_exit(0);
	}
	return waitpid(child, &status, 0) == child && !status;
}

static void keep_busy(void)
{
	__u64 begin = now_ns();

	while (now_ns() - begin < BUSY_MS * 1000000ULL)
		;
}

/* Interrupts of the CPU's own timer in a ms in which it is busy; -1: not known. */
static double busy_ticks(unsigned int cpu)
{
	__u64 first, last;

	if (!interrupts_of_row(cpu, "LOC", &first) || !run_on(cpu, keep_busy) ||
	    !interrupts_of_row(cpu, "LOC", &last))
		return -1;
	return (double)(last - first) / BUSY_MS;
}

/* As the kernel was told with nohz=. The second is how kernels before v7.0 call it. */
static bool can_stop_tick(void)
{
	return file_has("/proc/timer_list", ".nohz ", ": 1") ||
	       file_has("/proc/timer_list", ".nohz_mode ", ": 1") ||
	       file_has("/proc/timer_list", ".nohz_mode ", ": 2");
}

/*
 * Not by one interrupt that comes because the tick cannot be stopped at once: the tick
 * is what comes most of the time.
 */
TEST_F(session, the_tick_is_stopped)
{
	double busy = busy_ticks(self->config.cpu), ticks, ms;
	__u64 first, last, begin;

	if (busy <= 0 || !can_stop_tick())
		SKIP(return, "no tick, or none that can be stopped");
	self->config.ldist_from_ns = IDLE_LATENCY_LDIST_MAX_NS;
	self->config.ldist_to_ns = IDLE_LATENCY_LDIST_MAX_NS;
	ASSERT_TRUE(machine_deepest(self->fd, &self->config));
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	ASSERT_EQ(1, device_read(self->fd, result.record, 1));
	begin = now_ns();
	ASSERT_TRUE(interrupts_of_row(self->config.cpu, "LOC", &first));
	ASSERT_EQ(FAR_EVENTS, device_read(self->fd, result.record + 1, FAR_EVENTS));
	ASSERT_TRUE(interrupts_of_row(self->config.cpu, "LOC", &last));
	ms = (now_ns() - begin) / 1e6;
	EXPECT_EQ(0, device_stop(self->fd));
	/* Events may be interrupts of this timer, too. */
	ticks = (double)(last - first) -
		(result.record[FAR_EVENTS].event - result.record[0].event);
	EXPECT_LT(ticks / ms, busy / 4)
		TH_LOG("in %g ms: %g, while busy %g in a ms", ms, ticks, busy);
}

TEST_F(session, stop_leaves_records_to_read)
{
	struct idle_latency_counts counts;

	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	ASSERT_TRUE(session_wait(self->fd, 0, 1));
	EXPECT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0, device_counts(self->fd, &counts));
	EXPECT_LT(0ULL, counts.delivered);
	EXPECT_EQ((ssize_t)counts.delivered,
		  read_all(self->fd, &self->config));
}

TEST_F(any_source, config_drops_unread_records)
{
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	ASSERT_TRUE(session_wait(self->fd, 0, 1));
	EXPECT_EQ(0, device_stop(self->fd));
	EXPECT_FINE(session_take(self->fd, &self->config, SAMPLES, NULL));
}

TEST_F(session, restarts_at_zero)
{
	self->config.samples = SAMPLES;
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	for (unsigned int i = 0; i < 3; i++) {
		EXPECT_EQ(SAMPLES, read_all(self->fd, &self->config));
		ASSERT_EQ(0, device_start(self->fd));
	}
}

static short poll_events(int fd, int timeout_ms)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	return poll(&poll_fd, 1, timeout_ms) < 0 ? -1 : poll_fd.revents;
}

/* Some so near that they come before the CPU is idle. */
static void come_near(struct idle_latency_config *config, __u64 ldist_to_ns)
{
	config->ldist_from_ns = config->source == IDLE_LATENCY_SOURCE_NIC ?
		IDLE_LATENCY_LDIST_MIN_NIC_NS : IDLE_LATENCY_LDIST_MIN_NS;
	config->ldist_to_ns = ldist_to_ns;
}

/* A session of such events. Returns NULL, or what is wrong with it. */
static const char *run_near(int fd, struct idle_latency_config *config, __u64 ldist_to_ns)
{
	come_near(config, ldist_to_ns);
	return session_run(fd, config, NEAR_EVENTS, &result);
}

TEST_F(session, discarded_events_are_not_delivered)
{
	ASSERT_FINE(run_near(self->fd, &self->config, TEST_LDIST_FROM_NS));
	EXPECT_LT(0ULL, discards_total(&result.counts));
	EXPECT_EQ(0ULL, result.counts.kept);
}

TEST_F(session, discarded_events_are_kept_with_their_latencies)
{
	static const __u64 limits[] = { 0, 1000, ~0ULL };

	self->config.flags |= IDLE_LATENCY_CONFIG_KEEP;
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		self->config.limit_ns = limits[i];
		CHECK_FINE(ASSERT_TRUE,
			   run_near(self->fd, &self->config, TEST_LDIST_FROM_NS) ?:
			   accounting_kept(&result, limits[i]), "limit %llu: ", limits[i]);
		EXPECT_LT(0ULL, result.counts.kept);
	}
}

/* An event that was pending, with its stamps in order. */
static bool was_pending(const struct idle_latency_record *record)
{
	return record->flags & IDLE_LATENCY_RECORD_PENDING &&
	       record->tbi_cyc <= record->tai_cyc && !record->silent_ns;
}

/* Does the state enable interrupts, as C1 of a Skylake-SP does? The handler runs in it then. */
static bool handled_in_idle(const struct idle_latency_record *record)
{
	return record->tbi_cyc <= record->tintr_cyc && record->tintr_cyc < record->tai_cyc;
}

/*
 * What fires before TBI finds the idle instruction with an interrupt pending, so that it does
 * not wait. How far that is after arming depends on the machine: a kernel that checks itself
 * takes longer. How near a card has to be for it, nobody knows. A state that enables interrupts
 * has the handler run instead.
 */
TEST_F(session, events_before_idle_tell_of_the_software)
{
	static const __u64 to_ns[] = { TEST_LDIST_FROM_NS, 100000, 500000 };
	unsigned int pending = 0, all = 0;
	bool enabled = false;

	self->config.flags |= IDLE_LATENCY_CONFIG_KEEP;
	for (size_t i = 0; i < ARRAY_SIZE(to_ns); i++) {
		ASSERT_FINE(run_near(self->fd, &self->config, to_ns[i]));
		for (size_t j = 0; j < result.count; j++) {
			pending += was_pending(&result.record[j]);
			enabled |= handled_in_idle(&result.record[j]);
		}
		all += result.count;
	}
	EXPECT_LT(pending, all);
	if (enabled || self->config.source != IDLE_LATENCY_SOURCE_NIC)
		EXPECT_EQ(!enabled, pending > 0);
}

/* Reading them takes the longest, and so they are read rarely. */
TEST_F(session, counters_of_the_package_are_read_for_one_event_of_eight)
{
	ASSERT_FINE(session_take(self->fd, &self->config, SAMPLES, result.record));
	for (size_t i = 0; i < SAMPLES; i++)
		if (result.record[i].event % 8)
			EXPECT_EQ(0U, result.record[i].residency_present &
				  PACKAGE_COUNTERS);
}

TEST_F(session, kept_events_are_no_samples)
{
	struct reader reader = { .fd = self->fd, .config = &self->config };
	__u32 last_reasons = 0;
	ssize_t got;

	come_near(&self->config, TEST_LDIST_TO_NS);
	self->config.flags |= IDLE_LATENCY_CONFIG_KEEP;
	self->config.samples = SAMPLES;
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	while ((got = reader_read(&reader, result.record, SAMPLES)) > 0)
		last_reasons = result.record[got - 1].reasons;
	EXPECT_EQ(0U, last_reasons);
	EXPECT_EQ(0, reader_drain(&reader))
		TH_LOG("%s", reader.wrong);
	EXPECT_EQ((__u64)SAMPLES, reader.samples);
}

TEST_F(any_source, poll_waits_for_half_of_the_buffer)
{
	struct idle_latency_counts counts;

	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	EXPECT_EQ(0, poll_events(self->fd, 0));
	EXPECT_EQ(POLLIN, poll_events(self->fd, 20000));
	ASSERT_EQ(0, device_counts(self->fd, &counts));
	EXPECT_LE(SESSION_RECORDS_MAX / 2ULL, counts.delivered);
	EXPECT_EQ(0, device_stop(self->fd));
}

TEST_F(session, poll_reports_the_end)
{
	self->config.samples = 1;
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	EXPECT_EQ(POLLIN | POLLHUP, poll_events(self->fd, 20000));
	EXPECT_EQ(1, read_all(self->fd, &self->config));
	EXPECT_EQ(POLLIN | POLLHUP, poll_events(self->fd, 0));
}

/* The reader waits for more than will come; a child that shares the file. */
TEST_F(any_source, stop_wakes_a_reader)
{
	int status;
	pid_t child;

	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		_exit(!session_wait(self->fd, 0, 1) || device_stop(self->fd));
	EXPECT_LT(0, read_all(self->fd, &self->config));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_F(any_source, closing_one_of_two_files_changes_nothing)
{
	int copy = dup(self->fd);

	ASSERT_LE(0, copy);
	self->config.samples = SAMPLES;
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	EXPECT_EQ(0, close(copy));
	EXPECT_EQ(SAMPLES, read_all(self->fd, &self->config));
}

static void ignore(int signal __always_unused)
{
}

TEST_F(any_source, signal_interrupts_a_reader)
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
	EXPECT_EQ(-EINTR, device_read(self->fd, result.record, 2));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &never, NULL));
	EXPECT_EQ(2, read_all(self->fd, &self->config));
}

static void go_idle(void)
{
	for (unsigned int i = 0; i < IDLE_PERIODS; i++)
		sleep_ms(1);
}

/* Reads the states of the CPU twice, with some idle periods between. */
static bool watch_states(unsigned int cpu, struct idle_states *first,
			 struct idle_states *last)
{
	return cpuidle_states(cpu, first) && run_on(cpu, go_idle) &&
	       cpuidle_states(cpu, last);
}

/* Returns how often other states are entered in a while. */
static __u64 watch_other_states(const struct idle_latency_config *config)
{
	struct idle_states first, last;

	if (!watch_states(config->cpu, &first, &last))
		return 0;
	return other_usage(&first, &last, config->state);
}

/*
 * Chooses to force the state that the CPU enters least by itself, so that it is bound
 * to enter others as soon as it may. Returns how many states it has, 0 if that cannot
 * be read.
 */
static size_t force_rarest_state(struct idle_latency_config *config)
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

/* Of a program with a session that runs, so that nobody else can measure the CPU. */
TEST_F(session, sigkill_leaves_nothing_behind)
{
	size_t states = force_rarest_state(&self->config);
	pid_t child;
	int status;

	ASSERT_LT(0U, states);
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	ASSERT_TRUE(session_wait(self->fd, 0, 1));
	child = fork();
	ASSERT_LE(0, child);
	while (!child)
		pause();
	EXPECT_EQ(0, close(self->fd));
	self->fd = device_open(0);
	ASSERT_LE(0, self->fd);
	EXPECT_EQ(-EBUSY, device_begin(self->fd, &self->config));
	EXPECT_EQ(0, kill(child, SIGKILL));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
	EXPECT_TRUE(same_disable(self->config.cpu, &self->before));
	EXPECT_TRUE(states == 1 || watch_other_states(&self->config));
	EXPECT_FINE(machine_left(self->config.cpu, &self->before));
	EXPECT_FINE(session_take(self->fd, &self->config, SAMPLES, NULL));
}

TEST_F(any_source, stop_lets_the_cpu_enter_other_states)
{
	size_t states = force_rarest_state(&self->config);

	ASSERT_LT(0U, states);
	if (states == 1)
		SKIP(return, "the CPU has no other idle state");
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	sleep_ms(100);
	EXPECT_EQ(0, device_stop(self->fd));
	EXPECT_LT(0ULL, watch_other_states(&self->config));
}

TEST_F_TIMEOUT(any_source, slow_reader_loses_nothing, 120)
{
	struct reader reader = { .fd = self->fd, .config = &self->config };
	size_t states = force_rarest_state(&self->config);
	struct idle_latency_counts counts;

	/* It is full the sooner. */
	self->config.buffer_records = 4 * IDLE_LATENCY_BUFFER_MIN;
	ASSERT_LT(0U, states);
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	ASSERT_TRUE(session_wait_full(self->fd, &counts));
	EXPECT_LT(0ULL, counts.delivered);
	/* The state is not forced for somebody who does not read. */
	sleep_ms(LET_GO_MS);
	EXPECT_TRUE(states == 1 || watch_other_states(&self->config));
	/* Makes room, so that events are armed again. */
	ASSERT_EQ(SAMPLES, reader_read(&reader, NULL, SAMPLES));
	EXPECT_TRUE(session_wait(self->fd, 0, counts.delivered + 1));
	EXPECT_EQ(0, device_stop(self->fd));
	EXPECT_EQ(0, reader_drain(&reader))
		TH_LOG("%s", reader.wrong);
	EXPECT_LT(counts.delivered, reader.records);
}

/* Full after so many, it wakes its reader with half of them, and goes on when it was read. */
TEST_F(any_source, a_small_buffer_fills_and_goes_on)
{
	struct reader reader = { .fd = self->fd, .config = &self->config };
	struct idle_latency_counts counts;

	self->config.buffer_records = IDLE_LATENCY_BUFFER_MIN;
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	for (unsigned int i = 1; i < 4; i++) {
		EXPECT_EQ(POLLIN, poll_events(self->fd, 20000));
		ASSERT_TRUE(session_wait_full(self->fd, &counts));
		EXPECT_EQ(i * (unsigned long long)IDLE_LATENCY_BUFFER_MIN, counts.delivered);
		EXPECT_EQ(IDLE_LATENCY_BUFFER_MIN,
			  reader_read(&reader, NULL, SESSION_RECORDS_MAX));
	}
	EXPECT_EQ(0, device_stop(self->fd));
	EXPECT_EQ(0, reader_drain(&reader))
		TH_LOG("%s", reader.wrong);
}

/* The first event, also one that is not believed, tells by the clock of hrt when it was armed. */
TEST_F(session, begins_at_its_time)
{
	__u64 begin_ns;

	self->config.flags |= IDLE_LATENCY_CONFIG_KEEP;
	self->config.start_ns = now_ns() + AHEAD_NS;
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	EXPECT_GT(self->config.start_ns, now_ns());
	ASSERT_EQ(1, device_read(self->fd, result.record, 1));
	EXPECT_LT(self->config.start_ns, now_ns());
	EXPECT_EQ(0, device_stop(self->fd));
	ASSERT_EQ(0ULL, result.record[0].event);
	begin_ns = result.record[0].ltime_ns - result.record[0].ldist_ns;
	if (self->config.source == IDLE_LATENCY_SOURCE_HRT) {
		EXPECT_LE(self->config.start_ns, begin_ns);
		EXPECT_GT(self->config.start_ns + LATE_NS, begin_ns);
	}

	/* And at once when that has passed. */
	ASSERT_EQ(0, device_start(self->fd));
	ASSERT_EQ(1, device_read(self->fd, result.record, 1));
	EXPECT_EQ(0, device_stop(self->fd));
}

TEST_F(session, is_stopped_before_its_time)
{
	struct idle_latency_counts counts;
	__u64 begin;

	self->config.start_ns = now_ns() + IDLE_LATENCY_START_MAX_NS;
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	EXPECT_EQ(0, poll_events(self->fd, AHEAD_NS / 1000000));
	begin = now_ns();
	EXPECT_EQ(0, device_stop(self->fd));
	EXPECT_GT(NS_PER_SEC, now_ns() - begin);
	ASSERT_EQ(0, device_counts(self->fd, &counts));
	EXPECT_EQ(0ULL, counts.armed);
	EXPECT_EQ(0, read_all(self->fd, &self->config));
}

/* The session of another CPU. Returns its descriptor, or -errno. */
static int begin_beside(struct idle_latency_config *config)
{
	int fd = device_open(0), ret;

	if (fd < 0 || !machine_other_cpu(false, &config->cpu))
		return -ENXIO;
	ret = device_begin(fd, config);
	if (ret)
		close(fd);
	return ret ?: fd;
}

TEST_F(session, two_cpus_at_once)
{
	struct reader first = { .fd = self->fd, .config = &self->config }, second = { };
	struct idle_latency_config config;

	self->config.samples = 10 * SAMPLES;
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	config = self->config;
	config.source = IDLE_LATENCY_SOURCE_HRT;
	second.fd = begin_beside(&config);
	second.config = &config;
	if (second.fd == -ENXIO || second.fd == -ENODEV)
		SKIP(return, "no other CPU with idle states");
	ASSERT_LE(0, second.fd);
	EXPECT_EQ(0, reader_drain(&second))
		TH_LOG("%s", second.wrong);
	EXPECT_EQ(0, reader_drain(&first))
		TH_LOG("%s", first.wrong);
	EXPECT_EQ(10ULL * SAMPLES, first.records);
	EXPECT_EQ(10ULL * SAMPLES, second.records);
	EXPECT_EQ(0, close(second.fd));
}

/* As struct idle_latency_config has them, of the cards that the driver has. Returns how many. */
static size_t find_cards(__u32 *cards, size_t room)
{
	unsigned int domain, bus, device, function;
	glob_t found = { };
	size_t count = 0;

	if (!glob(CARD_DRIVER "/*:*", 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc && count < room; i++)
			if (sscanf(found.gl_pathv[i], CARD_DRIVER "/%x:%x:%x.%x", &domain, &bus,
				   &device, &function) == 4)
				cards[count++] = domain << 16 | bus << 8 | device << 3 | function;
	globfree(&found);
	return count;
}

/* Each card by its address; on another CPU, one that is in use is refused, a free one is not. */
TEST_F(session, the_card_that_is_named)
{
	struct idle_latency_config config;
	__u32 cards[2];
	size_t count;
	int fd;

	if (self->config.source != IDLE_LATENCY_SOURCE_NIC)
		SKIP(return, "the source has no card");
	count = find_cards(cards, ARRAY_SIZE(cards));
	ASSERT_LT(0U, count);
	for (size_t i = 0; i < count; i++) {
		self->config.card = cards[i];
		EXPECT_FINE(session_take(self->fd, &self->config, SAMPLES, NULL));
	}
	self->config.card = cards[0];
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	config = self->config;
	fd = begin_beside(&config);
	if (fd == -ENXIO || fd == -ENODEV)
		SKIP(return, "no other CPU with idle states");
	EXPECT_EQ(-EBUSY, fd);
	config.card = 0;
	fd = begin_beside(&config);
	EXPECT_TRUE(count == 1 ? fd == -EBUSY : fd >= 0);
	EXPECT_EQ(0, device_stop(self->fd));
}

int main(int argc, char **argv)
{
	struct obstacle ignored;

	machine_required(false);
	/* Where there is none, the tests of nic say so. */
	driver_take_card(false, &ignored);
	return test_harness_run(argc, argv);
}
