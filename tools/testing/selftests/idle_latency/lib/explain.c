// SPDX-License-Identifier: GPL-2.0
/* What an error means to a user, and what to do. */
#include <errno.h>
#include <string.h>

#include "report.h"

/* As they are in Documentation/admin-guide/kernel-parameters.txt. */
static const char * const against_idle_states[] = {
	"idle=", "cpuidle.off=1", "intel_idle.max_cstate=", "processor.max_cstate=",
};

void explain_command_line(const char *line, char *argument, size_t size)
{
	*argument = '\0';
	for (; *line; line += strcspn(line, " "), line += strspn(line, " ")) {
		for (size_t i = 0; i < ARRAY_SIZE(against_idle_states); i++) {
			const char *against = against_idle_states[i];

			if (strncmp(line, against, strlen(against)))
				continue;
			snprintf(argument, size, "%.*s",
				 (int)strcspn(line, "\n "), line);
			return;
		}
	}
}

void explain_no_idle_states(char *said, size_t size)
{
	char line[4096], argument[64] = "";

	if (sysfs_read_line("/proc/cmdline", line, sizeof(line)))
		explain_command_line(line, argument, sizeof(argument));
	*said = '\0';
	if (*argument)
		snprintf(said, size, "the kernel was started with %s: boot without that",
			 argument);
}

static const char *explain_unsupported(const struct row *row)
{
	if (row->info.flags & IDLE_LATENCY_STATE_TIMER_STOP && !row_by_nic(row))
		return "the timer of the CPU stops in this state: use nic";
	if (row->state.disable)
		return "the state is disabled in sysfs: enable it";
	switch (row->method->source) {
	case IDLE_LATENCY_SOURCE_TDT:
		return "the kernel does not use the TSC-deadline timer here or distrusts the TSC";
	case IDLE_LATENCY_SOURCE_NIC:
		return "no network card is bound to idle_latency: run 'nic.sh take ADDRESS'";
	default:
		return "the kernel has no high-resolution timers here or distrusts the TSC";
	}
}

/* Errors of the commands of the driver and of read(). */
const char *explain_session(const struct row *row, int error)
{
	switch (error) {
	case EINTR:
		return "interrupted";
	case EOPNOTSUPP:
		return explain_unsupported(row);
	case ENXIO:
		return "the CPU is offline: bring it online";
	case ENODEV:
		if (row_by_nic(row))
			return "the network card went away or was reset or cpuidle changed";
		return "the CPU has no cpuidle driver or it or the governor changed";
	case ENOENT:
		return "the cpuidle driver made the idle state unusable or declares another";
	case ENOMEM:
		return "out of memory: free some or ask for fewer samples";
	case ENOSPC:
		return "the network card got no interrupt on the CPU: measure another CPU";
	case ETIMEDOUT:
		return "the network card failed its reset: give it to igb once or power-cycle it";
	case ECANCELED:
		return "the machine was suspended meanwhile";
	case EBUSY:
		return "somebody else forces an idle state of the CPU: end that";
	case ENOTTY:
	case EINVAL:
	case ERANGE:
		return "the driver refuses the session: it and this program differ in version";
	default:
		return strerror(error);
	}
}
