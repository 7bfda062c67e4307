/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model of the Intel Ethernet Controller I210, as far as its clock, its
 * interrupts and the probe of a driver need it: the PCI device.
 */

#include "qemu/osdep.h"
#include "hw/pci/msi.h"
#include "hw/pci/msix.h"
#include "hw/pci/pcie.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "qapi/error.h"
#include "i210.h"

/*
 * Base address registers and capabilities, where the card has them: DS 8.9 and
 * 9.3.11; 9.4.
 */
#define BAR_REGISTERS 0
#define BAR_MSIX 3
#define MSIX_BAR_SIZE 0x4000
#define MSIX_PBA 0x2000
#define CAP_PM 0x40
#define CAP_MSI 0x50
#define CAP_MSIX 0x70
#define CAP_EXPRESS 0xa0

static const char *const interrupts_names[] = {
    [I210_INTERRUPTS_MSIX] = "msix",
    [I210_INTERRUPTS_MSI] = "msi",
    [I210_INTERRUPTS_INTX] = "intx",
};

static bool parse_interrupts(I210State *s, Error **errp)
{
    for (unsigned i = 0; i < ARRAY_SIZE(interrupts_names); i++) {
        if (!s->interrupts_name ||
            !strcmp(s->interrupts_name, interrupts_names[i])) {
            s->interrupts = i;
            return true;
        }
    }
    error_setg(errp, "interrupts=%s is not known", s->interrupts_name);
    return false;
}

static bool add_pm(PCIDevice *dev, Error **errp)
{
    if (pci_add_capability(dev, PCI_CAP_ID_PM, CAP_PM, PCI_PM_SIZEOF,
                           errp) < 0) {
        return false;
    }
    /* Version 3; a transition from D3hot to D0 resets the port: DS 5.2.3.2 */
    pci_set_word(dev->config + CAP_PM + PCI_PM_PMC, 3);
    pci_set_word(dev->config + CAP_PM + PCI_PM_CTRL, PCI_PM_CTRL_NO_SOFT_RESET);
    pci_set_word(dev->wmask + CAP_PM + PCI_PM_CTRL, PCI_PM_CTRL_STATE_MASK);
    return true;
}

/*
 * ASPM can be switched by software. A card that goes to L1 comes up with L1
 * enabled, as firmware would do it.
 */
static bool add_express(I210State *s, PCIDevice *dev)
{
    int offset = pcie_endpoint_cap_init(dev, CAP_EXPRESS);

    if (offset < 0) {
        return false;
    }
    pci_long_test_and_set_mask(dev->config + offset + PCI_EXP_LNKCAP,
                               PCI_EXP_LNKCAP_ASPM_L1);
    pci_set_word(dev->wmask + offset + PCI_EXP_LNKCTL, PCI_EXP_LNKCTL_ASPMC);
    if (s->l1_idle_ns) {
        pci_set_word(dev->config + offset + PCI_EXP_LNKCTL,
                     PCI_EXP_LNKCTL_ASPM_L1);
    }
    return true;
}

static bool add_messages(I210State *s, PCIDevice *dev, Error **errp)
{
    if (s->interrupts != I210_INTERRUPTS_INTX &&
        msi_init(dev, CAP_MSI, 1, true, true, errp)) {
        return false;
    }
    if (s->interrupts != I210_INTERRUPTS_MSIX) {
        return true;
    }
    memory_region_init(&s->msix, OBJECT(s), "i210-msix", MSIX_BAR_SIZE);
    pci_register_bar(dev, BAR_MSIX, PCI_BASE_ADDRESS_SPACE_MEMORY, &s->msix);
    if (msix_init(dev, I210_VECTORS, &s->msix, BAR_MSIX, 0, &s->msix, BAR_MSIX,
                  MSIX_PBA, CAP_MSIX, errp)) {
        return false;
    }
    for (unsigned i = 0; i < I210_VECTORS; i++) {
        msix_vector_use(dev, i);
    }
    return true;
}

static void i210_realize(PCIDevice *dev, Error **errp)
{
    I210State *s = I210(dev);

    s->is_i226 = object_dynamic_cast(OBJECT(dev), TYPE_I226);
    if (s->drift_ppb <= -NANOSECONDS_PER_SECOND) {
        error_setg(errp, "drift-ppb=%d would stop the clock", s->drift_ppb);
        return;
    }
    if (!parse_interrupts(s, errp) || !i210_fault_init(s, errp) ||
        !i210_log_init(s, errp)) {
        return;
    }
    i210_link_init(s);
    i210_event_init(s);
    i210_mmio_init(s);

    pci_config_set_interrupt_pin(dev->config, 1);
    memory_region_init_io(&s->mmio, OBJECT(s), &i210_mmio_ops, s,
                          "i210-registers", I210_BAR0_SIZE);
    pci_register_bar(dev, BAR_REGISTERS, PCI_BASE_ADDRESS_SPACE_MEMORY,
                     &s->mmio);
    if (!add_pm(dev, errp) || !add_messages(s, dev, errp)) {
        return;
    }
    if (!add_express(s, dev)) {
        error_setg(errp, "no room for the PCI Express capability");
        return;
    }
    if (s->is_i226) {
        i210_ptm_init(s);
    }
}

static void i210_exit(PCIDevice *dev)
{
    I210State *s = I210(dev);

    i210_event_cancel_all(s);
    timer_free(s->timer);
    i210_link_reset(s);
    if (msix_present(dev)) {
        msix_uninit(dev, &s->msix, &s->msix);
    }
    msi_uninit(dev);
    if (s->log) {
        fclose(s->log);
    }
}

/* A card that is gone does not answer to anything. */
static uint32_t i210_config_read(PCIDevice *dev, uint32_t addr, int len)
{
    if (I210(dev)->gone) {
        return UINT32_MAX;
    }
    return pci_default_read_config(dev, addr, len);
}

/* In D0? Else registers are out of reach: PCI Power Management, D3hot. */
bool i210_awake(I210State *s)
{
    return !(pci_get_word(PCI_DEVICE(s)->config + CAP_PM + PCI_PM_CTRL) &
             PCI_PM_CTRL_STATE_MASK);
}

static void i210_config_write(PCIDevice *dev, uint32_t addr, uint32_t value,
                              int len)
{
    I210State *s = I210(dev);
    bool was_awake = i210_awake(s);

    if (s->gone) {
        return;
    }
    i210_event_run(s, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL));
    pci_default_write_config(dev, addr, value, len);
    if (!was_awake && i210_awake(s)) {
        i210_reset_port(s);
    }
}

static void i210_reset(DeviceState *dev)
{
    PCIDevice *pci = PCI_DEVICE(dev);

    msi_reset(pci);
    msix_reset(pci);
    i210_reset_card(I210(dev));
}

static Property i210_properties[] = {
    DEFINE_PROP_STRING("interrupts", I210State, interrupts_name),
    DEFINE_PROP_UINT32("read-out-ns", I210State, read_out_ns, 0),
    DEFINE_PROP_UINT32("read-back-ns", I210State, read_back_ns, 0),
    DEFINE_PROP_UINT32("irq-ns", I210State, irq_ns, 0),
    DEFINE_PROP_UINT32("l1-exit-ns", I210State, l1_exit_ns, 0),
    DEFINE_PROP_UINT32("l1-idle-ns", I210State, l1_idle_ns, 0),
    DEFINE_PROP_UINT32("ptm-request-ns", I210State, ptm_request_ns, 0),
    DEFINE_PROP_UINT32("ptm-response-ns", I210State, ptm_response_ns, 0),
    DEFINE_PROP_INT32("drift-ppb", I210State, drift_ppb, 0),
    DEFINE_PROP_STRING("log", I210State, log_path),
    DEFINE_PROP_STRING("fault", I210State, fault_name),
    DEFINE_PROP_UINT32("fault-every", I210State, fault_every, 1),
    DEFINE_PROP_END_OF_LIST(),
};

static const VMStateDescription i210_vmstate = {
    .name = TYPE_I210,
    .unmigratable = 1,
};

static void i210_class_init(ObjectClass *class, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(class);
    PCIDeviceClass *pc = PCI_DEVICE_CLASS(class);

    pc->realize = i210_realize;
    pc->exit = i210_exit;
    pc->config_read = i210_config_read;
    pc->config_write = i210_config_write;
    pc->vendor_id = PCI_VENDOR_ID_INTEL;
    pc->device_id = I210_DEVICE_ID;
    pc->revision = 3;
    pc->class_id = PCI_CLASS_NETWORK_ETHERNET;
    dc->desc = "Intel I210: clock and interrupts, no network";
    dc->reset = i210_reset;
    dc->vmsd = &i210_vmstate;
    device_class_set_props(dc, i210_properties);
    set_bit(DEVICE_CATEGORY_NETWORK, dc->categories);
}

static void i226_class_init(ObjectClass *class, void *data)
{
    PCIDeviceClass *pc = PCI_DEVICE_CLASS(class);

    pc->device_id = I226_DEVICE_ID;
    pc->revision = 4;
    DEVICE_CLASS(class)->desc = "Intel I226: clock and interrupts, no network";
}

static const TypeInfo i210_types[] = {
    {
        .name = TYPE_I210,
        .parent = TYPE_PCI_DEVICE,
        .instance_size = sizeof(I210State),
        .class_init = i210_class_init,
        .interfaces = (InterfaceInfo[]) {
            { INTERFACE_PCIE_DEVICE },
            { },
        },
    },
    {
        .name = TYPE_I226,
        .parent = TYPE_I210,
        .class_init = i226_class_init,
    },
};

DEFINE_TYPES(i210_types)
