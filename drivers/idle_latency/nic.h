/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _IDLE_LATENCY_NIC_H
#define _IDLE_LATENCY_NIC_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/interrupt.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "convert.h"

struct idle_latency_session;
struct pci_dev;

/**
 * struct idle_latency_nic_type - what the kinds of cards differ in
 * @latch: the register whose read makes the card latch its clock
 * @steps_ns: by what steps of the clock can make the time from an event to a reading wrong, in ns
 * @says_reset_done: STATUS says when a reset is done
 * @has_ptm: has registers for Precision Time Measurement
 */
struct idle_latency_nic_type {
	u32 latch;
	u32 steps_ns;
	bool says_reset_done;
	bool has_ptm;
};

/**
 * struct idle_latency_nic - a card that is bound to this driver
 * @others: in the list of all cards
 * @pdev: the card
 * @type: which kind of card it is
 * @regs: its registers
 * @ptm_enabled: this driver has enabled PTM from the root port to the card
 * @ptm: PTM gives cross-timestamps, while the dialogs with the root port succeed
 * @clock_lock: what the card has latched of its clock belongs to who holds it
 * @session: the session that uses the card, or NULL
 * @shared: its interrupt is a line, which other devices may use; else it is a message
 * @msix: it is a message of MSI-X
 * @vector: the vector that it arrives at, while @session uses the card
 * @released: who takes the card away waits here for the end of the session
 * @first: the card's clock against the TSC when it was started
 * @target_ns: launch time of the event, in ns of the card's clock
 * @warmup_cyc: how long the first read after the event took, in TSC cycles
 * @latch_cyc: how long the read took that @session's cross-timestamp is from, or with PTM
 *	another one beside it
 * @affinity: where its interrupt was to go before @session asked for its CPU
 * @spurious: interrupts of the card since the event was armed that were not the
 *	event's
 */
struct idle_latency_nic {
	struct list_head others;
	struct pci_dev *pdev;
	const struct idle_latency_nic_type *type;
	void __iomem *regs;
	bool ptm_enabled;
	bool ptm;
	/* what the card has latched of its clock belongs to who holds it */
	raw_spinlock_t clock_lock;
	struct idle_latency_session *session;
	bool shared;
	bool msix;
	u32 vector;
	struct completion released;
	struct idle_latency_cross first;
	u64 target_ns;
	u64 warmup_cyc;
	u64 latch_cyc;
	cpumask_var_t affinity;
	atomic_t spurious;
};

/**
 * enum idle_latency_nic_cause - why the card interrupts
 * @IDLE_LATENCY_NIC_CAUSE_NONE: it does not
 * @IDLE_LATENCY_NIC_CAUSE_OTHER: something of its clock, but not the target time
 * @IDLE_LATENCY_NIC_CAUSE_EVENT: the target time was reached
 */
enum idle_latency_nic_cause {
	IDLE_LATENCY_NIC_CAUSE_NONE,
	IDLE_LATENCY_NIC_CAUSE_OTHER,
	IDLE_LATENCY_NIC_CAUSE_EVENT,
};

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

/* nic_card.c */
extern const struct idle_latency_nic_type idle_latency_nic_i210;
extern const struct idle_latency_nic_type idle_latency_nic_i225;
extern const struct idle_latency_nic_type idle_latency_nic_i225_v;
int idle_latency_nic_reset(const struct idle_latency_nic *nic);
void idle_latency_nic_start(const struct idle_latency_nic *nic);
void idle_latency_nic_stop(const struct idle_latency_nic *nic);
void idle_latency_nic_unmask(const struct idle_latency_nic *nic);
bool idle_latency_nic_gone(const struct idle_latency_nic *nic);
bool idle_latency_nic_managed(const struct idle_latency_nic *nic);
enum idle_latency_nic_cause idle_latency_nic_acknowledge(const struct idle_latency_nic *nic,
							 u64 *read_cyc);
bool idle_latency_nic_read_clock(struct idle_latency_nic *nic,
				 struct idle_latency_nic_reading *reading);
void idle_latency_nic_set_target(const struct idle_latency_nic *nic, u64 target_ns);
void idle_latency_nic_clear_target(const struct idle_latency_nic *nic);

/* nic_clock.c */
bool idle_latency_nic_read_cross(struct idle_latency_nic *nic,
				 struct idle_latency_cross *cross);
int idle_latency_nic_now(struct idle_latency_nic *nic, u64 *now_ns);
int idle_latency_nic_begin_clock(struct idle_latency_nic *nic);
int idle_latency_nic_check_clock(struct idle_latency_nic *nic);

#if IS_ENABLED(CONFIG_IDLE_LATENCY_NIC_PTM)
/* nic_ptm.c */
void idle_latency_nic_enable_ptm(struct idle_latency_nic *nic);
void idle_latency_nic_disable_ptm(struct idle_latency_nic *nic);
bool idle_latency_nic_start_ptm(struct idle_latency_nic *nic);
bool idle_latency_nic_read_ptm(struct idle_latency_nic *nic,
			       struct idle_latency_nic_reading *reading);
#else
static inline void idle_latency_nic_enable_ptm(struct idle_latency_nic *nic) { }
static inline void idle_latency_nic_disable_ptm(struct idle_latency_nic *nic) { }

static inline bool idle_latency_nic_start_ptm(struct idle_latency_nic *nic)
{
	return false;
}

static inline bool idle_latency_nic_read_ptm(struct idle_latency_nic *nic,
					     struct idle_latency_nic_reading *reading)
{
	return false;
}
#endif

/* nic_pci.c */
struct idle_latency_nic *idle_latency_nic_get(struct idle_latency_session *session);
void idle_latency_nic_put(struct idle_latency_nic *nic);
int idle_latency_nic_bound(u32 address);
int idle_latency_nic_request_irq(struct idle_latency_nic *nic, unsigned int cpu,
				 irq_handler_t handler);
void idle_latency_nic_free_irq(struct idle_latency_nic *nic);
void idle_latency_nic_sync_irq(const struct idle_latency_nic *nic);

#endif /* _IDLE_LATENCY_NIC_H */
