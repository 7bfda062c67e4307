// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>

#include "residency.h"

bool residency_share(const struct idle_latency_record *record,
		     enum idle_latency_residency_counter counter,
		     double *percent)
{
	const __u32 valid = record->residency_present &
			    ~record->residency_invalid;

	if (!(valid & 1U << counter) || !record->interval_cyc)
		return false;
	*percent = 100.0 * record->residency_cyc[counter] / record->interval_cyc;
	return true;
}

/* A core state without a counter was not entered; an invalid one is unknown. */
static bool subtract(const struct idle_latency_record *record,
		     enum idle_latency_residency_counter counter, double *percent)
{
	double share = 0;

	if (record->residency_invalid & 1U << counter)
		return false;
	residency_share(record, counter, &share);
	*percent -= share;
	return true;
}

bool residency_c1_share(const struct idle_latency_record *record,
			double *percent)
{
	const __u32 c0 = 1U << IDLE_LATENCY_RESIDENCY_C0;
	double rest = 100;

	if (record->residency_present & 1U << IDLE_LATENCY_RESIDENCY_CC1)
		return residency_share(record, IDLE_LATENCY_RESIDENCY_CC1,
				       percent);
	if (!(record->residency_present & c0) ||
	    !subtract(record, IDLE_LATENCY_RESIDENCY_C0, &rest) ||
	    !subtract(record, IDLE_LATENCY_RESIDENCY_CC3, &rest) ||
	    !subtract(record, IDLE_LATENCY_RESIDENCY_CC6, &rest) ||
	    !subtract(record, IDLE_LATENCY_RESIDENCY_CC7, &rest) || rest < 0)
		return false;
	*percent = rest;
	return true;
}

bool residency_frequency(const struct idle_latency_record *record,
			 double *percent)
{
	if (!record->mperf_cyc)
		return false;
	*percent = 100.0 * record->aperf_cyc / record->mperf_cyc;
	return true;
}
