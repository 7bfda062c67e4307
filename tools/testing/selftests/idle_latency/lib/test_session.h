/* SPDX-License-Identifier: GPL-2.0 */
/* A session of so many events, and all that came of it. */
#ifndef TEST_SESSION_H
#define TEST_SESSION_H

#include <stddef.h>

#include <linux/idle_latency.h>

/* As many as the buffer of a session holds. */
#define SESSION_RECORDS_MAX 4096

struct session_result {
	struct idle_latency_counts counts;
	struct idle_latency_record record[SESSION_RECORDS_MAX];
	size_t count;
};

/*
 * Runs a session until at least @events were armed, which must
 * be fewer than the buffer has room for.
 *
 * Returns NULL, or what is wrong: something failed, the counts do not add up,
 * or a record is not what the driver promises whatever the machine does.
 */
const char *session_run(int fd, const struct idle_latency_config *config,
			__u64 events, struct session_result *result);

/* The same of a session that was started. */
const char *session_end(int fd, const struct idle_latency_config *config,
			__u64 events, struct session_result *result);

#endif
