// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "explain.h"

const char *explain_open(int error)
{
	switch (error) {
	case ENOENT:
	case ENXIO:
	case ENODEV:
		return "no /dev/idle_latency: run 'modprobe idle_latency' (CONFIG_IDLE_LATENCY)";
	case EPERM:
	case EACCES:
		return "/dev/idle_latency is for root: run as root, with CAP_SYS_ADMIN";
	case EBUSY:
		return "another program uses /dev/idle_latency: wait until it ends, or end it";
	case ENOMEM:
		return "no memory for the record buffer: free some";
	default:
		return strerror(error);
	}
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
		return "the cpuidle driver marked the idle state as unusable";
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
