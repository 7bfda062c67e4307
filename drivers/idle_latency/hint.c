// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the MWAIT hint of an idle state says: which residency counters belong to the state,
 * and whether the CPU wakes up ahead of its timers in it.
 *
 * Nothing here reads hardware. All functions can be called from any context.
 */
#include <linux/bits.h>
#include <linux/kernel.h>

#include <uapi/linux/idle_latency.h>

#include "hint.h"

/* Which core state an MWAIT hint asks for: 0 for C1, 1 for C3, 2 for C6, ... */
static u32 hint_level(u32 hint)
{
	return hint >> 4;
}

static u32 counter_if_present(u32 counter, u32 present)
{
	return present & BIT(counter) ? counter : IDLE_LATENCY_RESIDENCY_NONE;
}

/**
 * idle_latency_core_counter() - the counter of the core state that is asked for
 * @hint: MWAIT hint, bits 7 to 4 the state less one, bits 3 to 0 the sub-state (Intel
 *	SDM volume 2B, "MWAIT"); C3 of cpuidle is 0x10, C6 is 0x20, C7 and deeper 0x30
 *	and above
 * @present: counters of the CPU, a bit for each of &enum
 *	idle_latency_residency_counter
 *
 * What is deeper than C7 counts as C7, and as C6 where the core has no counter for C7
 * (turbostat(8): CC7 includes C8 to C10).
 *
 * Return: one of &enum idle_latency_residency_counter, or
 * %IDLE_LATENCY_RESIDENCY_NONE.
 */
u32 idle_latency_core_counter(u32 hint, u32 present)
{
	switch (hint_level(hint)) {
	case 0:
		return counter_if_present(IDLE_LATENCY_RESIDENCY_CC1, present);
	case 1:
		return counter_if_present(IDLE_LATENCY_RESIDENCY_CC3, present);
	case 2:
		return counter_if_present(IDLE_LATENCY_RESIDENCY_CC6, present);
	default:
		if (present & BIT(IDLE_LATENCY_RESIDENCY_CC7))
			return IDLE_LATENCY_RESIDENCY_CC7;
		return counter_if_present(IDLE_LATENCY_RESIDENCY_CC6, present);
	}
}

/**
 * idle_latency_package_counter() - the counter of the package state that goes with a hint
 * @hint: MWAIT hint, as above
 * @present: counters of the CPU, as above
 *
 * A package can get to the state of its shallowest core.
 *
 * Return: as idle_latency_core_counter().
 */
u32 idle_latency_package_counter(u32 hint, u32 present)
{
	static const u32 by_level[] = {
		[1] = IDLE_LATENCY_RESIDENCY_PC3,
		[2] = IDLE_LATENCY_RESIDENCY_PC6,
		[3] = IDLE_LATENCY_RESIDENCY_PC7,
		[4] = IDLE_LATENCY_RESIDENCY_PC8,
		[5] = IDLE_LATENCY_RESIDENCY_PC9,
		[6] = IDLE_LATENCY_RESIDENCY_PC10,
	};
	u32 level = hint_level(hint);

	if (!level || level >= ARRAY_SIZE(by_level))
		return IDLE_LATENCY_RESIDENCY_NONE;

	return counter_if_present(by_level[level], present);
}

/**
 * idle_latency_acpi_hint() - the MWAIT hint of a state of acpi_idle
 * @desc: its description, see acpi_processor_ffh_cstate_probe()
 *
 * Return: the hint, or -1 where the state is not entered with MWAIT.
 */
int idle_latency_acpi_hint(const char *desc)
{
	unsigned int address;

	if (sscanf(desc, "ACPI FFH MWAIT 0x%x", &address) != 1)
		return -1;

	return address & 0xff;
}

/**
 * idle_latency_prewake_flags() - does the CPU wake up ahead of its timers?
 * @hint: MWAIT hint of the state, as above, negative where nobody knows
 * @can_prewake: it is of a model that can
 * @prevented: its firmware prevents that
 *
 * In C1 and C1E nothing is switched off that would take time to come back.
 *
 * Return: IDLE_LATENCY_STATE_* bits, 0 where nobody knows.
 */
u32 idle_latency_prewake_flags(int hint, bool can_prewake, bool prevented)
{
	if (!hint_level(hint))
		return IDLE_LATENCY_STATE_NO_PREWAKE;
	if (!can_prewake)
		return 0;

	return prevented ? IDLE_LATENCY_STATE_NO_PREWAKE : IDLE_LATENCY_STATE_PREWAKE;
}
