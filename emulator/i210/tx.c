/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model of the Intel I210: transmission. No cable is plugged in anywhere, so a
 * packet is gone as soon as its descriptors are written; but they are written
 * back, without which igb takes the card for hung and resets it.
 */

#include "qemu/osdep.h"
#include "i210.h"

/* Advanced and legacy descriptors agree in this: igb e1000_82575.h */
typedef struct TxDescriptor {
    uint64_t buffer;
    uint32_t command;
    uint32_t status;
} TxDescriptor;

static bool tx_enabled(I210State *s, unsigned queue)
{
    return (*i210_reg(s, I210_TCTL) & TCTL_EN) &&
           (*i210_reg(s, I210_TXDCTL(queue)) & TXDCTL_ENABLE) &&
           !(*i210_reg(s, I210_CTRL) & CTRL_MASTER_DISABLE);
}

/* Take a descriptor. True if it wanted to be written back. */
static bool tx_complete(I210State *s, dma_addr_t addr)
{
    PCIDevice *dev = PCI_DEVICE(s);
    TxDescriptor descriptor;

    if (pci_dma_read(dev, addr, &descriptor, sizeof(descriptor)) != MEMTX_OK ||
        !(le32_to_cpu(descriptor.command) & TXD_CMD_RS)) {
        return false;
    }
    descriptor.status |= cpu_to_le32(TXD_STAT_DD);
    pci_dma_write(dev, addr + offsetof(TxDescriptor, status),
                  &descriptor.status, sizeof(descriptor.status));
    return true;
}

static void tx_run(I210State *s, unsigned queue)
{
    dma_addr_t base = *i210_reg(s, I210_TDBAL(queue)) |
                      (dma_addr_t)*i210_reg(s, I210_TDBAH(queue)) << 32;
    uint32_t count = *i210_reg(s, I210_TDLEN(queue)) / sizeof(TxDescriptor);
    uint32_t *head = i210_reg(s, I210_TDH(queue));
    uint32_t tail = *i210_reg(s, I210_TDT(queue));
    bool written = false;

    if (!tx_enabled(s, queue) || *head >= count || tail >= count) {
        return;
    }
    while (*head != tail) {
        written |= tx_complete(s, base + *head * sizeof(TxDescriptor));
        *head = (*head + 1) % count;
    }
    if (written) {
        i210_irq_raise_tx(s, queue);
    }
}

static void tdt_write(I210State *s, uint32_t addr, uint32_t value)
{
    *i210_reg(s, addr) = value;
    tx_run(s, (addr - I210_TDT(0)) / (I210_TDT(1) - I210_TDT(0)));
}

const I210Reg i210_tx_regs[] = {
    { I210_TDT(0), NULL, tdt_write },
    { I210_TDT(1), NULL, tdt_write },
    { I210_TDT(2), NULL, tdt_write },
    { I210_TDT(3), NULL, tdt_write },
    { }
};
