/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A root port for the models of the cards: that of QEMU, which on demand answers to
 * PTM, as PCIe 6.0, section 7.9.15 has its capability, and whose link may go to L1.
 */

#include "qemu/osdep.h"
#include "hw/pci/pci.h"
#include "hw/pci/pci_bridge.h"
#include "hw/pci/pcie.h"
#include "hw/pci/pcie_port.h"
#include "hw/qdev-properties.h"
#include "qom/object.h"
#include "i210.h"

#define TYPE_CARD_ROOT_PORT "card-root-port"
OBJECT_DECLARE_TYPE(CardRootPort, CardRootPortClass, CARD_ROOT_PORT)

/* Behind the capabilities of QEMU's */
#define CAP_OFFSET 0x200
#define CAP_SIZE 0xc
#define CAP_RESPONDER (1U << 1)

/* That of its clock, in ns */
#define GRANULARITY_SHIFT 8

/* QEMU keeps to itself what its own one has; this is more than that. */
#define PARENT_SIZE (2 * sizeof(PCIESlot))

struct CardRootPort {
    union {
        PCIDevice dev;
        char parent[PARENT_SIZE];
    };
    bool ptm;
};

struct CardRootPortClass {
    PCIERootPortClass parent_class;
    DeviceRealize parent_realize;
};

static void add_ptm(PCIDevice *dev)
{
    pcie_add_capability(dev, PCI_EXT_CAP_ID_PTM, 1, CAP_OFFSET, CAP_SIZE);
    pci_set_long(dev->config + CAP_OFFSET + PCI_PTM_CAP,
                 CAP_RESPONDER | PCI_PTM_CAP_ROOT | 1 << GRANULARITY_SHIFT);
    pci_set_long(dev->wmask + CAP_OFFSET + PCI_PTM_CTRL,
                 PCI_PTM_CTRL_ENABLE | PCI_PTM_CTRL_ROOT | PCI_PTM_GRANULARITY_MASK);
}

static void root_port_realize(DeviceState *qdev, Error **errp)
{
    ERRP_GUARD();
    PCIDevice *dev = PCI_DEVICE(qdev);

    g_assert(object_type_get_instance_size("pcie-root-port") <= PARENT_SIZE);
    CARD_ROOT_PORT_GET_CLASS(qdev)->parent_realize(qdev, errp);
    if (*errp) {
        return;
    }
    pci_long_test_and_set_mask(dev->config + dev->exp.exp_cap + PCI_EXP_LNKCAP,
                               PCI_EXP_LNKCAP_ASPM_L1);
    pci_word_test_and_set_mask(dev->wmask + dev->exp.exp_cap + PCI_EXP_LNKCTL,
                               PCI_EXP_LNKCTL_ASPMC);
    /* As firmware leaves it */
    pci_word_test_and_set_mask(dev->config + dev->exp.exp_cap + PCI_EXP_LNKCTL,
                               PCI_EXP_LNKCTL_ASPM_L1);
    if (CARD_ROOT_PORT(qdev)->ptm) {
        add_ptm(dev);
    }
}

static Property root_port_properties[] = {
    DEFINE_PROP_BOOL("ptm", CardRootPort, ptm, false),
    DEFINE_PROP_END_OF_LIST(),
};

static void root_port_class_init(ObjectClass *class, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(class);
    CardRootPortClass *own = (CardRootPortClass *)class;

    dc->desc = "Root port whose link knows L1, and PTM";
    device_class_set_parent_realize(dc, root_port_realize, &own->parent_realize);
    device_class_set_props(dc, root_port_properties);
}

static const TypeInfo root_port_types[] = {
    {
        .name = TYPE_CARD_ROOT_PORT,
        .parent = "pcie-root-port",
        .instance_size = sizeof(CardRootPort),
        .class_size = sizeof(CardRootPortClass),
        .class_init = root_port_class_init,
    },
};

DEFINE_TYPES(root_port_types)
