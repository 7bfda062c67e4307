/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A page about runs, in one file that needs no other.
 */
#ifndef HTML_H
#define HTML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "plot.h"
#include "results.h"

/* Text from a file, so that nothing in it becomes markup. */
void html_text(FILE *page, const char *text);

/* A cell of a table, with its text escaped. @label: its column, where that has no room. */
void html_cell(FILE *page, const char *label, const char *text);
void html_number(FILE *page, const char *label, bool known, __u64 number);

/* Up to the first heading, and what closes the page. */
void html_begin(FILE *page, const char *title);
void html_end(FILE *page);

/* "FAIL", with a colour. */
void html_verdict(FILE *page, const struct result *result);

/* What the verdict of a row leaves open, in sentences. */
void words_of_verdict(FILE *page, const struct result *result);

/* From which launch distances on its latency is another one; nothing without a sweep. */
void words_of_sweep(FILE *page, const struct result *result);

/* What the qualifiers mean that some row has. */
void words_of_qualifiers(FILE *page, const struct run *runs, size_t count);

/* The id of a row's section. */
void section_id(char *id, size_t size, size_t run, size_t row);

/* The first run that has such a row. */
size_t first_with(const struct run *runs, const struct result *like);

/* What differs between runs: values first, then environments. */
void page_differences(FILE *page, const struct run *runs, size_t count);

/* What only some runs say of their machines. */
void page_environments(FILE *page, const struct run *runs, size_t count);

/* What all runs say of it, and what each has measured beside its samples. */
void page_environment(FILE *page, const struct run *runs, size_t count);

/* A row with all that is known of it. */
bool page_section(FILE *page, const struct run *runs, size_t count, size_t run,
		  size_t row, char *error, size_t size);

/* The whole page. Returns false, and why in @error, where a plot could not be drawn. */
bool page_write(FILE *page, const struct run *runs, size_t count, char *error,
		size_t size);

/* The latencies of a row, sorted; to be freed. There is at least one. */
__u64 *latencies_sorted(const struct result *result);

/* Likewise, of a row that has samples. */
struct order_stats latency_stats(const struct result *result);

#endif
