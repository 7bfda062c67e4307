/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model of the Intel I210: the PHY, as far as igb wants to find one. Its link
 * is up with 1000 Mb/s, full duplex, whenever it is powered, without
 * negotiation.
 */

#include "qemu/osdep.h"
#include "i210.h"

/* igb e1000_defines.h: PHY_*, M88E1000_PHY_SPEC_STATUS, I347AT4_PAGE_SELECT */
#define PHY_CONTROL             0
#define   CONTROL_FULL_DUPLEX   BIT(8)
#define   CONTROL_RESTART       BIT(9)
#define   CONTROL_POWER_DOWN    BIT(11)
#define   CONTROL_AUTONEG       BIT(12)
#define   CONTROL_RESET         BIT(15)
#define   CONTROL_SPEED_1000    BIT(6)
#define PHY_STATUS              1
#define   STATUS_LINK           BIT(2)
#define   STATUS_AUTONEG_DONE   BIT(5)
/* IEEE 802.3 22.2.4.2: 10 and 100 Mb/s, register 15, autonegotiation */
#define   STATUS_ABILITIES      0x7949
#define PHY_ID1                 2
#define PHY_ID2                 3
#define PHY_PAGE_SELECT         22

/* igc igc_defines.h: I225_I_PHY_ID */
#define I225_PHY_ID1            0x67c9
#define I225_PHY_ID2            0xdc00

/* Page 0, as it is found after a reset. */
static const uint16_t defaults[I210_PHY_REGS] = {
    [PHY_CONTROL] = CONTROL_AUTONEG | CONTROL_FULL_DUPLEX | CONTROL_SPEED_1000,
    [PHY_STATUS] = STATUS_ABILITIES,
    [PHY_ID1] = 0x0141,         /* I210_I_PHY_ID */
    [PHY_ID2] = 0x0c00,
    [4] = 0x0de1,               /* advertised: 10, 100, pause */
    [5] = 0xcde1,               /* the partner: the same, acknowledged */
    [9] = 0x0300,               /* advertised: 1000 */
    [10] = 0x3800,              /* both receivers fine; the partner: 1000 */
    [15] = 0x3000,              /* able: 1000BASE-T */
    [17] = 0xac00,              /* resolved: 1000, full duplex, link */
};

bool i210_phy_link(I210State *s)
{
    return !(s->phy[0][PHY_CONTROL] & CONTROL_POWER_DOWN);
}

void i210_phy_reset(I210State *s)
{
    bool had_link = i210_phy_link(s);

    memset(s->phy, 0, sizeof(s->phy));
    memcpy(s->phy[0], defaults, sizeof(defaults));
    if (s->is_i226) {
        s->phy[0][PHY_ID1] = I225_PHY_ID1;
        s->phy[0][PHY_ID2] = I225_PHY_ID2;
    }
    if (!had_link) {
        i210_irq_raise(s, ICR_LSC);
    }
}

/* The page, or NULL for one that the model does not have. */
static uint16_t *phy_page(I210State *s, unsigned reg)
{
    unsigned page = reg == PHY_PAGE_SELECT ? 0 : s->phy[0][PHY_PAGE_SELECT];

    return page < I210_PHY_PAGES ? s->phy[page] : NULL;
}

static uint16_t phy_read(I210State *s, unsigned reg)
{
    uint16_t *page = phy_page(s, reg);

    if (!page) {
        return 0;
    }
    if (page == s->phy[0] && reg == PHY_STATUS && i210_phy_link(s)) {
        return page[reg] | STATUS_LINK | STATUS_AUTONEG_DONE;
    }
    return page[reg];
}

static void control_write(I210State *s, uint16_t value)
{
    bool had_link = i210_phy_link(s);

    s->phy[0][PHY_CONTROL] = value & ~(CONTROL_RESET | CONTROL_RESTART);
    if (i210_phy_link(s) != had_link) {
        i210_irq_raise(s, ICR_LSC);
    }
}

static void phy_write(I210State *s, unsigned reg, uint16_t value)
{
    uint16_t *page = phy_page(s, reg);

    if (!page) {
        return;
    }
    if (page == s->phy[0] && reg == PHY_CONTROL) {
        control_write(s, value);
    } else if (page != s->phy[0] || reg < PHY_STATUS || reg > PHY_ID2) {
        page[reg] = value;
    }
}

/* Done at once; a real one takes up to 64 us, DS 3.7.2.2. */
static void mdic_write(I210State *s, uint32_t addr, uint32_t value)
{
    unsigned reg = extract32(value, MDIC_REG_SHIFT, MDIC_REG_LENGTH);

    if (value & MDIC_OP_READ) {
        value = (value & ~MDIC_DATA) | phy_read(s, reg);
    } else if (value & MDIC_OP_WRITE) {
        phy_write(s, reg, value & MDIC_DATA);
    }
    *i210_reg(s, addr) = value | MDIC_READY;
}

const I210Reg i210_phy_regs[] = {
    { I210_MDIC, NULL, mdic_write },
    { }
};
