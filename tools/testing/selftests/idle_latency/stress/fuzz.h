/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The calls of the fuzzer, and what they have in common. Each is made with random
 * arguments, its result is compared with what the model allows, and the model learns
 * from it.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include "fuzz_tally.h"

/* The largest object that memory_place() has room for. */
#define MEMORY_ROOM 16384

struct memory {
	/* MEMORY_ROOM bytes that can be used, before a page that cannot */
	char *begin;
	char *guard;
	/* a page that can only be read */
	char *read_only;
};

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

/*
 * Many times the longest launch distance, and than a normal session takes: nothing
 * that comes takes as long.
 */
#define PATIENCE_S	3

bool memory_map(struct memory *memory);

/* The last bytes before the guard, of which a call must not use more. */
void *memory_place(const struct memory *memory, size_t size);

/*
 * An address with fewer than @size bytes that can be used, or that can be read
 * where @reading.
 */
void *memory_bad(const struct memory *memory, size_t size, bool reading,
		 struct dice *dice);

/* Marks bytes, and finds out whether the marks are still there. */
void memory_mark(void *bytes, size_t size);
bool memory_is_marked(const void *bytes, size_t size);

/* One of the copies of the open file. */
int fuzz_file(struct fuzz *fuzz);

/* All that follow return false when something was wrong. */

/* Says what is wrong, and returns false. */
__printf(2, 3)
bool fuzz_wrong(struct fuzz *fuzz, const char *format, ...);

/* Counts the result, and says what is wrong if it is not one of @expected. */
bool fuzz_expect(struct fuzz *fuzz, enum call call, int result,
		 const struct results *expected);
bool fuzz_expect_one(struct fuzz *fuzz, enum call call, int result,
		     int expected);

/* Says what is wrong unless it is NULL. */
bool fuzz_check(struct fuzz *fuzz, enum call call, const char *wrong);

/* Opening and closing, and what the device cannot do. */

bool call_open(struct fuzz *fuzz);
bool call_open_unprivileged(struct fuzz *fuzz);
bool call_open_direct(struct fuzz *fuzz);
bool call_dup(struct fuzz *fuzz);
bool call_close(struct fuzz *fuzz);
bool call_child(struct fuzz *fuzz);
bool call_nonblock(struct fuzz *fuzz);
bool call_unsupported(struct fuzz *fuzz);

/* Closes all copies of the file. */
bool fuzz_close_all(struct fuzz *fuzz);

/* The ioctl() commands. */

bool call_config(struct fuzz *fuzz);
bool call_config_wrong(struct fuzz *fuzz);
bool call_config_absent(struct fuzz *fuzz);
bool call_config_pointer(struct fuzz *fuzz);
bool call_start(struct fuzz *fuzz);
bool call_stop(struct fuzz *fuzz);
bool call_counts(struct fuzz *fuzz);
bool call_counts_pointer(struct fuzz *fuzz);
bool call_state(struct fuzz *fuzz);
bool call_state_wrong(struct fuzz *fuzz);
bool call_state_pointer(struct fuzz *fuzz);
bool call_unknown_command(struct fuzz *fuzz);

/* read() and poll(). */

/* Must be called first: signals interrupt calls that wait. */
bool fuzz_take_alarms(void);

bool call_read(struct fuzz *fuzz);
bool call_read_waiting(struct fuzz *fuzz);
bool call_read_signalled(struct fuzz *fuzz);
bool call_read_short(struct fuzz *fuzz);
bool call_read_partial(struct fuzz *fuzz);
bool call_read_pointer(struct fuzz *fuzz);
bool call_poll(struct fuzz *fuzz);
bool call_poll_filling(struct fuzz *fuzz);

#endif
