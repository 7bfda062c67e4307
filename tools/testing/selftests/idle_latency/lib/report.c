// SPDX-License-Identifier: GPL-2.0
#include "report.h"

static bool plain_output;
/* Of idle states; the accounting is no measurement. */
static unsigned int measured;
static unsigned int failures;

void report_begin(bool plain)
{
	plain_output = plain;
	if (plain)
		setvbuf(stdout, NULL, _IOLBF, 0);
	else
		ksft_print_header();
}

void report_plan(unsigned int results)
{
	if (!plain_output)
		ksft_set_plan(results);
}

void report_line(const char *format, ...)
{
	va_list args;

	if (!plain_output)
		fputs("# ", stdout);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

void report_verdict(const struct row *row)
{
	const struct verdict *verdict = &row->verdict;
	char qualifiers[96];

	verdict_qualifiers_text(verdict->qualifiers, qualifiers,
				sizeof(qualifiers));
	report_line("%s cpu%u %s %s%s%s%s%s%s%s", verdict_name(verdict->result),
		    row->cpu, row->method->name, row->state.name,
		    *qualifiers ? ": " : "", qualifiers,
		    *verdict->reason ? ": " : "", verdict->reason,
		    *verdict->figures ? ": " : "", verdict->figures);
}

/* A text after the name of a PASS would be taken for a directive. */
static void result(enum verdict_result result, const char *name,
		   const char *reason)
{
	failures += result == VERDICT_FAIL;
	if (plain_output)
		return;
	if (result == VERDICT_PASS)
		ksft_test_result_pass("%s\n", name);
	else
		ksft_test_result_code(result == VERDICT_FAIL ? KSFT_FAIL :
							       KSFT_SKIP,
				      name, "%s", reason);
}

void report_result(const struct row *row)
{
	char name[64];

	measured += row->verdict.result != VERDICT_SKIP;
	snprintf(name, sizeof(name), "cpu%u.%s.%s", row->cpu,
		 row->method->name, row->state.name);
	result(row->verdict.result, name, row->verdict.reason);
	fflush(stdout);
}

void report_accounting(const char *wrong)
{
	if (wrong)
		report_line("accounting: FAIL: %s", wrong);
	result(wrong ? VERDICT_FAIL : VERDICT_PASS, "accounting", wrong);
}

int report_end(bool failed)
{
	if (!plain_output)
		ksft_print_cnts();
	if (failed || failures)
		return EXIT_CODE_FAIL;
	return measured ? EXIT_CODE_OK : EXIT_CODE_NOTHING;
}

int report_skip_all(const char *reason)
{
	if (!plain_output)
		ksft_exit_skip("%s\n", reason);
	report_line("SKIP: %s", reason);
	return EXIT_CODE_NOTHING;
}
