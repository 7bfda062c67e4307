// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <sys/stat.h>

#include "csv.h"
#include "report.h"

/* A line of a file, and what its values are taken from. */
struct line {
	FILE *file;
	/* so many are put already */
	unsigned int columns;
	/* the names of the columns instead of their values */
	bool is_header;
	const struct csv_run *run;
	const struct summary *summary;
	const struct verdict *verdict;
	const struct idle_latency_record *record;
	const struct step *step;
	/* index of a reason to discard */
	unsigned int reason;
};

/* Returns whether the column gets a value here. */
static bool begin(struct line *line, const char *name)
{
	if (line->columns++)
		fputc(',', line->file);
	if (line->is_header)
		fputs(name, line->file);
	return !line->is_header;
}

/* In quotes where a reader needs them. */
static void put_text(struct line *line, const char *name, const char *text)
{
	bool quoted;

	if (!begin(line, name))
		return;
	quoted = text[strcspn(text, ",\"\n")];
	if (quoted)
		fputc('"', line->file);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', line->file);
		fputc(*text, line->file);
	}
	if (quoted)
		fputc('"', line->file);
}

/* Nothing where there is no such number. */
static void put_number(struct line *line, const char *name, bool known, __u64 number)
{
	if (begin(line, name) && known)
		fprintf(line->file, "%llu", number);
}

static void put_percent(struct line *line, const char *name, bool known, double percent)
{
	if (begin(line, name) && known)
		fprintf(line->file, "%.2f", percent);
}

static void put_key(struct line *line, unsigned int stamp)
{
	const struct row *row = line->summary->row;

	put_number(line, "cpu", true, row->cpu);
	put_text(line, "method", row->method->name);
	put_text(line, "stamp", stamp_name(stamp));
	put_text(line, "state", row->state.name);
}

static void put_latencies(struct line *line)
{
	const struct summary *summary = line->summary;
	const struct order_stats *wake = &summary->wake;
	bool known = summary->has_wake;

	put_number(line, "min_ns", known, wake->min);
	put_number(line, "median_ns", known, wake->median);
	put_number(line, "p99_ns", known && wake->has_p99, wake->p99);
	put_number(line, "p9999_ns", known && wake->has_p9999, wake->p9999);
	put_number(line, "max_ns", known, wake->max);
	put_number(line, "intr_median_ns", summary->valid, summary->intr.median);
	put_number(line, "intr_max_ns", summary->valid, summary->intr.max);
}

static void put_verdict(struct line *line)
{
	const struct summary *summary = line->summary;
	const struct launch_distance *ldist = &summary->strata[STRATUM_COUNTED].ldist;
	const struct verdict *verdict = line->verdict;
	char rule[32], qualifiers[QUALIFIERS_BYTES];

	put_text(line, "verdict", verdict_name(verdict->result));
	put_text(line, "kernel", line->run->kernel);
	quantile_name(line->run->quantile, rule, sizeof(rule));
	put_text(line, "rule", rule);
	put_number(line, "ldist_from_ns", summary->ran, ldist->from_ns);
	put_number(line, "ldist_to_ns", summary->ran, ldist->to_ns);
	put_number(line, "reached", summary->counted, verdict->reached);
	put_number(line, "package", summary->package_counted, verdict->package);
	put_number(line, "above", summary->ran, verdict->above);
	put_number(line, "discarded_above", summary->ran, verdict->discarded_above);
	put_number(line, "smallest_pass_ns", summary->valid, verdict->smallest_pass_ns);
	verdict_qualifiers_text(verdict->qualifiers, qualifiers, sizeof(qualifiers));
	put_text(line, "qualifier", qualifiers);
	put_text(line, "reason", verdict->reason);
	put_number(line, "error_ns", summary->valid, summary->median_error_ns);
	put_number(line, "uncertain_ns", summary->valid, summary->median_uncertain_ns);
}

static void put_summary(struct line *line)
{
	const struct summary *summary = line->summary;

	put_text(line, "machine", line->run->machine);
	put_text(line, "cpu_model", line->run->cpu_model);
	put_text(line, "driver", line->run->driver);
	put_key(line, summary->stamp);
	put_number(line, "declared_ns", true, row_declared_ns(summary->row));
	put_number(line, "armed", summary->ran, summary->counts.armed);
	put_number(line, "valid", summary->ran, summary->valid);
	put_number(line, "discarded", summary->ran, discards_total(&summary->counts));
	put_latencies(line);
	put_verdict(line);
}

static void put_share(struct line *line, const char *name, unsigned int counter)
{
	double percent = 0;
	bool known = residency_share(line->record, counter, &percent);

	put_percent(line, name, known, percent);
}

static void put_shares(struct line *line)
{
	static const char * const names[] = {
		"cc3_pct", "cc6_pct", "cc7_pct", "mc6_pct", "pc2_pct", "pc3_pct", "pc6_pct",
		"pc7_pct", "pc8_pct", "pc9_pct", "pc10_pct",
	};
	double percent = 0;
	bool known;

	put_share(line, "c0_pct", IDLE_LATENCY_RESIDENCY_C0);
	known = residency_c1_share(line->record, &percent);
	put_percent(line, "c1_pct", known, percent);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		put_share(line, names[i], IDLE_LATENCY_RESIDENCY_CC3 + i);
	known = residency_frequency(line->record, &percent);
	put_percent(line, "frequency_pct", known, percent);
}

static void put_record(struct line *line)
{
	const struct idle_latency_record *record = line->record;
	bool counted = record->flags & IDLE_LATENCY_RECORD_COUNTED;
	bool nic = record->source == IDLE_LATENCY_SOURCE_NIC;
	bool wake = record_has_wake(record);

	put_key(line, record->stamp);
	put_number(line, "seq", true, record->seq);
	put_number(line, "ldist_ns", true, record->ldist_ns);
	put_number(line, "ltime_ns", true, record->ltime_ns);
	put_number(line, "silent_ns", wake, record->silent_ns);
	put_number(line, "wake_ns", wake, record->wake_ns);
	put_number(line, "intr_ns", true, record->intr_ns);
	put_number(line, "error_ns", true, record->error_ns);
	put_number(line, "warmup_ns", nic, record->warmup_ns);
	put_number(line, "latch_ns", nic, record->latch_ns);
	put_number(line, "tbi_tsc", true, record->tbi_cyc);
	put_number(line, "tai_tsc", true, record->tai_cyc);
	put_number(line, "tintr_tsc", true, record->tintr_cyc);
	put_number(line, "idle_periods", true, record->idle_periods);
	put_shares(line);
	put_number(line, "interval_cyc", true, record->interval_cyc);
	put_number(line, "event", true, record->event);
	put_number(line, "reached", counted, !!(record->flags & IDLE_LATENCY_RECORD_REACHED));
	put_text(line, "package", residency_package(record));
}

static void put_datapoint(struct line *line)
{
	put_record(line);
	put_number(line, "uncertain_ns", true,
		   instrument_uncertain(&line->summary->instrument, line->record));
}

static void put_discarded(struct line *line)
{
	char reasons[256];

	put_record(line);
	discards_reasons_text(line->record->reasons, reasons, sizeof(reasons));
	put_text(line, "reasons", reasons);
}

static void put_discards(struct line *line)
{
	const struct idle_latency_counts *counts = &line->summary->counts;
	const struct row *row = line->summary->row;
	const unsigned int i = line->reason;
	char reason[32];

	put_number(line, "cpu", true, row->cpu);
	put_text(line, "method", row->method->name);
	put_text(line, "state", row->state.name);
	discards_reasons_text(1U << i, reason, sizeof(reason));
	put_text(line, "reason", reason);
	put_number(line, "count", true, counts->discarded[i]);
	put_number(line, "above", true, counts->above[i]);
	put_number(line, "largest_ns", counts->largest_ns[i], counts->largest_ns[i]);
}

static void put_sweep(struct line *line)
{
	const struct step *step = line->step;
	const struct range *range = &step->range;
	const struct order_stats *latency = &step->latency;
	bool any = range->count, silent = any && line->summary->has_wake;

	put_key(line, line->summary->stamp);
	put_number(line, "declared_ns", true, line->summary->row->info.exit_latency_ns);
	put_number(line, "ldist_from_ns", true, range->ldist.from_ns);
	put_number(line, "ldist_to_ns", true, range->ldist.to_ns);
	put_number(line, "samples", true, range->count);
	put_number(line, "discarded", true, step->discarded);
	put_number(line, "silent_min_ns", silent, step->silent_min_ns);
	put_number(line, "silent_median_ns", silent, step->silent_median_ns);
	put_number(line, "silent_max_ns", silent, step->silent_max_ns);
	put_number(line, "min_ns", any, latency->min);
	put_number(line, "median_ns", any, latency->median);
	put_number(line, "p99_ns", latency->has_p99, latency->p99);
	put_number(line, "max_ns", any, latency->max);
	put_number(line, "above", true, range->above);
	put_text(line, "change", step_change_name(step->change));
}

static const struct {
	const char *name;
	/* NULL: it has no columns */
	void (*put)(struct line *line);
} files[CSV_FILES] = {
	[CSV_ENVIRONMENT] = { "environment.txt", NULL },
	[CSV_DATAPOINTS] = { "datapoints.csv", put_datapoint },
	[CSV_DISCARDED] = { "discarded.csv", put_discarded },
	[CSV_DISCARDS] = { "discards.csv", put_discards },
	[CSV_SWEEP] = { "sweep.csv", put_sweep },
	[CSV_SUMMARY] = { "summary.csv", put_summary },
};

/* Where the file is wanted. */
static void put_line(const struct csv *csv, enum result_file of, struct line line)
{
	line.file = csv->file[of];
	if (!line.file)
		return;
	files[of].put(&line);
	fputc('\n', line.file);
}

/* The values that this has instead are not put. */
void csv_header(const struct csv *csv, enum result_file of)
{
	static const struct row row = { .method = methods };
	static const struct summary summary = { .row = &row };
	static const struct csv_run run;
	static const struct verdict verdict;
	static const struct idle_latency_record record;
	static const struct step step;

	put_line(csv, of, (struct line) {
		.is_header = true, .run = &run, .summary = &summary, .verdict = &verdict,
		.record = &record, .step = &step,
	});
}

void csv_result(const struct csv *csv, const struct csv_run *run, const struct result *result)
{
	const struct summary *summary = &result->summary;
	struct line line = { .run = run, .summary = summary, .verdict = &result->verdict };

	put_line(csv, CSV_SUMMARY, line);
	for (line.reason = 0; line.reason < IDLE_LATENCY_DISCARD_SLOTS; line.reason++)
		if (summary->counts.discarded[line.reason])
			put_line(csv, CSV_DISCARDS, line);
	for (size_t i = 0; summary->ran && i < summary->step_count; i++) {
		line.step = &summary->steps[i];
		put_line(csv, CSV_SWEEP, line);
	}
}

void csv_records(const struct csv *csv, const struct summary *summary,
		 const struct collection *collection)
{
	struct line line = { .summary = summary };

	for (size_t i = 0; i < collection->count; i++) {
		line.record = &collection->samples[i];
		put_line(csv, CSV_DATAPOINTS, line);
	}
	for (size_t i = 0; i < collection->discarded_count; i++) {
		line.record = &collection->discarded[i];
		put_line(csv, CSV_DISCARDED, line);
	}
	if (csv->file[CSV_DISCARDED] && collection->counts.kept > collection->discarded_count)
		report_line("%s: discarded.csv has the first %zu of %llu discarded events",
			    row_name(summary->row), collection->discarded_count,
			    collection->counts.kept);
}

/* Until it is complete. */
static const char *partial_name(enum result_file of)
{
	static char name[32];

	snprintf(name, sizeof(name), "%s.partial", files[of].name);
	return name;
}

/* A complete file of an earlier run would be taken for one of this run. */
static bool open_files(struct csv *csv, const struct options *options)
{
	for (unsigned int i = 0; i < CSV_FILES; i++) {
		int fd;

		if (unlinkat(csv->dir, files[i].name, 0) && errno != ENOENT)
			return false;
		if ((i == CSV_DISCARDED && !options->keep_discarded) ||
		    (i == CSV_SWEEP && !options->sweep.percent))
			continue;
		fd = openat(csv->dir, partial_name(i), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
			    0666);
		csv->file[i] = fd < 0 ? NULL : fdopen(fd, "w");
		if (!csv->file[i])
			return false;
		if (files[i].put)
			csv_header(csv, i);
	}
	return true;
}

bool csv_open(struct csv *csv, const struct options *options)
{
	int error;

	*csv = (struct csv) { };
	if (mkdir(options->out, 0777) && errno != EEXIST)
		return false;
	csv->dir = open(options->out, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (csv->dir < 0 || open_files(csv, options))
		return csv->dir >= 0;
	error = errno;
	for (size_t i = 0; i < CSV_FILES; i++)
		if (csv->file[i])
			fclose(csv->file[i]);
	close(csv->dir);
	errno = error;
	return false;
}

static bool publish(const struct csv *csv, enum result_file of)
{
	bool written = !ferror(csv->file[of]);

	written &= !fclose(csv->file[of]);
	return written && !renameat(csv->dir, partial_name(of), csv->dir, files[of].name);
}

/* The summary is the last one: where it is, the others are. */
bool csv_close(struct csv *csv)
{
	bool ok = true;

	for (unsigned int i = 0; i < CSV_FILES; i++)
		if (csv->file[i])
			ok &= publish(csv, i);
	close(csv->dir);
	return ok;
}
