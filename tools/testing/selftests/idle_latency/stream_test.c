// SPDX-License-Identifier: GPL-2.0
/*
 * One long session for a reader that is always there, and one for a reader that
 * comes only when the buffer is full: no record is lost, repeated or out of
 * order, and each event is accounted for.
 *
 * Takes the number of records of a session, 20000 when it is not given.
 */
#include <unistd.h>

#include "idle_latency_util.h"

/* So near that a million records take minutes, and hardly one is discarded. */
#define LDIST_FROM_NS	10000
#define LDIST_TO_NS	20000

struct stream {
	const char *name;
	bool waits;
};

static const struct stream streams[] = {
	/* the read itself waits until half of the buffer is filled */
	{ .name = "a reader that is always there" },
	{ .name = "a reader that waits until the buffer is full", .waits = true },
};

/* Returns NULL, or what was wrong. */
static const char *read_all(struct reader *reader, const struct stream *stream)
{
	struct idle_latency_counts counts;
	ssize_t got;

	do {
		if (stream->waits && !session_wait_full(reader->fd, &counts))
			return "the buffer does not get full, nor does the session end";
		got = reader_read(reader, NULL, SESSION_RECORDS_MAX);
	} while (got > 0 && !reader->wrong);
	if (!got)
		got = reader_drain(reader);
	if (reader->wrong)
		return reader->wrong;
	if (got)
		return "a read failed";
	if (reader->records != reader->config->samples)
		return "the session ended without all of its records";
	return NULL;
}

static const char *run(const struct stream *stream,
		       const struct idle_latency_config *config)
{
	struct reader reader = { .config = config };
	const char *wrong;

	reader.fd = device_open(0);
	if (reader.fd < 0)
		return "the device cannot be opened";
	if (device_begin(reader.fd, config))
		wrong = "the session cannot be started";
	else
		wrong = read_all(&reader, stream);
	close(reader.fd);
	return wrong;
}

static void report(const struct stream *stream, __u64 samples, const char *wrong)
{
	if (wrong)
		ksft_test_result_fail("%llu records for %s: %s\n", samples,
				      stream->name, wrong);
	else
		ksft_test_result_pass("%llu records for %s\n", samples,
				      stream->name);
}

int main(int argc, char **argv)
{
	struct idle_latency_config config;
	__u64 samples = 20000;

	machine_required(false);
	ksft_print_header();
	if (argc > 2 || (argc == 2 && !parse_number(argv[1], &samples)) ||
	    !samples)
		ksft_exit_fail_msg("takes the number of records of a session\n");
	if (!machine_config(&config))
		ksft_exit_skip("no idle states: load a cpuidle driver\n");
	config.ldist_from_ns = LDIST_FROM_NS;
	config.ldist_to_ns = LDIST_TO_NS;
	config.samples = samples;
	ksft_set_plan(ARRAY_SIZE(streams));
	for (size_t i = 0; i < ARRAY_SIZE(streams); i++)
		report(&streams[i], samples, run(&streams[i], &config));
	ksft_finished();
}
