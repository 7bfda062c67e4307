// SPDX-License-Identifier: GPL-2.0
/*
 * While the session runs, records are read straight into memory and nothing
 * else is done with them: on a machine with one CPU, each microsecond of work
 * here is one in which the measured CPU is not idle.
 */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collect.h"
#include "device.h"

#define POLL_MS		1000

/*
 * When to give up. Where nine of ten events are discarded, something is wrong
 * with the machine, and what is left is no fair selection.
 */
#define ARMED_PER_SAMPLE	10
#define ARMED_AT_LEAST		1000
#define NS_AT_LEAST		10000000000ULL

struct running {
	int fd;
	struct collection *collection;
	__u64 started_ns;
	bool ended;
	/* of the records, for the progress line */
	size_t seen;
	__u64 largest_ns;
	const char *latency;
};

static bool alloc_records(struct collection *collection)
{
	/* One more, to see a session that delivers too many. */
	size_t room = collection->config->samples + 1;
	size_t bytes = room * sizeof(*collection->records);

	collection->records = malloc(bytes);
	if (!collection->records)
		return false;
	/* Now, lest page faults keep the CPU from being idle later. */
	memset(collection->records, 0, bytes);
	return true;
}

static void note_end(struct running *running)
{
	if (running->ended)
		return;
	running->ended = true;
	running->collection->elapsed_ns = now_ns() - running->started_ns;
}

/* Reads what is there. Returns 1 when there may be more, 0 when not. */
static int read_some(struct running *running)
{
	struct collection *collection = running->collection;
	size_t room = collection->config->samples + 1 - collection->count;
	ssize_t got;

	if (!room) {
		note_end(running);
		return 0;
	}
	got = device_read(running->fd, collection->records + collection->count,
			  room);
	if (got == -EAGAIN || got == -EINTR)
		return 0;
	if (got <= 0) {
		note_end(running);
		return got;
	}
	collection->count += got;
	return 1;
}

static int drain(struct running *running)
{
	int ret;

	do
		ret = read_some(running);
	while (ret > 0);
	return ret;
}

static void wait_for_records(struct running *running)
{
	struct pollfd poll_fd = { .fd = running->fd, .events = POLLIN };

	if (poll(&poll_fd, 1, POLL_MS) > 0 && poll_fd.revents & POLLHUP)
		note_end(running);
}

static void note_largest(struct running *running)
{
	const struct collection *collection = running->collection;

	for (; running->seen < collection->count; running->seen++) {
		const struct idle_latency_record *record =
			&collection->records[running->seen];
		bool wake = record->flags & IDLE_LATENCY_RECORD_WAKE;
		__u64 ns = wake ? record->wake_ns : record->intr_ns;

		running->latency = wake ? "WakeLatency" : "IntrLatency";
		if (ns > running->largest_ns)
			running->largest_ns = ns;
	}
}

static __u64 patience_ns(const struct idle_latency_config *config)
{
	return NS_AT_LEAST +
	       ARMED_PER_SAMPLE * config->samples * config->ldist_to_ns;
}

static bool hopeless(const struct running *running)
{
	const struct idle_latency_config *config = running->collection->config;
	struct idle_latency_counts counts;

	if (now_ns() - running->started_ns > patience_ns(config))
		return true;
	return !device_counts(running->fd, &counts) &&
	       counts.armed > ARMED_AT_LEAST +
			      ARMED_PER_SAMPLE * config->samples;
}

static int run(struct running *running, struct progress *progress)
{
	int ret;

	for (;;) {
		wait_for_records(running);
		ret = drain(running);
		if (ret || running->ended)
			return ret;
		note_largest(running);
		progress_update(progress, running->collection->count,
				running->latency, running->largest_ns);
		if (hopeless(running)) {
			device_stop(running->fd);
			note_end(running);
			return drain(running);
		}
	}
}

int collect(int fd, const struct idle_latency_config *config,
	    struct progress *progress, struct collection *collection)
{
	struct running running = {
		.fd = fd, .collection = collection, .latency = "WakeLatency",
	};
	int ret, counted;

	*collection = (struct collection) { .config = config };
	if (!alloc_records(collection))
		return -ENOMEM;
	running.started_ns = now_ns();
	ret = device_start(fd);
	if (ret)
		return ret;
	ret = run(&running, progress);
	note_largest(&running);
	progress_end(progress, collection->count, running.latency,
		     running.largest_ns);
	counted = device_counts(fd, &collection->counts);
	return ret ? ret : counted;
}

void collect_free(struct collection *collection)
{
	free(collection->records);
	collection->records = NULL;
}
