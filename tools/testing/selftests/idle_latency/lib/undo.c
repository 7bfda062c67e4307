// SPDX-License-Identifier: GPL-2.0
/*
 * The survivor reads steps from a pipe until it is told the end, or sees it:
 * then the pipe has no writer any more. It is left open for everything that the
 * program starts, so that nothing is put back while that still works on it.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
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

#define STRINGS_MAX	8
#define STEPS_MORE	64
/* Divides PIPE_BUF, so that each message is written and read as a whole. */
#define MESSAGE_BYTES	1024

enum message_kind {
	MESSAGE_WRITE,
	MESSAGE_RUN,
	MESSAGE_WITHDRAW,
	MESSAGE_END,
};

struct message {
	enum message_kind kind;
	/* the process that it is of, and which of its steps */
	pid_t owner;
	int step;
	/* as many strings, one after the other, each with its end */
	int strings;
	char text[MESSAGE_BYTES - 4 * sizeof(int)];
};

/* Of the program, and of the survivor. */
static struct message *steps;
static size_t step_count, step_room;
static int lock = -1;

/* Of the program. */
static int next_step;
static pid_t program, survivor;
static bool survivor_goes_on;
/* The child that is being forked is the survivor. */
static bool leaving;
/* The process that forks. */
static pid_t forking;
/*
 * A child that was killed may have left steps that come before those of its parent. Only
 * the survivor knows all of them in their order.
 */
static bool children_tell;

/* Of a pipe: the survivor has the first, the program the second. */
static int ends[2];

static bool add_string(struct message *message, size_t *used,
		       const char *string)
{
	size_t size = strlen(string) + 1;

	if (message->strings == STRINGS_MAX ||
	    *used + size > sizeof(message->text))
		return false;
	memcpy(message->text + *used, string, size);
	*used += size;
	message->strings++;
	return true;
}

static bool make_step(struct message *message, enum message_kind kind,
		      const char * const *strings)
{
	size_t used = 0;

	*message = (struct message) {
		.kind = kind, .owner = getpid(), .step = next_step,
	};
	for (; *strings; strings++)
		if (!add_string(message, &used, *strings))
			return false;
	return true;
}

/* @strings: room for STRINGS_MAX, and NULL after them */
static void split_step(const struct message *step, const char **strings)
{
	const char *next = step->text;

	for (int i = 0; i < step->strings; i++) {
		strings[i] = next;
		next += strlen(next) + 1;
	}
	strings[step->strings] = NULL;
}

static bool perform(const struct message *step)
{
	const char *strings[STRINGS_MAX + 1];

	split_step(step, strings);
	if (step->kind == MESSAGE_WRITE)
		return sysfs_write(strings[0], strings[1]);
	return !command_run(strings, NULL, 0);
}

static bool remember(const struct message *step)
{
	if (step_count == step_room) {
		size_t room = step_room + STEPS_MORE;
		struct message *larger = realloc(steps, room * sizeof(*steps));

		if (!larger)
			return false;
		steps = larger;
		step_room = room;
	}
	steps[step_count++] = *step;
	return true;
}

static void forget(pid_t owner, int step)
{
	for (size_t i = step_count; i > 0; i--) {
		if (steps[i - 1].owner != owner || steps[i - 1].step != step)
			continue;
		memmove(&steps[i - 1], &steps[i],
			(step_count - i) * sizeof(*steps));
		step_count--;
		return;
	}
}

/* Returns false at the end of the program. */
static bool hear(struct message *message)
{
	ssize_t got;

	do
		got = read(ends[0], message, sizeof(*message));
	while (got < 0 && errno == EINTR);
	return got == sizeof(*message) && message->kind != MESSAGE_END;
}

/* To the kernel log, as the program may have ended. */
static void complain(const struct message *step)
{
	const char *strings[STRINGS_MAX + 1];
	char text[256];
	size_t used;

	split_step(step, strings);
	used = snprintf(text, sizeof(text), "%s: cannot put back:",
			program_invocation_short_name);
	for (int i = 0; strings[i] && used < sizeof(text); i++)
		used += snprintf(text + used, sizeof(text) - used, " %s",
				 strings[i]);
	sysfs_write("/dev/kmsg", text);
}

/* What the program had open is not closed in the order of our liking. */
#define SURVIVOR_PATIENCE_MS	2000
#define RETRY_MS		50

/* How long the program waits for the survivor: for a step that is tried until then, too. */
#define END_PATIENCE_MS		10000
#define END_RETRY_MS		5

static bool perform_patiently(const struct message *step)
{
	for (unsigned int ms = 0; ms < SURVIVOR_PATIENCE_MS; ms += RETRY_MS) {
		if (perform(step))
			return true;
		sleep_ms(RETRY_MS);
	}
	return false;
}

/* Returns false when something could not be put back. */
static bool survive(void)
{
	struct message message;
	bool all = true;

	while (hear(&message)) {
		if (message.kind == MESSAGE_WITHDRAW)
			forget(message.owner, message.step);
		else
			remember(&message);
	}
	if (!step_count)
		return true;
	flock(lock, LOCK_EX);
	while (step_count) {
		if (perform_patiently(&steps[--step_count]))
			continue;
		complain(&steps[step_count]);
		all = false;
	}
	return all;
}

/* What the survivor has open beside the standard files. */
enum {
	SURVIVOR_PIPE = STDERR_FILENO + 1,
	SURVIVOR_LOCK,
	SURVIVOR_FILES,
};

static void leave_standard_files(void)
{
	int null = open("/dev/null", O_RDWR);

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (dup2(null, fd) < 0)
			close(fd);
}

/* Wherever the two are: where the program has no standard input, its place is theirs. */
static void keep_files(void)
{
	int pipe_end = fcntl(ends[0], F_DUPFD, SURVIVOR_FILES);
	int lock_too = fcntl(lock, F_DUPFD, SURVIVOR_FILES);

	leave_standard_files();
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

static bool fork_survivor(void)
{
	sigset_t all, before;

	if (survivor)
		return true;
	if (pipe(ends))
		return false;
	/* Until it has left, the survivor gets each signal of the program, too. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	leaving = true;
	survivor = fork();
	leaving = false;
	if (!survivor) {
		leave_program();
		sigprocmask(SIG_SETMASK, &before, NULL);
		_exit(!survive());
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

/* What its parent has noted is not for a child to undo. */
static void in_child(void)
{
	if (leaving)
		return;
	step_count = 0;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Before that, the parent may have ended without it. */
	if (getppid() != forking)
		_exit(1);
}

bool undo_end_children(void)
{
	undo_begin();
	pthread_atfork(before_fork, NULL, in_child);
	children_tell = fork_survivor();
	return children_tell;
}

/* A survivor that was killed must not be the end of the program. */
static bool tell(const struct message *message)
{
	sighandler_t handler = signal(SIGPIPE, SIG_IGN);
	ssize_t told = write(ends[1], message, sizeof(*message));

	signal(SIGPIPE, handler);
	return told == sizeof(*message);
}

void undo_begin(void)
{
	static bool registered;

	if (lock >= 0)
		return;
	program = getpid();
	lock = open(LOCK_PATH, O_RDONLY | O_CLOEXEC);
	flock(lock, LOCK_SH);
	if (!registered)
		atexit(undo_all);
	registered = true;
}

/*
 * Each is tried, whatever became of those before. What cannot be undone is left to the
 * survivor: the program itself may be in the way as long as it is there.
 */
static bool perform_all(void)
{
	size_t left = step_count;

	while (left) {
		const struct message *step = &steps[--left];

		if (perform(step))
			undo_withdraw(step->step);
	}
	return !step_count;
}

static int note(enum message_kind kind, const char * const *strings)
{
	struct message step;

	undo_begin();
	if (!fork_survivor() || !make_step(&step, kind, strings) ||
	    !remember(&step))
		return -1;
	if (tell(&step))
		return next_step++;
	/* Without a survivor, what is done already might stay. */
	forget(step.owner, step.step);
	perform_all();
	return -1;
}

int undo_write(const char *path, const char *text)
{
	const char * const strings[] = { path, text, NULL };

	return note(MESSAGE_WRITE, strings);
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

int undo_run(const char * const *argv)
{
	return note(MESSAGE_RUN, argv);
}

static const struct message *find_write(const char *path)
{
	for (size_t i = 0; i < step_count; i++)
		if (steps[i].kind == MESSAGE_WRITE &&
		    !strcmp(steps[i].text, path))
			return &steps[i];
	return NULL;
}

/* Nothing has been noted of it yet. */
static bool change_first(const char *path, const char *text)
{
	char before[64];
	int step;

	if (!sysfs_read_line(path, before, sizeof(before)))
		return false;
	if (!strcmp(before, text))
		return sysfs_write(path, text);
	step = undo_write(path, before);
	if (step < 0)
		return false;
	if (sysfs_write(path, text))
		return true;
	undo_withdraw(step);
	return false;
}

bool undo_change(const char *path, const char *text)
{
	const struct message *step = find_write(path);
	const char *strings[STRINGS_MAX + 1];

	if (!step)
		return change_first(path, text);
	if (!sysfs_write(path, text))
		return false;
	split_step(step, strings);
	if (!strcmp(strings[1], text))
		undo_withdraw(step->step);
	return true;
}

void undo_withdraw(int step)
{
	const struct message message = {
		.kind = MESSAGE_WITHDRAW, .owner = getpid(), .step = step,
	};

	if (step < 0)
		return;
	forget(message.owner, step);
	tell(&message);
}

bool undo_now(void)
{
	return perform_all();
}

/*
 * Waits for the survivor, but for no child of the program that goes on: that has the pipe
 * open, and is killed when the program has ended. Returns false where the program itself
 * has to do what is left.
 */
static bool survivor_did_all(void)
{
	int status;
	pid_t ended;

	for (unsigned int ms = 0; ms < END_PATIENCE_MS; ms += END_RETRY_MS) {
		ended = waitpid(survivor, &status, WNOHANG);
		if (ended == survivor)
			return WIFEXITED(status) && !WEXITSTATUS(status);
		if (ended < 0 && errno != EINTR)
			return false;
		sleep_ms(END_RETRY_MS);
	}
	survivor_goes_on = true;
	return true;
}

/*
 * @now: nothing else uses what is put back. Otherwise the survivor goes on when the
 * program has ended, which closes the pipe.
 *
 * What a killed child was running, such as modprobe, may still be at work. It has the pipe
 * open, so where children may have left something the survivor is not told the end, but
 * sees it.
 */
static void end_survivor(bool now)
{
	const struct message end = { .kind = MESSAGE_END };

	if (now) {
		if (!children_tell)
			tell(&end);
		close(ends[1]);
		ends[1] = -1;
		if (!survivor_did_all())
			perform_all();
	}
	survivor = 0;
	step_count = 0;
}

/*
 * While another program runs that this one, or its parent, shares the machine
 * with, the survivor waits for its end.
 */
void undo_all(void)
{
	bool now;

	/* A child that ends is not the end of the program. */
	if (lock < 0 || getpid() != program)
		return;
	now = !flock(lock, LOCK_EX | LOCK_NB) &&
	      (children_tell || perform_all());
	if (survivor)
		end_survivor(now);
	/* A child that goes on has the file open as well, and so does the survivor. */
	if (!survivor_goes_on)
		flock(lock, LOCK_UN);
	close(lock);
	lock = -1;
}

pid_t undo_survivor(void)
{
	return survivor;
}
