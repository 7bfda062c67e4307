/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The energy counters that the kernel has: those of powercap, and for domains that powercap lacks
 * the events of perf's PMU "power" (and "power_core" of AMD). Both are updated about once a ms.
 */
#ifndef METER_H
#define METER_H

#include "held.h"

#define METER_NAME_LEN	16
#define METERS_MAX	16

struct meter {
	/* package, core (all of them), uncore, dram or psys */
	char name[METER_NAME_LEN];
	/* of energy_uj, or of an event */
	int fd;
	/* of an event, which counts so many nJ in binary; 0: text, in uJ */
	double unit_nj;
	/* counts after which it begins again; 0: it never does */
	__u64 range;
	__u64 last;
	/* since it was opened, in counts */
	__u64 total;
	/* it did not change while others did */
	bool still;
};

/* Those of one package. The thread that reads them runs on its first CPU, so that none is woken. */
struct meters {
	/* that of the package is the first one, where it has one */
	struct meter meter[METERS_MAX];
	size_t count;
	/* of the update, as it was measured */
	double period_ns;
};

/* Loads the modules that have counters. Returns false, and why there is none. */
bool meters_open(const struct package *package, struct meters *meters, struct obstacle *obstacle);
void meters_close(struct meters *meters);

static inline double meter_nj(const struct meter *meter)
{
	return meter->total * (meter->unit_nj ? meter->unit_nj : 1000.0);
}

/* An update of a counter: when it was seen, and what it says. */
struct edge {
	__u64 ns;
	double nj;
};

/*
 * Polls until each counter that is not still was updated; edges are those of these meters.
 * Returns false where one was not within STANDS_STILL_NS.
 */
#define STANDS_STILL_NS	50000000ULL
bool meters_next_update(struct meters *meters, struct edge *edges);

/* Which of them stand still, and how long a period is. */
void meters_calibrate(struct meters *meters);

#endif
