/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _IDLE_LATENCY_KEEP_H
#define _IDLE_LATENCY_KEEP_H

#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/types.h>

#include <uapi/linux/idle_latency_keep.h>

#include "model.h"

/**
 * struct idle_latency_held - CPUs that are held in an idle state
 * @wanted: those that are to be, whenever they are online
 * @held: those of them that are
 * @state: index of the state
 */
struct idle_latency_held {
	cpumask_var_t wanted;
	cpumask_var_t held;
	int state;
};

/* hold.c */
int idle_latency_hold(struct idle_latency_held *held, int state);
void idle_latency_let_go(struct idle_latency_held *held);
void idle_latency_hold_again(struct idle_latency_held *held, unsigned int cpu);
void idle_latency_let_go_of(struct idle_latency_held *held, unsigned int cpu);
unsigned int idle_latency_count_held(struct idle_latency_held *held);

/* settings.c */
int idle_latency_check_settings(const struct idle_latency_settings *settings);
int idle_latency_keep_settings(const struct idle_latency_model *model,
			       struct idle_latency_settings *settings);
void idle_latency_put_back_settings(u32 settings);
void idle_latency_settings_online(unsigned int cpu);
void idle_latency_settings_offline(unsigned int cpu);

#endif /* _IDLE_LATENCY_KEEP_H */
