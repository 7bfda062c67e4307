// SPDX-License-Identifier: GPL-2.0
/* Sessions of /dev/idle_latency, and their records, of which each is checked. */
#include <errno.h>

#include "idle_latency_util.h"

/* However slow the machine is, it has its events after this. */
#define PATIENCE_MS	20000
/* Seldom enough not to disturb the measured CPU. */
#define LOOK_MS		20

/* Far more than an event takes; a session that waits for a reader has stopped. */
#define FULL_MS		100
/* The buffer of a slow machine is full after this. */
#define FULL_TIMES	600

int device_begin(int fd, const struct idle_latency_config *config)
{
	int ret = device_config(fd, config);

	return ret ? ret : device_start(fd);
}

static void note(struct reader *reader, const char *wrong)
{
	if (!reader->wrong)
		reader->wrong = wrong;
}

void reader_take(struct reader *reader, const struct idle_latency_record *record)
{
	note(reader, accounting_record(record, reader->records, reader->config));
	if (!reader->may_be_later)
		note(reader, accounting_known(record));
	if (reader->records && record->event <= reader->event)
		note(reader, "the numbers of the events do not ascend");
	reader->flags = record->flags & (reader->records ? reader->flags : ~0U);
	reader->event = record->event;
	reader->records++;
	reader->samples += !record->reasons;
}

ssize_t reader_read(struct reader *reader, struct idle_latency_record *records, size_t room)
{
	static struct idle_latency_record unused[SESSION_RECORDS_MAX];
	ssize_t got;

	if (!records)
		records = unused;
	got = device_read(reader->fd, records, room);
	for (ssize_t i = 0; i < got; i++)
		reader_take(reader, &records[i]);
	return got;
}

int reader_counts(struct reader *reader, struct idle_latency_counts *counts)
{
	int ret = device_counts(reader->fd, counts);

	if (ret)
		return ret;
	if (counts->delivered != reader->samples)
		note(reader, "delivered is not the number of samples read");
	if (reader->records && reader->event >= counts->armed)
		note(reader, "a record is of an event that was not armed");
	note(reader, accounting_limit(counts, reader->config->limit_ns));
	if (!reader->may_be_later)
		note(reader, accounting_known_counts(counts));
	note(reader, accounting_end(counts, reader->records));
	return 0;
}

ssize_t reader_drain(struct reader *reader)
{
	struct idle_latency_counts counts;
	ssize_t got;

	do
		got = reader_read(reader, NULL, SESSION_RECORDS_MAX);
	while (got > 0);
	if (reader_counts(reader, &counts))
		note(reader, "the counts cannot be read");
	return reader->wrong ? -EILSEQ : got;
}

void reader_restart(struct reader *reader)
{
	*reader = (struct reader) {
		.fd = reader->fd, .config = reader->config, .may_be_later = reader->may_be_later,
	};
}

bool session_wait(int fd, __u64 armed, __u64 delivered)
{
	struct idle_latency_counts counts;

	for (unsigned int ms = 0; ms < PATIENCE_MS; ms += LOOK_MS) {
		if (device_counts(fd, &counts))
			return false;
		if (counts.armed >= armed && counts.delivered >= delivered)
			return true;
		sleep_ms(LOOK_MS);
	}
	return false;
}

bool session_wait_full(int fd, struct idle_latency_counts *counts)
{
	__u64 armed = ~0ULL;

	for (unsigned int i = 0; i < FULL_TIMES && !device_counts(fd, counts); i++) {
		if (counts->armed == armed && !counts->pending)
			return true;
		armed = counts->armed;
		sleep_ms(FULL_MS);
	}
	return false;
}

const char *session_take(int fd, const struct idle_latency_config *without_end,
			 __u64 samples, struct idle_latency_record *records)
{
	struct idle_latency_config config = *without_end;
	struct reader reader = { .fd = fd, .config = &config };

	config.samples = samples;
	if (device_begin(fd, &config))
		return "the session did not start";
	if (reader_read(&reader, records, samples) < 0 || reader_drain(&reader))
		return reader.wrong ?: "the session ended with an error";
	return reader.samples == samples ? NULL : "the session has not all of its samples";
}

const char *session_run(int fd, const struct idle_latency_config *config,
			__u64 events, struct session_result *result)
{
	return device_begin(fd, config) ? "the session did not start" :
					  session_end(fd, config, events, result);
}

const char *session_end(int fd, const struct idle_latency_config *config,
			__u64 events, struct session_result *result)
{
	struct reader reader = { .fd = fd, .config = config };
	ssize_t got;

	if (!session_wait(fd, events, 0))
		return "the session armed too few events";
	if (device_stop(fd))
		return "the session ended by itself";
	got = reader_read(&reader, result->record, SESSION_RECORDS_MAX);
	if (got < 0)
		return "the records could not be read";
	result->count = got;
	if (reader_counts(&reader, &result->counts))
		return "the counts could not be read";
	return reader.wrong;
}
