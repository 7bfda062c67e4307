// SPDX-License-Identifier: GPL-2.0
/*
 * While a session runs, records are checked and stored, and nothing else is done
 * with them: on a machine with one CPU, each microsecond of work here is one in
 * which the measured CPU is not idle.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/signalfd.h>

#include "progress.h"

#define POLL_MS		1000
#define NS_PER_MS	1000000ULL
#define CHUNK		256

#define ARMED_PER_SAMPLE	10
#define ARMED_AT_LEAST		1000
#define NS_AT_LEAST		10000000000ULL

static int signal_fd = -1;
static bool interrupted;

struct running {
	struct reader reader;
	struct collection *collection;
	struct progress *progress;
	__u64 started_ns;
	bool ended;
	/* of this session that were stored */
	size_t samples;
	/* events of the sessions before */
	__u64 first_event;
};

bool collect_alloc(struct collection *collection, const struct row *row, size_t discarded_room)
{
	*collection = (struct collection) { .discarded_room = discarded_room };
	collection->discarded = calloc(discarded_room + 1,
				       sizeof(*collection->discarded));
	collection->steps = calloc(row->step_count + 1, sizeof(*collection->steps));
	if (collection->discarded && collection->steps)
		return true;
	collection->error = ENOMEM;
	return false;
}

void collect_free(struct collection *collection)
{
	free(collection->samples);
	free(collection->discarded);
	free(collection->steps);
}

static bool make_room(struct collection *collection, size_t more)
{
	size_t bytes = more * sizeof(*collection->samples);
	struct idle_latency_record *samples;

	samples = realloc(collection->samples,
			  collection->count * sizeof(*samples) + bytes);
	if (!samples)
		return false;
	collection->samples = samples;
	/* Now, lest page faults keep the CPU from being idle later. */
	memset(samples + collection->count, 0, bytes);
	return true;
}

static void note_end(struct running *running)
{
	if (running->ended)
		return;
	running->ended = true;
	running->collection->elapsed_ns += now_ns() - running->started_ns;
}

static void note_wrong(struct running *running, const char *wrong)
{
	if (!running->collection->wrong)
		running->collection->wrong = wrong;
}

static void store(struct running *running,
		  const struct idle_latency_record *record)
{
	struct collection *collection = running->collection;
	struct idle_latency_record *slot;

	if (record->reasons) {
		if (collection->discarded_count == collection->discarded_room)
			return;
		slot = &collection->discarded[collection->discarded_count];
		*slot = *record;
		slot->seq = collection->discarded_count++;
	} else {
		if (running->samples == running->reader.config->samples) {
			note_wrong(running,
				   "more records were delivered than asked for");
			return;
		}
		running->samples++;
		slot = &collection->samples[collection->count];
		*slot = *record;
		slot->seq = collection->count++;
		progress_note(running->progress, slot);
	}
	slot->event += running->first_event;
}

/* Reads what is there. Returns 1 when there may be more, 0 when not. */
static int read_some(struct running *running)
{
	static struct idle_latency_record chunk[CHUNK];
	ssize_t got = reader_read(&running->reader, chunk, CHUNK);

	if (got == -EAGAIN || got == -EINTR)
		return 0;
	if (got <= 0) {
		note_end(running);
		return got;
	}
	note_wrong(running, running->reader.wrong);
	for (ssize_t i = 0; i < got; i++)
		store(running, &chunk[i]);
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

static int poll_ms(const struct patience *patience)
{
	__u64 now = now_ns(), left;

	if (now >= patience->until_ns)
		return 0;
	left = (patience->until_ns - now) / NS_PER_MS + 1;
	return left < POLL_MS ? left : POLL_MS;
}

static void wait_for_records(struct running *running,
			     const struct patience *patience)
{
	struct pollfd fds[] = {
		{ .fd = running->reader.fd, .events = POLLIN },
		{ .fd = signal_fd, .events = POLLIN },
	};

	if (poll(fds, ARRAY_SIZE(fds), poll_ms(patience)) > 0 &&
	    fds[0].revents & POLLHUP)
		note_end(running);
}

struct patience collect_patience(const struct collection *collection,
				 size_t wanted, __u64 ldist_to_ns)
{
	return (struct patience) {
		.armed = collection->counts.armed + ARMED_AT_LEAST +
			 ARMED_PER_SAMPLE * wanted,
		.until_ns = now_ns() + NS_AT_LEAST +
			    ARMED_PER_SAMPLE * wanted * ldist_to_ns,
	};
}

bool collect_gives_up(const struct collection *collection,
		      const struct patience *patience)
{
	return collection->counts.armed > patience->armed ||
	       now_ns() > patience->until_ns;
}

static void add_counts(struct idle_latency_counts *sum,
		       const struct idle_latency_counts *counts)
{
	sum->armed += counts->armed;
	sum->delivered += counts->delivered;
	sum->kept += counts->kept;
	sum->advanced_cyc += counts->advanced_cyc;
	sum->between_cyc += counts->between_cyc;
	for (size_t i = 0; i < IDLE_LATENCY_DISCARD_SLOTS; i++) {
		sum->discarded[i] += counts->discarded[i];
		sum->above[i] += counts->above[i];
		if (counts->largest_ns[i] > sum->largest_ns[i])
			sum->largest_ns[i] = counts->largest_ns[i];
	}
}

static bool hopeless(const struct running *running,
		     const struct patience *patience)
{
	return collect_gives_up(running->collection, patience) ||
	       running->progress->armed > patience->armed;
}

/* The counts of the sessions before are there already. */
static void note_counts(struct running *running)
{
	struct idle_latency_counts sum = running->collection->counts, counts;

	if (device_counts(running->reader.fd, &counts))
		return;
	add_counts(&sum, &counts);
	progress_count(running->progress, &sum);
}

static int run(struct running *running, const struct patience *patience)
{
	int ret;

	for (;;) {
		wait_for_records(running, patience);
		ret = drain(running);
		if (ret || running->ended)
			return ret;
		note_counts(running);
		progress_update(running->progress);
		if (collect_interrupted() || hopeless(running, patience)) {
			device_stop(running->reader.fd);
			note_end(running);
			return drain(running);
		}
	}
}

static int conclude(struct running *running)
{
	struct idle_latency_counts counts;
	int ret = reader_counts(&running->reader, &counts);

	if (ret)
		return ret;
	note_wrong(running, running->reader.wrong);
	add_counts(&running->collection->counts, &counts);
	progress_count(running->progress, &running->collection->counts);
	/* Short sessions are over before they are shown. */
	progress_update(running->progress);
	return 0;
}

static int run_session(struct running *running, const struct patience *patience)
{
	const struct idle_latency_config *config = running->reader.config;
	int ret, counted;

	if (collect_interrupted())
		return -EINTR;
	if (!make_room(running->collection, config->samples))
		return -ENOMEM;
	running->started_ns = now_ns();
	ret = device_begin(running->reader.fd, config);
	if (ret)
		return ret;
	ret = run(running, patience);
	counted = conclude(running);
	if (!ret)
		ret = counted;
	if (!ret && interrupted && running->samples < config->samples)
		return -EINTR;
	return ret;
}

void collect(const struct task *task, const struct idle_latency_config *config,
	     const struct patience *patience, struct collection *collection)
{
	struct running running = {
		.reader = { .fd = task->fd, .config = config },
		.collection = collection, .progress = task->progress,
		.first_event = collection->counts.armed,
	};

	collection->error = -run_session(&running, patience);
}

static void signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
}

void collect_catch_signals(void)
{
	sigset_t set;

	signals(&set);
	signal_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (signal_fd >= 0)
		sigprocmask(SIG_BLOCK, &set, NULL);
}

/*
 * A second SIGINT ends the program at once. The runner of kselftest sends SIGTERM
 * more than once, and what is not printed then is lost.
 */
bool collect_interrupted(void)
{
	struct signalfd_siginfo info;
	sigset_t set;

	if (interrupted || signal_fd < 0 ||
	    read(signal_fd, &info, sizeof(info)) != sizeof(info))
		return interrupted;
	interrupted = true;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	return true;
}
