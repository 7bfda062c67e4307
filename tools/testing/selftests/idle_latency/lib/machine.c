// SPDX-License-Identifier: GPL-2.0
/* What the tests of the device need to know of the machine they run on. */
#include <errno.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sys/wait.h>

#include <x86intrin.h>

#include "idle_latency_util.h"
#include "prepare.h"

/* Idle periods of this length, until the CPU was in another state. */
#define IDLE_MS		5
#define IDLE_TIMES	200

/* Both clocks are read so often, to find a pair that nothing came between. */
#define CLOCK_READINGS	20
#define CLOCK_MS	200

/* For the tests of the driver, where the machine has no idle states. */
#define SIMULATED	"FAST:2000:1000 IRQS:9000:3000:irqs SLOW:50000:40000"

bool machine_cpu(unsigned int *cpu)
{
	static struct cpu_list cpus;

	if ((!affinity_allowed(&cpus) || !cpus.count) && !cpu_list_online(&cpus))
		return false;
	*cpu = cpus.cpu[0];
	return true;
}

bool file_has(const char *path, const char *name, const char *value)
{
	FILE *file = fopen(path, "re");
	char line[4096];
	bool has = false;

	while (file && !has && fgets(line, sizeof(line), file))
		has = strstr(line, name) && strstr(line, value);
	if (file)
		fclose(file);
	return has;
}

/* As far as the kernel says so elsewhere than in the answer of the driver. */
static bool timers_are_fit(void)
{
	return file_has("/proc/timer_list", ".hres_active", ": 1") &&
	       file_has("/proc/cpuinfo", "flags", " constant_tsc") &&
	       file_has("/sys/devices/system/clocksource/clocksource0/current_clocksource",
			"tsc", "tsc\n");
}

bool machine_measures(int fd, struct obstacle *obstacle)
{
	struct idle_latency_config config;

	*obstacle = (struct obstacle) { };
	if (command_line_has("idle=poll")) {
		obstacle->reason = "the kernel polls while it is idle: boot without idle=poll";
		return false;
	}
	/* What needs idle states says so itself. */
	if (!machine_config(&config))
		return true;
	if (cpu_keeps_time(config.cpu)) {
		obstacle->reason = "the only CPU to run on keeps the time of a nohz_full system";
		return false;
	}
	if (device_config(fd, &config) != -EOPNOTSUPP)
		return true;
	obstacle->fails = timers_are_fit();
	obstacle->reason = obstacle->fails ?
		"the driver refuses hrt although the timers and the TSC are fit" :
		"the kernel has no high-resolution timers here or distrusts the TSC";
	return false;
}

void machine_required(bool everywhere)
{
	struct obstacle obstacle;
	int fd = driver_open(0, &obstacle);
	unsigned int cpu;
	bool fine = fd >= 0;

	if (fine && !undo_end_children()) {
		obstacle.reason = "no process can be had that puts everything back";
		obstacle.fails = true;
		fine = false;
	}
	if (fine) {
		driver_simulate(SIMULATED, !everywhere && machine_cpu(&cpu) ? &cpu : NULL,
				&obstacle);
		fine = machine_measures(fd, &obstacle);
		close(fd);
	}
	if (!fine)
		exit(obstacle_report(&obstacle));
}

static void online_path(unsigned int cpu, char *path, size_t size)
{
	snprintf(path, size, "/sys/devices/system/cpu/cpu%u/online", cpu);
}

bool machine_other_cpu(bool spare, unsigned int *cpu)
{
	static struct cpu_list online;
	unsigned int measured;
	char path[64];

	if (!machine_cpu(&measured) || !cpu_list_online(&online))
		return false;
	for (size_t i = 0; i < online.count; i++) {
		*cpu = online.cpu[i];
		online_path(*cpu, path, sizeof(path));
		if (*cpu != measured && (!spare || !access(path, W_OK)))
			return true;
	}
	return false;
}

/* One that no test takes offline, as these take what machine_other_cpu() finds. */
static bool find_waker(unsigned int measured, unsigned int *waker)
{
	static struct cpu_list online;
	unsigned int other;

	if (!machine_other_cpu(false, &other) || !cpu_list_online(&online))
		return false;
	*waker = online.cpu[online.count - 1];
	return *waker != measured && *waker != other;
}

static bool find_judged(unsigned int cpu, struct idle_states *judged)
{
	struct idle_states all;

	if (!cpuidle_states(cpu, &all))
		return false;
	idle_states_judged(&all, judged);
	return judged->count;
}

bool machine_config(struct idle_latency_config *config)
{
	struct idle_states judged;
	unsigned int cpu;

	if (!machine_cpu(&cpu) || !find_judged(cpu, &judged))
		return false;
	*config = (struct idle_latency_config) {
		.ldist_from_ns = TEST_LDIST_FROM_NS,
		.ldist_to_ns = TEST_LDIST_TO_NS,
		.cpu = cpu,
		.state = judged.state[0].index,
		.source = IDLE_LATENCY_SOURCE_HRT,
		.entry_ns = ENTRY_NS_DEFAULT,
		.record_size = sizeof(struct idle_latency_record),
	};
	return true;
}

const char *machine_open(const struct source_variant *by, struct idle_latency_config *config,
			 int *fd)
{
	int ret;

	if (!machine_config(config))
		return "no idle states: load a cpuidle driver";
	if (by) {
		config->source = by->source;
		config->flags = by->flags;
		if ((by->source == IDLE_LATENCY_SOURCE_WRITE ||
		     by->source == IDLE_LATENCY_SOURCE_IPI) &&
		    !find_waker(config->cpu, &config->waker))
			return "a waker takes a third CPU, which the tests leave alone";
	}
	*fd = device_open(0);
	ret = *fd < 0 ? *fd : device_config(*fd, config);
	if (ret && *fd >= 0)
		close(*fd);
	if (ret)
		*fd = ret;
	return ret == -EOPNOTSUPP ? "the source cannot work on this machine" : NULL;
}

bool machine_state(unsigned int cpu, const char *name, __u32 *state)
{
	struct idle_states all;

	if (!cpuidle_states(cpu, &all))
		return false;
	for (size_t i = 0; i < all.count; i++) {
		*state = all.state[i].index;
		if (!strcmp(all.state[i].name, name))
			return true;
	}
	return false;
}

bool machine_deepest(int fd, struct idle_latency_config *config)
{
	struct idle_states judged;

	if (!find_judged(config->cpu, &judged))
		return false;
	for (size_t i = judged.count; i > 0; i--) {
		config->state = judged.state[i - 1].index;
		/* Some states cannot be forced, which only a session says. */
		if (!device_begin(fd, config) && !device_stop(fd))
			return true;
	}
	return false;
}

/* A process that has the CPU go idle, again and again. */
static pid_t fork_sleeper(unsigned int cpu)
{
	pid_t child = fork();

	if (child)
		return child;
	if (!affinity_pin(cpu))
		_exit(1);
	for (;;)
		sleep_ms(1);
}

/* An idle period that had begun may be counted meanwhile, and proves nothing. */
static bool enters_another(unsigned int cpu, unsigned int state)
{
	struct idle_states before, after;

	if (!cpuidle_states(cpu, &before))
		return false;
	for (unsigned int i = 0; i < IDLE_TIMES; i++) {
		sleep_ms(IDLE_MS);
		if (!cpuidle_states(cpu, &after))
			return false;
		if (other_usage(&before, &after, state) > 1)
			return true;
	}
	return false;
}

/* The governor haltpoll does not look at what is disabled. */
static bool disabling_works(void)
{
	struct idle_governors governors;

	return !cpuidle_governors(&governors) ||
	       strcmp(governors.used, "haltpoll");
}

bool machine_is_forced(unsigned int cpu, unsigned int state)
{
	struct idle_states before;
	pid_t child;
	bool only;

	if (!cpuidle_states(cpu, &before) || before.count < 2 ||
	    !disabling_works())
		return false;
	child = fork_sleeper(cpu);
	if (child < 0)
		return false;
	only = cpuidle_disable(cpu, state, true) && !enters_another(cpu, state);
	cpuidle_disable(cpu, state, before.state[state].disable);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return only;
}

const char *machine_left(unsigned int cpu, const struct idle_states *before)
{
	struct idle_latency_config config;
	int fd = device_open(0), ret = -ENODEV;

	if (fd < 0)
		return "the device cannot be opened again";
	if (machine_config(&config)) {
		config.cpu = cpu;
		ret = device_begin(fd, &config);
	}
	close(fd);
	if (ret == -EBUSY)
		return "a state is still forced";
	return same_disable(cpu, before) ? NULL : "a disable file has changed";
}

void machine_read_clocks(clockid_t clock, __u64 *tsc, __u64 *ns)
{
	__u64 before, width, least = ~0ULL;
	struct timespec now;

	for (unsigned int i = 0; i < CLOCK_READINGS; i++) {
		before = __rdtsc();
		clock_gettime(clock, &now);
		width = __rdtsc() - before;
		if (width >= least)
			continue;
		least = width;
		*tsc = before + width / 2;
		*ns = now.tv_sec * NS_PER_SEC + now.tv_nsec;
	}
}

double machine_tsc_rate(void)
{
	__u64 tsc[2] = { }, ns[2] = { };

	machine_read_clocks(CLOCK_MONOTONIC_RAW, &tsc[0], &ns[0]);
	sleep_ms(CLOCK_MS);
	machine_read_clocks(CLOCK_MONOTONIC_RAW, &tsc[1], &ns[1]);
	return (double)(tsc[1] - tsc[0]) / (ns[1] - ns[0]);
}

bool machine_offline_cpu(unsigned int *cpu)
{
	static struct cpu_list offline;
	bool found = cpu_list_read("offline", &offline);

	*cpu = offline.cpu[0];
	return found;
}

bool machine_set_online(unsigned int cpu, bool online)
{
	char path[64];

	online_path(cpu, path, sizeof(path));
	return undo_change(path, online ? "1" : "0");
}

bool machine_undo_offline(unsigned int cpu)
{
	char text[64], cpus[256];
	glob_t found = { };
	bool noted = true;

	online_path(cpu, text, sizeof(text));
	if (access(text, W_OK))
		return false;
	snprintf(text, sizeof(text), "%u", cpu);
	glob("/proc/irq/*/smp_affinity_list", 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc && noted; i++) {
		const char *path = found.gl_pathv[i];

		/* Those that name this CPU only, and that the kernel lets anybody move. */
		if (sysfs_read_line(path, cpus, sizeof(cpus)) && !strcmp(cpus, text) &&
		    sysfs_write(path, text))
			noted = undo_write(path, text) >= 0;
	}
	globfree(&found);
	/* Noted last, as the CPU comes back first. */
	online_path(cpu, text, sizeof(text));
	return noted && undo_write(text, "1") >= 0;
}
