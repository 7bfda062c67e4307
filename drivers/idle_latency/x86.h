/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _IDLE_LATENCY_X86_H
#define _IDLE_LATENCY_X86_H

#include <linux/container_of.h>
#include <linux/hrtimer.h>
#include <linux/types.h>

#include "model.h"
#include "session.h"

struct cpuidle_stamps;
struct idle_latency_nic;
struct idle_latency_waker;

/**
 * struct idle_latency_x86_session - a session, and what an x86 machine needs for it
 * @session: the session; first, as it is allocated as a whole
 * @timer: timer of hrt and tdt
 * @nic: the card of nic, while it runs
 * @vector: the vector of the interrupt of nic, write or ipi, while it runs, else 0
 * @waker: who wakes the CPU by write and ipi, while it runs
 */
struct idle_latency_x86_session {
	struct idle_latency_session session;
	struct hrtimer timer;
	struct idle_latency_nic *nic;
	u32 vector;
	struct idle_latency_waker *waker;
};

#define to_x86_session(pointer)	\
	container_of_const(pointer, struct idle_latency_x86_session, session)

/* counters.c */
void idle_latency_counters_init(void);
void idle_latency_cstate_find(struct idle_latency_cstate *cstate, unsigned int cpu,
			      int hint);

/* declared.c */
int idle_latency_state_find(struct idle_latency_state *state,
			    struct idle_latency_cstate *cstate);

/* Makefile says which file has them */
int idle_latency_force_state(unsigned int cpu, int index);
void idle_latency_unforce_state(unsigned int cpu);
bool idle_latency_was_forced(const struct idle_latency_session *session,
			     const struct cpuidle_stamps *stamps);

/* interrupts.c */
void idle_latency_count_interrupts(const struct idle_latency_session *session,
				   struct idle_latency_interrupts *counts);
bool idle_latency_timer_pending(void);
bool idle_latency_event_pending(const struct idle_latency_session *session);

/* keep.c */
#ifdef CONFIG_IDLE_LATENCY_KEEP
int idle_latency_keep_register(void);
void idle_latency_keep_unregister(void);
#else
static inline int idle_latency_keep_register(void) { return 0; }
static inline void idle_latency_keep_unregister(void) { }
#endif

/* model.c */
extern struct idle_latency_model idle_latency_model;
void idle_latency_model_init(void);

/* nic.c */
extern const struct idle_latency_source_ops idle_latency_nic_source;

/* nic_pci.c */
#ifdef CONFIG_IDLE_LATENCY_NIC
int idle_latency_nic_register(void);
void idle_latency_nic_unregister(void);
#else
static inline int idle_latency_nic_register(void) { return 0; }
static inline void idle_latency_nic_unregister(void) { }
#endif

/* probe.c */
int idle_latency_probe_add(struct idle_latency_session *session);
void idle_latency_probe_remove(struct idle_latency_session *session);

/* residency.c */
void idle_latency_residency_begin(struct idle_latency_session *session);
void idle_latency_residency_end(struct idle_latency_session *session);
u32 idle_latency_residency_msr(u32 counter);
void idle_latency_read_frequency(const struct idle_latency_session *session,
				 struct idle_latency_frequency *frequency);

/* skew.c */
int idle_latency_find_skew(unsigned int cpu, unsigned int own, struct idle_latency_skew *skew);

/* stamps.c */
bool idle_latency_has_enter_stamps(void);
void idle_latency_stamps_on(void);
void idle_latency_stamps_off(void);
void idle_latency_stamps_begin(struct idle_latency_session *session);
void idle_latency_stamps_read(const struct idle_latency_session *session,
			      struct idle_latency_entry *entry);

/* timer.c */
int idle_latency_check_tsc(void);
void idle_latency_source_handled(struct idle_latency_session *session);
struct idle_latency_cross idle_latency_cross_monotonic(void);

extern const struct idle_latency_source_ops idle_latency_hrt;
extern const struct idle_latency_source_ops idle_latency_tdt;

/* waker.c */
extern const struct idle_latency_source_ops idle_latency_write;
extern const struct idle_latency_source_ops idle_latency_ipi;

#endif /* _IDLE_LATENCY_X86_H */
