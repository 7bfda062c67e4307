// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a session knows of an x86 machine with cpuidle, and /dev/idle_latency.
 */
#include <linux/cpuidle.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/processor.h>

#include <asm/tsc.h>

#include "hardware.h"
#include "x86.h"

static const struct idle_latency_source_ops *const sources[] = {
	&idle_latency_hrt,
	&idle_latency_tdt,
#ifdef CONFIG_IDLE_LATENCY_NIC
	&idle_latency_nic_source,
#endif
#ifdef CONFIG_IDLE_LATENCY_WAKER
	&idle_latency_write,
	&idle_latency_ipi,
#endif
	NULL
};

/* So many reads take some 50 us. */
#define STEP_READS	1000

static u32 tsc_step;

/*
 * Intel's counts every cycle. Of others the least difference of two reads is an upper
 * bound of the step.
 */
static u32 find_tsc_step(void)
{
	u64 before = rdtsc(), now;
	u64 least = U32_MAX;

	if (boot_cpu_data.x86_vendor == X86_VENDOR_INTEL)
		return 1;

	for (int i = 0; i < STEP_READS; i++) {
		now = rdtsc();
		if (now != before)
			least = min(least, now - before);
		before = now;
	}

	return least;
}

static u32 machine_tsc_step(void)
{
	return tsc_step;
}

static_assert(!offsetof(struct idle_latency_x86_session, session));

static const struct idle_latency_machine_ops machine = {
	.session_size		= sizeof(struct idle_latency_x86_session),
	.sources		= sources,
	.forced_flag		= IS_ENABLED(CONFIG_IDLE_LATENCY_FORCE) ?
				  IDLE_LATENCY_RECORD_FORCED : 0,
	.has_enter_stamps	= idle_latency_has_enter_stamps,
	.tsc_khz		= hw_tsc_khz,
	.tsc_step		= machine_tsc_step,
	.tsc_unstable		= hw_tsc_unstable,
	.find_state		= idle_latency_state_find,
	.watch_add		= idle_latency_watch_add,
	.watch_remove		= idle_latency_watch_remove,
	.force_state		= idle_latency_force_state,
	.unforce_state		= idle_latency_unforce_state,
	.observe		= idle_latency_probe_add,
	.unobserve		= idle_latency_probe_remove,
	.read_entry		= idle_latency_stamps_read,
	.count_interrupts	= idle_latency_count_interrupts,
	.read_frequency		= idle_latency_read_frequency,
};

static struct idle_latency_device device = {
	.misc.name	= "idle_latency",
	.machine	= &machine,
};

static int __init idle_latency_init(void)
{
	int err;

	tsc_step = find_tsc_step();
	idle_latency_model_init();
	idle_latency_counters_init();
	err = idle_latency_nic_register();
	if (err)
		return err;

	err = idle_latency_keep_register();
	if (err)
		goto unregister_nic;

	err = idle_latency_register(&device);
	if (err)
		goto unregister_keep;

	return 0;

unregister_keep:
	idle_latency_keep_unregister();
unregister_nic:
	idle_latency_nic_unregister();
	return err;
}
module_init(idle_latency_init);

static void __exit idle_latency_exit(void)
{
	idle_latency_unregister(&device);
	idle_latency_keep_unregister();
	idle_latency_nic_unregister();
}
module_exit(idle_latency_exit);
