// SPDX-License-Identifier: GPL-2.0
/* What the calls of the fuzzer have in common: results, and memory. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>

#include "fuzz.h"

bool results_have(const struct results *results, int result)
{
	for (size_t i = 0; i < results->count; i++)
		if (results->result[i] == result)
			return true;
	return false;
}

void results_add(struct results *results, int result)
{
	if (!results_have(results, result) && results->count < RESULTS_MAX)
		results->result[results->count++] = result;
}

void text_add_result(struct text *text, int result)
{
	text_add(text, "%d", result);
	if (result < 0)
		text_add(text, " (%s)", strerror(-result));
}

void text_add_results(struct text *text, const struct results *results)
{
	for (size_t i = 0; i < results->count; i++) {
		text_add(text, i ? " or " : "");
		text_add_result(text, results->result[i]);
	}
}

int fuzz_file(struct fuzz *fuzz)
{
	return fuzz->files[dice_below(&fuzz->dice, fuzz->file_count)];
}

bool fuzz_make(struct fuzz *fuzz, fuzz_call *make)
{
	const struct call *outer = fuzz->call;
	bool fine;

	fuzz->call = calls;
	while (fuzz->call->make != make)
		fuzz->call++;
	fine = make(fuzz);
	fuzz->call = outer;
	return fine;
}

static size_t slot(int result)
{
	return result < 0 ? -result : TALLY_ERRORS + result;
}

void fuzz_count(struct fuzz *fuzz, int result)
{
	fuzz->seen[fuzz->call - calls][slot(result)]++;
}

__u64 fuzz_counted(const struct fuzz *fuzz, const struct call *call, int result)
{
	return fuzz->seen[call - calls][slot(result)];
}

bool fuzz_expect(struct fuzz *fuzz, int result, const struct results *expected)
{
	fuzz_count(fuzz, result);
	if (results_have(expected, result))
		return true;
	text_add(&fuzz->wrong, "%s: got ", fuzz->call->name);
	text_add_result(&fuzz->wrong, result);
	text_add(&fuzz->wrong, ", expected ");
	text_add_results(&fuzz->wrong, expected);
	return false;
}

bool fuzz_expect_one(struct fuzz *fuzz, int result, int expected)
{
	const struct results one = RESULTS(expected);

	return fuzz_expect(fuzz, result, &one);
}

bool fuzz_check(struct fuzz *fuzz, const char *wrong)
{
	if (wrong)
		text_add(&fuzz->wrong, "%s: %s", fuzz->call->name, wrong);
	return !wrong;
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
