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

static void report_result(int code, const char *name, const char *reason)
{
	failures += code == KSFT_FAIL;
	if (!plain_output)
		ksft_test_result_code(code, name, "%s", reason);
}

void report_row(const struct row *row)
{
	static const int codes[] = {
		[VERDICT_PASS] = KSFT_PASS,
		[VERDICT_FAIL] = KSFT_FAIL,
		[VERDICT_SKIP] = KSFT_SKIP,
	};
	char name[64];

	measured += row->verdict.result != VERDICT_SKIP;
	snprintf(name, sizeof(name), "cpu%u.%s.%s", row->cpu,
		 row->method->name, row->state.name);
	report_result(codes[row->verdict.result], name, row->verdict.reason);
}

void report_accounting(const char *wrong)
{
	if (wrong)
		report_line("accounting: FAIL: %s", wrong);
	report_result(wrong ? KSFT_FAIL : KSFT_PASS, "accounting",
		      wrong ? wrong : "every event is accounted for");
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
