// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "proposal.h"
#include "text.h"

/*
 * What intel_idle of Linux v7.3 takes: see cmdline_table_adjust() and
 * validate_cmdline_cstate() in drivers/idle/intel_idle.c. Besides, latencies
 * and residencies rise from state to state, no residency is below its latency,
 * no latency is 0, and POLL stays as it is.
 */
#define TABLE_LENGTH_MAX	255
#define LATENCY_MAX_US		5000
#define RESIDENCY_MAX_US	100000

#define PARAMETER		"intel_idle.table="

/* The error of a measurement does not make a declared value too high. */
#define TOO_HIGH_NS		1000

struct us {
	__u64 latency;
	__u64 residency;
};

static __u64 most(__u64 a, __u64 b)
{
	return a > b ? a : b;
}

static __u64 rounded_up_us(__u64 ns)
{
	return ns / 1000 + !!(ns % 1000);
}

/* The smallest values that suffice and come after those of @previous. */
static struct us raise_state(const struct proposal_state *state,
			     struct us previous)
{
	__u64 suffices = rounded_up_us(most(state->latency_ns,
					    state->needed_ns));
	struct us raised = { .latency = most(suffices, previous.latency + 1) };

	raised.residency = most(rounded_up_us(state->residency_ns),
				most(raised.latency, previous.residency + 1));
	return raised;
}

static bool add_state(struct text *text, const char *name, struct us us)
{
	return us.latency <= LATENCY_MAX_US &&
	       us.residency <= RESIDENCY_MAX_US &&
	       text_add(text, "%s:%llu:%llu", name, us.latency, us.residency);
}

bool proposal_line(const struct proposal_state *states, size_t count,
		   char *line, size_t size)
{
	struct text text = text_begin(line, size);
	const char *separator = PARAMETER;
	struct us us = { };

	for (size_t i = 0; i < count; i++) {
		if (!strcmp(states[i].name, "POLL"))
			continue;
		us = raise_state(&states[i], us);
		if (!text_add(&text, "%s", separator) ||
		    !add_state(&text, states[i].name, us))
			return false;
		separator = ",";
	}
	return text.used && text.used <= strlen(PARAMETER) + TABLE_LENGTH_MAX;
}

bool proposal_too_high(__u64 declared_ns, __u64 largest_ns, char *remark,
		       size_t size)
{
	struct text text = text_begin(remark, size);

	if (largest_ns >= declared_ns / 2 ||
	    declared_ns - 2 * largest_ns <= TOO_HIGH_NS)
		return false;
	text_add(&text,
		 "declared %llu ns is more than twice the largest latency less its error, %llu ns",
		 declared_ns, largest_ns);
	return true;
}
