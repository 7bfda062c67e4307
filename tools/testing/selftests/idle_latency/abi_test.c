// SPDX-License-Identifier: GPL-2.0
/*
 * Each way to call /dev/idle_latency wrongly, one at a time: the error is the
 * documented one, nothing is left behind, and a session works afterwards.
 */
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "device.h"
#include "kselftest_harness.h"
#include "sysfs.h"
#include "test_machine.h"

#define SAMPLES 16

FIXTURE(abi) {
	int fd;
	struct idle_latency_config good;
	struct idle_states before;
};

FIXTURE_SETUP(abi)
{
	int fd, ret;

	if (!machine_config(&self->good))
		SKIP(return, "no idle states: load a cpuidle driver");
	self->good.samples = SAMPLES;
	ASSERT_TRUE(cpuidle_states(self->good.cpu, &self->before));
	fd = device_open(0);
	ASSERT_LE(0, fd);
	ret = device_config(fd, &self->good);
	close(fd);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "no high-resolution timers, or no trusted TSC");
	ASSERT_EQ(0, ret);
	self->fd = device_open(0);
	ASSERT_LE(0, self->fd);
}

static ssize_t read_good_session(int fd,
				 const struct idle_latency_config *config)
{
	struct idle_latency_record records[SAMPLES + 1];
	int ret = device_begin(fd, config);

	return ret ? ret : device_read(fd, records, SAMPLES);
}

/* Nothing was left behind: see the head of this file. */
FIXTURE_TEARDOWN(abi)
{
	struct idle_states after;
	int fd;

	close(self->fd);
	fd = device_open(0);
	ASSERT_LE(0, fd);
	EXPECT_EQ(SAMPLES, read_good_session(fd, &self->good));
	close(fd);
	ASSERT_TRUE(cpuidle_states(self->good.cpu, &after));
	EXPECT_TRUE(same_disable(&self->before, &after));
}

static int call(int fd, unsigned long command, const void *argument)
{
	return ioctl(fd, command, argument) ? -errno : 0;
}

TEST_F(abi, good_config)
{
	EXPECT_EQ(0, device_config(self->fd, &self->good));
}

TEST_F(abi, extreme_values_are_good)
{
	struct idle_latency_config config = self->good;

	config.samples = ~0ULL;
	EXPECT_EQ(0, device_config(self->fd, &config));
	config.ldist_from_ns = IDLE_LATENCY_LDIST_MIN_NS;
	config.ldist_to_ns = IDLE_LATENCY_LDIST_MIN_NS;
	EXPECT_EQ(0, device_config(self->fd, &config));
	config.ldist_from_ns = IDLE_LATENCY_LDIST_MAX_NS;
	config.ldist_to_ns = IDLE_LATENCY_LDIST_MAX_NS;
	EXPECT_EQ(0, device_config(self->fd, &config));
}

TEST_F(abi, unknown_command)
{
	static const unsigned int commands[] = {
		_IO(IDLE_LATENCY_IOC_MAGIC, 0),
		_IO(IDLE_LATENCY_IOC_MAGIC, 5),
		_IO(IDLE_LATENCY_IOC_MAGIC, 255),
		_IO(IDLE_LATENCY_IOC_MAGIC + 1, 2),
	};
	struct idle_latency_counts buffer = { };

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		EXPECT_EQ(-ENOTTY, call(self->fd, commands[i], &buffer));
}

static unsigned int resized(unsigned int command, int change)
{
	return _IOC(_IOC_DIR(command), _IOC_TYPE(command), _IOC_NR(command),
		    _IOC_SIZE(command) + change);
}

TEST_F(abi, config_of_another_size)
{
	struct idle_latency_config configs[2] = { self->good };

	EXPECT_EQ(-ENOTTY, call(self->fd, resized(IDLE_LATENCY_IOC_CONFIG, -8),
				configs));
	EXPECT_EQ(-ENOTTY, call(self->fd, resized(IDLE_LATENCY_IOC_CONFIG, 8),
				configs));
}

TEST_F(abi, start_and_stop_of_another_size)
{
	__u64 argument = 0;

	EXPECT_EQ(-ENOTTY, call(self->fd, resized(IDLE_LATENCY_IOC_START, 8),
				&argument));
	EXPECT_EQ(-ENOTTY, call(self->fd, resized(IDLE_LATENCY_IOC_STOP, 8),
				&argument));
}

TEST_F(abi, counts_of_another_size)
{
	struct idle_latency_counts counts[2];

	EXPECT_EQ(-ENOTTY, call(self->fd, resized(IDLE_LATENCY_IOC_COUNTS, -8),
				counts));
	EXPECT_EQ(-ENOTTY, call(self->fd, resized(IDLE_LATENCY_IOC_COUNTS, 8),
				counts));
}

TEST_F(abi, another_direction)
{
	struct idle_latency_config config = self->good;

	EXPECT_EQ(-ENOTTY, call(self->fd, _IOR(IDLE_LATENCY_IOC_MAGIC, 1,
					       struct idle_latency_config),
				&config));
	EXPECT_EQ(-ENOTTY, call(self->fd, _IOWR(IDLE_LATENCY_IOC_MAGIC, 1,
						struct idle_latency_config),
				&config));
}

TEST_F(abi, bad_pointer)
{
	EXPECT_EQ(-EFAULT, call(self->fd, IDLE_LATENCY_IOC_CONFIG, NULL));
	EXPECT_EQ(-EFAULT, call(self->fd, IDLE_LATENCY_IOC_COUNTS, NULL));
}

TEST_F(abi, pointer_to_half_a_config)
{
	long page = sysconf(_SC_PAGESIZE);
	char *map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, (void *)map);
	ASSERT_EQ(0, mprotect(map + page, page, PROT_NONE));
	map += page - sizeof(struct idle_latency_config) / 2;
	EXPECT_EQ(-EFAULT, call(self->fd, IDLE_LATENCY_IOC_CONFIG, map));
}

TEST_F(abi, counts_into_read_only_memory)
{
	void *map = mmap(NULL, sizeof(struct idle_latency_counts), PROT_READ,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, map);
	EXPECT_EQ(-EFAULT, call(self->fd, IDLE_LATENCY_IOC_COUNTS, map));
}

TEST_F(abi, unknown_flag)
{
	for (unsigned int bit = 1; bit < 64; bit++) {
		struct idle_latency_config config = self->good;

		config.flags = 1ULL << bit;
		EXPECT_EQ(-EINVAL, device_config(self->fd, &config));
	}
}

TEST_F(abi, padding)
{
	for (size_t i = 0; i < ARRAY_SIZE(self->good.padding); i++) {
		struct idle_latency_config config = self->good;

		config.padding[i] = 1;
		EXPECT_EQ(-EINVAL, device_config(self->fd, &config));
	}
}

TEST_F(abi, unknown_source)
{
	struct idle_latency_config config = self->good;

	config.source = 0;
	EXPECT_EQ(-EINVAL, device_config(self->fd, &config));
	config.source = ~0U;
	EXPECT_EQ(-EINVAL, device_config(self->fd, &config));
}

TEST_F(abi, unknown_state)
{
	struct idle_latency_config config = self->good;

	config.state = self->before.count;
	EXPECT_EQ(-ENOENT, device_config(self->fd, &config));
	config.state = ~0U;
	EXPECT_EQ(-ENOENT, device_config(self->fd, &config));
}

TEST_F(abi, absent_cpu)
{
	struct idle_latency_config config = self->good;

	config.cpu = 1U << 20;
	EXPECT_EQ(-ENXIO, device_config(self->fd, &config));
	config.cpu = ~0U;
	EXPECT_EQ(-ENXIO, device_config(self->fd, &config));
}

TEST_F(abi, offline_cpu)
{
	struct idle_latency_config config = self->good;

	if (!machine_offline_cpu(&config.cpu))
		SKIP(return, "no CPU is offline");
	EXPECT_EQ(-ENXIO, device_config(self->fd, &config));
}

TEST_F(abi, cpu_goes_offline_before_start)
{
	struct idle_latency_config config = self->good;

	if (!machine_spare_cpu(&config.cpu))
		SKIP(return, "no CPU that can be taken offline");
	EXPECT_EQ(0, device_config(self->fd, &config));
	ASSERT_TRUE(machine_set_online(config.cpu, false));
	EXPECT_EQ(-ENXIO, device_start(self->fd));
	EXPECT_TRUE(machine_set_online(config.cpu, true));
}

TEST_F(abi, launch_distance_of_zero)
{
	struct idle_latency_config config = self->good;

	config.ldist_from_ns = 0;
	EXPECT_EQ(-ERANGE, device_config(self->fd, &config));
	config.ldist_to_ns = 0;
	EXPECT_EQ(-ERANGE, device_config(self->fd, &config));
}

TEST_F(abi, launch_distance_reversed)
{
	struct idle_latency_config config = self->good;

	config.ldist_from_ns = config.ldist_to_ns + 1;
	EXPECT_EQ(-EINVAL, device_config(self->fd, &config));
}

TEST_F(abi, launch_distance_too_far)
{
	struct idle_latency_config config = self->good;

	config.ldist_to_ns = IDLE_LATENCY_LDIST_MAX_NS + 1;
	EXPECT_EQ(-ERANGE, device_config(self->fd, &config));
	config.ldist_to_ns = ~0ULL;
	EXPECT_EQ(-ERANGE, device_config(self->fd, &config));
	config.ldist_from_ns = ~0ULL;
	EXPECT_EQ(-ERANGE, device_config(self->fd, &config));
}

TEST_F(abi, start_unconfigured)
{
	EXPECT_EQ(-EINVAL, device_start(self->fd));
}

TEST_F(abi, start_after_failed_config)
{
	struct idle_latency_config config = self->good;

	config.padding[0] = 1;
	EXPECT_EQ(-EINVAL, device_config(self->fd, &config));
	EXPECT_EQ(-EINVAL, device_start(self->fd));
}

TEST_F(abi, start_twice)
{
	struct idle_latency_config config = self->good;

	config.samples = 0;
	EXPECT_EQ(0, device_config(self->fd, &config));
	EXPECT_EQ(0, device_start(self->fd));
	EXPECT_EQ(-EBUSY, device_start(self->fd));
	EXPECT_EQ(0, device_stop(self->fd));
}

TEST_F(abi, config_while_running)
{
	struct idle_latency_config config = self->good;

	config.samples = 0;
	EXPECT_EQ(0, device_config(self->fd, &config));
	EXPECT_EQ(0, device_start(self->fd));
	EXPECT_EQ(-EBUSY, device_config(self->fd, &config));
	EXPECT_EQ(0, device_stop(self->fd));
}

TEST_F(abi, stop_not_running)
{
	EXPECT_EQ(-EINVAL, device_stop(self->fd));
	EXPECT_EQ(0, device_config(self->fd, &self->good));
	EXPECT_EQ(-EINVAL, device_stop(self->fd));
}

TEST_F(abi, second_opener)
{
	EXPECT_EQ(-EBUSY, device_open(0));
	EXPECT_EQ(-EBUSY, device_open(O_NONBLOCK));
}

TEST_F(abi, counts_before_start)
{
	struct idle_latency_counts zero = { }, counts;

	memset(&counts, 0xff, sizeof(counts));
	EXPECT_EQ(0, device_counts(self->fd, &counts));
	EXPECT_EQ(0, memcmp(&zero, &counts, sizeof(counts)));
}

TEST_F(abi, read_before_start)
{
	struct idle_latency_record record;

	EXPECT_EQ(-EINVAL, device_read(self->fd, &record, 1));
	EXPECT_EQ(0, device_config(self->fd, &self->good));
	EXPECT_EQ(-EINVAL, device_read(self->fd, &record, 1));
}

TEST_F(abi, read_less_than_a_record)
{
	struct idle_latency_record record;

	EXPECT_EQ(0, device_config(self->fd, &self->good));
	EXPECT_EQ(0, device_start(self->fd));
	EXPECT_EQ(-1, read(self->fd, &record, sizeof(record) - 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, read(self->fd, &record, 0));
	EXPECT_EQ(EINVAL, errno);
}

TEST_F(abi, read_into_a_bad_pointer)
{
	struct idle_latency_record records[SAMPLES];

	EXPECT_EQ(0, device_config(self->fd, &self->good));
	EXPECT_EQ(0, device_start(self->fd));
	EXPECT_EQ(-EFAULT, device_read(self->fd, NULL, SAMPLES));
	/* And no record was lost by that. */
	EXPECT_EQ(SAMPLES, device_read(self->fd, records, SAMPLES));
	EXPECT_EQ(0ULL, records[0].seq);
}

TEST_F(abi, read_when_nothing_is_there)
{
	struct idle_latency_config config = self->good;
	struct idle_latency_record record;

	/* No event comes before the read. */
	config.ldist_from_ns = IDLE_LATENCY_LDIST_MAX_NS;
	config.ldist_to_ns = IDLE_LATENCY_LDIST_MAX_NS;
	EXPECT_EQ(0, device_config(self->fd, &config));
	EXPECT_EQ(0, fcntl(self->fd, F_SETFL, O_NONBLOCK));
	EXPECT_EQ(0, device_start(self->fd));
	EXPECT_EQ(-EAGAIN, device_read(self->fd, &record, 1));
	EXPECT_EQ(0, device_stop(self->fd));
}

TEST_F(abi, read_after_the_end)
{
	struct idle_latency_record record;

	EXPECT_EQ(SAMPLES, read_good_session(self->fd, &self->good));
	EXPECT_EQ(0, device_read(self->fd, &record, 1));
	EXPECT_EQ(0, device_read(self->fd, &record, 1));
}

static int drop_sys_admin(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, data))
		return -errno;
	data[CAP_TO_INDEX(CAP_SYS_ADMIN)].effective &=
		~CAP_TO_MASK(CAP_SYS_ADMIN);
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

TEST(open_without_capability)
{
	ASSERT_EQ(0, drop_sys_admin());
	EXPECT_EQ(-EPERM, device_open(0));
}

TEST(open_as_nobody)
{
	int fd;

	ASSERT_EQ(0, setresuid(65534, 65534, 65534));
	fd = device_open(0);
	EXPECT_TRUE(fd == -EPERM || fd == -EACCES)
		TH_LOG("open() returned %d", fd);
}

TEST(no_cpuidle_driver)
{
	struct idle_latency_config config = {
		.ldist_from_ns = TEST_LDIST_FROM_NS,
		.ldist_to_ns = TEST_LDIST_TO_NS,
		.source = IDLE_LATENCY_SOURCE_HRT,
	};
	char driver[32];
	int fd;

	if (cpuidle_driver(driver, sizeof(driver)))
		SKIP(return, "the cpuidle driver %s is loaded", driver);
	fd = device_open(0);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-ENODEV, device_config(fd, &config));
	close(fd);
}

/* As the kernel was told, and as its timers say. */
static bool has_high_res_timers(bool *known)
{
	FILE *file = fopen("/proc/timer_list", "re");
	bool active = false;
	char line[256];

	*known = file;
	while (file && fgets(line, sizeof(line), file))
		if (strstr(line, ".hres_active") && strstr(line, ": 1"))
			active = true;
	if (file)
		fclose(file);
	return active;
}

TEST(high_resolution_timers)
{
	struct idle_latency_config config;
	char clock[32] = "";
	bool known, active = has_high_res_timers(&known);
	int fd, ret;

	sysfs_read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource",
			clock, sizeof(clock));
	if (!known || (active && strcmp(clock, "tsc")))
		SKIP(return, "unknown whether hrt can work here");
	if (!machine_config(&config))
		SKIP(return, "no idle states: load a cpuidle driver");
	fd = device_open(0);
	ASSERT_LE(0, fd);
	ret = device_config(fd, &config);
	close(fd);
	EXPECT_EQ(active ? 0 : -EOPNOTSUPP, ret);
}

int main(int argc, char **argv)
{
	machine_required();
	return test_harness_run(argc, argv);
}
