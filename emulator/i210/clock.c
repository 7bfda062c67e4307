/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model of the Intel I210: its clock, SYSTIM.
 *
 * An oscillator that drift-ppb makes fast or slow against virtual time gives a
 * cycle of 8 ns; in each the clock advances by 8 ns, and by a little more or
 * less as TIMINCA says (DS 8.15.11). The clock so has steps of 8 ns.
 *
 * The cycle of the I226 is 3.2 ns: that follows from how igc converts a rate to
 * TIMINCA (igc_ptp.c:igc_ptp_adjfine_i225()), beside how igb does. Reading SYSTIML
 * latches its clock (igc_ptp_read()).
 */

#include "qemu/osdep.h"
#include "i210.h"

/* In tenths of a ns */
#define I210_CYCLE 80
#define I226_CYCLE 32
#define FRACTION_BITS 32

static I210Time from_ns(uint64_t ns)
{
    return (I210Time)ns << FRACTION_BITS;
}

static unsigned clock_cycle(I210State *s)
{
    return s->is_i226 ? I226_CYCLE : I210_CYCLE;
}

/* By how much the clock advances in a cycle. */
static I210Time clock_step(I210State *s)
{
    uint32_t timinca = *i210_reg(s, I210_TIMINCA);
    I210Time value = timinca & TIMINCA_VALUE;

    return from_ns(clock_cycle(s)) / 10 + (timinca & TIMINCA_SUBTRACT ? -value : value);
}

/* Cycles of the oscillator in as many s of virtual time as one has ns. */
static uint64_t clock_frequency(I210State *s)
{
    return NANOSECONDS_PER_SECOND + s->drift_ppb;
}

static bool clock_stopped(I210State *s)
{
    return *i210_reg(s, I210_TSAUXC) & TSAUXC_DISABLE;
}

static I210Time clock_time(I210State *s)
{
    I210Time elapsed = s->now - s->clock_set;

    if (clock_stopped(s)) {
        return s->clock_base;
    }
    return s->clock_base + elapsed * clock_frequency(s) /
           (clock_cycle(s) * (I210Time)NANOSECONDS_PER_SECOND / 10) *
           clock_step(s);
}

uint64_t i210_clock_ns(I210State *s)
{
    return clock_time(s) >> FRACTION_BITS;
}

/* The virtual time at which the clock is no longer before ns, or never. */
int64_t i210_clock_reaches(I210State *s, uint64_t ns)
{
    I210Time cycles, elapsed;

    if (from_ns(ns) <= clock_time(s)) {
        return s->now;
    }
    if (clock_stopped(s)) {
        return I210_NEVER;
    }
    cycles = DIV_ROUND_UP(from_ns(ns) - s->clock_base, clock_step(s));
    elapsed = DIV_ROUND_UP(cycles * clock_cycle(s) * NANOSECONDS_PER_SECOND / 10,
                           clock_frequency(s));
    return elapsed > I210_NEVER - s->clock_set ? I210_NEVER :
                                                 s->clock_set + elapsed;
}

static void clock_schedule_wrap(I210State *s)
{
    uint64_t second = i210_clock_ns(s) / NANOSECONDS_PER_SECOND + 1;

    i210_event_set(s, I210_EVENT_WRAP,
                   i210_clock_reaches(s, second * NANOSECONDS_PER_SECOND));
}

/* A second is full; TSICR says so whether it is asked for or not. */
void i210_clock_wraps(I210State *s)
{
    i210_irq_raise_time_sync(s, TSICR_SYS_WRAP);
    clock_schedule_wrap(s);
}

/* From now on the clock goes on from this value. */
static void clock_rebase(I210State *s, I210Time time)
{
    s->clock_base = time;
    s->clock_set = s->now;
}

/* All that waits for a time of the clock is affected. */
void i210_clock_changed(I210State *s)
{
    clock_schedule_wrap(s);
    for (unsigned i = 0; i < I210_CHANNELS; i++) {
        i210_target_schedule(s, i);
        i210_sdp_schedule(s, i);
    }
}

/* It stops at the time that it has, or goes on from there. */
void i210_clock_stop(I210State *s, bool stop)
{
    uint32_t *tsauxc = i210_reg(s, I210_TSAUXC);

    clock_rebase(s, clock_time(s));
    *tsauxc = deposit32(*tsauxc, TSAUXC_DISABLE_SHIFT, 1, stop);
    i210_log(s, stop ? "stop" : "start", i210_clock_ns(s), "systim");
    i210_clock_changed(s);
}

void i210_clock_reset(I210State *s)
{
    clock_rebase(s, 0);
    s->latched = 0;
}

static void latch(I210State *s)
{
    s->latched = clock_time(s);
    i210_log(s, "latch", s->latched >> FRACTION_BITS,
             "read %" PRId64 " to %" PRId64, s->read_start, s->read_end);
}

/*
 * Reading the lowest register latches all three: igb_ptp.c:igb_ptp_read_i210().
 */
static uint32_t systimr_read(I210State *s, uint32_t addr)
{
    if (!s->is_i226) {
        latch(s);
    }
    return s->latched;
}

static uint32_t systiml_read(I210State *s, uint32_t addr)
{
    if (s->is_i226) {
        latch(s);
    }
    return (uint64_t)(s->latched >> FRACTION_BITS) % NANOSECONDS_PER_SECOND;
}

static uint32_t systimh_read(I210State *s, uint32_t addr)
{
    return (uint64_t)(s->latched >> FRACTION_BITS) / NANOSECONDS_PER_SECOND;
}

static void systiml_write(I210State *s, uint32_t addr, uint32_t value)
{
    *i210_reg(s, addr) = value;
}

/* SYSTIML is written before SYSTIMH, DS 7.8.3.2; the second sets both. */
static void systimh_write(I210State *s, uint32_t addr, uint32_t value)
{
    uint64_t ns = value * (uint64_t)NANOSECONDS_PER_SECOND +
                  *i210_reg(s, I210_SYSTIML);

    clock_rebase(s, from_ns(ns));
    i210_log(s, "set", ns, "systim");
    i210_clock_changed(s);
}

static void timinca_write(I210State *s, uint32_t addr, uint32_t value)
{
    clock_rebase(s, clock_time(s));
    *i210_reg(s, addr) = value;
    i210_log(s, "rate", i210_clock_ns(s), "timinca 0x%08x", value);
    i210_clock_changed(s);
}

const I210Reg i210_clock_regs[] = {
    { I210_SYSTIMR, systimr_read, NULL },
    { I210_SYSTIML, systiml_read, systiml_write },
    { I210_SYSTIMH, systimh_read, systimh_write },
    { I210_TIMINCA, NULL, timinca_write },
    { }
};
