// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PCI driver of the source nic: binds cards to this driver, lends them to sessions,
 * and gets their interrupts.
 *
 * A card is never taken from the network stack: the driver matches only where
 * driver_override asks for it. A session has a card for itself.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include <asm/hw_irq.h>

#include "nic.h"
#include "session.h"
#include "x86.h"

/* Protects the list of cards, and which session has which. */
static DEFINE_MUTEX(bound_lock);
static LIST_HEAD(bound);

/* As in struct idle_latency_config, where one with a longer domain cannot be named. */
static u64 address_of(const struct idle_latency_nic *nic)
{
	return (u64)pci_domain_nr(nic->pdev->bus) << 16 | pci_dev_id(nic->pdev);
}

/* With no address, the first that is free, or where there is none, the first. */
static struct idle_latency_nic *find_bound(u32 address)
{
	struct idle_latency_nic *nic;

	lockdep_assert_held(&bound_lock);

	list_for_each_entry(nic, &bound, others) {
		if (address ? address_of(nic) == address : !nic->session)
			return nic;
	}

	return address ? NULL : list_first_entry_or_null(&bound, struct idle_latency_nic, others);
}

static void set_bound(struct idle_latency_nic *nic)
{
	guard(mutex)(&bound_lock);

	list_add_tail(&nic->others, &bound);
}

/* Nobody takes the card after this, and a session that has it ends. */
static void clear_bound(struct idle_latency_nic *nic)
{
	bool taken;

	scoped_guard(mutex, &bound_lock) {
		list_del(&nic->others);
		taken = nic->session;
		if (taken)
			idle_latency_abort(nic->session, -ENODEV);
	}

	if (taken)
		wait_for_completion(&nic->released);
}

static int none_bound(u32 address)
{
	return address ? -ENODEV : -EOPNOTSUPP;
}

/**
 * idle_latency_nic_bound() - is there a card?
 * @address: of the card, as in struct idle_latency_config; 0 for any
 *
 * Context: process context. May sleep.
 * Return: 0 when it is bound to this driver; -ENODEV when it is not; -EOPNOTSUPP when none is.
 */
int idle_latency_nic_bound(u32 address)
{
	guard(mutex)(&bound_lock);

	return find_bound(address) ? 0 : none_bound(address);
}

/**
 * idle_latency_nic_get() - get the card for a session
 * @session: the session; is ended with -ENODEV when the card goes away
 *
 * Context: process context. May sleep.
 * Return: the card, which stays until idle_latency_nic_put(); or an error as of
 * idle_latency_nic_bound(); also -EBUSY when other sessions have it, or all of them.
 */
struct idle_latency_nic *idle_latency_nic_get(struct idle_latency_session *session)
{
	const u32 address = session->config.card;
	struct idle_latency_nic *nic;

	guard(mutex)(&bound_lock);

	nic = find_bound(address);
	if (!nic)
		return ERR_PTR(none_bound(address));
	if (nic->session)
		return ERR_PTR(-EBUSY);

	nic->session = session;
	reinit_completion(&nic->released);
	return nic;
}

/**
 * idle_latency_nic_put() - undo idle_latency_nic_get()
 * @nic: the card, which is silent
 *
 * Context: process context. May sleep.
 */
void idle_latency_nic_put(struct idle_latency_nic *nic)
{
	guard(mutex)(&bound_lock);

	nic->session = NULL;
	complete(&nic->released);
}

/* With a single CPU, the affinity of an interrupt cannot be set. */
static bool has_choice(void)
{
	return num_possible_cpus() > 1;
}

/*
 * Called before request_irq(), because an interrupt that is in use only moves when it fires the
 * next time.
 */
static int move_interrupt(struct idle_latency_nic *nic, unsigned int cpu)
{
	int irq = pci_irq_vector(nic->pdev, 0);
	const struct cpumask *affinity = irq_get_affinity_mask(irq);

	if (!affinity)
		return -EINVAL;

	cpumask_copy(nic->affinity, affinity);
	return has_choice() ? irq_set_affinity(irq, cpumask_of(cpu)) : 0;
}

/*
 * If the CPU had no vector left, the kernel sends the interrupt to another CPU, and only logs
 * that. A line that another device uses, too, may not have been moved yet.
 */
static bool interrupt_moved(const struct idle_latency_nic *nic, unsigned int cpu)
{
	struct irq_data *data = irq_get_irq_data(pci_irq_vector(nic->pdev, 0));

	return !has_choice() || irqd_is_setaffinity_pending(data) ||
	       cpumask_test_cpu(cpu, irq_data_get_effective_affinity_mask(data));
}

/* The affinity of a message ends with its vector. Another device may use a line. */
static void release_vectors(const struct idle_latency_nic *nic)
{
	if (nic->shared && has_choice())
		irq_set_affinity(pci_irq_vector(nic->pdev, 0), nic->affinity);
	pci_free_irq_vectors(nic->pdev);
}

static int request_moved(struct idle_latency_nic *nic, unsigned int cpu,
			 irq_handler_t handler)
{
	int irq = pci_irq_vector(nic->pdev, 0);
	int err;

	err = move_interrupt(nic, cpu);
	if (err)
		return err;

	/* IRQF_NOBALANCING of a line would stay in force for its other users afterwards. */
	err = request_irq(irq, handler,
			  IRQF_NO_THREAD | (nic->shared ? IRQF_SHARED : IRQF_NOBALANCING),
			  "idle_latency", nic);
	if (err)
		return err;
	if (!interrupt_moved(nic, cpu)) {
		free_irq(irq, nic);
		return -ENOSPC;
	}

	nic->vector = irqd_cfg(irq_get_irq_data(irq))->vector;
	return 0;
}

static int request_vector(struct idle_latency_nic *nic, unsigned int cpu,
			  irq_handler_t handler)
{
	int err;

	err = pci_alloc_irq_vectors(nic->pdev, 1, 1, PCI_IRQ_ALL_TYPES);
	if (err < 0)
		return err;

	nic->shared = !pci_dev_msi_enabled(nic->pdev);
	nic->msix = nic->pdev->msix_enabled;
	err = request_moved(nic, cpu, handler);
	if (err)
		release_vectors(nic);
	return err;
}

/**
 * idle_latency_nic_request_irq() - get the interrupt of the card
 * @nic: the card, which is silent
 * @cpu: the CPU that it is to interrupt
 * @handler: the handler; gets @nic
 *
 * Context: process context. May sleep.
 * Return: 0 or a negative errno.
 */
int idle_latency_nic_request_irq(struct idle_latency_nic *nic, unsigned int cpu,
				 irq_handler_t handler)
{
	int err;

	/* A message is a write to memory. */
	pci_set_master(nic->pdev);

	err = request_vector(nic, cpu, handler);
	if (err)
		pci_clear_master(nic->pdev);
	return err;
}

/**
 * idle_latency_nic_free_irq() - undo idle_latency_nic_request_irq()
 * @nic: the card, which is silent
 *
 * Context: process context. May sleep.
 */
void idle_latency_nic_free_irq(struct idle_latency_nic *nic)
{
	free_irq(pci_irq_vector(nic->pdev, 0), nic);
	release_vectors(nic);
	pci_clear_master(nic->pdev);
}

/**
 * idle_latency_nic_sync_irq() - wait until the handler does not run
 * @nic: the card
 *
 * Context: process context. May sleep.
 */
void idle_latency_nic_sync_irq(const struct idle_latency_nic *nic)
{
	synchronize_hardirq(pci_irq_vector(nic->pdev, 0));
}

static int map_card(struct idle_latency_nic *nic)
{
	struct pci_dev *pdev = nic->pdev;
	int err;

	err = pci_enable_device_mem(pdev);
	if (err)
		return err;

	err = pci_request_mem_regions(pdev, KBUILD_MODNAME);
	if (err)
		goto disable;

	nic->regs = pci_ioremap_bar(pdev, 0);
	if (nic->regs)
		return 0;

	err = -ENOMEM;
	pci_release_mem_regions(pdev);
disable:
	pci_disable_device(pdev);
	return err;
}

static void unmap_card(struct idle_latency_nic *nic)
{
	iounmap(nic->regs);
	pci_release_mem_regions(nic->pdev);
	pci_disable_device(nic->pdev);
}

static int start_card(struct idle_latency_nic *nic)
{
	int err;

	err = map_card(nic);
	if (err)
		return dev_err_probe(&nic->pdev->dev, err, "cannot map the registers\n");

	if (!idle_latency_nic_gone(nic) && idle_latency_nic_managed(nic)) {
		pci_err(nic->pdev, "a management controller (BMC) uses the card, which is left alone\n");
		err = -EBUSY;
		goto unmap;
	}

	idle_latency_nic_enable_ptm(nic);
	err = idle_latency_nic_begin_clock(nic);
	if (err) {
		pci_err(nic->pdev, "the card cannot be started: %d\n", err);
		goto disable_ptm;
	}

	set_bound(nic);
	return 0;

disable_ptm:
	idle_latency_nic_disable_ptm(nic);
unmap:
	unmap_card(nic);
	return err;
}

static struct idle_latency_nic *alloc_nic(struct pci_dev *pdev,
					  const struct idle_latency_nic_type *type)
{
	struct idle_latency_nic *nic = kzalloc_obj(*nic);

	if (!nic)
		return NULL;
	if (!alloc_cpumask_var(&nic->affinity, GFP_KERNEL)) {
		kfree(nic);
		return NULL;
	}

	nic->pdev = pdev;
	nic->type = type;
	raw_spin_lock_init(&nic->clock_lock);
	init_completion(&nic->released);
	return nic;
}

static void free_nic(struct idle_latency_nic *nic)
{
	free_cpumask_var(nic->affinity);
	kfree(nic);
}

static int nic_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct idle_latency_nic *nic;
	int err;

	/* driver_override alone makes any device match. */
	if (id->vendor != PCI_VENDOR_ID_INTEL)
		return -ENODEV;

	nic = alloc_nic(pdev, (const struct idle_latency_nic_type *)id->driver_data);
	if (!nic)
		return -ENOMEM;

	pci_set_drvdata(pdev, nic);
	err = start_card(nic);
	if (err)
		free_nic(nic);
	return err;
}

static void nic_remove(struct pci_dev *pdev)
{
	struct idle_latency_nic *nic = pci_get_drvdata(pdev);

	clear_bound(nic);
	/* As the card was found. One that has gone cannot be reset. */
	idle_latency_nic_reset(nic);
	idle_latency_nic_disable_ptm(nic);
	unmap_card(nic);
	free_nic(nic);
}

#define NIC_ID(device, type) {						\
	PCI_DEVICE_DRIVER_OVERRIDE(PCI_VENDOR_ID_INTEL, device, 1),	\
	.driver_data = (kernel_ulong_t)&idle_latency_nic_##type,	\
}

/* As in igb/e1000_hw.h and igc/igc_hw.h of drivers/net/ethernet/intel. */
static const struct pci_device_id nic_ids[] = {
	NIC_ID(0x1533, i210),	/* I210, copper */
	NIC_ID(0x1536, i210),	/* I210, fiber */
	NIC_ID(0x1537, i210),	/* I210, SerDes */
	NIC_ID(0x1538, i210),	/* I210, SGMII */
	NIC_ID(0x1539, i210),	/* I211, copper */
	NIC_ID(0x157b, i210),	/* I210, copper, without flash */
	NIC_ID(0x157c, i210),	/* I210, SerDes, without flash */
	NIC_ID(0x15f2, i225),	/* I225-LM */
	NIC_ID(0x15f3, i225_v),	/* I225-V */
	NIC_ID(0x15f8, i225),	/* I225-I */
	NIC_ID(0x0d9f, i225),	/* I225-IT */
	NIC_ID(0x3100, i225),	/* I225-K */
	NIC_ID(0x3101, i225),	/* I225-K2 */
	NIC_ID(0x5502, i225),	/* I225-LMvP */
	NIC_ID(0x125b, i225),	/* I226-LM */
	NIC_ID(0x125c, i225),	/* I226-V */
	NIC_ID(0x125d, i225),	/* I226-IT */
	NIC_ID(0x3102, i225),	/* I226-K */
	NIC_ID(0x5503, i225),	/* I226-LMvP */
	{}
};

static struct pci_driver nic_driver = {
	.name		= "idle_latency",
	.id_table	= nic_ids,
	.probe		= nic_probe,
	.remove		= nic_remove,
};

/**
 * idle_latency_nic_register() - let cards be bound
 *
 * Context: module init.
 * Return: 0 or a negative errno.
 */
int idle_latency_nic_register(void)
{
	return pci_register_driver(&nic_driver);
}

/**
 * idle_latency_nic_unregister() - undo idle_latency_nic_register()
 *
 * Gives back the cards that are bound.
 *
 * Context: module exit; no session exists.
 */
void idle_latency_nic_unregister(void)
{
	pci_unregister_driver(&nic_driver);
}
