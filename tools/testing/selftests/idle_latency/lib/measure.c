// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "causes.h"
#include "environment.h"
#include "interrupts.h"
#include "keep.h"
#include "meanwhile.h"
#include "progress.h"
#include "report.h"
#include "take.h"

/* Discarded records are kept as many as samples, and as these. */
#define DISCARDED_AT_LEAST	1000

static const char no_stamps[] =
	"the kernel does not stamp around ->enter(): build it with CONFIG_CPU_IDLE_STAMPS";

/* So many are named of the interrupts that the CPU took. */
#define INTERRUPTS_IN_FILE	8
#define INTERRUPTS_IN_FIGURES	3

/* Of datapoints.csv, as many lines are written beside sessions before these are looked at. */
#define LINES_AT_ONCE	256

/* The records of rows that are over wait for that in no more memory. */
#define OVER_BYTES	(64ULL << 20)

/* Rows that are measured at once, and what is left to do when they are over. */
struct group {
	struct group *next;
	struct measurement *measurements;
	size_t count;
	const struct csv *csv;
	/* what the machine did meanwhile */
	struct causes causes;
	struct interrupt_table before, after;
	/* which row comes next, and its records when it was judged */
	size_t at;
	bool summarised;
	bool judged;
	struct collection records;
	size_t written;
};

/* Those that are over, the oldest first. */
static struct group *groups;

/* What --limit-ns says, nobody declares. */
static bool by_firmware(const struct row *row, const struct options *options)
{
	char driver[32], table[512] = "";

	if (options->has_limit || !cpuidle_driver(driver, sizeof(driver)))
		return false;
	sysfs_read_line("/sys/module/intel_idle/parameters/table", table,
			sizeof(table));
	return causes_firmware(driver, row->state.name, table);
}

/* Where its CPUs are held. Without a counter, no sample tells. */
static size_t asleep_wanted(const struct row *row, const struct options *options, enum scope scope)
{
	const bool counted = row->info.package_counter != IDLE_LATENCY_RESIDENCY_NONE;
	bool is_wanted = row->hold && state_includes(&row->info, scope) &&
			 (scope == SCOPE_MODULE ? row->hold >= HOLD_MODULE : counted);

	return is_wanted ? options_asleep(options) : 0;
}

/* But for what the samples of the row itself say. */
static struct verdict_rule rule_of(const struct row *row, const struct measured_cpu *measured,
				   const struct options *options, bool virtual,
				   const struct result *nic)
{
	__u32 counter = row->info.core_counter;
	struct verdict_rule rule = {
		.limit_ns = row_limit_ns(row, options),
		.residency_ns = row->info.target_residency_ns,
		.quantile = options->quantile,
		.wanted = smaller(options_least(options), row->strata[STRATUM_COUNTED].wanted),
		.counter_known = counter != IDLE_LATENCY_RESIDENCY_NONE,
		.counter = residency_name(counter),
		.firmware = by_firmware(row, options),
		.by_card = row_by_nic(row),
		.virtual = virtual,
		.promoted = row->info.flags & IDLE_LATENCY_STATE_C1E &&
			    !strcmp(row->state.name, "C1"),
	};

	for (enum scope scope = 0; scope < SCOPES; scope++) {
		rule.included[scope] = state_includes(&row->info, scope);
		rule.asleep_wanted[scope] = asleep_wanted(row, options, scope);
	}
	if (nic) {
		rule.nic_count = nic->summary.valid;
		rule.nic_reached = nic->verdict.reached;
	}
	measured_cpu_rule(measured, row->method, row->state.index, &rule);
	return rule;
}

bool state_includes(const struct idle_latency_state *state, enum scope scope)
{
	const bool counted = state->package_counter != IDLE_LATENCY_RESIDENCY_NONE;

	if (scope == SCOPE_MODULE)
		return state->flags & IDLE_LATENCY_STATE_MODULE;
	if (state->flags & IDLE_LATENCY_STATE_PACKAGE)
		return true;
	switch (state->core_counter) {
	case IDLE_LATENCY_RESIDENCY_CC6:
	case IDLE_LATENCY_RESIDENCY_CC7:
		return !counted;
	case IDLE_LATENCY_RESIDENCY_NONE:
		/* Of a state that is known to be C1 or C1E, all is known. */
		return !counted &&
		       !(state->flags & IDLE_LATENCY_STATE_NO_PREWAKE);
	default:
		return false;
	}
}

/*
 * The CPU may know when a timer is due, and wake up ahead of it: then the same state takes
 * longer by nic, which it cannot foresee. It does not where nic takes no longer with all that
 * both may be wrong by, or by a tenth at most.
 */
static bool nic_agrees(const struct summary *summary, const struct summary *nic)
{
	__u64 most_ns, error_ns;

	if (!nic || !nic->has_wake || !summary->has_wake)
		return false;
	most_ns = nic->wake.median + nic->median_error_ns;
	/* The software is in both. */
	error_ns = summary->median_error_ns + summary->median_uncertain_ns -
		   summary->instrument.software_ns;
	return most_ns - most_ns / 10 + error_ns <= summary->wake.median;
}

bool is_lower_bound(const struct summary *summary, const struct summary *nic)
{
	const __u32 flags = summary->row->info.flags;

	if (!row_by_timer(summary->row) || flags & IDLE_LATENCY_STATE_NO_PREWAKE)
		return false;
	return flags & IDLE_LATENCY_STATE_PREWAKE || !nic_agrees(summary, nic);
}

/* The kernel falls back to the probe where it has nothing closer. */
static const char *find_error(const struct collection *collection, const struct summary *summary,
			      const struct options *options)
{
	const struct row *row = summary->row;

	/* The event source was tried before. */
	if (collection->error == EOPNOTSUPP && !row->state.disable)
		return "a state before it has the same latency: needs CONFIG_IDLE_LATENCY_FORCE";
	if (collection->error)
		return explain_session(row, collection->error);
	if (summary->stamp && options->stamp && summary->stamp != options->stamp)
		return no_stamps;
	if (summary->step_count && !sweep_ended(summary))
		return "the sweep did not get to its end: see --seconds";
	return NULL;
}

/* The timers interrupt as LOC, whoever they are of: those of others are foreign_timer. */
static void describe_interrupts(const struct group *group, const struct row *row, size_t most,
				char *text, size_t size)
{
	interrupts_between(&group->before, &group->after, row->cpu,
			   row_by_nic(row) ? NULL : "LOC", most, text, size);
}

/*
 * For the comparison of the CPUs of a type, and of the first samples with the others: those of a
 * sweep differ by their launch distances. Without memory nothing is compared.
 */
static void keep_latencies(const struct verdict_rule *rule,
			   const struct verdict_evidence *evidence, struct result *result)
{
	result->latencies = malloc((evidence->count + 1) * sizeof(*result->latencies));
	if (!result->latencies)
		return;
	result->latency_count = verdict_latencies(rule, evidence, result->latencies);
	if (!result->summary.step_count)
		drift_find(&result->summary, result->latencies, result->latency_count);
	if (result->summary.row->typed)
		return;
	free(result->latencies);
	result->latencies = NULL;
	result->latency_count = 0;
}

static void report_drift(const struct summary *summary, FILE *environment)
{
	char text[96], line[256];

	drift_text(&summary->drift, text, sizeof(text));
	if (!*text)
		return;
	snprintf(line, sizeof(line), "%s: %s: a median %s of %llu ns, and of %llu ns after them",
		 row_name(summary->row), text, summary_latency(summary), summary->drift.median_ns,
		 summary->drift.others_ns);
	report_detail("%s", line);
	environment_say(environment, false, "%s", line);
}

void result_free(struct result *result)
{
	summary_free(&result->summary);
	free(result->latencies);
}

static void judge(struct group *group, const struct measurement *one,
		  const struct collection *collection)
{
	const struct verdict_rule *rule = &one->rule;
	FILE *environment = group->csv->file[CSV_ENVIRONMENT];
	struct result *result = one->result;
	const bool polls = result->summary.row->info.flags & IDLE_LATENCY_STATE_POLLS;
	char text[256], line[256], interrupts[128];
	const struct verdict_evidence evidence = {
		.samples = collection->samples,
		.count = collection->count,
		.counts = &collection->counts,
		.discarded = collection->discarded,
		.discarded_count = collection->discarded_count,
		.error = one->refused ?: find_error(collection, &result->summary,
						    one->task.options),
		.causes = text,
		.interrupts = interrupts,
	};

	if (result->summary.ran && !polls) {
		causes_text(&group->causes, result->summary.row->cpu, &result->summary.row->info,
			    text, sizeof(text));
		describe_interrupts(group, result->summary.row, INTERRUPTS_IN_FIGURES, interrupts,
				    sizeof(interrupts));
		verdict_judge(rule, &evidence, &result->verdict);
		keep_latencies(rule, &evidence, result);
	} else {
		verdict_skip(&result->verdict, polls ? "the CPU is awake in it" : evidence.error);
	}
	report_verdict(result, environment);
	if (result->verdict.result == VERDICT_FAIL)
		worst_report(result, collection);
	else
		report_remark(result);
	for (enum scope scope = 0; scope < SCOPES; scope++)
		if (scope_text(scope, &result->summary, collection->samples, line, sizeof(line)))
			report_detail("%s", line);
	report_drift(&result->summary, environment);
	report_frequency(&result->summary);
	if (result->summary.step_count)
		sweep_report(&result->summary, environment);
}

/* In the order of the rows, those that nobody refuses. */
static void take_kept(struct measurement *measurements, size_t count)
{
	struct row_take *rows = calloc(count, sizeof(*rows));
	size_t taken = 0;

	for (size_t i = 0; i < count; i++) {
		struct measurement *one = &measurements[i];

		one->refused = rows ? keep_row_begin(one->task.keep, one->task.row) :
				      "out of memory";
		if (!one->refused)
			rows[taken++] = (struct row_take) {
				.task = &one->task, .collection = &one->collection,
			};
	}
	if (taken)
		take_rows(rows, taken);
	for (size_t i = 0; i < count; i++)
		keep_row_end(measurements[i].task.keep, measurements[i].task.row);
	free(rows);
}

/* The records of several rows are packed until they are over. */
static void begin(struct measurement *one, const struct options *options, size_t rows)
{
	const struct row *row = one->task.row;
	__u64 samples;

	one->rule = rule_of(row, one->measured, options, one->virtual, one->nic);
	samples = larger(row->strata[STRATUM_COUNTED].wanted,
			 PACKAGE_READ_EVERY * one->rule.asleep_wanted[SCOPE_PACKAGE]);
	one->collection = (struct collection) {
		.discarded_room = rows > 1 ? DISCARDED_PACKED : samples + DISCARDED_AT_LEAST,
		.packed_bytes = rows > 1 ? collect_bytes(rows) : 0,
	};
	one->task.config.entry_ns = one->rule.entry_ns;
	memcpy(one->task.asleep_wanted, one->rule.asleep_wanted, sizeof(one->task.asleep_wanted));
}

static void take(struct group *group)
{
	const struct row **rows = calloc(group->count, sizeof(const struct row *));

	for (size_t i = 0; i < group->count && rows; i++)
		rows[i] = group->measurements[i].task.row;
	causes_read_times(group->causes.before);
	interrupts_read_all(&group->before);
	if (rows)
		meanwhile_begin(group->csv, rows, group->count);
	take_kept(group->measurements, group->count);
	meanwhile_end();
	interrupts_read_all(&group->after);
	causes_read_times(group->causes.after);
	free(rows);
}

static void summarise_one(struct measurement *one)
{
	struct summary *summary = &one->result->summary;
	struct collection records;
	bool summarised;

	summary_free(summary);
	summarised = collect_unpack(&one->collection, &records) &&
		     summarise(one->task.row, &records, &one->rule.instrument, one->rule.limit_ns,
			       summary);
	collect_free_copy(&records);
	if (!summarised && !one->collection.error)
		one->collection.error = ENOMEM;
}

static void report_one(const struct measurement *one)
{
	const struct summary *summary = &one->result->summary;

	if (!summary->ran)
		return;
	report_counts(summary, "");
	/* Time is what is missing where nothing went wrong. */
	if (!one->task.until_ns || one->collection.error)
		return;
	for (size_t i = 0; i < STRATA; i++)
		report_shortage(summary, &summary->strata[i]);
}

/* What the awake CPU takes may decide about them, for which it is measured now. */
static void summarise_now(struct group *group)
{
	for (size_t i = 0; i < group->count; i++) {
		summarise_one(&group->measurements[i]);
		report_one(&group->measurements[i]);
	}
	measure_awake(group->measurements, group->count, group->csv->file[CSV_ENVIRONMENT]);
	for (size_t i = 0; i < group->count; i++) {
		struct measurement *one = &group->measurements[i];
		const struct summary *summary = &one->result->summary;

		/* Its instrument is another one now. */
		if (summary->has_wake && needs_awake(one->measured, summary))
			summarise_one(one);
	}
	group->summarised = true;
}

static void judge_one(struct group *group, struct measurement *one)
{
	const struct result *nic = one->nic;
	struct summary *summary = &one->result->summary;

	if (!group->summarised) {
		summarise_one(one);
		report_one(one);
	}
	if (!collect_unpack(&one->collection, &group->records))
		group->records.error = ENOMEM;
	one->rule.lower_bound = is_lower_bound(summary, nic ? &nic->summary : NULL);
	describe_interrupts(group, one->task.row, INTERRUPTS_IN_FILE, summary->interrupts,
			    sizeof(summary->interrupts));
	judge(group, one, &group->records);
	report_result(one->result);
	group->judged = true;
	group->written = 0;
}

/* Returns false when all of them are written. Discarded events come with the last samples. */
static bool write_records(struct group *group, const struct measurement *one)
{
	struct collection part = group->records;

	if (!group->csv->file[CSV_DATAPOINTS] || group->written > part.count)
		return false;
	part.samples += group->written;
	part.count -= group->written;
	if (part.count > LINES_AT_ONCE) {
		part.count = LINES_AT_ONCE;
		part.discarded_count = 0;
		part.counts.kept = 0;
		group->written += LINES_AT_ONCE;
	} else {
		group->written = group->records.count + 1;
	}
	csv_records(group->csv, &one->result->summary, &part);
	return true;
}

static void end_group(struct group *group)
{
	groups = group->next;
	interrupts_free(&group->before);
	interrupts_free(&group->after);
	free(group->measurements);
	free(group);
}

/* A part of what is left to do. Returns false where there is nothing. */
static bool finish_some(void)
{
	struct group *group = groups;
	struct measurement *one;

	if (!group)
		return false;
	one = &group->measurements[group->at];
	if (!group->judged) {
		judge_one(group, one);
	} else if (!write_records(group, one)) {
		collect_free_copy(&group->records);
		collect_free(&one->collection);
		group->judged = false;
		if (++group->at == group->count)
			end_group(group);
	}
	return true;
}

void measure_finish(void)
{
	while (finish_some())
		;
}

static size_t bytes_over(void)
{
	size_t bytes = 0;

	for (const struct group *group = groups; group; group = group->next)
		for (size_t i = group->at; i < group->count; i++)
			bytes += group->measurements[i].collection.packed.used;
	return bytes;
}

/* Nothing is to be measured of them any more, and nobody waits for what they say. */
static bool can_wait(const struct group *group)
{
	for (size_t i = 0; i < group->count; i++)
		if (row_by_nic(group->measurements[i].task.row) ||
		    group->measurements[i].collection.has_intr)
			return false;
	return group->count > 1;
}

static void add_group(struct group *group)
{
	struct group **last = &groups;

	while (*last)
		last = &(*last)->next;
	*last = group;
}

bool measure(struct measurement *measurements, size_t count, const struct csv *csv)
{
	struct group *group = calloc(1, sizeof(*group));
	bool waits;

	if (!group)
		return false;
	/* While one CPU is measured, it may be the only one: nothing else is done then. */
	while ((count == 1 || bytes_over() > OVER_BYTES) && finish_some())
		;
	group->measurements = measurements;
	group->count = count;
	group->csv = csv;
	for (size_t i = 0; i < count; i++)
		begin(&measurements[i], measurements[i].task.options, count);
	take_sessions_beside(finish_some);
	take(group);
	take_sessions_beside(NULL);
	waits = can_wait(group);
	if (!waits) {
		measure_finish();
		summarise_now(group);
	}
	add_group(group);
	if (!waits)
		measure_finish();
	return true;
}
