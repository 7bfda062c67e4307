// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "report.h"
#include "table.h"

#define LINE_BYTES 256

/* One right-aligned column; empty where there is no such number. */
static void add_number(char *line, int width, bool known, __u64 number)
{
	size_t used = strlen(line);

	if (known)
		snprintf(line + used, LINE_BYTES - used, " %*llu", width,
			 number);
	else
		snprintf(line + used, LINE_BYTES - used, " %*s", width,
			 "-");
}

static void print_head(void)
{
	report_line("%-4s %-6s %-7s %-5s | %8s | %-52s | %-17s | %6s %7s |",
		    "", "", "", "", "exit", "WakeLatency", "IntrLatency", "", "");
	report_line("%-4s %-6s %-7s %-5s | %8s | %7s %8s %8s %8s %8s %8s | %8s %8s | %6s %7s | %s",
		    "cpu", "method", "state", "stamp", "latency", "min",
		    "median", "p99", "p99.9", "p99.99", "max", "median", "max",
		    "floor", "samples", "verdict");
}

static void print_row(const struct row *row)
{
	char line[LINE_BYTES];
	bool wake = row->has_wake, intr = row->valid;

	snprintf(line, sizeof(line), "%-4u %-6s %-7s %-5s |", row->cpu,
		 row->method->name, row->state.name, stamp_name(row->stamp));
	add_number(line, 8, true, row_declared_ns(row));
	strcat(line, " |");
	add_number(line, 7, wake, row->wake.min);
	add_number(line, 8, wake, row->wake.median);
	add_number(line, 8, wake, row->wake.p99);
	add_number(line, 8, wake, row->wake.p999);
	add_number(line, 8, wake, row->wake.p9999);
	add_number(line, 8, wake, row->wake.max);
	strcat(line, " |");
	add_number(line, 8, intr, row->intr.median);
	add_number(line, 8, intr, row->intr.max);
	strcat(line, " |");
	add_number(line, 6, intr, row->floor_ns);
	add_number(line, 7, row->ran, row->valid);
	report_line("%s | %s", line, verdict_name(row->verdict.result));
}

static void print_reason(const struct row *row)
{
	report_line("%s cpu%u %s %s: %s", verdict_name(row->verdict.result),
		    row->cpu, row->method->name, row->state.name,
		    row->verdict.reason);
}

static void print_reasons(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		print_reason(&rows[i]);
	report_line("%s", "");
}

static bool any_stamp(const struct row *rows, size_t count, unsigned int stamp)
{
	for (size_t i = 0; i < count; i++)
		if (rows[i].stamp == stamp)
			return true;
	return false;
}

static bool any_pass(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (rows[i].verdict.result == VERDICT_PASS)
			return true;
	return false;
}

static void print_notes(const struct row *rows, size_t count,
			const struct options *options)
{
	report_line("All times in ns.");
	report_line("%s",
		    "exit latency: as declared in sysfs, which cuts off what is below 1 us.");
	if (options->has_limit)
		report_line("Judged against %llu ns instead of it (--limit-ns).",
			    options->limit_ns);
	report_line("%s",
		    "floor: the largest error of the samples as stated by the driver; a verdict allows for it.");
	if (any_stamp(rows, count, IDLE_LATENCY_STAMP_ENTER))
		report_line("%s",
			    "stamp enter: the TSC is read directly around ->enter() of the idle state.");
	if (any_stamp(rows, count, IDLE_LATENCY_STAMP_PROBE))
		report_line("%s",
			    "stamp probe: the TSC is read in a probe of the cpu_idle tracepoint, which adds to WakeLatency.");
	if (any_pass(rows, count))
		report_line("%s",
			    "PASS by hrt or tdt is a lower bound where the CPU wakes up ahead of its timers; nic, which it cannot foresee, is the reference.");
}

void table_print(const struct row *rows, size_t count,
		 const struct options *options)
{
	report_line("%s", "");
	print_head();
	for (size_t i = 0; i < count; i++)
		print_row(&rows[i]);
	report_line("%s", "");
	/* KTAP has the reasons in the results that follow. */
	if (options->plain)
		print_reasons(rows, count);
	print_notes(rows, count, options);
}
