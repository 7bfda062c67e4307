/* SPDX-License-Identifier: GPL-2.0 */
/* What a call may return: 0 or more, or -errno. */
#ifndef FUZZ_RESULTS_H
#define FUZZ_RESULTS_H

#include <stdbool.h>
#include <stddef.h>

/* As many as can apply to one call. */
#define RESULTS_MAX 8

struct results {
	int result[RESULTS_MAX];
	size_t count;
};

/* Adds a result that is not among them yet. */
void results_add(struct results *results, int result);
void results_add_all(struct results *results, const struct results *more);
bool results_have(const struct results *results, int result);

/* As "0 or -16 (Device or resource busy)". */
void results_print(const struct results *results, char *text, size_t size);
void result_print(int result, char *text, size_t size);

#endif
