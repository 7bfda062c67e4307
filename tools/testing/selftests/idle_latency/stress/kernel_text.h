/* SPDX-License-Identifier: GPL-2.0 */
/* The instructions of the kernel that a session patches, to see whether it undoes that. */
#ifndef KERNEL_TEXT_H
#define KERNEL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

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
