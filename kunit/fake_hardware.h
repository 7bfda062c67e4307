/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A CPU and a network card in memory for the unit tests of the event sources, which are
 * built with them once more, see fake_sources.c.
 *
 * A cycle of the TSC is a ns. Time goes on only while the card is accessed.
 */
#ifndef _IDLE_LATENCY_FAKE_HARDWARE_H
#define _IDLE_LATENCY_FAKE_HARDWARE_H

/* It takes the place of hardware.h. */
#define _IDLE_LATENCY_HARDWARE_H

#include <kunit/test.h>
#include <linux/interrupt.h>
#include <linux/pci.h>
#include <linux/types.h>

#include "../nic.h"
#include "../x86.h"

#define REASON(name)	BIT(IDLE_LATENCY_DISCARD_##name)

#define FAKE_KHZ	1000000

/* The vector of the interrupt of the card. */
#define FAKE_VECTOR	35

/* The address of the card: 0000:05:00.0. */
#define FAKE_CARD	0x500

/* What a card that has gone away reads as. */
#define NIC_GONE	((u32)PCI_ERROR_RESPONSE)

/* The card latches its time in the middle of a read. */
#define HALF_READ_CYC	700
#define READ_CYC	(2 * HALF_READ_CYC)

/**
 * struct fake_access - an access to the card
 * @write: it was a write
 * @reg: the register
 * @value: what was written, or read
 */
struct fake_access {
	bool write;
	u32 reg;
	u32 value;
};

/**
 * struct fake_hardware - the CPU and the card
 * @tsc: now, in cycles
 * @stamp_cyc: how long it takes to read the TSC in order
 * @no_resolution: timers wait for the next tick
 * @untrusted: the kernel does not trust the TSC
 * @monotonic_ns: what CLOCK_MONOTONIC was made of @tsc, 0 where it was not
 * @has_deadline: the kernel uses the deadline of the local APIC
 * @deadline: that, in cycles
 * @residency_ends: how often the residency counters were read after a wake-up
 * @nic: the driver's side of the card
 * @pdev: that of the kernel
 * @x86: a session that uses the sources
 * @session: the same
 * @absent: no card is bound
 * @taken: the card belongs to a session
 * @gone: the card does not answer
 * @gone_after: it will not after so many accesses, 0 for never
 * @offset_ns: what the clock of the card is ahead of the TSC, in ns
 * @drift_ppm: how much faster it is
 * @pause_cyc: how long nothing happens after each reading of the clock
 * @latched_ns: the time that was latched
 * @regs: what was written to the registers that tests look at, by a quarter of the offset
 * @icr: ICR, which is cleared by reading it
 * @tsicr: TSICR, likewise
 * @manc: MANC
 * @fwsm: FWSM
 * @factps: FACTPS
 * @master_reads: how many reads of STATUS still see requests, once they are stopped
 * @reset_reads: how many reads of STATUS see a reset going on
 * @eec_reads: how many reads of EEC do not see the end of reading the NVM
 * @reset: the card was reset, so that its clock is 0 and nothing is armed
 * @accesses: all accesses
 * @count: their number
 * @handler: the handler of the interrupt, NULL when it was not requested
 * @irq_cpu: the CPU that it was requested for
 * @irq_error: what requesting it returns
 * @irq_shared: it is a line
 * @irq_msix: it is a message of MSI-X
 * @requested_at: @count when it was requested
 * @synced: how often was waited for the handler
 */
struct fake_hardware {
	u64 tsc;
	u64 stamp_cyc;
	bool no_resolution;
	bool untrusted;
	u64 monotonic_ns;
	bool has_deadline;
	u64 deadline;
	unsigned int residency_ends;

	struct idle_latency_nic nic;
	struct pci_dev *pdev;
	struct idle_latency_x86_session *x86;
	struct idle_latency_session *session;
	bool absent;
	bool taken;
	bool gone;
	unsigned int gone_after;
	u64 offset_ns;
	s32 drift_ppm;
	u64 pause_cyc;
	u64 latched_ns;
	u32 icr;
	u32 tsicr;
	u32 manc;
	u32 fwsm;
	u32 factps;
	unsigned int master_reads;
	unsigned int reset_reads;
	unsigned int eec_reads;
	bool reset;

	struct fake_access accesses[1024];
	unsigned int count;

	irq_handler_t handler;
	unsigned int irq_cpu;
	int irq_error;
	bool irq_shared;
	bool irq_msix;
	unsigned int requested_at;
	unsigned int synced;
};

extern struct fake_hardware *hw;

int fake_hardware_init(struct kunit *test);
bool fake_was_handled(void);
u64 fake_card_ns(void);
void fake_forget_accesses(void);
u32 fake_written(struct kunit *test, u32 reg);

/* As in hardware.h. */
u64 hw_tsc(void);
u64 hw_tsc_ordered(void);
u32 hw_tsc_khz(void);
bool hw_timers_have_resolution(void);
bool hw_tsc_trusted(void);
bool hw_tsc_of_monotonic(u64 *tsc, u64 *ns);
bool hw_has_deadline(void);
u64 hw_deadline(void);
u32 hw_readl(const void __iomem *address);
void hw_writel(u32 value, void __iomem *address);

#endif /* _IDLE_LATENCY_FAKE_HARDWARE_H */
