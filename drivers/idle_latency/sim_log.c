// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the simulated idle states did, one row for each period, as a file in
 * debugfs: the truth that a measurement is compared with.
 *
 * Each CPU overwrites its own oldest row, without a lock. A reader copies a row
 * and drops the copy if the CPU has begun to overwrite that row meanwhile.
 *
 * A CPU gets its rows, which take 2 MiB, when it is first online, and near it.
 */
#include <linux/compiler.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

#include <asm/barrier.h>

#include "sim_log.h"

DEFINE_PER_CPU(struct sim_log, idle_latency_sim_log);

static struct dentry *directory;
static const struct cpumask *logged_cpus;
static enum cpuhp_state hotplug_state;

/*
 * Where one reader is. Position 0 of the file is the header, and SIM_LOG_ROWS
 * positions for each CPU number follow it.
 */
struct log_reader {
	unsigned int cpu;	/* of the row */
	unsigned long end;	/* rows that the CPU had written when its first was read */
	struct sim_row row;
};

/* Copies row n of a CPU. Returns false when the CPU never wrote it or overwrote it. */
static bool read_row(const struct sim_log *log, unsigned long n, struct sim_row *row)
{
	unsigned long begun;

	/* The CPU may be writing to it, which the reader finds out afterwards. */
	*row = data_race(log->rows[n % SIM_LOG_ROWS]);
	/* Pairs with the first barrier of sim_log_store(). */
	smp_rmb();
	begun = READ_ONCE(log->begun);

	return row->level && begun - n <= SIM_LOG_ROWS;
}

/* Finds the first row at a position or after it. */
static void *find_row(struct log_reader *reader, loff_t *pos)
{
	for (;; ++*pos) {
		const u64 index = *pos - 1;
		const unsigned int offset = index % SIM_LOG_ROWS;
		const struct sim_log *log;

		reader->cpu = index / SIM_LOG_ROWS;
		if (reader->cpu >= nr_cpu_ids)
			return NULL;
		if (!cpu_possible(reader->cpu))
			continue;

		log = per_cpu_ptr(&idle_latency_sim_log, reader->cpu);
		if (!READ_ONCE(log->rows))
			continue;
		if (!offset) {
			/* Pairs with the second barrier of sim_log_store(). */
			reader->end = smp_load_acquire(&log->done);
		}
		if (read_row(log, reader->end - SIM_LOG_ROWS + offset, &reader->row))
			return reader;

		cond_resched();
	}
}

static void *truth_start(struct seq_file *m, loff_t *pos)
{
	return *pos ? find_row(m->private, pos) : SEQ_START_TOKEN;
}

static void *truth_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return find_row(m->private, pos);
}

static void truth_stop(struct seq_file *m, void *v)
{
}

static int truth_show(struct seq_file *m, void *v)
{
	const struct log_reader *reader = v;

	if (v == SEQ_START_TOKEN) {
		seq_puts(m, "cpu,hint,enter_tsc,event_tsc,exit_tsc,level,package\n");
		return 0;
	}

	seq_printf(m, "%u,0x%02x,%llu,%llu,%llu,C%u,PC0\n", reader->cpu,
		   reader->row.level, reader->row.enter, reader->row.event,
		   reader->row.exit, reader->row.level);
	return 0;
}

static const struct seq_operations truth_ops = {
	.start	= truth_start,
	.next	= truth_next,
	.stop	= truth_stop,
	.show	= truth_show,
};

static int truth_open(struct inode *inode, struct file *file)
{
	return seq_open_private(file, &truth_ops, sizeof(struct log_reader));
}

static const struct file_operations truth_fops = {
	.owner		= THIS_MODULE,
	.open		= truth_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= seq_release_private,
};

static void free_rows(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		vfree(per_cpu(idle_latency_sim_log.rows, cpu));
}

/* On the CPU, which is not in an idle state. Without memory it has no rows, and goes on. */
static int cpu_comes_online(unsigned int cpu)
{
	struct sim_log *log = per_cpu_ptr(&idle_latency_sim_log, cpu);

	if (cpumask_test_cpu(cpu, logged_cpus) && !log->rows)
		WRITE_ONCE(log->rows, vzalloc_node(SIM_LOG_ROWS * sizeof(*log->rows),
						   cpu_to_node(cpu)));

	return 0;
}

/**
 * idle_latency_sim_log_init() - allocate the rows and create the file
 * @cpus: the CPUs that have simulated states; stays
 *
 * Context: process context, before any simulated state is entered. May sleep.
 * Return: 0 or a negative errno.
 */
int __init idle_latency_sim_log_init(const struct cpumask *cpus)
{
	int state;

	if (!IS_ENABLED(CONFIG_DEBUG_FS))
		return 0;

	logged_cpus = cpus;
	state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "idle_latency_sim:online", cpu_comes_online,
				  NULL);
	if (state < 0)
		return state;

	hotplug_state = state;

	/* States are simulated without the file, too: errors of debugfs do not matter. */
	directory = debugfs_create_dir("idle_latency_sim", NULL);
	debugfs_create_file("truth", 0400, directory, NULL, &truth_fops);
	return 0;
}

/**
 * idle_latency_sim_log_exit() - undo idle_latency_sim_log_init()
 *
 * Context: process context, after all CPUs have left the simulated states. May
 * sleep.
 */
void idle_latency_sim_log_exit(void)
{
	if (!IS_ENABLED(CONFIG_DEBUG_FS))
		return;

	debugfs_remove(directory);
	cpuhp_remove_state_nocalls(hotplug_state);
	free_rows();
}
