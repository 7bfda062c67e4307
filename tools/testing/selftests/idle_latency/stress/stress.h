/* SPDX-License-Identifier: GPL-2.0 */
/* What the programs that disturb others have in common. */
#ifndef STRESS_H
#define STRESS_H

#include <stdbool.h>

#include <sys/types.h>

#include "kselftest.h"

/*
 * Says what the program will do to the machine, and has ready what it needs: a process
 * that undoes all of it, the driver, and idle states. Ends the program with a result where
 * that cannot be.
 * @what: sentences, and NULL after them
 */
void stress_begin(const char *what, ...) __attribute__((sentinel));

/*
 * For programs that test nic, too, after stress_begin(): takes a network card that nobody
 * uses, if there is one.
 */
void stress_take_card(void);

/* Kills a child. Returns false when it has ended before. */
bool stress_kill(pid_t child);

/* A result of programs without kselftest_harness.h. @wrong: NULL, or why it is "not ok" */
static inline void stress_report(const char *wrong, const char *name)
{
	if (wrong)
		ksft_print_msg("%s\n", wrong);
	ksft_test_result(!wrong, "%s\n", name);
}

/* The instructions of the kernel that a session patches, to see whether it undoes that. */

#define KERNEL_TEXT_MAX 16384

struct kernel_text {
	size_t size;
	unsigned char bytes[KERNEL_TEXT_MAX];
};

/* Looks for them, once for all, which takes a while. */
void kernel_text_find(void);

/*
 * Returns false where they were not found or cannot be seen: without /proc/kcore or
 * /proc/kallsyms, on a locked-down kernel, or on one of 32 bits.
 */
bool kernel_text_read(struct kernel_text *text);
/* Whether they can be seen, and are as before. */
bool kernel_text_same(const struct kernel_text *before);

#endif
