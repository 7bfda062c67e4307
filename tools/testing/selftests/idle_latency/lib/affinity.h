/* SPDX-License-Identifier: GPL-2.0 */
/* Where this program runs. */
#ifndef AFFINITY_H
#define AFFINITY_H

#include <stdbool.h>

bool affinity_pin(unsigned int cpu);

/* Keeps away from a CPU, where there is another one to run on. */
void affinity_avoid(unsigned int cpu);

#endif
