// SPDX-License-Identifier: GPL-2.0-only
/*
 * The registers of the card of the source nic: an Intel I210, I211, I225 or I226.
 * Nothing here knows of sessions.
 *
 * Only the clock and its target time 0 are used: no ring, no link, no PHY. The
 * clock runs free; nothing sets it or its rate.
 */
#include <linux/delay.h>
#include <linux/iopoll.h>
#include <linux/pci.h>

#include "nic_regs.h"

/* As igb_disable_pcie_master(): 800 polls, 100 us apart. */
#define MASTER_TIMEOUT_US	80000
#define MASTER_POLL_US		100

/* As igb_reset_hw_82580(): what is on its way gets this long to arrive. */
#define DRAIN_US		10000

/*
 * As igb_get_auto_rd_done(): 10 polls, 1 to 2 ms apart. I210 datasheet, 4.2.1.6.1:
 * software waits for 3 ms after a reset before it looks at the card.
 */
#define RESET_WAIT_US		3000
#define RESET_TIMEOUT_US	20000
#define RESET_POLL_US		1000

/* I210 datasheet, 8.15: the clock counts at 125 MHz. */
const struct idle_latency_nic_type idle_latency_nic_i210 = {
	.latch = NIC_SYSTIMR,
	.steps_ns = 16,
	.says_reset_done = true,
};

/*
 * The clock counts at 312.5 MHz, as follows from igc_ptp_adjfine_i225(): TIMINCA is in units of
 * 2^-32 ns per cycle, 2^14 / 78125 of them for each 2^-16 ppm. What it shows is late by less
 * than a cycle, and so is the event: their distance is wrong by less than one, either way. igc
 * asks STATUS for no reset.
 */
const struct idle_latency_nic_type idle_latency_nic_i225 = {
	.latch = NIC_SYSTIML,
	.steps_ns = 4,
	.has_ptm = true,
};

/* With PTM, some of these locked up: igc_is_crosststamp_supported(). */
const struct idle_latency_nic_type idle_latency_nic_i225_v = {
	.latch = NIC_SYSTIML,
	.steps_ns = 4,
};

/**
 * idle_latency_nic_gone() - has the card gone away?
 * @nic: the card
 *
 * Reads of a card that was removed, or whose link is dead, give all ones.
 *
 * Context: any.
 * Return: true when it has.
 */
bool idle_latency_nic_gone(const struct idle_latency_nic *nic)
{
	return PCI_POSSIBLE_ERROR(nic_read(nic, NIC_STATUS));
}

/**
 * idle_latency_nic_managed() - does a management controller use the card?
 * @nic: the card
 *
 * Then packets go to the controller of the board, whose connection a reset would cut.
 * The conditions are those of igb_enable_mng_pass_thru().
 *
 * Context: any.
 * Return: true when it does.
 */
bool idle_latency_nic_managed(const struct idle_latency_nic *nic)
{
	u32 manc = nic_read(nic, NIC_MANC);
	u32 mode = FIELD_GET(NIC_FWSM_MODE, nic_read(nic, NIC_FWSM));

	if (!(manc & NIC_MANC_RCV_TCO_EN))
		return false;
	/* Without firmware that has a mode, the packets go over the SMBus. */
	if (!mode)
		return manc & NIC_MANC_SMBUS_EN && !(manc & NIC_MANC_ASF_EN);

	return mode == NIC_FWSM_PASS_THROUGH &&
	       !(nic_read(nic, NIC_FACTPS) & NIC_FACTPS_MNGCG);
}

/* A request that a reset cuts off can stall the bus. */
static void stop_requests(const struct idle_latency_nic *nic, u32 ctrl)
{
	u32 status;

	nic_write(nic, NIC_CTRL, ctrl | NIC_CTRL_MASTER_DISABLE);
	if (read_poll_timeout(nic_read, status, !(status & NIC_STATUS_MASTER),
			      MASTER_POLL_US, MASTER_TIMEOUT_US, false, nic, NIC_STATUS))
		pci_warn(nic->pdev, "requests of the card are still pending\n");

	/* Whoever had the card before may have left its rings running. */
	nic_write(nic, NIC_RCTL, 0);
	nic_write(nic, NIC_TCTL, 0);
}

static void mask_all(const struct idle_latency_nic *nic)
{
	nic_write(nic, NIC_IMC, ~0);
	nic_write(nic, NIC_EIMC, ~0);
	nic_flush(nic);
}

static int wait_for_reset(const struct idle_latency_nic *nic)
{
	u32 value;
	int err;

	usleep_range(RESET_WAIT_US, RESET_WAIT_US + RESET_POLL_US);
	if (nic->type->says_reset_done) {
		err = read_poll_timeout(nic_read, value, value & NIC_STATUS_RST_DONE,
					RESET_POLL_US, RESET_TIMEOUT_US, false, nic, NIC_STATUS);
		if (err)
			return err;
	}

	/* A card without an NVM may never say that it has read it. */
	if (read_poll_timeout(nic_read, value, value & NIC_EEC_AUTO_RD,
			      RESET_POLL_US, RESET_TIMEOUT_US, false, nic, NIC_EEC))
		pci_info(nic->pdev, "the card does not say that it has read its NVM\n");

	return idle_latency_nic_gone(nic) ? -ENODEV : 0;
}

/**
 * idle_latency_nic_reset() - bring the card into its initial state
 * @nic: the card
 *
 * All interrupts are masked, and none of its events is armed, afterwards.
 * Follows igb_reset_hw_82580() and igc_reset_hw_base(), which also go on where requests
 * remain pending or the card does not say that it has read its NVM.
 *
 * Context: process context. May sleep.
 * Return: 0; -ENODEV when the card does not answer; -ETIMEDOUT when it does not
 * say that the reset is done.
 */
int idle_latency_nic_reset(const struct idle_latency_nic *nic)
{
	u32 ctrl = nic_read(nic, NIC_CTRL);
	int err;

	if (idle_latency_nic_gone(nic))
		return -ENODEV;

	stop_requests(nic, ctrl);
	mask_all(nic);
	usleep_range(DRAIN_US, DRAIN_US + RESET_POLL_US);

	nic_write(nic, NIC_CTRL, ctrl | NIC_CTRL_RST);
	nic_flush(nic);
	err = wait_for_reset(nic);
	if (err)
		return err;

	mask_all(nic);
	nic_read(nic, NIC_ICR);
	return 0;
}

/**
 * idle_latency_nic_start() - let the card interrupt when its target time is reached
 * @nic: the card, silent since its reset, whose handler stands
 *
 * With MSI-X the cause "other" goes to vector 0; like igb_configure_msix() and
 * igb_irq_enable(), the card clears and masks that vector when it sends the
 * message. Without MSI-X it is the register ICR that decides. An interrupt that
 * the card held back would be part of the latency, so that it is told not to.
 *
 * Context: process context.
 */
void idle_latency_nic_start(const struct idle_latency_nic *nic)
{
	nic_read(nic, NIC_TSICR);
	nic_write(nic, NIC_TSIM, NIC_TSICR_TT0);
	nic_write(nic, NIC_EITR0, 0);

	if (nic->msix) {
		nic_write(nic, NIC_GPIE, NIC_GPIE_MSIX | NIC_GPIE_PBA | NIC_GPIE_EIAME |
			  NIC_GPIE_NSICR);
		nic_write(nic, NIC_IVAR_MISC, NIC_IVAR_MISC_VECTOR0);
		nic_write(nic, NIC_EIAC, NIC_EIMS_VECTOR0);
		nic_write(nic, NIC_EIAM, NIC_EIMS_VECTOR0);
	}
	nic_write(nic, NIC_IMS, NIC_ICR_TIME_SYNC);
	idle_latency_nic_unmask(nic);
	nic_flush(nic);
}

/**
 * idle_latency_nic_stop() - let the card be silent
 * @nic: the card
 *
 * No interrupt of the card is on its way afterwards.
 *
 * Context: process context.
 */
void idle_latency_nic_stop(const struct idle_latency_nic *nic)
{
	nic_write(nic, NIC_TSAUXC, 0);
	nic_write(nic, NIC_TSIM, 0);
	mask_all(nic);

	/* The next session may get another kind of interrupt. */
	nic_write(nic, NIC_GPIE, 0);
	nic_write(nic, NIC_EIAC, 0);
	nic_write(nic, NIC_EIAM, 0);
}

/**
 * idle_latency_nic_unmask() - let the next cause interrupt
 * @nic: the card
 *
 * Context: any.
 */
void idle_latency_nic_unmask(const struct idle_latency_nic *nic)
{
	nic_write(nic, NIC_EIMS,
		  nic->msix ? NIC_EIMS_VECTOR0 : NIC_EIMS_OTHER);
}

/**
 * idle_latency_nic_acknowledge() - why does the card interrupt?
 * @nic: the card
 * @read_cyc: where the TSC cycles go that the first read of the card took
 *
 * Clears the cause, both registers on read, so that the next one interrupts.
 *
 * Context: any.
 * Return: the cause.
 */
enum idle_latency_nic_cause idle_latency_nic_acknowledge(const struct idle_latency_nic *nic,
							 u64 *read_cyc)
{
	u64 before = hw_tsc_ordered();
	u32 icr, tsicr;

	icr = nic_read(nic, NIC_ICR);
	*read_cyc = hw_tsc_ordered() - before;
	if (PCI_POSSIBLE_ERROR(icr) || !(icr & NIC_ICR_TIME_SYNC))
		return IDLE_LATENCY_NIC_CAUSE_NONE;

	tsicr = nic_read(nic, NIC_TSICR);
	if (PCI_POSSIBLE_ERROR(tsicr) || !(tsicr & NIC_TSICR_TT0))
		return IDLE_LATENCY_NIC_CAUSE_OTHER;

	return IDLE_LATENCY_NIC_CAUSE_EVENT;
}

/**
 * idle_latency_nic_read_clock() - read the card's clock and the TSC together
 * @nic: the card
 * @reading: where they go
 *
 * Reading one register makes the card latch its time, of which the others then give the
 * rest: SYSTIMR of an I210, igb_ptp_read_i210(); SYSTIML of an I225, igc_ptp_read(), which
 * must not be read again then. The time was latched at some moment between the two stamps
 * of the TSC, so nothing but that read is between them.
 *
 * Context: any; interrupts are disabled meanwhile.
 * Return: true; false when the card gives no time, because it has gone.
 */
bool idle_latency_nic_read_clock(struct idle_latency_nic *nic,
				 struct idle_latency_nic_reading *reading)
{
	u32 sec, nsec;

	/* What is latched belongs to one reader at a time. */
	guard(raw_spinlock_irqsave)(&nic->clock_lock);

	reading->before = hw_tsc_ordered();
	nsec = nic_read(nic, nic->type->latch);
	reading->after = hw_tsc_ordered();
	if (nic->type->latch != NIC_SYSTIML)
		nsec = nic_read(nic, NIC_SYSTIML);
	sec = nic_read(nic, NIC_SYSTIMH);

	return idle_latency_nic_time_ns(sec, nsec, &reading->clock_ns);
}

/**
 * idle_latency_nic_set_target() - arm the event
 * @nic: the card
 * @target_ns: when, in ns of the card's clock
 *
 * A cause that was left over is dropped.
 *
 * Context: any.
 */
void idle_latency_nic_set_target(const struct idle_latency_nic *nic, u64 target_ns)
{
	u32 sec, nsec;

	idle_latency_nic_split_ns(target_ns, &sec, &nsec);
	nic_read(nic, NIC_TSICR);
	nic_write(nic, NIC_TRGTTIML0, nsec);
	nic_write(nic, NIC_TRGTTIMH0, sec);
	nic_write(nic, NIC_TSAUXC, NIC_TSAUXC_EN_TT0);
}

/**
 * idle_latency_nic_clear_target() - make sure that no event is armed
 * @nic: the card
 *
 * Also lets the clock count, which bit 31 of the register would prevent.
 *
 * Context: any.
 */
void idle_latency_nic_clear_target(const struct idle_latency_nic *nic)
{
	nic_write(nic, NIC_TSAUXC, 0);
	nic_flush(nic);
}
