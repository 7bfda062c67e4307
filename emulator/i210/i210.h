/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model of the Intel I210: its state, and what the files of the model offer
 * each other.
 */

#ifndef HW_NET_I210_H
#define HW_NET_I210_H

#include "hw/pci/pci.h"
#include "qemu/timer.h"
#include "qom/object.h"
#include "regs.h"

#define TYPE_I210 "i210"
#define TYPE_I226 "i226"      /* the same with what differs, see is_i226 */
OBJECT_DECLARE_SIMPLE_TYPE(I210State, I210)

#define I210_VECTORS 5      /* DS 9.4.3.3 */
#define I210_CHANNELS 2     /* target times, clock outputs, auxiliary stamps */
#define I210_PHY_PAGES 8
#define I210_PHY_REGS 32
#define I210_NEVER INT64_MAX

/* A register that is more than a store. */
typedef struct I210Reg {
    uint32_t addr;
    uint32_t (*read)(I210State *s, uint32_t addr);      /* NULL: the store */
    void (*write)(I210State *s, uint32_t addr, uint32_t value); /* NULL: RO */
} I210Reg;

/* What the card does at a time of its own, see event.c. */
typedef enum I210Event {
    I210_EVENT_WRITE,
    I210_EVENT_RESET_DONE,
    I210_EVENT_WRAP,
    I210_EVENT_TARGET0,
    I210_EVENT_TARGET1,
    I210_EVENT_TWICE,
    I210_EVENT_CLOCK0,
    I210_EVENT_CLOCK1,
    I210_EVENT_PTM,
    I210_EVENT_MESSAGE,
    I210_EVENT_COUNT,
} I210Event;

typedef enum I210Interrupts {
    I210_INTERRUPTS_MSIX,
    I210_INTERRUPTS_MSI,
    I210_INTERRUPTS_INTX,
} I210Interrupts;

typedef enum I210Fault {
    I210_FAULT_NONE,
    I210_FAULT_NEVER,
    I210_FAULT_TWICE,
    I210_FAULT_EARLY,
    I210_FAULT_WRONG_CAUSE,
    I210_FAULT_ALL_ONES,
    I210_FAULT_NO_RESET,
    I210_FAULT_NO_AUTO_READ,
    I210_FAULT_NO_MASTER_DISABLE,
    I210_FAULT_THROTTLE,
    I210_FAULT_PTM_NEVER,
    I210_FAULT_PTM_WRONG,
} I210Fault;

/* How far a dialog of PTM has got. */
typedef enum I210PtmPhase {
    I210_PTM_NONE,
    I210_PTM_WAITS,         /* for the link */
    I210_PTM_ANSWERED,
    I210_PTM_LOST,
} I210PtmPhase;

/* A register write or an interrupt message that is under way. */
typedef struct I210Transfer {
    int64_t arrival;
    uint32_t what;          /* address, or kind of message */
    uint32_t value;
} I210Transfer;

/* A point of the card's clock, in units of 2^-32 ns. */
typedef unsigned __int128 I210Time;

struct I210State {
    PCIDevice parent_obj;

    /* Properties */
    char *interrupts_name;
    uint32_t read_out_ns;
    uint32_t read_back_ns;
    uint32_t irq_ns;
    uint32_t l1_exit_ns;
    uint32_t l1_idle_ns;
    uint32_t ptm_request_ns;
    uint32_t ptm_response_ns;
    int32_t drift_ppb;
    char *log_path;
    char *fault_name;
    uint32_t fault_every;
    I210Interrupts interrupts;
    I210Fault fault;
    bool is_i226;

    MemoryRegion mmio;
    MemoryRegion msix;
    const I210Reg *map[I210_BAR0_SIZE / 4];
    uint32_t regs[I210_BAR0_SIZE / 4];

    /* The time at which the card is, and when it does something next */
    int64_t now;
    int64_t deadline[I210_EVENT_COUNT];
    QEMUTimer *timer;

    /* PCIe link */
    GQueue writes;
    GQueue messages;
    int64_t link_ready;     /* end of the exit from L1 */
    int64_t link_idle;      /* end of the last transfer */
    int64_t read_start;
    int64_t read_end;

    /* Clock: it had the value clock_base at the virtual time clock_set */
    int64_t clock_set;
    I210Time clock_base;
    I210Time latched;
    uint64_t output_ns[I210_CHANNELS];  /* next edge of a clock output */
    bool signal[2 * I210_CHANNELS];     /* see sdp.c */

    /* Interrupts */
    bool time_sync;         /* TSICR & TSIM is not 0 */
    bool other;             /* ICR & IMS is not 0 */
    uint32_t asserted;      /* EICR & EIMS for which a message was sent */

    /* Faults */
    uint32_t fault_count;
    unsigned twice_channel;
    bool gone;
    bool no_auto_read;      /* until the next reset */
    bool no_master_disable; /* the same */

    /* PTM: the dialog that is under way, and whether the root port had one before */
    I210PtmPhase ptm_phase;
    bool ptm_thought;
    uint64_t ptm_t1;
    int64_t ptm_t2;

    bool resetting;
    uint16_t phy[I210_PHY_PAGES][I210_PHY_REGS];
    FILE *log;
};

static inline uint32_t *i210_reg(I210State *s, uint32_t addr)
{
    return &s->regs[addr / 4];
}

/* i210.c */
bool i210_awake(I210State *s);

/* mmio.c */
extern const MemoryRegionOps i210_mmio_ops;
void i210_mmio_init(I210State *s);
uint32_t i210_mmio_load(I210State *s, uint32_t addr);
void i210_mmio_store(I210State *s, uint32_t addr, uint32_t value);

/* event.c */
void i210_event_init(I210State *s);
void i210_event_set(I210State *s, I210Event event, int64_t when);
void i210_event_cancel_all(I210State *s);
void i210_event_run(I210State *s, int64_t until);

/* link.c */
void i210_link_init(I210State *s);
void i210_link_reset(I210State *s);
uint32_t i210_link_read(I210State *s, uint32_t addr);
void i210_link_write(I210State *s, uint32_t addr, uint32_t value);
void i210_link_write_arrives(I210State *s);
int64_t i210_link_message(I210State *s);
int64_t i210_link_wake(I210State *s);

/* clock.c */
extern const I210Reg i210_clock_regs[];
void i210_clock_reset(I210State *s);
uint64_t i210_clock_ns(I210State *s);
int64_t i210_clock_reaches(I210State *s, uint64_t ns);
void i210_clock_stop(I210State *s, bool stop);
void i210_clock_wraps(I210State *s);
void i210_clock_changed(I210State *s);

/* target.c */
extern const I210Reg i210_target_regs[];
uint64_t i210_target_ns(I210State *s, unsigned channel);
void i210_target_schedule(I210State *s, unsigned channel);
void i210_target_reached(I210State *s, unsigned channel);
void i210_target_twice(I210State *s);

/* sdp.c */
extern const I210Reg i210_sdp_regs[];
void i210_sdp_target(I210State *s, unsigned channel);
void i210_sdp_output(I210State *s, unsigned channel, bool on);
void i210_sdp_schedule(I210State *s, unsigned channel);
void i210_sdp_toggle(I210State *s, unsigned channel);
void i210_sdp_sample(I210State *s, unsigned channel);

/* irq.c */
extern const I210Reg i210_irq_regs[];
void i210_irq_reset(I210State *s);
void i210_irq_raise(I210State *s, uint32_t icr);
void i210_irq_raise_time_sync(I210State *s, uint32_t tsicr);
void i210_irq_raise_tx(I210State *s, unsigned queue);
void i210_irq_update(I210State *s);

/* message.c */
void i210_message_assert(I210State *s, unsigned vector);
void i210_message_deassert(I210State *s);
void i210_message_arrives(I210State *s);

/* reset.c */
extern const I210Reg i210_reset_regs[];
void i210_reset_port(I210State *s);
void i210_reset_done(I210State *s);
void i210_reset_card(I210State *s);

/* nvm.c */
extern const I210Reg i210_nvm_regs[];
uint16_t i210_nvm_word(I210State *s, unsigned word);

/* phy.c */
extern const I210Reg i210_phy_regs[];
void i210_phy_reset(I210State *s);
bool i210_phy_link(I210State *s);

/* ptm.c */
extern const I210Reg i210_ptm_regs[];
void i210_ptm_init(I210State *s);
void i210_ptm_reset(I210State *s);
void i210_ptm_event(I210State *s);

/* tx.c */
extern const I210Reg i210_tx_regs[];

/* fault.c */
bool i210_fault_init(I210State *s, Error **errp);
bool i210_fault_hits(I210State *s, I210Fault fault, const char *detail);

/* log.c */
bool i210_log_init(I210State *s, Error **errp);
void i210_log_at(I210State *s, int64_t when, const char *event,
                 uint64_t clock_ns, const char *detail, ...) G_GNUC_PRINTF(5, 6);
#define i210_log(s, ...) i210_log_at(s, (s)->now, __VA_ARGS__)

#endif
