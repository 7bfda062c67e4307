// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "meanwhile.h"
#include "report.h"

/* As Documentation/admin-guide/tainted-kernels.rst numbers them. */
#define TAINT_MACHINE_CHECK	16
#define TAINT_DIED		128
#define TAINT_WARNED		512
#define TAINT_LOCKUP		16384
#define TAINTS	(TAINT_MACHINE_CHECK | TAINT_DIED | TAINT_WARNED | TAINT_LOCKUP)

/* A record of /dev/kmsg: facility and level, number, time and flags, and then the text. */
#define LEVELS		8
#define LEVEL_WARNING	4
#define RECORD_BYTES	8192

/* As much as a warning with its registers and calls. */
#define LINES_MAX	40

static struct complaints at_begin;
/* The log from there on. */
static int log_fd = -1;

/* Kernels before v6.2 count nothing, and only say that they are tainted. */
static void read_complaints(struct complaints *complaints)
{
	*complaints = (struct complaints) { };
	sysfs_read_number("/sys/kernel/warn_count", &complaints->warnings);
	sysfs_read_number("/sys/kernel/oops_count", &complaints->oopses);
	sysfs_read_number("/proc/sys/kernel/tainted", &complaints->taint);
}

bool complaints_rose(const struct complaints *before, const struct complaints *after)
{
	return after->warnings > before->warnings || after->oopses > before->oopses ||
	       after->taint & ~before->taint & TAINTS;
}

bool complaints_line(const char *record, char *line, size_t size)
{
	const char *text = strchr(record, ';');
	unsigned int level;

	if (!text || sscanf(record, "%u,", &level) != 1 || level / LEVELS ||
	    level > LEVEL_WARNING)
		return false;
	text++;
	snprintf(line, size, "%.*s", (int)strcspn(text, "\n"), text);
	return true;
}

/* What was overwritten before it was read is lost, and the next record is there. */
static bool read_record(char *record, size_t size)
{
	ssize_t got;

	do {
		got = read(log_fd, record, size - 1);
	} while (got < 0 && (errno == EPIPE || errno == EINTR));
	if (got > 0)
		record[got] = '\0';
	return got > 0;
}

static void report_log(void)
{
	static char record[RECORD_BYTES];
	unsigned int lines = 0;
	char line[256];

	while (read_record(record, sizeof(record)))
		if (complaints_line(record, line, sizeof(line)) && lines++ < LINES_MAX)
			report_line("kernel: %s", line);
	if (lines > LINES_MAX)
		report_line("kernel: %u more lines are in its log", lines - LINES_MAX);
}

void complaints_begin(void)
{
	read_complaints(&at_begin);
	log_fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (log_fd >= 0)
		lseek(log_fd, 0, SEEK_END);
}

bool complaints_end(void)
{
	struct complaints at_end;
	bool rose;

	read_complaints(&at_end);
	rose = complaints_rose(&at_begin, &at_end);
	if (rose)
		report_log();
	if (log_fd >= 0)
		close(log_fd);
	log_fd = -1;
	return rose;
}
