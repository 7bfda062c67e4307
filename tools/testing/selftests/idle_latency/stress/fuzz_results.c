// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "fuzz_results.h"

bool results_have(const struct results *results, int result)
{
	for (size_t i = 0; i < results->count; i++)
		if (results->result[i] == result)
			return true;
	return false;
}

void results_add(struct results *results, int result)
{
	if (!results_have(results, result) && results->count < RESULTS_MAX)
		results->result[results->count++] = result;
}

void results_add_all(struct results *results, const struct results *more)
{
	for (size_t i = 0; i < more->count; i++)
		results_add(results, more->result[i]);
}

void result_print(int result, char *text, size_t size)
{
	if (result < 0)
		snprintf(text, size, "%d (%s)", result, strerror(-result));
	else
		snprintf(text, size, "%d", result);
}

void results_print(const struct results *results, char *text, size_t size)
{
	char one[64];
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < results->count && used < size; i++) {
		result_print(results->result[i], one, sizeof(one));
		used += snprintf(text + used, size - used, "%s%s",
				 i ? " or " : "", one);
	}
}
