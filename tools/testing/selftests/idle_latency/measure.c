// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "accounting.h"
#include "affinity.h"
#include "collect.h"
#include "csv.h"
#include "device.h"
#include "discards.h"
#include "explain.h"
#include "measure.h"
#include "report.h"

static struct idle_latency_config config_for(const struct row *row,
					     const struct options *options)
{
	struct launch_distance ldist = options->ldist;
	struct idle_latency_config config = {
		.cpu = row->cpu,
		.state = row->state.index,
		.source = row->method->source,
		.samples = options->samples,
	};

	if (!ldist.to_ns)
		ldist = launch_distance_for(row->state.residency_us);
	config.ldist_from_ns = ldist.from_ns;
	config.ldist_to_ns = ldist.to_ns;
	if (options->stamp == IDLE_LATENCY_STAMP_PROBE)
		config.flags |= IDLE_LATENCY_CONFIG_PROBE;
	return config;
}

static const char *check_accounting(const struct collection *collection)
{
	const char *wrong;

	for (size_t i = 0; i < collection->count; i++) {
		wrong = accounting_record(&collection->records[i], i,
					  collection->config);
		if (wrong)
			return wrong;
	}
	if (collection->count > collection->config->samples)
		return "more records were delivered than asked for";
	return accounting_end(&collection->counts, collection->count);
}

static void print_counts(const struct row *row)
{
	double seconds = row->elapsed_ns / 1e9;
	char discards[256];

	discards_text(&row->counts, discards, sizeof(discards));
	report_line("cpu%u %s %s: %zu samples in %.2f s (%.0f/s), armed %llu, discarded %llu%s%s",
		    row->cpu, row->method->name, row->state.name, row->valid,
		    seconds, seconds > 0 ? row->valid / seconds : 0.0,
		    row->counts.armed, discards_total(&row->counts),
		    *discards ? ": " : "", discards);
}

static void summarise_intr(struct row *row, __u64 *times,
			   const struct collection *collection)
{
	for (size_t i = 0; i < collection->count; i++) {
		const struct idle_latency_record *record =
			&collection->records[i];

		times[i] = record->intr_ns;
		if (record->error_ns > row->floor_ns)
			row->floor_ns = record->error_ns;
	}
	sort_samples(times, collection->count);
	row->intr = order_stats(times, collection->count);
}

/* Returns the number of samples that have a WakeLatency. */
static size_t summarise_wake(struct row *row, __u64 *times,
			     const struct collection *collection)
{
	size_t count = 0;

	for (size_t i = 0; i < collection->count; i++)
		if (collection->records[i].flags & IDLE_LATENCY_RECORD_WAKE)
			times[count++] = collection->records[i].wake_ns;
	sort_samples(times, count);
	row->has_wake = count && count == collection->count;
	if (row->has_wake)
		row->wake = order_stats(times, count);
	return count;
}

static void judge(struct row *row, const struct options *options,
		  const struct collection *collection)
{
	const struct verdict_rule rule = {
		.declared_ns = row_declared_ns(row),
		.has_limit = options->has_limit,
		.limit_ns = options->limit_ns,
		.quantile = options->quantile,
		.wanted = options->samples,
	};
	struct verdict_evidence evidence = {
		.valid = collection->count,
		.counts = &collection->counts,
	};
	__u64 *times = malloc((collection->count + 1) * sizeof(*times));

	if (!times) {
		verdict_skip(&row->verdict,
			     "out of memory: ask for fewer samples");
		return;
	}
	if (collection->count) {
		row->stamp = collection->records[0].stamp;
		summarise_intr(row, times, collection);
		evidence.wake_count = summarise_wake(row, times, collection);
	}
	evidence.wake = times;
	evidence.floor_ns = row->floor_ns;
	verdict_judge(&rule, &evidence, &row->verdict);
	free(times);
}

static void write_datapoints(const struct row *row, FILE *datapoints,
			     const struct collection *collection)
{
	for (size_t i = 0; i < collection->count; i++)
		csv_datapoint(datapoints, row, &collection->records[i]);
}

/* The kernel falls back to the probe where it has nothing closer. */
static bool stamp_missing(const struct row *row, const struct options *options)
{
	return row->stamp && options->stamp && row->stamp != options->stamp;
}

static void conclude(struct row *row, const struct options *options,
		     const struct collection *collection, int error)
{
	row->ran = true;
	row->counts = collection->counts;
	row->elapsed_ns = collection->elapsed_ns;
	row->valid = collection->count;
	judge(row, options, collection);
	print_counts(row);
	if (error)
		verdict_skip(&row->verdict,
			     explain_session(row->method->source, error));
	else if (stamp_missing(row, options))
		verdict_skip(&row->verdict,
			     "the kernel does not stamp around ->enter(): build it with CONFIG_CPU_IDLE_STAMPS");
}

static const char *measure_open(int fd, struct row *row,
				const struct options *options,
				FILE *datapoints)
{
	struct idle_latency_config config = config_for(row, options);
	struct collection collection = { };
	struct progress progress;
	const char *wrong = NULL;
	int ret = device_config(fd, &config);

	if (!ret) {
		progress_begin(&progress, row, options->samples,
			       options->plain);
		ret = collect(fd, &config, &progress, &collection);
	}
	if (collection.elapsed_ns) {
		conclude(row, options, &collection, -ret);
		wrong = check_accounting(&collection);
		if (datapoints)
			write_datapoints(row, datapoints, &collection);
	} else {
		verdict_skip(&row->verdict,
			     explain_session(row->method->source, -ret));
	}
	collect_free(&collection);
	return wrong;
}

const char *measure(struct row *row, const struct options *options,
		    FILE *datapoints)
{
	const char *wrong;
	int fd;

	affinity_avoid(row->cpu);
	fd = device_open(O_NONBLOCK);
	if (fd < 0) {
		verdict_skip(&row->verdict, explain_open(-fd));
		return NULL;
	}
	wrong = measure_open(fd, row, options, datapoints);
	close(fd);
	return wrong;
}
