/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model of the Intel I210: the target times, and TSAUXC, which enables them and
 * all else that the clock does.
 *
 * A target time is armed by EN_TT. When the clock has reached it, which a time
 * in the past has at once, its cause is recorded and EN_TT clears itself.
 */

#include "qemu/osdep.h"
#include "i210.h"

/* How long after the first time a target fires that fires twice. */
#define TWICE_NS 20000

static const char *const target_names[I210_CHANNELS] = { "tt0", "tt1" };

uint64_t i210_target_ns(I210State *s, unsigned channel)
{
    return *i210_reg(s, I210_TRGTTIMH(channel)) *
           (uint64_t)NANOSECONDS_PER_SECOND +
           *i210_reg(s, I210_TRGTTIML(channel));
}

static bool target_armed(I210State *s, unsigned channel)
{
    return *i210_reg(s, I210_TSAUXC) & TSAUXC_EN_TT(channel);
}

void i210_target_schedule(I210State *s, unsigned channel)
{
    int64_t when = I210_NEVER;

    if (target_armed(s, channel)) {
        when = i210_clock_reaches(s, i210_target_ns(s, channel));
    }
    i210_event_set(s, I210_EVENT_TARGET0 + channel, when);
}

static void target_fire(I210State *s, unsigned channel, const char *event)
{
    i210_log(s, event, i210_target_ns(s, channel), "%s", target_names[channel]);
    if (i210_fault_hits(s, I210_FAULT_WRONG_CAUSE, target_names[channel])) {
        *i210_reg(s, I210_TSICR) |= TSICR_TT(1 - channel);
        i210_irq_raise(s, ICR_TIME_SYNC);
        return;
    }
    i210_irq_raise_time_sync(s, TSICR_TT(channel));
}

void i210_target_reached(I210State *s, unsigned channel)
{
    if (i210_fault_hits(s, I210_FAULT_NEVER, target_names[channel])) {
        return;
    }
    *i210_reg(s, I210_TSAUXC) &= ~TSAUXC_EN_TT(channel);
    target_fire(s, channel, "fire");
    i210_sdp_target(s, channel);
    if (i210_fault_hits(s, I210_FAULT_TWICE, target_names[channel])) {
        s->twice_channel = channel;
        i210_event_set(s, I210_EVENT_TWICE, s->now + TWICE_NS);
    }
}

void i210_target_twice(I210State *s)
{
    target_fire(s, s->twice_channel, "fire-again");
}

static void target_arm(I210State *s, unsigned channel)
{
    I210Event event = I210_EVENT_TARGET0 + channel;

    i210_log(s, "arm", i210_target_ns(s, channel), "%s", target_names[channel]);
    if (i210_fault_hits(s, I210_FAULT_ALL_ONES, target_names[channel])) {
        s->gone = true;
        i210_event_cancel_all(s);
        return;
    }
    i210_target_schedule(s, channel);
    if (s->deadline[event] > s->now && s->deadline[event] != I210_NEVER &&
        i210_fault_hits(s, I210_FAULT_EARLY, target_names[channel])) {
        i210_event_set(s, event, s->now + (s->deadline[event] - s->now) / 2);
    }
}

static void target_disarm(I210State *s, unsigned channel)
{
    i210_log(s, "disarm", i210_target_ns(s, channel), "%s",
             target_names[channel]);
    i210_target_schedule(s, channel);
}

static void target_enable(I210State *s, unsigned channel, uint32_t changed)
{
    if (!(changed & TSAUXC_EN_TT(channel))) {
        return;
    }
    if (target_armed(s, channel)) {
        target_arm(s, channel);
    } else {
        target_disarm(s, channel);
    }
}

static void tsauxc_write(I210State *s, uint32_t addr, uint32_t value)
{
    const uint32_t flags = TSAUXC_AUTT(0) | TSAUXC_AUTT(1);
    const uint32_t commands = TSAUXC_SAMP_AUT(0) | TSAUXC_SAMP_AUT(1);
    uint32_t *tsauxc = i210_reg(s, addr);
    uint32_t changed = *tsauxc ^ value;

    if (changed & TSAUXC_DISABLE) {
        i210_clock_stop(s, value & TSAUXC_DISABLE);
    }
    *tsauxc = (*tsauxc & flags) | (value & ~(flags | commands));
    for (unsigned i = 0; i < I210_CHANNELS; i++) {
        target_enable(s, i, changed);
        if (changed & TSAUXC_EN_CLK(i)) {
            i210_sdp_output(s, i, value & TSAUXC_EN_CLK(i));
        }
        if (value & TSAUXC_SAMP_AUT(i)) {
            i210_sdp_sample(s, i);
        }
    }
}

static void trgttim_write(I210State *s, uint32_t addr, uint32_t value)
{
    unsigned channel = (addr - I210_TRGTTIML(0)) /
                       (I210_TRGTTIML(1) - I210_TRGTTIML(0));

    *i210_reg(s, addr) = value;
    i210_target_schedule(s, channel);
}

const I210Reg i210_target_regs[] = {
    { I210_TSAUXC, NULL, tsauxc_write },
    { I210_TRGTTIML(0), NULL, trgttim_write },
    { I210_TRGTTIMH(0), NULL, trgttim_write },
    { I210_TRGTTIML(1), NULL, trgttim_write },
    { I210_TRGTTIMH(1), NULL, trgttim_write },
    { }
};
