// SPDX-License-Identifier: GPL-2.0
/* The sessions of a row: at which launch distances, and until when. */
#include "progress.h"

/*
 * The first samples of a session may miss the state, because the machine was
 * busy, so that a session is not made for a single sample. Of as few, the part
 * that counts says nothing either.
 */
#define SESSION_AT_LEAST	10

/* Of ten samples, one must count. */
#define SAMPLES_PER_COUNTED	10

struct taking {
	const struct task *task;
	struct collection *collection;
	/* of what is still to be measured */
	__u64 costs_ns;
};

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

	config.samples = samples;
	config.ldist_from_ns = ldist.from_ns;
	config.ldist_to_ns = ldist.to_ns;
	task->progress->sample_cost_ns = budget_cost(ldist, task->row->info.exit_latency_ns, 1);
	collect(task, &config, patience, collection);
}

/* The others need their part of the time. */
static struct patience patience_with(const struct taking *taking, const struct stratum *stratum)
{
	const struct task *task = taking->task;
	struct patience patience = collect_patience(taking->collection, stratum->wanted,
						    stratum->ldist.to_ns);
	__u64 now = now_ns(), until_ns = task->until_ns;

	if (until_ns > now)
		until_ns = now + budget_share(minus_or_0(until_ns - now, task->reserved_ns),
					      stratum_cost(task->row, stratum),
					      taking->costs_ns);
	if (until_ns && until_ns < patience.until_ns)
		patience.until_ns = until_ns;
	return patience;
}

static bool may_top_up(const struct collection *collection, const struct part *part,
		       size_t counted, const struct patience *patience)
{
	if (collect_gives_up(collection, patience) || part->count >= 2 * SAMPLES_MAX)
		return false;
	return part->count < SESSION_AT_LEAST ||
	       counted >= part->count / SAMPLES_PER_COUNTED;
}

/* Until as many samples count as are wanted, or it is clear that they will not. */
static void take_counted(struct taking *taking)
{
	const struct task *task = taking->task;
	const struct stratum *stratum = &task->row->strata[STRATUM_COUNTED];
	struct collection *collection = taking->collection;
	struct part *part = &collection->strata[STRATUM_COUNTED];
	struct patience patience = patience_with(taking, stratum);
	size_t missing = stratum->wanted, counted;

	part->first = collection->count;
	for (;;) {
		take_session(task, stratum->ldist, missing, &patience, collection);
		part->count = collection->count - part->first;
		counted = verdict_counted(collection->samples + part->first, part->count,
					  task->row->info.target_residency_ns);
		if (collection->error || counted >= stratum->wanted ||
		    !may_top_up(collection, part, counted, &patience))
			break;
		missing = larger(stratum->wanted - counted, SESSION_AT_LEAST);
		progress_want(task->progress, missing);
	}
	taking->costs_ns -= stratum_cost(task->row, stratum);
}

static void take_once(struct taking *taking, const struct stratum *stratum, struct part *part)
{
	struct collection *collection = taking->collection;
	struct patience patience = patience_with(taking, stratum);
	__u64 discarded = discards_total(&collection->counts);

	taking->costs_ns -= stratum_cost(taking->task->row, stratum);
	part->first = collection->count;
	take_session(taking->task, stratum->ldist, stratum->wanted, &patience, collection);
	part->count = collection->count - part->first;
	part->discarded = discards_total(&collection->counts) - discarded;
}

/* Even a session that ends at once takes some ms, which steps without time would add up. */
static void take_steps(struct taking *taking)
{
	const struct task *task = taking->task;
	struct collection *collection = taking->collection;

	for (size_t i = 0; i < task->row->step_count && !collection->error; i++) {
		task->progress->step = i + 1;
		take_once(taking, &task->row->steps[i], &collection->steps[i]);
		if (task->until_ns && now_ns() >= task->until_ns)
			break;
	}
	collection->strata[STRATUM_COUNTED].count = collection->count;
}

void take_row(const struct task *task, struct collection *collection)
{
	const struct row *row = task->row;
	const struct stratum *entry = &row->strata[STRATUM_ENTRY];
	struct taking taking = {
		.task = task, .collection = collection,
		.costs_ns = row->cost_ns,
	};

	if (row->step_count) {
		take_steps(&taking);
		return;
	}
	take_counted(&taking);
	if (!collection->error && entry->wanted)
		take_once(&taking, entry, &collection->strata[STRATUM_ENTRY]);
}
