// SPDX-License-Identifier: GPL-2.0
/*
 * Let each allocation fail that the driver makes on behalf of its caller, one at
 * a time: every call either works or says ENOMEM, undoes what it did, and works
 * when tried again. Needs a kernel with CONFIG_FAULT_INJECTION and
 * CONFIG_FAILSLAB; see Documentation/fault-injection/fault-injection.rst.
 *
 * Not by nic: the interrupt core, which that needs, warns when it removes files in
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

#define SAMPLES		10

FIXTURE(fault) {
	int fd;
	struct idle_latency_config config;
	struct idle_states before;
};

FIXTURE_VARIANT(fault) {
	struct source_variant by;
};

FIXTURE_VARIANT_ADD(fault, hrt) { VARIANT_HRT };
FIXTURE_VARIANT_ADD(fault, write) { VARIANT_WRITE };
FIXTURE_VARIANT_ADD(fault, ipi) { VARIANT_IPI };

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
	MACHINE_OPEN(return, &variant->by, &self->config);
	close(self->fd);
	self->fd = -1;
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
	self->config.samples = SAMPLES;
}

FIXTURE_TEARDOWN(fault)
{
	if (self->fd >= 0)
		close(self->fd);
	EXPECT_TRUE(undo_now());
	EXPECT_FINE(machine_left(self->config.cpu, &self->before));
	EXPECT_FALSE(machine_is_forced(self->config.cpu, self->config.state));
}

/*
 * The device is as before: a session works, also in a state that cannot be forced
 * where another one still is.
 */
static const char *run_another(const struct idle_latency_config *forced)
{
	struct idle_latency_config config = *forced;
	const char *wrong;
	int fd = device_open(0);

	if (fd < 0)
		return "the device cannot be opened";
	config.state++;
	wrong = session_take(fd, &config, SAMPLES, NULL);
	close(fd);
	return wrong;
}

/* Calls of which allocations fail. Each returns 0 or -errno. */
typedef int faulty_call(struct _test_data_fault *self);

static int open_plain(struct _test_data_fault *self)
{
	self->fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	return self->fd < 0 ? -errno : 0;
}

static int open_device(struct _test_data_fault *self)
{
	self->fd = device_open(0);
	return self->fd < 0 ? self->fd : 0;
}

static int begin(struct _test_data_fault *self)
{
	return device_begin(self->fd, &self->config);
}

/*
 * Has one allocation of the call fail after the other, each with a file of its own: all is as
 * before when the call fails, too. Returns how often it did.
 * @again: it works when tried again, and so does the session
 */
static unsigned int fail_each(struct __test_metadata *_metadata, struct _test_data_fault *self,
			      faulty_call *call, bool again)
{
	struct idle_latency_record records[SAMPLES];
	unsigned int failed = 0, nth = 0;
	bool came = true;

	while (came && ++nth < MOST) {
		int ret;

		if (call == begin)
			ASSERT_EQ(0, open_device(self));
		ASSERT_TRUE(set_nth(nth));
		ret = call(self);
		came = take_fault();
		if (ret) {
			ASSERT_TRUE(came);
			ASSERT_EQ(-ENOMEM, ret);
			failed++;
			ASSERT_TRUE(same_disable(self->config.cpu, &self->before));
			ASSERT_FALSE(machine_is_forced(self->config.cpu, self->config.state));
			ASSERT_EQ(0, again ? call(self) : 0);
		}
		if (again)
			ASSERT_EQ(SAMPLES, device_read(self->fd, records, SAMPLES));
		if (self->fd >= 0)
			close(self->fd);
		self->fd = -1;
		ASSERT_FINE(run_another(&self->config));
	}
	EXPECT_FALSE(came);
	/* At least the buffer, the probe and the thread are allocated. */
	EXPECT_LE(call == begin ? 3U : 0, nth - 1);
	return failed;
}

TEST_F(fault, open_undoes_what_it_did)
{
	unsigned int plain = fail_each(_metadata, self, open_plain, false);

	/* At least the session is allocated, beside what any file needs. */
	EXPECT_LE(plain + 1, fail_each(_metadata, self, open_device, false));
}

TEST_F(fault, config_and_start_undo_what_they_did)
{
	EXPECT_LE(1U, fail_each(_metadata, self, begin, false));
}

TEST_F(fault, the_same_file_works_when_there_is_memory_again)
{
	fail_each(_metadata, self, begin, true);
}

int main(int argc, char **argv)
{
	stress_begin("fault_test has allocations of memory fail that the kernel makes for it",
		     "sets ignore-gfp-wait, times and verbose of failslab", NULL);
	return test_harness_run(argc, argv);
}
