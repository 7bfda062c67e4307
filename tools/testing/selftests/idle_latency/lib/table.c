// SPDX-License-Identifier: GPL-2.0
#include "report.h"
#include "table.h"
#include "text.h"

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

static void add_latencies(struct text *line, const struct row *row)
{
	bool wake = row->has_wake;

	add_number(line, 7, wake, row->wake.min);
	add_number(line, 7, wake, row->wake.median);
	add_number(line, 7, wake && row->wake.has_p99, row->wake.p99);
	add_number(line, 7, wake, row->wake.max);
	text_add(line, " |");
	add_number(line, 7, row->valid, row->intr.median);
	add_number(line, 7, row->valid, row->intr.max);
	text_add(line, " |");
}

void table_awake(const struct row *row)
{
	char memory[LINE_BYTES];
	struct text line = text_begin(memory, sizeof(memory));

	if (!row->valid)
		return;
	add_key(&line, row);
	add_number(&line, 7, false, 0);
	text_add(&line, " |");
	add_latencies(&line, row);
	add_number(&line, 6, true, row->valid);
	add_number(&line, 5, false, 0);
	add_number(&line, 7, false, 0);
	report_line("%s | awake, not judged", memory);
}

static void print_stratum(const struct stratum *stratum)
{
	char memory[LINE_BYTES], range[32];
	struct text line = text_begin(memory, sizeof(memory));

	snprintf(range, sizeof(range), "%llu:%llu", stratum->ldist.from_ns,
		 stratum->ldist.to_ns);
	text_add(&line, "  %-17s | %7s | %23s", range, "", "");
	add_number(&line, 7, stratum->count, stratum->slowest_ns);
	text_add(&line, " | %15s |", "");
	add_number(&line, 6, true, stratum->count);
	add_number(&line, 5, true, stratum->above);
	report_line("%s %7s |", memory, "");
}

void table_row(const struct row *row)
{
	char memory[LINE_BYTES], qualifiers[96];
	struct text line = text_begin(memory, sizeof(memory));

	add_key(&line, row);
	add_number(&line, 7, row->info.exit_latency_ns,
		   row->info.exit_latency_ns);
	text_add(&line, " |");
	add_latencies(&line, row);
	add_number(&line, 6, row->ran, row->valid);
	add_number(&line, 5, row->ran, row->verdict.above);
	add_number(&line, 7, row->counted, row->verdict.reached);
	verdict_qualifiers_text(row->verdict.qualifiers, qualifiers,
				sizeof(qualifiers));
	text_add(&line, " | %s", verdict_name(row->verdict.result));
	if (*qualifiers)
		text_add(&line, " %s", qualifiers);
	if (*row->verdict.reason)
		text_add(&line, ": %s", row->verdict.reason);
	report_line("%s", memory);
	for (size_t i = 0; row->ran && i < STRATA; i++)
		if (row->strata[i].ldist.to_ns)
			print_stratum(&row->strata[i]);
}

static bool any_stamp(const struct row *rows, size_t count, unsigned int stamp)
{
	for (size_t i = 0; i < count; i++)
		if (rows[i].stamp == stamp)
			return true;
	return false;
}

static bool any_qualifier(const struct row *rows, size_t count,
			  unsigned int qualifier)
{
	for (size_t i = 0; i < count; i++)
		if (rows[i].verdict.qualifiers & qualifier)
			return true;
	return false;
}

static void print_qualifiers(const struct row *rows, size_t count)
{
	static const char * const notes[] = {
		"unverified: no counter tells whether the CPU was in the state.",
		"virtual: a hypervisor runs the CPU, and decides what its idle states do.",
		"lower-bound: the CPU may wake up ahead of its timers; nic, which it cannot foresee, is the reference.",
		"core-only: the exit latency includes the package, which mostly did not reach its state.",
		"upper-bound: the state is entered with interrupts enabled, and IntrLatency was judged.",
	};

	for (size_t i = 0; i < ARRAY_SIZE(notes); i++)
		if (any_qualifier(rows, count, 1u << i))
			report_line("%s", notes[i]);
}

void table_end(const struct row *rows, size_t count,
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
	if (any_stamp(rows, count, IDLE_LATENCY_STAMP_ENTER))
		report_line("%s",
			    "The TSC is read directly around ->enter() of the idle state.");
	if (any_stamp(rows, count, IDLE_LATENCY_STAMP_PROBE))
		report_line("%s",
			    "The TSC is read in a probe of the cpu_idle tracepoint, and the way there is in WakeLatency.");
	print_qualifiers(rows, count);
}
