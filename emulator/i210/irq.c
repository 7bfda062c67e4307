/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model of the Intel I210: causes of interrupts and their masks.
 *
 * TSICR & TSIM raises ICR.TIME_SYNC when it ceases to be 0. ICR & IMS is the
 * cause "other" of EICR, together with those of the queues. EICR & EIMS sends a
 * message: with GPIE.Multiple_MSIX one for each bit, which is a vector, else
 * one for all.
 */

#include "qemu/osdep.h"
#include "i210.h"

/* Without Multiple_MSIX, who is told is one. */
#define VECTOR_SINGLE 0

static bool multiple_msix(I210State *s)
{
    return *i210_reg(s, I210_GPIE) & GPIE_MULTIPLE_MSIX;
}

/*
 * A message for this vector goes out: DS 8.8.7 for EIAC, which clears causes
 * also when the vector is masked in the MSI-X table, and 8.8.17 for EIAME.
 */
static void vector_assert(I210State *s, unsigned vector)
{
    uint32_t bit = BIT(vector);

    i210_message_assert(s, vector);
    *i210_reg(s, I210_EICR) &= ~(bit & *i210_reg(s, I210_EIAC));
    if (*i210_reg(s, I210_GPIE) & GPIE_EIAME) {
        *i210_reg(s, I210_EIMS) &= ~(bit & *i210_reg(s, I210_EIAM));
    }
}

static uint32_t eicr_unmasked(I210State *s)
{
    return *i210_reg(s, I210_EICR) & *i210_reg(s, I210_EIMS);
}

static void update_multiple(I210State *s, bool other)
{
    uint32_t ivar = *i210_reg(s, I210_IVAR_MISC) >> IVAR_MISC_OTHER_SHIFT;
    uint32_t fresh;

    /* EICR.31 is a bit of the other mode. */
    *i210_reg(s, I210_EICR) &= EICR_MSIX;
    if (other && !s->other && (ivar & IVAR_VALID)) {
        *i210_reg(s, I210_EICR) |= BIT(ivar & IVAR_VECTOR) & EICR_MSIX;
    }
    fresh = eicr_unmasked(s) & ~s->asserted;
    for (unsigned i = 0; i < I210_VECTORS; i++) {
        if (fresh & BIT(i)) {
            vector_assert(s, i);
        }
    }
    s->asserted = eicr_unmasked(s);
}

static void update_single(I210State *s, bool other)
{
    uint32_t *eicr = i210_reg(s, I210_EICR);
    uint32_t unmasked;

    *eicr = (*eicr & ~EICR_OTHER) | (other ? EICR_OTHER : 0);
    unmasked = eicr_unmasked(s);
    if (unmasked && !s->asserted) {
        i210_message_assert(s, VECTOR_SINGLE);
    } else if (!unmasked && s->asserted) {
        i210_message_deassert(s);
    }
    s->asserted = unmasked;
}

/* A message is a request to the memory of the machine: DS 5.2.3.3. */
static bool messages_blocked(I210State *s)
{
    return *i210_reg(s, I210_CTRL) & CTRL_MASTER_DISABLE;
}

void i210_irq_update(I210State *s)
{
    bool other = *i210_reg(s, I210_ICR) & *i210_reg(s, I210_IMS);

    if (messages_blocked(s)) {
        return;
    }
    if (multiple_msix(s)) {
        update_multiple(s, other);
    } else {
        update_single(s, other);
    }
    s->other = other;
}

void i210_irq_raise(I210State *s, uint32_t icr)
{
    *i210_reg(s, I210_ICR) |= icr;
    i210_irq_update(s);
}

/* TSICR or TSIM changed. DS 7.8.4 */
static void time_sync_update(I210State *s)
{
    bool time_sync = *i210_reg(s, I210_TSICR) & *i210_reg(s, I210_TSIM);
    bool raise = time_sync && !s->time_sync;

    s->time_sync = time_sync;
    if (raise) {
        i210_irq_raise(s, ICR_TIME_SYNC);
    }
}

void i210_irq_raise_time_sync(I210State *s, uint32_t tsicr)
{
    *i210_reg(s, I210_TSICR) |= tsicr;
    time_sync_update(s);
}

/* A descriptor of a transmit queue was written back. DS 7.3.3, 8.8.15 */
void i210_irq_raise_tx(I210State *s, unsigned queue)
{
    uint32_t ivar = *i210_reg(s, I210_IVAR(queue / 2)) >>
                    (16 * (queue % 2) + 8);

    if (ivar & IVAR_VALID) {
        *i210_reg(s, I210_EICR) |= BIT(ivar & IVAR_VECTOR);
    }
    i210_irq_raise(s, multiple_msix(s) ? 0 : ICR_TXDW);
}

void i210_irq_reset(I210State *s)
{
    if (s->asserted && !multiple_msix(s)) {
        i210_message_deassert(s);
    }
    s->time_sync = false;
    s->other = false;
    s->asserted = 0;
}

/* Is ICR.INTA set: would this cause send a message? */
static bool icr_asserted(I210State *s)
{
    return *i210_reg(s, I210_ICR) & *i210_reg(s, I210_IMS);
}

/*
 * A read or write of ICR also masks what IAM says. Without NSICR both happen
 * only when an interrupt was asserted (DS 8.8.17; igb_main.c:igb_intr()).
 */
static void icr_auto_mask(I210State *s)
{
    if ((*i210_reg(s, I210_GPIE) & GPIE_NSICR) || icr_asserted(s)) {
        *i210_reg(s, I210_IMS) &= ~*i210_reg(s, I210_IAM);
    }
}

static uint32_t icr_read(I210State *s, uint32_t addr)
{
    uint32_t *icr = i210_reg(s, addr);
    uint32_t value = *icr | (icr_asserted(s) ? ICR_INTA : 0);
    bool clears = (*i210_reg(s, I210_GPIE) & GPIE_NSICR) || icr_asserted(s) ||
                  !*i210_reg(s, I210_IMS);

    icr_auto_mask(s);
    if (clears) {
        *icr = 0;
    }
    i210_irq_update(s);
    return value;
}

static void icr_write(I210State *s, uint32_t addr, uint32_t value)
{
    icr_auto_mask(s);
    *i210_reg(s, addr) &= ~value;
    i210_irq_update(s);
}

static void ics_write(I210State *s, uint32_t addr, uint32_t value)
{
    i210_irq_raise(s, value & ~ICR_INTA);
}

static void ims_write(I210State *s, uint32_t addr, uint32_t value)
{
    *i210_reg(s, I210_IMS) |= value;
    i210_irq_update(s);
}

static void imc_write(I210State *s, uint32_t addr, uint32_t value)
{
    *i210_reg(s, I210_IMS) &= ~value;
    i210_irq_update(s);
}

/* Write-only registers read as 0. */
static uint32_t zero_read(I210State *s, uint32_t addr)
{
    return 0;
}

/* DS 8.8.3: reading clears only without Multiple_MSIX. 8.8.8: EIAM masks. */
static uint32_t eicr_read(I210State *s, uint32_t addr)
{
    uint32_t value = *i210_reg(s, addr);

    if (!multiple_msix(s)) {
        *i210_reg(s, addr) = 0;
        *i210_reg(s, I210_EIMS) &= ~(value & *i210_reg(s, I210_EIAM));
        i210_irq_update(s);
    }
    return value;
}

static void eicr_write(I210State *s, uint32_t addr, uint32_t value)
{
    *i210_reg(s, addr) &= ~value;
    *i210_reg(s, I210_EIMS) &= ~(value & *i210_reg(s, I210_EIAM));
    i210_irq_update(s);
}

/* DS 8.8.4: not for the other causes; 8.8.8: also unmasks what EIAM says. */
static void eics_write(I210State *s, uint32_t addr, uint32_t value)
{
    *i210_reg(s, I210_EICR) |= value & ~EICR_OTHER;
    *i210_reg(s, I210_EIMS) |= value & *i210_reg(s, I210_EIAM);
    i210_irq_update(s);
}

static void eims_write(I210State *s, uint32_t addr, uint32_t value)
{
    *i210_reg(s, I210_EIMS) |= value;
    i210_irq_update(s);
}

static void eimc_write(I210State *s, uint32_t addr, uint32_t value)
{
    *i210_reg(s, I210_EIMS) &= ~value;
    i210_irq_update(s);
}

/* Read or write 1 to clear: DS 8.16.1, igb_main.c:igb_tsync_interrupt() */
static uint32_t tsicr_read(I210State *s, uint32_t addr)
{
    uint32_t value = *i210_reg(s, addr);

    i210_log(s, "ack", i210_clock_ns(s), "tsicr 0x%02x read", value);
    *i210_reg(s, addr) = 0;
    time_sync_update(s);
    return value;
}

static void tsicr_write(I210State *s, uint32_t addr, uint32_t value)
{
    i210_log(s, "ack", i210_clock_ns(s), "tsicr 0x%02x written", value);
    *i210_reg(s, addr) &= ~value;
    time_sync_update(s);
}

static void tsim_write(I210State *s, uint32_t addr, uint32_t value)
{
    *i210_reg(s, addr) = value;
    time_sync_update(s);
}

static void gpie_write(I210State *s, uint32_t addr, uint32_t value)
{
    *i210_reg(s, addr) = value;
    i210_irq_update(s);
}

const I210Reg i210_irq_regs[] = {
    { I210_ICR, icr_read, icr_write },
    { I210_ICS, zero_read, ics_write },
    { I210_IMS, NULL, ims_write },
    { I210_IMC, zero_read, imc_write },
    { I210_GPIE, NULL, gpie_write },
    { I210_EICR, eicr_read, eicr_write },
    { I210_EICS, zero_read, eics_write },
    { I210_EIMS, NULL, eims_write },
    { I210_EIMC, zero_read, eimc_write },
    { I210_TSICR, tsicr_read, tsicr_write },
    { I210_TSIM, NULL, tsim_write },
    { }
};
