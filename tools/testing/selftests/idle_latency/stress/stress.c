// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <signal.h>
#include <stdio.h>

#include <sys/wait.h>

#include "idle_latency_util.h"
#include "prepare.h"
#include "stress.h"

void stress_begin(const char *what, ...)
{
	va_list more;

	va_start(more, what);
	for (; what; what = va_arg(more, const char *))
		printf("# %s\n", what);
	va_end(more);
	puts("# loads idle_latency, and idle_latency_sim where there are no idle states");
	puts("# puts all of that back at its end");
	fflush(stdout);
	machine_required_everywhere();
}

void stress_take_card(void)
{
	struct obstacle ignored;

	puts("# takes a network card that nobody uses, and gives it back");
	fflush(stdout);
	/* Where there is none, the tests of nic say so. */
	driver_take_card(true, &ignored);
}

bool stress_kill(pid_t child)
{
	int status;

	kill(child, SIGKILL);
	return waitpid(child, &status, 0) == child && WIFSIGNALED(status);
}
