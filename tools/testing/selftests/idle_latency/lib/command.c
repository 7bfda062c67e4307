// SPDX-License-Identifier: GPL-2.0
/* Other programs. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

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

static void become(const char * const *argv, int out, int signal)
{
	prctl(PR_SET_PDEATHSIG, signal);
	/* What is sent to all processes of the program does not get there. */
	setpgid(0, 0);
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	complete_path();
	execvp(argv[0], (char * const *)argv);
	_exit(COMMAND_NOT_FOUND);
}

/* @signal: what it gets when the program is killed, or 0 */
static pid_t start(const char * const *argv, int *out, int signal)
{
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	fflush(NULL);
	child = fork();
	if (!child)
		become(argv, ends[1], signal);
	close(ends[1]);
	if (child < 0)
		close(ends[0]);
	*out = ends[0];
	return child;
}

pid_t command_start(const char * const *argv, int *out)
{
	return start(argv, out, SIGTERM);
}

int command_end(pid_t command)
{
	int status;

	while (waitpid(command, &status, 0) < 0)
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

int command_run(const char * const *argv, char *said, size_t size)
{
	char ignored[2];
	pid_t command;
	int out;

	/* What is done halfway only, such as a module, is hard to undo. */
	command = start(argv, &out, 0);
	if (command < 0)
		return -1;
	read_first_line(out, said ? said : ignored,
			said ? size : sizeof(ignored));
	close(out);
	return command_end(command);
}
