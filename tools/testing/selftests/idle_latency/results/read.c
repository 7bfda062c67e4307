// SPDX-License-Identifier: GPL-2.0
/* Reads a run, and sees whether its files are what latency_test writes. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

const char * const share_columns[SHARES] = {
	"c0_pct", "c1_pct", "cc3_pct", "cc6_pct", "cc7_pct", "mc6_pct",
	"pc2_pct", "pc3_pct", "pc6_pct", "pc7_pct", "pc8_pct", "pc9_pct",
	"pc10_pct", "frequency_pct",
};

/* Nothing that is measured takes as long as that: 1000 s. */
#define TIME_MAX_NS	(1000 * NS_PER_SEC)

/* The columns that say what a line is of. */
struct key_columns {
	size_t cpu;
	size_t method;
	size_t state;
};

static struct key_columns find_key(struct csv_file *csv)
{
	return (struct key_columns) {
		.cpu = csv_file_column(csv, "cpu"),
		.method = csv_file_column(csv, "method"),
		.state = csv_file_column(csv, "state"),
	};
}

static void copy_text(struct csv_file *csv, const char *name, char *text,
		      size_t size)
{
	const char *field = csv->field[csv_file_column(csv, name)];

	if ((size_t)snprintf(text, size, "%s", field) >= size)
		csv_file_wrong(csv, "%s is longer than latency_test writes it",
			       name);
}

static __u64 number_of(struct csv_file *csv, const char *name)
{
	__u64 number;

	csv_file_optional(csv, csv_file_column(csv, name), &number);
	return number;
}

static bool is_of(struct csv_file *csv, const struct key_columns *key,
		  const struct result *result)
{
	return result->cpu == csv_file_number(csv, key->cpu) &&
	       !strcmp(result->method, csv->field[key->method]) &&
	       !strcmp(result->state, csv->field[key->state]);
}

/*
 * The row of the summary that a line is of; an error where there is none. Lines that follow each
 * other are mostly of the same, @likely.
 */
static struct result *find_result(struct run *run, struct csv_file *csv,
				  const struct key_columns *key,
				  struct result *likely)
{
	if (likely && is_of(csv, key, likely))
		return likely;
	for (size_t i = 0; i < run->count; i++)
		if (is_of(csv, key, &run->results[i]))
			return &run->results[i];
	csv_file_wrong(csv, "summary.csv has no row cpu%s %s %s",
		       csv->field[key->cpu], csv->field[key->method],
		       csv->field[key->state]);
	return NULL;
}

static void read_texts(struct csv_file *csv, struct result *result)
{
	result->cpu = csv_file_at_most(csv, csv_file_column(csv, "cpu"),
				       CPU_LIST_MAX - 1);
	copy_text(csv, "method", result->method, sizeof(result->method));
	copy_text(csv, "stamp", result->stamp, sizeof(result->stamp));
	copy_text(csv, "state", result->state, sizeof(result->state));
	copy_text(csv, "machine", result->machine, sizeof(result->machine));
	copy_text(csv, "cpu_model", result->cpu_model,
		  sizeof(result->cpu_model));
	copy_text(csv, "driver", result->driver, sizeof(result->driver));
	copy_text(csv, "kernel", result->kernel, sizeof(result->kernel));
	copy_text(csv, "rule", result->rule, sizeof(result->rule));
	copy_text(csv, "verdict", result->verdict, sizeof(result->verdict));
	copy_text(csv, "qualifier", result->qualifier,
		  sizeof(result->qualifier));
	copy_text(csv, "reason", result->reason, sizeof(result->reason));
	if (strcmp(result->method, "hrt") && strcmp(result->method, "tdt") &&
	    strcmp(result->method, "nic"))
		csv_file_wrong(csv, "method is '%s', not hrt, tdt or nic",
			       result->method);
	if (strcmp(result->verdict, "PASS") &&
	    strcmp(result->verdict, "FAIL") && strcmp(result->verdict, "SKIP"))
		csv_file_wrong(csv, "verdict is '%s', not PASS, FAIL or SKIP",
			       result->verdict);
}

static void read_numbers(struct csv_file *csv, struct result *result)
{
	result->ran = csv_file_optional(csv, csv_file_column(csv, "armed"),
					&result->armed);
	result->declared_ns = number_of(csv, "declared_ns");
	result->discarded = number_of(csv, "discarded");
	result->ldist_from_ns = number_of(csv, "ldist_from_ns");
	result->ldist_to_ns = number_of(csv, "ldist_to_ns");
	result->above = number_of(csv, "above");
	result->discarded_above = number_of(csv, "discarded_above");
	result->smallest_pass_ns = number_of(csv, "smallest_pass_ns");
	result->has_reached = csv_file_optional(csv,
						csv_file_column(csv, "reached"),
						&result->reached);
}

static void read_summary_stats(struct csv_file *csv, struct summary *summary)
{
	struct order_stats *wake = &summary->wake;

	summary->line = csv->line;
	summary->valid = number_of(csv, "valid");
	summary->intr_median = number_of(csv, "intr_median_ns");
	summary->intr_max = number_of(csv, "intr_max_ns");
	summary->has_wake = csv_file_optional(csv,
					      csv_file_column(csv, "max_ns"),
					      &wake->max);
	wake->min = number_of(csv, "min_ns");
	wake->median = number_of(csv, "median_ns");
	wake->has_p99 = csv_file_optional(csv, csv_file_column(csv, "p99_ns"),
					  &wake->p99);
	wake->has_p9999 = csv_file_optional(csv,
					    csv_file_column(csv, "p9999_ns"),
					    &wake->p9999);
}

static void read_summary_line(struct csv_file *csv, struct run *run)
{
	struct result result = {};

	read_texts(csv, &result);
	read_numbers(csv, &result);
	read_summary_stats(csv, &result.summary);
	if (run->count && (strcmp(run->results->machine, result.machine) ||
			   strcmp(run->results->cpu_model, result.cpu_model)))
		csv_file_wrong(csv, "the row is of another machine than the first one");
	if (find_same(run, &result))
		csv_file_wrong(csv, "the row cpu%u %s %s is there already",
			       result.cpu, result.method, result.state);
	if (result.armed != result.summary.valid + result.discarded)
		csv_file_wrong(csv, "armed is not the sum of valid and discarded");
	run->results = memory_for_one_more(run->results, run->count,
					   sizeof(*run->results));
	run->results[run->count++] = result;
}

static bool read_summary(struct run *run, struct csv_file *csv)
{
	if (csv_file_open(csv, run->dir, "summary.csv"))
		while (csv_file_next(csv))
			read_summary_line(csv, run);
	if (!run->count)
		csv_file_wrong(csv, "there is no row");
	return !*csv->error;
}

/* The columns of datapoints.csv. */
struct sample_columns {
	struct key_columns key;
	size_t stamp, seq, ldist, silent, wake, intr, error;
	size_t tbi, tai, tintr;
	size_t share[SHARES];
};

static struct sample_columns find_sample_columns(struct csv_file *csv)
{
	struct sample_columns columns = {
		.key = find_key(csv),
		.stamp = csv_file_column(csv, "stamp"),
		.seq = csv_file_column(csv, "seq"),
		.ldist = csv_file_column(csv, "ldist_ns"),
		.silent = csv_file_column(csv, "silent_ns"),
		.wake = csv_file_column(csv, "wake_ns"),
		.intr = csv_file_column(csv, "intr_ns"),
		.error = csv_file_column(csv, "error_ns"),
		.tbi = csv_file_column(csv, "tbi_tsc"),
		.tai = csv_file_column(csv, "tai_tsc"),
		.tintr = csv_file_column(csv, "tintr_tsc"),
	};

	for (size_t i = 0; i < SHARES; i++)
		columns.share[i] = csv_file_column(csv, share_columns[i]);
	return columns;
}

/* A share such as 12.34: latency_test writes two digits after the point. */
static float read_share(struct csv_file *csv, size_t column)
{
	const char *text = csv->field[column];
	char *end;
	float share;

	if (!*text)
		return NAN;
	share = strtof(text, &end);
	if (*end || !isfinite(share))
		csv_file_wrong(csv, "%s is '%s', which is no number",
			       csv->column[column], text);
	return share;
}

static void read_sample(struct csv_file *csv,
			const struct sample_columns *columns,
			struct sample *sample)
{
	*sample = (struct sample) {
		.line = csv->line,
		.seq = csv_file_number(csv, columns->seq),
		.ldist_ns = csv_file_at_most(csv, columns->ldist,
					     IDLE_LATENCY_LDIST_MAX_NS),
		.intr_ns = csv_file_at_most(csv, columns->intr, TIME_MAX_NS),
		.error_ns = csv_file_at_most(csv, columns->error, TIME_MAX_NS),
		.away_cyc = csv_file_number(csv, columns->tai) -
			    csv_file_number(csv, columns->tbi),
		.handler_cyc = csv_file_number(csv, columns->tintr) -
			       csv_file_number(csv, columns->tai),
	};
	sample->has_wake = csv_file_optional(csv, columns->wake,
					     &sample->wake_ns);
	if (sample->has_wake) {
		csv_file_at_most(csv, columns->wake, TIME_MAX_NS);
		sample->silent_ns = csv_file_at_most(csv, columns->silent,
						     TIME_MAX_NS);
	}
	for (size_t i = 0; i < SHARES; i++)
		sample->share[i] = read_share(csv, columns->share[i]);
}

static void store_sample(struct csv_file *csv, struct result *result,
			 const struct sample *sample)
{
	if (sample->seq != result->count)
		csv_file_wrong(csv, "seq is %llu, not %zu: lines are missing, doubled or moved",
			       sample->seq, result->count);
	result->samples = memory_for_one_more(result->samples, result->count,
					      sizeof(*result->samples));
	if (!result->count)
		result->has_wake = true;
	result->has_wake &= sample->has_wake;
	result->samples[result->count++] = *sample;
}

static bool read_samples(struct run *run, struct csv_file *csv)
{
	struct result *result = NULL;
	struct sample_columns columns;
	struct sample sample;

	if (!csv_file_open(csv, run->dir, "datapoints.csv"))
		return false;
	columns = find_sample_columns(csv);
	while (csv_file_next(csv)) {
		result = find_result(run, csv, &columns.key, result);
		read_sample(csv, &columns, &sample);
		if (result && strcmp(result->stamp, csv->field[columns.stamp]))
			csv_file_wrong(csv, "stamp is '%s', not that of summary.csv",
				       csv->field[columns.stamp]);
		if (result && !*csv->error)
			store_sample(csv, result, &sample);
	}
	return !*csv->error;
}

static void read_discard(struct csv_file *csv, struct result *result)
{
	struct discard *discard = &result->discards[result->discard_count];

	if (result->discard_count == DISCARDS_MAX) {
		csv_file_wrong(csv, "there are more than %d reasons",
			       DISCARDS_MAX);
		return;
	}
	copy_text(csv, "reason", discard->reason, sizeof(discard->reason));
	discard->count = number_of(csv, "count");
	discard->above = number_of(csv, "above");
	discard->largest_ns = number_of(csv, "largest_ns");
	result->discard_count++;
}

static __u64 distance_of(struct csv_file *csv, const char *name)
{
	__u64 ns = csv_file_at_most(csv, csv_file_column(csv, name),
				    IDLE_LATENCY_LDIST_MAX_NS);

	if (ns < IDLE_LATENCY_LDIST_MIN_NS)
		csv_file_wrong(csv, "%s is less than a launch distance", name);
	return ns;
}

static void read_step(struct csv_file *csv, struct result *result)
{
	struct step step = {
		.ldist_from_ns = distance_of(csv, "ldist_from_ns"),
		.ldist_to_ns = distance_of(csv, "ldist_to_ns"),
		.samples = number_of(csv, "samples"),
		.discarded = number_of(csv, "discarded"),
		.silent_min_ns = number_of(csv, "silent_min_ns"),
		.silent_max_ns = number_of(csv, "silent_max_ns"),
		.min_ns = number_of(csv, "min_ns"),
		.median_ns = number_of(csv, "median_ns"),
		.max_ns = number_of(csv, "max_ns"),
		.above = number_of(csv, "above"),
	};

	step.has_p99 = csv_file_optional(csv, csv_file_column(csv, "p99_ns"),
					 &step.p99_ns);
	copy_text(csv, "change", step.change, sizeof(step.change));
	result->steps = memory_for_one_more(result->steps, result->step_count,
					    sizeof(*result->steps));
	result->steps[result->step_count++] = step;
}

/* A file that a run may lack, with lines that are each of a row. */
static bool read_extra(struct run *run, const char *name, struct csv_file *csv,
		       void (*read)(struct csv_file *csv, struct result *result))
{
	struct result *result = NULL;
	struct key_columns key;

	if (!csv_file_open(csv, run->dir, name))
		return !csv->file && errno == ENOENT;
	key = find_key(csv);
	while (csv_file_next(csv)) {
		result = find_result(run, csv, &key, result);
		if (result)
			read(csv, result);
	}
	return !*csv->error;
}

static bool read_discards(struct run *run, struct csv_file *csv)
{
	return read_extra(run, "discards.csv", csv, read_discard);
}

static bool read_sweep(struct run *run, struct csv_file *csv)
{
	return read_extra(run, "sweep.csv", csv, read_step);
}

static void add_line(struct run *run, const char *line)
{
	run->environment = memory_for_one_more(run->environment,
					       run->environment_count,
					       sizeof(*run->environment));
	run->environment[run->environment_count++] = copy_of(line);
}

static bool read_environment(struct run *run, char *error, size_t size)
{
	char path[PATH_MAX];
	char *line = NULL;
	size_t room = 0;
	FILE *file;
	bool read;

	snprintf(path, sizeof(path), "%s/environment.txt", run->dir);
	file = fopen(path, "re");
	if (!file) {
		snprintf(error, size, "%s: %m", path);
		return false;
	}
	while (getline(&line, &room, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		add_line(run, line);
	}
	free(line);
	read = !ferror(file);
	fclose(file);
	if (!read)
		snprintf(error, size, "%s: cannot be read", path);
	return read;
}

static bool read_files(struct run *run, char *error, size_t size)
{
	static bool (* const readers[])(struct run *run, struct csv_file *csv) = {
		read_summary, read_samples, read_discards, read_sweep,
	};
	struct csv_file csv;

	for (size_t i = 0; i < ARRAY_SIZE(readers); i++) {
		bool ok = readers[i](run, &csv);

		csv_file_close(&csv);
		if (!ok) {
			snprintf(error, size, "%s", csv.error);
			return false;
		}
	}
	return read_environment(run, error, size) &&
	       run_agrees(run, error, size);
}

bool run_read(const char *dir, struct run *run, char *error, size_t size)
{
	*run = (struct run) { .dir = dir };
	if (read_files(run, error, size))
		return true;
	run_free(run);
	return false;
}

void run_free(struct run *run)
{
	for (size_t i = 0; i < run->count; i++) {
		free(run->results[i].samples);
		free(run->results[i].steps);
	}
	for (size_t i = 0; i < run->environment_count; i++)
		free(run->environment[i]);
	free(run->results);
	free(run->environment);
}
