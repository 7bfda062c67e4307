/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _IDLE_LATENCY_SIM_LOG_H
#define _IDLE_LATENCY_SIM_LOG_H

#include <linux/cpumask.h>
#include <linux/kconfig.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include <asm/barrier.h>

/* Each CPU keeps this many rows; a power of two. */
#define SIM_LOG_ROWS	65536U

/**
 * struct sim_row - one simulated idle period
 * @enter: when the state began to wait, in TSC cycles
 * @event: when the state saw what ended the wait, in TSC cycles
 * @exit: when the spin of the state is to end, in TSC cycles
 * @level: index of the state that was taken, 0 in a row that was never written:
 *	state 0 polls and is not simulated
 */
struct sim_row {
	u64 enter;
	u64 event;
	u64 exit;
	u32 level;
};

/**
 * struct sim_log - the last idle periods of one CPU, which alone writes to it
 * @rows: SIM_LOG_ROWS rows, or NULL; row n of all that were ever written is in
 *	n % SIM_LOG_ROWS
 * @begun: how many rows the CPU has begun to write
 * @done: how many rows the CPU has written
 */
struct sim_log {
	struct sim_row *rows;
	unsigned long begun;
	unsigned long done;
};

DECLARE_PER_CPU(struct sim_log, idle_latency_sim_log);

/*
 * The row that this CPU writes next, or NULL. A state looks for it before it waits, so that
 * storing the row afterwards takes nothing but the stores.
 */
static __always_inline struct sim_row *sim_log_next(void)
{
	struct sim_row *rows = raw_cpu_read(idle_latency_sim_log.rows);

	return rows ? rows + raw_cpu_read(idle_latency_sim_log.done) % SIM_LOG_ROWS : NULL;
}

/*
 * Store what sim_log_next() returned. Only for a state that runs with interrupts
 * disabled. Without debugfs nobody could read the row.
 */
static __always_inline void sim_log_store(struct sim_row *row, u64 enter, u64 event,
					  u64 exit, u32 level)
{
	if (!IS_ENABLED(CONFIG_DEBUG_FS) || !row)
		return;

	raw_cpu_inc(idle_latency_sim_log.begun);
	/* Pairs with read_row(): a reader that sees any of what follows sees this. */
	smp_wmb();
	row->enter = enter;
	row->event = event;
	row->exit = exit;
	row->level = level;
	/* Pairs with find_row(): a reader that sees what follows sees the whole row. */
	smp_wmb();
	raw_cpu_inc(idle_latency_sim_log.done);
}

int idle_latency_sim_log_init(const struct cpumask *cpus);
void idle_latency_sim_log_exit(void);

#endif /* _IDLE_LATENCY_SIM_LOG_H */
