// SPDX-License-Identifier: GPL-2.0
/* What verdicts say, in words. */
#include <string.h>

#include "html.h"

/* As lib/verdict.h has them. */
static const struct {
	const char *name;
	const char *meaning;
} qualifiers[] = {
	{ "unverified", "no counter of the CPU tells whether the state was reached" },
	{ "virtual", "a hypervisor decides what the state does" },
	{ "lower-bound",
	  "the CPU may have woken ahead of the timer, or nobody knows; nic is the reference" },
	{ "core-only",
	  "what is declared may include the package, which mostly missed its state" },
	{ "upper-bound",
	  "only IntrLatency is known, which is not below WakeLatency" },
	{ "unproven",
	  "it takes more samples to show that the quantile is not above the exit latency" },
	{ "few-above",
	  "some are or may be above, but no more than the quantile lets be" },
};

#define QUALIFIERS	(sizeof(qualifiers) / sizeof(*qualifiers))

/* Whether the qualifier is one of those in "unverified+lower-bound". */
static bool has_qualifier(const struct result *result, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = result->qualifier; *at;) {
		size_t end = strcspn(at, "+");

		if (end == length && !strncmp(at, name, length))
			return true;
		at += end + !!at[end];
	}
	return false;
}

static bool any_has(const struct run *runs, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < runs[i].count; j++)
			if (has_qualifier(&runs[i].results[j], name))
				return true;
	return false;
}

void words_of_qualifiers(FILE *page, const struct run *runs, size_t count)
{
	for (size_t i = 0; i < QUALIFIERS; i++)
		if (any_has(runs, count, qualifiers[i].name))
			fprintf(page, "<p class=\"soft\"><b>%s</b>: %s.</p>\n",
				qualifiers[i].name, qualifiers[i].meaning);
}

static void put_above(FILE *page, const struct result *result)
{
	const char *latency = result->has_wake ? "WakeLatency" : "IntrLatency";

	if (result->above)
		fprintf(page,
			"In %llu of %zu samples, %s is above the declared %llu&nbsp;ns even when all that the sample may be too long by is taken off. The smallest limit that all samples are below with their errors is %llu&nbsp;ns. ",
			result->above, result->count, latency,
			result->declared_ns, result->smallest_pass_ns);
	else if (result->count)
		fprintf(page,
			"In none of %zu samples, %s less the sample's error is above the declared %llu&nbsp;ns. ",
			result->count, latency, result->declared_ns);
	if (result->discarded_above)
		fprintf(page, "Of the discarded events, %llu are above it. ",
			result->discarded_above);
}

static void put_rule(FILE *page, const struct result *result)
{
	if (!result->count)
		return;
	if (!strcmp(result->rule, "max")) {
		fputs("Judged by the maximum.", page);
		return;
	}
	fputs("Judged by the quantile ", page);
	html_text(page, result->rule);
	fputc('.', page);
}

void words_of_verdict(FILE *page, const struct result *result)
{
	fputs("<p>", page);
	html_verdict(page, result);
	if (*result->reason)
		fputs(": ", page);
	html_text(page, result->reason);
	fputs(". ", page);
	put_above(page, result);
	for (size_t i = 0; i < QUALIFIERS; i++)
		if (has_qualifier(result, qualifiers[i].name))
			fprintf(page, "<b>%s</b>: %s. ", qualifiers[i].name,
				qualifiers[i].meaning);
	put_rule(page, result);
	fputs("</p>\n", page);
}
