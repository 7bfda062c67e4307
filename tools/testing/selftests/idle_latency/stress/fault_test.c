// SPDX-License-Identifier: GPL-2.0
/*
 * Let each allocation fail that the driver makes on behalf of its caller, one at
 * a time: every call either works or says ENOMEM, undoes what it did, and works
 * when tried again. Needs a kernel with CONFIG_FAULT_INJECTION and
 * CONFIG_FAILSLAB; see Documentation/fault-injection/fault-injection.rst.
 *
 * By hrt only: the interrupt core, which nic needs, warns when it removes files in
 * /proc that it had no memory to make.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "idle_latency_util.h"
#include "kselftest_harness.h"
#include "prepare.h"
#include "stress.h"

#define FAIL_NTH	"/proc/thread-self/fail-nth"
#define FAILSLAB	"/sys/kernel/debug/failslab/"

/* No call makes as many allocations; a test that never ends is no test. */
#define MOST		1000

FIXTURE(fault) {
	int fd;
	struct idle_latency_config config;
	struct idle_states before;
};

static bool set_nth(unsigned int nth)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", nth);
	return sysfs_write(FAIL_NTH, text);
}

/* Whether the fault asked for came; none is pending afterwards. */
static bool take_fault(void)
{
	__u64 left = 1;
	bool came = sysfs_read_number(FAIL_NTH, &left) && !left;

	set_nth(0);
	return came;
}

FIXTURE_SETUP(fault)
{
	if (!machine_config(&self->config))
		SKIP(return, "no idle states: load a cpuidle driver");
	if (access(FAIL_NTH, W_OK) || access(FAILSLAB "verbose", W_OK))
		SKIP(return, "no CONFIG_FAULT_INJECTION, CONFIG_FAILSLAB or debugfs");
	ASSERT_TRUE(cpuidle_states(self->config.cpu, &self->before));
	if (self->before.count < self->config.state + 2)
		SKIP(return, "only one idle state to force");
	/* All is noted before anything is changed: when this fails, there is no teardown. */
	ASSERT_LE(0, undo_file(FAILSLAB "ignore-gfp-wait"));
	ASSERT_LE(0, undo_file(FAILSLAB "verbose"));
	/* Each failure counts it down. */
	ASSERT_LE(0, undo_file(FAILSLAB "times"));
	/* Not only allocations that cannot sleep, and no stack traces. */
	ASSERT_TRUE(sysfs_write(FAILSLAB "ignore-gfp-wait", "N"));
	ASSERT_TRUE(sysfs_write(FAILSLAB "verbose", "0"));
	self->config.samples = 10;
	self->fd = -1;
}

FIXTURE_TEARDOWN(fault)
{
	if (self->fd >= 0)
		close(self->fd);
	EXPECT_TRUE(undo_now());
	EXPECT_TRUE(same_disable(self->config.cpu, &self->before));
	EXPECT_FALSE(machine_is_forced(self->config.cpu, self->config.state));
}

/*
 * The device is as before: a session works, also in a state that cannot be forced
 * where another one still is.
 */
static int good_session(const struct idle_latency_config *forced)
{
	struct idle_latency_config config = *forced;
	struct idle_latency_record records[10];
	int fd = device_open(0);
	ssize_t got;

	if (fd < 0)
		return fd;
	config.state++;
	got = device_begin(fd, &config);
	if (!got)
		got = device_read(fd, records, 10);
	close(fd);
	return got;
}

/* How often opening any file fails, as it needs memory, too. */
static unsigned int plain_open_failures(void)
{
	unsigned int failures = 0;

	for (unsigned int nth = 1; nth < MOST; nth++) {
		int fd;

		set_nth(nth);
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
		if (fd >= 0)
			close(fd);
		else
			failures++;
		if (!take_fault())
			break;
	}
	return failures;
}

TEST_F(fault, open_undoes_what_it_did)
{
	unsigned int faults = 0, failed = 0;

	for (unsigned int nth = 1; nth < MOST; nth++) {
		ASSERT_TRUE(set_nth(nth));
		self->fd = device_open(0);
		if (!take_fault()) {
			ASSERT_LE(0, self->fd);
			break;
		}
		faults++;
		if (self->fd < 0) {
			ASSERT_EQ(-ENOMEM, self->fd);
			failed++;
		} else {
			close(self->fd);
			self->fd = -1;
		}
		ASSERT_EQ(10, good_session(&self->config));
	}
	/* At least the session and its buffer are allocated. */
	EXPECT_LE(plain_open_failures() + 2, failed);
	EXPECT_GT(MOST - 1U, faults);
}

TEST_F(fault, config_and_start_undo_what_they_did)
{
	unsigned int faults = 0, failed = 0;
	int ret;

	for (unsigned int nth = 1; nth < MOST; nth++) {
		self->fd = device_open(0);
		ASSERT_LE(0, self->fd);
		ASSERT_TRUE(set_nth(nth));
		ret = device_begin(self->fd, &self->config);
		if (!take_fault()) {
			ASSERT_EQ(0, ret);
			break;
		}
		faults++;
		if (ret) {
			failed++;
			ASSERT_EQ(-ENOMEM, ret);
			ASSERT_TRUE(same_disable(self->config.cpu, &self->before));
			ASSERT_FALSE(machine_is_forced(self->config.cpu,
						       self->config.state));
		}
		close(self->fd);
		self->fd = -1;
		ASSERT_EQ(10, good_session(&self->config));
	}
	/* At least the probe and the thread are allocated. */
	EXPECT_LE(2U, faults);
	EXPECT_GT(MOST - 1U, faults);
	EXPECT_LE(1U, failed);
}

TEST_F(fault, the_same_file_works_when_there_is_memory_again)
{
	struct idle_latency_record records[10];

	for (unsigned int nth = 1; nth < MOST; nth++) {
		self->fd = device_open(0);
		ASSERT_LE(0, self->fd);
		ASSERT_TRUE(set_nth(nth));
		if (device_begin(self->fd, &self->config)) {
			ASSERT_TRUE(take_fault());
			ASSERT_EQ(0, device_begin(self->fd, &self->config));
		} else if (!take_fault()) {
			break;
		}
		ASSERT_EQ(10, device_read(self->fd, records, 10));
		close(self->fd);
		self->fd = -1;
	}
}

int main(int argc, char **argv)
{
	stress_begin("fault_test has allocations of memory fail that the kernel makes for it",
		     "sets ignore-gfp-wait, times and verbose of failslab", NULL);
	return test_harness_run(argc, argv);
}
