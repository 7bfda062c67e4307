// SPDX-License-Identifier: GPL-2.0
/*
 * What others do to the machine while a session runs: programs are killed, CPUs
 * come and go, somebody else changes idle states, governor and PM QoS, unloads
 * modules, or suspends. Each session goes on as configured or has a defined end,
 * and leaves the machine as it was.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/syscall.h>

#include "idle_latency_util.h"
#include "kselftest_harness.h"
#include "prepare.h"
#include "stress.h"

#define SAMPLES		50
/* Launch distances with a card, for the accesses to it that come first. */
#define LDIST_NIC	5
#define KILLS		200
#define KILLS_TO_A_LOOK	10
#define ROUNDS		20
#define OFFLINES	6U
/* The source nic watches its clock for 100 ms before it starts. */
#define ONLINE_MS_MAX	300

/* Of a session that is to end by itself before. */
#define SAMPLES_MOST	3000

#define PM_TEST		"/sys/power/pm_test"
#define SIM		"idle_latency_sim"
#define SIM_STATES	"/sys/module/" SIM "/parameters/states"

FIXTURE(survive) {
	int fd;
	struct idle_latency_config config;
	/* of its sessions, one after the other */
	struct reader reader;
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
FIXTURE_VARIANT_ADD(survive, write) { VARIANT_WRITE };
FIXTURE_VARIANT_ADD(survive, ipi) { VARIANT_IPI };
FIXTURE_VARIANT_ADD(survive, nic) { VARIANT_NIC };
FIXTURE_VARIANT_ADD(survive, nic_probe) { VARIANT_NIC, VARIANT_PROBE };

FIXTURE_SETUP(survive)
{
	MACHINE_OPEN(return, &variant->by, &self->config);
	if (variant->by.source == IDLE_LATENCY_SOURCE_NIC) {
		self->config.ldist_from_ns *= LDIST_NIC;
		self->config.ldist_to_ns *= LDIST_NIC;
	}
	/* Some tests poll what a session does, and its CPU has to be idle. */
	affinity_avoid(self->config.cpu);
	ASSERT_TRUE(cpuidle_states(self->config.cpu, &self->before));
	cpuidle_governors(&self->governors);
	self->has_text = kernel_text_read(&self->text);
	self->reader = (struct reader) { .fd = self->fd, .config = &self->config };
}

/* Nothing was left behind; see the head of this file. */
FIXTURE_TEARDOWN(survive)
{
	close(self->fd);
	EXPECT_TRUE(undo_now());
	EXPECT_FINE(machine_left(self->config.cpu, &self->before));
	EXPECT_FALSE(machine_is_forced(self->config.cpu, self->config.state));
	if (self->has_text)
		EXPECT_TRUE(kernel_text_same(&self->text));
}

/*
 * What a CPU is forced to enter is not to be seen in sysfs. Where it still is, a session
 * in another state does not start, or has no samples. Returns NULL if it has.
 */
static const char *run_other_state(int fd, const struct idle_latency_config *forced)
{
	struct idle_latency_config config = *forced;

	return machine_deepest(fd, &config) ? session_take(fd, &config, SAMPLES, NULL) :
		"there is no state to force";
}

static const char *begin(struct reader *reader)
{
	reader_restart(reader);
	return device_begin(reader->fd, reader->config) ? "the session does not start" : NULL;
}

/* Starts one that has samples. */
static const char *begin_reading(struct reader *reader)
{
	const char *wrong = begin(reader);

	if (!wrong && reader_read(reader, NULL, SAMPLES) != SAMPLES)
		wrong = "the session has no samples";
	return wrong;
}

/* Ends the session. Returns what was wrong before, else with all of it, or NULL. */
static const char *stop(struct reader *reader, const char *wrong)
{
	if (device_stop(reader->fd))
		return wrong ?: "the session did not run to be stopped";
	if (reader_drain(reader))
		return wrong ?: reader->wrong ?: "it ended with an error";
	return wrong;
}

/* Only then can the other tests find what a session has left switched on. */
TEST_F(survive, a_session_patches_the_kernel)
{
	if (!self->has_text)
		SKIP(return, "no /proc/kcore, a locked-down kernel, or 32 bits");
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	EXPECT_FALSE(kernel_text_same(&self->text));
	EXPECT_EQ(0, device_stop(self->fd));
	EXPECT_TRUE(kernel_text_same(&self->text));
}

/* In a running session: samples come, and all idle periods are in the state. */
static const char *watch_forced(const struct reader *reader)
{
	const struct idle_latency_config *config = reader->config;
	struct idle_latency_counts counts;
	struct idle_states first, last;

	if (!cpuidle_states(config->cpu, &first))
		return "the idle states cannot be read";
	if (device_counts(reader->fd, &counts) ||
	    !session_wait(reader->fd, 0, counts.delivered + SAMPLES))
		return "the session does not get its samples";
	if (!cpuidle_states(config->cpu, &last))
		return "the idle states cannot be read";
	return other_usage(&first, &last, config->state) > 1 ?
		"the CPU enters other states" : NULL;
}

/* A whole session of which that is true. */
static const char *run_forced(struct reader *reader)
{
	return begin(reader) ?: stop(reader, watch_forced(reader));
}

TEST_F(survive, no_governor_is_asked)
{
	const struct idle_governors *governors = &self->governors;

	if (!governors->count)
		SKIP(return, "the governor cannot be changed");
	ASSERT_TRUE(machine_deepest(self->fd, &self->config));
	for (size_t i = 0; i < governors->count; i++) {
		ASSERT_TRUE(cpuidle_use_governor(governors->name[i]));
		CHECK_FINE(EXPECT_TRUE, run_forced(&self->reader), "%s: ", governors->name[i]);
	}
}

TEST_F(survive, no_qos_is_asked)
{
	const __s32 latency_us = 0;
	int qos;

	qos = open("/dev/cpu_dma_latency", O_RDWR | O_CLOEXEC);
	if (qos < 0)
		SKIP(return, "no /dev/cpu_dma_latency");
	ASSERT_EQ((ssize_t)sizeof(latency_us),
		  write(qos, &latency_us, sizeof(latency_us)));
	ASSERT_TRUE(machine_deepest(self->fd, &self->config));
	EXPECT_FINE(run_forced(&self->reader));
	EXPECT_EQ(0, close(qos));
}

/* Kernels without cpuidle_force_state() do not enter a state that is disabled. */
static bool is_forced(const struct reader *reader)
{
	return reader->flags & IDLE_LATENCY_RECORD_FORCED;
}

/*
 * The same of a session with a state of which a user has written the disable file before, and
 * writes it meanwhile, too, if that is another value. What all these files say is what was
 * written.
 */
static const char *run_written(struct reader *reader, unsigned int state, bool before,
			       bool meanwhile)
{
	const unsigned int cpu = reader->config->cpu;
	struct idle_states written;
	const char *wrong;

	if (!cpuidle_disable(cpu, state, before) || !cpuidle_states(cpu, &written))
		return "the disable file cannot be written";
	wrong = begin(reader);
	if (wrong)
		return wrong;
	if (!same_disable(cpu, &written))
		wrong = "the session is to be seen in the disable files";
	written.state[state].disable = meanwhile;
	if (!wrong && before != meanwhile && !cpuidle_disable(cpu, state, meanwhile))
		wrong = "the disable file cannot be written in the session";
	wrong = wrong ?: watch_forced(reader);
	if (!wrong && !same_disable(cpu, &written))
		wrong = "what was written does not stay in the session";
	wrong = stop(reader, wrong);
	if (!wrong && !same_disable(cpu, &written))
		wrong = "what was written does not stay after the session";
	return wrong;
}

/* The state itself must not seem to be enabled, nor the others disabled. */
TEST_F(survive, sysfs_does_not_show_it)
{
	ASSERT_FINE(run_forced(&self->reader));
	if (!is_forced(&self->reader))
		SKIP(return, "this kernel has no cpuidle_force_state()");
	EXPECT_FINE(run_written(&self->reader, self->config.state, true, true));
}

TEST_F_TIMEOUT(survive, what_a_user_disables_stays, 300)
{
	ASSERT_FINE(run_forced(&self->reader));
	if (!is_forced(&self->reader))
		SKIP(return, "this kernel has no cpuidle_force_state()");
	for (size_t i = 0; i < 2 * self->before.count; i++) {
		CHECK_FINE(EXPECT_TRUE, run_written(&self->reader, i / 2, !(i % 2), i % 2),
			   "state %zu, %zu written: ", i / 2, i % 2);
		ASSERT_TRUE(undo_now());
	}
}

TEST_F(survive, user_disables_another_state)
{
	EXPECT_FINE(run_written(&self->reader, 0, false, true));
}

/* By the limit of idle injection, no CPU enters a state that a user has disabled. */
static const char *run_disabled(const struct idle_latency_config *config, int fd)
{
	struct idle_latency_record record;
	int ret;

	if (device_begin(fd, config))
		return "the session does not start";
	if (!cpuidle_disable(config->cpu, config->state, true))
		return "the disable file cannot be written in the session";
	do
		ret = device_read(fd, &record, 1);
	while (ret == 1);
	if (ret != -ENODEV)
		return "the session does not end because of it";
	return device_begin(fd, config) == -EOPNOTSUPP ? NULL : "another session starts";
}

/* What cpuidle_force_state() makes a CPU enter need not be enabled for its governor. */
TEST_F(survive, user_disables_the_forced_state)
{
	ASSERT_FINE(run_forced(&self->reader));
	if (is_forced(&self->reader)) {
		EXPECT_FINE(run_written(&self->reader, self->config.state, false, true));
		EXPECT_FINE(run_written(&self->reader, self->config.state, true, false));
	} else {
		EXPECT_FINE(run_disabled(&self->config, self->fd));
	}
}

/* How far a program came with its session. */
enum stage {
	STAGE_NONE,
	STAGE_OPEN,
	STAGE_STARTED,
	STAGE_READING,
	STAGES,
};

/* Shared with that program. */
static atomic_int *stage;

static pid_t fork_session(const struct idle_latency_config *config)
{
	struct idle_latency_record record;
	pid_t child;
	int fd;

	*stage = STAGE_NONE;
	child = fork();
	if (child)
		return child;
	fd = device_open(0);
	if (fd < 0)
		_exit(1);
	*stage = STAGE_OPEN;
	if (device_begin(fd, config))
		_exit(1);
	*stage = STAGE_STARTED;
	while (device_read(fd, &record, 1) == 1)
		*stage = STAGE_READING;
	_exit(1);
}

/* Returns how many us a session needs to get to its first record. */
static __u64 time_to_read(const struct idle_latency_config *config)
{
	__u64 began = now_ns(), took;
	pid_t child = fork_session(config);

	if (child < 0)
		return 0;
	do
		sleep_ns(100000);
	while (*stage != STAGE_READING && now_ns() - began < 10 * NS_PER_SEC);
	took = (now_ns() - began) / 1000;
	stress_kill(child);
	return took;
}

TEST_F_TIMEOUT(survive, killed_at_any_moment, 300)
{
	unsigned int killed[STAGES] = { };
	__u64 span_us;
	pid_t child;
	int fd;

	close(self->fd);
	stage = mmap(NULL, sizeof(*stage), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)stage);
	span_us = 2 * time_to_read(&self->config);
	ASSERT_NE(0ULL, span_us);
	srandom(1);
	for (unsigned int i = 0; i < KILLS; i++) {
		child = fork_session(&self->config);
		ASSERT_LE(0, child);
		sleep_ns(random() % span_us * 1000);
		ASSERT_TRUE(stress_kill(child));
		killed[*stage]++;
		fd = device_open(0);
		ASSERT_LE(0, fd);
		if (i % KILLS_TO_A_LOOK == 0) {
			ASSERT_FALSE(machine_is_forced(self->config.cpu,
						       self->config.state));
			ASSERT_FINE(run_other_state(fd, &self->config));
		}
		close(fd);
		ASSERT_TRUE(same_disable(self->config.cpu, &self->before));
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
	unsigned int cpu;

	if (!machine_other_cpu(true, &cpu))
		SKIP(return, "no CPU that can be taken offline");
	ASSERT_TRUE(machine_undo_offline(cpu));
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	for (unsigned int i = 0; i < ROUNDS; i++) {
		EXPECT_TRUE(machine_set_online(cpu, i % 2));
		EXPECT_EQ(SAMPLES, reader_read(&self->reader, NULL, SAMPLES));
	}
	EXPECT_FINE(stop(&self->reader, NULL));
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
		sleep_ms(random() % ONLINE_MS_MAX);
	}
}

/* Returns NULL, or what was wrong with a session while a CPU that it needs comes and goes. */
static const char *come_and_go(int fd, struct idle_latency_config *config, unsigned int cpu)
{
	unsigned int started = 0, refused = 0;
	const char *wrong = NULL;
	pid_t child;

	if (!machine_undo_offline(cpu))
		return "nobody would bring it online again";
	/* They end when nobody takes it offline any more. */
	config->samples = 100 * SAMPLES_MOST;
	child = fork_hotplug(cpu);
	if (child < 0)
		return "no more processes";
	while (started < OFFLINES && !wrong) {
		struct reader reader = { .fd = fd, .config = config };
		int ret = device_begin(fd, config);

		if (!ret) {
			started++;
			if (reader_drain(&reader) != -ENXIO)
				wrong = reader.wrong ?: "a session does not end with ENXIO";
		} else if (ret == -ENXIO || ret == -ENODEV) {
			refused++;
			sleep_ms(1);
		} else {
			wrong = "a session does not start, and not with ENXIO or ENODEV";
		}
	}
	stress_kill(child);
	ksft_print_msg("%u sessions started, %u did not\n", started, refused);
	return wrong;
}

TEST_F_TIMEOUT(survive, the_cpu_comes_and_goes, 300)
{
	struct idle_latency_config config = self->config;

	if (!machine_other_cpu(true, &config.cpu))
		SKIP(return, "no CPU that can be taken offline");
	EXPECT_FINE(come_and_go(self->fd, &config, config.cpu));
}

TEST_F_TIMEOUT(survive, the_waker_comes_and_goes, 300)
{
	struct idle_latency_config config = self->config;

	if (!config.waker)
		SKIP(return, "no CPU wakes the one that is measured");
	EXPECT_FINE(come_and_go(self->fd, &config, config.waker));
	ASSERT_TRUE(undo_now());
	EXPECT_FINE(session_take(self->fd, &self->config, SAMPLES, NULL));
}

TEST_F(survive, the_cpu_is_gone_before_it_starts)
{
	struct idle_latency_config config = self->config;

	if (!machine_other_cpu(true, &config.cpu))
		SKIP(return, "no CPU that can be taken offline");
	ASSERT_TRUE(machine_undo_offline(config.cpu));
	EXPECT_EQ(0, device_config(self->fd, &config));
	ASSERT_TRUE(machine_set_online(config.cpu, false));
	EXPECT_EQ(-ENXIO, device_start(self->fd));
}

/* It is offline when the session ends, which must not leave the state forced. */
TEST_F_TIMEOUT(survive, the_cpu_comes_back_as_it_was, 300)
{
	struct idle_latency_config config = self->config;
	struct reader reader = { .fd = self->fd, .config = &config };
	struct pollfd poll_fd = { .fd = self->fd, .events = POLLIN };

	if (!machine_other_cpu(true, &config.cpu))
		SKIP(return, "no CPU that can be taken offline");
	ASSERT_TRUE(machine_undo_offline(config.cpu));
	ASSERT_EQ(0, device_begin(self->fd, &config));
	sleep_ms(100);
	EXPECT_TRUE(machine_set_online(config.cpu, false));
	EXPECT_EQ(1, poll(&poll_fd, 1, 1000));
	EXPECT_TRUE(poll_fd.revents & POLLHUP);
	EXPECT_EQ(-ENXIO, reader_drain(&reader))
		TH_LOG("%s", reader.wrong);
	EXPECT_EQ(-ENXIO, device_start(self->fd));
	EXPECT_TRUE(machine_set_online(config.cpu, true));
	EXPECT_FALSE(machine_is_forced(config.cpu, config.state));
	EXPECT_FINE(run_other_state(self->fd, &config));
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
	if (!is_module("idle_latency"))
		SKIP(return, "the driver is built into the kernel");
	EXPECT_EQ(-EWOULDBLOCK, remove_module("idle_latency"));
	ASSERT_EQ(0, device_begin(self->fd, &self->config));
	EXPECT_EQ(-EWOULDBLOCK, remove_module("idle_latency"));
	EXPECT_EQ(SAMPLES, reader_read(&self->reader, NULL, SAMPLES));
	EXPECT_FINE(stop(&self->reader, NULL));
}

/*
 * Notes that it is to be loaded again. Returns false for one that was not loaded from
 * where modprobe looks.
 * @parameters: quoted as for a shell
 */
static bool undo_removal(const char *name, const char *parameters)
{
	return module_installed(name) && undo_run("modprobe %s %s", name, parameters) >= 0;
}

/* With the states that it measures a session cannot go on. */
TEST_F_TIMEOUT(survive, the_idle_states_go_and_come, 300)
{
	char states[256], parameters[sizeof(states) + 16];
	ssize_t end;
	int ret;

	if (!is_module(SIM) ||
	    !sysfs_read_line(SIM_STATES, states, sizeof(states)))
		SKIP(return, "the idle states are not those of a module");
	snprintf(parameters, sizeof(parameters), "'states=%s'", states);
	if (!undo_removal(SIM, parameters))
		SKIP(return, "modprobe could not load the idle states again");
	self->config.samples = SAMPLES_MOST;
	ASSERT_FINE(begin_reading(&self->reader));
	ret = remove_module(SIM);
	end = reader_drain(&self->reader);
	EXPECT_EQ(NULL, self->reader.wrong);
	/* Or the session has prevented it. */
	if (ret == -EWOULDBLOCK) {
		EXPECT_EQ(0, end);
		return;
	}
	EXPECT_EQ(0, ret);
	EXPECT_EQ(-ENODEV, end);
	EXPECT_EQ(-ENODEV, device_start(self->fd));
	ASSERT_TRUE(undo_now());
	EXPECT_FINE(session_take(self->fd, &self->config, SAMPLES, NULL));
}

TEST_F_TIMEOUT(survive, the_module_goes_and_comes, 300)
{
	if (!is_module("idle_latency"))
		SKIP(return, "the driver is built into the kernel");
	if (!undo_removal("idle_latency", ""))
		SKIP(return, "modprobe could not load the driver again");
	close(self->fd);
	EXPECT_EQ(0, remove_module("idle_latency"));
	EXPECT_EQ(-ENOENT, device_open(0));
	ASSERT_TRUE(undo_now());
	self->fd = device_open(0);
	ASSERT_LE(0, self->fd);
	EXPECT_FINE(session_take(self->fd, &self->config, SAMPLES, NULL));
}

/* The states are disabled and enabled for that, and may be others afterwards. */
static const char *change_governor(struct reader *reader, const char *name)
{
	const char *wrong = begin_reading(reader);
	ssize_t end;

	if (wrong)
		return wrong;
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
	const struct idle_governors *governors = &self->governors;

	if (governors->count < 2)
		SKIP(return, "the governor cannot be changed");
	ASSERT_FINE(run_forced(&self->reader));
	/* A limit of idle injection stays. */
	if (!is_forced(&self->reader))
		SKIP(return, "this kernel has no cpuidle_force_state()");
	self->config.samples = SAMPLES_MOST;
	/* Each of them from another one. */
	ASSERT_TRUE(cpuidle_use_governor(governors->name[governors->count - 1]));
	for (size_t i = 0; i < governors->count; i++) {
		CHECK_FINE(EXPECT_TRUE, change_governor(&self->reader, governors->name[i]),
			   "%s: ", governors->name[i]);
	}
}

/* To choose the governor that is used already changes nothing. */
TEST_F(survive, the_governor_stays)
{
	if (!self->governors.count)
		SKIP(return, "the governor cannot be changed");
	ASSERT_FINE(begin_reading(&self->reader));
	EXPECT_TRUE(cpuidle_use_governor(self->governors.used));
	EXPECT_EQ(SAMPLES, reader_read(&self->reader, NULL, SAMPLES));
	EXPECT_FINE(stop(&self->reader, NULL));
}

/* Runs sessions whenever nobody measures the CPU, and exits with 0 if all went well. */
static pid_t fork_opener(const struct idle_latency_config *config)
{
	struct idle_latency_config ended = *config;
	struct reader reader = { .config = &ended };
	unsigned int sessions = 0;
	pid_t child = fork();
	int ret;

	if (child)
		return child;
	ended.samples = SAMPLES;
	reader.fd = device_open(0);
	while (sessions < ROUNDS) {
		ret = device_begin(reader.fd, &ended);
		if (ret == -EBUSY) {
			sleep_ns(100000);
			continue;
		}
		reader_restart(&reader);
		if (ret || reader_drain(&reader) || reader.records != SAMPLES)
			_exit(1);
		sessions++;
	}
	_exit(0);
}

TEST_F_TIMEOUT(survive, two_sessions_take_turns, 300)
{
	pid_t children[2];
	int status;

	close(self->fd);
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
	char address[32];

	if (variant->by.source != IDLE_LATENCY_SOURCE_NIC)
		SKIP(return, "the source has no card");
	ASSERT_TRUE(card_find(address, sizeof(address)));
	/* The driver is to have it again, unless it has. */
	ASSERT_LE(0, undo_run("sh -c '[ -e " CARD_DRIVER "/%s ] || echo %s >" CARD_DRIVER "/bind'",
			      address, address));
	ASSERT_FINE(begin_reading(&self->reader));
	EXPECT_TRUE(sysfs_write(CARD_DRIVER "/unbind", address));
	EXPECT_EQ(-ENODEV, reader_drain(&self->reader));
	EXPECT_EQ(-EOPNOTSUPP, device_start(self->fd));
	ASSERT_TRUE(undo_now());
	EXPECT_FINE(session_take(self->fd, &self->config, SAMPLES, NULL));
}

/* As far as to where all programs are frozen, and back. */
TEST_F(survive, suspend_ends_it)
{
	if (access(PM_TEST, W_OK))
		SKIP(return, "no CONFIG_PM_DEBUG to try suspend with");
	ASSERT_TRUE(undo_change(PM_TEST, "freezer"));
	ASSERT_FINE(begin_reading(&self->reader));
	EXPECT_TRUE(sysfs_write("/sys/power/state", "freeze"));
	EXPECT_EQ(-ECANCELED, reader_drain(&self->reader));
	EXPECT_EQ(-EINVAL, device_stop(self->fd));
	EXPECT_FINE(session_take(self->fd, &self->config, SAMPLES, NULL));
}

int main(int argc, char **argv)
{
	stress_begin("survive_test kills programs of its own; takes a CPU offline and online",
		     "changes the governor, the disable files and the latency limit of cpuidle",
		     "unloads and loads idle_latency and idle_latency_sim",
		     "suspends as far as to where all programs are frozen", NULL);
	stress_take_card();
	kernel_text_find();
	return test_harness_run(argc, argv);
}
