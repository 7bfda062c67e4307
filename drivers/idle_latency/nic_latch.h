/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _IDLE_LATENCY_NIC_LATCH_H
#define _IDLE_LATENCY_NIC_LATCH_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "math.h"
#include "nic_regs.h"

struct idle_latency_nic;

/**
 * struct idle_latency_nic_reading - the card's clock and the TSC, read together
 * @before: TSC before the card latched its time, in cycles
 * @after: TSC after it, in cycles
 * @clock_ns: the time that it latched, in ns
 */
struct idle_latency_nic_reading {
	u64 before;
	u64 after;
	u64 clock_ns;
};

/**
 * idle_latency_nic_latch() - read the card's clock between two stamps
 * @nic: the card
 * @read: reads a register of the card
 * @stamp: reads the TSC, not before what stands before it nor after what follows
 * @reading: where they go
 *
 * Reading SYSTIMR makes the card latch its time, of which the other two registers
 * then give the rest: igb_ptp_read_i210(). The time was latched at some moment
 * between the two stamps of the TSC, so nothing but that read is between them.
 *
 * Inlined, so that the compiler knows the two functions: a call through a pointer
 * between the stamps would add to the error of the reading.
 *
 * Context: any; what is latched belongs to the caller.
 * Return: true; false when the card gives no time, because it has gone.
 */
static __always_inline bool
idle_latency_nic_latch(const struct idle_latency_nic *nic,
		       u32 (*read)(const struct idle_latency_nic *nic, u32 reg),
		       u64 (*stamp)(void), struct idle_latency_nic_reading *reading)
{
	u32 sec, nsec;

	reading->before = stamp();
	read(nic, NIC_SYSTIMR);
	reading->after = stamp();
	nsec = read(nic, NIC_SYSTIML);
	sec = read(nic, NIC_SYSTIMH);

	return idle_latency_nic_time_ns(sec, nsec, &reading->clock_ns);
}

/**
 * idle_latency_nic_tightest() - choose the best of several readings
 * @readings: the readings
 * @count: how many, not zero
 *
 * Return: the one whose stamps are the least apart, the first of these.
 */
static inline const struct idle_latency_nic_reading *
idle_latency_nic_tightest(const struct idle_latency_nic_reading *readings, size_t count)
{
	const struct idle_latency_nic_reading *tightest = readings;

	for (size_t i = 1; i < count; i++) {
		if (readings[i].after - readings[i].before < tightest->after - tightest->before)
			tightest = &readings[i];
	}

	return tightest;
}

#endif /* _IDLE_LATENCY_NIC_LATCH_H */
