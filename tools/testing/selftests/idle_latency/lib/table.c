// SPDX-License-Identifier: GPL-2.0
/* The verdict table. */
#include "report.h"

/* In place of a number that is not known, or where there is no such number. */
#define UNKNOWN	(~0ULL)
#define BLANK	(~1ULL)

static __u64 number_if(bool known, __u64 number)
{
	return known ? number : UNKNOWN;
}

static const char * const columns[] = {
	" %7s |", " %7s", " %7s", " %7s", " %7s |", " %7s", " %7s |", " %6s", " %5s", " %7s |",
};

static void print_row(const char *key, const __u64 numbers[ARRAY_SIZE(columns)],
		      const char *verdict)
{
	char memory[256], number[24];
	struct text line = text_begin(memory, sizeof(memory));

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		snprintf(number, sizeof(number), "%llu", numbers[i]);
		text_add(&line, columns[i],
			 numbers[i] == BLANK ? "" : numbers[i] == UNKNOWN ? "-" : number);
	}
	report_line("%-19s |%s%s", key, memory, verdict);
}

void table_begin(void)
{
	report_line("%s", "");
	report_line("%-19s | %7s | %-31s | %-15s | %-20s |", "", "exit",
		    "WakeLatency", "IntrLatency", "samples");
	report_line("%s%s", "cpu  method state   | latency |     min  median     p99     max |",
		    "  median     max |    all above reached | verdict");
}

static void print_summary(const struct summary *summary, __u64 declared_ns, __u64 above,
			  __u64 reached, const char *verdict)
{
	const struct order_stats *wake = &summary->wake, *intr = &summary->intr;
	const struct row *row = summary->row;
	bool known = summary->has_wake;
	char key[64];

	snprintf(key, sizeof(key), row->all ? "%s %s %s" : "%-4s %-6s %-7s", row_cpus(row),
		 row->method->name, row_state(row));
	print_row(key, (const __u64[]) {
		declared_ns, number_if(known, wake->min), number_if(known, wake->median),
		number_if(known && wake->has_p99, wake->p99), number_if(known, wake->max),
		number_if(summary->valid, intr->median), number_if(summary->valid, intr->max),
		number_if(summary->ran, summary->valid), above, reached,
	}, verdict);
}

void table_awake(const struct summary *summary)
{
	if (summary->valid)
		print_summary(summary, UNKNOWN, UNKNOWN, UNKNOWN, " awake, not judged");
}

static void print_stratum(const struct stratum *of)
{
	char range[32];

	snprintf(range, sizeof(range), "  %llu:%llu", of->ldist.from_ns, of->ldist.to_ns);
	print_row(range, (const __u64[]) {
		BLANK, BLANK, BLANK, BLANK, number_if(of->count, of->slowest_ns), BLANK, BLANK,
		of->count, of->above, BLANK,
	}, "");
}

void drift_text(const struct drift *drift, char *line, size_t size)
{
	const __u64 ns = distance(drift->median_ns, drift->others_ns);
	struct text text = text_begin(line, size);

	if (!drift->first)
		return;
	text_add(&text, "the first %zu %ssamples are %s by ", drift->first,
		 drift->may_be_more ? "or more " : "", drift->slower ? "slower" : "faster");
	text_add(&text, ns < 9950 ? "%.2g us" : "%.0f us", ns / 1000.0);
}

void table_row(const struct result *result)
{
	const struct summary *summary = &result->summary;
	const struct verdict *verdict = &result->verdict;
	const char *qualifiers = verdict_qualifiers(verdict->qualifiers);
	char memory[256], drift[96];

	drift_text(&summary->drift, drift, sizeof(drift));
	snprintf(memory, sizeof(memory), " %s%s%s%s%s%s%s", verdict_name(verdict->result),
		 *qualifiers ? " " : "", qualifiers, *verdict->reason ? ": " : "", verdict->reason,
		 *drift ? "; " : "", drift);
	print_summary(summary, row_declared_ns(summary->row),
		      number_if(summary->ran, verdict->above),
		      number_if(summary->counted, verdict->reached), memory);
	/* Those of a type are those of its CPUs, and have no samples of their own. */
	for (size_t i = 0; summary->ran && !summary->row->all && i < STRATA; i++)
		if (summary->strata[i].ldist.to_ns)
			print_stratum(&summary->strata[i]);
}

void table_end(const struct result *results, size_t count, const struct options *options)
{
	static const char * const by_qualifier[] = {
		"unverified: no counter tells whether the CPU was in the state.",
		"virtual: a hypervisor runs the CPU, and decides what its idle states do.",
		"lower-bound: the CPU may wake up ahead of its timers, or nobody knows; nic, which it cannot foresee, is the reference.",
		"core-only: the exit latency may include the module or the package, which mostly did not reach its state, or nobody knows.",
		"upper-bound: the state is entered with interrupts enabled, and IntrLatency was judged.",
		"unproven: it takes more samples to show that the quantile is not above the exit latency.",
		"few-above: some are or may be above, but no more than the quantile lets be.",
	};
	unsigned int stamps = 0, qualifiers = 0;

	for (size_t i = 0; i < count; i++) {
		stamps |= 1u << results[i].summary.stamp;
		qualifiers |= results[i].verdict.qualifiers;
	}
	report_line("%s", "");
	report_line("%s",
		    "All times are in ns, the exit latency is what the kernel uses, and below each row are its ranges of launch distances.");
	if (options->has_limit)
		report_line("Judged against %llu ns instead of the exit latency (--limit-ns).",
			    options->limit_ns);
	report_line("Samples are above when their latency less its error is above %s.",
		    options->has_limit ? "that" : "the exit latency");
	report_line("p is the probability of a sample above; each bound on it is one-sided.");
	if (stamps & 1u << IDLE_LATENCY_STAMP_ENTER)
		report_line("The TSC is read directly around ->enter() of the idle state.");
	if (stamps & 1u << IDLE_LATENCY_STAMP_PROBE)
		report_line("%s",
			    "The TSC is read in a probe of the cpu_idle tracepoint, and the way there is in WakeLatency.");
	for (size_t i = 0; i < ARRAY_SIZE(by_qualifier); i++)
		if (qualifiers & 1u << i)
			report_line("%s", by_qualifier[i]);
}
