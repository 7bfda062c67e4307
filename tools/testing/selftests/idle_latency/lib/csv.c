// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "csv.h"
#include "report.h"

/* A text field, in quotes where a reader needs them. */
static void put_text(FILE *file, const char *text)
{
	if (!text[strcspn(text, ",\"\n")]) {
		fputs(text, file);
		return;
	}
	fputc('"', file);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', file);
		fputc(*text, file);
	}
	fputc('"', file);
}

/* A number after a comma; only the comma where there is no such number. */
static void put_number(FILE *file, bool known, __u64 number)
{
	if (known)
		fprintf(file, ",%llu", number);
	else
		fputc(',', file);
}

static void put_key(FILE *file, const struct row *row, unsigned int stamp)
{
	fprintf(file, "%u,%s,%s,", row->cpu, row->method->name,
		stamp_name(stamp));
	put_text(file, row->state.name);
}

static void put_header(FILE *file, const char * const *columns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		fprintf(file, "%s%s", i ? "," : "", columns[i]);
}

void csv_summary_header(FILE *file)
{
	static const char * const columns[] = {
		"machine", "cpu_model", "driver", "cpu", "method", "stamp",
		"state", "declared_ns", "armed", "valid", "discarded",
		"min_ns", "median_ns", "p99_ns", "p9999_ns", "max_ns",
		"intr_median_ns", "intr_max_ns", "verdict", "kernel", "rule",
		"ldist_from_ns", "ldist_to_ns", "reached", "package", "above",
		"discarded_above", "smallest_pass_ns", "qualifier", "reason",
		"error_ns", "uncertain_ns",
	};

	put_header(file, columns, ARRAY_SIZE(columns));
	fputc('\n', file);
}

static void put_numbers(FILE *file, const struct summary *summary)
{
	put_number(file, true, row_declared_ns(summary->row));
	put_number(file, summary->ran, summary->counts.armed);
	put_number(file, summary->ran, summary->valid);
	put_number(file, summary->ran, discards_total(&summary->counts));
	put_number(file, summary->has_wake, summary->wake.min);
	put_number(file, summary->has_wake, summary->wake.median);
	put_number(file, summary->has_wake && summary->wake.has_p99, summary->wake.p99);
	put_number(file, summary->has_wake && summary->wake.has_p9999, summary->wake.p9999);
	put_number(file, summary->has_wake, summary->wake.max);
	put_number(file, summary->valid, summary->intr.median);
	put_number(file, summary->valid, summary->intr.max);
}

static void put_rule(FILE *file, const struct csv_run *run,
		     const struct summary *summary)
{
	struct launch_distance ldist = summary->strata[STRATUM_COUNTED].ldist;
	char rule[32];

	fputc(',', file);
	put_text(file, run->kernel);
	quantile_name(run->quantile, rule, sizeof(rule));
	fprintf(file, ",%s", rule);
	put_number(file, summary->ran, ldist.from_ns);
	put_number(file, summary->ran, ldist.to_ns);
}

static void put_verdict(FILE *file, const struct result *result)
{
	const struct summary *summary = &result->summary;
	const struct verdict *verdict = &result->verdict;
	char qualifiers[QUALIFIERS_BYTES];

	put_number(file, summary->counted, verdict->reached);
	put_number(file, summary->package_counted, verdict->package);
	put_number(file, summary->ran, verdict->above);
	put_number(file, summary->ran, verdict->discarded_above);
	put_number(file, summary->valid, verdict->smallest_pass_ns);
	verdict_qualifiers_text(verdict->qualifiers, qualifiers,
				sizeof(qualifiers));
	fprintf(file, ",%s,", qualifiers);
	put_text(file, verdict->reason);
	put_number(file, summary->valid, summary->median_error_ns);
	put_number(file, summary->valid, summary->median_uncertain_ns);
}

void csv_summary_row(FILE *file, const struct csv_run *run,
		     const struct result *result)
{
	const struct summary *summary = &result->summary;

	put_text(file, run->machine);
	fputc(',', file);
	put_text(file, run->cpu_model);
	fputc(',', file);
	put_text(file, run->driver);
	fputc(',', file);
	put_key(file, summary->row, summary->stamp);
	put_numbers(file, summary);
	fprintf(file, ",%s", verdict_name(result->verdict.result));
	put_rule(file, run, summary);
	put_verdict(file, result);
	fputc('\n', file);
}

static void put_record_header(FILE *file)
{
	static const char * const columns[] = {
		"cpu", "method", "stamp", "state", "seq", "ldist_ns",
		"ltime_ns", "silent_ns", "wake_ns", "intr_ns", "error_ns",
		"warmup_ns", "latch_ns", "tbi_tsc", "tai_tsc", "tintr_tsc",
		"idle_periods", "c0_pct", "c1_pct", "cc3_pct", "cc6_pct",
		"cc7_pct", "mc6_pct", "pc2_pct", "pc3_pct", "pc6_pct",
		"pc7_pct", "pc8_pct", "pc9_pct", "pc10_pct", "frequency_pct",
		"interval_cyc", "event", "reached", "package",
	};

	put_header(file, columns, ARRAY_SIZE(columns));
}

void csv_datapoints_header(FILE *file)
{
	put_record_header(file);
	fputs(",uncertain_ns\n", file);
}

void csv_discarded_header(FILE *file)
{
	put_record_header(file);
	fputs(",reasons\n", file);
}

/* Likewise a share. */
static void put_percent(FILE *file, bool known, double percent)
{
	if (known)
		fprintf(file, ",%.2f", percent);
	else
		fputc(',', file);
}

static void put_shares(FILE *file, const struct idle_latency_record *record)
{
	double percent = 0;
	bool known;

	known = residency_share(record, IDLE_LATENCY_RESIDENCY_C0, &percent);
	put_percent(file, known, percent);
	known = residency_c1_share(record, &percent);
	put_percent(file, known, percent);
	for (unsigned int i = IDLE_LATENCY_RESIDENCY_CC3;
	     i <= IDLE_LATENCY_RESIDENCY_PC10; i++) {
		known = residency_share(record, i, &percent);
		put_percent(file, known, percent);
	}
	known = residency_frequency(record, &percent);
	put_percent(file, known, percent);
}

static void put_record(FILE *file, const struct row *row,
		       const struct idle_latency_record *record)
{
	bool counted = record->flags & IDLE_LATENCY_RECORD_COUNTED;
	bool wake = record->flags & IDLE_LATENCY_RECORD_WAKE;
	bool nic = record->source == IDLE_LATENCY_SOURCE_NIC;

	put_key(file, row, record->stamp);
	put_number(file, true, record->seq);
	put_number(file, true, record->ldist_ns);
	put_number(file, true, record->ltime_ns);
	put_number(file, wake, record->silent_ns);
	put_number(file, wake, record->wake_ns);
	put_number(file, true, record->intr_ns);
	put_number(file, true, record->error_ns);
	put_number(file, nic, record->warmup_ns);
	put_number(file, nic, record->latch_ns);
	put_number(file, true, record->tbi_cyc);
	put_number(file, true, record->tai_cyc);
	put_number(file, true, record->tintr_cyc);
	put_number(file, true, record->idle_periods);
	put_shares(file, record);
	put_number(file, true, record->interval_cyc);
	put_number(file, true, record->event);
	put_number(file, counted,
		   !!(record->flags & IDLE_LATENCY_RECORD_REACHED));
	fprintf(file, ",%s", residency_package(record));
}

void csv_datapoint(FILE *file, const struct summary *summary,
		   const struct idle_latency_record *record)
{
	put_record(file, summary->row, record);
	put_number(file, true, instrument_uncertain(&summary->instrument, record));
	fputc('\n', file);
}

void csv_discarded(FILE *file, const struct row *row,
		   const struct idle_latency_record *record)
{
	char reasons[256];

	put_record(file, row, record);
	discards_reasons_text(record->reasons, reasons, sizeof(reasons));
	fprintf(file, ",%s\n", reasons);
}

void csv_discards_header(FILE *file)
{
	static const char * const columns[] = {
		"cpu", "method", "state", "reason", "count", "above",
		"largest_ns",
	};

	put_header(file, columns, ARRAY_SIZE(columns));
	fputc('\n', file);
}

void csv_discards(FILE *file, const struct summary *summary)
{
	const struct idle_latency_counts *counts = &summary->counts;
	const struct row *row = summary->row;
	char reason[32];

	for (size_t i = 0; i < IDLE_LATENCY_DISCARD_SLOTS; i++) {
		if (!counts->discarded[i])
			continue;
		discards_reasons_text(1U << i, reason, sizeof(reason));
		fprintf(file, "%u,%s,", row->cpu, row->method->name);
		put_text(file, row->state.name);
		fprintf(file, ",%s", reason);
		put_number(file, true, counts->discarded[i]);
		put_number(file, true, counts->above[i]);
		put_number(file, counts->largest_ns[i], counts->largest_ns[i]);
		fputc('\n', file);
	}
}

void csv_sweep_header(FILE *file)
{
	static const char * const columns[] = {
		"cpu", "method", "stamp", "state", "declared_ns",
		"ldist_from_ns", "ldist_to_ns", "samples", "discarded",
		"silent_min_ns", "silent_median_ns", "silent_max_ns", "min_ns",
		"median_ns", "p99_ns", "max_ns", "above", "change",
	};

	put_header(file, columns, ARRAY_SIZE(columns));
	fputc('\n', file);
}

static void put_step(FILE *file, const struct step *step, bool wake)
{
	const struct range *range = &step->range;
	bool any = range->count;

	put_number(file, true, range->ldist.from_ns);
	put_number(file, true, range->ldist.to_ns);
	put_number(file, true, range->count);
	put_number(file, true, step->discarded);
	put_number(file, any && wake, step->silent_min_ns);
	put_number(file, any && wake, step->silent_median_ns);
	put_number(file, any && wake, step->silent_max_ns);
	put_number(file, any, step->latency.min);
	put_number(file, any, step->latency.median);
	put_number(file, step->latency.has_p99, step->latency.p99);
	put_number(file, any, step->latency.max);
	put_number(file, true, range->above);
	fprintf(file, ",%s\n", step_change_name(step->change));
}

void csv_sweep(FILE *file, const struct summary *summary)
{
	for (size_t i = 0; i < summary->step_count; i++) {
		put_key(file, summary->row, summary->stamp);
		put_number(file, true, summary->row->info.exit_latency_ns);
		put_step(file, &summary->steps[i], summary->has_wake);
	}
}

void csv_records(const struct csv *csv, const struct summary *summary,
		 const struct collection *collection)
{
	FILE *discarded = csv->file[CSV_DISCARDED];
	const struct row *row = summary->row;

	for (size_t i = 0; i < collection->count; i++)
		csv_datapoint(csv->file[CSV_DATAPOINTS], summary,
			      &collection->samples[i]);
	for (size_t i = 0; discarded && i < collection->discarded_count; i++)
		csv_discarded(discarded, row, &collection->discarded[i]);
	if (discarded && collection->counts.kept > collection->discarded_count)
		report_line("%s: discarded.csv has the first %zu of %llu discarded events",
			    row_name(row), collection->discarded_count, collection->counts.kept);
}
