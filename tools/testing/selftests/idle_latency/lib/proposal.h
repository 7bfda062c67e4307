/* SPDX-License-Identifier: GPL-2.0 */
/* What to declare instead, for a table that does not hold. */
#ifndef PROPOSAL_H
#define PROPOSAL_H

#include "measure.h"

struct proposal_state {
	const char *name;
	/* declared, in ns */
	__u64 latency_ns;
	__u64 residency_ns;
	/* smallest exit latency that would have passed; 0: not measured */
	__u64 needed_ns;
};

/* Room for the longest line that Linux takes, and its name. */
#define PROPOSAL_BYTES	320

/*
 * "intel_idle.table=C1:2:2,C1E:10:20": all states of a CPU in their order, to
 * boot with. What suffices is kept; the rest is raised to the next whole us,
 * and until intel_idle of Linux v7.3 takes the line. Returns false where there
 * is no such line.
 */
bool proposal_line(const struct proposal_state *states, size_t count,
		   char *line, size_t size);

/*
 * Where the declared exit latency is far above the largest latency that was
 * seen, to which its error is added: returns true, and a remark with both.
 */
bool proposal_too_high(__u64 declared_ns, __u64 largest_ns, char *remark,
		       size_t size);

/*
 * The method that a proposed table is made by: the one with samples of most states, and of these
 * the one with the smallest errors. NULL: there is no sample.
 */
const struct method *proposal_method(const struct result *results, size_t count);

/*
 * What a state of a CPU has to declare: all samples of this method are below it, and none of any
 * other is above.
 */
__u64 proposal_needed(const struct result *results, size_t count,
		      const struct method *method, unsigned int state);

#endif
