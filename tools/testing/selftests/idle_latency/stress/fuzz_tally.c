// SPDX-License-Identifier: GPL-2.0
/* How often each call had each result, see fuzz_tally.h. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>

#include "fuzz_tally.h"

static const char *const call_names[CALLS] = {
	[CALL_OPEN] = "open",
	[CALL_OPEN_UNPRIVILEGED] = "open without CAP_SYS_ADMIN",
	[CALL_OPEN_DIRECT] = "open with O_DIRECT",
	[CALL_DUP] = "dup",
	[CALL_CLOSE] = "close",
	[CALL_CHILD] = "close in a child",
	[CALL_NONBLOCK] = "fcntl O_NONBLOCK",
	[CALL_CONFIG] = "CONFIG",
	[CALL_CONFIG_WRONG] = "CONFIG, wrong",
	[CALL_CONFIG_ABSENT] = "CONFIG, not on this machine",
	[CALL_CONFIG_POINTER] = "CONFIG, bad pointer",
	[CALL_START] = "START",
	[CALL_STOP] = "STOP",
	[CALL_COUNTS] = "COUNTS",
	[CALL_COUNTS_POINTER] = "COUNTS, bad pointer",
	[CALL_STATE] = "STATE",
	[CALL_STATE_WRONG] = "STATE, wrong",
	[CALL_STATE_POINTER] = "STATE, bad pointer",
	[CALL_UNKNOWN_COMMAND] = "unknown command",
	[CALL_READ] = "read",
	[CALL_READ_WAITING] = "read, waiting",
	[CALL_READ_SIGNALLED] = "read, with signals",
	[CALL_READ_SHORT] = "read, less than a record",
	[CALL_READ_PARTIAL] = "read, too little memory",
	[CALL_READ_FULL] = "read, until the memory was full",
	[CALL_READ_POINTER] = "read, bad pointer",
	[CALL_POLL] = "poll",
	[CALL_POLL_FILLING] = "poll until half of the buffer is filled",
	[CALL_UNSUPPORTED] = "what the device cannot do",
	[CALL_SLEEP] = "sleep",
	[CALL_LOOK] = "look at the machine",
	[CALL_ENTER] = "enter each idle state",
	[CALL_TOGGLE] = "disable or enable a state",
};

/* What include/uapi/linux/idle_latency.h lists, and any machine can have. */
static const struct {
	enum call call;
	int result;
} needed[] = {
	{ CALL_OPEN, 0 },
	{ CALL_OPEN, -EBUSY },
	{ CALL_OPEN_UNPRIVILEGED, -EPERM },
	{ CALL_OPEN_DIRECT, -EINVAL },
	{ CALL_DUP, 0 },
	{ CALL_CLOSE, 0 },
	{ CALL_CHILD, 0 },
	{ CALL_NONBLOCK, 0 },
	{ CALL_CONFIG, 0 },
	{ CALL_CONFIG, -EBUSY },
	{ CALL_CONFIG_WRONG, -EINVAL },
	{ CALL_CONFIG_WRONG, -ERANGE },
	{ CALL_CONFIG_WRONG, -ENXIO },
	{ CALL_CONFIG_ABSENT, -ENOENT },
	{ CALL_CONFIG_POINTER, -EFAULT },
	{ CALL_START, 0 },
	{ CALL_START, -EBUSY },
	{ CALL_START, -EINVAL },
	{ CALL_STOP, 0 },
	{ CALL_STOP, -EINVAL },
	{ CALL_COUNTS, 0 },
	{ CALL_COUNTS_POINTER, -EFAULT },
	{ CALL_STATE, 0 },
	{ CALL_STATE_WRONG, -EINVAL },
	{ CALL_STATE_WRONG, -ENXIO },
	{ CALL_STATE_WRONG, -ENOENT },
	{ CALL_STATE_POINTER, -EFAULT },
	{ CALL_UNKNOWN_COMMAND, -ENOTTY },
	{ CALL_READ, 1 },
	{ CALL_READ, 0 },
	{ CALL_READ, -EINVAL },
	{ CALL_READ, -EAGAIN },
	{ CALL_READ, -EBADF },
	{ CALL_READ_WAITING, 1 },
	{ CALL_READ_WAITING, 0 },
	{ CALL_READ_SIGNALLED, 1 },
	{ CALL_READ_SIGNALLED, -EINTR },
	{ CALL_READ_SHORT, -EINVAL },
	{ CALL_READ_PARTIAL, 1 },
	{ CALL_READ_FULL, 1 },
	{ CALL_READ_POINTER, -EFAULT },
	{ CALL_POLL, 0 },
	{ CALL_POLL, POLLIN | POLLHUP },
	{ CALL_POLL_FILLING, POLLIN },
	{ CALL_UNSUPPORTED, -EINVAL },
	{ CALL_UNSUPPORTED, -EBADF },
	{ CALL_UNSUPPORTED, -ESPIPE },
	{ CALL_UNSUPPORTED, -ENODEV },
	{ CALL_LOOK, 0 },
	{ CALL_TOGGLE, 0 },
};

const char *call_name(enum call call)
{
	return call_names[call];
}

static size_t slot(int result)
{
	return result < 0 ? -result : TALLY_ERRORS + result;
}

void tally_add(struct tally *tally, enum call call, int result)
{
	tally->seen[call][slot(result)]++;
}

bool tally_has(const struct tally *tally, enum call call, int result)
{
	return tally->seen[call][slot(result)];
}

static void print_call(const struct tally *tally, enum call call)
{
	char text[512], one[64];
	size_t used = 0;

	text[0] = '\0';
	for (int i = -TALLY_ERRORS + 1; i < TALLY_RESULTS - TALLY_ERRORS; i++) {
		if (!tally_has(tally, call, i))
			continue;
		result_print(i, one, sizeof(one));
		used += snprintf(text + used, sizeof(text) - used, "%s%s: %llu",
				 used ? ", " : "", one,
				 tally->seen[call][slot(i)]);
		if (used >= sizeof(text))
			break;
	}
	ksft_print_msg("%s: %s\n", call_name(call), text);
}

void tally_print(const struct tally *tally)
{
	for (int i = 0; i < CALLS; i++)
		print_call(tally, i);
}

static unsigned int missing_results(const struct tally *tally)
{
	unsigned int missing = 0;
	char result[64];

	for (size_t i = 0; i < ARRAY_SIZE(needed); i++) {
		if (tally_has(tally, needed[i].call, needed[i].result))
			continue;
		result_print(needed[i].result, result, sizeof(result));
		ksft_print_msg("never seen: %s: %s\n",
			       call_name(needed[i].call), result);
		missing++;
	}
	return missing;
}

static unsigned int missing_faults(const struct tally *tally,
				   const struct machine *machine)
{
	unsigned int missing = 0;

	for (int i = 0; i < FAULTS; i++) {
		if (tally->faults[i] || !fault_is_possible(machine, i))
			continue;
		ksft_print_msg("never seen: CONFIG, %s\n", fault_name(i));
		missing++;
	}
	return missing;
}

unsigned int tally_missing(const struct tally *tally,
			   const struct machine *machine)
{
	return missing_results(tally) + missing_faults(tally, machine);
}
