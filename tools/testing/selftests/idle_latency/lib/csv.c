// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <sys/stat.h>

#include "meanwhile.h"
#include "report.h"

#define KEY_COLUMNS "cpu,method,stamp,state"

#define RECORD_COLUMNS KEY_COLUMNS \
	",seq,ldist_ns,ltime_ns,silent_ns,wake_ns,intr_ns,error_ns,warmup_ns,latch_ns,tbi_tsc" \
	",tai_tsc,tintr_tsc,idle_periods,c0_pct,c1_pct,cc3_pct,cc6_pct,cc7_pct,mc6_pct,pc2_pct" \
	",pc3_pct,pc6_pct,pc7_pct,pc8_pct,pc9_pct,pc10_pct,frequency_pct,interval_cyc,event" \
	",reached,package"

#define SUMMARY_COLUMNS "machine,cpu_model,driver," KEY_COLUMNS \
	",declared_ns,armed,valid,discarded,min_ns,median_ns,p99_ns,p9999_ns,max_ns" \
	",intr_median_ns,intr_max_ns,verdict,kernel,rule,ldist_from_ns,ldist_to_ns,reached" \
	",package,above,discarded_above,smallest_pass_ns,qualifier,reason,error_ns,uncertain_ns" \
	",set,hold,concurrent,waker"

#define DISCARDS_COLUMNS "cpu,method,state,reason,count,above,largest_ns,meanwhile"

#define SWEEP_COLUMNS KEY_COLUMNS \
	",declared_ns,ldist_from_ns,ldist_to_ns,samples,discarded,silent_min_ns" \
	",silent_median_ns,silent_max_ns,min_ns,median_ns,p99_ns,max_ns,above,change"

/* 10000 lines and more. */
#define STATISTICS_BYTES	1000000

/* A line of a file, and what its values are taken from. */
struct line {
	FILE *file;
	/* what comes before the next value */
	const char *separator;
	const struct csv_run *run;
	const struct summary *summary;
	const struct verdict *verdict;
	const struct idle_latency_record *record;
	const struct stratum *step;
	const struct statistic *statistic;
	/* index of a reason to discard */
	unsigned int reason;
};

static void separate(struct line *line)
{
	fputs(line->separator, line->file);
	line->separator = ",";
}

/* Millions of them are written, for which fprintf() takes too long. */
static void put_number(FILE *file, __u64 number)
{
	char digits[20];
	size_t at = sizeof(digits);

	do
		digits[--at] = '0' + number % 10;
	while (number /= 10);
	fwrite_unlocked(digits + at, 1, sizeof(digits) - at, file);
}

/* In quotes where a reader needs them. */
static void put_text(struct line *line, const char *text)
{
	const char *quote = text[strcspn(text, ",\"\n")] ? "\"" : "";

	separate(line);
	fputs(quote, line->file);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', line->file);
		fputc(*text, line->file);
	}
	fputs(quote, line->file);
}

/* Nothing where there are no such numbers. */
static void put_array(struct line *line, bool known, const __u64 *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		separate(line);
		if (known)
			put_number(line->file, numbers[i]);
	}
}

#define put_numbers(line, known, ...) \
	put_array(line, known, (const __u64[]) { __VA_ARGS__ }, \
		  sizeof((const __u64[]) { __VA_ARGS__ }) / sizeof(__u64))

/* Of which the hundredths are a number. */
#define PERCENT_BELOW	1e15

static void put_percent(struct line *line, bool known, double percent)
{
	__u64 hundredths;

	separate(line);
	if (!known)
		return;
	if (percent < 0 || percent >= PERCENT_BELOW) {
		fprintf(line->file, "%.2f", percent);
		return;
	}
	hundredths = 100 * percent + 0.5;
	put_number(line->file, hundredths / 100);
	putc_unlocked('.', line->file);
	putc_unlocked('0' + hundredths / 10 % 10, line->file);
	putc_unlocked('0' + hundredths % 10, line->file);
}

static void put_seconds(struct line *line, __u64 ns)
{
	separate(line);
	fprintf(line->file, "%llu.%03llu", ns / NS_PER_SEC, ns % NS_PER_SEC / 1000000);
}

/* Without the stamp, which is that of a record. */
static void put_row(struct line *line, const struct row *row)
{
	put_text(line, row_cpus(row));
	put_text(line, row->method->name);
	put_text(line, row->state.name);
}

static void put_key(struct line *line, unsigned int stamp)
{
	const struct row *row = line->summary->row;

	put_text(line, row_cpus(row));
	put_text(line, row->method->name);
	put_text(line, stamp_name(stamp));
	put_text(line, row->state.name);
}

static void put_latencies(struct line *line)
{
	const struct summary *summary = line->summary;
	const struct order_stats *wake = &summary->wake, *intr = &summary->intr;
	bool known = summary->has_wake;

	put_numbers(line, known, wake->min, wake->median);
	put_numbers(line, known && wake->has_p99, wake->p99);
	put_numbers(line, known && wake->has_p9999, wake->p9999);
	put_numbers(line, known, wake->max);
	put_numbers(line, summary->valid, intr->median, intr->max);
}

static void put_verdict(struct line *line)
{
	const struct summary *summary = line->summary;
	const struct launch_distance *ldist = &summary->strata[STRATUM_COUNTED].ldist;
	const struct verdict *verdict = line->verdict;
	char rule[32];

	put_text(line, verdict_name(verdict->result));
	put_text(line, line->run->kernel);
	quantile_name(line->run->quantile, rule, sizeof(rule));
	put_text(line, rule);
	put_numbers(line, summary->ran && ldist->to_ns, ldist->from_ns, ldist->to_ns);
	put_numbers(line, summary->counted, verdict->reached);
	put_numbers(line, summary->package_counted, verdict->package);
	put_numbers(line, summary->ran, verdict->above, verdict->discarded_above);
	put_numbers(line, summary->valid, verdict->smallest_pass_ns);
	put_text(line, verdict_qualifiers(verdict->qualifiers));
	put_text(line, verdict->reason);
	put_numbers(line, summary->valid, summary->median_error_ns, summary->median_uncertain_ns);
	put_text(line, line->run->set);
	put_text(line, hold_name(summary->row->hold));
	put_text(line, summary->row->phase ? "yes" : "no");
	put_text(line, waker_place_name(summary->row->waker_place));
}

static void put_summary(struct line *line)
{
	const struct summary *summary = line->summary;

	put_text(line, line->run->machine);
	put_text(line, line->run->cpu_model);
	put_text(line, line->run->driver);
	put_key(line, summary->stamp);
	put_numbers(line, true, row_declared_ns(summary->row));
	put_numbers(line, summary->ran, summary->counts.armed, summary->valid,
		    discards_total(&summary->counts));
	put_latencies(line);
	put_verdict(line);
}

static void put_shares(struct line *line)
{
	double percent = 0;
	bool known;

	for (unsigned int i = 0; i < IDLE_LATENCY_RESIDENCY_MAX; i++) {
		known = residency_share(line->record, residency_by_depth(i), &percent);
		put_percent(line, known, percent);
	}
	known = residency_frequency(line->record, &percent);
	put_percent(line, known, percent);
}

static void put_record(struct line *line)
{
	const struct idle_latency_record *record = line->record;
	bool counted = record->flags & IDLE_LATENCY_RECORD_COUNTED;
	bool nic = record->source == IDLE_LATENCY_SOURCE_NIC;

	put_key(line, record->stamp);
	put_numbers(line, true, record->seq, record->ldist_ns, record->ltime_ns);
	put_numbers(line, record_has_wake(record), record->silent_ns, record->wake_ns);
	put_numbers(line, true, record->intr_ns, record->error_ns);
	put_numbers(line, nic, record->warmup_ns);
	put_numbers(line, nic || line->summary->row->method->has_waker, record->latch_ns);
	put_numbers(line, true, record->tbi_cyc, record->tai_cyc, record->tintr_cyc,
		    record->idle_periods);
	put_shares(line);
	put_numbers(line, true, record->interval_cyc, record->event);
	put_numbers(line, counted, !!(record->flags & IDLE_LATENCY_RECORD_REACHED));
	put_text(line, residency_package(record));
}

static void put_datapoint(struct line *line)
{
	put_record(line);
	put_numbers(line, true, instrument_uncertain(&line->summary->instrument, line->record));
	put_text(line, waker_place_name(line->summary->row->waker_place));
}

static void put_discarded(struct line *line)
{
	put_record(line);
	put_text(line, discards_reasons(line->record->reasons));
}

static void put_discards(struct line *line)
{
	const struct idle_latency_counts *counts = &line->summary->counts;
	const unsigned int i = line->reason;

	put_row(line, line->summary->row);
	put_text(line, discards_reasons(1U << i));
	put_numbers(line, true, counts->discarded[i], counts->above[i]);
	put_numbers(line, counts->largest_ns[i], counts->largest_ns[i]);
	put_text(line, i == IDLE_LATENCY_DISCARD_FOREIGN_IRQ ? line->summary->interrupts : "");
}

static void put_sweep(struct line *line)
{
	const struct stratum *step = line->step;
	const struct order_stats *latency = &step->latency;
	bool any = step->count;

	put_key(line, line->summary->stamp);
	put_numbers(line, true, line->summary->row->info.exit_latency_ns, step->ldist.from_ns,
		    step->ldist.to_ns, step->count, step->discarded);
	put_numbers(line, any && line->summary->has_wake, step->silent.min, step->silent.median,
		    step->silent.max);
	put_numbers(line, any, latency->min, latency->median);
	put_numbers(line, latency->has_p99, latency->p99);
	put_numbers(line, any, latency->max);
	put_numbers(line, true, step->above);
	put_text(line, step_change_name(step->change));
}

static void put_statistic(struct line *line)
{
	const struct statistic *statistic = line->statistic;

	put_seconds(line, statistic->read_ns);
	put_seconds(line, statistic->interval_ns);
	put_row(line, statistic->row);
	put_text(line, statistic->what);
	put_text(line, statistic->of);
	put_numbers(line, true, statistic->value);
}

static const struct {
	const char *name;
	/* NULL: it has none, nor lines that are put */
	const char *columns;
	void (*put)(struct line *line);
} files[CSV_FILES] = {
	[CSV_ENVIRONMENT] = { "environment.txt", NULL, NULL },
	[CSV_DATAPOINTS] = {
		"datapoints.csv", RECORD_COLUMNS ",uncertain_ns,waker", put_datapoint
	},
	[CSV_DISCARDED] = { "discarded.csv", RECORD_COLUMNS ",reasons", put_discarded },
	[CSV_DISCARDS] = { "discards.csv", DISCARDS_COLUMNS, put_discards },
	[CSV_SWEEP] = { "sweep.csv", SWEEP_COLUMNS, put_sweep },
	[CSV_STATISTICS] = { "statistics.csv", "time_s,seconds,cpu,method,state,what,of,value",
			     put_statistic },
	[CSV_SUMMARY] = { "summary.csv", SUMMARY_COLUMNS, put_summary },
};

/* Where the file is wanted. */
static void put_line(const struct csv *csv, enum result_file of, struct line line)
{
	line.file = csv->file[of];
	line.separator = "";
	if (!line.file)
		return;
	files[of].put(&line);
	fputc('\n', line.file);
}

void csv_header(const struct csv *csv, enum result_file of)
{
	if (files[of].columns)
		fprintf(csv->file[of], "%s\n", files[of].columns);
}

void csv_result(const struct csv *csv, const struct csv_run *run, const struct result *result)
{
	const struct summary *summary = &result->summary;
	struct line line = { .run = run, .summary = summary, .verdict = &result->verdict };

	put_line(csv, CSV_SUMMARY, line);
	/* What a type has of these is what its CPUs have. */
	if (summary->row->all)
		return;
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

void csv_statistic(const struct csv *csv, const struct statistic *statistic)
{
	put_line(csv, CSV_STATISTICS, (struct line) { .statistic = statistic });
}

/* Until it is complete. */
static const char *partial_name(const char *of)
{
	static char name[32];

	snprintf(name, sizeof(name), "%s.partial", of);
	return name;
}

FILE *csv_begin(int dir, const char *name)
{
	int fd;

	if (unlinkat(dir, name, 0) && errno != ENOENT)
		return NULL;
	fd = openat(dir, partial_name(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	return fd < 0 ? NULL : fdopen(fd, "w");
}

bool csv_end(FILE *file, int dir, const char *name, bool others)
{
	bool written = !ferror(file);

	written &= !fclose(file);
	return others && written && !renameat(dir, partial_name(name), dir, name);
}

static bool open_files(struct csv *csv, const struct options *options)
{
	static char statistics[STATISTICS_BYTES];

	for (unsigned int i = 0; i < CSV_FILES; i++) {
		if ((i == CSV_DISCARDED && !options->keep_discarded) ||
		    (i == CSV_SWEEP && !options->sweep.percent)) {
			if (unlinkat(csv->dir, files[i].name, 0) && errno != ENOENT)
				return false;
			continue;
		}
		csv->file[i] = csv_begin(csv->dir, files[i].name);
		if (!csv->file[i])
			return false;
		/* It grows during sessions: a write then would have the kernel work. */
		if (i == CSV_STATISTICS)
			setvbuf(csv->file[i], statistics, _IOFBF, sizeof(statistics));
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

/* The summary is the last one and only comes where all others did: where it is, they are. */
bool csv_close(struct csv *csv)
{
	bool ok = true;

	for (unsigned int i = 0; i < CSV_FILES; i++)
		if (csv->file[i])
			ok = csv_end(csv->file[i], csv->dir, files[i].name, ok);
	close(csv->dir);
	return ok;
}
