/* SPDX-License-Identifier: GPL-2.0 */
/* Reads the records of a session and checks each of them. */
#ifndef READER_H
#define READER_H

#include <sys/types.h>

#include <linux/idle_latency.h>

/* Most records that one call reads; the whole buffer of a session. */
#define READER_ROOM 4096

struct reader {
	int fd;
	const struct idle_latency_config *config;
	__u64 records;
	/* those that are no discarded events */
	__u64 samples;
	/* event of the last record, and the flags that all of them have */
	__u64 event;
	__u32 flags;
	/* what was wrong first, or NULL */
	const char *wrong;
};

/* Returns like device_read(), or -EILSEQ when a record is wrong. */
ssize_t reader_read(struct reader *reader, size_t room);

/*
 * Reads to the end of the session. Returns what the last read returned, 0 or
 * -errno, or -EILSEQ when records or counts are wrong.
 */
ssize_t reader_drain(struct reader *reader);

/* For another session of the same configuration. */
void reader_restart(struct reader *reader);

#endif
