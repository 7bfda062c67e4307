/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model of the Intel I210: interrupt messages on their way to the CPU, by
 * MSI-X, MSI or INTx, whichever the machine has enabled.
 */

#include "qemu/osdep.h"
#include "hw/pci/msi.h"
#include "hw/pci/msix.h"
#include "i210.h"

typedef enum Kind {
    KIND_MSIX,
    KIND_MSI,
    KIND_INTX,
} Kind;

static const char *const kind_names[] = { "msix", "msi", "intx" };

static Kind message_kind(I210State *s)
{
    PCIDevice *dev = PCI_DEVICE(s);

    if (msix_enabled(dev)) {
        return KIND_MSIX;
    }
    return msi_enabled(dev) ? KIND_MSI : KIND_INTX;
}

/*
 * Now, by the clock of the CPUs. value: the vector, or the level of INTx.
 */
static void message_deliver(I210State *s, Kind kind, uint32_t value)
{
    PCIDevice *dev = PCI_DEVICE(s);

    i210_log_at(s, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL), "irq", i210_clock_ns(s),
                "%s %u", kind_names[kind], value);
    switch (kind) {
    case KIND_MSIX:
        msix_notify(dev, value);
        break;
    case KIND_MSI:
        msi_notify(dev, value);
        break;
    case KIND_INTX:
        pci_set_irq(dev, value);
        break;
    }
}

/*
 * How long the card holds back a message of a vector: all of the interval of EITR,
 * as if another one had just gone out, and only with the fault that sets it.
 */
static int64_t message_held_back(I210State *s, unsigned vector)
{
    if (s->fault != I210_FAULT_THROTTLE) {
        return 0;
    }
    return (int64_t)extract32(*i210_reg(s, I210_EITR(vector)), EITR_INTERVAL_SHIFT,
                              EITR_INTERVAL_LENGTH) * SCALE_US;
}

static void message_send(I210State *s, Kind kind, uint32_t value, int64_t held_back)
{
    int64_t arrival = i210_link_message(s) + held_back;
    I210Transfer *message;

    /* While a CPU reads a register, the card is ahead of the others. */
    if (arrival == qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) &&
        g_queue_is_empty(&s->messages)) {
        message_deliver(s, kind, value);
        return;
    }
    message = g_new(I210Transfer, 1);
    message->arrival = arrival;
    message->what = kind;
    message->value = value;
    g_queue_push_tail(&s->messages, message);
    if (s->messages.length == 1) {
        i210_event_set(s, I210_EVENT_MESSAGE, arrival);
    }
}

void i210_message_assert(I210State *s, unsigned vector)
{
    Kind kind = message_kind(s);

    message_send(s, kind, kind == KIND_INTX ? 1 : vector,
                 message_held_back(s, vector));
}

void i210_message_deassert(I210State *s)
{
    if (message_kind(s) == KIND_INTX) {
        message_send(s, KIND_INTX, 0, 0);
    }
}

/* The oldest message arrives; the next one is waited for. */
void i210_message_arrives(I210State *s)
{
    g_autofree I210Transfer *message = g_queue_pop_head(&s->messages);
    I210Transfer *next = g_queue_peek_head(&s->messages);

    if (next) {
        i210_event_set(s, I210_EVENT_MESSAGE, next->arrival);
    }
    message_deliver(s, message->what, message->value);
}
