// SPDX-License-Identifier: GPL-2.0
/*
 * The sessions of a row: at which launch distances, and until when. While one runs, records
 * are checked and stored, and nothing else is done with them: on a machine with one CPU, each
 * microsecond of work here is one in which the measured CPU is not idle.
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

/*
 * The first samples of a session may miss the state, because the machine was
 * busy, so that a session is not made for a single sample. Of as few, the part
 * that counts says nothing either.
 */
#define SESSION_AT_LEAST	10

/* Of ten samples, one must count. */
#define SAMPLES_PER_COUNTED	10

static int signal_fd = -1;
static bool interrupted;

struct running {
	struct reader reader;
	struct collection *collection;
	struct progress *progress;
	/* of the sessions before: the samples that were stored, and the counts */
	size_t samples;
	struct idle_latency_counts counts;
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

static void store(struct running *running, const struct idle_latency_record *record)
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
		if (collection->count - running->samples == running->reader.config->samples) {
			if (!running->reader.wrong)
				running->reader.wrong =
					"more records were delivered than asked for";
			return;
		}
		slot = &collection->samples[collection->count];
		*slot = *record;
		slot->seq = collection->count++;
		progress_note(running->progress, slot);
	}
	slot->event += running->counts.armed;
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

static int poll_ms(const struct patience *patience)
{
	__u64 left_ns = minus_or_0(patience->until_ns, now_ns());

	return left_ns ? smaller(left_ns / NS_PER_MS + 1, POLL_MS) : 0;
}

/*
 * Where nine of ten events are discarded, something is wrong with the machine,
 * and what is left is no fair selection.
 */
static struct patience usual_patience(const struct collection *collection, size_t wanted,
				      __u64 ldist_to_ns)
{
	return (struct patience) {
		.armed = collection->counts.armed + ARMED_AT_LEAST +
			 ARMED_PER_SAMPLE * wanted,
		.until_ns = now_ns() + NS_AT_LEAST +
			    ARMED_PER_SAMPLE * wanted * ldist_to_ns,
	};
}

static bool gives_up(const struct collection *collection, const struct patience *patience)
{
	return collection->counts.armed > patience->armed || now_ns() > patience->until_ns;
}

/* @counts: of this session so far */
static void note_counts(struct running *running, const struct idle_latency_counts *counts)
{
	struct idle_latency_counts *sum = &running->collection->counts;

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
	progress_count(running->progress, sum);
	progress_update(running->progress);
}

static int run(struct running *running, const struct patience *patience)
{
	struct pollfd fds[] = {
		{ .fd = running->reader.fd, .events = POLLIN },
		{ .fd = signal_fd, .events = POLLIN },
	};
	struct idle_latency_counts counts;
	int ret;

	for (;;) {
		poll(fds, ARRAY_SIZE(fds), poll_ms(patience));
		ret = drain(running);
		if (ret != -EAGAIN)
			return ret;
		if (!device_counts(running->reader.fd, &counts))
			note_counts(running, &counts);
		if (collect_interrupted() || gives_up(running->collection, patience)) {
			device_stop(running->reader.fd);
			ret = drain(running);
			return ret == -EAGAIN ? 0 : ret;
		}
	}
}

static int run_session(struct running *running, const struct patience *patience)
{
	const struct idle_latency_config *config = running->reader.config;
	struct collection *collection = running->collection;
	struct idle_latency_counts counts;
	__u64 began_ns;
	int ret, counted;

	if (collect_interrupted())
		return -EINTR;
	if (!make_room(collection, config->samples))
		return -ENOMEM;
	began_ns = now_ns();
	ret = device_begin(running->reader.fd, config);
	if (ret)
		return ret;
	ret = run(running, patience);
	collection->elapsed_ns += now_ns() - began_ns;
	counted = reader_counts(&running->reader, &counts);
	if (!counted)
		note_counts(running, &counts);
	if (!collection->wrong)
		collection->wrong = running->reader.wrong;
	if (ret || counted)
		return ret ? ret : counted;
	return interrupted && running->reader.samples < config->samples ? -EINTR : 0;
}

struct task task_begin(int fd, const struct row *row, const struct options *options,
		       __u64 until_ns, struct progress *progress)
{
	bool probe = options->stamp == IDLE_LATENCY_STAMP_PROBE;
	size_t wanted = 0;

	for (size_t i = 0; i < STRATA; i++)
		wanted += row->strata[i].wanted;
	progress_begin(progress, row, wanted, until_ns);
	affinity_avoid(row->cpu);
	return (struct task) {
		.fd = fd,
		.row = row,
		.config = {
			.flags = IDLE_LATENCY_CONFIG_KEEP |
				 (probe ? IDLE_LATENCY_CONFIG_PROBE : 0),
			.limit_ns = row_limit_ns(row, options),
			.cpu = row->cpu,
			.state = row->state.index,
			.source = row->method->source,
			.entry_ns = ENTRY_NS_DEFAULT,
			.record_size = sizeof(struct idle_latency_record),
		},
		.until_ns = until_ns,
		.progress = progress,
	};
}

void take_session(const struct task *task, struct launch_distance ldist, size_t samples,
		  const struct patience *patience, struct collection *collection)
{
	struct idle_latency_config config = task->config;
	struct running running = {
		.reader = { .fd = task->fd, .config = &config },
		.collection = collection, .progress = task->progress,
		.samples = collection->count, .counts = collection->counts,
	};
	struct patience limits = patience ? *patience :
					    usual_patience(collection, samples, ldist.to_ns);

	if (task->until_ns)
		limits.until_ns = smaller(limits.until_ns, task->until_ns);
	config.samples = samples;
	config.ldist_from_ns = ldist.from_ns;
	config.ldist_to_ns = ldist.to_ns;
	task->progress->sample_cost_ns = budget_cost(ldist, task->row->info.exit_latency_ns, 1);
	collection->error = -run_session(&running, &limits);
}

struct taking {
	const struct task *task;
	struct collection *collection;
	/* of what is still to be measured */
	__u64 costs_ns;
};

/* The others need their part of the time, and the awake CPU after them. */
static struct patience patience_with(const struct taking *taking, const struct stratum *stratum)
{
	const struct task *task = taking->task;
	struct patience patience = usual_patience(taking->collection, stratum->wanted,
						  stratum->ldist.to_ns);
	__u64 now = now_ns(), left_ns = minus_or_0(task->until_ns, now);

	left_ns = minus_or_0(left_ns, delivery_cost(task->row));
	if (left_ns)
		left_ns = budget_share(left_ns, stratum_cost(task->row, stratum),
				       taking->costs_ns);
	if (task->until_ns)
		patience.until_ns = smaller(patience.until_ns, now + left_ns);
	return patience;
}

/* How many samples it is still worth to ask for, so that as many count as are wanted. */
static size_t still_missing(const struct taking *taking, const struct stratum *stratum,
			    const struct part *part, const struct patience *patience)
{
	const struct collection *collection = taking->collection;
	size_t counted = verdict_counted(collection->samples + part->first, part->count,
					 taking->task->row->info.target_residency_ns);

	if (collection->error || counted >= stratum->wanted ||
	    gives_up(collection, patience) || part->count >= 2 * SAMPLES_MAX ||
	    (part->count >= SESSION_AT_LEAST && counted < part->count / SAMPLES_PER_COUNTED))
		return 0;
	return larger(stratum->wanted - counted, SESSION_AT_LEAST);
}

/* @top_up: until as many samples count as are wanted, or it is clear that they will not */
static void take_part(struct taking *taking, const struct stratum *stratum, struct part *part,
		      bool top_up)
{
	struct collection *collection = taking->collection;
	struct patience patience = patience_with(taking, stratum);
	__u64 discarded = discards_total(&collection->counts);
	size_t missing = stratum->wanted;

	part->first = collection->count;
	while (missing) {
		take_session(taking->task, stratum->ldist, missing, &patience, collection);
		part->count = collection->count - part->first;
		missing = top_up ? still_missing(taking, stratum, part, &patience) : 0;
		progress_want(taking->task->progress, missing);
	}
	part->discarded = discards_total(&collection->counts) - discarded;
	taking->costs_ns -= stratum_cost(taking->task->row, stratum);
}

static void take_steps(struct taking *taking)
{
	const struct task *task = taking->task;
	struct collection *collection = taking->collection;

	for (size_t i = 0; i < task->row->step_count && !collection->error; i++) {
		task->progress->step = i + 1;
		take_part(taking, &task->row->steps[i], &collection->steps[i], false);
		/* Even a session that ends at once takes ms, which such steps would add up. */
		if (task->until_ns && now_ns() >= task->until_ns)
			break;
	}
	collection->strata[STRATUM_COUNTED].count = collection->count;
}

void take_row(const struct task *task, struct collection *collection)
{
	const struct stratum *strata = task->row->strata;
	struct taking taking = { task, collection, task->row->cost_ns };

	if (task->row->step_count) {
		take_steps(&taking);
		return;
	}
	take_part(&taking, &strata[STRATUM_COUNTED], &collection->strata[STRATUM_COUNTED], true);
	if (!collection->error && strata[STRATUM_ENTRY].wanted)
		take_part(&taking, &strata[STRATUM_ENTRY], &collection->strata[STRATUM_ENTRY],
			  false);
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
