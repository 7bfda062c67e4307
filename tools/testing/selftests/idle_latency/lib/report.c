// SPDX-License-Identifier: GPL-2.0
/* What latency_test prints, but for the environment. */
#include "progress.h"
#include "report.h"

static bool plain_output;
static bool details;
/* Of idle states; the accounting is no measurement. */
static unsigned int measured;
static unsigned int failures;

void report_begin(const struct options *options)
{
	plain_output = options->plain;
	details = !options->quiet && !options->top;
	if (plain_output)
		setvbuf(stdout, NULL, _IOLBF, 0);
	else
		ksft_print_header();
}

void report_plan(unsigned int results)
{
	if (!plain_output)
		ksft_set_plan(results);
}

static void print_line(const char *format, va_list args)
{
	progress_hide();
	if (!plain_output)
		fputs("# ", stdout);
	vprintf(format, args);
	putchar('\n');
}

void report_line(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line(format, args);
	va_end(args);
}

void report_detail(const char *format, ...)
{
	va_list args;

	if (!details)
		return;
	va_start(args, format);
	print_line(format, args);
	va_end(args);
}

void report_verdict(const struct row *row)
{
	const struct verdict *verdict = &row->verdict;
	char qualifiers[QUALIFIERS_BYTES];

	if (!details && verdict->result != VERDICT_FAIL)
		return;
	verdict_qualifiers_text(verdict->qualifiers, qualifiers,
				sizeof(qualifiers));
	report_line("%s cpu%u %s %s%s%s%s%s%s%s", verdict_name(verdict->result),
		    row->cpu, row->method->name, row->state.name,
		    *qualifiers ? ": " : "", qualifiers,
		    *verdict->reason ? ": " : "", verdict->reason,
		    *verdict->figures ? ": " : "", verdict->figures);
}

/* A text after the name of a PASS would be taken for a directive. */
static void result(int code, const char *name, const char *reason)
{
	if (plain_output)
		return;
	if (code == KSFT_PASS)
		ksft_test_result_pass("%s\n", name);
	else
		ksft_test_result_code(code, name, "%s", reason);
}

/*
 * A table of the firmware that does not hold is no bug of the kernel: what tests kernels
 * expects it, and a person wants to know.
 */
int report_code(const struct verdict *verdict)
{
	switch (verdict->result) {
	case VERDICT_PASS:
		return KSFT_PASS;
	case VERDICT_FAIL:
		return verdict->firmware ? KSFT_XFAIL : KSFT_FAIL;
	default:
		return KSFT_SKIP;
	}
}

/* What those keep who have only what is beside the result. */
static void report_confidence(const struct row *row)
{
	char qualifiers[QUALIFIERS_BYTES];

	if (plain_output || !row->ran)
		return;
	verdict_qualifiers_text(row->verdict.qualifiers, qualifiers,
				sizeof(qualifiers));
	report_line("n=%zu p<=%.3g%s%s", row->valid, row->verdict.p_upper,
		    *qualifiers ? " " : "", qualifiers);
}

void report_result(const struct row *row)
{
	int code = report_code(&row->verdict);
	char name[64];

	measured += row->verdict.result != VERDICT_SKIP;
	failures += plain_output ? row->verdict.result == VERDICT_FAIL :
				   code == KSFT_FAIL;
	snprintf(name, sizeof(name), "cpu%u.%s.%s", row->cpu,
		 row->method->name, row->state.name);
	report_confidence(row);
	result(code, name, row->verdict.reason);
	fflush(stdout);
}

void report_accounting(const char *wrong)
{
	if (wrong)
		report_line("accounting: FAIL: %s", wrong);
	failures += !!wrong;
	result(wrong ? KSFT_FAIL : KSFT_PASS, "accounting", wrong);
}

void report_self_check(const struct self_check *check)
{
	static const struct {
		const char *name;
		int code;
	} verdicts[] = {
		[SELF_OK] = { "ok", KSFT_PASS },
		[SELF_DIFFERS] = { "differs", KSFT_FAIL },
		[SELF_IMPOSSIBLE] = { "not possible here", KSFT_SKIP },
	};
	char name[80];

	measured += check->verdict != SELF_IMPOSSIBLE;
	failures += check->verdict == SELF_DIFFERS;
	report_line("self-check: %s: %s%s%s%s%s", check->name, verdicts[check->verdict].name,
		    check->reason ? ": " : "", check->reason ? check->reason : "",
		    *check->figures ? ": " : "", check->figures);
	snprintf(name, sizeof(name), "self-check.%s", check->name);
	result(verdicts[check->verdict].code, name, check->reason);
	fflush(stdout);
}

int report_end(bool failed)
{
	if (!plain_output)
		ksft_print_cnts();
	if (failed || failures)
		return EXIT_CODE_FAIL;
	if (collect_interrupted())
		return EXIT_CODE_INTERRUPTED;
	return measured ? EXIT_CODE_OK : EXIT_CODE_NOTHING;
}

int report_obstacle(const struct options *options,
		    const struct obstacle *obstacle)
{
	if (!options->plain)
		return obstacle_report(obstacle);
	report_begin(options);
	if (*obstacle->said)
		report_line("%s", obstacle->said);
	report_line("%s: %s", obstacle->fails ? "FAIL" : "SKIP",
		    obstacle->reason);
	return obstacle->fails ? EXIT_CODE_FAIL : EXIT_CODE_NOTHING;
}

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
	char memory[LINE_BYTES], qualifiers[QUALIFIERS_BYTES];
	struct text line = text_begin(memory, sizeof(memory));

	add_key(&line, row);
	add_number(&line, 7, true, row_declared_ns(row));
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
		"lower-bound: the CPU may wake up ahead of its timers, or nobody knows; nic, which it cannot foresee, is the reference.",
		"core-only: the exit latency may include the package, which mostly did not reach its state, or nobody knows.",
		"upper-bound: the state is entered with interrupts enabled, and IntrLatency was judged.",
		"unproven: it takes more samples to show that the quantile is not above the exit latency.",
		"few-above: some are or may be above, but no more than the quantile lets be.",
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

static bool has_wake(const struct idle_latency_record *record)
{
	return record->flags & IDLE_LATENCY_RECORD_WAKE;
}

size_t worst_find(const struct idle_latency_record *samples, size_t count,
		  const struct idle_latency_record *worst[WORST_SAMPLES])
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		__u64 latency = verdict_least(&samples[i]);
		size_t place;

		if (found == WORST_SAMPLES &&
		    latency <= verdict_least(worst[found - 1]))
			continue;
		if (found < WORST_SAMPLES)
			found++;
		for (place = found - 1; place; place--) {
			if (latency <= verdict_least(worst[place - 1]))
				break;
			worst[place] = worst[place - 1];
		}
		worst[place] = &samples[i];
	}
	return found;
}

static void add_event(struct text *text, __u64 event,
		      const struct idle_latency_record *discarded, size_t count)
{
	char reasons[256];

	for (size_t i = 0; i < count; i++) {
		if (discarded[i].event != event)
			continue;
		discards_reasons_text(discarded[i].reasons, reasons,
				      sizeof(reasons));
		text_add(text, "; event %llu was discarded: %s", event,
			 reasons);
	}
}

void worst_text(const struct idle_latency_record *sample,
		const struct idle_latency_record *discarded,
		size_t discarded_count, char *line, size_t size)
{
	struct text text = text_begin(line, size);
	char shares[256];
	struct text residency = text_begin(shares, sizeof(shares));

	text_add(&text, "seq %llu, event %llu: LDist %llu", sample->seq,
		 sample->event, sample->ldist_ns);
	if (has_wake(sample))
		text_add(&text, ", SilentTime %llu, WakeLatency %llu",
			 sample->silent_ns, sample->wake_ns);
	else
		text_add(&text, ", IntrLatency %llu", sample->intr_ns);
	text_add(&text, ", error %llu ns", sample->error_ns);
	residency_add(&residency, sample);
	if (*shares)
		text_add(&text, "; %s", shares);
	add_event(&text, sample->event - 1, discarded, discarded_count);
	add_event(&text, sample->event + 1, discarded, discarded_count);
}

static void report_smallest(const struct row *row)
{
	const struct verdict *verdict = &row->verdict;

	if (verdict->has_p9999)
		report_detail("  smallest passing exit latency: %llu ns, at 99.99 %% %llu ns",
			      verdict->smallest_pass_ns,
			      verdict->smallest_p9999_ns);
	else
		report_detail("  smallest passing exit latency: %llu ns, unknown at 99.99 %%",
			      verdict->smallest_pass_ns);
}

void worst_report(const struct row *row, const struct collection *collection)
{
	const struct idle_latency_record *worst[WORST_SAMPLES];
	size_t count = worst_find(collection->samples, collection->count,
				  worst);
	char line[1024];

	report_detail("cpu%u %s %s: the slowest samples, in ns:", row->cpu,
		      row->method->name, row->state.name);
	for (size_t i = 0; i < count; i++) {
		worst_text(worst[i], collection->discarded,
			   collection->discarded_count, line, sizeof(line));
		report_detail("  %s", line);
	}
	report_smallest(row);
}
