// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/elf.h>
#include <linux/types.h>

#include "kernel_text.h"

#define FUNCTION "cpuidle_enter_state"

struct range {
	__u64 from;
	__u64 to;
};

static bool find_function(FILE *symbols, struct range *range)
{
	unsigned long long address;
	char name[128];

	while (fscanf(symbols, "%llx %*c %127s%*[^\n]", &address, name) == 2) {
		if (!strcmp(name, FUNCTION)) {
			range->from = address;
			return address;
		}
	}
	return false;
}

/* The function ends where the next symbol begins; the table is not sorted. */
static void find_end(FILE *symbols, struct range *range)
{
	unsigned long long address;

	range->to = range->from + KERNEL_TEXT_MAX;
	rewind(symbols);
	while (fscanf(symbols, "%llx%*[^\n]", &address) == 1)
		if (address > range->from && address < range->to)
			range->to = address;
}

static bool find_range(struct range *range)
{
	FILE *symbols = fopen("/proc/kallsyms", "re");
	bool found;

	if (!symbols)
		return false;
	found = find_function(symbols, range);
	if (found)
		find_end(symbols, range);
	fclose(symbols);
	return found;
}

/* Returns where in the core file an address is, or -1. */
static off_t find_offset(int fd, __u64 address)
{
	struct elf64_hdr header;
	struct elf64_phdr segment;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    header.e_ident[EI_CLASS] != ELFCLASS64)
		return -1;
	for (size_t i = 0; i < header.e_phnum; i++) {
		if (pread(fd, &segment, sizeof(segment),
			  header.e_phoff + i * sizeof(segment)) !=
		    sizeof(segment))
			return -1;
		if (segment.p_type == PT_LOAD && segment.p_vaddr <= address &&
		    address - segment.p_vaddr < segment.p_memsz)
			return segment.p_offset + (address - segment.p_vaddr);
	}
	return -1;
}

bool kernel_text_read(struct kernel_text *text)
{
	struct range range;
	off_t offset;
	bool ok;
	int fd;

	if (!find_range(&range))
		return false;
	fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	text->size = range.to - range.from;
	offset = find_offset(fd, range.from);
	ok = offset >= 0 && pread(fd, text->bytes, text->size, offset) ==
			    (ssize_t)text->size;
	close(fd);
	return ok;
}

bool kernel_text_same(const struct kernel_text *a, const struct kernel_text *b)
{
	return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}
