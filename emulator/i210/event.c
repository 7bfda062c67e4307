/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model of the Intel I210: what it does at times of its own.
 *
 * The card has a time, s->now, which is virtual time. While a register is read
 * it is ahead of the emulator: first by the way to the card, then by the way
 * back too. What becomes due meanwhile is done in order, each at its own time.
 */

#include "qemu/osdep.h"
#include "i210.h"

/*
 * What is to be done next up to a time, or I210_EVENT_COUNT. A message gets to a CPU
 * at the time of the CPUs, which the card is ahead of while one of them reads.
 */
static I210Event event_next(I210State *s, int64_t until)
{
    int64_t cpu_time = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    I210Event next = I210_EVENT_COUNT;

    for (I210Event i = 0; i < I210_EVENT_COUNT; i++) {
        if (s->deadline[i] > (i == I210_EVENT_MESSAGE ? MIN(until, cpu_time) : until)) {
            continue;
        }
        if (next == I210_EVENT_COUNT || s->deadline[i] < s->deadline[next]) {
            next = i;
        }
    }
    return next;
}

static void event_do(I210State *s, I210Event event)
{
    switch (event) {
    case I210_EVENT_WRITE:
        i210_link_write_arrives(s);
        break;
    case I210_EVENT_RESET_DONE:
        i210_reset_done(s);
        break;
    case I210_EVENT_WRAP:
        i210_clock_wraps(s);
        break;
    case I210_EVENT_TARGET0:
    case I210_EVENT_TARGET1:
        i210_target_reached(s, event - I210_EVENT_TARGET0);
        break;
    case I210_EVENT_TWICE:
        i210_target_twice(s);
        break;
    case I210_EVENT_CLOCK0:
    case I210_EVENT_CLOCK1:
        i210_sdp_toggle(s, event - I210_EVENT_CLOCK0);
        break;
    case I210_EVENT_PTM:
        i210_ptm_event(s);
        break;
    case I210_EVENT_MESSAGE:
        i210_message_arrives(s);
        break;
    case I210_EVENT_COUNT:
        g_assert_not_reached();
    }
}

static void event_start_timer(I210State *s)
{
    int64_t deadline = I210_NEVER;

    for (I210Event i = 0; i < I210_EVENT_COUNT; i++) {
        deadline = MIN(deadline, s->deadline[i]);
    }
    if (deadline == I210_NEVER) {
        timer_del(s->timer);
    } else {
        timer_mod(s->timer, deadline);
    }
}

/* Do all that is due up to a time, which becomes that of the card. */
void i210_event_run(I210State *s, int64_t until)
{
    I210Event event = event_next(s, until);

    while (event != I210_EVENT_COUNT) {
        s->now = MAX(s->now, s->deadline[event]);
        s->deadline[event] = I210_NEVER;
        event_do(s, event);
        event = event_next(s, until);
    }
    s->now = MAX(s->now, until);
    event_start_timer(s);
}

static void event_timer(void *opaque)
{
    i210_event_run(opaque, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL));
}

void i210_event_set(I210State *s, I210Event event, int64_t when)
{
    s->deadline[event] = when;
    event_start_timer(s);
}

void i210_event_cancel_all(I210State *s)
{
    for (I210Event i = 0; i < I210_EVENT_COUNT; i++) {
        s->deadline[i] = I210_NEVER;
    }
    timer_del(s->timer);
}

void i210_event_init(I210State *s)
{
    s->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, event_timer, s);
}
