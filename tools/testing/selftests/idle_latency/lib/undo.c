// SPDX-License-Identifier: GPL-2.0
/*
 * The steps are in memory that the program, its children and the survivor share. The
 * survivor waits for the end of a pipe, which has no writer any more then. Everything that the
 * program starts has it open, so that nothing is put back while that still works on it.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "idle_latency_util.h"
#include "prepare.h"

/*
 * Programs hold a shared lock on this directory while they run, and an exclusive
 * one while something is put back: no module is unloaded under the feet of the
 * next program.
 */
#define LOCK_PATH	"/sys/module"

/* At a time, for each idle state of each CPU; steps that never were take no memory. */
#define STEPS_MAX	16384

/* Of a step that is being made. */
#define ORDER_NONE_YET	(-1)

struct step {
	/* the last one is performed first; 0: there is none here */
	atomic_int order;
	/* the process that noted it, or the one before; 0: neither it nor those behind ever were */
	pid_t owner;
	/* a file and what is written to it; without one, a command */
	char path[256];
	char text[COMMAND_BYTES];
};

static struct {
	atomic_int last_order;
	struct step steps[STEPS_MAX];
} *shared;

static int lock = -1;
static pid_t program, survivor;
/* The process that forks. */
static pid_t forking;
/* A child that was killed may have left steps, and something that works on them. */
static bool children_tell;

/* Of a pipe: the survivor has the first, the program the second. */
static int ends[2];

/* Finds the last one that was noted before, by this process; 0 for any. */
static struct step *find_before(int order, pid_t owner)
{
	struct step *last = NULL;

	for (size_t i = 0; shared && i < STEPS_MAX; i++) {
		struct step *step = &shared->steps[i];

		if (!step->order && !step->owner)
			break;
		if (step->order > (last ? last->order : 0) && step->order < order &&
		    (!owner || step->owner == owner))
			last = step;
	}
	return last;
}

static bool perform(const struct step *step)
{
	char said[2];

	if (*step->path)
		return sysfs_write(step->path, step->text);
	return !command_run(step->text, said, sizeof(said));
}

/* Each is tried, whatever became of those before, and stays noted when it fails. */
static bool perform_all(pid_t owner, bool (*performs)(const struct step *step))
{
	int order = INT_MAX;
	struct step *step;
	bool all = true;

	while ((step = find_before(order, owner))) {
		order = step->order;
		if (performs(step))
			step->order = 0;
		else
			all = false;
	}
	return all;
}

/* To the kernel log, as the program may have ended. */
static void complain(const struct step *step)
{
	char line[256];
	struct text text = text_begin(line, sizeof(line));

	text_add(&text, "%s: cannot put back: %s%s%s", program_invocation_short_name,
		 step->path, *step->path ? " " : "", step->text);
	sysfs_write("/dev/kmsg", line);
}

/* What the program had open is not closed in the order of our liking. */
#define SURVIVOR_PATIENCE_MS	2000
#define RETRY_MS		50

/* How long the program waits for the survivor: for a step that is tried until then, too. */
#define END_PATIENCE_MS		10000
#define END_RETRY_MS		5

static bool perform_patiently(const struct step *step)
{
	for (unsigned int ms = 0; ms < SURVIVOR_PATIENCE_MS; ms += RETRY_MS) {
		if (perform(step))
			return true;
		sleep_ms(RETRY_MS);
	}
	complain(step);
	return false;
}

static void survive(void)
{
	char byte;

	while (read(ends[0], &byte, 1) < 0 && errno == EINTR)
		;
	if (!find_before(INT_MAX, 0))
		return;
	flock(lock, LOCK_EX);
	perform_all(0, perform_patiently);
}

/* What the survivor has open beside the standard files. */
enum {
	SURVIVOR_PIPE = STDERR_FILENO + 1,
	SURVIVOR_LOCK,
	SURVIVOR_FILES,
};

/* Wherever the two are: where the program has no standard input, its place is theirs. */
static void keep_files(void)
{
	int pipe_end = fcntl(ends[0], F_DUPFD, SURVIVOR_FILES);
	int lock_too = fcntl(lock, F_DUPFD, SURVIVOR_FILES);
	int null = open("/dev/null", O_RDWR);

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (dup2(null, fd) < 0)
			close(fd);
	ends[0] = dup2(pipe_end, SURVIVOR_PIPE);
	lock = dup2(lock_too, SURVIVOR_LOCK);
	syscall(SYS_close_range, SURVIVOR_FILES, ~0U, 0);
}

/*
 * What ends the program does not end the survivor, and what waits for the end of
 * its output, or for the device to be closed, does not wait for the survivor. The lock
 * it has in common with the program, so that nobody gets it in between.
 */
static void leave_program(void)
{
	setsid();
	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	keep_files();
}

static bool share_steps(void)
{
	if (shared)
		return true;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (shared == MAP_FAILED)
		shared = NULL;
	return shared;
}

static bool fork_survivor(void)
{
	sigset_t all, before;

	if (survivor)
		return true;
	if (!share_steps() || pipe(ends))
		return false;
	/* Until it has left, the survivor gets each signal of the program, too. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	survivor = fork();
	if (!survivor) {
		leave_program();
		sigprocmask(SIG_SETMASK, &before, NULL);
		survive();
		_exit(0);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(ends[0]);
	if (survivor > 0)
		return true;
	survivor = 0;
	close(ends[1]);
	return false;
}

static void before_fork(void)
{
	forking = getpid();
}

static void in_child(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Before that, the parent may have ended without it. */
	if (getppid() != forking)
		_exit(1);
}

bool undo_end_children(void)
{
	undo_begin();
	/* That comes first, as the survivor is no such child. */
	children_tell = fork_survivor();
	if (children_tell)
		pthread_atfork(before_fork, NULL, in_child);
	return children_tell;
}

/* Has it ended, once the program and its children have? */
static bool survivor_ended(void)
{
	close(ends[1]);
	for (unsigned int ms = 0; ms < END_PATIENCE_MS; ms += END_RETRY_MS) {
		if (waitpid(survivor, NULL, WNOHANG)) {
			survivor = 0;
			return true;
		}
		sleep_ms(END_RETRY_MS);
	}
	return false;
}

/* Nothing is left that it could do; somebody may have killed it already. */
static void end_survivor(void)
{
	if (!survivor || waitpid(survivor, NULL, WNOHANG))
		return;
	kill(survivor, SIGKILL);
	waitpid(survivor, NULL, 0);
}

/*
 * While another program runs that this one, or its parent, shares the machine with, the
 * survivor waits for its end. What cannot be undone is left to the survivor, too: the program
 * itself may be in the way as long as it is there.
 *
 * What a killed child was running, such as modprobe, may still be at work, so where
 * children may have left something, all of it is the survivor's; and the program's, where
 * somebody has killed that. A child that goes on is killed when the program has ended.
 */
static void undo_all(void)
{
	/* A child that ends is not the end of the program. */
	if (getpid() != program || flock(lock, LOCK_EX | LOCK_NB))
		return;
	/* The lock goes on with the survivor. */
	if (children_tell && !survivor_ended())
		return;
	if (perform_all(0, perform))
		end_survivor();
	/* A child that goes on has the file open as well. */
	flock(lock, LOCK_UN);
}

void undo_begin(void)
{
	if (program)
		return;
	program = getpid();
	lock = open(LOCK_PATH, O_RDONLY | O_CLOEXEC);
	flock(lock, LOCK_SH);
	atexit(undo_all);
}

/* Otherwise nobody can read from the pipe. */
static bool survivor_lives(void)
{
	struct pollfd end = { .fd = ends[1] };

	/* A signal that comes meanwhile says nothing. */
	return poll(&end, 1, 0) <= 0;
}

static struct step *reserve_step(void)
{
	for (size_t i = 0; i < STEPS_MAX; i++) {
		int none = 0;

		if (atomic_compare_exchange_strong(&shared->steps[i].order, &none, ORDER_NONE_YET))
			return &shared->steps[i];
	}
	return NULL;
}

/* @path: "" of a command */
static int note(const char *path, const char *text)
{
	struct step *step;
	int order;

	if (strlen(path) >= sizeof(step->path) || strlen(text) >= sizeof(step->text))
		return -1;
	undo_begin();
	if (!fork_survivor())
		return -1;
	if (!survivor_lives()) {
		/* Without a survivor, what is done already might stay. */
		perform_all(getpid(), perform);
		return -1;
	}
	step = reserve_step();
	if (!step)
		return -1;
	step->owner = getpid();
	strcpy(step->path, path);
	strcpy(step->text, text);
	order = ++shared->last_order;
	step->order = order;
	return order;
}

int undo_write(const char *path, const char *text)
{
	return note(path, text);
}

int undo_run(const char *format, ...)
{
	char command[COMMAND_BYTES + 1];
	va_list args;

	/* What is longer is cut off, and too long all the same. */
	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	return note("", command);
}

/* Of several words, the one in brackets is chosen; it has an end of its own. */
static const char *find_chosen(char *line)
{
	char *chosen = strchr(line, '[');

	if (!chosen)
		return line;
	chosen[strcspn(chosen, "]")] = '\0';
	return chosen + 1;
}

int undo_file(const char *path)
{
	char line[256];

	if (!sysfs_read_line(path, line, sizeof(line)))
		return -1;
	return undo_write(path, find_chosen(line));
}

/* The first one, which has what the file said before everything. */
static const struct step *find_write(const char *path)
{
	const struct step *first = NULL;

	for (size_t i = 0; shared && i < STEPS_MAX; i++) {
		const struct step *step = &shared->steps[i];

		if (!step->order && !step->owner)
			break;
		if (step->order > 0 && step->order < (first ? first->order : INT_MAX) &&
		    step->owner == getpid() && !strcmp(step->path, path))
			first = step;
	}
	return first;
}

bool undo_change(const char *path, const char *text)
{
	const struct step *earlier = find_write(path), *step = earlier;
	bool written;

	if (!step && undo_file(path) >= 0)
		step = find_write(path);
	if (!step)
		return false;
	written = sysfs_write(path, text);
	if (written ? !strcmp(step->text, text) : !earlier)
		undo_withdraw(step->order);
	return written;
}

void undo_withdraw(int step)
{
	struct step *found = find_before(step + 1, 0);

	if (found && found->order == step)
		found->order = 0;
}

bool undo_now(void)
{
	return perform_all(getpid(), perform);
}

pid_t undo_survivor(void)
{
	return survivor;
}
