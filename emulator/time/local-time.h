/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A clock for each CPU, where instructions are counted and all CPUs share a thread.
 */

#ifndef SYSEMU_LOCAL_TIME_H
#define SYSEMU_LOCAL_TIME_H

#include "exec/cpu-common.h"
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

/*
 * Called before a CPU writes to a page with memory that others have watched. A CPU that
 * sleeps until such a write is woken at the time of that: as local_time_wait_turn().
 */
void local_time_write(CPUState *cpu, ram_addr_t address, unsigned size, uintptr_t pc);

/*
 * The CPU executes PAUSE, as those do that wait for what another one writes. Returns
 * whether another one has to catch up.
 */
bool local_time_pause(CPUState *cpu);

/* An event reached the CPU now. If it wakes up by that, it does so not earlier. */
void local_time_event(CPUState *cpu);

/* The CPU lets the others catch up. */
void local_time_yield(void);

/* The main loop has looked at what the host has for it. */
void local_time_main_loop_looked(void);

/* No more than the end of its turn is left: may the CPU end it before that? */
bool local_time_end_turn(void);

#endif
