// SPDX-License-Identifier: GPL-2.0
/* What is no matter of idle states: files, texts, random numbers, time. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sys/syscall.h>

#include <linux/capability.h>

#include "idle_latency_util.h"

bool sysfs_read_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "re");
	bool ok;

	if (!file)
		return false;
	ok = fgets(line, size, file);
	fclose(file);
	if (ok)
		line[strcspn(line, "\n")] = '\0';
	return ok;
}

void sysfs_read_text(const char *path, char *text, size_t size)
{
	if (!sysfs_read_line(path, text, size))
		snprintf(text, size, "unknown");
	else if (!*text || !strcmp(text, "(null)"))
		snprintf(text, size, "none");
}

bool sysfs_read_number(const char *path, __u64 *number)
{
	char line[32];

	return sysfs_read_line(path, line, sizeof(line)) && parse_number(line, number);
}

bool command_line_has(const char *argument)
{
	char line[4096], *rest = line, *word;

	if (!sysfs_read_line("/proc/cmdline", line, sizeof(line)))
		return false;
	while ((word = strtok_r(rest, " ", &rest)))
		if (!strcmp(word, argument))
			return true;
	return false;
}

bool sysfs_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int written;

	if (fd < 0)
		return false;
	/* Some take a whole line only. */
	written = dprintf(fd, "%s\n", text);
	close(fd);
	return written == (int)strlen(text) + 1;
}

bool parse_number(const char *text, __u64 *number)
{
	char *end;

	/* strtoull() would take a sign and leading blanks. */
	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return !errno && !*end;
}

const char *parse_field(const char *line, const char *name)
{
	const size_t length = strlen(name);

	if (strncmp(line, name, length))
		return NULL;
	line += length;
	line += strspn(line, " \t");
	if (*line != ':')
		return NULL;
	return line + 1 + strspn(line + 1, " \t");
}

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
	text->used += vsnprintf(text->text + text->used, text->size - text->used, format, args);
	va_end(args);
	return text->used < text->size;
}

/* The generator splitmix64, by Steele, Lea and Flood. */
__u64 dice_below(struct dice *dice, __u64 sides)
{
	__u64 word = dice->state += 0x9e3779b97f4a7c15;

	word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
	word = (word ^ word >> 27) * 0x94d049bb133111eb;
	return (word ^ word >> 31) % sides;
}

__u64 dice_scale(struct dice *dice, __u64 low, __u64 high)
{
	unsigned int doublings = 0;
	__u64 top;

	while (low << doublings < high)
		doublings++;
	top = low << dice_below(dice, doublings + 1);
	if (top > high)
		top = high;
	return low + dice_below(dice, top - low + 1);
}

bool dice_once_in(struct dice *dice, __u64 times)
{
	return !dice_below(dice, times);
}

__u64 now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_SEC + now.tv_nsec;
}

void sleep_ns(__u64 ns)
{
	struct timespec left = {
		.tv_sec = ns / NS_PER_SEC,
		.tv_nsec = ns % NS_PER_SEC,
	};

	while (nanosleep(&left, &left))
		if (errno != EINTR)
			ksft_exit_fail_perror("cannot sleep");
}

bool set_sys_admin(bool effective)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
	__u32 *word = &data[CAP_TO_INDEX(CAP_SYS_ADMIN)].effective;

	if (syscall(SYS_capget, &header, data))
		return false;
	*word &= ~CAP_TO_MASK(CAP_SYS_ADMIN);
	if (effective)
		*word |= CAP_TO_MASK(CAP_SYS_ADMIN);
	return !syscall(SYS_capset, &header, data);
}
