// SPDX-License-Identifier: GPL-2.0
/*
 * What a program has changed is put back whichever of its processes is killed, and
 * whenever. Programs are children of the test here, and change files.
 */
#include <fcntl.h>
#include <signal.h>

#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "idle_latency_util.h"
#include "kselftest_harness.h"
#include "prepare.h"

/* Of the same length, as files of sysfs are written without being cut. */
#define BEFORE	"before"
#define DURING	"during"

/* Programs that are killed, each a little later than the one before. */
#define KILLED		100
#define LATER_US	40

/* Long enough to see that something is not done. */
#define NOT_DONE_MS	100

static char dir[64], file[80], order[80];

/* Programs whose children die with them, and have steps of their own. */
static bool has_children;

static bool fill(const char *path, const char *text)
{
	int fd = creat(path, 0600);

	if (fd < 0)
		return false;
	close(fd);
	return sysfs_write(path, text);
}

static bool says(const char *path, const char *text)
{
	char line[64] = "";

	sysfs_read_line(path, line, sizeof(line));
	return !strcmp(line, text);
}

/* A step that shows when it was performed. */
static int undo_append(const char *word)
{
	return undo_run("sh -c 'printf %s >>%s'", word, order);
}

/* What most programs here do, before they end in one way or another. */
static void change(void)
{
	if (has_children && !undo_end_children())
		exit(1);
	if (undo_write(file, BEFORE) < 0 || undo_append("a") < 0 ||
	    undo_append("b") < 0)
		exit(1);
	sysfs_write(file, DURING);
}

/* @signal: what the program is killed by after all that, or 0 */
static pid_t start(void (*program)(void), int signal)
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child)
		return child;
	program();
	if (signal)
		raise(signal);
	exit(0);
}

/* Waits for all processes. Returns how the program ended. */
static int wait_for_all(pid_t program)
{
	int status, ended = -1;
	pid_t child;

	while ((child = wait(&status)) > 0)
		if (child == program)
			ended = status;
	return ended;
}

static int run(void (*program)(void), int signal)
{
	return wait_for_all(start(program, signal));
}

/* Everything that a program has changed is put back, and its steps append these words. */
static void expect_undone(struct __test_metadata *_metadata, void (*program)(void), int signal,
			  int ended, const char *words)
{
	EXPECT_EQ(ended, run(program, signal));
	EXPECT_TRUE(says(file, BEFORE));
	EXPECT_TRUE(says(order, words));
	unlink(order);
}

/* A survivor becomes a child of the test, which can wait for its end. */
static void set_up(struct __test_metadata *_metadata)
{
	snprintf(dir, sizeof(dir), "/tmp/undo_test.XXXXXX");
	ASSERT_TRUE(!!mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/file", dir);
	snprintf(order, sizeof(order), "%s/order", dir);
	ASSERT_TRUE(fill(file, BEFORE));
	ASSERT_EQ(0, prctl(PR_SET_CHILD_SUBREAPER, 1));
}

static void clean_up(void)
{
	unlink(file);
	unlink(order);
	rmdir(dir);
}

static void end_at_once(void)
{
	change();
	_exit(0);
}

/* As the runner of kselftest ends a program that takes too long. */
static void end_by_term(void)
{
	setpgid(0, 0);
	change();
	kill(0, SIGTERM);
}

/* A shell that starts a test in the background has it ignore SIGINT. */
static void end_by_int(void)
{
	signal(SIGINT, SIG_DFL);
	setpgid(0, 0);
	change();
	kill(0, SIGINT);
}

static void change_without_survivor(void)
{
	change();
	kill(undo_survivor(), SIGKILL);
	waitpid(undo_survivor(), NULL, 0);
}

static void kill_survivor(void)
{
	change_without_survivor();
	/* Nobody would do it if this program was killed, too. */
	if (undo_append("c") >= 0)
		exit(1);
}

FIXTURE(ends) {
};

FIXTURE_SETUP(ends)
{
	set_up(_metadata);
}

FIXTURE_TEARDOWN(ends)
{
	clean_up();
}

FIXTURE_VARIANT(ends) {
	void (*program)(void);
	int killed;
	int signal;
};

FIXTURE_VARIANT_ADD(ends, exit) { .program = change };
FIXTURE_VARIANT_ADD(ends, exit_at_once) { .program = end_at_once };
FIXTURE_VARIANT_ADD(ends, program_killed) { .program = change, .killed = SIGKILL,
	.signal = SIGKILL };
FIXTURE_VARIANT_ADD(ends, terminated) { .program = end_by_term, .signal = SIGTERM };
FIXTURE_VARIANT_ADD(ends, interrupted) { .program = end_by_int, .signal = SIGINT };
FIXTURE_VARIANT_ADD(ends, survivor_killed) { .program = kill_survivor };

TEST_F(ends, everything_last_to_first)
{
	expect_undone(_metadata, variant->program, variant->killed, variant->signal, "ba");
}

TEST_F(ends, of_a_program_with_children)
{
	has_children = true;
	expect_undone(_metadata, variant->program, variant->killed, variant->signal, "ba");
}

FIXTURE(undo) {
};

FIXTURE_SETUP(undo)
{
	set_up(_metadata);
}

FIXTURE_TEARDOWN(undo)
{
	clean_up();
}

/* The same whether the program is killed or ends by itself. */
static void expect_order(struct __test_metadata *_metadata, void (*program)(void),
			 const char *words)
{
	expect_undone(_metadata, program, SIGKILL, SIGKILL, words);
	expect_undone(_metadata, program, 0, 0, words);
}

static void withdraw(void)
{
	change();
	undo_withdraw(undo_append("c"));
}

TEST_F(undo, not_what_was_withdrawn)
{
	expect_order(_metadata, withdraw, "ba");
}

static void have_steps_fail(void)
{
	change();
	undo_run("false");
	undo_write("/nonexistent/file", BEFORE);
}

TEST_F(undo, whatever_fails_before)
{
	expect_undone(_metadata, have_steps_fail, SIGKILL, SIGKILL, "ba");
}

static void promise_too_much(void)
{
	char text[4096];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	exit(undo_write(file, text) >= 0);
}

TEST_F(undo, no_promise_that_is_not_kept)
{
	EXPECT_EQ(0, run(promise_too_much, 0));
}

static void change_for_good(void)
{
	if (!undo_change(file, DURING) || !undo_change(file, DURING))
		exit(1);
}

static void change_and_undo(void)
{
	if (!undo_change(file, DURING) || !undo_change(file, BEFORE) ||
	    /* It is of somebody else now. */
	    !sysfs_write(file, DURING))
		exit(1);
}

TEST_F(undo, what_a_file_said)
{
	EXPECT_EQ(SIGKILL, run(change_for_good, SIGKILL));
	EXPECT_TRUE(says(file, BEFORE));
	EXPECT_EQ(SIGKILL, run(change_and_undo, SIGKILL));
	EXPECT_TRUE(says(file, DURING));
}

static void fail_at_first(void)
{
	/* As a module cannot be unloaded that the program itself uses. */
	undo_run("sh -c '! test -e /proc/%d/fd/0 && printf a >>%s'", getpid(), order);
}

TEST_F(undo, also_what_the_program_is_in_the_way_of)
{
	run(fail_at_first, 0);
	EXPECT_TRUE(says(order, "a"));
}

/* What another program would do that runs meanwhile. */
static int hold_lock(void)
{
	int lock = open("/sys/module", O_RDONLY | O_CLOEXEC);

	flock(lock, LOCK_SH);
	return lock;
}

static bool lock_is_free(void)
{
	int lock = hold_lock();
	bool is_free = !flock(lock, LOCK_EX | LOCK_NB);

	close(lock);
	return is_free;
}

static int output[2];

static void print(void)
{
	dup2(output[1], STDOUT_FILENO);
	change();
}

/* The runner waits for the end of the output, and the device for being closed. */
TEST_F(undo, holds_no_file_of_the_program)
{
	char byte;
	int lock;

	ASSERT_EQ(0, pipe(output));
	lock = hold_lock();
	start(print, SIGKILL);
	close(output[1]);
	EXPECT_EQ(0, read(output[0], &byte, 1));
	EXPECT_TRUE(says(file, DURING))
		TH_LOG("the survivor has ended, and this has shown nothing");
	close(lock);
	wait_for_all(0);
	EXPECT_TRUE(says(file, BEFORE));
}

/* The survivor puts nothing back before what the program leaves is let go. */
static void expect_waits(struct __test_metadata *_metadata, pid_t program, int left)
{
	EXPECT_EQ(program, waitpid(program, NULL, 0));
	sleep_ms(NOT_DONE_MS);
	EXPECT_TRUE(says(file, DURING));
	close(left);
	wait_for_all(0);
	EXPECT_TRUE(says(file, BEFORE));
}

TEST_F(undo, not_while_another_program_runs)
{
	int lock = hold_lock();

	expect_waits(_metadata, start(change, 0), lock);
}

static void change_without_input(void)
{
	close(STDIN_FILENO);
	change();
}

/* Then what the program opens first gets the number of the standard input. */
TEST_F(undo, not_while_another_program_runs_without_input)
{
	int lock = hold_lock();

	expect_waits(_metadata, start(change_without_input, SIGKILL), lock);
}

static int helper[2];

/* It leaves a process that ends when the test has it end. */
static void leave_helper(void)
{
	char byte;

	change();
	close(helper[1]);
	if (!fork())
		_exit(read(helper[0], &byte, 1));
}

TEST_F(undo, when_the_program_says_so)
{
	pid_t program;

	ASSERT_EQ(0, pipe(helper));
	program = start(leave_helper, 0);
	EXPECT_EQ(program, waitpid(program, NULL, 0));
	EXPECT_TRUE(says(file, BEFORE));
	EXPECT_TRUE(lock_is_free());
	close(helper[1]);
	wait_for_all(0);
}

static void end_child(void)
{
	change();
	if (!fork())
		exit(0);
	wait(NULL);
	exit(!says(file, DURING));
}

TEST_F(undo, not_when_a_child_of_the_program_ends)
{
	EXPECT_EQ(0, run(end_child, 0));
	EXPECT_TRUE(says(file, BEFORE));
}

TEST_F(undo, not_while_something_works_for_the_program)
{
	ASSERT_EQ(0, pipe(helper));
	expect_waits(_metadata, start(leave_helper, SIGKILL), helper[1]);
}

static void change_and_put_back(void)
{
	for (;;) {
		int step = undo_write(file, BEFORE);

		if (step < 0)
			exit(1);
		sysfs_write(file, DURING);
		sysfs_write(file, BEFORE);
		undo_withdraw(step);
	}
}

TEST_F(undo, whenever_it_is_killed)
{
	for (unsigned int i = 0; i < KILLED; i++) {
		pid_t program = start(change_and_put_back, 0);
		int status;

		usleep(i * LATER_US);
		kill(program, SIGKILL);
		status = wait_for_all(program);
		ASSERT_TRUE(WIFSIGNALED(status));
		ASSERT_TRUE(says(file, BEFORE));
	}
}

static void have_child_killed(void)
{
	change();
	if (!fork()) {
		undo_append("c");
		raise(SIGKILL);
	}
	wait(NULL);
}

/* As a session is ended before the module that it needs is unloaded. */
TEST_F(undo, what_a_child_left_before_what_its_parent_did)
{
	has_children = true;
	expect_order(_metadata, have_child_killed, "cba");
}

static void have_child_undo(void)
{
	change();
	if (!fork()) {
		undo_append("c");
		undo_now();
		raise(SIGKILL);
	}
	wait(NULL);
	exit(!says(order, "c"));
}

TEST_F(undo, what_a_child_has_undone_once_only)
{
	has_children = true;
	expect_undone(_metadata, have_child_undo, 0, 0, "cba");
}

static void lose_survivor(void)
{
	change_without_survivor();
	if (!fork())
		exit(undo_append("c") >= 0 || !says(file, DURING));
	wait(NULL);
	/* What is left is done when the next step cannot be promised. */
	exit(undo_append("d") >= 0 || !says(order, "ba"));
}

TEST_F(undo, at_once_without_a_survivor)
{
	has_children = true;
	expect_undone(_metadata, lose_survivor, 0, 0, "ba");
}

static void leave_child(void)
{
	change();
	if (!fork())
		pause();
}

/*
 * Otherwise the test would wait for it forever. A program that is not killed waits some seconds
 * for what the child might still undo.
 */
TEST_F(undo, children_die_with_the_program)
{
	has_children = true;
	expect_order(_metadata, leave_child, "ba");
}

TEST_HARNESS_MAIN
