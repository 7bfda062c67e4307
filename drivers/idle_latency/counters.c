// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a model of CPU can say about its idle states: which residency counters it has,
 * which of them belong to an idle state, and which settings of the firmware change what
 * a request for the state means.
 *
 * The registers are model-specific: on another model the same number can be another
 * register. What is not in the table here is not read.
 */
#include <linux/bits.h>
#include <linux/cpufeature.h>
#include <linux/processor.h>
#include <linux/smp.h>

#include <asm/cpu_device_id.h>
#include <asm/cpuid/api.h>
#include <asm/intel-family.h>
#include <asm/msr.h>
#include <asm/tsc.h>

#include "hint.h"
#include "x86.h"

#define COUNTER(name)		BIT(IDLE_LATENCY_RESIDENCY_##name)

/* Intel SDM volume 2A, "CPUID": the rate of the TSC and of its crystal. */
#define CPUID_TSC		0x15

/* MSR_IA32_POWER_CTL: no wake-up ahead of timers, where the CPU can do that; see pepc(1). */
#define POWER_CTL_NO_PREWAKE	BIT_ULL(30)
/* MSR_IA32_POWER_CTL: a request for C1 enters C1E; intel_idle clears it. */
#define POWER_CTL_C1E		BIT_ULL(1)

/**
 * struct cstate_model - what is known of a model
 * @counters: residency counters, a bit for each of &enum
 *	idle_latency_residency_counter; source: arch/x86/events/intel/cstate.c
 * @limit_mask: the bits of MSR_PKG_CST_CONFIG_CONTROL that limit the package
 * @limit_pc6: their least value with which the package can get to C6, 0 where that is
 *	not known; source: Intel SDM volume 4, and turbostat.c
 * @prewake: the CPU can wake up ahead of its timers; source: pepc(1)
 * @table_follows: where the package cannot get to C6, intel_idle declares the exit
 *	latency without it: skx_idle_state_table_update(), spr_idle_state_table_update()
 * @own_package_state: only the states whose hint has bit 0 set let the package get to C6,
 *	such as C6P beside C6: drop_pc6_redundant_cstates() in intel_idle.c
 */
struct cstate_model {
	u32 counters;
	u32 limit_mask;
	u32 limit_pc6;
	bool prewake;
	bool table_follows;
	bool own_package_state;
};

#define NHM_COUNTERS	(COUNTER(CC3) | COUNTER(CC6) | COUNTER(PC3) | COUNTER(PC6) | \
			 COUNTER(PC7))
#define SNB_COUNTERS	(COUNTER(CC3) | COUNTER(CC6) | COUNTER(CC7) | COUNTER(PC2) | \
			 COUNTER(PC3) | COUNTER(PC6) | COUNTER(PC7))
#define HSWULT_COUNTERS	(COUNTER(CC3) | COUNTER(CC6) | COUNTER(CC7) | COUNTER(PC2) | \
			 COUNTER(PC3) | COUNTER(PC6) | COUNTER(PC7) | COUNTER(PC8) | \
			 COUNTER(PC9) | COUNTER(PC10))
#define CNL_COUNTERS	(COUNTER(CC1) | COUNTER(CC3) | COUNTER(CC6) | COUNTER(CC7) | \
			 COUNTER(PC2) | COUNTER(PC3) | COUNTER(PC6) | COUNTER(PC7) | \
			 COUNTER(PC8) | COUNTER(PC9) | COUNTER(PC10))
#define ICL_COUNTERS	(COUNTER(CC6) | COUNTER(CC7) | COUNTER(PC2) | COUNTER(PC3) | \
			 COUNTER(PC6) | COUNTER(PC7) | COUNTER(PC8) | COUNTER(PC9) | \
			 COUNTER(PC10))
#define ICX_COUNTERS	(COUNTER(CC1) | COUNTER(CC6) | COUNTER(PC2) | COUNTER(PC6))
#define ADL_COUNTERS	(COUNTER(CC1) | COUNTER(CC6) | COUNTER(CC7) | COUNTER(PC2) | \
			 COUNTER(PC3) | COUNTER(PC6) | COUNTER(PC8) | COUNTER(PC10))
#define LNL_COUNTERS	(COUNTER(CC1) | COUNTER(CC6) | COUNTER(CC7) | COUNTER(PC2) | \
			 COUNTER(PC6) | COUNTER(PC10))
#define NVL_COUNTERS	(COUNTER(CC1) | COUNTER(CC6) | COUNTER(CC7) | COUNTER(MC6) | \
			 COUNTER(PC2) | COUNTER(PC6) | COUNTER(PC10))
#define SLM_COUNTERS	(COUNTER(CC1) | COUNTER(CC6))
#define KNL_COUNTERS	(COUNTER(PC2) | COUNTER(PC3) | COUNTER(PC6))
#define GLM_COUNTERS	(COUNTER(CC1) | COUNTER(CC3) | COUNTER(CC6) | COUNTER(PC2) | \
			 COUNTER(PC3) | COUNTER(PC6) | COUNTER(PC10))
#define GRR_COUNTERS	(COUNTER(CC1) | COUNTER(CC6) | COUNTER(MC6))
#define SRF_COUNTERS	(COUNTER(CC1) | COUNTER(CC6) | COUNTER(MC6) | COUNTER(PC2) | \
			 COUNTER(PC6))

#define MODEL(name, set, mask, least, ...)			\
static const struct cstate_model name = {			\
	.counters	= (set) | COUNTER(C0),			\
	.limit_mask	= mask,					\
	.limit_pc6	= least,				\
	__VA_ARGS__						\
}

MODEL(nhm, NHM_COUNTERS, 0, 0);
MODEL(snb, SNB_COUNTERS, GENMASK(2, 0), 2);
MODEL(ivt, SNB_COUNTERS, GENMASK(2, 0), 2, .prewake = true);
MODEL(hsw, SNB_COUNTERS, GENMASK(2, 0), 3);
MODEL(hsx, SNB_COUNTERS, GENMASK(2, 0), 3, .prewake = true);
MODEL(skx, SNB_COUNTERS, GENMASK(2, 0), 2, .prewake = true, .table_follows = true);
MODEL(hswult, HSWULT_COUNTERS, GENMASK(3, 0), 3);
MODEL(cnl, CNL_COUNTERS, GENMASK(3, 0), 3);
MODEL(icl, ICL_COUNTERS, GENMASK(3, 0), 3);
MODEL(icx, ICX_COUNTERS, GENMASK(2, 0), 2, .prewake = true);
MODEL(spr, ICX_COUNTERS, GENMASK(2, 0), 2, .prewake = true, .table_follows = true);
MODEL(gnr, ICX_COUNTERS, GENMASK(2, 0), 2, .prewake = true, .own_package_state = true);
MODEL(adl, ADL_COUNTERS, GENMASK(3, 0), 3);
MODEL(lnl, LNL_COUNTERS, GENMASK(3, 0), 3);
MODEL(nvl, NVL_COUNTERS, 0, 0);
/* The counter of package C6 is where others have that of C7, and is left out. */
MODEL(slm, SLM_COUNTERS, 0, 0);
/* The counter of core C6 is elsewhere than on all others, and is left out. */
MODEL(knl, KNL_COUNTERS, 0, 0);
MODEL(glm, GLM_COUNTERS, 0, 0);
MODEL(grr, GRR_COUNTERS, 0, 0);
MODEL(srf, SRF_COUNTERS, GENMASK(2, 0), 2, .own_package_state = true);
MODEL(dmr, SRF_COUNTERS, GENMASK(2, 0), 2, .prewake = true, .own_package_state = true);

static const struct x86_cpu_id models[] = {
	X86_MATCH_VFM(INTEL_NEHALEM,		&nhm),
	X86_MATCH_VFM(INTEL_NEHALEM_EP,		&nhm),
	X86_MATCH_VFM(INTEL_NEHALEM_EX,		&nhm),
	X86_MATCH_VFM(INTEL_WESTMERE,		&nhm),
	X86_MATCH_VFM(INTEL_WESTMERE_EP,	&nhm),
	X86_MATCH_VFM(INTEL_WESTMERE_EX,	&nhm),
	X86_MATCH_VFM(INTEL_SANDYBRIDGE,	&snb),
	X86_MATCH_VFM(INTEL_SANDYBRIDGE_X,	&snb),
	X86_MATCH_VFM(INTEL_IVYBRIDGE,		&snb),
	X86_MATCH_VFM(INTEL_IVYBRIDGE_X,	&ivt),
	X86_MATCH_VFM(INTEL_HASWELL,		&hsw),
	X86_MATCH_VFM(INTEL_HASWELL_X,		&hsx),
	X86_MATCH_VFM(INTEL_HASWELL_G,		&hsw),
	X86_MATCH_VFM(INTEL_HASWELL_L,		&hswult),
	X86_MATCH_VFM(INTEL_ATOM_SILVERMONT,	&slm),
	X86_MATCH_VFM(INTEL_ATOM_SILVERMONT_D,	&slm),
	X86_MATCH_VFM(INTEL_ATOM_AIRMONT,	&slm),
	X86_MATCH_VFM(INTEL_ATOM_AIRMONT_NP,	&slm),
	X86_MATCH_VFM(INTEL_BROADWELL,		&hsw),
	X86_MATCH_VFM(INTEL_BROADWELL_D,	&hsw),
	X86_MATCH_VFM(INTEL_BROADWELL_G,	&hsw),
	X86_MATCH_VFM(INTEL_BROADWELL_X,	&hsx),
	X86_MATCH_VFM(INTEL_SKYLAKE_L,		&hsw),
	X86_MATCH_VFM(INTEL_SKYLAKE,		&hsw),
	X86_MATCH_VFM(INTEL_SKYLAKE_X,		&skx),
	X86_MATCH_VFM(INTEL_KABYLAKE_L,		&hswult),
	X86_MATCH_VFM(INTEL_KABYLAKE,		&hswult),
	X86_MATCH_VFM(INTEL_COMETLAKE_L,	&hswult),
	X86_MATCH_VFM(INTEL_COMETLAKE,		&hswult),
	X86_MATCH_VFM(INTEL_CANNONLAKE_L,	&cnl),
	X86_MATCH_VFM(INTEL_XEON_PHI_KNL,	&knl),
	X86_MATCH_VFM(INTEL_XEON_PHI_KNM,	&knl),
	X86_MATCH_VFM(INTEL_ATOM_GOLDMONT,	&glm),
	X86_MATCH_VFM(INTEL_ATOM_GOLDMONT_D,	&glm),
	X86_MATCH_VFM(INTEL_ATOM_GOLDMONT_PLUS,	&glm),
	X86_MATCH_VFM(INTEL_ATOM_TREMONT_D,	&glm),
	X86_MATCH_VFM(INTEL_ATOM_TREMONT,	&glm),
	X86_MATCH_VFM(INTEL_ATOM_TREMONT_L,	&glm),
	X86_MATCH_VFM(INTEL_ATOM_GRACEMONT,	&adl),
	X86_MATCH_VFM(INTEL_ATOM_CRESTMONT_X,	&srf),
	X86_MATCH_VFM(INTEL_ATOM_CRESTMONT,	&grr),
	X86_MATCH_VFM(INTEL_ATOM_DARKMONT_X,	&srf),
	X86_MATCH_VFM(INTEL_ICELAKE_L,		&icl),
	X86_MATCH_VFM(INTEL_ICELAKE,		&icl),
	X86_MATCH_VFM(INTEL_ICELAKE_X,		&icx),
	X86_MATCH_VFM(INTEL_ICELAKE_D,		&icx),
	X86_MATCH_VFM(INTEL_SAPPHIRERAPIDS_X,	&spr),
	X86_MATCH_VFM(INTEL_EMERALDRAPIDS_X,	&spr),
	X86_MATCH_VFM(INTEL_GRANITERAPIDS_X,	&gnr),
	X86_MATCH_VFM(INTEL_GRANITERAPIDS_D,	&gnr),
	X86_MATCH_VFM(INTEL_DIAMONDRAPIDS_X,	&dmr),
	X86_MATCH_VFM(INTEL_TIGERLAKE_L,	&icl),
	X86_MATCH_VFM(INTEL_TIGERLAKE,		&icl),
	X86_MATCH_VFM(INTEL_ROCKETLAKE,		&icl),
	X86_MATCH_VFM(INTEL_ALDERLAKE,		&adl),
	X86_MATCH_VFM(INTEL_ALDERLAKE_L,	&adl),
	X86_MATCH_VFM(INTEL_RAPTORLAKE,		&adl),
	X86_MATCH_VFM(INTEL_RAPTORLAKE_P,	&adl),
	X86_MATCH_VFM(INTEL_RAPTORLAKE_S,	&adl),
	X86_MATCH_VFM(INTEL_METEORLAKE,		&adl),
	X86_MATCH_VFM(INTEL_METEORLAKE_L,	&adl),
	X86_MATCH_VFM(INTEL_ARROWLAKE,		&adl),
	X86_MATCH_VFM(INTEL_ARROWLAKE_H,	&adl),
	X86_MATCH_VFM(INTEL_ARROWLAKE_U,	&adl),
	X86_MATCH_VFM(INTEL_LUNARLAKE_M,	&lnl),
	X86_MATCH_VFM(INTEL_PANTHERLAKE_L,	&lnl),
	X86_MATCH_VFM(INTEL_WILDCATLAKE_L,	&lnl),
	X86_MATCH_VFM(INTEL_NOVALAKE,		&nvl),
	X86_MATCH_VFM(INTEL_NOVALAKE_L,		&nvl),
	{ }
};

/* Of any other nothing is known but what is architectural. */
static const struct cstate_model unknown = {
	.counters	= COUNTER(C0),
};

static const struct cstate_model *find_model(void)
{
	const struct x86_cpu_id *match = x86_match_cpu(models);

	return match ? (const struct cstate_model *)match->driver_data : NULL;
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
static u32 find_settings(const struct cstate_model *model, const struct readings *readings,
			 int hint)
{
	u32 flags;

	flags = idle_latency_prewake_flags(hint, model->prewake && readings->has_power_ctl,
					   readings->power_ctl & POWER_CTL_NO_PREWAKE);
	if (readings->has_power_ctl && readings->power_ctl & POWER_CTL_C1E)
		flags |= IDLE_LATENCY_STATE_C1E;
	if (!readings->has_cst_config)
		return flags;

	if (readings->cst_config & (NHM_C3_AUTO_DEMOTE | NHM_C1_AUTO_DEMOTE))
		flags |= IDLE_LATENCY_STATE_DEMOTION;
	if ((readings->cst_config & model->limit_mask) < model->limit_pc6)
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
static bool includes_package(const struct cstate_model *model,
			     const struct idle_latency_cstate *cstate, u32 hint)
{
	/* In states shallower than C6 the package hardly adds anything, and no table has it. */
	if (hint < 0x20 || !(cstate->present & IDLE_LATENCY_PACKAGE_COUNTERS))
		return false;
	if (model->table_follows && cstate->flags & IDLE_LATENCY_STATE_NO_PC6)
		return false;

	return !model->own_package_state || hint & 1;
}

/**
 * idle_latency_cstate_find() - find out what a CPU has to say about an idle state
 * @cstate: where it goes
 * @cpu: the CPU, which is online
 * @hint: MWAIT hint of the state, -1 where nobody knows
 *
 * All CPUs of a machine are taken to be of the model of its boot CPU, as intel_idle does.
 *
 * Context: process context. May sleep.
 */
void idle_latency_cstate_find(struct idle_latency_cstate *cstate, unsigned int cpu,
			      int hint)
{
	const struct cstate_model *model = find_model() ?: &unknown;
	struct readings readings = {
		.wanted		= model->counters,
		.model_known	= model != &unknown,
	};

	smp_call_function_single(cpu, read_registers, &readings, 1);
	*cstate = (struct idle_latency_cstate) {
		.present	= readings.present,
		.core		= IDLE_LATENCY_RESIDENCY_NONE,
		.package	= IDLE_LATENCY_RESIDENCY_NONE,
		.flags		= find_settings(model, &readings, hint),
		.timer_tick_ns	= find_timer_tick(hint),
		.has_frequency	= readings.has_aperf,
		.counts_smis	= readings.has_smi_count,
	};
	if (hint < 0)
		return;

	cstate->core = idle_latency_core_counter(hint, cstate->present);
	cstate->package = idle_latency_package_counter(hint, cstate->present);
	if (includes_package(model, cstate, hint))
		cstate->flags |= IDLE_LATENCY_STATE_PACKAGE;
}
