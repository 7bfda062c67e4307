// SPDX-License-Identifier: GPL-2.0
/* What the calls of the fuzzer have in common, see fuzz.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>

#include "fuzz.h"

int fuzz_file(struct fuzz *fuzz)
{
	return fuzz->files[dice_below(&fuzz->dice, fuzz->file_count)];
}

bool fuzz_wrong(struct fuzz *fuzz, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(fuzz->wrong, sizeof(fuzz->wrong), format, arguments);
	va_end(arguments);
	return false;
}

bool fuzz_expect(struct fuzz *fuzz, enum call call, int result,
		 const struct results *expected)
{
	char got[64], wanted[256];

	tally_add(&fuzz->tally, call, result);
	if (results_have(expected, result))
		return true;
	result_print(result, got, sizeof(got));
	results_print(expected, wanted, sizeof(wanted));
	return fuzz_wrong(fuzz, "%s: got %s, expected %s", call_name(call),
			  got, wanted);
}

bool fuzz_expect_one(struct fuzz *fuzz, enum call call, int result,
		     int expected)
{
	const struct results one = { .result = { expected }, .count = 1 };

	return fuzz_expect(fuzz, call, result, &one);
}

bool fuzz_check(struct fuzz *fuzz, enum call call, const char *wrong)
{
	return !wrong || fuzz_wrong(fuzz, "%s: %s", call_name(call), wrong);
}

#define MARK 0xa5

static char *map(size_t size, int protection)
{
	void *bytes = mmap(NULL, size, protection,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	return bytes == MAP_FAILED ? NULL : bytes;
}

bool memory_map(struct memory *memory)
{
	size_t page = sysconf(_SC_PAGESIZE);

	memory->begin = map(MEMORY_ROOM + page, PROT_READ | PROT_WRITE);
	memory->read_only = map(page, PROT_READ);
	if (!memory->begin || !memory->read_only)
		return false;
	memory->guard = memory->begin + MEMORY_ROOM;
	return !mprotect(memory->guard, page, PROT_NONE);
}

void *memory_place(const struct memory *memory, size_t size)
{
	return memory->guard - size;
}

void *memory_bad(const struct memory *memory, size_t size, bool reading,
		 struct dice *dice)
{
	/* Not mapped, of the kernel, and of nobody. */
	static const unsigned long nowhere[] = {
		0, 1, 1UL << (8 * sizeof(long) - 1), ~0UL, ~0UL << 12,
	};
	__u64 chosen = dice_below(dice, 8);

	if (chosen < ARRAY_SIZE(nowhere))
		return (void *)nowhere[chosen];
	if (chosen == 5 && !reading)
		return memory->read_only;
	return memory->guard - dice_below(dice, size);
}

void memory_mark(void *bytes, size_t size)
{
	memset(bytes, MARK, size);
}

bool memory_is_marked(const void *bytes, size_t size)
{
	const unsigned char *byte = bytes;

	/* Each byte is like the one before it. */
	return !size || (*byte == MARK && !memcmp(byte, byte + 1, size - 1));
}
