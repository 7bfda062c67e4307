// SPDX-License-Identifier: GPL-2.0-only
/*
 * Precision Time Measurement of the card of the source nic: a dialog of messages between
 * card and root port, PCI Express Base Specification 6.0, section 6.21. Registers and
 * procedure as in drivers/net/ethernet/intel/igc/igc_ptp.c.
 *
 * The card sends a request at T1 of its own clock, which is at the root port at T2 of the
 * clock that the TSC is made of. The answer leaves there at T3 and is at the card at T4.
 * How long the request took, nobody knows; but no longer than it and the answer together,
 * (T4 - T1) - (T3 - T2). An answer has T2 of its own dialog, and T3 - T2 of the one before,
 * so that a reading takes two dialogs.
 */
#include <linux/clocksource_ids.h>
#include <linux/pci.h>
#include <linux/timekeeping.h>

#include "nic_regs.h"

/* As igc_ptp_reset() sets them: what the card adds to T1 and T4 for its own part of the way. */
#define PTM_DIG_DELAY		0x01440000
#define PTM_PHY_DELAY		0x40900000
#define PTM_CYCLE_MS		5
#define PTM_SHORT_CYCLE_US	4
#define PTM_TIMEOUT_US		255

/* How long the handler waits for an answer, which takes less than 1 us. */
#define PTM_WAIT_US		20

/* The first answer of a root port has no data, and one may be lost. */
#define PTM_DIALOGS		4

/*
 * T2 is a whole ns, rounded down. T1, T4 and the event are late by less than a step s of the card's
 * clock each, d1, d4 and de. So T4 - T1 as read is longer by d1 - d4, and what half of it, as the
 * way of the request, makes wrong is at most half of it and d4 - de, or d1 - de the other way: s,
 * which &struct idle_latency_nic_type.steps_ns has.
 */
#define PTM_ROUND_OFF_NS	1

/* A time of the card, T1, and its request at the root port, T2, both in ns. */
struct dialog {
	u64 sent_ns;
	u64 arrived_ns;
};

/* What a pair of dialogs tells of the first one. */
struct pair {
	struct idle_latency_nic *nic;
	u32 round_ns;
};

static const u32 ptm_ctrl = NIC_PTM_CTRL_EN | NIC_PTM_CTRL_START_NOW |
			    FIELD_PREP_CONST(NIC_PTM_CTRL_SHORT_CYC, PTM_SHORT_CYCLE_US) |
			    FIELD_PREP_CONST(NIC_PTM_CTRL_TIMEOUT, PTM_TIMEOUT_US);

static bool wait_for_answer(const struct idle_latency_nic *nic)
{
	u64 begin = hw_tsc();
	u32 status;

	do {
		status = nic_read(nic, NIC_PTM_STAT);
	} while (!status && idle_latency_cyc_to_ns(hw_tsc() - begin, hw_tsc_khz()) <
			    PTM_WAIT_US * NSEC_PER_USEC);

	return status == NIC_PTM_STAT_VALID;
}

/* The read that igc has after it, too, tells how long one takes while the link is awake. */
static bool have_dialog(struct idle_latency_nic *nic)
{
	u64 before;
	bool valid;

	nic_write(nic, NIC_PTM_CTRL, ptm_ctrl | NIC_PTM_CTRL_TRIG);
	before = hw_tsc_ordered();
	nic_flush(nic);
	nic->latch_cyc = hw_tsc_ordered() - before;
	valid = wait_for_answer(nic);
	nic_write(nic, NIC_PTM_CTRL, ptm_ctrl);
	nic_write(nic, NIC_PTM_STAT, NIC_PTM_STAT_ALL);

	return valid;
}

/* The high half of T2 comes in the order of bytes of the bus, as igc_ptp.c found. */
static bool read_dialog(const struct idle_latency_nic *nic, struct dialog *dialog)
{
	u32 low = nic_read(nic, NIC_PTM_CURR_T2_L);
	u32 high = swab32(nic_read(nic, NIC_PTM_CURR_T2_H));
	u32 nsec = nic_read(nic, NIC_PTM_T1_TIM0_L);
	u32 sec = nic_read(nic, NIC_PTM_T1_TIM0_H);

	dialog->arrived_ns = (u64)high << 32 | low;
	return idle_latency_nic_time_ns(sec, nsec, &dialog->sent_ns);
}

/* After a further dialog: how long request and answer took. */
static bool read_round(const struct idle_latency_nic *nic, u32 *round_ns)
{
	u32 away_ns = nic_read(nic, NIC_PTM_PREV_T4M1);
	u32 thought_ns = nic_read(nic, NIC_PTM_PREV_T3M2);

	*round_ns = away_ns - thought_ns + PTM_ROUND_OFF_NS;
	return away_ns + PTM_ROUND_OFF_NS > thought_ns;
}

/* Called by get_device_system_crosststamp(), which converts T2 to the TSC. */
static int have_pair(ktime_t *device, struct system_counterval_t *system, void *context)
{
	struct pair *pair = context;
	bool have_first = false;
	struct dialog first;

	for (int i = 0; i < PTM_DIALOGS; i++) {
		if (!have_dialog(pair->nic)) {
			have_first = false;
		} else if (!have_first) {
			have_first = read_dialog(pair->nic, &first);
		} else if (read_round(pair->nic, &pair->round_ns)) {
			*device = ns_to_ktime(first.sent_ns);
			*system = (struct system_counterval_t) {
				.cs_id = CSID_X86_ART,
				.cycles = first.arrived_ns,
				.use_nsecs = true,
			};
			return 0;
		}
	}

	return -ETIMEDOUT;
}

/**
 * idle_latency_nic_read_ptm() - relate the card's clock to the TSC by PTM
 * @nic: the card, whose PTM was started
 * @reading: where both clocks go
 *
 * A card whose root port does not answer any more is not asked again.
 *
 * Context: any.
 * Return: true; false where the card has no PTM, the root port does not answer, or the kernel
 * does not know how the TSC is made of the clock of the root port, or uses another clocksource.
 */
bool idle_latency_nic_read_ptm(struct idle_latency_nic *nic,
			       struct idle_latency_nic_reading *reading)
{
	struct system_device_crosststamp stamp = { .clock_id = CLOCK_REALTIME };
	struct pair pair = { .nic = nic };
	u64 round_cyc;

	if (!nic->ptm)
		return false;

	/* The registers of a dialog belong to one reader at a time. */
	scoped_guard(raw_spinlock_irqsave, &nic->clock_lock) {
		nic->ptm = !get_device_system_crosststamp(have_pair, &pair, NULL, &stamp) &&
			   stamp.sys_counter.cs_id == CSID_X86_TSC;
	}
	if (!nic->ptm)
		return false;

	round_cyc = mul_u64_u32_div(pair.round_ns, hw_tsc_khz(), USEC_PER_SEC) + 1;
	reading->clock_ns = ktime_to_ns(stamp.device);
	reading->after = stamp.sys_counter.cycles +
			 mul_u64_u32_div(1, hw_tsc_khz(), USEC_PER_SEC) + 1;
	reading->before = reading->after - round_cyc;
	return true;
}

/**
 * idle_latency_nic_enable_ptm() - have the path to the card answer to PTM
 * @nic: the card
 *
 * Does nothing where the root port, a switch between or the card cannot.
 *
 * Context: process context.
 */
void idle_latency_nic_enable_ptm(struct idle_latency_nic *nic)
{
	nic->ptm_enabled = nic->type->has_ptm && !pci_enable_ptm(nic->pdev);
}

/**
 * idle_latency_nic_disable_ptm() - undo idle_latency_nic_enable_ptm()
 * @nic: the card
 *
 * Does nothing where it had not succeeded.
 *
 * Context: process context.
 */
void idle_latency_nic_disable_ptm(struct idle_latency_nic *nic)
{
	if (nic->ptm_enabled)
		pci_disable_ptm(nic->pdev);
	nic->ptm_enabled = false;
}

/**
 * idle_latency_nic_start_ptm() - let the card have dialogs with its root port
 * @nic: the card, after a reset
 *
 * Context: process context.
 * Return: true; false where idle_latency_nic_enable_ptm() did nothing.
 */
bool idle_latency_nic_start_ptm(struct idle_latency_nic *nic)
{
	/* It may have been given up before the reset. */
	nic->ptm = nic->ptm_enabled;
	if (!nic->ptm)
		return false;

	nic_write(nic, NIC_PCIE_DIG_DELAY, PTM_DIG_DELAY);
	nic_write(nic, NIC_PCIE_PHY_DELAY, PTM_PHY_DELAY);
	nic_write(nic, NIC_PTM_CYCLE_CTRL, PTM_CYCLE_MS);
	nic_write(nic, NIC_PTM_CTRL, ptm_ctrl);
	return true;
}
