/* SPDX-License-Identifier: GPL-2.0 */
/* The fuzzer: what its calls work on. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>

#include "fuzz_machine.h"
#include "fuzz_memory.h"
#include "fuzz_model.h"
#include "fuzz_tally.h"
#include "idle_latency_util.h"

/* Copies of the open file. */
#define FUZZ_FILES_MAX 4

struct fuzz {
	struct dice dice;
	struct machine machine;
	struct memory memory;
	struct model model;
	struct tally tally;
	int files[FUZZ_FILES_MAX];
	size_t file_count;
	/* of the first call that went wrong */
	char wrong[512];
};

/* One of the copies of the open file. */
int fuzz_file(struct fuzz *fuzz);

/* Says what is wrong, and returns false. */
__printf(2, 3) bool fuzz_wrong(struct fuzz *fuzz, const char *format, ...);

/* Counts the result, and says what is wrong if it is not one of @expected. */
bool fuzz_expect(struct fuzz *fuzz, enum call call, int result,
		 const struct results *expected);
bool fuzz_expect_one(struct fuzz *fuzz, enum call call, int result,
		     int expected);

/* Says what is wrong unless it is NULL. */
bool fuzz_check(struct fuzz *fuzz, enum call call, const char *wrong);

/* Adds to what is wrong, and returns false. */
bool fuzz_add(struct fuzz *fuzz, const char *text);

#endif
