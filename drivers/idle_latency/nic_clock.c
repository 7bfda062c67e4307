// SPDX-License-Identifier: GPL-2.0-only
/*
 * The clock of the card of the source nic, against the TSC.
 *
 * The relative rate of the two clocks is derived, for each sample, from its own reading and
 * from the one that was taken when the clock was started.
 */
#include <linux/array_size.h>
#include <linux/delay.h>
#include <linux/pci.h>

#include "hardware.h"
#include "nic.h"

/*
 * IEEE 802.3 clause 40.6.1.2.6 lets the clock of a 1000BASE-T card be wrong by 100
 * ppm; the rate of the TSC, as the kernel measured it, by what NTP can correct.
 */
#define NIC_DRIFT_PPM		(100 + 500)

/*
 * The first reading may have to wait until the link is awake, and any may have to
 * wait for other traffic.
 */
#define NIC_READINGS		3

/* How long the clock is watched: two errors of 0.75 us in it are 15 ppm. */
#define RATE_MS			100

static bool read_tightest(struct idle_latency_nic *nic,
			  struct idle_latency_nic_reading *tightest)
{
	struct idle_latency_nic_reading readings[NIC_READINGS];

	for (int i = 0; i < ARRAY_SIZE(readings); i++) {
		if (!idle_latency_nic_read_clock(nic, &readings[i]))
			return false;
	}

	*tightest = *idle_latency_nic_tightest(readings, ARRAY_SIZE(readings));
	return true;
}

static struct idle_latency_cross cross_of(const struct idle_latency_nic *nic,
					  const struct idle_latency_nic_reading *reading)
{
	struct idle_latency_cross cross;

	cross = idle_latency_cross_between(reading->before, reading->clock_ns,
					   reading->after, NIC_DRIFT_PPM);
	/* The moment of the event and the reading can each be late. */
	idle_latency_cross_widen(&cross, nic->type->steps_ns, hw_tsc_khz());
	return cross;
}

/**
 * idle_latency_nic_read_cross() - read both clocks together
 * @nic: the card
 * @cross: where the cross-timestamp goes
 *
 * By PTM, where the card and the root port have it: then only the way of a message over the
 * link is uncertain, and not that of a read from the CPU and back.
 *
 * Context: any.
 * Return: true; false when the card gives no time, because it has gone.
 */
bool idle_latency_nic_read_cross(struct idle_latency_nic *nic,
				 struct idle_latency_cross *cross)
{
	struct idle_latency_nic_reading reading;

	if (!idle_latency_nic_read_ptm(nic, &reading)) {
		if (!read_tightest(nic, &reading))
			return false;
		nic->latch_cyc = reading.after - reading.before;
	}

	*cross = cross_of(nic, &reading);
	return true;
}

/**
 * idle_latency_nic_now() - read the card's clock
 * @nic: the card, whose clock was begun
 * @now_ns: where the time goes, in ns
 *
 * Context: any.
 * Return: 0, or -ENODEV when the card has gone, or somebody has reset it, after which
 * it does not interrupt any more.
 */
int idle_latency_nic_now(struct idle_latency_nic *nic, u64 *now_ns)
{
	struct idle_latency_nic_reading reading;
	struct idle_latency_cross now;

	if (!idle_latency_nic_read_clock(nic, &reading))
		return -ENODEV;

	now = cross_of(nic, &reading);
	if (!idle_latency_cross_agrees(&now, &nic->first, hw_tsc_khz()))
		return -ENODEV;

	*now_ns = reading.clock_ns;
	return 0;
}

/*
 * Without flash, the PLL of the card can come up with a wrong frequency, and no reset
 * sets it right: igb_pll_workaround_i210(), which igb does when it is bound. That
 * needs the PHY and a way through D3, of which this driver otherwise knows nothing;
 * it is enough to notice.
 */
static int check_rate(struct idle_latency_nic *nic)
{
	struct idle_latency_cross now;

	msleep(RATE_MS);
	if (!idle_latency_nic_read_cross(nic, &now))
		return -ENODEV;
	if (idle_latency_cross_agrees(&now, &nic->first, hw_tsc_khz()))
		return 0;

	pci_err(nic->pdev, "the clock is too fast or too slow: give the card to igb once\n");
	return -ETIMEDOUT;
}

/*
 * What the registers of PTM say is known from igc, which does not use all of them. That the card
 * latches its time within a read is certain, so that PTM has to agree with one.
 */
static bool ptm_agrees(struct idle_latency_nic *nic)
{
	struct idle_latency_nic_reading by_ptm, by_read;
	struct idle_latency_cross earlier, later;

	if (!idle_latency_nic_read_ptm(nic, &by_ptm) || !read_tightest(nic, &by_read))
		return false;

	earlier = cross_of(nic, &by_ptm);
	later = cross_of(nic, &by_read);
	return idle_latency_cross_agrees(&later, &earlier, hw_tsc_khz());
}

static void begin_ptm(struct idle_latency_nic *nic)
{
	if (!idle_latency_nic_start_ptm(nic))
		return;

	nic->ptm = ptm_agrees(nic);
	pci_info(nic->pdev, nic->ptm ? "PTM relates its clock to the TSC\n" :
		 "its clock is read: PTM gives no answer, or another time than that\n");
}

/**
 * idle_latency_nic_begin_clock() - reset the card, and let its clock run
 * @nic: the card
 *
 * Afterwards the rate of the clock is known, and is that of such a clock.
 *
 * Context: process context. May sleep.
 * Return: 0, or an error as of idle_latency_nic_reset(); also -ETIMEDOUT when the
 * clock has a wrong rate after the reset.
 */
int idle_latency_nic_begin_clock(struct idle_latency_nic *nic)
{
	int err;

	err = idle_latency_nic_reset(nic);
	if (err)
		return err;

	idle_latency_nic_clear_target(nic);
	begin_ptm(nic);
	if (!idle_latency_nic_read_cross(nic, &nic->first))
		return -ENODEV;

	return check_rate(nic);
}

/**
 * idle_latency_nic_check_clock() - make sure that the clock runs as it was begun
 * @nic: the card, whose clock was begun
 *
 * A card that was reset meanwhile, as by a suspend, begins anew.
 *
 * Context: process context. May sleep.
 * Return: 0, or an error as of idle_latency_nic_begin_clock().
 */
int idle_latency_nic_check_clock(struct idle_latency_nic *nic)
{
	struct idle_latency_cross now;

	if (!idle_latency_nic_read_cross(nic, &now))
		return -ENODEV;
	if (idle_latency_cross_agrees(&now, &nic->first, hw_tsc_khz()))
		return 0;

	return idle_latency_nic_begin_clock(nic);
}
