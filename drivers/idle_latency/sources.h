/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _IDLE_LATENCY_SOURCES_H
#define _IDLE_LATENCY_SOURCES_H

#include "session.h"

/* residency.c */
void idle_latency_residency_end(struct idle_latency_session *session);

/* timer.c */
int idle_latency_check_tsc(void);
void idle_latency_source_handled(struct idle_latency_session *session);
struct idle_latency_cross idle_latency_cross_monotonic(void);

extern const struct idle_latency_source_ops idle_latency_hrt;
extern const struct idle_latency_source_ops idle_latency_tdt;

/* nic.c */
extern const struct idle_latency_source_ops idle_latency_nic_source;

#endif /* _IDLE_LATENCY_SOURCES_H */
