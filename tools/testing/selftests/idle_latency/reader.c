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

ssize_t reader_read(struct reader *reader, size_t room)
{
	static struct idle_latency_record records[READER_ROOM];
	ssize_t got = device_read(reader->fd, records, room);

	for (ssize_t i = 0; i < got; i++) {
		const char *what = accounting_record(&records[i],
						     reader->records,
						     reader->config);

		if (what)
			return wrong(reader, what);
		reader->records++;
	}
	return got;
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
	what = accounting_end(&counts, reader->records);
	return what ? wrong(reader, what) : got;
}
