/* SPDX-License-Identifier: GPL-2.0 */
/* Files that hold one short line, or one line per thing. */
#ifndef SYSFS_H
#define SYSFS_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

/* Reads the first line of a file, without its end. */
bool sysfs_read_line(const char *path, char *line, size_t size);
bool sysfs_read_number(const char *path, __u64 *number);
/* Reads what a line "name: value" of a file has, as those of /proc/cpuinfo. */
bool sysfs_read_field(const char *path, const char *name, char *value,
		      size_t size);
bool sysfs_write(const char *path, const char *text);

/* A decimal number that is the whole text. */
bool parse_number(const char *text, __u64 *number);

/* The value in a line "name: value", or NULL when that is not its name. */
const char *parse_field(const char *line, const char *name);

#endif
