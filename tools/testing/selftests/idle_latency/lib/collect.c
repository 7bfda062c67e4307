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

#include "meanwhile.h"
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
static const char *wrong;

struct running {
	struct reader reader;
	struct collection *collection;
	struct progress *progress;
	/* of the sessions before: the samples that were stored, and the counts */
	size_t samples;
	struct idle_latency_counts counts;
};

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

	if (!collection->discarded)
		collection->discarded = calloc(collection->discarded_room + 1, sizeof(*samples));
	samples = realloc(collection->samples,
			  collection->count * sizeof(*samples) + bytes);
	if (!samples)
		return false;
	collection->samples = samples;
	/* Now, lest page faults keep the CPU from being idle later. */
	memset(samples + collection->count, 0, bytes);
	return collection->discarded;
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
	meanwhile_update();
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
	if (!wrong)
		wrong = running->reader.wrong;
	if (ret || counted)
		return ret ? ret : counted;
	return interrupted && running->reader.samples < config->samples ? -EINTR : 0;
}

void task_begin(struct task *task, const struct row *row, struct progress *progress)
{
	static struct progress of_no_row;
	bool probe = task->options->stamp == IDLE_LATENCY_STAMP_PROBE;

	task->row = row;
	task->config = (struct idle_latency_config) {
		.flags = IDLE_LATENCY_CONFIG_KEEP | (probe ? IDLE_LATENCY_CONFIG_PROBE : 0),
		.limit_ns = row_limit_ns(row, task->options),
		.cpu = row->cpu,
		.state = row->state.index,
		.source = row->method->source,
		.entry_ns = ENTRY_NS_DEFAULT,
		.record_size = sizeof(struct idle_latency_record),
	};
	task->progress = progress ? progress : &of_no_row;
	progress_begin(task->progress, row, task->until_ns);
	affinity_avoid(row->cpu);
}

void take_session(const struct task *task, struct launch_distance ldist, size_t samples,
		  const struct patience *patience, struct collection *collection)
{
	struct idle_latency_config config = task->config;
	struct running running = {
		.reader = { .fd = task->fd, .config = &config, .may_be_later = true },
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
	/* Nothing was planned, and so nothing announced. */
	if (!task->row->cost_ns)
		progress_want(task->progress, samples);
	collection->error = -run_session(&running, &limits);
}

/*
 * The others need their part of the time, and the awake CPU after them.
 * @costs_ns: of what is still to be measured
 */
static struct patience patience_with(const struct task *task, const struct stratum *stratum,
				     __u64 costs_ns, const struct collection *collection)
{
	__u64 wanted = larger(stratum->wanted, PACKAGE_READ_EVERY * task->package_wanted);
	struct patience patience = usual_patience(collection, wanted, stratum->ldist.to_ns);
	__u64 now = now_ns(), left_ns = minus_or_0(task->until_ns, now);

	left_ns = minus_or_0(left_ns, delivery_cost(task->row));
	if (left_ns)
		left_ns = budget_share(left_ns, stratum_cost(task->row, stratum), costs_ns);
	if (task->until_ns)
		patience.until_ns = smaller(patience.until_ns, now + left_ns);
	return patience;
}

/*
 * How many samples it is still worth to ask for, so that as many count as are wanted, and as many
 * have the package state.
 */
static size_t still_missing(const struct task *task, const struct stratum *stratum,
			    const struct patience *patience, const struct collection *collection)
{
	struct verdict_counted counted = verdict_counted(collection->samples + stratum->first,
							 stratum->count,
							 task->row->info.target_residency_ns);
	size_t package = minus_or_0(task->package_wanted, counted.package);
	size_t missing = larger(minus_or_0(stratum->wanted, counted.all),
				PACKAGE_READ_EVERY * package);

	if (collection->error || !missing || gives_up(collection, patience) ||
	    stratum->count >= 2 * SAMPLES_MAX ||
	    (stratum->count >= SESSION_AT_LEAST &&
	     counted.all < stratum->count / SAMPLES_PER_COUNTED))
		return 0;
	return larger(missing, SESSION_AT_LEAST);
}

/* Those that count, until they are as many as are wanted, or it is clear that they will not be. */
static void take_stratum(const struct task *task, struct stratum *stratum, __u64 costs_ns,
			 struct collection *collection)
{
	struct patience patience = patience_with(task, stratum, costs_ns, collection);
	__u64 discarded = discards_total(&collection->counts);
	size_t missing = stratum->wanted;

	stratum->first = collection->count;
	while (missing) {
		take_session(task, stratum->ldist, missing, &patience, collection);
		stratum->count = collection->count - stratum->first;
		missing = stratum == &collection->strata[STRATUM_COUNTED] ?
			  still_missing(task, stratum, &patience, collection) : 0;
		progress_want(task->progress, missing);
	}
	stratum->discarded = discards_total(&collection->counts) - discarded;
}

static bool copy_strata(const struct row *row, struct collection *collection)
{
	size_t bytes = row->step_count * sizeof(*row->steps);

	memcpy(collection->strata, row->strata, sizeof(row->strata));
	if (!bytes)
		return true;
	collection->steps = malloc(bytes);
	return collection->steps && memcpy(collection->steps, row->steps, bytes);
}

void take_row(const struct task *task, struct collection *collection)
{
	const struct row *row = task->row;
	size_t count = row->step_count ? row->step_count : STRATA;
	__u64 costs_ns = row->cost_ns;
	struct stratum *strata;

	if (!copy_strata(row, collection))
		collection->error = ENOMEM;
	strata = row->step_count ? collection->steps : collection->strata;
	for (size_t i = 0; i < count && !collection->error; i++) {
		if (row->step_count)
			task->progress->step = i + 1;
		if (strata[i].wanted)
			take_stratum(task, &strata[i], costs_ns, collection);
		costs_ns -= stratum_cost(row, &strata[i]);
		/* Even a session that ends at once takes ms, which steps would add up. */
		if (row->step_count && task->until_ns && now_ns() >= task->until_ns)
			break;
	}
	if (row->step_count)
		collection->strata[STRATUM_COUNTED].count = collection->count;
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
