/* SPDX-License-Identifier: GPL-2.0 */
/* On which CPUs this thread runs, within what its caller allows. */
#ifndef AFFINITY_H
#define AFFINITY_H

#include <stdbool.h>

#include "cpu_list.h"

/*
 * The online CPUs that this program was allowed to run on when it began. CPUs
 * that were isolated at boot or by a cpuset are not among them, unless the
 * caller has asked for them.
 */
bool affinity_allowed(struct cpu_list *cpus);

bool affinity_pin(unsigned int cpu);

/* Run anywhere that the caller allows but there, where that is possible. */
void affinity_avoid(unsigned int cpu);

#endif
