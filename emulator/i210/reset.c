/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model of the Intel I210: CTRL, STATUS, and what a reset does.
 *
 * CTRL.RST clears itself and resets all of the port with its clock, except for
 * the PHY, the semaphores and PCI (DS 4.3). Until it is done, writes are lost.
 */

#include "qemu/osdep.h"
#include "i210.h"

/* Assumed; igb allows 10 ms and more: e1000_mac.c:igb_get_auto_rd_done() */
#define RESET_NS (1 * SCALE_MS)

/* More than what a latency could be taken for */
#define THROTTLE_US 2000

static uint32_t mac_word(I210State *s, unsigned word)
{
    return i210_nvm_word(s, 2 * word) |
           (uint32_t)i210_nvm_word(s, 2 * word + 1) << 16;
}

static void reset_regs(I210State *s)
{
    uint32_t swsm = *i210_reg(s, I210_SWSM);
    uint32_t sw_fw_sync = *i210_reg(s, I210_SW_FW_SYNC);

    memset(s->regs, 0, sizeof(s->regs));
    *i210_reg(s, I210_SWSM) = swsm;
    *i210_reg(s, I210_SW_FW_SYNC) = sw_fw_sync;

    *i210_reg(s, I210_CTRL) = CTRL_FD;
    *i210_reg(s, I210_RXPBS) = RXPBS_DEFAULT;
    *i210_reg(s, I210_TXPBS) = TXPBS_DEFAULT;
    /* The own address comes from the first three words of the NVM. */
    *i210_reg(s, I210_RAL0) = mac_word(s, 0);
    *i210_reg(s, I210_RAH0) = RAH_AV | (mac_word(s, 1) & 0xffff);
    /* igb in MSI and INTx mode never sets it: igb_main.c:igb_irq_enable() */
    *i210_reg(s, I210_EIMS) = EICR_OTHER;
    /* igb starts the clock by clearing it: igb_ptp.c:igb_ptp_reset() */
    *i210_reg(s, I210_TSAUXC) = TSAUXC_DISABLE;
    if (s->is_i226) {
        *i210_reg(s, I226_PHPM) = PHPM_RST_COMP;
    }

    s->no_auto_read = false;
    s->no_master_disable = false;
}

/* What a reset leaves differently when something is wrong with the card. */
static void reset_faults(I210State *s)
{
    s->no_auto_read = i210_fault_hits(s, I210_FAULT_NO_AUTO_READ, "reset");
    if (i210_fault_hits(s, I210_FAULT_THROTTLE, "reset")) {
        *i210_reg(s, I210_EITR(0)) = THROTTLE_US << EITR_INTERVAL_SHIFT;
    }
}

void i210_reset_port(I210State *s)
{
    i210_log(s, "reset", i210_clock_ns(s), "begins");
    i210_irq_reset(s);
    reset_regs(s);
    reset_faults(s);
    i210_clock_reset(s);
    memset(s->signal, 0, sizeof(s->signal));
    i210_clock_changed(s);
    i210_event_set(s, I210_EVENT_TWICE, I210_NEVER);
    i210_ptm_reset(s);

    s->resetting = true;
    i210_event_set(s, I210_EVENT_RESET_DONE,
                   i210_fault_hits(s, I210_FAULT_NO_RESET, "reset") ?
                   I210_NEVER : s->now + RESET_NS);
}

void i210_reset_done(I210State *s)
{
    s->resetting = false;
    i210_log(s, "reset", i210_clock_ns(s), "done");
}

/* Power on */
void i210_reset_card(I210State *s)
{
    i210_event_cancel_all(s);
    s->now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    i210_link_reset(s);
    memset(s->regs, 0, sizeof(s->regs));
    i210_phy_reset(s);
    i210_irq_reset(s);
    pci_set_irq(PCI_DEVICE(s), 0);
    reset_regs(s);
    i210_clock_reset(s);
    memset(s->signal, 0, sizeof(s->signal));
    i210_ptm_reset(s);
    s->fault_count = 0;
    s->gone = false;
    s->resetting = false;
}

static void ctrl_write(I210State *s, uint32_t addr, uint32_t value)
{
    uint32_t *ctrl = i210_reg(s, addr);

    if (value & (CTRL_RST | CTRL_DEV_RST)) {
        i210_reset_port(s);
        return;
    }
    if (s->resetting) {
        return;
    }
    if (value & ~*ctrl & CTRL_PHY_RST) {
        i210_phy_reset(s);
    }
    if (value & ~*ctrl & CTRL_MASTER_DISABLE) {
        s->no_master_disable =
            i210_fault_hits(s, I210_FAULT_NO_MASTER_DISABLE, "ctrl");
    }
    *ctrl = value;
    i210_irq_update(s);
}

/*
 * No request is ever pending, so that master disable is granted at once, or never
 * where it is to fail.
 */
static uint32_t status_read(I210State *s, uint32_t addr)
{
    uint32_t value = STATUS_FD | STATUS_SPEED_1000;

    if (i210_phy_link(s)) {
        value |= STATUS_LU;
    }
    if (!(*i210_reg(s, I210_CTRL) & CTRL_MASTER_DISABLE) || s->no_master_disable) {
        value |= STATUS_MASTER_ENABLE;
    }
    if (!s->resetting) {
        value |= STATUS_PF_RST_DONE;
    }
    return value;
}

const I210Reg i210_reset_regs[] = {
    { I210_CTRL, NULL, ctrl_write },
    { I210_STATUS, status_read, NULL },
    { }
};
