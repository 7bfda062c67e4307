// SPDX-License-Identifier: GPL-2.0
/* Reads what csv.c writes: quotes around fields with commas, no line breaks in fields. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "results.h"

void *memory(size_t count, size_t size)
{
	void *array = calloc(count, size);

	if (array || !count)
		return array;
	fprintf(stderr, "out of space: read fewer runs at a time\n");
	exit(2);
}

char *copy_of(const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(memory(size, 1), text, size);
}

/* Room doubles whenever it is a power of two that is used. */
void *memory_for_one_more(void *array, size_t count, size_t size)
{
	void *larger;

	if (count & (count - 1))
		return array;
	larger = memory(count ? 2 * count : 1, size);
	if (count)
		memcpy(larger, array, count * size);
	free(array);
	return larger;
}

void csv_file_wrong(struct csv_file *csv, const char *format, ...)
{
	va_list args;
	size_t used;

	if (*csv->error)
		return;
	used = snprintf(csv->error, sizeof(csv->error), "%s:%lu: ", csv->path,
			csv->line);
	va_start(args, format);
	vsnprintf(csv->error + used, sizeof(csv->error) - used, format, args);
	va_end(args);
}

/* The end of a field in quotes, of which a doubled one is one; NULL where it has no end. */
static char *unquote(char *from)
{
	char *to = from;

	while (*++from) {
		if (*from == '"' && *++from != '"') {
			*to = '\0';
			return from;
		}
		*to++ = *from;
	}
	return NULL;
}

/* Returns how many fields there are; 0 where the line is none of CSV. */
static size_t split(char *line, char **field)
{
	size_t count = 0;

	for (;;) {
		char *end;

		if (count == CSV_COLUMNS_MAX)
			return 0;
		field[count++] = line;
		end = *line == '"' ? unquote(line) : line + strcspn(line, ",");
		if (!end || (*end && *end != ','))
			return 0;
		if (!*end)
			return count;
		*end = '\0';
		line = end + 1;
	}
}

static bool read_line(struct csv_file *csv)
{
	ssize_t length = getline(&csv->buffer, &csv->size, csv->file);

	if (length < 0)
		return false;
	csv->line++;
	if (csv->buffer[length - 1] != '\n')
		csv_file_wrong(csv, "the line has no end: the file was cut off");
	else if (strlen(csv->buffer) != (size_t)length)
		csv_file_wrong(csv, "a byte is 0");
	else if (strchr(csv->buffer, '\r'))
		csv_file_wrong(csv, "there is a carriage return");
	csv->buffer[length - 1] = '\0';
	return !*csv->error;
}

bool csv_file_open(struct csv_file *csv, const char *dir, const char *name)
{
	*csv = (struct csv_file) {};
	snprintf(csv->path, sizeof(csv->path), "%s/%s", dir, name);
	csv->file = fopen(csv->path, "re");
	if (!csv->file) {
		snprintf(csv->error, sizeof(csv->error),
			 "%s: %m; this takes what latency_test --out has written",
			 csv->path);
		return false;
	}
	if (!read_line(csv)) {
		csv_file_wrong(csv, "there is no header");
		return false;
	}
	csv->header = copy_of(csv->buffer);
	csv->columns = split(csv->header, csv->column);
	if (!csv->columns)
		csv_file_wrong(csv, "this is no header");
	return csv->columns;
}

void csv_file_close(struct csv_file *csv)
{
	if (csv->file)
		fclose(csv->file);
	free(csv->buffer);
	free(csv->header);
}

size_t csv_file_column(struct csv_file *csv, const char *name)
{
	for (size_t i = 0; i < csv->columns; i++)
		if (!strcmp(csv->column[i], name))
			return i;
	csv->line = 1;
	csv_file_wrong(csv,
		       "there is no column %s: take what this version of latency_test has written",
		       name);
	return 0;
}

bool csv_file_next(struct csv_file *csv)
{
	size_t fields;

	if (*csv->error || !read_line(csv))
		return false;
	fields = split(csv->buffer, csv->field);
	if (fields == csv->columns)
		return true;
	csv_file_wrong(csv, "%zu fields instead of %zu", fields, csv->columns);
	return false;
}

bool csv_file_optional(struct csv_file *csv, size_t column, __u64 *number)
{
	const char *text = csv->field[column];

	*number = 0;
	if (!*text)
		return false;
	if (!parse_number(text, number))
		csv_file_wrong(csv, "%s is '%s', which is no number",
			       csv->column[column], text);
	return true;
}

__u64 csv_file_at_most(struct csv_file *csv, size_t column, __u64 most)
{
	__u64 number = csv_file_number(csv, column);

	if (number > most)
		csv_file_wrong(csv, "%s is %llu, more than latency_test writes",
			       csv->column[column], number);
	return number;
}

__u64 csv_file_number(struct csv_file *csv, size_t column)
{
	__u64 number;

	if (!csv_file_optional(csv, column, &number))
		csv_file_wrong(csv, "%s is empty", csv->column[column]);
	return number;
}
