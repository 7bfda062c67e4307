// SPDX-License-Identifier: GPL-2.0
/*
 * Writes a page about one or several runs of latency_test: verdicts, plots of all samples,
 * what was discarded, and what differs between the runs.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/stat.h>

#include "html.h"
#include "results.h"

/* Beyond that nobody compares runs by looking at them, and each is in memory. */
#define RUNS_MAX	64
#define EXIT_INVALID	2

static void put_help(FILE *file)
{
	fputs("usage: latency_report --out DIR RUN...\n"
	      "Writes DIR/index.html, a page about the runs of latency_test in the directories RUN.\n"
	      "  -o, --out DIR  where the page is to be; it is made if it is not there\n"
	      "  -h, --help     print this\n"
	      "Needs gnuplot (package gnuplot-nox). Exit code 2: nothing was written.\n",
	      file);
}

static void complain(const char *what, const char *why)
{
	fprintf(stderr, "latency_report: %s%s%s\n", what, *what ? ": " : "", why);
	exit(EXIT_INVALID);
}

static const char *parse(int argc, char *argv[])
{
	static const struct option options[] = {
		{ "out", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{},
	};
	const char *out = NULL;
	int option;

	while ((option = getopt_long(argc, argv, "o:h", options, NULL)) >= 0) {
		if (option == 'h') {
			put_help(stdout);
			exit(0);
		}
		if (option != 'o') {
			put_help(stderr);
			exit(EXIT_INVALID);
		}
		out = optarg;
	}
	if (out && optind < argc)
		return out;
	put_help(stderr);
	exit(EXIT_INVALID);
}

static void read_runs(char *dirs[], size_t count, struct run *runs)
{
	char error[PATH_MAX + 512];

	if (count > RUNS_MAX)
		complain(dirs[RUNS_MAX], "this is a run too many, give 64 at most");
	for (size_t i = 0; i < count; i++)
		if (!run_read(dirs[i], &runs[i], error, sizeof(error)))
			complain("", error);
}

/* A page that is not complete never has the name of one. */
static void write_page(const char *dir, const struct run *runs, size_t count)
{
	char path[PATH_MAX], partial[PATH_MAX], error[256];
	bool written;
	FILE *page;

	if (mkdir(dir, 0777) && errno != EEXIST)
		complain(dir, strerror(errno));
	if (snprintf(partial, sizeof(partial), "%s/index.html.partial", dir) >=
	    (int)sizeof(partial))
		complain(dir, strerror(ENAMETOOLONG));
	snprintf(path, sizeof(path), "%.*s",
		 (int)(strlen(partial) - strlen(".partial")), partial);
	page = fopen(partial, "we");
	if (!page)
		complain(partial, strerror(errno));
	if (!page_write(page, runs, count, error, sizeof(error))) {
		unlink(partial);
		complain("", error);
	}
	written = !ferror(page);
	if (fclose(page) || !written || rename(partial, path)) {
		int code = errno;

		unlink(partial);
		complain(path, strerror(code));
	}
}

int main(int argc, char *argv[])
{
	const char *dir = parse(argc, argv);
	size_t count = argc - optind;
	struct run runs[RUNS_MAX];

	/* gnuplot is to write numbers as the script has them. */
	setenv("LC_ALL", "C", 1);
	read_runs(argv + optind, count, runs);
	write_page(dir, runs, count);
	for (size_t i = 0; i < count; i++)
		run_free(&runs[i]);
	return 0;
}
