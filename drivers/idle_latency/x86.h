/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _IDLE_LATENCY_X86_H
#define _IDLE_LATENCY_X86_H

#include <linux/types.h>

#include "session.h"

/* cstates.c */
void idle_latency_cstate_find(struct idle_latency_cstate *cstate, unsigned int cpu,
			      int hint);

/* interrupts.c */
void idle_latency_interrupts_init(struct idle_latency_session *session);
void idle_latency_count_interrupts(const struct idle_latency_session *session,
				   struct idle_latency_interrupts *counts);
bool idle_latency_timer_pending(const struct idle_latency_session *session);
bool idle_latency_card_pending(const struct idle_latency_session *session);

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
u32 idle_latency_residency_msr(u32 counter);
void idle_latency_read_frequency(const struct idle_latency_session *session,
				 struct idle_latency_frequency *frequency);

/* states.c */
int idle_latency_state_find(struct idle_latency_state *state,
			    struct idle_latency_cstate *cstate);

/* stamps.c */
bool idle_latency_has_enter_stamps(void);
void idle_latency_stamps_on(void);
void idle_latency_stamps_off(void);
void idle_latency_stamps_begin(struct idle_latency_session *session);
void idle_latency_stamps_read(const struct idle_latency_session *session,
			      struct idle_latency_entry *entry);

#endif /* _IDLE_LATENCY_X86_H */
