/* SPDX-License-Identifier: GPL-2.0 */
/* What can spoil a sample; each disturbs once, see disturb.h. */
#ifndef CONTAMINANTS_H
#define CONTAMINANTS_H

#include "disturb.h"

/* A timer of the CPU that it runs on. No context. */
disturb_once contaminate_by_timer;

/*
 * Likewise, and the time is when that timer was to fire. The context is a double: the
 * cycles of the TSC in a ns.
 */
disturb_once contaminate_by_known_timer;

/*
 * An IPI: has another CPU read its TSC. The context is the file descriptor of
 * the msr device of that CPU.
 */
int contaminant_msr_open(unsigned int cpu);
disturb_once contaminate_by_ipi;

/* Reads from a disk. The context is its file descriptor. */
int contaminant_disk_open(void);
disturb_once contaminate_by_disk;

/*
 * A wake-up of one CPU by another: one process writes to a pipe now and then,
 * another reads. The context is the file descriptor of its end.
 */
disturb_once contaminate_by_waking;
disturb_once contaminate_by_being_woken;

#endif
