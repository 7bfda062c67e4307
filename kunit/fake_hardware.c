// SPDX-License-Identifier: GPL-2.0-only
/*
 * A CPU and a network card in memory for the unit tests of the event sources.
 */
#include "fake_hardware.h"

#include <linux/err.h>
#include <linux/math64.h>
#include <linux/sched.h>

#include "../nic_regs.h"

/* Of the test that runs. */
struct fake_hardware *hw;

/* Somewhere, so that an address without it is noticed. */
#define REGS	((void __iomem *)0x10000000)

u64 hw_tsc(void)
{
	return hw->tsc;
}

u64 hw_tsc_ordered(void)
{
	hw->tsc += hw->stamp_cyc;
	return hw->tsc;
}

u32 hw_tsc_khz(void)
{
	return FAKE_KHZ;
}

bool hw_timers_have_resolution(void)
{
	return !hw->no_resolution;
}

bool hw_tsc_trusted(void)
{
	return !hw->untrusted;
}

bool hw_tsc_of_monotonic(u64 *tsc, u64 *ns)
{
	*tsc = hw->tsc;
	*ns = hw->monotonic_ns;
	return hw->monotonic_ns;
}

bool hw_has_deadline(void)
{
	return hw->has_deadline;
}

u64 hw_deadline(void)
{
	return hw->deadline;
}

/**
 * fake_card_ns() - the clock of the card
 *
 * Return: now, in ns.
 */
u64 fake_card_ns(void)
{
	return hw->offset_ns + hw->tsc + div_s64((s64)hw->tsc * hw->drift_ppm, 1000000);
}

static u32 read_status(void)
{
	u32 status = 0;

	if (hw->master_reads) {
		hw->master_reads--;
		status |= NIC_STATUS_MASTER;
	}
	if (hw->reset_reads)
		hw->reset_reads--;
	else
		status |= NIC_STATUS_RST_DONE;

	return status;
}

static u32 read_eec(void)
{
	if (!hw->eec_reads)
		return NIC_EEC_AUTO_RD;

	hw->eec_reads--;
	return 0;
}

static u32 read_and_clear(u32 *reg)
{
	const u32 value = *reg;

	*reg = 0;
	return value;
}

static u32 read_register(u32 reg)
{
	u32 sec, nsec;

	idle_latency_nic_split_ns(hw->latched_ns, &sec, &nsec);
	switch (reg) {
	case NIC_CTRL:
		return 0x40;
	case NIC_STATUS:
		return read_status();
	case NIC_MANC:
		return hw->manc;
	case NIC_FWSM:
		return hw->fwsm;
	case NIC_FACTPS:
		return hw->factps;
	case NIC_EEC:
		return read_eec();
	case NIC_ICR:
		return read_and_clear(&hw->icr);
	case NIC_TSICR:
		return read_and_clear(&hw->tsicr);
	case NIC_SYSTIML:
		return nsec;
	case NIC_SYSTIMH:
		return sec;
	default:
		return 0;
	}
}

static u32 offset_of(const void __iomem *address)
{
	return (uintptr_t)address - (uintptr_t)REGS;
}

static void log_access(bool write, u32 reg, u32 value)
{
	if (hw->count < ARRAY_SIZE(hw->accesses))
		hw->accesses[hw->count] = (struct fake_access) { write, reg, value };
	hw->count++;
	if (hw->count == hw->gone_after)
		hw->gone = true;
}

u32 hw_readl(const void __iomem *address)
{
	const u32 reg = offset_of(address);
	u32 value;

	hw->tsc += HALF_READ_CYC;
	if (reg == hw->nic.type->latch)
		hw->latched_ns = fake_card_ns();
	value = hw->gone ? NIC_GONE : read_register(reg);
	hw->tsc += HALF_READ_CYC;
	if (reg == NIC_SYSTIMH)
		hw->tsc += hw->pause_cyc;

	log_access(false, reg, value);
	return value;
}

void hw_writel(u32 value, void __iomem *address)
{
	const u32 reg = offset_of(address);

	if (reg == NIC_CTRL && value & NIC_CTRL_RST) {
		/* Its clock begins anew. */
		hw->reset = true;
		hw->offset_ns = -hw->tsc;
	}
	log_access(true, reg, value);
}

void idle_latency_residency_end(struct idle_latency_session *session)
{
	hw->residency_ends++;
}

struct idle_latency_nic *idle_latency_nic_get(struct idle_latency_session *session)
{
	int err = idle_latency_nic_bound(session->config.card);

	if (err)
		return ERR_PTR(err);
	if (hw->taken)
		return ERR_PTR(-EBUSY);

	hw->taken = true;
	hw->nic.session = session;
	return &hw->nic;
}

void idle_latency_nic_put(struct idle_latency_nic *nic)
{
	hw->taken = false;
	nic->session = NULL;
}

int idle_latency_nic_bound(u32 address)
{
	if (address)
		return address == FAKE_CARD && !hw->absent ? 0 : -ENODEV;

	return hw->absent ? -EOPNOTSUPP : 0;
}

int idle_latency_nic_request_irq(struct idle_latency_nic *nic, unsigned int cpu,
				 irq_handler_t handler)
{
	if (hw->irq_error)
		return hw->irq_error;

	nic->shared = hw->irq_shared;
	nic->msix = hw->irq_msix;
	nic->vector = FAKE_VECTOR;
	hw->handler = handler;
	hw->irq_cpu = cpu;
	hw->requested_at = hw->count;
	return 0;
}

void idle_latency_nic_free_irq(struct idle_latency_nic *nic)
{
	hw->handler = NULL;
}

void idle_latency_nic_sync_irq(const struct idle_latency_nic *nic)
{
	hw->synced++;
}

/**
 * fake_forget_accesses() - what was accessed until now does not matter
 */
void fake_forget_accesses(void)
{
	hw->count = 0;
}

/**
 * fake_written() - what was written to a register of the card last?
 * @test: the test, which fails when nothing was
 * @reg: the register
 *
 * Return: that.
 */
u32 fake_written(struct kunit *test, u32 reg)
{
	for (unsigned int i = hw->count; i--;) {
		if (hw->accesses[i].write && hw->accesses[i].reg == reg)
			return hw->accesses[i].value;
	}

	KUNIT_FAIL(test, "nothing was written to 0x%x", reg);
	return 0;
}

/**
 * fake_was_handled() - has a handler said that the event was handled?
 *
 * Return: whether it has; what it wrote is seen then.
 */
bool fake_was_handled(void)
{
	/* Pairs with idle_latency_event_handled(). */
	return smp_load_acquire(&hw->session->shot.handled);
}

/**
 * fake_hardware_init() - have a CPU and a card as hw, and a session that may use them
 * @test: the test, during which they exist
 *
 * Return: 0.
 */
int fake_hardware_init(struct kunit *test)
{
	hw = kunit_kzalloc(test, sizeof(*hw), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, hw);
	hw->pdev = kunit_kzalloc(test, sizeof(*hw->pdev), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, hw->pdev);
	hw->x86 = kunit_kzalloc(test, sizeof(*hw->x86), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, hw->x86);
	hw->session = &hw->x86->session;

	hw->tsc = 1000000;
	hw->has_deadline = true;
	hw->offset_ns = 5000000000000ULL;
	hw->nic.pdev = hw->pdev;
	hw->nic.regs = REGS;
	hw->nic.type = &idle_latency_nic_i210;
	raw_spin_lock_init(&hw->nic.clock_lock);
	/* Who is woken by a handler. */
	hw->session->armer = current;
	return 0;
}
