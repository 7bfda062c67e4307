// SPDX-License-Identifier: GPL-2.0
/* The verdict table. */
#include "report.h"

#define LINE_BYTES 256

/* One right-aligned column; empty where there is no such number. */
static void add_number(struct text *line, int width, bool known, __u64 number)
{
	if (known)
		text_add(line, " %*llu", width, number);
	else
		text_add(line, " %*s", width, "-");
}

void table_begin(void)
{
	report_line("%s", "");
	report_line("%-19s | %7s | %-31s | %-15s | %-20s |", "", "exit",
		    "WakeLatency", "IntrLatency", "samples");
	report_line("%-4s %-6s %-7s | %7s | %7s %7s %7s %7s | %7s %7s | %6s %5s %7s | %s",
		    "cpu", "method", "state", "latency", "min", "median", "p99",
		    "max", "median", "max", "all", "above", "reached",
		    "verdict");
}

static void add_key(struct text *line, const struct row *row)
{
	text_add(line, "%-4u %-6s %-7s |", row->cpu, row->method->name,
		 row->state.name);
}

static void add_latencies(struct text *line, const struct summary *summary)
{
	bool wake = summary->has_wake;

	add_number(line, 7, wake, summary->wake.min);
	add_number(line, 7, wake, summary->wake.median);
	add_number(line, 7, wake && summary->wake.has_p99, summary->wake.p99);
	add_number(line, 7, wake, summary->wake.max);
	text_add(line, " |");
	add_number(line, 7, summary->valid, summary->intr.median);
	add_number(line, 7, summary->valid, summary->intr.max);
	text_add(line, " |");
}

void table_awake(const struct summary *summary)
{
	char memory[LINE_BYTES];
	struct text line = text_begin(memory, sizeof(memory));

	if (!summary->valid)
		return;
	add_key(&line, summary->row);
	add_number(&line, 7, false, 0);
	text_add(&line, " |");
	add_latencies(&line, summary);
	add_number(&line, 6, true, summary->valid);
	add_number(&line, 5, false, 0);
	add_number(&line, 7, false, 0);
	report_line("%s | awake, not judged", memory);
}

static void print_range(const struct range *of)
{
	char memory[LINE_BYTES], range[32];
	struct text line = text_begin(memory, sizeof(memory));

	snprintf(range, sizeof(range), "%llu:%llu", of->ldist.from_ns,
		 of->ldist.to_ns);
	text_add(&line, "  %-17s | %7s | %23s", range, "", "");
	add_number(&line, 7, of->count, of->slowest_ns);
	text_add(&line, " | %15s |", "");
	add_number(&line, 6, true, of->count);
	add_number(&line, 5, true, of->above);
	report_line("%s %7s |", memory, "");
}

void table_row(const struct result *result)
{
	const struct summary *summary = &result->summary;
	const struct verdict *verdict = &result->verdict;
	const struct row *row = summary->row;
	char memory[LINE_BYTES], qualifiers[QUALIFIERS_BYTES];
	struct text line = text_begin(memory, sizeof(memory));

	add_key(&line, row);
	add_number(&line, 7, true, row_declared_ns(row));
	text_add(&line, " |");
	add_latencies(&line, summary);
	add_number(&line, 6, summary->ran, summary->valid);
	add_number(&line, 5, summary->ran, verdict->above);
	add_number(&line, 7, summary->counted, verdict->reached);
	verdict_qualifiers_text(verdict->qualifiers, qualifiers,
				sizeof(qualifiers));
	text_add(&line, " | %s", verdict_name(verdict->result));
	if (*qualifiers)
		text_add(&line, " %s", qualifiers);
	if (*verdict->reason)
		text_add(&line, ": %s", verdict->reason);
	report_line("%s", memory);
	for (size_t i = 0; summary->ran && i < STRATA; i++)
		if (summary->strata[i].ldist.to_ns)
			print_range(&summary->strata[i]);
}

static bool any_stamp(const struct result *results, size_t count, unsigned int stamp)
{
	for (size_t i = 0; i < count; i++)
		if (results[i].summary.stamp == stamp)
			return true;
	return false;
}

static bool any_qualifier(const struct result *results, size_t count,
			  unsigned int qualifier)
{
	for (size_t i = 0; i < count; i++)
		if (results[i].verdict.qualifiers & qualifier)
			return true;
	return false;
}

static void print_qualifiers(const struct result *results, size_t count)
{
	static const char * const notes[] = {
		"unverified: no counter tells whether the CPU was in the state.",
		"virtual: a hypervisor runs the CPU, and decides what its idle states do.",
		"lower-bound: the CPU may wake up ahead of its timers, or nobody knows; nic, which it cannot foresee, is the reference.",
		"core-only: the exit latency may include the package, which mostly did not reach its state, or nobody knows.",
		"upper-bound: the state is entered with interrupts enabled, and IntrLatency was judged.",
		"unproven: it takes more samples to show that the quantile is not above the exit latency.",
		"few-above: some are or may be above, but no more than the quantile lets be.",
	};

	for (size_t i = 0; i < ARRAY_SIZE(notes); i++)
		if (any_qualifier(results, count, 1u << i))
			report_line("%s", notes[i]);
}

void table_end(const struct result *results, size_t count,
	       const struct options *options)
{
	report_line("%s", "");
	report_line("%s",
		    "All times are in ns, the exit latency is what the kernel uses, and below each row are its ranges of launch distances.");
	if (options->has_limit)
		report_line("Judged against %llu ns instead of the exit latency (--limit-ns).",
			    options->limit_ns);
	report_line("Samples are above when their latency less its error is above %s.",
		    options->has_limit ? "that" : "the exit latency");
	report_line("%s",
		    "p is the probability of a sample above; each bound on it is one-sided.");
	if (any_stamp(results, count, IDLE_LATENCY_STAMP_ENTER))
		report_line("%s",
			    "The TSC is read directly around ->enter() of the idle state.");
	if (any_stamp(results, count, IDLE_LATENCY_STAMP_PROBE))
		report_line("%s",
			    "The TSC is read in a probe of the cpu_idle tracepoint, and the way there is in WakeLatency.");
	print_qualifiers(results, count);
}
