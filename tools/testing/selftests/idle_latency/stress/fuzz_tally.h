/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How often each call had each result, so that a fuzzer that does not get
 * anywhere any more is noticed.
 */
#ifndef FUZZ_TALLY_H
#define FUZZ_TALLY_H

#include "fuzz_config.h"

enum call {
	CALL_OPEN,
	CALL_OPEN_UNPRIVILEGED,
	CALL_OPEN_DIRECT,
	CALL_DUP,
	CALL_CLOSE,
	CALL_CHILD,
	CALL_NONBLOCK,
	CALL_CONFIG,
	CALL_CONFIG_WRONG,
	CALL_CONFIG_ABSENT,
	CALL_CONFIG_POINTER,
	CALL_START,
	CALL_STOP,
	CALL_COUNTS,
	CALL_COUNTS_POINTER,
	CALL_STATE,
	CALL_STATE_WRONG,
	CALL_STATE_POINTER,
	CALL_UNKNOWN_COMMAND,
	CALL_READ,
	CALL_READ_WAITING,
	CALL_READ_SIGNALLED,
	CALL_READ_SHORT,
	CALL_READ_PARTIAL,
	CALL_READ_FULL,
	CALL_READ_POINTER,
	CALL_POLL,
	CALL_POLL_FILLING,
	CALL_UNSUPPORTED,
	CALL_SLEEP,
	CALL_LOOK,
	CALL_ENTER,
	CALL_TOGGLE,
	CALLS
};

/* Results that tally_add() tells apart: those that fail, and 0 to 63. */
#define TALLY_ERRORS	134
#define TALLY_RESULTS	(TALLY_ERRORS + 64)

struct tally {
	__u64 seen[CALLS][TALLY_RESULTS];
	/* configurations with this fault alone that failed because of it */
	__u64 faults[FAULTS];
};

void tally_add(struct tally *tally, enum call call, int result);
bool tally_has(const struct tally *tally, enum call call, int result);

/* Print a line for each call, and for each result that is missing. */
void tally_print(const struct tally *tally);
/* Returns the number of results that the machine can have but were not seen. */
unsigned int tally_missing(const struct tally *tally,
			   const struct machine *machine);

const char *call_name(enum call call);

#endif
