// SPDX-License-Identifier: GPL-2.0
/*
 * Run a command on a terminal, and print what it writes there, for the check of --top.
 *
 *	terminal LINES COLUMNS SECONDS COMMAND...
 *
 * After so many seconds its user presses Ctrl-C; 0: never. It ends as the command does.
 */
#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* Until the command has closed the terminal. */
static void copy(int terminal, long long interrupt_ms)
{
	const long long until = now_ms() + interrupt_ms;
	char text[4096];

	for (;;) {
		struct pollfd ready = { .fd = terminal, .events = POLLIN };
		long long left = until - now_ms();
		ssize_t count;

		if (interrupt_ms && left <= 0) {
			if (write(terminal, "\003", 1) != 1)
				die("terminal: write");
			interrupt_ms = 0;
		}
		if (!poll(&ready, 1, interrupt_ms ? left : -1))
			continue;
		count = read(terminal, text, sizeof(text));
		/* EIO: nobody has the other side any more. */
		if (count < 0 && errno == EIO)
			return;
		if (count <= 0 || fwrite(text, 1, count, stdout) != (size_t)count)
			die("terminal: read");
	}
}

int main(int argc, char **argv)
{
	struct winsize size;
	int terminal, status;
	pid_t command;

	if (argc < 5) {
		fprintf(stderr, "terminal: takes LINES COLUMNS SECONDS COMMAND...\n");
		return 1;
	}
	size = (struct winsize) { .ws_row = atoi(argv[1]), .ws_col = atoi(argv[2]) };
	command = forkpty(&terminal, NULL, NULL, &size);
	if (command < 0)
		die("terminal: forkpty");
	if (!command) {
		execvp(argv[4], argv + 4);
		die(argv[4]);
	}
	copy(terminal, atoi(argv[3]) * 1000LL);
	if (waitpid(command, &status, 0) != command)
		die("terminal: waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
