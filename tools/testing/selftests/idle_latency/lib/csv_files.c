// SPDX-License-Identifier: GPL-2.0
/* The files of --out, which appear when they are complete. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include <sys/stat.h>

#include "csv.h"
#include "options.h"

#define PARTIAL		".partial"

static const struct {
	const char *name;
	/* NULL: it has none */
	void (*header)(FILE *file);
} files[CSV_FILES] = {
	[CSV_ENVIRONMENT] = { "environment.txt", NULL },
	[CSV_DATAPOINTS] = { "datapoints.csv", csv_datapoints_header },
	[CSV_DISCARDED] = { "discarded.csv", csv_discarded_header },
	[CSV_DISCARDS] = { "discards.csv", csv_discards_header },
	[CSV_SWEEP] = { "sweep.csv", csv_sweep_header },
	[CSV_SUMMARY] = { "summary.csv", csv_summary_header },
};

static bool path_of(char *path, const char *dir, const char *name,
		    const char *suffix)
{
	if (snprintf(path, PATH_MAX, "%s/%s%s", dir, name, suffix) < PATH_MAX)
		return true;
	errno = ENAMETOOLONG;
	return false;
}

/* A complete file of an earlier run would be taken for one of this run. */
static bool remove_old(const char *dir, const char *name)
{
	char path[PATH_MAX];

	return path_of(path, dir, name, "") && (!unlink(path) ||
						errno == ENOENT);
}

static FILE *open_partial(const char *dir, const char *name)
{
	char path[PATH_MAX];

	if (!path_of(path, dir, name, PARTIAL))
		return NULL;
	return fopen(path, "we");
}

static bool publish(FILE *file, const char *dir, const char *name)
{
	char partial[PATH_MAX], path[PATH_MAX];
	bool written = !ferror(file);

	written &= !fclose(file);
	return written && path_of(partial, dir, name, PARTIAL) &&
	       path_of(path, dir, name, "") && !rename(partial, path);
}

static bool is_wanted(const struct options *options, size_t file)
{
	switch (file) {
	case CSV_DISCARDED:
		return options->keep_discarded;
	case CSV_SWEEP:
		return options->sweep.percent;
	default:
		return true;
	}
}

static bool open_files(struct csv *csv, const struct options *options)
{
	for (size_t i = 0; i < CSV_FILES; i++) {
		if (!remove_old(csv->dir, files[i].name))
			return false;
		if (!is_wanted(options, i))
			continue;
		csv->file[i] = open_partial(csv->dir, files[i].name);
		if (!csv->file[i])
			return false;
		if (files[i].header)
			files[i].header(csv->file[i]);
	}
	return true;
}

static void abandon(struct csv *csv)
{
	int error = errno;

	for (size_t i = 0; i < CSV_FILES; i++)
		if (csv->file[i])
			fclose(csv->file[i]);
	errno = error;
}

bool csv_open(struct csv *csv, const struct options *options)
{
	*csv = (struct csv) { .dir = options->out };
	if (mkdir(csv->dir, 0777) && errno != EEXIST)
		return false;
	if (open_files(csv, options))
		return true;
	abandon(csv);
	return false;
}

/* The summary is the last one: where it is, the others are. */
bool csv_close(struct csv *csv)
{
	bool ok = true;

	for (size_t i = 0; i < CSV_FILES; i++)
		if (csv->file[i])
			ok &= publish(csv->file[i], csv->dir, files[i].name);
	return ok;
}
