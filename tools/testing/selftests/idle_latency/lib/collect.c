// SPDX-License-Identifier: GPL-2.0
/*
 * The sessions of a row, or of the same row of several CPUs: at which launch distances, and until
 * when. While they run, records are checked and stored, and nothing else is done with them: on a
 * machine with one CPU, each microsecond of work here is one in which the measured CPU is not
 * idle.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/signalfd.h>

#include "collect.h"
#include "meanwhile.h"
#include "phases.h"

#define POLL_MS		1000
#define NS_PER_MS	1000000ULL
#define CHUNK		256

/*
 * The records of several sessions are read as often in any second at most: evenly, but sooner when
 * one ends, as the others do so, too, then.
 */
#define READS		10
#define READ_NS		(NS_PER_SEC / READS)
#define READ_SOON_NS	(READ_NS / 4)

/* Sessions that are shorter leave no time for something else. */
#define WORK_LEAST_NS	(5 * READ_NS)

/*
 * What it takes to configure and to start a session among several: half as much again as the last
 * time, as one may take longer than another one. Of the first ones nothing is known but that 448
 * are to start in a second. The driver takes no start that is more than 60 s ahead.
 */
static __u64 begin_ns = 2 * NS_PER_SEC / 448;
#define BEGIN_PERCENT	150
#define AHEAD_MOST_NS	(50 * NS_PER_SEC)

static bool (*work_beside)(void);

/* When records were read, as often as they may be in a second. */
static __u64 read_ns[READS];
static size_t reads;

static int signal_fd = -1;
static bool interrupted;
static const char *wrong;

struct running {
	const struct take *take;
	struct idle_latency_config config;
	struct reader reader;
	struct patience limits;
	/* of the sessions before: the samples that were stored, and the counts */
	size_t samples;
	struct idle_latency_counts counts;
	__u64 began_ns;
	/* there was none for a record */
	bool no_memory;
	/* -EAGAIN while it runs */
	int ret;
};

static bool make_room(struct collection *collection, size_t more)
{
	size_t bytes = more * sizeof(*collection->samples);
	struct idle_latency_record *samples;

	if (collection->packed_bytes)
		return packed_reserve(&collection->packed, more);
	if (!collection->discarded)
		collection->discarded = collect_alloc(collection->discarded_room);
	samples = realloc(collection->samples,
			  collection->count * sizeof(*samples) + bytes);
	if (!samples)
		return false;
	collection->samples = samples;
	/* Now, lest page faults keep the CPU from being idle later. */
	memset(samples + collection->count, 0, bytes);
	return collection->discarded;
}

static void put(struct running *running, const struct idle_latency_record *record,
		struct idle_latency_record *slot)
{
	struct collection *collection = running->take->collection;

	if (!collection->packed_bytes)
		*slot = *record;
	else if (!packed_add(&collection->packed, record))
		running->no_memory = true;
}

static void store(struct running *running, const struct idle_latency_record *delivered)
{
	struct collection *collection = running->take->collection;
	struct idle_latency_record record = *delivered;

	record.event += running->counts.armed;
	if (record.reasons) {
		if (collection->discarded_count == collection->discarded_room)
			return;
		record.seq = collection->discarded_count++;
		put(running, &record, &collection->discarded[record.seq]);
		return;
	}
	if (collection->count - running->samples == running->config.samples) {
		if (!running->reader.wrong)
			running->reader.wrong = "more records were delivered than asked for";
		return;
	}
	record.seq = collection->count++;
	put(running, &record, &collection->samples[record.seq]);
	collection->has_intr |= !record_has_wake(&record);
	verdict_count(&collection->counting, &record,
		      running->take->task->row->info.target_residency_ns);
	progress_note(running->take->task->progress, &record);
}

/* Returns -EAGAIN while the session goes on, 0 after its end, or another -errno. */
static int drain(struct running *running)
{
	static struct idle_latency_record chunk[CHUNK];
	ssize_t got;

	while ((got = reader_read(&running->reader, chunk, CHUNK)) > 0)
		for (ssize_t i = 0; i < got; i++)
			store(running, &chunk[i]);
	return got == -EINTR ? -EAGAIN : got;
}

/* How long the most impatient of them waits. */
static int poll_ms(const struct running *running, size_t count)
{
	__u64 now = now_ns(), left_ns = POLL_MS * NS_PER_MS;

	for (size_t i = 0; i < count; i++)
		if (running[i].ret == -EAGAIN)
			left_ns = smaller(left_ns, minus_or_0(running[i].limits.until_ns, now));
	return left_ns ? smaller(left_ns / NS_PER_MS + 1, POLL_MS) : 0;
}

/* @counts: of this session so far */
static void note_counts(struct running *running, const struct idle_latency_counts *counts)
{
	struct idle_latency_counts *sum = &running->take->collection->counts;

	*sum = running->counts;
	sum->armed += counts->armed;
	sum->delivered += counts->delivered;
	sum->kept += counts->kept;
	sum->advanced_cyc += counts->advanced_cyc;
	sum->between_cyc += counts->between_cyc;
	for (size_t i = 0; i < IDLE_LATENCY_DISCARD_SLOTS; i++) {
		sum->discarded[i] += counts->discarded[i];
		sum->above[i] += counts->above[i];
		sum->largest_ns[i] = larger(sum->largest_ns[i], counts->largest_ns[i]);
	}
	progress_count(running->take->task->progress, sum);
}

static void end_session(struct running *running, int ret)
{
	struct collection *collection = running->take->collection;
	struct idle_latency_counts counts;
	int counted;

	running->ret = running->no_memory ? -ENOMEM : ret == -EAGAIN ? 0 : ret;
	/* It ran, even when it ended before all were to begin. */
	collection->elapsed_ns += larger(minus_or_0(now_ns(), running->began_ns), 1);
	counted = reader_counts(&running->reader, &counts);
	if (!counted)
		note_counts(running, &counts);
	if (!wrong)
		wrong = running->reader.wrong;
	if (!running->ret)
		running->ret = counted;
	if (!running->ret && interrupted && running->reader.samples < running->config.samples)
		running->ret = -EINTR;
}

/* Reads what there is, and the counts. */
static void go_on(struct running *running)
{
	struct idle_latency_counts counts;
	int ret = drain(running);

	if (ret != -EAGAIN) {
		end_session(running, ret);
		return;
	}
	if (!device_counts(running->reader.fd, &counts))
		note_counts(running, &counts);
	if (running->no_memory || collect_interrupted() ||
	    collect_gives_up(running->take->collection, &running->limits)) {
		device_stop(running->reader.fd);
		end_session(running, drain(running));
	}
}

/* @start_ns: when all of them begin, or 0 for at once */
static void begin_session(struct running *running, const struct take *take, __u64 start_ns,
			  size_t sessions)
{
	const struct task *task = take->task;
	struct idle_latency_config *config = &running->config;
	const __u64 sample_ns = budget_cost(take->ldist, task->row->info.exit_latency_ns, 1);

	*config = task->config;
	config->samples = take->samples;
	config->ldist_from_ns = take->ldist.from_ns;
	config->ldist_to_ns = take->ldist.to_ns;
	config->start_ns = start_ns;
	config->buffer_records = start_ns ? phases_buffer(sample_ns, sessions) : 0;
	running->take = take;
	running->reader = (struct reader) {
		.fd = task->fd, .config = config, .may_be_later = true,
	};
	running->samples = take->collection->count;
	running->counts = take->collection->counts;
	running->limits = take->patience ? *take->patience :
			  collect_patience(take->collection, take->samples, take->ldist.to_ns);
	running->limits.until_ns += minus_or_0(start_ns, now_ns());
	if (task->until_ns)
		running->limits.until_ns = smaller(running->limits.until_ns, task->until_ns);
	task->progress->sample_cost_ns = sample_ns;
	/* Nothing was planned, and so nothing announced. */
	if (!task->row->cost_ns)
		progress_want(task->progress, take->samples);
	if (collect_interrupted())
		running->ret = -EINTR;
	else if (!make_room(take->collection, take->samples))
		running->ret = -ENOMEM;
	else
		running->ret = device_begin(task->fd, config) ?: -EAGAIN;
	running->began_ns = larger(now_ns(), start_ns);
}

/* The last one is started before the first one arms an event. */
static void begin_sessions(struct running *running, const struct take *takes, size_t count)
{
	const __u64 now = now_ns();
	const __u64 start_ns = count > 1 ? now + smaller(count * begin_ns, AHEAD_MOST_NS) : 0;

	for (size_t i = 0; i < count; i++)
		begin_session(&running[i], &takes[i], start_ns, count);
	if (start_ns)
		begin_ns = (now_ns() - now) * BEGIN_PERCENT / 100 / count + 1;
}

static bool work(bool has_time)
{
	return has_time && work_beside && work_beside();
}

/*
 * Nobody is woken in between, but for a signal.
 * @end: sessions have ended, or do soon
 */
static void pause_reading(bool end, bool has_time)
{
	struct pollfd fd = { .fd = signal_fd, .events = POLLIN };
	const __u64 last_ns = read_ns[(reads - 1) % READS], first_ns = read_ns[reads % READS];
	const __u64 until_ns = larger(last_ns + (end ? READ_SOON_NS : READ_NS),
				      first_ns + NS_PER_SEC);
	__u64 left_ns;

	while (now_ns() < until_ns && work(has_time && !end))
		;
	left_ns = minus_or_0(until_ns, now_ns());
	if (left_ns)
		poll(&fd, 1, left_ns / NS_PER_MS + 1);
}

/* Waits for records of any session that runs. Returns whether one does. */
static bool wait_for_records(struct pollfd *fds, const struct running *running, size_t count,
			     bool has_time)
{
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		const bool runs = running[i].ret == -EAGAIN;

		fds[i] = (struct pollfd) {
			.fd = runs ? running[i].reader.fd : -1, .events = POLLIN,
		};
		any |= runs;
	}
	fds[count] = (struct pollfd) { .fd = signal_fd, .events = POLLIN };
	if (!any)
		return false;
	while (has_time && !poll(fds, count + 1, 0) && work(has_time))
		;
	poll(fds, count + 1, poll_ms(running, count));
	return true;
}

/* Whether sessions of several CPUs take so long that something else can be done meanwhile. */
static bool leaves_time(const struct running *running, size_t count)
{
	const struct take *take = running->take;

	return count > 1 &&
	       take->samples * take->task->progress->sample_cost_ns >= WORK_LEAST_NS;
}

/* Whether it ends before its records would be read the next time. */
static bool ends_soon(const struct running *running)
{
	const struct take *take = running->take;

	return minus_or_0(take->samples, running->reader.samples) *
	       take->task->progress->sample_cost_ns < READ_NS;
}

/* All are read when one has records, so that they ask for that together the next time. */
static void run(struct running *running, struct pollfd *fds, const struct progress **progress,
		size_t count)
{
	const bool has_time = leaves_time(running, count);

	while (wait_for_records(fds, running, count, has_time)) {
		bool end = false;

		read_ns[reads++ % READS] = now_ns();
		for (size_t i = 0; i < count; i++) {
			progress[i] = running[i].take->task->progress;
			if (running[i].ret != -EAGAIN)
				continue;
			go_on(&running[i]);
			end |= running[i].ret != -EAGAIN || ends_soon(&running[i]);
		}
		progress_update(progress, count);
		meanwhile_update();
		if (count > 1)
			pause_reading(end, has_time);
	}
}

void take_sessions(const struct take *takes, size_t count)
{
	struct running *running = calloc(count, sizeof(*running));
	struct pollfd *fds = calloc(count + 1, sizeof(*fds));
	const struct progress **progress = calloc(count, sizeof(const struct progress *));
	const bool memory = running && fds && progress;

	if (memory) {
		begin_sessions(running, takes, count);
		run(running, fds, progress, count);
	}
	for (size_t i = 0; i < count; i++)
		takes[i].collection->error = memory ? -running[i].ret : ENOMEM;
	free(running);
	free(fds);
	free(progress);
}

void take_sessions_beside(bool (*work)(void))
{
	work_beside = work;
}

void task_begin(struct task *task, const struct row *row, struct progress *progress)
{
	bool probe = task->options->stamp == IDLE_LATENCY_STAMP_PROBE;

	task->row = row;
	task->config = (struct idle_latency_config) {
		.flags = IDLE_LATENCY_CONFIG_KEEP | (probe ? IDLE_LATENCY_CONFIG_PROBE : 0),
		.limit_ns = row_limit_ns(row, task->options),
		.cpu = row->cpu,
		.state = row->state.index,
		.source = row->method->source,
		.waker = row->waker,
		.entry_ns = ENTRY_NS_DEFAULT,
		.record_size = sizeof(struct idle_latency_record),
	};
	task->progress = progress ? progress : &task->of_no_row;
	progress_begin(task->progress, row, task->until_ns);
	if (!task->is_apart)
		affinity_avoid(row->cpu);
}

void collect_catch_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
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

const char *collect_wrong(void)
{
	const char *first = wrong;

	wrong = NULL;
	return first;
}
