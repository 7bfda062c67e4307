// SPDX-License-Identifier: GPL-2.0
/*
 * What others do to the machine while a session runs: programs are killed, CPUs
 * come and go, somebody else changes idle states and governor, unloads modules,
 * or suspends. Each session has a defined end, and leaves the machine as it was.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/syscall.h>

#include <linux/elf.h>

#include "idle_latency_util.h"
#include "kselftest_harness.h"

#define SAMPLES		50
#define KILLS		100
#define KILLS_TO_A_LOOK	10
#define ROUNDS		20
#define OFFLINES	6U
/* The source nic watches its clock for 100 ms before it starts. */
#define ONLINE_US_MAX	300000

/* Of a session that is to end by itself before. */
#define SAMPLES_MOST	3000

#define SIM		"idle_latency_sim"
#define SIM_STATES	"/sys/module/" SIM "/parameters/states"

#define KERNEL_TEXT_MAX 16384

struct kernel_text {
	size_t size;
	unsigned char bytes[KERNEL_TEXT_MAX];
};

/*
 * What a session patches: the stamps, and the call of the probe. Static keys and
 * tracepoints are switched that way, so it shows what was left switched on.
 */
static const char * const functions[] = {
	"cpuidle_enter_state",
	"__SCT__tp_func_cpu_idle",
};

static struct range {
	__u64 from;
	__u64 to;
} ranges[ARRAY_SIZE(functions)];

/* A symbol; a function ends where the next one begins. */
static void take_symbol(__u64 address, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		if (ranges[i].from && !ranges[i].to &&
		    address > ranges[i].from)
			ranges[i].to = address;
		if (!strcmp(name, functions[i]))
			ranges[i].from = address;
	}
}

/*
 * Looks for it once, which takes a while. In the table, the functions of the kernel
 * are in the order of their address.
 */
static void kernel_text_find(void)
{
	FILE *symbols = fopen("/proc/kallsyms", "re");
	unsigned long long address;
	char name[128];

	if (!symbols)
		return;
	while (fscanf(symbols, "%llx %*c %127s%*[^\n]", &address, name) >= 2)
		take_symbol(address, name);
	fclose(symbols);
}

/* Returns where in the core file an address is, or -1. */
static off_t find_offset(int fd, __u64 address)
{
	struct elf64_hdr header;
	struct elf64_phdr segment;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    header.e_ident[EI_CLASS] != ELFCLASS64)
		return -1;
	for (size_t i = 0; i < header.e_phnum; i++) {
		if (pread(fd, &segment, sizeof(segment),
			  header.e_phoff + i * sizeof(segment)) !=
		    sizeof(segment))
			return -1;
		if (segment.p_type == PT_LOAD && segment.p_vaddr <= address &&
		    address - segment.p_vaddr < segment.p_memsz)
			return segment.p_offset + (address - segment.p_vaddr);
	}
	return -1;
}

static bool append(int fd, const struct range *range, struct kernel_text *text)
{
	size_t size = range->to - range->from;
	off_t offset = find_offset(fd, range->from);

	if (offset < 0 || size > KERNEL_TEXT_MAX - text->size ||
	    pread(fd, text->bytes + text->size, size, offset) != (ssize_t)size)
		return false;
	text->size += size;
	return true;
}

/*
 * Returns false where it was not found or cannot be seen: without /proc/kcore or
 * /proc/kallsyms, on a locked-down kernel, or on one of 32 bits.
 */
static bool kernel_text_read(struct kernel_text *text)
{
	int fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	bool ok = fd >= 0;

	text->size = 0;
	for (size_t i = 0; i < ARRAY_SIZE(functions) && ok; i++)
		ok = ranges[i].to && append(fd, &ranges[i], text);
	if (fd >= 0)
		close(fd);
	return ok;
}

static bool kernel_text_same(const struct kernel_text *a,
			     const struct kernel_text *b)
{
	return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

FIXTURE(survive) {
	int fd;
	struct idle_latency_config config;
	struct idle_states before;
	struct idle_governors governors;
	struct kernel_text text;
	bool has_text;
};

FIXTURE_VARIANT(survive) {
	struct source_variant by;
};

FIXTURE_VARIANT_ADD(survive, hrt) { VARIANT_HRT };
FIXTURE_VARIANT_ADD(survive, hrt_probe) { VARIANT_HRT, VARIANT_PROBE };
FIXTURE_VARIANT_ADD(survive, tdt) { VARIANT_TDT };
FIXTURE_VARIANT_ADD(survive, tdt_probe) { VARIANT_TDT, VARIANT_PROBE };
FIXTURE_VARIANT_ADD(survive, nic) { VARIANT_NIC };
FIXTURE_VARIANT_ADD(survive, nic_probe) { VARIANT_NIC, VARIANT_PROBE };

FIXTURE_SETUP(survive)
{
	int ret;

	if (!machine_config(&self->config))
		SKIP(return, "no idle states: load a cpuidle driver");
	machine_use(&self->config, variant->by.source, variant->by.flags);
	/* Some tests poll what a session does, and its CPU has to be idle. */
	affinity_avoid(self->config.cpu);
	ASSERT_TRUE(cpuidle_states(self->config.cpu, &self->before));
	cpuidle_governors(&self->governors);
	self->has_text = kernel_text_read(&self->text);
	self->fd = device_open(0);
	ASSERT_LE(0, self->fd);
	ret = device_config(self->fd, &self->config);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "the source cannot work on this machine");
	ASSERT_EQ(0, ret);
}

/* Nothing was left behind; see the head of this file. */
FIXTURE_TEARDOWN(survive)
{
	struct kernel_text text;
	struct idle_states after;
	int fd;

	close(self->fd);
	fd = device_open(0);
	EXPECT_LE(0, fd);
	close(fd);
	if (self->governors.count)
		EXPECT_TRUE(cpuidle_use_governor(self->governors.used));
	ASSERT_TRUE(cpuidle_states(self->config.cpu, &after));
	EXPECT_TRUE(same_disable(&self->before, &after));
	/* For those that come after a test that failed half-way. */
	EXPECT_TRUE(put_back_disable(self->config.cpu, &self->before));
	EXPECT_FALSE(machine_is_forced(self->config.cpu, self->config.state));
	if (self->has_text) {
		ASSERT_TRUE(kernel_text_read(&text));
		EXPECT_TRUE(kernel_text_same(&self->text, &text));
	}
}

/*
 * What a CPU is forced to enter is not to be seen in sysfs. Where it still is, a session
 * in another state does not start, or has no samples. Returns 0 if it has.
 */
static ssize_t other_state_works(int fd, const struct idle_latency_config *forced)
{
	struct idle_latency_config config = *forced;
	struct reader reader = { .fd = fd, .config = &config };
	ssize_t ret;

	if (!machine_deepest(fd, &config))
		return -ENODEV;
	config.samples = SAMPLES;
	ret = device_begin(fd, &config);
	return ret ? ret : reader_drain(&reader);
}

/* Ends the session. Returns what was wrong with all of it, or NULL. */
static const char *stop(struct reader *reader)
{
	if (device_stop(reader->fd))
		return "the session did not run to be stopped";
	if (reader_drain(reader))
		return reader->wrong ? reader->wrong : "it ended with an error";
	return NULL;
}

/* Only then can the other tests find what a session has left switched on. */
TEST_F(survive, a_session_patches_the_kernel)
{
	struct kernel_text text;

	if (!self->has_text)
		SKIP(return, "no /proc/kcore, a locked-down kernel, or 32 bits");
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	ASSERT_TRUE(kernel_text_read(&text));
	EXPECT_FALSE(kernel_text_same(&self->text, &text));
	EXPECT_EQ(0, device_stop(self->fd));
	ASSERT_TRUE(kernel_text_read(&text));
	EXPECT_TRUE(kernel_text_same(&self->text, &text));
}

/* How far a program came with its session. */
enum stage {
	STAGE_NONE,
	STAGE_OPEN,
	STAGE_STARTED,
	STAGE_READING,
	STAGES,
};

static void reach(enum stage *stage, enum stage now)
{
	__atomic_store_n(stage, now, __ATOMIC_SEQ_CST);
}

static enum stage reached(enum stage *stage)
{
	return __atomic_load_n(stage, __ATOMIC_SEQ_CST);
}

static void run_session(const struct idle_latency_config *config,
			enum stage *stage)
{
	struct idle_latency_record record;
	int fd = device_open(0);

	if (fd < 0)
		_exit(1);
	reach(stage, STAGE_OPEN);
	if (device_begin(fd, config))
		_exit(1);
	reach(stage, STAGE_STARTED);
	while (device_read(fd, &record, 1) == 1)
		reach(stage, STAGE_READING);
	_exit(1);
}

static void sleep_us(__u64 us)
{
	const struct timespec time = {
		.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000,
	};

	nanosleep(&time, NULL);
}

/* Returns whether the program was there to be killed. */
static bool kill_session(const struct idle_latency_config *config,
			 enum stage *stage, __u64 after_us)
{
	int status;
	pid_t child;

	reach(stage, STAGE_NONE);
	child = fork();
	if (!child)
		run_session(config, stage);
	if (child < 0)
		return false;
	sleep_us(after_us);
	kill(child, SIGKILL);
	return waitpid(child, &status, 0) == child && WIFSIGNALED(status);
}

/* Returns how many us a session needs to get to its first record. */
static __u64 time_to_read(const struct idle_latency_config *config,
			  enum stage *stage)
{
	__u64 began = now_ns(), took;
	pid_t child;

	reach(stage, STAGE_NONE);
	child = fork();
	if (!child)
		run_session(config, stage);
	if (child < 0)
		return 0;
	do
		sleep_us(100);
	while (reached(stage) != STAGE_READING && now_ns() - began < 10000000000);
	took = (now_ns() - began) / 1000;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return took;
}

TEST_F_TIMEOUT(survive, killed_at_any_moment, 300)
{
	unsigned int killed[STAGES] = { };
	struct idle_states after;
	enum stage *stage;
	__u64 span_us;
	int fd;

	close(self->fd);
	stage = mmap(NULL, sizeof(*stage), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)stage);
	span_us = 2 * time_to_read(&self->config, stage);
	ASSERT_NE(0ULL, span_us);
	srandom(1);
	for (unsigned int i = 0; i < KILLS; i++) {
		ASSERT_TRUE(kill_session(&self->config, stage,
					 random() % span_us));
		killed[reached(stage)]++;
		fd = device_open(0);
		ASSERT_LE(0, fd);
		if (i % KILLS_TO_A_LOOK == 0) {
			ASSERT_FALSE(machine_is_forced(self->config.cpu,
						       self->config.state));
			ASSERT_EQ(0, other_state_works(fd, &self->config));
		}
		close(fd);
		ASSERT_TRUE(cpuidle_states(self->config.cpu, &after));
		ASSERT_TRUE(same_disable(&self->before, &after));
	}
	TH_LOG("killed before open %u, before start %u, before a record %u, later %u",
	       killed[STAGE_NONE], killed[STAGE_OPEN],
	       killed[STAGE_STARTED], killed[STAGE_READING]);
	/* About one half; none would mean that no session ran. */
	EXPECT_LE(KILLS / 10U, killed[STAGE_READING]);
	self->fd = device_open(0);
}

TEST_F_TIMEOUT(survive, another_cpu_comes_and_goes, 300)
{
	struct reader reader = { .fd = self->fd, .config = &self->config };
	unsigned int cpu;

	if (!machine_spare_cpu(&cpu))
		SKIP(return, "no CPU that can be taken offline");
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	for (unsigned int i = 0; i < ROUNDS; i++) {
		EXPECT_TRUE(machine_set_online(cpu, i % 2));
		EXPECT_EQ(SAMPLES, reader_read(&reader, NULL, SAMPLES));
	}
	EXPECT_EQ(NULL, stop(&reader));
}

/* Stays online for as long as some sessions need to start, and others do not get. */
static pid_t fork_hotplug(unsigned int cpu)
{
	pid_t child = fork();

	if (child)
		return child;
	for (;;) {
		machine_set_online(cpu, false);
		machine_set_online(cpu, true);
		sleep_us(random() % ONLINE_US_MAX);
	}
}

/* A start that fails says why; one that works ends with the CPU, if not before. */
static bool ends_as_defined(int fd, const struct idle_latency_config *config)
{
	struct reader reader = { .fd = fd, .config = config };
	ssize_t ret = device_begin(fd, config);

	if (ret)
		return ret == -ENXIO || ret == -ENODEV;
	ret = reader_drain(&reader);
	return !ret || ret == -ENXIO;
}

TEST_F_TIMEOUT(survive, the_cpu_comes_and_goes, 300)
{
	struct idle_latency_config config = self->config;
	unsigned int started = 0, refused = 0;
	pid_t child;

	if (!machine_spare_cpu(&config.cpu))
		SKIP(return, "no CPU that can be taken offline");
	child = fork_hotplug(config.cpu);
	ASSERT_LE(0, child);
	while (started < OFFLINES) {
		struct reader reader = { .fd = self->fd, .config = &config };
		int ret = device_begin(self->fd, &config);

		if (!ret) {
			started++;
			EXPECT_EQ(-ENXIO, reader_drain(&reader));
		} else if (ret == -ENXIO || ret == -ENODEV) {
			refused++;
			sleep_us(1000);
		} else {
			break;
		}
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	TH_LOG("%u sessions started, %u did not", started, refused);
	EXPECT_EQ(OFFLINES, started);
	EXPECT_TRUE(machine_set_online(config.cpu, true));
}

/* It is offline when the session ends, which must not leave the state forced. */
TEST_F_TIMEOUT(survive, the_cpu_comes_back_as_it_was, 300)
{
	struct idle_latency_config config = self->config;
	struct reader reader = { .fd = self->fd, .config = &config };

	if (!machine_spare_cpu(&config.cpu))
		SKIP(return, "no CPU that can be taken offline");
	ASSERT_EQ(0, device_begin(self->fd, &config));
	EXPECT_TRUE(machine_set_online(config.cpu, false));
	EXPECT_EQ(-ENXIO, reader_drain(&reader));
	EXPECT_TRUE(machine_set_online(config.cpu, true));
	EXPECT_FALSE(machine_is_forced(config.cpu, config.state));
	EXPECT_EQ(0, other_state_works(self->fd, &config));
}

static int remove_module(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) ? -errno : 0;
}

static bool is_module(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/module/%s/refcnt", name);
	return !access(path, F_OK);
}

TEST_F(survive, the_module_stays_while_it_runs)
{
	struct reader reader = { .fd = self->fd, .config = &self->config };

	if (!is_module("idle_latency"))
		SKIP(return, "the driver is built into the kernel");
	EXPECT_EQ(-EWOULDBLOCK, remove_module("idle_latency"));
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	EXPECT_EQ(-EWOULDBLOCK, remove_module("idle_latency"));
	EXPECT_EQ(SAMPLES, reader_read(&reader, NULL, SAMPLES));
	EXPECT_EQ(NULL, stop(&reader));
}

static bool load_sim(const char *states)
{
	char command[512];

	snprintf(command, sizeof(command), "modprobe " SIM " 'states=%s'",
		 states);
	return !system(command);
}

/* With the states that it measures a session cannot go on. */
TEST_F(survive, the_idle_states_go_and_come)
{
	struct reader reader = { .fd = self->fd, .config = &self->config };
	char states[256];
	ssize_t end;
	int ret;

	if (!is_module(SIM) || !sysfs_read_line(SIM_STATES, states, sizeof(states)))
		SKIP(return, "the idle states are not those of a module");
	self->config.samples = SAMPLES_MOST;
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	EXPECT_EQ(SAMPLES, reader_read(&reader, NULL, SAMPLES));
	ret = remove_module(SIM);
	end = reader_drain(&reader);
	EXPECT_EQ(NULL, reader.wrong);
	/* Or the session has prevented it. */
	if (ret == -EWOULDBLOCK) {
		EXPECT_EQ(0, end);
		return;
	}
	EXPECT_EQ(0, ret);
	EXPECT_EQ(-ENODEV, end);
	EXPECT_EQ(-ENODEV, device_start(self->fd));
	ASSERT_TRUE(load_sim(states));
	self->config.samples = SAMPLES;
	reader_restart(&reader);
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	EXPECT_EQ(0, reader_drain(&reader));
}

TEST_F_TIMEOUT(survive, the_module_goes_and_comes, 300)
{
	if (!is_module("idle_latency"))
		SKIP(return, "the driver is built into the kernel");
	close(self->fd);
	EXPECT_EQ(0, remove_module("idle_latency"));
	EXPECT_EQ(-ENOENT, device_open(0));
	EXPECT_EQ(0, system("modprobe idle_latency"));
	self->fd = device_open(0);
	ASSERT_LE(0, self->fd);
	self->config.samples = SAMPLES;
	EXPECT_TRUE(ends_as_defined(self->fd, &self->config));
}

/* What the user wrote stays, and the session goes on. */
TEST_F(survive, user_disables_another_state)
{
	struct reader reader = { .fd = self->fd, .config = &self->config };
	const unsigned int cpu = self->config.cpu;

	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	ASSERT_TRUE(cpuidle_disable(cpu, 0, true));
	EXPECT_EQ(SAMPLES, reader_read(&reader, NULL, SAMPLES));
	EXPECT_EQ(NULL, stop(&reader));
	EXPECT_EQ(1ULL, cpuidle_disabled(self->config.cpu, 0));
	ASSERT_TRUE(put_back_disable(cpu, &self->before));
}

/* Likewise: what a CPU is forced to enter need not be enabled for its governor. */
TEST_F(survive, user_disables_the_forced_state)
{
	struct reader reader = { .fd = self->fd, .config = &self->config };
	const unsigned int cpu = self->config.cpu, state = self->config.state;

	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	ASSERT_EQ(SAMPLES, reader_read(&reader, NULL, SAMPLES));
	if (!(reader.flags & IDLE_LATENCY_RECORD_FORCED))
		SKIP(return, "this kernel has no cpuidle_force_state()");
	ASSERT_TRUE(cpuidle_disable(cpu, state, true));
	EXPECT_EQ(SAMPLES, reader_read(&reader, NULL, SAMPLES));
	ASSERT_TRUE(cpuidle_disable(cpu, state, false));
	EXPECT_EQ(SAMPLES, reader_read(&reader, NULL, SAMPLES));
	ASSERT_TRUE(cpuidle_disable(cpu, state, true));
	EXPECT_EQ(NULL, stop(&reader));
	EXPECT_EQ(1ULL, cpuidle_disabled(self->config.cpu, state));
	ASSERT_TRUE(put_back_disable(cpu, &self->before));
}

/* The states are disabled and enabled for that, and may be others afterwards. */
static const char *change_governor(struct reader *reader, const char *name)
{
	ssize_t end;

	reader_restart(reader);
	if (device_begin(reader->fd, reader->config))
		return "the session does not start";
	if (reader_read(reader, NULL, SAMPLES) != SAMPLES)
		return "the session has no samples";
	if (!cpuidle_use_governor(name))
		return "the governor cannot be changed";
	end = reader_drain(reader);
	if (reader->wrong)
		return reader->wrong;
	if (end != -ENODEV)
		return "the session does not end with ENODEV";
	if (device_stop(reader->fd) != -EINVAL)
		return "the session runs after its end";
	return machine_is_forced(reader->config->cpu, reader->config->state) ?
		"the state is still forced" : NULL;
}

TEST_F_TIMEOUT(survive, the_governor_changes, 120)
{
	struct reader reader = { .fd = self->fd, .config = &self->config };
	const struct idle_governors *governors = &self->governors;
	const char *wrong;

	if (governors->count < 2)
		SKIP(return, "the governor cannot be changed");
	self->config.samples = SAMPLES_MOST;
	/* Each of them from another one. */
	ASSERT_TRUE(cpuidle_use_governor(governors->name[governors->count - 1]));
	for (size_t i = 0; i < governors->count; i++) {
		wrong = change_governor(&reader, governors->name[i]);
		/* A limit of idle injection stays. */
		if (!(reader.flags & IDLE_LATENCY_RECORD_FORCED))
			SKIP(return, "this kernel has no cpuidle_force_state()");
		EXPECT_TRUE(!wrong)
			TH_LOG("%s: %s", governors->name[i], wrong);
	}
}

/* To choose the governor that is used already changes nothing. */
TEST_F(survive, the_governor_stays)
{
	struct reader reader = { .fd = self->fd, .config = &self->config };

	if (!self->governors.count)
		SKIP(return, "the governor cannot be changed");
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	EXPECT_EQ(SAMPLES, reader_read(&reader, NULL, SAMPLES));
	EXPECT_TRUE(cpuidle_use_governor(self->governors.used));
	EXPECT_EQ(SAMPLES, reader_read(&reader, NULL, SAMPLES));
	EXPECT_EQ(NULL, stop(&reader));
}

/* Runs sessions whenever the device is free, and exits with 0 if all went well. */
static pid_t fork_opener(const struct idle_latency_config *config)
{
	unsigned int sessions = 0;
	pid_t child = fork();
	int fd;

	if (child)
		return child;
	while (sessions < ROUNDS) {
		fd = device_open(0);
		if (fd == -EBUSY) {
			sleep_us(100);
			continue;
		}
		if (fd < 0 || !ends_as_defined(fd, config))
			_exit(1);
		close(fd);
		sessions++;
	}
	_exit(0);
}

TEST_F_TIMEOUT(survive, two_openers_take_turns, 300)
{
	pid_t children[2];
	int status;

	close(self->fd);
	self->config.samples = SAMPLES;
	for (size_t i = 0; i < ARRAY_SIZE(children); i++)
		children[i] = fork_opener(&self->config);
	for (size_t i = 0; i < ARRAY_SIZE(children); i++) {
		ASSERT_EQ(children[i], waitpid(children[i], &status, 0));
		EXPECT_EQ(0, status);
	}
	self->fd = device_open(0);
}

TEST_F_TIMEOUT(survive, the_card_goes_and_comes, 300)
{
	struct reader reader = { .fd = self->fd, .config = &self->config };
	char address[32];

	if (variant->by.source != IDLE_LATENCY_SOURCE_NIC)
		SKIP(return, "the source has no card");
	ASSERT_TRUE(card_find(address, sizeof(address)));
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	EXPECT_EQ(SAMPLES, reader_read(&reader, NULL, SAMPLES));
	EXPECT_TRUE(card_unbind(address));
	EXPECT_EQ(-ENODEV, reader_drain(&reader));
	EXPECT_EQ(-EOPNOTSUPP, device_start(self->fd));
	EXPECT_TRUE(card_bind(address));
	self->config.samples = SAMPLES;
	reader_restart(&reader);
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	EXPECT_EQ(0, reader_drain(&reader));
}

/* As far as to where all programs are frozen, and back. */
TEST_F(survive, suspend_ends_it)
{
	struct reader reader = { .fd = self->fd, .config = &self->config };

	if (!sysfs_write("/sys/power/pm_test", "freezer"))
		SKIP(return, "no CONFIG_PM_DEBUG to try suspend with");
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	EXPECT_EQ(SAMPLES, reader_read(&reader, NULL, SAMPLES));
	EXPECT_TRUE(sysfs_write("/sys/power/state", "freeze"));
	EXPECT_TRUE(sysfs_write("/sys/power/pm_test", "none"));
	EXPECT_EQ(-ECANCELED, reader_drain(&reader));
	EXPECT_EQ(-EINVAL, device_stop(self->fd));
	self->config.samples = SAMPLES;
	EXPECT_TRUE(ends_as_defined(self->fd, &self->config));
}

int main(int argc, char **argv)
{
	machine_required();
	kernel_text_find();
	return test_harness_run(argc, argv);
}
