/* SPDX-License-Identifier: GPL-2.0 */
/* What can spoil a sample. */
#ifndef CONTAMINANTS_H
#define CONTAMINANTS_H

#include "idle_latency_util.h"

/* A process that disturbs a CPU again and again while a session measures it. */

#define DISTURB_STAMPS_MAX 65536

/* What the process and the test share. */
struct disturb_log {
	pid_t child;
	/* number of disturbances, and when the first of them were */
	__u64 count;
	__u64 tsc[DISTURB_STAMPS_MAX];
};

/* What some of them need. */
struct contaminant {
	/* what is read from or written to */
	int fd;
	/* cycles of the TSC in a ns */
	double rate;
	/* that of NMIs, and how many were sent */
	unsigned int cpu;
	unsigned int sent;
};

/*
 * Disturbs once. Sets @tsc to a time at which the disturbed CPU was certainly
 * not idle, by its own TSC, to another time if it says so, or to 0 where there is
 * none. Returns false when it cannot go on.
 */
typedef bool disturb_once(struct contaminant *with, __u64 *tsc);

/* Begins to disturb from a process that runs on @cpu. Returns its log, or NULL. */
struct disturb_log *disturb_start(unsigned int cpu, disturb_once *once, struct contaminant *with);

/* Returns false when the process could not go on until now. The log stays. */
bool disturb_stop(const struct disturb_log *log);

/* Is a time of the log between the two? */
bool disturb_between(const struct disturb_log *log, __u64 from_tsc,
		     __u64 to_tsc);

/* What can spoil a sample; each disturbs once. */

/* A timer of the CPU that it runs on. */
disturb_once contaminate_by_timer;

/* Likewise, and the time is when that timer was to fire, for which it takes the rate. */
disturb_once contaminate_by_known_timer;

/* An IPI: has another CPU read its TSC, by the file of its msr device. */
int contaminant_msr_open(unsigned int cpu);
disturb_once contaminate_by_ipi;

/* Reads from a disk. */
int contaminant_disk_open(void);
disturb_once contaminate_by_disk;

/*
 * A wake-up of one CPU by another: one process writes to a pipe now and then,
 * another reads.
 */
disturb_once contaminate_by_waking;
disturb_once contaminate_by_being_woken;

/*
 * Sends the interrupts of all devices to a CPU, as far as they can be moved. False: it cannot be
 * promised that they come back, see prepare.h.
 */
bool contaminant_irqs_move(unsigned int cpu);

/* NMIs, sent by SysRq to all CPUs, each of which says where it is in the kernel log. */

/* Each takes some 2 kB of that log for each CPU. */
#define NMI_MAX		120

/*
 * Opens /dev/kmsg for those of a CPU. Returns NULL, or why no NMI can be sent. Until undo_now(),
 * the console shows no messages of the kernel, as that would take too long, /dev/kmsg takes any
 * number of them, and of idle CPUs the kernel says where they are, too.
 */
const char *contaminant_nmi_open(struct contaminant *sender, unsigned int cpu, double rate);

/* Sends an NMI now and then, NMI_MAX in all. The time is one at which the CPU handled it. */
disturb_once contaminate_by_nmi;

#endif
