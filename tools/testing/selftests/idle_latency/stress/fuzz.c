// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fuzz.h"

int fuzz_file(struct fuzz *fuzz)
{
	return fuzz->files[dice_below(&fuzz->dice, fuzz->file_count)];
}

bool fuzz_wrong(struct fuzz *fuzz, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(fuzz->wrong, sizeof(fuzz->wrong), format, arguments);
	va_end(arguments);
	return false;
}

bool fuzz_expect(struct fuzz *fuzz, enum call call, int result,
		 const struct results *expected)
{
	char got[64], wanted[256];

	tally_add(&fuzz->tally, call, result);
	if (results_have(expected, result))
		return true;
	result_print(result, got, sizeof(got));
	results_print(expected, wanted, sizeof(wanted));
	return fuzz_wrong(fuzz, "%s: got %s, expected %s", call_name(call),
			  got, wanted);
}

bool fuzz_expect_one(struct fuzz *fuzz, enum call call, int result,
		     int expected)
{
	const struct results one = { .result = { expected }, .count = 1 };

	return fuzz_expect(fuzz, call, result, &one);
}

bool fuzz_check(struct fuzz *fuzz, enum call call, const char *wrong)
{
	return !wrong || fuzz_wrong(fuzz, "%s: %s", call_name(call), wrong);
}

bool fuzz_add(struct fuzz *fuzz, const char *text)
{
	size_t used = strlen(fuzz->wrong);

	snprintf(fuzz->wrong + used, sizeof(fuzz->wrong) - used, "; %s", text);
	return false;
}
