// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>

#include "residency.h"

static const char * const names[IDLE_LATENCY_RESIDENCY_MAX] = {
	[IDLE_LATENCY_RESIDENCY_CC1] = "CC1",
	[IDLE_LATENCY_RESIDENCY_CC3] = "CC3",
	[IDLE_LATENCY_RESIDENCY_CC6] = "CC6",
	[IDLE_LATENCY_RESIDENCY_CC7] = "CC7",
	[IDLE_LATENCY_RESIDENCY_MC6] = "MC6",
	[IDLE_LATENCY_RESIDENCY_PC2] = "PC2",
	[IDLE_LATENCY_RESIDENCY_PC3] = "PC3",
	[IDLE_LATENCY_RESIDENCY_PC6] = "PC6",
	[IDLE_LATENCY_RESIDENCY_PC7] = "PC7",
	[IDLE_LATENCY_RESIDENCY_PC8] = "PC8",
	[IDLE_LATENCY_RESIDENCY_PC9] = "PC9",
	[IDLE_LATENCY_RESIDENCY_PC10] = "PC10",
	[IDLE_LATENCY_RESIDENCY_C0] = "C0",
};

const char *residency_name(unsigned int counter)
{
	return counter < IDLE_LATENCY_RESIDENCY_MAX ? names[counter] : NULL;
}

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

const char *residency_package(const struct idle_latency_record *record)
{
	const char *deepest = "";

	for (unsigned int i = IDLE_LATENCY_RESIDENCY_PC2;
	     i <= IDLE_LATENCY_RESIDENCY_PC10; i++) {
		if (record->residency_present & 1U << i && !*deepest)
			deepest = "PC0";
		if (record->residency_cyc[i])
			deepest = names[i];
	}
	return deepest;
}

static void add_share(struct text *text, const char *name, double percent)
{
	if (percent > 0)
		text_add(text, "%s%s %.1f %%", text->used ? ", " : "", name,
			 percent);
}

void residency_add(struct text *text, const struct idle_latency_record *record)
{
	double percent;

	if (residency_share(record, IDLE_LATENCY_RESIDENCY_C0, &percent))
		add_share(text, "C0", percent);
	if (residency_c1_share(record, &percent))
		add_share(text, "C1", percent);
	for (unsigned int i = IDLE_LATENCY_RESIDENCY_CC3;
	     i <= IDLE_LATENCY_RESIDENCY_PC10; i++)
		if (residency_share(record, i, &percent))
			add_share(text, names[i], percent);
}

bool residency_frequency(const struct idle_latency_record *record,
			 double *percent)
{
	if (!record->mperf_cyc)
		return false;
	*percent = 100.0 * record->aperf_cyc / record->mperf_cyc;
	return true;
}
