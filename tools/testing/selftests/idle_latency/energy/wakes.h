/* SPDX-License-Identifier: GPL-2.0 */
/* What a package takes when all of its CPUs wake up again and again. */
#ifndef WAKES_H
#define WAKES_H

#include "break_even.h"
#include "watts.h"

struct wakes {
	const struct package *package;
	unsigned int state;
	/* between two wake-ups, as timers are set; random: between half and three halves of it */
	double length_ns;
	bool random;
	/* of a CPU that is awake, in W: of POLL */
	double awake_w;
	/* by how much a thread is late where the CPU polls */
	double prompt_ns;
};

struct woken {
	/* the mean idle period, from its entry until the timer fires, and what it takes */
	struct energy_point point;
	/* by how much a thread is late, without the quarters that are the least and the most */
	double late_ns;
	/* for which a CPU is not idle each time */
	double awake_ns;
};

/*
 * All CPUs are held in the state and woken by timers at the same times. Returns false where that
 * gives no point, as it never does where the state is POLL.
 * @watts: of each meter while the reader polls and the others sleep
 */
bool wakes_measure(struct meters *meters, const struct wakes *wakes, const double *watts,
		   struct woken *woken);

#endif
