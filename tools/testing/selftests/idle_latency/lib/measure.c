// SPDX-License-Identifier: GPL-2.0
#include <errno.h>

#include "causes.h"
#include "interrupts.h"
#include "keep.h"
#include "meanwhile.h"
#include "progress.h"
#include "report.h"

/* Discarded records are kept as many as samples, and as these. */
#define DISCARDED_AT_LEAST	1000

static const char no_stamps[] =
	"the kernel does not stamp around ->enter(): build it with CONFIG_CPU_IDLE_STAMPS";

/* So many are named of the interrupts that the CPU took. */
#define INTERRUPTS_IN_FILE	8
#define INTERRUPTS_IN_FIGURES	3

/* Too large for a stack. */
static struct causes causes;
static struct interrupts before, after;

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

static bool keeps_time(unsigned int cpu)
{
	char line[4096];

	return sysfs_read_line("/sys/devices/system/cpu/nohz_full", line,
			       sizeof(line)) && causes_keeps_time(line, cpu);
}

/* Without a counter, no sample has it. */
static size_t package_wanted(const struct row *row, const struct options *options)
{
	bool is_wanted = row->hold && state_has_package(&row->info) &&
			 row->info.package_counter != IDLE_LATENCY_RESIDENCY_NONE;

	return is_wanted ? options_package(options) : 0;
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
		.wanted = options_least(options),
		.counter_known = counter != IDLE_LATENCY_RESIDENCY_NONE,
		.counter = residency_name(counter),
		.package_included = state_has_package(&row->info),
		.package_wanted = package_wanted(row, options),
		.firmware = by_firmware(row, options),
		.keeps_time = keeps_time(row->cpu),
		.by_card = row_by_nic(row),
		.virtual = virtual,
	};

	if (nic) {
		rule.nic_count = nic->summary.valid;
		rule.nic_reached = nic->verdict.reached;
	}
	measured_cpu_rule(measured, row->method, row->state.index, &rule);
	return rule;
}

bool state_has_package(const struct idle_latency_state *state)
{
	const bool counted =
		state->package_counter != IDLE_LATENCY_RESIDENCY_NONE;

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

	if (row_by_nic(summary->row) || flags & IDLE_LATENCY_STATE_NO_PREWAKE)
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
static void describe_interrupts(const struct row *row, size_t most, char *text, size_t size)
{
	interrupts_between(&before, &after, row_by_nic(row) ? NULL : "LOC", most, text, size);
}

/* @refused: why no session ran, or NULL */
static void judge(const struct verdict_rule *rule, const struct collection *collection,
		  const char *refused, const struct options *options, struct result *result)
{
	char text[256], line[256], interrupts[128];
	const struct verdict_evidence evidence = {
		.samples = collection->samples,
		.count = collection->count,
		.counts = &collection->counts,
		.discarded = collection->discarded,
		.discarded_count = collection->discarded_count,
		.error = refused ?: find_error(collection, &result->summary, options),
		.causes = text,
		.interrupts = interrupts,
	};

	if (result->summary.ran) {
		causes_text(&causes, &result->summary.row->info, text, sizeof(text));
		describe_interrupts(result->summary.row, INTERRUPTS_IN_FIGURES, interrupts,
				    sizeof(interrupts));
		verdict_judge(rule, &evidence, &result->verdict);
	} else {
		verdict_skip(&result->verdict, evidence.error);
	}
	report_verdict(result);
	if (result->verdict.result == VERDICT_FAIL)
		worst_report(result, collection);
	else
		report_remark(result);
	if (package_text(&result->summary, collection->samples, line, sizeof(line)))
		report_detail("%s", line);
	report_frequency(&result->summary);
	if (result->summary.step_count)
		sweep_report(&result->summary);
}

/* Returns NULL, or why there is nothing in the collection. */
static const char *take_kept(const struct task *task, struct collection *collection)
{
	const char *refused = keep_row_begin(task->keep, task->row);

	if (!refused)
		take_row(task, collection);
	keep_row_end(task->keep, task->row);
	return refused;
}

void measure(struct task *task, const struct measured_cpu *measured, bool virtual,
	     const struct result *nic, const struct csv *csv, struct result *result)
{
	const struct row *row = task->row;
	const char *refused;
	struct verdict_rule rule = rule_of(row, measured, task->options, virtual, nic);
	struct summary *summary = &result->summary;
	struct collection collection = {
		.discarded_room = larger(row->strata[STRATUM_COUNTED].wanted,
					 PACKAGE_READ_EVERY * rule.package_wanted) +
				  DISCARDED_AT_LEAST,
	};
	bool summarised;

	task->config.entry_ns = rule.entry_ns;
	task->package_wanted = rule.package_wanted;
	causes_begin(&causes, row->cpu);
	interrupts_read(row->cpu, &before);
	meanwhile_begin(csv, row);
	refused = take_kept(task, &collection);
	meanwhile_end();
	interrupts_read(row->cpu, &after);
	summarised = summarise(row, &collection, &rule.instrument, rule.limit_ns, summary);
	if (summary->ran)
		report_counts(summary, "");
	for (size_t i = 0; summary->ran && task->until_ns && i < STRATA; i++)
		report_shortage(summary, &summary->strata[i]);
	if (measure_awake(task, measured, summary, csv->file[CSV_ENVIRONMENT], &rule)) {
		summary_free(summary);
		summarised &= summarise(row, &collection, &rule.instrument, rule.limit_ns,
					summary);
	}
	if (!summarised && !collection.error)
		collection.error = ENOMEM;
	rule.lower_bound = is_lower_bound(summary, nic ? &nic->summary : NULL);
	describe_interrupts(row, INTERRUPTS_IN_FILE, summary->interrupts,
			    sizeof(summary->interrupts));
	judge(&rule, &collection, refused, task->options, result);
	if (csv->file[CSV_DATAPOINTS])
		csv_records(csv, summary, &collection);
	collect_free(&collection);
}
