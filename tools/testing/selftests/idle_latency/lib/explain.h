/* SPDX-License-Identifier: GPL-2.0 */
/* What an error of /dev/idle_latency means to the user, and what to do. */
#ifndef EXPLAIN_H
#define EXPLAIN_H

#include "row.h"

/* Each takes a positive errno. */
const char *explain_open(int error);
const char *explain_session(const struct row *row, int error);

#endif
