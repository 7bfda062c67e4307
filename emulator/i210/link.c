/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model of the Intel I210: the PCIe link, which takes time. There is only
 * virtual time to take when instructions are counted.
 *
 * A read stalls the CPU for both ways. A write is posted: it costs the CPU
 * nothing, arrives one way later, and never after a read that follows it.
 * Messages of the card and what is sent to it find the link in L1 when it was
 * idle for l1-idle-ns, and then wait for l1-exit-ns.
 */

#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "hw/pci/pci_bridge.h"
#include "sysemu/cpu-timers.h"
#include "i210.h"

/* ASPM Control, bit 1: L1 entry enabled. PCIe, Link Control Register */
static bool end_allows_l1(PCIDevice *dev)
{
    return pci_get_word(dev->config + dev->exp.exp_cap + PCI_EXP_LNKCTL) &
           PCI_EXP_LNKCTL_ASPM_L1;
}

/* A root port that does not allow it rejects what the card asks for. PCIe, 5.4.1.2 */
static bool link_allows_l1(I210State *s)
{
    PCIDevice *dev = PCI_DEVICE(s);
    PCIDevice *port = pci_bridge_get_device(pci_get_bus(dev));

    return s->l1_idle_ns && end_allows_l1(dev) &&
           (!port || !pci_is_express(port) || end_allows_l1(port));
}

/* When the link can be used for a transfer that is wanted now. */
static int64_t link_wake(I210State *s, int64_t now)
{
    if (link_allows_l1(s) && now >= s->link_idle + s->l1_idle_ns) {
        s->link_ready = now + s->l1_exit_ns;
        s->link_idle = s->link_ready;
        i210_log(s, "l1-exit", i210_clock_ns(s),
                 "from %" PRId64 " to %" PRId64, now, s->link_ready);
    }
    return MAX(now, s->link_ready);
}

static void link_used(I210State *s, int64_t until)
{
    s->link_idle = MAX(s->link_idle, until);
}

/* When what the CPU sends now arrives at the card. */
static int64_t link_send(I210State *s)
{
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    int64_t arrival;

    i210_event_run(s, now);
    arrival = link_wake(s, now) + s->read_out_ns;
    link_used(s, arrival);
    return arrival;
}

/* When the card can send what it wants to send now. */
int64_t i210_link_wake(I210State *s)
{
    int64_t ready = link_wake(s, s->now);

    link_used(s, ready);
    return ready;
}

/* When what the card sends now arrives at the CPU. */
int64_t i210_link_message(I210State *s)
{
    int64_t arrival = link_wake(s, s->now) + s->irq_ns;

    link_used(s, arrival);
    return arrival;
}

uint32_t i210_link_read(I210State *s, uint32_t addr)
{
    int64_t arrival = link_send(s);
    uint32_t value;

    s->read_start = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    s->read_end = arrival + s->read_back_ns;
    i210_event_run(s, arrival);
    value = i210_mmio_load(s, addr);
    i210_event_run(s, s->read_end);
    link_used(s, s->read_end);

    if (s->read_end > s->read_start) {
        icount_advance(s->read_end - s->read_start);
    }
    return value;
}

void i210_link_write(I210State *s, uint32_t addr, uint32_t value)
{
    I210Transfer *write = g_new(I210Transfer, 1);

    write->arrival = link_send(s);
    write->what = addr;
    write->value = value;
    g_queue_push_tail(&s->writes, write);
    if (s->writes.length == 1) {
        i210_event_set(s, I210_EVENT_WRITE, write->arrival);
    }
    i210_event_run(s, s->now);
}

/* The oldest write arrives; the next one is waited for. */
void i210_link_write_arrives(I210State *s)
{
    g_autofree I210Transfer *write = g_queue_pop_head(&s->writes);
    I210Transfer *next = g_queue_peek_head(&s->writes);

    i210_mmio_store(s, write->what, write->value);
    if (next) {
        i210_event_set(s, I210_EVENT_WRITE, next->arrival);
    }
}

static void forget(GQueue *transfers)
{
    while (!g_queue_is_empty(transfers)) {
        g_free(g_queue_pop_head(transfers));
    }
}

void i210_link_reset(I210State *s)
{
    forget(&s->writes);
    forget(&s->messages);
    s->link_ready = 0;
    s->link_idle = s->now;
}

void i210_link_init(I210State *s)
{
    g_queue_init(&s->writes);
    g_queue_init(&s->messages);

    if (!icount_enabled() && (s->read_out_ns || s->read_back_ns ||
                              s->irq_ns || s->l1_idle_ns)) {
        warn_report("i210: without -icount the link takes no time");
        s->read_out_ns = 0;
        s->read_back_ns = 0;
        s->irq_ns = 0;
        s->l1_idle_ns = 0;
    }
}
