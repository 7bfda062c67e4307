/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model of the Intel I226: Precision Time Measurement, a dialog with the root port that
 * tells a time of the card and one of the platform. PCIe 6.0, section 6.21; the
 * registers are those of igc igc_regs.h, used as in igc_ptp.c.
 *
 * The card sends a request at T1 of its clock. It arrives at the root port at T2, the
 * answer leaves there at T3 and is here at T4. The answer has T2, and how long T3 was
 * after the T2 before it: so the first answer has no data. The platform counts virtual
 * time in ns.
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "hw/pci/pci.h"
#include "hw/pci/pcie.h"
#include "i210.h"

/* The first extended capability is there. */
#define CAP_OFFSET PCI_CONFIG_SPACE_SIZE
#define CAP_SIZE 0xc

/* How long the root port thinks about a request: assumed. */
#define THINKS_NS 300

/* By how much the root port may be wrong: more than a read of the card takes. */
#define WRONG_NS SCALE_MS

/* The unit of how long the card waits for an answer: assumed. */
#define TIMEOUT_UNIT_NS 1000

void i210_ptm_init(I210State *s)
{
    PCIDevice *dev = PCI_DEVICE(s);

    pcie_add_capability(dev, PCI_EXT_CAP_ID_PTM, 1, CAP_OFFSET, CAP_SIZE);
    pci_set_long(dev->config + CAP_OFFSET + PCI_PTM_CAP, PCI_PTM_CAP_REQ);
    pci_set_long(dev->wmask + CAP_OFFSET + PCI_PTM_CTRL,
                 PCI_PTM_CTRL_ENABLE | PCI_PTM_GRANULARITY_MASK);
}

static bool has_root(I210State *s)
{
    PCIDevice *dev = PCI_DEVICE(s);

    return pci_get_long(dev->config + CAP_OFFSET + PCI_PTM_CTRL) & PCI_PTM_CTRL_ENABLE;
}

void i210_ptm_reset(I210State *s)
{
    s->ptm_phase = I210_PTM_NONE;
    s->ptm_thought = false;
    i210_event_set(s, I210_EVENT_PTM, I210_NEVER);
}

static void say(I210State *s, uint32_t status)
{
    *i210_reg(s, I226_PTM_STAT) |= status;
    s->ptm_phase = I210_PTM_NONE;
}

/* The request leaves, at a time that an exit of the link from L1 may have delayed. */
static void send_request(I210State *s)
{
    uint32_t timeout = extract32(*i210_reg(s, I226_PTM_CTRL), PTM_CTRL_TO_SHIFT,
                                 PTM_CTRL_TO_LENGTH);

    s->ptm_t1 = i210_clock_ns(s);
    s->ptm_t2 = s->now + s->ptm_request_ns;
    if (i210_fault_hits(s, I210_FAULT_PTM_WRONG, "request")) {
        s->ptm_t2 += WRONG_NS;
    }
    i210_log(s, "ptm", s->ptm_t1, "root port at %" PRId64, s->ptm_t2);
    if (!has_root(s) || i210_fault_hits(s, I210_FAULT_PTM_NEVER, "request")) {
        s->ptm_phase = I210_PTM_LOST;
        i210_event_set(s, I210_EVENT_PTM, s->now + timeout * TIMEOUT_UNIT_NS);
    } else {
        s->ptm_phase = I210_PTM_ANSWERED;
        i210_event_set(s, I210_EVENT_PTM,
                       s->ptm_t2 + THINKS_NS + s->ptm_response_ns);
    }
}

static void take_answer(I210State *s)
{
    uint32_t *thought = i210_reg(s, I226_PTM_PREV_T3M2);

    *i210_reg(s, I226_PTM_PREV_T4M1) = *i210_reg(s, I226_PTM_CURR_T4M1);
    *i210_reg(s, I226_PTM_CURR_T4M1) = i210_clock_ns(s) - s->ptm_t1;
    *thought = s->ptm_thought ? THINKS_NS : 0;
    if (!s->ptm_thought) {
        s->ptm_thought = true;
        say(s, PTM_STAT_BAD_RES);
        return;
    }
    *i210_reg(s, I226_PTM_T1_L) = s->ptm_t1 % NANOSECONDS_PER_SECOND;
    *i210_reg(s, I226_PTM_T1_H) = s->ptm_t1 / NANOSECONDS_PER_SECOND;
    *i210_reg(s, I226_PTM_CURR_T2_L) = s->ptm_t2;
    /* As igc finds it. */
    *i210_reg(s, I226_PTM_CURR_T2_H) = bswap32(s->ptm_t2 >> 32);
    say(s, PTM_STAT_VALID);
}

void i210_ptm_event(I210State *s)
{
    switch (s->ptm_phase) {
    case I210_PTM_WAITS:
        send_request(s);
        break;
    case I210_PTM_ANSWERED:
        take_answer(s);
        break;
    case I210_PTM_LOST:
        say(s, PTM_STAT_RET_ERR);
        break;
    case I210_PTM_NONE:
        break;
    }
}

static void ctrl_write(I210State *s, uint32_t addr, uint32_t value)
{
    bool begins = value & ~*i210_reg(s, addr) & PTM_CTRL_TRIG;

    *i210_reg(s, addr) = value;
    if (s->is_i226 && begins && (value & PTM_CTRL_EN) && s->ptm_phase == I210_PTM_NONE) {
        s->ptm_phase = I210_PTM_WAITS;
        i210_event_set(s, I210_EVENT_PTM, i210_link_wake(s));
    }
}

/* Written as 1, a bit is cleared. */
static void stat_write(I210State *s, uint32_t addr, uint32_t value)
{
    *i210_reg(s, addr) &= ~value;
}

const I210Reg i210_ptm_regs[] = {
    { I226_PTM_CTRL, NULL, ctrl_write },
    { I226_PTM_STAT, NULL, stat_write },
    { }
};
