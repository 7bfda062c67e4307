// SPDX-License-Identifier: GPL-2.0-only
/*
 * Simulated idle states with a known exit latency, for machines that have no
 * idle states of their own: emulators and virtual machines.
 *
 * A simulated state is entered with interrupts disabled. It waits until the
 * local APIC shows a pending interrupt, as a CPU in an idle state would, then
 * spins for the exit latency that was chosen, and returns. The exit latency it
 * declares to cpuidle is chosen as well, so that a measurement has a truth to be
 * compared with, and a verdict has something to catch.
 *
 * Assumptions: the interrupts that wake the CPU are those that the local APIC
 * delivers; NMIs do not end a simulated state.
 *
 * Nothing is simulated unless the parameter "states" is given, and nothing where
 * another cpuidle driver is registered.
 */
#include <linux/cpufeature.h>
#include <linux/cpuidle.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/processor.h>
#include <linux/sched.h>
#include <linux/sched/idle.h>
#include <linux/smp.h>

#include <asm/apic.h>
#include <asm/asm.h>
#include <asm/msr.h>
#include <asm/mwait.h>
#include <asm/tsc.h>

#include "sim_log.h"
#include "sim_spec.h"

/* State 0 is the polling state, as with every driver on x86. */
#define FIRST_STATE	1
#define MAX_SIMULATED	(CPUIDLE_STATE_MAX - FIRST_STATE)

/* For MWAIT: C0, the state with no latency of its own (SDM volume 2B, "MWAIT"). */
#define MWAIT_HINT_C0	0xf0

static char *states;
module_param(states, charp, 0444);
MODULE_PARM_DESC(states, "NAME:declared_ns:actual_ns[:option,...] ...");

static char *cpus;
module_param(cpus, charp, 0444);
MODULE_PARM_DESC(cpus, "list of the CPUs that have the states, such as 0,2-3; all without it");

/* What a state does, in TSC cycles. */
struct sim_cycles {
	u64 actual;
	u64 spread;
	u64 outlier;
};

static struct cpumask chosen_cpus;
static struct sim_spec specs[MAX_SIMULATED];
static struct sim_cycles cycles[MAX_SIMULATED];
static bool use_mwait __ro_after_init;

static DEFINE_PER_CPU(u32, entries[MAX_SIMULATED]);
static DEFINE_PER_CPU(u64, random_state);
static DEFINE_PER_CPU(bool, irqs_enabled);

/*
 * The devices of cpuidle_register() stay when the module goes, and with them what a session has
 * set there that ends later: it finds no device of the CPU any more.
 */
static DEFINE_PER_CPU(struct cpuidle_device, devices);

/*
 * Pause between two looks at the APIC. MWAIT lets a hypervisor run something else, and an
 * emulator skip the time; a write to the monitored line ends it, too. Without MWAIT,
 * cpu_relax() at least yields to other virtual CPUs.
 */
static __always_inline void pause(void)
{
	if (use_mwait)
		__mwait(MWAIT_HINT_C0, MWAIT_ECX_INTERRUPT_BREAK);
	else
		cpu_relax();
}

/* Returns true if the CPU had to wait, and false if an interrupt was pending already. */
static __always_inline bool wait_for_interrupt(bool or_task)
{
	for (bool waited = false;; waited = true) {
		/* Before looking: what comes between that and MWAIT ends it. */
		if (use_mwait)
			__monitor(&current_thread_info()->flags, 0, 0);
		if (lapic_irq_pending() || (or_task && need_resched()))
			return waited;

		pause();
	}
}

/* With the polling flag set, other CPUs wake this one without an interrupt. */
static __always_inline bool wait_for_interrupt_or_task(void)
{
	bool waited = false;

	if (!current_set_polling_and_test())
		waited = wait_for_interrupt(true);
	current_clr_polling();

	return waited;
}

static __always_inline void spin(u64 begin, u64 length)
{
	while (rdtsc() - begin < length)
		cpu_relax();
}

static __always_inline void spin_with_irqs(u64 begin, u64 length)
{
	raw_cpu_write(irqs_enabled, true);
	raw_local_irq_enable();
	spin(begin, length);
	raw_local_irq_disable();
	raw_cpu_write(irqs_enabled, false);
}

static __always_inline bool is_due(u32 entry, u32 every)
{
	return every && entry % every == 0;
}

/* A linear congruential generator (Knuth's MMIX constants): its high bits do. */
static __always_inline u32 next_random(void)
{
	u64 x = raw_cpu_read(random_state) * 6364136223846793005ULL + 1442695040888963407ULL;

	raw_cpu_write(random_state, x);
	return x >> 32;
}

static __always_inline u64 choose_cycles(int i, u32 entry)
{
	if (is_due(entry, specs[i].outlier_every))
		return cycles[i].outlier;

	return cycles[i].actual + ((next_random() * cycles[i].spread) >> 32);
}

static __cpuidle int sim_enter(struct cpuidle_device *dev, struct cpuidle_driver *drv,
			       int index)
{
	int i = index - FIRST_STATE;
	u32 entry = raw_cpu_inc_return(entries[i]);
	u64 enter, begin, length;
	struct sim_row *row;
	bool waited;

	if (is_due(entry, specs[i].reject_every))
		return -EBUSY;
	if (is_due(entry, specs[i].demote_every))
		i--;

	length = choose_cycles(i, entry);
	row = sim_log_next();
	enter = rdtsc();
	if (specs[i].mwait)
		waited = wait_for_interrupt_or_task();
	else
		waited = wait_for_interrupt(false);
	begin = rdtsc();
	/* As MWAIT does not enter a state when an interrupt is pending. */
	if (!waited)
		length = 0;
	/* Stored before the spin, whose end is known already, so that storing costs nothing. */
	sim_log_store(row, enter, begin, begin + length, i + FIRST_STATE);
	if (specs[i].irqs)
		spin_with_irqs(begin, length);
	else
		spin(begin, length);

	return i + FIRST_STATE;
}

/*
 * It has no owner: cpuidle would hold a reference for each of its devices, and the module could
 * never be unloaded. wait_until_left() takes the place of that.
 */
static struct cpuidle_driver driver = {
	.name	= "idle_latency_sim",
};

/*
 * Only in a virtual machine, for the sake of its host. What CPUID says is not
 * enough: according to QEMU v7.2, MWAIT can be asked to end with interrupts that
 * are masked, but then it raises #GP.
 */
static bool __init mwait_works(void)
{
	int fault = 1;

	if (!boot_cpu_has(X86_FEATURE_HYPERVISOR) || !boot_cpu_has(X86_FEATURE_MWAIT))
		return false;

	/* A write to the monitored line, so that it does not wait. */
	__monitor(&use_mwait, 0, 0);
	WRITE_ONCE(use_mwait, true);
	asm volatile("1: mwait\n"
		     "xorl %0, %0\n"
		     "2:\n"
		     _ASM_EXTABLE(1b, 2b)
		     : "+r" (fault)
		     : "a" (MWAIT_HINT_C0), "c" (MWAIT_ECX_INTERRUPT_BREAK));
	return !fault;
}

static u64 ns_to_cycles(u32 ns)
{
	return mul_u64_u32_div(ns, tsc_khz, 1000000);
}

static void add_state(const struct sim_spec *spec, int i)
{
	struct cpuidle_state *state = &driver.states[FIRST_STATE + i];

	cycles[i].actual = ns_to_cycles(spec->actual_ns);
	cycles[i].spread = ns_to_cycles(spec->spread_ns);
	cycles[i].outlier = ns_to_cycles(spec->outlier_ns);

	strscpy(state->name, spec->name, sizeof(state->name));
	strscpy(state->desc, "simulated", sizeof(state->desc));
	state->exit_latency_ns = spec->declared_ns;
	/* It saves no power, so that there is no time from which on it would pay. */
	state->target_residency_ns = 0;
	state->enter = sim_enter;
}

/*
 * RCU does not watch a CPU in an idle state, so cpuidle cannot know that it left
 * one. An interrupt that was handled since proves it, unless the state enables
 * interrupts; then it has to have left that part first.
 */
static void wait_until_left(void)
{
	unsigned int cpu;

	kick_all_cpus_sync();
	for_each_possible_cpu(cpu) {
		while (READ_ONCE(per_cpu(irqs_enabled, cpu)))
			fsleep(100);
	}
	kick_all_cpus_sync();
}

static void unregister_all(void)
{
	unsigned int cpu;

	for_each_cpu(cpu, driver.cpumask)
		cpuidle_unregister_device(per_cpu_ptr(&devices, cpu));
	cpuidle_unregister_driver(&driver);
	wait_until_left();
}

static int __init register_all(void)
{
	unsigned int cpu;
	int err;

	err = cpuidle_register_driver(&driver);
	if (err)
		return err;

	for_each_cpu(cpu, driver.cpumask) {
		per_cpu(devices.cpu, cpu) = cpu;
		err = cpuidle_register_device(per_cpu_ptr(&devices, cpu));
		if (err) {
			/* Some CPUs may have been in a state before. */
			unregister_all();
			return err;
		}
	}

	return 0;
}

/* The others idle as they did. Each CPU with the states spins while it is idle. */
static int __init choose_cpus(void)
{
	int err;

	if (!cpus)
		return 0;

	err = cpulist_parse(cpus, &chosen_cpus);
	if (err)
		return err;
	if (cpumask_empty(&chosen_cpus) || !cpumask_subset(&chosen_cpus, cpu_possible_mask))
		return -ERANGE;

	driver.cpumask = &chosen_cpus;
	return 0;
}

static int __init sim_init(void)
{
	int count, err;

	if (!states) {
		pr_err("idle_latency_sim: parameter \"states\" is missing: NAME:declared_ns:actual_ns ...\n");
		return -EINVAL;
	}
	if (cpuidle_get_driver()) {
		pr_err("idle_latency_sim: cpuidle driver %s is registered, boot without it to simulate states\n",
		       cpuidle_get_driver()->name);
		return -EBUSY;
	}

	if (!boot_cpu_has(X86_FEATURE_APIC)) {
		pr_err("idle_latency_sim: the kernel does not use the local APIC\n");
		return -EOPNOTSUPP;
	}

	count = idle_latency_sim_parse(states, specs, MAX_SIMULATED);
	if (count < 0) {
		pr_err("idle_latency_sim: parameter \"states\" is not NAME:declared_ns:actual_ns[:option,...] ...: %d\n",
		       count);
		return count;
	}

	err = choose_cpus();
	if (err) {
		pr_err("idle_latency_sim: parameter \"cpus\" is no list of CPUs that are there: %d\n",
		       err);
		return err;
	}

	use_mwait = mwait_works();
	cpuidle_poll_state_init(&driver);
	for (int i = 0; i < count; i++)
		add_state(&specs[i], i);
	driver.state_count = FIRST_STATE + count;

	err = idle_latency_sim_log_init(driver.cpumask ?: cpu_possible_mask);
	if (err)
		return err;

	err = register_all();
	if (err) {
		pr_err("idle_latency_sim: cpuidle does not take the states: %d\n", err);
		idle_latency_sim_log_exit();
	}

	return err;
}
module_init(sim_init);

static void __exit sim_exit(void)
{
	unregister_all();
	idle_latency_sim_log_exit();
}
module_exit(sim_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Simulated idle states with a known exit latency");
