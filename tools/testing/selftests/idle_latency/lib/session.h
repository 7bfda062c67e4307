/* SPDX-License-Identifier: GPL-2.0 */
/* The sessions of the device; others take idle_latency_util.h. */
#ifndef SESSION_H
#define SESSION_H

#include "idle_latency_util.h"

/*
 * What must be true of the counts and records of every session, whatever the
 * machine does. Each function returns NULL, or a sentence that says what is
 * wrong.
 */

/* At every moment. */
const char *accounting_counts(const struct idle_latency_counts *counts);

/* Likewise, of a session with this limit_ns. */
const char *accounting_limit(const struct idle_latency_counts *counts,
			     __u64 limit_ns);

/* After the end of a session of which all records were read. */
const char *accounting_end(const struct idle_latency_counts *counts,
			   __u64 records);

/* The record with this number in a session configured like this. */
const char *accounting_record(const struct idle_latency_record *record,
			      __u64 seq,
			      const struct idle_latency_config *config);

/* A record, and counts, have nothing that only a later driver has. */
const char *accounting_known(const struct idle_latency_record *record);
const char *accounting_known_counts(const struct idle_latency_counts *counts);

/*
 * Reads the records of one session, all of them in their order, and checks each.
 * What is wrong first is kept, and what comes after it is read all the same.
 */
struct reader {
	int fd;
	const struct idle_latency_config *config;
	/* the driver may be of a later kernel; that of a test is of the same one */
	bool may_be_later;
	__u64 records;
	/* those that are no discarded events */
	__u64 samples;
	/* event of the last record, and the flags that all of them have */
	__u64 event;
	__u32 flags;
	/* what was wrong first, or NULL */
	const char *wrong;
};

/* As many records as the buffer of a session holds. */
#define SESSION_RECORDS_MAX 4096

/* The next record of the session, for those who read it themselves. */
void reader_take(struct reader *reader,
		 const struct idle_latency_record *record);

/*
 * Returns like device_read(). @records: NULL where nobody needs them, and @room is
 * not above SESSION_RECORDS_MAX then.
 */
ssize_t reader_read(struct reader *reader, struct idle_latency_record *records,
		    size_t room);

/*
 * Reads the counts of a session that has ended and of which all records were
 * read, and checks them, too. Returns 0 or -errno.
 */
int reader_counts(struct reader *reader, struct idle_latency_counts *counts);

/*
 * Reads to the end of the session, and its counts. Returns what the last read of
 * records returned, 0 or -errno, or -EILSEQ when something is wrong.
 */
ssize_t reader_drain(struct reader *reader);

/* For another session of the same configuration. */
void reader_restart(struct reader *reader);

/*
 * Wait until a session has armed so many events and delivered so many samples, or until it
 * arms none any more: the buffer is full, or all is delivered. Return false when that does
 * not come, or the counts cannot be read.
 */
bool session_wait(int fd, __u64 armed, __u64 delivered);
bool session_wait_full(int fd, struct idle_latency_counts *counts);

/*
 * Runs a session that ends by itself with so many samples. Returns NULL, or what is wrong, as
 * session_run() does.
 * @records: those of the samples, of which the buffer has room for all; NULL where nobody
 *	needs them
 */
const char *session_take(int fd, const struct idle_latency_config *without_end,
			 __u64 samples, struct idle_latency_record *records);

/* A session of so many events, and all that came of it. */
struct session_result {
	struct idle_latency_counts counts;
	struct idle_latency_record record[SESSION_RECORDS_MAX];
	size_t count;
};

/*
 * Runs a session until at least @events were armed, which must be fewer than the
 * buffer has room for.
 *
 * Returns NULL, or what is wrong: something failed, the counts do not add up,
 * or a record is not what the driver promises whatever the machine does.
 */
const char *session_run(int fd, const struct idle_latency_config *config,
			__u64 events, struct session_result *result);

/* The same of a session that was started. */
const char *session_end(int fd, const struct idle_latency_config *config,
			__u64 events, struct session_result *result);

/* When it keeps discarded events: the counts say of them what their records say. */
const char *accounting_kept(const struct session_result *result, __u64 limit_ns);

#endif
