// SPDX-License-Identifier: GPL-2.0
/* The driver that a program measures with. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "idle_latency_util.h"
#include "prepare.h"

/*
 * One program at a time has the device, and the runner of kselftest may start all of them
 * at once: each holds an exclusive lock on this file from when it opens the device,
 * because a test may close and open it again. Whoever can read a file can lock it, so it is
 * one that only root can read; and every kernel has it, on systems without /run, too.
 */
#define TURN_PATH	"/proc/timer_list"
/* Long enough for a program that is about to end, and short for the one that waits. */
#define TURN_NS		(3 * NS_PER_SEC)
#define TURN_RETRY_MS	50

static int turn = -1;

int obstacle_report(const struct obstacle *obstacle)
{
	ksft_print_header();
	if (*obstacle->said)
		ksft_print_msg("%s\n", obstacle->said);
	if (!obstacle->fails) {
		printf("1..0 # SKIP %s\n", obstacle->reason);
		return KSFT_SKIP;
	}
	ksft_set_plan(1);
	ksft_test_result_fail("%s\n", obstacle->reason);
	return KSFT_FAIL;
}

static bool is_loaded(const char *module)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/module/%s", module);
	return !access(path, F_OK);
}

/* The dry run of modprobe is not in every modprobe, but this is. */
static bool is_installed(const char *module)
{
	const char * const argv[] = { "modprobe", "-q", "-D", module, NULL };

	return !command_run(argv, NULL, 0);
}

/* A module with its unit tests needs kunit, which stays when modprobe fails after that. */
static void unload_kunit(bool had_kunit)
{
	static const char * const argv[] = { "modprobe", "-q", "-r", "kunit", NULL };

	if (!had_kunit && is_loaded("kunit"))
		command_run(argv, NULL, 0);
}

bool module_load(const char *name, const char * const parameters[2],
		 struct obstacle *obstacle)
{
	const char * const load[] = {
		"modprobe", name, parameters[0], parameters[1], NULL
	};
	const char * const unload[] = { "modprobe", "-q", "-r", name, NULL };
	bool had_kunit = is_loaded("kunit");
	int step, code;

	*obstacle = (struct obstacle) { .fails = true };
	undo_begin();
	if (is_loaded(name))
		return true;
	step = undo_run(unload);
	if (step < 0) {
		snprintf(obstacle->said, sizeof(obstacle->said),
			 "it could not be unloaded again");
		return false;
	}
	code = command_run(load, obstacle->said, sizeof(obstacle->said));
	if (!code)
		return true;
	unload_kunit(had_kunit);
	/* When it was killed, the module may be there. */
	if (code > 0)
		undo_withdraw(step);
	obstacle->fails = is_installed(name);
	if (code == COMMAND_NOT_FOUND)
		obstacle->reason = "no modprobe: install kmod";
	return false;
}

static const char * const no_parameters[2];

void module_load_msr(void)
{
	struct obstacle ignored;

	if (access("/dev/cpu/0/msr", F_OK))
		module_load("msr", no_parameters, &ignored);
}

/*
 * Does the kernel take signed modules only, and ours is not? modprobe says what errno
 * means then: EKEYREJECTED or ENOKEY, or EPERM of a kernel that is locked down.
 */
static bool wants_signature(const char *said)
{
	char line[64];

	if (strstr(said, "Key") || strstr(said, "key"))
		return true;
	return strstr(said, "not permitted") &&
	       sysfs_read_line("/sys/kernel/security/lockdown", line,
			       sizeof(line)) && !strstr(line, "[none]");
}

static bool takes_no_modules(void)
{
	__u64 disabled;

	return sysfs_read_number("/proc/sys/kernel/modules_disabled", &disabled) && disabled;
}

/* What the kernel was told to refuse is no fault of the module. Returns NULL otherwise. */
static const char *explain_refusal(struct obstacle *obstacle)
{
	bool disabled = takes_no_modules();

	if (!disabled && !wants_signature(obstacle->said))
		return NULL;
	obstacle->fails = false;
	return disabled ? "the kernel takes no more modules: kernel.modules_disabled is set" :
			  "the kernel wants signed modules: sign them or switch Secure Boot off";
}

/* @missing: the reason where the module is not there */
static const char *explain_load(struct obstacle *obstacle, const char *broken,
				const char *missing)
{
	const char *refusal = explain_refusal(obstacle);

	if (refusal)
		return refusal;
	if (obstacle->fails)
		return broken;
	return obstacle->reason ? obstacle->reason : missing;
}

static const char *explain_open(int error, struct obstacle *obstacle)
{
	switch (error) {
	case EPERM:
	case EACCES:
		return "/dev/idle_latency is for root: run as root with CAP_SYS_ADMIN";
	case ENOENT:
		return "no /dev/idle_latency although the driver is loaded: mount devtmpfs on /dev";
	case ENOMEM:
		return "no memory for the record buffer: free some";
	case EBUSY:
		device_user(obstacle->said, sizeof(obstacle->said));
		return "device in use";
	default:
		obstacle->fails = true;
		return strerror(error);
	}
}

void driver_leave(void)
{
	close(turn);
	turn = -1;
}

/* Returns the descriptor or a negative errno. */
static int open_in_turn(int flags)
{
	__u64 until_ns = now_ns() + TURN_NS;
	int fd;

	if (turn < 0)
		turn = open(TURN_PATH, O_RDONLY | O_CLOEXEC);
	while (turn >= 0 && flock(turn, LOCK_EX | LOCK_NB)) {
		if (now_ns() > until_ns) {
			driver_leave();
			return -EBUSY;
		}
		sleep_ms(TURN_RETRY_MS);
	}
	while ((fd = device_open(flags)) == -EBUSY && now_ns() < until_ns)
		sleep_ms(TURN_RETRY_MS);
	return fd;
}

int driver_open(int flags, struct obstacle *obstacle)
{
	static const char broken[] =
		"the module idle_latency cannot be loaded: see the kernel log";
	static const char missing[] =
		"no driver: set CONFIG_IDLE_LATENCY and install the modules";
	int fd;

	*obstacle = (struct obstacle) { .fails = false };
	undo_begin();
	fd = open_in_turn(flags);
	if (fd == -ENOENT && geteuid())
		fd = -EPERM;
	if (fd == -ENOENT) {
		if (!module_load("idle_latency", no_parameters, obstacle)) {
			obstacle->reason = explain_load(obstacle, broken, missing);
			return -1;
		}
		fd = open_in_turn(flags);
	}
	obstacle->fails = false;
	if (fd >= 0)
		return fd;
	obstacle->reason = explain_open(-fd, obstacle);
	return -1;
}

bool driver_simulate(const char *states, const unsigned int *cpu,
		     struct obstacle *obstacle)
{
	static const char broken[] =
		"the module idle_latency_sim cannot be loaded: see the kernel log";
	static const char missing[] =
		"no idle states: set CONFIG_IDLE_LATENCY_SIM and install the modules";
	char states_parameter[256], cpus_parameter[32], driver[32];
	const char * const parameters[2] = {
		states_parameter, cpu ? cpus_parameter : NULL,
	};

	if (cpuidle_driver(driver, sizeof(driver)))
		return true;
	snprintf(states_parameter, sizeof(states_parameter), "states=%s", states);
	if (cpu)
		snprintf(cpus_parameter, sizeof(cpus_parameter), "cpus=%u", *cpu);
	if (!module_load("idle_latency_sim", parameters, obstacle)) {
		obstacle->reason = explain_load(obstacle, broken, missing);
		if (command_line_has("cpuidle.off=1")) {
			obstacle->fails = false;
			obstacle->reason =
				"the kernel uses no idle states: boot without cpuidle.off=1";
		}
		return false;
	}
	if (cpuidle_driver(driver, sizeof(driver)))
		return true;
	/* Built in, it was told the states when the machine booted, or none. */
	obstacle->fails = false;
	obstacle->reason = "no idle states: set CONFIG_IDLE_LATENCY_SIM=m";
	return false;
}
