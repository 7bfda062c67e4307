// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "proposal.h"

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

/* Tables have whole us, so that up to one of them may be from rounding up. */
#define TOO_HIGH_NS		1000

struct us {
	__u64 latency;
	__u64 residency;
};

static __u64 rounded_up_us(__u64 ns)
{
	return ns / 1000 + !!(ns % 1000);
}

/* The smallest values that suffice and come after those of @previous. */
static struct us raise_state(const struct proposal_state *state, struct us previous)
{
	__u64 suffices = rounded_up_us(larger(state->latency_ns, state->needed_ns));
	struct us raised = { .latency = larger(suffices, previous.latency + 1) };

	raised.residency = larger(rounded_up_us(state->residency_ns),
				  larger(raised.latency, previous.residency + 1));
	return raised;
}

bool proposal_line(const struct proposal_state *states, size_t count, char *line, size_t size)
{
	struct text text = text_begin(line, size);
	const char *separator = PARAMETER;
	struct us us = { };

	for (size_t i = 0; i < count; i++) {
		if (!strcmp(states[i].name, "POLL"))
			continue;
		us = raise_state(&states[i], us);
		if (us.latency > LATENCY_MAX_US || us.residency > RESIDENCY_MAX_US ||
		    !text_add(&text, "%s%s:%llu:%llu", separator, states[i].name, us.latency,
			      us.residency))
			return false;
		separator = ",";
	}
	return text.used && text.used <= strlen(PARAMETER) + TABLE_LENGTH_MAX;
}

const struct method *proposal_method(const struct result *results, size_t count)
{
	size_t rows[METHODS] = { }, best = 0;
	__u64 errors_ns[METHODS] = { };

	for (size_t i = 0; i < count; i++) {
		const struct summary *summary = &results[i].summary;
		size_t method = summary->row->method - methods;

		if (!summary->valid)
			continue;
		rows[method]++;
		errors_ns[method] += summary->median_error_ns;
	}
	for (size_t i = 1; i < METHODS; i++)
		if (rows[i] > rows[best] ||
		    (rows[i] == rows[best] && errors_ns[i] < errors_ns[best]))
			best = i;
	return rows[best] ? &methods[best] : NULL;
}

__u64 proposal_needed(const struct result *results, size_t count,
		      const struct method *method, unsigned int state)
{
	__u64 needed_ns = 0;

	for (size_t i = 0; i < count; i++) {
		const struct verdict *verdict = &results[i].verdict;
		const struct row *row = results[i].summary.row;

		if (row->state.index == state && results[i].summary.valid)
			needed_ns = larger(needed_ns, row->method == method ?
					   verdict->smallest_pass_ns : verdict->none_above_ns);
	}
	return needed_ns;
}

bool proposal_too_high(__u64 declared_ns, __u64 largest_ns, char *remark, size_t size)
{
	struct text text = text_begin(remark, size);

	if (largest_ns >= declared_ns / 2 || declared_ns - 2 * largest_ns <= TOO_HIGH_NS)
		return false;
	text_add(&text,
		 "declared %llu ns is more than twice the largest latency with its error, %llu ns",
		 declared_ns, largest_ns);
	return true;
}
