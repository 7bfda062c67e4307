/* SPDX-License-Identifier: GPL-2.0 */
/* A text that is put together piece by piece; what does not fit is cut off. */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>

#include "kselftest.h"

struct text {
	char *text;
	size_t size;
	size_t used;
};

/* An empty text in this memory, of at least one byte. */
struct text text_begin(char *memory, size_t size);

/* Returns false when not all of it fitted. */
__printf(2, 3) bool text_add(struct text *text, const char *format, ...);

#endif
