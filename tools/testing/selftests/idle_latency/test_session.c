// SPDX-License-Identifier: GPL-2.0
#include "accounting.h"
#include "device.h"
#include "test_machine.h"
#include "test_session.h"

static const char *read_all(int fd, const struct idle_latency_config *config,
			    struct session_result *result)
{
	const char *wrong = NULL;
	ssize_t got = device_read(fd, result->record, SESSION_RECORDS_MAX);

	if (got < 0)
		return "the records could not be read";
	result->count = got;
	for (size_t i = 0; i < result->count && !wrong; i++)
		wrong = accounting_record(&result->record[i], i, config);
	return wrong;
}

const char *session_run(int fd, const struct idle_latency_config *config,
			unsigned int ms, struct session_result *result)
{
	const char *wrong;

	if (device_begin(fd, config))
		return "the session did not start";
	sleep_ms(ms);
	if (device_stop(fd))
		return "the session ended by itself";
	wrong = read_all(fd, config, result);
	if (wrong)
		return wrong;
	if (device_counts(fd, &result->counts))
		return "the counts could not be read";
	return accounting_end(&result->counts, result->count);
}
