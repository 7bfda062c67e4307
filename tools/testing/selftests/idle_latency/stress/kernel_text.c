// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/elf.h>

#include "idle_latency_util.h"
#include "kernel_text.h"

/*
 * What a session patches: the stamps, and the call of the probe. Static keys and
 * tracepoints are switched that way, so it shows what was left switched on.
 */
static const char * const functions[] = {
	"cpuidle_enter_state",
	"__SCT__tp_func_cpu_idle",
};

static struct range {
	__u64 from;
	__u64 to;
} ranges[ARRAY_SIZE(functions)];

/* A symbol; a function ends where the next one begins. */
static void take_symbol(__u64 address, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		if (ranges[i].from && !ranges[i].to &&
		    address > ranges[i].from)
			ranges[i].to = address;
		if (!strcmp(name, functions[i]))
			ranges[i].from = address;
	}
}

/* In the table, the functions of the kernel are in the order of their address. */
void kernel_text_find(void)
{
	FILE *symbols = fopen("/proc/kallsyms", "re");
	unsigned long long address;
	char name[128];

	if (!symbols)
		return;
	while (fscanf(symbols, "%llx %*c %127s%*[^\n]", &address, name) >= 2)
		take_symbol(address, name);
	fclose(symbols);
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

static bool append(int fd, const struct range *range, struct kernel_text *text)
{
	size_t size = range->to - range->from;
	off_t offset = find_offset(fd, range->from);

	if (offset < 0 || size > KERNEL_TEXT_MAX - text->size ||
	    pread(fd, text->bytes + text->size, size, offset) != (ssize_t)size)
		return false;
	text->size += size;
	return true;
}

bool kernel_text_read(struct kernel_text *text)
{
	int fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	bool ok = fd >= 0;

	text->size = 0;
	for (size_t i = 0; i < ARRAY_SIZE(functions) && ok; i++)
		ok = ranges[i].to && append(fd, &ranges[i], text);
	if (fd >= 0)
		close(fd);
	return ok;
}

bool kernel_text_same(const struct kernel_text *before)
{
	struct kernel_text now;

	return kernel_text_read(&now) && now.size == before->size &&
	       !memcmp(now.bytes, before->bytes, now.size);
}
