// SPDX-License-Identifier: GPL-2.0
/*
 * The driver that a program measures with, and its network card, which other programs get:
 * modprobe, and nic.sh.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

#include "idle_latency_util.h"
#include "prepare.h"

/* A shell of root may have no more than a user has. */
static void complete_path(void)
{
	const char *path = getenv("PATH");
	char longer[4096];

	snprintf(longer, sizeof(longer), "%s:/usr/sbin:/usr/bin:/sbin:/bin",
		 path ? path : "");
	setenv("PATH", longer, 1);
}

static void become(const char *command, int out, int signal)
{
	wordexp_t words;

	prctl(PR_SET_PDEATHSIG, signal);
	/* What is sent to all processes of the program does not get there. */
	setpgid(0, 0);
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	complete_path();
	/* Not by a shell, which may have a modprobe of its own. */
	if (!wordexp(command, &words, WRDE_NOCMD))
		execvp(words.we_wordv[0], words.we_wordv);
	_exit(COMMAND_NOT_FOUND);
}

FILE *command_start(const char *command, int signal, pid_t *child)
{
	int ends[2];

	*child = -1;
	if (pipe2(ends, O_CLOEXEC))
		return NULL;
	fflush(NULL);
	*child = fork();
	if (!*child)
		become(command, ends[1], signal);
	close(ends[1]);
	return fdopen(ends[0], "r");
}

int command_end(pid_t child, FILE *out)
{
	int status = -1;

	if (out)
		fclose(out);
	while (child > 0 && waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* All of it is read, lest the program gets stuck, and the first line is kept. */
static void read_first_line(int fd, char *line, size_t size)
{
	size_t used = 0;
	ssize_t got;
	char byte;

	while ((got = read(fd, &byte, 1)) > 0 || (got < 0 && errno == EINTR))
		if (got > 0 && used + 1 < size)
			line[used++] = byte;
	line[used] = '\0';
	line[strcspn(line, "\n")] = '\0';
}

int command_run(const char *command, char *said, size_t size)
{
	pid_t child;
	/* What is done halfway only, such as a module, is hard to undo. */
	FILE *out = command_start(command, 0, &child);

	if (out)
		read_first_line(fileno(out), said, size);
	return command_end(child, out);
}

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
	       sysfs_read_line("/sys/kernel/security/lockdown", line, sizeof(line)) &&
	       !strstr(line, "[none]");
}

/* A module, and why it is not there after modprobe. */
struct module {
	const char *name;
	const char *broken;
	const char *missing;
};

/* What the kernel was told to refuse is no fault of the module. */
static void explain_load(const struct module *module, int code, struct obstacle *obstacle)
{
	__u64 disabled;

	if (sysfs_read_number("/proc/sys/kernel/modules_disabled", &disabled) && disabled)
		obstacle->reason =
			"the kernel takes no more modules: kernel.modules_disabled is set";
	else if (wants_signature(obstacle->said))
		obstacle->reason =
			"the kernel wants signed modules: sign them or switch Secure Boot off";
	else if (code == COMMAND_NOT_FOUND)
		*obstacle = (struct obstacle) { .reason = "no modprobe: install kmod" };
	else
		obstacle->fails = module_installed(module->name);
	if (!obstacle->reason)
		obstacle->reason = obstacle->fails ? module->broken : module->missing;
}

bool module_installed(const char *name)
{
	char command[64], said[2];

	/* The dry run of modprobe is not in every modprobe, but this is. */
	snprintf(command, sizeof(command), "modprobe -q -D %s", name);
	return !command_run(command, said, sizeof(said));
}

/* Runs what the step undoes. Returns its exit code, or -1. */
static int run_undone(int step, const char *command, struct obstacle *obstacle)
{
	int code = step < 0 ? -1 : command_run(command, obstacle->said, sizeof(obstacle->said));

	/* When it was killed, it may have been done. */
	if (code > 0)
		undo_withdraw(step);
	return code;
}

/*
 * Has a module loaded until the end of the program; what is built in is not a module,
 * and must be looked for before. Returns false when it is not there, or when the
 * kernel does not take it.
 */
static bool module_load(const struct module *module, const char *parameters,
			struct obstacle *obstacle)
{
	bool had_kunit = is_loaded("kunit");
	char load[512], said[2];
	int step, code;

	*obstacle = (struct obstacle) { };
	undo_begin();
	if (is_loaded(module->name))
		return true;
	snprintf(load, sizeof(load), "modprobe %s %s", module->name, parameters);
	step = undo_run("modprobe -q -r %s", module->name);
	code = run_undone(step, load, obstacle);
	if (!code)
		return true;
	if (step < 0) {
		*obstacle = (struct obstacle) {
			module->broken, .fails = true, .said = "it could not be unloaded again",
		};
		return false;
	}
	/* A module with its unit tests needs kunit, which stays when modprobe fails after that. */
	if (!had_kunit && is_loaded("kunit"))
		command_run("modprobe -q -r kunit", said, sizeof(said));
	explain_load(module, code, obstacle);
	return false;
}

void module_load_msr(void)
{
	static const struct module msr = { .name = "msr" };
	struct obstacle ignored;

	if (access("/dev/cpu/0/msr", F_OK))
		module_load(&msr, "", &ignored);
}

/*
 * Finds a process that has the device open, as far as this one may see that, and
 * describes it: "latency_test, process 17". Otherwise the text is empty.
 */
static void device_user(char *text, size_t size)
{
	char path[64], target[64], name[32];
	glob_t found = { };
	ssize_t length;
	int process;

	*text = '\0';
	if (!glob("/proc/[0-9]*/fd/*", 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc && !*text; i++) {
			length = readlink(found.gl_pathv[i], target, sizeof(target));
			if (length != sizeof(DEVICE_PATH) - 1 ||
			    strncmp(target, DEVICE_PATH, length) ||
			    sscanf(found.gl_pathv[i], "/proc/%d", &process) != 1)
				continue;
			snprintf(path, sizeof(path), "/proc/%d/comm", process);
			if (sysfs_read_line(path, name, sizeof(name)))
				snprintf(text, size, "%s, process %d", name, process);
		}
	globfree(&found);
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

/*
 * One program at a time measures, and the runner of kselftest may start all of them
 * at once: each holds an exclusive lock on this file from when it opens the device,
 * because a test may close and open it again. Whoever can read a file can lock it, so it is
 * one that only root can read; and every kernel has it, on systems without /run, too.
 */
#define TURN_PATH	"/proc/timer_list"
/* Long enough for a program that is about to end, and short for the one that waits. */
#define TURN_NS		(3 * NS_PER_SEC)
#define TURN_RETRY_MS	50

static int turn = -1;

void driver_leave(void)
{
	close(turn);
	turn = -1;
}

/* Returns the descriptor or a negative errno. */
static int open_in_turn(int flags)
{
	__u64 until_ns = now_ns() + TURN_NS;

	if (turn < 0)
		turn = open(TURN_PATH, O_RDONLY | O_CLOEXEC);
	while (turn >= 0 && flock(turn, LOCK_EX | LOCK_NB)) {
		if (now_ns() > until_ns) {
			driver_leave();
			return -EBUSY;
		}
		sleep_ms(TURN_RETRY_MS);
	}
	return device_open(flags);
}

int driver_open(int flags, struct obstacle *obstacle)
{
	static const struct module driver = {
		.name = "idle_latency",
		.broken = "the module idle_latency cannot be loaded: see the kernel log",
		.missing = "no driver: set CONFIG_IDLE_LATENCY and install the modules",
	};
	int fd;

	*obstacle = (struct obstacle) { };
	undo_begin();
	fd = open_in_turn(flags);
	if (fd == -ENOENT && !geteuid()) {
		if (!module_load(&driver, "", obstacle))
			return -1;
		fd = open_in_turn(flags);
	} else if (fd == -ENOENT) {
		fd = -EPERM;
	}
	if (fd < 0)
		obstacle->reason = explain_open(-fd, obstacle);
	return fd;
}

bool driver_simulate(const char *states, const unsigned int *cpu,
		     struct obstacle *obstacle)
{
	static const struct module sim = {
		.name = "idle_latency_sim",
		.broken = "the module idle_latency_sim cannot be loaded: see the kernel log",
		.missing = "no idle states: set CONFIG_IDLE_LATENCY_SIM and install the modules",
	};
	char memory[256], driver[32];
	struct text parameters = text_begin(memory, sizeof(memory));

	if (cpuidle_driver(driver, sizeof(driver)))
		return true;
	text_add(&parameters, "'states=%s'", states);
	if (cpu)
		text_add(&parameters, " cpus=%u", *cpu);
	if (module_load(&sim, memory, obstacle)) {
		if (cpuidle_driver(driver, sizeof(driver)))
			return true;
		/* Built in, it was told the states when the machine booted, or none. */
		obstacle->reason = "no idle states: set CONFIG_IDLE_LATENCY_SIM=m";
	} else if (command_line_has("cpuidle.off=1")) {
		obstacle->fails = false;
		obstacle->reason = "the kernel uses no idle states: boot without cpuidle.off=1";
	}
	return false;
}

static bool quote(const char *path, char *word, size_t size)
{
	struct text text = text_begin(word, size);
	bool fits = text_add(&text, "'");

	for (; fits && *path; path++)
		fits = *path == '\'' ? text_add(&text, "'\\''") : text_add(&text, "%c", *path);
	return fits && text_add(&text, "'");
}

bool beside_program(const char *name, char *word, size_t size)
{
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path));

	while (length > 0 && path[length - 1] != '/')
		length--;
	return length > 0 && (size_t)length + strlen(name) < sizeof(path) &&
	       strcpy(path + length, name) && !access(path, R_OK) && quote(path, word, size);
}

/* That of idle_latency is for stress/, too, wherever that is not installed alone. */
bool nic_sh_find(char *word, size_t size)
{
	return beside_program("nic.sh", word, size) || beside_program("../nic.sh", word, size);
}

static bool take_card(const char *nic_sh, const char *address, bool bound,
		      struct obstacle *obstacle)
{
	char take[COMMAND_BYTES];
	int step;

	snprintf(take, sizeof(take), "sh %s take %s", nic_sh, address);
	step = undo_run("sh %s give %s%s", nic_sh, address, bound ? "" : " unbound");
	if (!run_undone(step, take, obstacle))
		return true;
	obstacle->reason = "the driver does not take the network card: see the kernel log";
	obstacle->fails = true;
	return false;
}

/*
 * How to take a card and to give it back is in nic.sh, because people do that, too:
 * a program only chooses one, and gives it back.
 */
bool driver_take_card(bool bound_too, struct obstacle *obstacle)
{
	char nic_sh[COMMAND_BYTES / 2], find[COMMAND_BYTES], found[64], use[8], address[32];
	bool bound;

	*obstacle = (struct obstacle) {
		.reason = "no network card: nic needs an Intel I210, I211, I225 or I226",
	};
	if (!nic_sh_find(nic_sh, sizeof(nic_sh)))
		return false;
	snprintf(find, sizeof(find), "sh %s find", nic_sh);
	if (command_run(find, found, sizeof(found)) || sscanf(found, "%7s %31s", use, address) != 2)
		return false;
	if (!strcmp(use, "taken"))
		return true;
	bound = !strcmp(use, "bound");
	if (!strcmp(use, "free") || (bound && bound_too))
		return take_card(nic_sh, address, bound, obstacle);
	obstacle->reason = bound ? "card has a driver: name nic with --methods" :
				   "card in use: set its interface down first";
	snprintf(obstacle->said, sizeof(obstacle->said), "%s has an interface that is %s", address,
		 bound ? "down" : "up or part of another one, or that cannot be seen");
	return false;
}

size_t card_count(void)
{
	glob_t found = { };
	size_t count = 0;

	if (!glob(CARD_DRIVER "/*:*", 0, NULL, &found))
		count = found.gl_pathc;
	globfree(&found);
	return count;
}

bool card_find(char *address, size_t size)
{
	glob_t found = { };
	bool fits = false;

	if (!glob(CARD_DRIVER "/*:*", 0, NULL, &found))
		fits = snprintf(address, size, "%s", found.gl_pathv[0] + strlen(CARD_DRIVER "/")) <
		       (int)size;
	globfree(&found);
	return fits;
}
