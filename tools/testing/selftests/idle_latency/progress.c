// SPDX-License-Identifier: GPL-2.0
#include <time.h>
#include <unistd.h>

#include "progress.h"
#include "report.h"

#define NS_PER_SEC 1000000000ULL

__u64 now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_SEC + now.tv_nsec;
}

void progress_begin(struct progress *progress, const struct row *row,
		    size_t wanted, bool plain)
{
	*progress = (struct progress) {
		.row = row,
		.wanted = wanted,
		.shown_ns = now_ns(),
		.live = plain && isatty(STDOUT_FILENO),
	};
}

static void show(const struct progress *progress, size_t samples,
		 const char *latency, __u64 largest_ns)
{
	char line[128];

	snprintf(line, sizeof(line),
		 "cpu%u %s %s: %zu of %zu samples, largest %s %llu ns",
		 progress->row->cpu, progress->row->method->name,
		 progress->row->state.name, samples, progress->wanted, latency,
		 largest_ns);
	if (!progress->live) {
		report_line("%s", line);
		return;
	}
	printf("\r%s\033[K", line);
	fflush(stdout);
}

void progress_update(struct progress *progress, size_t samples,
		     const char *latency, __u64 largest_ns)
{
	__u64 now = now_ns();

	if (now - progress->shown_ns < NS_PER_SEC)
		return;
	progress->shown_ns = now;
	show(progress, samples, latency, largest_ns);
}

void progress_end(struct progress *progress, size_t samples,
		  const char *latency, __u64 largest_ns)
{
	show(progress, samples, latency, largest_ns);
	if (progress->live)
		putchar('\n');
}
