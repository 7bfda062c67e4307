// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which settings of the firmware a model of CPU has. Of others nothing is known: on another model
 * the same bits may mean something else.
 */
#include <linux/bits.h>
#include <linux/cpufeature.h>
#include <linux/init.h>

#include <asm/cpu_device_id.h>
#include <asm/intel-family.h>

#include "x86.h"

#define NONE		IDLE_LATENCY_LIMIT_NONE
#define UNKNOWN		IDLE_LATENCY_LIMIT_UNKNOWN

/*
 * What limits the package: Intel SDM volume 4, MSR_PKG_CST_CONFIG_CONTROL of each model, and
 * turbostat.c. C6 with and without retention, C7 and C7s are one number.
 */
static const u8 snb_limits[] = { 0, 2, 6, 6, 7, 7, UNKNOWN, NONE };
static const u8 server_limits[] = { 0, 2, 6, 6, UNKNOWN, UNKNOWN, UNKNOWN, NONE };
static const u8 hsx_limits[] = { 0, 2, 3, 6, UNKNOWN, UNKNOWN, UNKNOWN, NONE };
static const u8 client_limits[] = {
	0, 2, 3, 6, 7, 7, 8, 9, NONE, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN,
	UNKNOWN,
};

/* That of C1 alone is what intel_idle switches by intel_c1_demotion. */
#define C1		IDLE_LATENCY_C1_DEMOTION
#define C1_AND_C3	(IDLE_LATENCY_C1_DEMOTION | IDLE_LATENCY_C3_DEMOTION)

#define MODEL(name, mask, of_limits, demotions, ...)				\
static const struct idle_latency_model name __initconst = {		\
	.limit_mask	= mask,						\
	.limits		= of_limits,					\
	.demotion	= demotions,					\
	__VA_ARGS__							\
}

MODEL(snb, GENMASK(2, 0), snb_limits, C1_AND_C3);
MODEL(ivt, GENMASK(2, 0), server_limits, C1_AND_C3, .prewake = true);
MODEL(hsx, GENMASK(2, 0), hsx_limits, C1_AND_C3, .prewake = true);
MODEL(client, GENMASK(3, 0), client_limits, C1_AND_C3);
MODEL(skx, GENMASK(2, 0), server_limits, C1_AND_C3, .prewake = true, .table_follows = true);
MODEL(spr, GENMASK(2, 0), server_limits, C1, .prewake = true, .table_follows = true);
MODEL(gnr, GENMASK(2, 0), server_limits, C1, .prewake = true, .own_package_state = true);
MODEL(srf, GENMASK(2, 0), server_limits, C1, .own_package_state = true, .own_module_state = true);

static const struct x86_cpu_id model_match[] __initconst = {
	X86_MATCH_VFM(INTEL_SANDYBRIDGE,	&snb),
	X86_MATCH_VFM(INTEL_SANDYBRIDGE_X,	&snb),
	X86_MATCH_VFM(INTEL_IVYBRIDGE,		&snb),
	X86_MATCH_VFM(INTEL_IVYBRIDGE_X,	&ivt),
	X86_MATCH_VFM(INTEL_HASWELL,		&client),
	X86_MATCH_VFM(INTEL_HASWELL_X,		&hsx),
	X86_MATCH_VFM(INTEL_HASWELL_G,		&client),
	X86_MATCH_VFM(INTEL_HASWELL_L,		&client),
	X86_MATCH_VFM(INTEL_BROADWELL,		&client),
	X86_MATCH_VFM(INTEL_BROADWELL_D,	&client),
	X86_MATCH_VFM(INTEL_BROADWELL_G,	&client),
	X86_MATCH_VFM(INTEL_BROADWELL_X,	&hsx),
	X86_MATCH_VFM(INTEL_SKYLAKE_L,		&client),
	X86_MATCH_VFM(INTEL_SKYLAKE,		&client),
	X86_MATCH_VFM(INTEL_SKYLAKE_X,		&skx),
	X86_MATCH_VFM(INTEL_KABYLAKE_L,		&client),
	X86_MATCH_VFM(INTEL_KABYLAKE,		&client),
	X86_MATCH_VFM(INTEL_COMETLAKE_L,	&client),
	X86_MATCH_VFM(INTEL_COMETLAKE,		&client),
	X86_MATCH_VFM(INTEL_CANNONLAKE_L,	&client),
	X86_MATCH_VFM(INTEL_ATOM_GRACEMONT,	&client),
	X86_MATCH_VFM(INTEL_ATOM_CRESTMONT_X,	&srf),
	X86_MATCH_VFM(INTEL_ATOM_DARKMONT_X,	&srf),
	X86_MATCH_VFM(INTEL_ICELAKE_L,		&client),
	X86_MATCH_VFM(INTEL_ICELAKE,		&client),
	X86_MATCH_VFM(INTEL_ICELAKE_X,		&ivt),
	X86_MATCH_VFM(INTEL_ICELAKE_D,		&ivt),
	X86_MATCH_VFM(INTEL_SAPPHIRERAPIDS_X,	&spr),
	X86_MATCH_VFM(INTEL_EMERALDRAPIDS_X,	&spr),
	X86_MATCH_VFM(INTEL_GRANITERAPIDS_X,	&gnr),
	X86_MATCH_VFM(INTEL_GRANITERAPIDS_D,	&gnr),
	X86_MATCH_VFM(INTEL_DIAMONDRAPIDS_X,	&gnr),
	X86_MATCH_VFM(INTEL_TIGERLAKE_L,	&client),
	X86_MATCH_VFM(INTEL_TIGERLAKE,		&client),
	X86_MATCH_VFM(INTEL_ROCKETLAKE,		&client),
	X86_MATCH_VFM(INTEL_ALDERLAKE,		&client),
	X86_MATCH_VFM(INTEL_ALDERLAKE_L,	&client),
	X86_MATCH_VFM(INTEL_RAPTORLAKE,		&client),
	X86_MATCH_VFM(INTEL_RAPTORLAKE_P,	&client),
	X86_MATCH_VFM(INTEL_RAPTORLAKE_S,	&client),
	X86_MATCH_VFM(INTEL_METEORLAKE,		&client),
	X86_MATCH_VFM(INTEL_METEORLAKE_L,	&client),
	X86_MATCH_VFM(INTEL_ARROWLAKE,		&client),
	X86_MATCH_VFM(INTEL_ARROWLAKE_H,	&client),
	X86_MATCH_VFM(INTEL_ARROWLAKE_U,	&client),
	X86_MATCH_VFM(INTEL_LUNARLAKE_M,	&client),
	X86_MATCH_VFM(INTEL_PANTHERLAKE_L,	&client),
	X86_MATCH_VFM(INTEL_WILDCATLAKE_L,	&client),
	{ }
};

struct idle_latency_model idle_latency_model __ro_after_init;

/**
 * idle_latency_model_init() - find out which model this is
 *
 * All CPUs of a machine are taken to be of the model of its boot CPU, as intel_idle does.
 *
 * Context: module init.
 */
void __init idle_latency_model_init(void)
{
	const struct x86_cpu_id *match = x86_match_cpu(model_match);

	if (match)
		idle_latency_model = *(const struct idle_latency_model *)match->driver_data;
}
