// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/types.h>

#include "fuzz_memory.h"

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

	if (chosen < sizeof(nowhere) / sizeof(*nowhere))
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
