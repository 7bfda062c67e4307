/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The machine code of cpuidle_enter_state() as it is now. Static keys and
 * tracepoints are switched by patching it, so it shows what a session has left
 * switched on.
 */
#ifndef KERNEL_TEXT_H
#define KERNEL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define KERNEL_TEXT_MAX 8192

struct kernel_text {
	size_t size;
	unsigned char bytes[KERNEL_TEXT_MAX];
};

/*
 * Returns false where it cannot be seen: without /proc/kcore or /proc/kallsyms,
 * on a locked-down kernel, or on one of 32 bits.
 */
bool kernel_text_read(struct kernel_text *text);

bool kernel_text_same(const struct kernel_text *a, const struct kernel_text *b);

#endif
