/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model of the idle states of an Intel processor: its state, and what the files
 * of the model offer each other and the rest of the emulator.
 *
 * All times are ns of the virtual clock. Registers that count time show it in cycles of
 * the TSC.
 */

#ifndef TARGET_I386_IDLE_H
#define TARGET_I386_IDLE_H

#include "qemu/timer.h"
#include "hw/core/cpu.h"

#define IDLE_STATES     12
#define IDLE_STEPS      4
#define IDLE_PORTS      4
#define IDLE_LEVELS     11      /* C0 to C10, PC0 to PC10 */
#define IDLE_CPUS       64
#define IDLE_NEVER      INT64_MAX

/* No state: the core is awake. */
#define IDLE_AWAKE      (-1)

/* A step that changes nothing but the cost. */
#define IDLE_SAME_LEVEL (-1)

/* From this residence on, leaving the state costs something else. */
typedef struct IdleStep {
    int64_t after;
    int64_t exit;
    int level;                  /* the counter that runs from then on */
} IdleStep;

/*
 * What a hint of MWAIT asks for, and what that costs: a line of the processor's file
 * and a word of TRUTH.
 */
typedef struct IdleState {
    char name[16];
    uint32_t hint;
    int level;
    int package;                /* PC0: the package stays awake */

    int64_t entry;
    int64_t exit;
    int64_t spread;
    int64_t outlier;
    uint32_t outlier_every;     /* 0: never; likewise what follows */
    uint32_t demote_every;
    int64_t package_exit;
    uint32_t power_mw;
    int first_level;            /* until the first step */
    IdleStep steps[IDLE_STEPS];
    int step_count;
} IdleState;

/* A port whose reading asks for a state, as the one with this hint of MWAIT. */
typedef struct IdlePort {
    uint32_t number;
    uint32_t hint;
} IdlePort;

typedef struct IdleRapl {
    uint32_t unit_msr;          /* 0: none; likewise the domains */
    uint64_t unit;
    uint32_t package_msr;
    uint32_t cores_msr;
} IdleRapl;

/* The processor, the same for all CPUs: its file. */
typedef struct IdleConfig {
    IdleState states[IDLE_STATES];
    int state_count;
    IdlePort ports[IDLE_PORTS];
    int port_count;
    uint32_t core_msr[IDLE_LEVELS];     /* residency counters, 0: absent */
    uint32_t package_msr[IDLE_LEVELS];
    uint32_t zero_msr[IDLE_LEVELS];     /* present, and always 0 */
    int zero_count;
    uint64_t cst_config;        /* of MSR_PKG_CST_CONFIG_CONTROL after reset */
    uint64_t limit_mask;
    int limit[16];              /* the package state that a value there allows */
    uint64_t power_ctl;         /* of MSR_POWER_CTL after reset */
    IdleRapl rapl;
    uint32_t rapl_start;
    uint32_t awake_mw;
    uint32_t uncore_mw;
    bool prewake;
    int64_t prewake_late;
    uint32_t frequency;         /* in percent of the TSC's rate */
    uint32_t ramp_frequency;    /* likewise, for this time after each exit */
    int64_t ramp_ns;
    uint64_t seed;
    bool present;               /* there is such a file */
    FILE *log;
} IdleConfig;

/* What a CPU that executed HLT or MWAIT is doing. */
typedef enum IdlePhase {
    IDLE_RUNNING,
    IDLE_ASLEEP,
    IDLE_HELD,                  /* woken while it was still entering */
    IDLE_LEAVING,               /* the exit latency passes */
    IDLE_WOKEN,                 /* it may go on */
} IdlePhase;

typedef struct IdleCore {
    int state;                  /* of its shallowest thread, or IDLE_AWAKE */
    int64_t since;              /* the entry is over */
    int64_t ready;              /* it has left its last state */
    int64_t counter[IDLE_LEVELS];
    uint64_t cst_config;        /* MSR_PKG_CST_CONFIG_CONTROL */
} IdleCore;

typedef struct IdlePackage {
    int64_t accounted;          /* counters and energies are as of then */
    int64_t ready;              /* it has left its last state */
    int64_t counter[IDLE_LEVELS];
    /* In mW times ns, which are pJ; and as of the last update of the registers */
    uint64_t energy;
    uint64_t cores_energy;
    uint64_t shown_energy;
    uint64_t shown_cores_energy;
    uint64_t power_ctl;         /* MSR_POWER_CTL */
} IdlePackage;

typedef struct IdleCpu {
    CPUState *cs;
    IdleCore *core;
    IdlePackage *package;
    unsigned first_sibling;
    unsigned siblings;

    IdlePhase phase;
    int state;                  /* asked for, IDLE_AWAKE: costs nothing */
    uint32_t hint;
    bool irq_break;             /* a masked interrupt ends it as well */
    const uint8_t *line;        /* waited on, NULL with HLT */
    int64_t enter;
    int64_t event;              /* what ended it came, or IDLE_NEVER */
    int64_t deadline;           /* the event foreseen, or IDLE_NEVER */
    int level;                  /* from which it woke up */
    int package_level;
    QEMUTimer *timer;

    uint64_t random;
    uint32_t chance_outlier;
    uint32_t chance_spread;
    uint32_t entries[IDLE_STATES];
    int64_t asleep;             /* in which APERF and MPERF stood still */
    int64_t awake_since;        /* it went on last */
    int64_t worked;             /* until it fell asleep before that, see idle_worked() */
    uint64_t aperf_base;
    uint64_t mperf_base;
} IdleCpu;

/* config.c */
extern IdleConfig idle_config;
bool idle_config_read(const char *path, Error **errp);

/* topology.c */
void idle_topology_init(IdleCpu *idle, CPUState *cs);
void idle_account(IdleCpu *idle, int64_t now);
void idle_core_changed(IdleCpu *idle, int64_t now);
int idle_core_level(const IdleCore *core, int64_t now);
int idle_package_level(const IdleCpu *idle, int64_t now);
uint32_t idle_energy_units(const IdleCpu *idle, bool cores);
int64_t idle_worked(const IdleCpu *idle, int64_t now);

/* idle.c: the CPUs by their index, and what target/i386 calls */
extern IdleCpu idle_cpus[IDLE_CPUS];
extern int idle_cpu_count;
bool idle_realize(CPUState *cs, const char *path, Error **errp);
void idle_reset(CPUState *cs);
bool idle_enter(CPUState *cs, uint32_t hint, bool irq_break, const uint8_t *line);
bool idle_port(uint32_t number, uint32_t *hint);
void idle_interrupt_raised(CPUState *cs);
bool idle_has_work(CPUState *cs, bool *has_work);
bool idle_memory_written(void);

/* msr.c: likewise */
typedef enum IdleMsr {
    IDLE_MSR_UNKNOWN,
    IDLE_MSR_DONE,
    IDLE_MSR_FAULT,
} IdleMsr;

IdleMsr idle_rdmsr(CPUState *cs, uint32_t msr, uint64_t *value);
IdleMsr idle_wrmsr(CPUState *cs, uint32_t msr, uint64_t value);

#endif
