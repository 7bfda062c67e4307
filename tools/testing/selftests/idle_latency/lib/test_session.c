// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>

#include "accounting.h"
#include "device.h"
#include "test_machine.h"
#include "test_session.h"

static const char *check_record(const struct session_result *result, size_t i,
				const struct idle_latency_config *config)
{
	const struct idle_latency_record *record = &result->record[i];

	if (i && record->event <= record[-1].event)
		return "the numbers of the events do not ascend";
	return accounting_record(record, i, config);
}

static const char *read_all(int fd, const struct idle_latency_config *config,
			    struct session_result *result)
{
	const char *wrong = NULL;
	ssize_t got = device_read(fd, result->record, SESSION_RECORDS_MAX);

	if (got < 0)
		return "the records could not be read";
	result->count = got;
	for (size_t i = 0; i < result->count && !wrong; i++)
		wrong = check_record(result, i, config);
	return wrong;
}

/* However slow the machine is, it has armed them after this. */
#define TIMEOUT_MS	20000

/* Seldom enough not to disturb the measured CPU. */
#define LOOK_MS		20

static bool wait_for_events(int fd, __u64 events)
{
	struct idle_latency_counts counts;

	for (unsigned int ms = 0; ms < TIMEOUT_MS; ms += LOOK_MS) {
		if (device_counts(fd, &counts))
			return false;
		if (counts.armed >= events)
			return true;
		sleep_ms(LOOK_MS);
	}
	return false;
}

const char *session_run(int fd, const struct idle_latency_config *config,
			__u64 events, struct session_result *result)
{
	if (device_begin(fd, config))
		return "the session did not start";
	return session_end(fd, config, events, result);
}

const char *session_end(int fd, const struct idle_latency_config *config,
			__u64 events, struct session_result *result)
{
	const char *wrong;

	if (!wait_for_events(fd, events))
		return "the session armed too few events";
	if (device_stop(fd))
		return "the session ended by itself";
	wrong = read_all(fd, config, result);
	if (wrong)
		return wrong;
	if (device_counts(fd, &result->counts))
		return "the counts could not be read";
	wrong = accounting_limit(&result->counts, config->limit_ns);
	return wrong ? wrong : accounting_end(&result->counts, result->count);
}
