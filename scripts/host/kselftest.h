/* SPDX-License-Identifier: GPL-2.0 */
/*
 * In the place of kselftest.h of the kernel tree, where there is none: for latency_test as
 * "make run MACHINE=host" builds it, which prints for people. It ends when it is asked for
 * the output that needs the tree.
 */
#ifndef KSELFTEST_H
#define KSELFTEST_H

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define __printf(a, b)		__attribute__((format(printf, a, b)))
#define __always_unused		__attribute__((__unused__))

#define KSFT_PASS 0
#define KSFT_FAIL 1
#define KSFT_XFAIL 2
#define KSFT_SKIP 4

static inline void ksft_print_header(void)
{
	fputs("latency_test: built outside of the kernel tree, needs --plain\n", stderr);
	exit(KSFT_FAIL);
}

static inline __attribute__((__noreturn__)) void ksft_exit_fail_msg(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	exit(KSFT_FAIL);
}

static inline void ksft_exit_fail_perror(const char *what)
{
	perror(what);
	exit(KSFT_FAIL);
}

/* Nothing comes before the header. */
#define ksft_set_plan(plan)		((void)(plan))
#define ksft_print_cnts()		((void)0)
#define ksft_print_msg(...)		((void)0)
#define ksft_test_result_pass(...)	((void)0)
#define ksft_test_result_fail(...)	((void)0)
#define ksft_test_result_code(...)	((void)0)

#endif
