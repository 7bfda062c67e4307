/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _IDLE_LATENCY_NIC_LATCH_H
#define _IDLE_LATENCY_NIC_LATCH_H

#include <linux/types.h>

#include "math.h"
#include "nic.h"
#include "nic_regs.h"

/*
 * Whoever includes this file has these two, of a card or, in the unit tests, of one
 * that is in memory: reads a register; reads the TSC, not before what stands before
 * it nor after what follows.
 */
static u32 nic_read(const struct idle_latency_nic *nic, u32 reg);
static u64 nic_stamp(void);

/**
 * idle_latency_nic_latch() - read the card's clock between two stamps
 * @nic: the card
 * @reading: where they go
 *
 * Reading SYSTIMR makes the card latch its time, of which the other two registers
 * then give the rest: igb_ptp_read_i210(). The time was latched at some moment
 * between the two stamps of the TSC, so nothing but that read is between them.
 *
 * Context: any; what is latched belongs to the caller.
 * Return: true; false when the card gives no time, because it has gone.
 */
static inline bool idle_latency_nic_latch(const struct idle_latency_nic *nic,
					  struct idle_latency_nic_reading *reading)
{
	u32 sec, nsec;

	reading->before = nic_stamp();
	nic_read(nic, NIC_SYSTIMR);
	reading->after = nic_stamp();
	nsec = nic_read(nic, NIC_SYSTIML);
	sec = nic_read(nic, NIC_SYSTIMH);

	return idle_latency_nic_time_ns(sec, nsec, &reading->clock_ns);
}

#endif /* _IDLE_LATENCY_NIC_LATCH_H */
