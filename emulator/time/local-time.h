/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A clock for each CPU, where instructions are counted and all CPUs share a thread.
 */

#ifndef SYSEMU_LOCAL_TIME_H
#define SYSEMU_LOCAL_TIME_H

#include "hw/core/cpu.h"

/* Whether CPUs have clocks of their own: -icount without sleep=on. */
bool local_time_enabled(void);

/* Run CPUs and timers, each at its time. Never returns. */
G_NORETURN void local_time_loop(void);

/*
 * Called before a CPU does what has a place in time: reads a clock, gives an order
 * to a device, goes idle. When another one has not come that far, this does not
 * return; the instruction, at the host address pc, begins again later.
 */
void local_time_wait_turn(CPUState *cpu, uintptr_t pc);

/* An event reached the CPU now. If it wakes up by that, it does so not earlier. */
void local_time_event(CPUState *cpu);

/* The CPU lets the others catch up. */
void local_time_yield(void);

/* The main loop has looked at what the host has for it. */
void local_time_main_loop_looked(void);

/* No more than the end of its turn is left: may the CPU end it before that? */
bool local_time_end_turn(void);

#endif
