// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>

#include "text.h"

struct text text_begin(char *memory, size_t size)
{
	memory[0] = '\0';
	return (struct text) { .text = memory, .size = size };
}

bool text_add(struct text *text, const char *format, ...)
{
	va_list args;

	if (text->used >= text->size)
		return false;
	va_start(args, format);
	text->used += vsnprintf(text->text + text->used,
				text->size - text->used, format, args);
	va_end(args);
	return text->used < text->size;
}
