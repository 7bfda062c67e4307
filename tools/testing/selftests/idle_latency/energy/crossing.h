/* SPDX-License-Identifier: GPL-2.0 */
/* From which length of an idle period on a state costs less than the one above it. */
#ifndef CROSSING_H
#define CROSSING_H

#include "break_even.h"
#include "wakes.h"

/* One of the two states. */
struct crossing_state {
	unsigned int index;
	__u64 latency_us;
	/* of each meter: in W, while the reader polls and the others are in the state */
	const double *awake_w;
};

/* How both are measured. */
struct crossing_take {
	struct keep *keep;
	struct meters *meters;
	const struct package *package;
	/* of a CPU that is awake, in W */
	double poll_w;
	/* by how much a thread is late where its CPU polls, and for how long this is not idle */
	double prompt_ns;
	double awake_ns;
	__u64 until_ns;
};

struct crossing {
	struct energy_line state;
	struct energy_line above;
	struct break_even found;
};

/* Finds prompt_ns and awake_ns, which stay 0 where they cannot be measured. */
void crossing_prepare(struct crossing_take *take, const struct crossing_state *poll);

/*
 * Measures both states at lengths that suit the declared target residency, again and again until
 * the interval of the crossing is narrow or the time is over. Returns false where a counter stood
 * still, or CPUs were not held.
 */
bool crossing_find(const struct crossing_take *take, const struct crossing_state *state,
		   const struct crossing_state *above, __u64 declared_ns,
		   struct crossing *crossing);

#endif
