// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stddef.h>

#include "accounting.h"
#include "device.h"
#include "reader.h"

static ssize_t wrong(struct reader *reader, const char *what)
{
	if (!reader->wrong)
		reader->wrong = what;
	return -EILSEQ;
}

static const char *take(struct reader *reader,
			const struct idle_latency_record *record)
{
	const char *what = accounting_record(record, reader->records,
					     reader->config);

	if (!what && reader->records && record->event <= reader->event)
		what = "the numbers of the events do not ascend";
	reader->flags = reader->records ? reader->flags & record->flags :
					  record->flags;
	reader->event = record->event;
	reader->records++;
	reader->samples += !record->reasons;
	return what;
}

ssize_t reader_read(struct reader *reader, size_t room)
{
	static struct idle_latency_record records[READER_ROOM];
	ssize_t got = device_read(reader->fd, records, room);

	for (ssize_t i = 0; i < got; i++) {
		const char *what = take(reader, &records[i]);

		if (what)
			return wrong(reader, what);
	}
	return got;
}

static const char *check_counts(const struct reader *reader,
				const struct idle_latency_counts *counts)
{
	if (counts->delivered != reader->samples)
		return "delivered is not the number of samples read";
	if (reader->records && reader->event >= counts->armed)
		return "a record is of an event that was not armed";
	return accounting_limit(counts, reader->config->limit_ns) ?:
	       accounting_end(counts, reader->records);
}

ssize_t reader_drain(struct reader *reader)
{
	struct idle_latency_counts counts;
	const char *what;
	ssize_t got;

	do
		got = reader_read(reader, READER_ROOM);
	while (got > 0);
	if (reader->wrong)
		return -EILSEQ;
	if (device_counts(reader->fd, &counts))
		return wrong(reader, "the counts cannot be read");
	what = check_counts(reader, &counts);
	return what ? wrong(reader, what) : got;
}

void reader_restart(struct reader *reader)
{
	*reader = (struct reader) {
		.fd = reader->fd, .config = reader->config,
	};
}
