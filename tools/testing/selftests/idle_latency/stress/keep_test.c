// SPDX-License-Identifier: GPL-2.0
/*
 * What /dev/idle_latency_keep keeps, and that it is let go however the program ends: CPUs that are
 * held in a state, beside a session that measures another one; and what it refuses. Settings are
 * changed on an emulated processor only, see checks/keep.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <linux/idle_latency_keep.h>

#include "idle_latency_util.h"
#include "kselftest_harness.h"
#include "prepare.h"
#include "stress.h"

#define KEEP_PATH	"/dev/idle_latency_keep"
#define SAMPLES		50
#define WORD_BITS	64
#define WORDS		(CPU_LIST_MAX / WORD_BITS)
#define LET_GO_MS	1000
#define KILLS		20

#define PM_TEST		"/sys/power/pm_test"

FIXTURE(keep) {
	int fd;
	/* of a session on the measured CPU, and a CPU beside it */
	struct idle_latency_config config;
	unsigned int other;
	struct idle_states before;
};

static int keep_open(void)
{
	int fd = open(KEEP_PATH, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* Holds one or two CPUs. */
static int hold(int fd, unsigned int state, unsigned int cpu, unsigned int another)
{
	__u64 bits[WORDS] = { };
	struct idle_latency_hold hold = { (__u64)(unsigned long)bits, WORDS, state };

	bits[cpu / WORD_BITS] |= 1ULL << cpu % WORD_BITS;
	bits[another / WORD_BITS] |= 1ULL << another % WORD_BITS;
	return device_call(fd, IDLE_LATENCY_KEEP_IOC_HOLD, &hold);
}

static unsigned int held(int fd)
{
	struct idle_latency_kept kept = { };

	return device_call(fd, IDLE_LATENCY_KEEP_IOC_KEPT, &kept) ? ~0U : kept.cpus;
}

FIXTURE_SETUP(keep)
{
	MACHINE_OPEN(return, NULL, &self->config);
	EXPECT_TRUE(machine_deepest(self->fd, &self->config));
	close(self->fd);
	self->fd = keep_open();
	if (self->fd == -ENOENT)
		SKIP(return, "nothing is kept: set CONFIG_IDLE_LATENCY_KEEP");
	ASSERT_LE(0, self->fd);
	if (!machine_other_cpu(false, &self->other))
		SKIP(return, "one CPU only");
	affinity_avoid(self->other);
	ASSERT_TRUE(cpuidle_states(self->other, &self->before));
}

FIXTURE_TEARDOWN(keep)
{
	close(self->fd);
	EXPECT_TRUE(undo_now());
	EXPECT_FINE(machine_left(self->other, &self->before));
	EXPECT_FALSE(machine_is_forced(self->other, self->config.state));
}

TEST(sizes)
{
	EXPECT_EQ(16U, sizeof(struct idle_latency_hold));
	EXPECT_EQ(16U, sizeof(struct idle_latency_settings));
	EXPECT_EQ(8U, sizeof(struct idle_latency_kept));
}

TEST_F(keep, a_cpu_is_held)
{
	ASSERT_EQ(0, hold(self->fd, self->config.state, self->other, self->other));
	EXPECT_EQ(1U, held(self->fd));
	EXPECT_TRUE(machine_is_forced(self->other, self->config.state));
}

/* No CPU is held any more when another one is, nor when that is refused. */
TEST_F(keep, the_last_call_counts)
{
	struct idle_latency_hold none = { };

	ASSERT_EQ(0, hold(self->fd, self->config.state, self->other, self->other));
	ASSERT_EQ(0, hold(self->fd, self->config.state, self->config.cpu, self->config.cpu));
	EXPECT_FALSE(machine_is_forced(self->other, self->config.state));
	EXPECT_EQ(-ENOENT, hold(self->fd, IDLE_STATES_MAX, self->other, self->other));
	EXPECT_EQ(0U, held(self->fd));
	ASSERT_EQ(0, hold(self->fd, self->config.state, self->other, self->config.cpu));
	EXPECT_EQ(2U, held(self->fd));
	EXPECT_EQ(0, device_call(self->fd, IDLE_LATENCY_KEEP_IOC_HOLD, &none));
	EXPECT_EQ(0U, held(self->fd));
}

TEST_F(keep, a_session_beside_it)
{
	int fd = device_open(0);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, hold(self->fd, self->config.state, self->other, self->other));
	EXPECT_FINE(session_take(fd, &self->config, SAMPLES, NULL));
	EXPECT_EQ(1U, held(self->fd));
	close(fd);
}

/* A CPU is measured or held, by one of them. All of a list are held, or none. */
TEST_F(keep, a_cpu_is_not_kept_twice)
{
	struct idle_latency_config config = self->config;
	int fd = device_open(0), another = keep_open();

	ASSERT_LE(0, fd);
	ASSERT_LE(0, another);
	ASSERT_EQ(0, device_begin(fd, &config));
	EXPECT_EQ(-EBUSY, hold(self->fd, config.state, self->other, config.cpu));
	EXPECT_EQ(0U, held(self->fd));
	EXPECT_EQ(0, device_stop(fd));
	ASSERT_EQ(0, hold(self->fd, config.state, self->other, self->other));
	EXPECT_EQ(-EBUSY, hold(another, config.state, self->other, self->other));
	config.cpu = self->other;
	EXPECT_EQ(-EBUSY, device_begin(fd, &config));
	EXPECT_EQ(1U, held(self->fd));
	EXPECT_EQ(0U, held(another));
	close(another);
	close(fd);
}

TEST_F_TIMEOUT(keep, a_killed_program_lets_go, 120)
{
	struct idle_latency_config config = self->config;
	int fd = device_open(0);
	pid_t child;

	ASSERT_LE(0, fd);
	config.cpu = self->other;
	for (unsigned int i = 0; i < KILLS; i++) {
		__u64 killed_ns;

		child = fork();
		ASSERT_LE(0, child);
		if (!child) {
			close(self->fd);
			self->fd = keep_open();
			while (!hold(self->fd, config.state, self->other, self->other))
				;
			_exit(1);
		}
		sleep_ms(20 + i);
		EXPECT_TRUE(stress_kill(child));
		killed_ns = now_ns();
		EXPECT_EQ(0, hold(self->fd, config.state, self->other, self->other));
		EXPECT_GE(LET_GO_MS * 1000000ULL, now_ns() - killed_ns);
		EXPECT_EQ(0, device_call(self->fd, IDLE_LATENCY_KEEP_IOC_HOLD,
					 &(struct idle_latency_hold) { }));
	}
	EXPECT_FINE(session_take(fd, &config, SAMPLES, NULL));
	close(fd);
}

TEST_F(keep, a_cpu_that_goes_and_comes_back)
{
	if (!machine_other_cpu(true, &self->other))
		SKIP(return, "no CPU that can be taken offline");
	ASSERT_TRUE(machine_undo_offline(self->other));
	ASSERT_EQ(0, hold(self->fd, self->config.state, self->other, self->other));
	ASSERT_TRUE(machine_set_online(self->other, false));
	EXPECT_EQ(0U, held(self->fd));
	EXPECT_EQ(-ENXIO, hold(self->fd, self->config.state, self->other, self->other));
	ASSERT_TRUE(machine_set_online(self->other, true));
	EXPECT_EQ(0U, held(self->fd));

	ASSERT_EQ(0, hold(self->fd, self->config.state, self->other, self->other));
	ASSERT_TRUE(machine_set_online(self->other, false));
	ASSERT_TRUE(machine_set_online(self->other, true));
	EXPECT_EQ(1U, held(self->fd));
	EXPECT_TRUE(machine_is_forced(self->other, self->config.state));
}

/* Nothing is kept any more, and it can be kept again. */
TEST_F(keep, suspend)
{
	if (!file_has(PM_TEST, "freezer", ""))
		SKIP(return, "no CONFIG_PM_DEBUG to try suspend with");
	ASSERT_TRUE(undo_change(PM_TEST, "freezer"));
	ASSERT_EQ(0, hold(self->fd, self->config.state, self->other, self->other));
	EXPECT_TRUE(sysfs_write("/sys/power/state", "freeze"));
	EXPECT_EQ(0U, held(self->fd));
	EXPECT_FALSE(machine_is_forced(self->other, self->config.state));
	EXPECT_EQ(0, hold(self->fd, self->config.state, self->other, self->other));
}

/*
 * With the governor, the cpuidle devices go and come: what was forced by index is not any more, and
 * is not said to be. A limit stays.
 */
TEST_F(keep, another_governor)
{
	struct idle_governors governors;

	cpuidle_governors(&governors);
	if (!governors.count)
		SKIP(return, "the governor cannot be changed");
	ASSERT_EQ(0, hold(self->fd, self->config.state, self->other, self->other));
	for (size_t i = 0; i < governors.count; i++) {
		bool forced;

		ASSERT_TRUE(cpuidle_use_governor(governors.name[i]));
		forced = machine_is_forced(self->other, self->config.state);
		EXPECT_EQ(forced, held(self->fd));
	}
	EXPECT_EQ(0, hold(self->fd, self->config.state, self->other, self->other));
}

/* What cannot be read changes nothing. */
TEST_F(keep, wrong_calls)
{
	__u64 bits[WORDS] = { [WORDS - 1] = 1ULL << (WORD_BITS - 1) };
	struct idle_latency_hold beyond = { (__u64)(unsigned long)bits, WORDS, 0 };
	struct idle_latency_hold nowhere = { 0, 1, 0 }, endless = { 0, ~0U, 0 };
	struct idle_latency_settings unknown = { .kept = 1 << 31 }, on = { .on = 1 };

	ASSERT_EQ(0, hold(self->fd, self->config.state, self->other, self->other));
	EXPECT_EQ(-ENXIO, device_call(self->fd, IDLE_LATENCY_KEEP_IOC_HOLD, &endless));
	EXPECT_EQ(-EFAULT, device_call(self->fd, IDLE_LATENCY_KEEP_IOC_HOLD, &nowhere));
	EXPECT_EQ(-EFAULT, device_call(self->fd, IDLE_LATENCY_KEEP_IOC_HOLD, NULL));
	EXPECT_EQ(-EFAULT, device_call(self->fd, IDLE_LATENCY_KEEP_IOC_SET, NULL));
	EXPECT_EQ(-EFAULT, device_call(self->fd, IDLE_LATENCY_KEEP_IOC_KEPT, NULL));
	EXPECT_EQ(-EINVAL, device_call(self->fd, IDLE_LATENCY_KEEP_IOC_SET, &unknown));
	EXPECT_EQ(-EINVAL, device_call(self->fd, IDLE_LATENCY_KEEP_IOC_SET, &on));
	EXPECT_EQ(1U, held(self->fd));
	EXPECT_EQ(-ENXIO, device_call(self->fd, IDLE_LATENCY_KEEP_IOC_HOLD, &beyond));
	EXPECT_EQ(0U, held(self->fd));
	EXPECT_EQ(-ENOTTY, device_call(self->fd, IDLE_LATENCY_IOC_START, NULL));
	EXPECT_EQ(-ENOTTY, device_call(self->fd, IDLE_LATENCY_IOC_COUNTS, bits));
	EXPECT_EQ(0U, held(self->fd));
}

TEST_F(keep, needs_cap_sys_admin)
{
	ASSERT_TRUE(set_sys_admin(false));
	EXPECT_EQ(-EPERM, keep_open());
	ASSERT_TRUE(set_sys_admin(true));
}

int main(int argc, char **argv)
{
	stress_begin("keep_test holds CPUs in an idle state; takes one of them offline and online",
		     "suspends as far as to where all programs are frozen", NULL);
	return test_harness_run(argc, argv);
}
