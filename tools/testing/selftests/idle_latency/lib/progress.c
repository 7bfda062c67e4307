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
		.latency = "WakeLatency",
		.shown_ns = now_ns(),
		.live = plain && isatty(STDOUT_FILENO),
	};
}

void progress_note(struct progress *progress,
		   const struct idle_latency_record *record)
{
	bool wake = record->flags & IDLE_LATENCY_RECORD_WAKE;
	__u64 ns = wake ? record->wake_ns : record->intr_ns;

	progress->samples++;
	progress->latency = wake ? "WakeLatency" : "IntrLatency";
	if (ns > progress->largest_ns)
		progress->largest_ns = ns;
}

static void show(const struct progress *progress)
{
	const struct row *row = progress->row;
	char line[128];

	snprintf(line, sizeof(line),
		 "cpu%u %s %s: %zu of %zu samples, largest %s %llu ns",
		 row->cpu, row->method->name, row->state.name,
		 progress->samples, progress->wanted, progress->latency,
		 progress->largest_ns);
	if (!progress->live) {
		report_line("%s", line);
		return;
	}
	printf("\r%s\033[K", line);
	fflush(stdout);
}

void progress_update(struct progress *progress)
{
	__u64 now = now_ns();

	if (now - progress->shown_ns < NS_PER_SEC)
		return;
	progress->shown_ns = now;
	show(progress);
}

void progress_end(const struct progress *progress)
{
	show(progress);
	if (progress->live)
		putchar('\n');
}
