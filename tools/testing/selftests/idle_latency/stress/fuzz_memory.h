/* SPDX-License-Identifier: GPL-2.0 */
/* Memory for the calls of the fuzzer, and memory that they must not use. */
#ifndef FUZZ_MEMORY_H
#define FUZZ_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "idle_latency_util.h"

/* The largest object that memory_place() has room for. */
#define MEMORY_ROOM 16384

struct memory {
	/* MEMORY_ROOM bytes that can be used, before a page that cannot */
	char *begin;
	char *guard;
	/* a page that can only be read */
	char *read_only;
};

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

#endif
