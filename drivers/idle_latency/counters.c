// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a model of CPU can say about its idle states: which residency counters it has,
 * which of them belong to an idle state, and what the firmware has set that changes what
 * a request for the state means.
 *
 * The registers are model-specific: on another model the same number can be another
 * register. What is not in perf's table of them is not read.
 */
#include <linux/bits.h>
#include <linux/cpufeature.h>
#include <linux/init.h>
#include <linux/processor.h>
#include <linux/smp.h>

#include <asm/cpu_device_id.h>
#include <asm/cpuid/api.h>
#include <asm/intel-cstates.h>
#include <asm/intel-family.h>
#include <asm/msr.h>
#include <asm/tsc.h>

#include "hint.h"
#include "x86.h"

#define COUNTER(name)		BIT(IDLE_LATENCY_RESIDENCY_##name)

/* Intel SDM volume 2A, "CPUID": the rate of the TSC and of its crystal. */
#define CPUID_TSC		0x15

/* Whether the package could not get to C6 when the driver was loaded. */
static bool without_pc6 __ro_after_init;

/* Of any other model nothing is known but what is architectural. */
static u32 known_counters __ro_after_init = COUNTER(C0);

/* The counters of each kind are in the order of the events of perf, which may get more of them. */
static_assert(PERF_CSTATE_CORE_C7_RES ==
	      IDLE_LATENCY_RESIDENCY_CC7 - IDLE_LATENCY_RESIDENCY_CC1);
static_assert(PERF_CSTATE_MODULE_C6_RES == 0);
static_assert(PERF_CSTATE_PKG_C10_RES ==
	      IDLE_LATENCY_RESIDENCY_PC10 - IDLE_LATENCY_RESIDENCY_PC2);

/* Those of the events of perf that user space knows as counters from one to another one. */
#define COUNTERS(events, first, last) \
	(((events) << IDLE_LATENCY_RESIDENCY_##first) & \
	 GENMASK(IDLE_LATENCY_RESIDENCY_##last, IDLE_LATENCY_RESIDENCY_##first))

static bool limits_pc6(u64 cst_config)
{
	const struct idle_latency_model *model = &idle_latency_model;

	return model->limit_mask && model->limits[cst_config & model->limit_mask] < 6;
}

static u32 __init counters_of(const struct cstate_model *model)
{
	u32 counters = COUNTERS(model->core_events, CC1, CC7) |
		       COUNTERS(model->module_events, MC6, MC6) |
		       COUNTERS(model->pkg_events, PC2, PC10);

	/* These are in other registers than on all other models, and are left out. */
	if (model->quirks & SLM_PKG_C6_USE_C7_MSR)
		counters &= ~COUNTER(PC6);
	if (model->quirks & KNL_CORE_C6_MSR)
		counters &= ~COUNTER(CC6);

	return counters;
}

/**
 * idle_latency_counters_init() - find out what is known of the model
 *
 * All CPUs of a machine are taken to be of the model of its boot CPU, as intel_idle does.
 *
 * Context: module init.
 */
void __init idle_latency_counters_init(void)
{
	const struct x86_cpu_id *match = x86_match_cpu(intel_cstates_match);
	u64 config;

	if (match)
		known_counters |= counters_of((const struct cstate_model *)match->driver_data);
	without_pc6 = idle_latency_model.limit_mask &&
		      !rdmsrq_safe(MSR_PKG_CST_CONFIG_CONTROL, &config) && limits_pc6(config);
}

/**
 * struct readings - registers of a CPU
 * @wanted: residency counters to read, a bit for each
 * @model_known: the rest can be read, too
 * @present: which of them can be read; none where all are zero
 * @has_aperf: MSR_IA32_APERF can be read, and MPERF is present
 * @has_smi_count: MSR_SMI_COUNT can be read
 * @power_ctl: MSR_IA32_POWER_CTL
 * @cst_config: MSR_PKG_CST_CONFIG_CONTROL
 * @has_power_ctl: the CPU has the former
 * @has_cst_config: the CPU has the latter
 */
struct readings {
	u32 wanted;
	bool model_known;
	u32 present;
	bool has_aperf;
	bool has_smi_count;
	u64 power_ctl;
	u64 cst_config;
	bool has_power_ctl;
	bool has_cst_config;
};

/*
 * MPERF is architectural. A machine on which it and all counters read as zero has none,
 * as emulators and hypervisors do; elsewhere zero is a value.
 */
static void read_present(struct readings *readings)
{
	u64 value, any = 0;

	for (u32 i = 0; i < IDLE_LATENCY_RESIDENCY_MAX; i++) {
		if (!(readings->wanted & BIT(i)) ||
		    rdmsrq_safe(idle_latency_residency_msr(i), &value))
			continue;
		readings->present |= BIT(i);
		any |= value;
	}

	if (!any)
		readings->present = 0;
}

/* On the CPU, in one call: each interrupts it, and a session may be measuring there. */
static void read_registers(void *data)
{
	struct readings *readings = data;
	u64 unused;

	read_present(readings);
	readings->has_aperf = readings->present & COUNTER(C0) &&
			      !rdmsrq_safe(MSR_IA32_APERF, &unused);
	readings->has_smi_count = !rdmsrq_safe(MSR_SMI_COUNT, &unused);
	if (!readings->model_known)
		return;

	readings->has_power_ctl = !rdmsrq_safe(MSR_IA32_POWER_CTL, &readings->power_ctl);
	readings->has_cst_config = !rdmsrq_safe(MSR_PKG_CST_CONFIG_CONTROL,
						&readings->cst_config);
}

/* What the firmware has set, as IDLE_LATENCY_STATE_* bits. */
static u32 find_settings(const struct readings *readings, int hint)
{
	const struct idle_latency_model *model = &idle_latency_model;
	u32 flags;

	flags = idle_latency_prewake_flags(hint, model->prewake && readings->has_power_ctl,
					   readings->power_ctl & IDLE_LATENCY_NO_PREWAKE);
	if (readings->has_power_ctl && readings->power_ctl & IDLE_LATENCY_C1E_PROMOTION)
		flags |= IDLE_LATENCY_STATE_C1E;
	if (!readings->has_cst_config)
		return flags;

	if (readings->cst_config & model->demotion)
		flags |= IDLE_LATENCY_STATE_DEMOTION;
	if (limits_pc6(readings->cst_config))
		flags |= IDLE_LATENCY_STATE_NO_PC6;

	return flags;
}

/*
 * In states deeper than C1 the clock of the APIC is switched off, and what keeps the
 * deadline counts the ticks of the crystal.
 */
static u32 find_timer_tick(int hint)
{
	u32 denominator, numerator, hz, unused;

	if (hint < 0x10 || boot_cpu_data.cpuid_level < CPUID_TSC)
		return 0;

	cpuid(CPUID_TSC, &denominator, &numerator, &hz, &unused);
	return idle_latency_crystal_ns(denominator, numerator, hz, tsc_khz);
}

/* Does what is declared for an idle state include what its package needs? */
static bool includes_package(const struct idle_latency_cstate *cstate, u32 hint)
{
	/* In states shallower than C6 the package hardly adds anything, and no table has it. */
	if (hint < 0x20 || !(cstate->present & IDLE_LATENCY_PACKAGE_COUNTERS))
		return false;
	/* intel_idle has looked once, and the limit may be kept otherwise now. */
	if (idle_latency_model.table_follows && without_pc6)
		return false;

	return !idle_latency_model.own_package_state || hint & 1;
}

/* Does it include what the module needs, the cores that share a second-level cache? */
static bool includes_module(const struct idle_latency_cstate *cstate, u32 hint)
{
	if (hint < 0x20 || !(cstate->present & COUNTER(MC6)))
		return false;

	return !idle_latency_model.own_module_state || hint & 2;
}

/**
 * idle_latency_cstate_find() - find out what a CPU has to say about an idle state
 * @cstate: where it goes
 * @cpu: the CPU, which is online
 * @hint: MWAIT hint of the state, -1 where nobody knows
 *
 * Context: process context. May sleep.
 */
void idle_latency_cstate_find(struct idle_latency_cstate *cstate, unsigned int cpu,
			      int hint)
{
	struct readings readings = {
		.wanted		= known_counters,
		.model_known	= known_counters != COUNTER(C0),
	};

	smp_call_function_single(cpu, read_registers, &readings, 1);
	*cstate = (struct idle_latency_cstate) {
		.present	= readings.present,
		.core		= IDLE_LATENCY_RESIDENCY_NONE,
		.package	= IDLE_LATENCY_RESIDENCY_NONE,
		.flags		= find_settings(&readings, hint),
		.timer_tick_ns	= find_timer_tick(hint),
		.has_frequency	= readings.has_aperf,
		.counts_smis	= readings.has_smi_count,
	};
	if (hint < 0)
		return;

	cstate->core = idle_latency_core_counter(hint, cstate->present);
	cstate->package = idle_latency_package_counter(hint, cstate->present);
	if (includes_package(cstate, hint))
		cstate->flags |= IDLE_LATENCY_STATE_PACKAGE;
	if (includes_module(cstate, hint))
		cstate->flags |= IDLE_LATENCY_STATE_MODULE;
}
