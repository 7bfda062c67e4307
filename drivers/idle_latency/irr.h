/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _IDLE_LATENCY_IRR_H
#define _IDLE_LATENCY_IRR_H

#include <linux/compiler.h>
#include <linux/types.h>

#include <asm/apic.h>
#include <asm/apicdef.h>
#include <asm/msr.h>

/**
 * idle_latency_read_irr() - interrupts that are pending in the local APIC of this CPU
 * @x2apic: the local APICs are in x2APIC mode
 * @reg: number of the register, for 32 vectors each, 0 to 7
 *
 * apic_read() is not for modules, and not for idle states, which must not call what
 * can be traced.
 *
 * Context: preemption disabled, on a kernel that uses the local APIC.
 * Return: a bit for each vector.
 */
static __always_inline u32 idle_latency_read_irr(bool x2apic, unsigned int reg)
{
	const unsigned int offset = APIC_IRR + reg * 0x10;

	if (x2apic)
		return native_rdmsrq(APIC_BASE_MSR + (offset >> 4));

	return READ_ONCE(*(u32 *)(APIC_BASE + offset));
}

#endif /* _IDLE_LATENCY_IRR_H */
