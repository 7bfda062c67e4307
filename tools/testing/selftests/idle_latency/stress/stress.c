// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sys/wait.h>

#include <linux/elf.h>

#include "idle_latency_util.h"
#include "prepare.h"
#include "stress.h"

void stress_begin(const char *what, ...)
{
	va_list more;

	va_start(more, what);
	for (; what; what = va_arg(more, const char *))
		printf("# %s\n", what);
	va_end(more);
	puts("# loads idle_latency, and idle_latency_sim where there are no idle states");
	puts("# puts all of that back at its end");
	fflush(stdout);
	machine_required(true);
}

void stress_take_card(void)
{
	struct obstacle ignored;

	puts("# takes a network card that nobody uses, and gives it back");
	fflush(stdout);
	/* Where there is none, the tests of nic say so. */
	driver_take_card(true, &ignored);
}

bool stress_kill(pid_t child)
{
	int status;

	kill(child, SIGKILL);
	return waitpid(child, &status, 0) == child && WIFSIGNALED(status);
}

/*
 * What a session patches: the stamps, and the call of the probe. Static keys and
 * tracepoints are switched that way, so it shows what was left switched on.
 */
static struct function {
	const char *name;
	__u64 from;
	__u64 to;
} functions[] = {
	{ .name = "cpuidle_enter_state" },
	{ .name = "__SCT__tp_func_cpu_idle" },
};

/* Those of the kernel are in the order of their address: one ends where the next one begins. */
void kernel_text_find(void)
{
	FILE *symbols = fopen("/proc/kallsyms", "re");
	struct function *function;
	__u64 address;
	char name[128];

	while (symbols && fscanf(symbols, "%llx %*c %127s%*[^\n]", &address, name) >= 2)
		for (function = functions; function < functions + ARRAY_SIZE(functions);
		     function++) {
			if (function->from && !function->to && address > function->from)
				function->to = address;
			if (!strcmp(name, function->name))
				function->from = address;
		}
	if (symbols)
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

static bool append(int fd, const struct function *function, struct kernel_text *text)
{
	size_t size = function->to - function->from;
	off_t offset = function->to ? find_offset(fd, function->from) : -1;

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
		ok = append(fd, &functions[i], text);
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
