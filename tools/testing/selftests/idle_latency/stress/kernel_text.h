/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The machine code that a session patches, as it is now. Static keys and
 * tracepoints are switched that way, so it shows what was left switched on.
 */
#ifndef KERNEL_TEXT_H
#define KERNEL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define KERNEL_TEXT_MAX 16384

struct kernel_text {
	size_t size;
	unsigned char bytes[KERNEL_TEXT_MAX];
};

/* Looks for it once, which takes a while. */
void kernel_text_find(void);

/*
 * Returns false where it was not found or cannot be seen: without /proc/kcore or
 * /proc/kallsyms, on a locked-down kernel, or on one of 32 bits.
 */
bool kernel_text_read(struct kernel_text *text);

bool kernel_text_same(const struct kernel_text *a, const struct kernel_text *b);

#endif
