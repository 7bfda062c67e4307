/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model of the Intel I210: the pins that its clock drives, and those that it
 * stamps. SDP0 is wired to SDP1 and SDP2 to SDP3, so that one can be observed
 * through the other.
 *
 * TSSDP selects one of four signals for an output: target time 0 or 1, which
 * changes the level, and clock 0 or 1 (igb e1000_defines.h, TS_SDP0_SEL_*).
 */

#include "qemu/osdep.h"
#include "i210.h"

/*
 * Half a period of a clock output, as FREQOUT has it, below which the clock is
 * left out: it would keep the emulator busy.
 */
#define OUTPUT_MIN_NS 1000

static bool pin_is_output(I210State *s, unsigned pin)
{
    static const uint32_t direction[I210_PINS] = {
        CTRL_SDP0_DIR, CTRL_SDP1_DIR, CTRL_EXT_SDP2_DIR, CTRL_EXT_SDP3_DIR,
    };
    uint32_t addr = pin < 2 ? I210_CTRL : I210_CTRL_EXT;

    return *i210_reg(s, addr) & direction[pin];
}

/*
 * Latch the clock for the CPU. What it has not read yet is kept: reading the
 * high register allows the next stamp, DS 7.8.3.
 */
void i210_sdp_sample(I210State *s, unsigned channel)
{
    uint32_t *tsauxc = i210_reg(s, I210_TSAUXC);
    uint64_t ns = i210_clock_ns(s);

    if (*tsauxc & TSAUXC_AUTT(channel)) {
        return;
    }
    *i210_reg(s, I210_AUXSTMPL(channel)) = ns % NANOSECONDS_PER_SECOND;
    *i210_reg(s, I210_AUXSTMPH(channel)) = ns / NANOSECONDS_PER_SECOND;
    *tsauxc |= TSAUXC_AUTT(channel);
    i210_log(s, "stamp", ns, "aux%u", channel);
    i210_irq_raise_time_sync(s, TSICR_AUTT(channel));
}

/* The level of an input changed. */
static void pin_input(I210State *s, unsigned pin)
{
    uint32_t tssdp = *i210_reg(s, I210_TSSDP);

    for (unsigned i = 0; i < I210_CHANNELS; i++) {
        if ((*i210_reg(s, I210_TSAUXC) & TSAUXC_EN_TS(i)) &&
            (tssdp & TSSDP_AUX_EN(i)) &&
            extract32(tssdp, TSSDP_AUX_PIN_SHIFT(i), 2) == pin) {
            i210_sdp_sample(s, i);
        }
    }
}

static void pin_output(I210State *s, unsigned pin, bool level)
{
    unsigned wired_to = pin ^ 1;

    i210_log(s, "edge", i210_clock_ns(s), "sdp%u %d", pin, level);
    if (!pin_is_output(s, wired_to)) {
        pin_input(s, wired_to);
    }
}

static void signal_toggle(I210State *s, unsigned signal)
{
    uint32_t tssdp = *i210_reg(s, I210_TSSDP);

    s->signal[signal] = !s->signal[signal];
    for (unsigned i = 0; i < I210_PINS; i++) {
        if ((tssdp & TSSDP_EN(i)) && pin_is_output(s, i) &&
            extract32(tssdp, TSSDP_SEL_SHIFT(i), 2) == signal) {
            pin_output(s, i, s->signal[signal]);
        }
    }
}

/* A target time was reached. */
void i210_sdp_target(I210State *s, unsigned channel)
{
    signal_toggle(s, channel);
}

static bool output_runs(I210State *s, unsigned channel)
{
    return (*i210_reg(s, I210_TSAUXC) & TSAUXC_EN_CLK(channel)) &&
           *i210_reg(s, I210_FREQOUT(channel)) >= OUTPUT_MIN_NS;
}

void i210_sdp_schedule(I210State *s, unsigned channel)
{
    int64_t when = I210_NEVER;

    if (output_runs(s, channel)) {
        s->output_ns[channel] = MAX(s->output_ns[channel], i210_clock_ns(s));
        when = i210_clock_reaches(s, s->output_ns[channel]);
    }
    i210_event_set(s, I210_EVENT_CLOCK0 + channel, when);
}

/* A clock output starts now, or with ST at the target time; or it ends. */
void i210_sdp_output(I210State *s, unsigned channel, bool on)
{
    uint32_t tsauxc = *i210_reg(s, I210_TSAUXC);

    s->output_ns[channel] = tsauxc & TSAUXC_ST(channel) ?
                            i210_target_ns(s, channel) : 0;
    if (!on) {
        s->signal[I210_CHANNELS + channel] = false;
    }
    i210_sdp_schedule(s, channel);
}

void i210_sdp_toggle(I210State *s, unsigned channel)
{
    signal_toggle(s, I210_CHANNELS + channel);
    s->output_ns[channel] += *i210_reg(s, I210_FREQOUT(channel));
    i210_sdp_schedule(s, channel);
}

static uint32_t auxstmph_read(I210State *s, uint32_t addr)
{
    unsigned channel = addr == I210_AUXSTMPH(1);

    *i210_reg(s, I210_TSAUXC) &= ~TSAUXC_AUTT(channel);
    return *i210_reg(s, addr);
}

static uint32_t auxstmpl_read(I210State *s, uint32_t addr)
{
    return *i210_reg(s, addr);
}

const I210Reg i210_sdp_regs[] = {
    { I210_AUXSTMPL(0), auxstmpl_read, NULL },
    { I210_AUXSTMPH(0), auxstmph_read, NULL },
    { I210_AUXSTMPL(1), auxstmpl_read, NULL },
    { I210_AUXSTMPH(1), auxstmph_read, NULL },
    { }
};
