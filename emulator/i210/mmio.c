/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model of the Intel I210: which register an address means. What no file of the
 * model has a function for is a plain store.
 */

#include "qemu/osdep.h"
#include "i210.h"

static const I210Reg *const all_regs[] = {
    i210_reset_regs,
    i210_nvm_regs,
    i210_phy_regs,
    i210_irq_regs,
    i210_tx_regs,
    i210_clock_regs,
    i210_target_regs,
    i210_sdp_regs,
    i210_ptm_regs,
};

/* Addresses that older controllers had, which igb uses: igb e1000_regs.h */
static uint32_t canonical(uint32_t addr)
{
    if (addr >= 0x03800 && addr < 0x03c00) {
        return I210_TDBAL((addr - 0x03800) / 0x100) + (addr & 0x3c);
    }
    switch (addr) {
    case 0x00010:
        return I210_EEC;
    case 0x00014:
        return I210_EERD;
    case 0x000c0:
        return I210_ICR;
    case 0x000c8:
        return I210_ICS;
    case 0x000d0:
        return I210_IMS;
    case 0x000d8:
        return I210_IMC;
    case 0x000e0:
        return I210_IAM;
    default:
        return addr;
    }
}

void i210_mmio_init(I210State *s)
{
    for (unsigned i = 0; i < ARRAY_SIZE(all_regs); i++) {
        for (const I210Reg *reg = all_regs[i]; reg->read || reg->write; reg++) {
            s->map[reg->addr / 4] = reg;
        }
    }
}

/* A read arrives at the card. */
uint32_t i210_mmio_load(I210State *s, uint32_t addr)
{
    const I210Reg *reg;

    if (s->gone) {
        return UINT32_MAX;
    }
    addr = canonical(addr);
    reg = s->map[addr / 4];
    return reg && reg->read ? reg->read(s, addr) : *i210_reg(s, addr);
}

/* A write arrives at the card. */
void i210_mmio_store(I210State *s, uint32_t addr, uint32_t value)
{
    const I210Reg *reg;

    if (s->gone || (s->resetting && addr != I210_CTRL)) {
        return;
    }
    addr = canonical(addr);
    reg = s->map[addr / 4];
    if (!reg) {
        *i210_reg(s, addr) = value;
    } else if (reg->write) {
        reg->write(s, addr, value);
    }
}

static uint64_t mmio_read(void *opaque, hwaddr addr, unsigned size)
{
    return i210_awake(opaque) ? i210_link_read(opaque, addr) : UINT32_MAX;
}

static void mmio_write(void *opaque, hwaddr addr, uint64_t value, unsigned size)
{
    if (i210_awake(opaque)) {
        i210_link_write(opaque, addr, value);
    }
}

const MemoryRegionOps i210_mmio_ops = {
    .read = mmio_read,
    .write = mmio_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = {
        .min_access_size = 4,
        .max_access_size = 4,
    },
};
