/* SPDX-License-Identifier: GPL-2.0 */
/* What to declare instead, for a table that does not hold. */
#ifndef PROPOSAL_H
#define PROPOSAL_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

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
 * seen: returns true, and a remark with both.
 */
bool proposal_too_high(__u64 declared_ns, __u64 largest_ns, char *remark,
		       size_t size);

#endif
