// SPDX-License-Identifier: GPL-2.0
/* What latency_test prints, but for the environment and the table. */
#include <errno.h>
#include <string.h>

#include "environment.h"
#include "progress.h"
#include "report.h"
#include "self_check.h"

static bool plain_output;
static bool quiet;
static bool details;
/* A row of which there are others of the same type has lines, and a result in KTAP. */
static bool each_cpu;
/* Of idle states; accounting and kernel are no measurement. */
static unsigned int measured;
static unsigned int failures;

void report_begin(const struct options *options)
{
	plain_output = options->plain;
	quiet = options->quiet || options->top;
	each_cpu = options_each_cpu(options);
	details = !quiet && each_cpu;
	if (plain_output)
		setvbuf(stdout, NULL, _IOLBF, 0);
	else
		ksft_print_header();
}

bool report_each_cpu(void)
{
	return each_cpu;
}

void report_plan(unsigned int results)
{
	if (!plain_output)
		ksft_set_plan(results);
}

void report_say(bool is_detail, const char *format, ...)
{
	va_list args;

	if (is_detail && !details)
		return;
	progress_hide();
	if (!plain_output)
		fputs("# ", stdout);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

static bool is_hidden(const struct row *row)
{
	return !each_cpu && row->typed && !row->all;
}

static void say_verdict(const struct result *result)
{
	const struct verdict *verdict = &result->verdict;
	const char *qualifiers = verdict_qualifiers(verdict->qualifiers);

	if (!quiet || verdict->result == VERDICT_FAIL)
		report_line("%s %s%s%s%s%s%s%s", verdict_name(verdict->result),
			    row_name(result->summary.row), *qualifiers ? ": " : "", qualifiers,
			    *verdict->reason ? ": " : "", verdict->reason,
			    *verdict->figures ? ": " : "", verdict->figures);
}

void report_verdict(const struct result *result, FILE *environment)
{
	if (!is_hidden(result->summary.row))
		say_verdict(result);
	if (*result->verdict.figures)
		environment_say(environment, false, "%s: %s", row_name(result->summary.row),
				result->verdict.figures);
}

void report_failing(const struct result *result)
{
	if (is_hidden(result->summary.row) && result->verdict.result == VERDICT_FAIL)
		say_verdict(result);
}

void report_counts(const struct summary *summary, const char *what)
{
	double seconds = summary->elapsed_ns / 1e9;
	char discards[256];

	discards_text(&summary->counts, false, discards, sizeof(discards));
	report_detail("%s%s: %zu samples in %.2f s (%.0f/s), armed %llu, discarded %llu%s%s",
		      row_name(summary->row), what, summary->valid, seconds,
		      seconds > 0 ? summary->valid / seconds : 0.0,
		      summary->counts.armed, discards_total(&summary->counts),
		      *discards ? ": " : "", discards);
}

void report_shortage(const struct summary *summary, const struct stratum *stratum)
{
	if (stratum->count < stratum->wanted)
		report_detail("%s: %zu of %zu samples at %llu to %llu ns: see --seconds",
			      row_name(summary->row), stratum->count, stratum->wanted,
			      stratum->ldist.from_ns, stratum->ldist.to_ns);
}

void report_frequency(const struct summary *summary)
{
	char text[160];

	if (summary_frequency_text(summary, text, sizeof(text)))
		report_detail("%s", text);
}

void report_remark(const struct result *result)
{
	const struct row *row = result->summary.row;
	const unsigned int doubts = QUALIFIER_VIRTUAL | QUALIFIER_LOWER_BOUND | QUALIFIER_CORE_ONLY;
	char text[160];

	if (result->verdict.result == VERDICT_PASS &&
	    !(result->verdict.qualifiers & doubts) &&
	    proposal_too_high(row->info.exit_latency_ns,
			      result->verdict.smallest_pass_ns, text, sizeof(text)))
		report_detail("%s: %s", row_name(row), text);
}

/*
 * For people, what the kernel is not to blame for is a failure, too. A text after the name of a
 * PASS would be taken for a directive.
 */
static void put_result(int code, const char *name, const char *reason)
{
	failures += code == KSFT_FAIL || (plain_output && code == KSFT_XFAIL);
	if (plain_output)
		return;
	if (code == KSFT_PASS)
		ksft_test_result_pass("%s\n", name);
	else
		ksft_test_result_code(code, name, "%s", reason);
	fflush(stdout);
}

/* By enum verdict_result. */
static const int codes[] = { KSFT_PASS, KSFT_FAIL, KSFT_SKIP };

/*
 * A table of the firmware that does not hold is no bug of the kernel: what tests kernels
 * expects it, and a person wants to know.
 */
int report_code(const struct verdict *verdict)
{
	return verdict->result == VERDICT_FAIL && verdict->firmware ? KSFT_XFAIL :
								      codes[verdict->result];
}

void report_result(const struct result *result)
{
	const struct verdict *verdict = &result->verdict;
	const struct row *row = result->summary.row;
	const char *qualifiers = verdict_qualifiers(verdict->qualifiers);
	char name[64];

	measured += verdict->result != VERDICT_SKIP;
	if (is_hidden(row))
		return;
	/* What those keep who have only what is beside the result. */
	if (!plain_output && result->summary.ran)
		report_line("n=%zu p<=%.3g%s%s", result->summary.valid, verdict->p_upper,
			    *qualifiers ? " " : "", qualifiers);
	snprintf(name, sizeof(name), "%s%s.%s.%s%s", row->all ? "" : "cpu", row_cpus(row),
		 row->method->name, row->state.name, row_of_package(row) ? ".held" : "");
	put_result(report_code(verdict), name, verdict->reason);
}

void report_accounting(const char *wrong)
{
	if (wrong)
		report_line("accounting: FAIL: %s", wrong);
	put_result(wrong ? KSFT_FAIL : KSFT_PASS, "accounting", wrong);
}

void report_kernel(bool complained)
{
	static const char reason[] = "the kernel complained";

	if (complained)
		report_line("kernel: FAIL: %s", reason);
	put_result(complained ? KSFT_FAIL : KSFT_PASS, "kernel", reason);
}

void report_named(int code, const char *name, const char *reason)
{
	measured += code != KSFT_SKIP;
	put_result(code, name, reason);
}

void report_self_check(const struct self_check *check)
{
	static const char * const names[] = { "ok", "differs", "not possible here" };
	char name[80];

	report_line("self-check: %s: %s%s%s%s%s", check->name, names[check->result],
		    check->reason ? ": " : "", check->reason ? check->reason : "",
		    *check->figures ? ": " : "", check->figures);
	snprintf(name, sizeof(name), "self-check.%s", check->name);
	report_named(codes[check->result], name, check->reason);
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

int report_obstacle(const struct options *options, const struct obstacle *obstacle)
{
	if (!options->plain)
		return obstacle_report(obstacle);
	report_begin(options);
	if (*obstacle->said)
		report_line("%s", obstacle->said);
	report_line("%s: %s", obstacle->fails ? "FAIL" : "SKIP", obstacle->reason);
	return obstacle->fails ? EXIT_CODE_FAIL : EXIT_CODE_NOTHING;
}

void explain_command_line(const char *line, char *argument, size_t size)
{
	/* As they are in Documentation/admin-guide/kernel-parameters.txt. */
	static const char * const against_idle_states[] = {
		"idle=", "cpuidle.off=1", "intel_idle.max_cstate=", "processor.max_cstate=",
	};

	*argument = '\0';
	for (; *line && !*argument; line += strcspn(line, " "), line += strspn(line, " "))
		for (size_t i = 0; i < ARRAY_SIZE(against_idle_states); i++)
			if (!strncmp(line, against_idle_states[i], strlen(against_idle_states[i])))
				snprintf(argument, size, "%.*s", (int)strcspn(line, "\n "), line);
}

void explain_no_idle_states(char *said, size_t size)
{
	char line[4096], argument[64] = "";

	if (sysfs_read_line("/proc/cmdline", line, sizeof(line)))
		explain_command_line(line, argument, sizeof(argument));
	*said = '\0';
	if (*argument)
		snprintf(said, size, "the kernel was started with %s: boot without that", argument);
}

static const char *explain_unsupported(const struct row *row)
{
	if (row->info.flags & IDLE_LATENCY_STATE_TIMER_STOP && row_by_timer(row))
		return "the timer of the CPU stops in this state: use nic";
	if (row->state.disable)
		return "the state is disabled in sysfs: enable it";
	switch (row->method->source) {
	case IDLE_LATENCY_SOURCE_TDT:
		return "the kernel does not use the TSC-deadline timer here or distrusts the TSC";
	case IDLE_LATENCY_SOURCE_NIC:
		return "no network card is bound to idle_latency: run 'nic.sh take ADDRESS'";
	case IDLE_LATENCY_SOURCE_WRITE:
		if (!(row->info.flags & IDLE_LATENCY_STATE_WATCHES))
			return "the CPU watches no memory in this state: use ipi";
		return "the kernel distrusts the TSC";
	case IDLE_LATENCY_SOURCE_IPI:
		return "the kernel has no tracepoint reschedule_entry or distrusts the TSC";
	default:
		return "the kernel has no high-resolution timers here or distrusts the TSC";
	}
}

/* Errors of the commands of the driver and of read(). */
const char *explain_session(const struct row *row, int error)
{
	static const char refused[] =
		"the driver refuses the session: it and this program differ in version";
	static const struct {
		int error;
		const char *means;
	} meanings[] = {
		{ EINTR, "interrupted" },
		{ ENXIO, "the CPU is offline: bring it online" },
		{ ENODEV, "the CPU has no cpuidle driver or it or the governor changed" },
		{ ENOENT, "the cpuidle driver made the idle state unusable or declares another" },
		{ ENOMEM, "out of memory: free some or ask for fewer samples" },
		{ ENOSPC, "the network card got no interrupt on the CPU: measure another CPU" },
		{ ETIMEDOUT,
		  "the network card failed its reset: give it to igb once or power-cycle it" },
		{ EXDEV,
		  "the TSCs of the CPU and its waker differ by more than 1 us: name another CPU" },
		{ ECANCELED, "the machine was suspended meanwhile" },
		{ EBUSY, "somebody else forces an idle state of the CPU: end that" },
		{ ENOTTY, refused },
		{ EINVAL, refused },
		{ ERANGE, refused },
	};

	if (error == EOPNOTSUPP)
		return explain_unsupported(row);
	if (row->method->has_waker && error == ENXIO)
		return "the CPU or its waker is offline: bring it online";
	if (row->method->has_waker && error == ETIMEDOUT)
		return "the CPU and its waker did not answer each other within 10 ms";
	if (error == ENODEV && row_by_nic(row))
		return "the network card went away or was reset or cpuidle changed";
	for (size_t i = 0; i < ARRAY_SIZE(meanings); i++)
		if (meanings[i].error == error)
			return meanings[i].means;
	return strerror(error);
}
