// SPDX-License-Identifier: GPL-2.0
/*
 * Each way to call /dev/idle_latency wrongly, one at a time: the error is the
 * documented one, nothing is left behind, and a session works afterwards.
 */
#include <fcntl.h>

#include <sys/ioctl.h>

#include "idle_latency_util.h"
#include "kselftest_harness.h"

#define SAMPLES 16

FIXTURE(abi) {
	int fd;
	struct idle_latency_config good;
	/* what the test makes of it, and of a question for its state */
	struct idle_latency_config config;
	struct idle_latency_state state;
	struct idle_states before;
};

FIXTURE_SETUP(abi)
{
	MACHINE_OPEN(return, NULL, &self->good);
	close(self->fd);
	self->good.samples = SAMPLES;
	self->config = self->good;
	self->state.cpu = self->good.cpu;
	self->state.state = self->good.state;
	ASSERT_TRUE(cpuidle_states(self->good.cpu, &self->before));
	self->fd = device_open(0);
	ASSERT_LE(0, self->fd);
}

/* Nothing was left behind: see the head of this file. */
FIXTURE_TEARDOWN(abi)
{
	close(self->fd);
	self->fd = device_open(0);
	EXPECT_FINE(session_take(self->fd, &self->good, SAMPLES, NULL));
	close(self->fd);
	EXPECT_FINE(machine_left(self->good.cpu, &self->before));
	EXPECT_FALSE(machine_is_forced(self->good.cpu, self->good.state));
}

/* With one more field of what is configured or asked for like this, the device answers so. */

#define EXPECT_CONFIG(answer, field, value) do {			\
	self->config.field = (value);					\
	EXPECT_EQ(answer, device_config(self->fd, &self->config));	\
} while (0)

#define EXPECT_STATE(answer, field, value) do {				\
	self->state.field = (value);					\
	EXPECT_EQ(answer, device_state(self->fd, &self->state));	\
} while (0)

/* The same for 32-bit and 64-bit programs, and for ever. */
TEST(sizes)
{
	EXPECT_EQ(80U, sizeof(struct idle_latency_config));
	EXPECT_EQ(272U, sizeof(struct idle_latency_record));
	EXPECT_EQ(816U, sizeof(struct idle_latency_counts));
	EXPECT_EQ(48U, sizeof(struct idle_latency_state));
}

TEST_F(abi, good_config)
{
	EXPECT_EQ(0, device_config(self->fd, &self->good));
}

TEST_F(abi, good_flags)
{
	const __u64 all = IDLE_LATENCY_CONFIG_PROBE | IDLE_LATENCY_CONFIG_KEEP;

	for (self->config.flags = 0; self->config.flags <= all; self->config.flags++)
		EXPECT_EQ(0, device_config(self->fd, &self->config));
}

TEST_F(abi, extreme_values_are_good)
{
	EXPECT_CONFIG(0, samples, ~0ULL);
	for (unsigned int bit = 0; bit < 64; bit++)
		EXPECT_CONFIG(0, limit_ns, 1ULL << bit);
	EXPECT_CONFIG(0, limit_ns, ~0ULL);
	self->config.ldist_from_ns = IDLE_LATENCY_LDIST_MIN_NS;
	EXPECT_CONFIG(0, ldist_to_ns, IDLE_LATENCY_LDIST_MIN_NS);
	self->config.ldist_from_ns = IDLE_LATENCY_LDIST_MAX_NS;
	EXPECT_CONFIG(0, ldist_to_ns, IDLE_LATENCY_LDIST_MAX_NS);
}

TEST_F(abi, unknown_command)
{
	static const unsigned int commands[] = {
		_IO(IDLE_LATENCY_IOC_MAGIC, 0),
		_IO(IDLE_LATENCY_IOC_MAGIC, 5),
		_IO(IDLE_LATENCY_IOC_MAGIC, 6),
		_IO(IDLE_LATENCY_IOC_MAGIC, 255),
		_IO(IDLE_LATENCY_IOC_MAGIC + 1, 2),
	};
	struct idle_latency_counts buffer = { };

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		EXPECT_EQ(-ENOTTY, device_call(self->fd, commands[i], &buffer));
}

static unsigned int resized(unsigned int command, int change)
{
	return _IOC(_IOC_DIR(command), _IOC_TYPE(command), _IOC_NR(command),
		    _IOC_SIZE(command) + change);
}

/* With room for two of the largest argument. */
static void expect_resized(struct __test_metadata *_metadata, int fd, unsigned int command)
{
	struct idle_latency_counts room[2] = { };

	EXPECT_EQ(-ENOTTY, device_call(fd, resized(command, 8), room));
	if (_IOC_SIZE(command))
		EXPECT_EQ(-ENOTTY, device_call(fd, resized(command, -8), room));
}

TEST_F(abi, config_of_another_size)
{
	expect_resized(_metadata, self->fd, IDLE_LATENCY_IOC_CONFIG);
}

TEST_F(abi, start_and_stop_of_another_size)
{
	expect_resized(_metadata, self->fd, IDLE_LATENCY_IOC_START);
	expect_resized(_metadata, self->fd, IDLE_LATENCY_IOC_STOP);
}

TEST_F(abi, counts_of_another_size)
{
	expect_resized(_metadata, self->fd, IDLE_LATENCY_IOC_COUNTS);
}

TEST_F(abi, state_of_another_size)
{
	expect_resized(_metadata, self->fd, IDLE_LATENCY_IOC_STATE);
}

TEST_F(abi, another_direction)
{
	static const unsigned int commands[] = {
		_IOR(IDLE_LATENCY_IOC_MAGIC, 1, struct idle_latency_config),
		_IOWR(IDLE_LATENCY_IOC_MAGIC, 1, struct idle_latency_config),
		_IOR(IDLE_LATENCY_IOC_MAGIC, 5, struct idle_latency_state),
		_IOW(IDLE_LATENCY_IOC_MAGIC, 5, struct idle_latency_state),
	};

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		EXPECT_EQ(-ENOTTY, device_call(self->fd, commands[i],
					       i < 2 ? (void *)&self->config : &self->state));
}

TEST_F(abi, bad_pointer)
{
	EXPECT_EQ(-EFAULT, device_call(self->fd, IDLE_LATENCY_IOC_CONFIG, NULL));
	EXPECT_EQ(-EFAULT, device_call(self->fd, IDLE_LATENCY_IOC_COUNTS, NULL));
	EXPECT_EQ(-EFAULT, device_call(self->fd, IDLE_LATENCY_IOC_STATE, NULL));
}

TEST_F(abi, pointer_to_half_a_config)
{
	long page = sysconf(_SC_PAGESIZE);
	char *map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, (void *)map);
	ASSERT_EQ(0, mprotect(map + page, page, PROT_NONE));
	map += page - sizeof(struct idle_latency_config) / 2;
	EXPECT_EQ(-EFAULT, device_call(self->fd, IDLE_LATENCY_IOC_CONFIG, map));
}

TEST_F(abi, counts_into_read_only_memory)
{
	void *map = mmap(NULL, sizeof(struct idle_latency_counts), PROT_READ,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, map);
	EXPECT_EQ(-EFAULT, device_call(self->fd, IDLE_LATENCY_IOC_COUNTS, map));
}

/* What it says there is the good state, which can be read but not answered. */
TEST_F(abi, state_into_read_only_memory)
{
	struct idle_latency_state *state =
		mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, (void *)state);
	state->cpu = self->good.cpu;
	state->state = self->good.state;
	ASSERT_EQ(0, mprotect(state, sizeof(*state), PROT_READ));
	EXPECT_EQ(-EFAULT, device_call(self->fd, IDLE_LATENCY_IOC_STATE, state));
}

TEST_F(abi, unknown_flag)
{
	for (unsigned int bit = 2; bit < 64; bit++)
		EXPECT_CONFIG(-EINVAL, flags, 1ULL << bit);
}

TEST_F(abi, waker_of_no_waker)
{
	EXPECT_CONFIG(-EINVAL, waker, 1);
}

TEST_F(abi, record_size)
{
	EXPECT_CONFIG(0, record_size, IDLE_LATENCY_RECORD_SIZE_VER0);
	EXPECT_CONFIG(0, record_size, IDLE_LATENCY_RECORD_SIZE_VER0 + 8);
	EXPECT_CONFIG(0, record_size, IDLE_LATENCY_RECORD_SIZE_MAX);
	EXPECT_CONFIG(-EINVAL, record_size, IDLE_LATENCY_RECORD_SIZE_MAX + 8);
	EXPECT_CONFIG(-EINVAL, record_size, IDLE_LATENCY_RECORD_SIZE_VER0 - 8);
	EXPECT_CONFIG(-EINVAL, record_size, IDLE_LATENCY_RECORD_SIZE_VER0 + 4);
}

TEST_F(abi, room_for_records)
{
	EXPECT_CONFIG(0, buffer_records, IDLE_LATENCY_BUFFER_MIN);
	EXPECT_CONFIG(0, buffer_records, IDLE_LATENCY_BUFFER_MIN + 1);
	EXPECT_CONFIG(0, buffer_records, IDLE_LATENCY_BUFFER_MAX);
	EXPECT_CONFIG(-ERANGE, buffer_records, IDLE_LATENCY_BUFFER_MIN - 1);
	EXPECT_CONFIG(-ERANGE, buffer_records, IDLE_LATENCY_BUFFER_MAX + 1);
	EXPECT_CONFIG(-ERANGE, buffer_records, 1);
	EXPECT_CONFIG(-ERANGE, buffer_records, ~0U);
}

TEST_F(abi, start_time)
{
	/* Longer than it takes to configure a session. */
	const __u64 some = 10 * NS_PER_SEC;

	EXPECT_CONFIG(0, start_ns, 1);
	EXPECT_CONFIG(0, start_ns, now_ns() + IDLE_LATENCY_START_MAX_NS);
	EXPECT_CONFIG(-ERANGE, start_ns, now_ns() + IDLE_LATENCY_START_MAX_NS + some);
	EXPECT_CONFIG(-ERANGE, start_ns, 1ULL << 63);
	EXPECT_CONFIG(-ERANGE, start_ns, ~0ULL);
}

TEST_F(abi, a_timer_has_no_card)
{
	EXPECT_CONFIG(-EINVAL, card, 1);
	EXPECT_CONFIG(-EINVAL, card, ~0U);
}

TEST_F(abi, absent_card)
{
	self->config.ldist_from_ns = IDLE_LATENCY_LDIST_MAX_NS;
	self->config.ldist_to_ns = IDLE_LATENCY_LDIST_MAX_NS;
	self->config.source = IDLE_LATENCY_SOURCE_NIC;
	if (device_config(self->fd, &self->config) == -EINVAL)
		SKIP(return, "the driver was built without nic");
	EXPECT_CONFIG(-ENODEV, card, ~0U);
	/* That of the bridge of the first bus. */
	EXPECT_CONFIG(-ENODEV, card, 0xf8);
}

TEST_F(abi, entry)
{
	EXPECT_CONFIG(0, entry_ns, IDLE_LATENCY_LDIST_MAX_NS);
	EXPECT_CONFIG(-EINVAL, entry_ns, IDLE_LATENCY_LDIST_MAX_NS + 1);
	EXPECT_CONFIG(-EINVAL, entry_ns, ~0U);
}

TEST_F(abi, unknown_source)
{
	EXPECT_CONFIG(-EINVAL, source, 0);
	EXPECT_CONFIG(-EINVAL, source, ~0U);
}

TEST_F(abi, unknown_state)
{
	EXPECT_CONFIG(-ENOENT, state, self->before.count);
	EXPECT_CONFIG(-ENOENT, state, ~0U);
}

TEST_F(abi, absent_cpu)
{
	EXPECT_CONFIG(-ENXIO, cpu, 1U << 20);
	EXPECT_CONFIG(-ENXIO, cpu, ~0U);
}

TEST_F(abi, offline_cpu)
{
	if (!machine_offline_cpu(&self->state.cpu))
		SKIP(return, "no CPU is offline");
	EXPECT_CONFIG(-ENXIO, cpu, self->state.cpu);
	EXPECT_EQ(-ENXIO, device_state(self->fd, &self->state));
}

TEST_F(abi, launch_distance_of_zero)
{
	EXPECT_CONFIG(-ERANGE, ldist_from_ns, 0);
	EXPECT_CONFIG(-ERANGE, ldist_to_ns, 0);
}

TEST_F(abi, launch_distance_reversed)
{
	EXPECT_CONFIG(-EINVAL, ldist_from_ns, self->config.ldist_to_ns + 1);
}

TEST_F(abi, launch_distance_too_far)
{
	EXPECT_CONFIG(-ERANGE, ldist_to_ns, IDLE_LATENCY_LDIST_MAX_NS + 1);
	EXPECT_CONFIG(-ERANGE, ldist_to_ns, ~0ULL);
	EXPECT_CONFIG(-ERANGE, ldist_from_ns, ~0ULL);
}

static bool is_counter(__u32 counter)
{
	return counter < IDLE_LATENCY_RESIDENCY_MAX ||
	       counter == IDLE_LATENCY_RESIDENCY_NONE;
}

static bool is_package_counter(__u32 counter)
{
	return counter == IDLE_LATENCY_RESIDENCY_NONE ||
	       (counter >= IDLE_LATENCY_RESIDENCY_PC2 &&
		counter <= IDLE_LATENCY_RESIDENCY_PC10);
}

/* As sysfs has it, which cuts off what is below 1 us. */
static void expect_state(struct __test_metadata *_metadata,
			 const struct idle_latency_state *state,
			 const struct idle_state *shown)
{
	const struct idle_latency_state zero = { };

	EXPECT_EQ(shown->index, state->state);
	EXPECT_EQ(shown->latency_us, state->exit_latency_ns / 1000);
	EXPECT_EQ(shown->residency_us, state->target_residency_ns / 1000);
	EXPECT_EQ(!strcmp(shown->name, "POLL"),
		  !!(state->flags & IDLE_LATENCY_STATE_POLLS));
	EXPECT_EQ(0U, state->flags & ~(__u32)(2 * IDLE_LATENCY_STATE_WATCHES - 1));
	EXPECT_NE(IDLE_LATENCY_STATE_PREWAKE | IDLE_LATENCY_STATE_NO_PREWAKE,
		  state->flags & (IDLE_LATENCY_STATE_PREWAKE |
				  IDLE_LATENCY_STATE_NO_PREWAKE));
	EXPECT_TRUE(is_counter(state->core_counter));
	EXPECT_TRUE(is_package_counter(state->package_counter));
	EXPECT_EQ(0, memcmp(zero.padding, state->padding,
			    sizeof(state->padding)));
}

TEST_F(abi, every_state)
{
	for (size_t i = 0; i < self->before.count; i++) {
		struct idle_latency_state state = {
			.cpu = self->good.cpu, .state = i,
			/* What the kernel fills in may say anything before. */
			.exit_latency_ns = ~0ULL, .target_residency_ns = ~0ULL,
			.flags = ~0U, .core_counter = 99, .package_counter = 99,
		};
		int ret = device_state(self->fd, &state);

		/* Sysfs shows a state, too, that its driver has marked as unusable. */
		EXPECT_TRUE(!ret || ret == -ENOENT);
		EXPECT_EQ(self->good.cpu, state.cpu);
		if (!ret)
			expect_state(_metadata, &state, &self->before.state[i]);
	}
}

/* Where it does not go on, another device would be what wakes the CPU. */
TEST_F(abi, a_timer_is_a_source_where_it_goes_on)
{
	for (size_t i = 0; i < self->before.count; i++) {
		int ret;

		self->state.state = i;
		ret = device_state(self->fd, &self->state);
		if (!ret && self->state.flags & IDLE_LATENCY_STATE_TIMER_STOP)
			ret = -EOPNOTSUPP;
		EXPECT_CONFIG(ret, state, i);
	}
}

TEST_F(abi, state_while_running)
{
	self->config.samples = 0;
	EXPECT_EQ(0, device_begin(self->fd, &self->config));
	EXPECT_EQ(0, device_state(self->fd, &self->state));
	expect_state(_metadata, &self->state, &self->before.state[self->config.state]);
	EXPECT_EQ(0, device_stop(self->fd));
}

TEST_F(abi, state_with_padding)
{
	for (size_t i = 0; i < ARRAY_SIZE(self->state.padding); i++) {
		EXPECT_STATE(-EINVAL, padding[i], 1);
		EXPECT_STATE(0, padding[i], 0);
	}
}

TEST_F(abi, state_that_does_not_exist)
{
	EXPECT_STATE(-ENOENT, state, self->before.count);
	EXPECT_STATE(-ENOENT, state, ~0U);
	EXPECT_STATE(-ENOENT, state, 1U << 31);
}

TEST_F(abi, state_of_an_absent_cpu)
{
	EXPECT_STATE(-ENXIO, cpu, 1U << 20);
	EXPECT_STATE(-ENXIO, cpu, ~0U);
}

TEST_F(abi, start_unconfigured)
{
	EXPECT_EQ(-EINVAL, device_start(self->fd));
}

TEST_F(abi, start_after_failed_config)
{
	EXPECT_CONFIG(-EINVAL, waker, 1);
	EXPECT_EQ(-EINVAL, device_start(self->fd));
}

TEST_F(abi, start_twice)
{
	EXPECT_CONFIG(0, samples, 0);
	EXPECT_EQ(0, device_start(self->fd));
	EXPECT_EQ(-EBUSY, device_start(self->fd));
	EXPECT_EQ(0, device_stop(self->fd));
}

TEST_F(abi, config_while_running)
{
	EXPECT_CONFIG(0, samples, 0);
	EXPECT_EQ(0, device_start(self->fd));
	EXPECT_EQ(-EBUSY, device_config(self->fd, &self->config));
	EXPECT_EQ(0, device_stop(self->fd));
}

TEST_F(abi, stop_not_running)
{
	EXPECT_EQ(-EINVAL, device_stop(self->fd));
	EXPECT_EQ(0, device_config(self->fd, &self->good));
	EXPECT_EQ(-EINVAL, device_stop(self->fd));
}

/* Each file is a session of its own, of which one has the CPU. */
TEST_F(abi, second_opener)
{
	int other = device_open(O_NONBLOCK);

	ASSERT_LE(0, other);
	EXPECT_CONFIG(0, samples, 0);
	EXPECT_EQ(0, device_config(other, &self->config));
	EXPECT_EQ(0, device_start(self->fd));
	EXPECT_EQ(-EBUSY, device_start(other));
	EXPECT_EQ(-EINVAL, device_stop(other));
	EXPECT_EQ(0, device_stop(self->fd));
	EXPECT_EQ(0, device_start(other));
	EXPECT_EQ(-EBUSY, device_start(self->fd));
	EXPECT_EQ(0, close(other));
	EXPECT_EQ(0, device_start(self->fd));
	EXPECT_EQ(0, device_stop(self->fd));
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

	EXPECT_EQ(0, device_begin(self->fd, &self->good));
	EXPECT_EQ(-1, read(self->fd, &record, sizeof(record) - 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, read(self->fd, &record, 0));
	EXPECT_EQ(EINVAL, errno);
}

TEST_F(abi, read_into_a_bad_pointer)
{
	struct idle_latency_record records[SAMPLES];

	EXPECT_EQ(0, device_begin(self->fd, &self->good));
	EXPECT_EQ(-EFAULT, device_read(self->fd, NULL, SAMPLES));
	/* And no record was lost by that. */
	EXPECT_EQ(SAMPLES, device_read(self->fd, records, SAMPLES));
	EXPECT_EQ(0ULL, records[0].seq);
}

TEST_F(abi, read_when_nothing_is_there)
{
	struct idle_latency_record record;

	/* No event comes before the read. */
	self->config.ldist_from_ns = IDLE_LATENCY_LDIST_MAX_NS;
	EXPECT_CONFIG(0, ldist_to_ns, IDLE_LATENCY_LDIST_MAX_NS);
	EXPECT_EQ(0, fcntl(self->fd, F_SETFL, O_NONBLOCK));
	EXPECT_EQ(0, device_start(self->fd));
	EXPECT_EQ(-EAGAIN, device_read(self->fd, &record, 1));
	EXPECT_EQ(0, device_stop(self->fd));
}

TEST_F(abi, read_after_the_end)
{
	struct idle_latency_record record;

	EXPECT_FINE(session_take(self->fd, &self->good, SAMPLES, NULL));
	EXPECT_EQ(0, device_read(self->fd, &record, 1));
}

TEST(open_without_capability)
{
	ASSERT_TRUE(set_sys_admin(false));
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

int main(int argc, char **argv)
{
	machine_required(false);
	return test_harness_run(argc, argv);
}
