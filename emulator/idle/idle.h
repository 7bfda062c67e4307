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

/* An exit that costs the same by whatever kind of event. */
#define IDLE_SAME_EXIT  (-1)

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
    int module;                 /* likewise */
    unsigned acpi_type;         /* as _CST declares it; 0: it does not */
    uint32_t acpi_latency;      /* in us */

    int64_t entry;
    int64_t exit;
    int64_t write_exit;         /* when another CPU writes; likewise */
    int64_t ipi_exit;
    int64_t spread;
    int64_t outlier;
    uint32_t outlier_every;     /* 0: never; likewise what follows */
    uint32_t demote_every;
    uint32_t first_count;       /* the first ones after a pause take longer */
    int64_t first;
    int64_t module_exit;
    int64_t package_exit;
    int64_t after_exit;         /* more until the interrupt that ended it is taken */
    uint32_t power_mw;
    uint32_t rest_mw;           /* of the package beside its cores */
    int first_level;            /* until the first step */
    IdleStep steps[IDLE_STEPS];
    int step_count;
} IdleState;

/* Where the CPU is that wakes another one. */
enum { IDLE_SIBLING, IDLE_MODULE, IDLE_PACKAGE, IDLE_REMOTE, IDLE_PLACES };

/* A port whose reading asks for a state, as the one with this hint of MWAIT. */
typedef struct IdlePort {
    uint32_t number;
    uint32_t hint;
} IdlePort;

typedef struct IdleRapl {
    uint32_t unit_msr;          /* 0: none; likewise the domains */
    uint64_t unit;
    uint32_t package_msr;
    uint32_t cores_msr;         /* all of them */
    /* of domains that no power is known of: it reads as 0 */
    uint32_t still_msr;
    uint32_t core_msr;          /* each has its own */
} IdleRapl;

/* The processor, the same for all CPUs but for what the states of some cost: its file. */
typedef struct IdleConfig {
    IdleState states[IDLE_STATES];
    IdleState *own[IDLE_CPUS];  /* of a CPU whose states cost something else, or NULL */
    int state_count;
    IdlePort ports[IDLE_PORTS];
    int port_count;
    uint32_t core_msr[IDLE_LEVELS];     /* residency counters, 0: absent */
    uint32_t module_msr[IDLE_LEVELS];
    uint32_t package_msr[IDLE_LEVELS];
    uint32_t zero_msr[IDLE_LEVELS];     /* present, and always 0 */
    int zero_count;
    unsigned module_cores;      /* 0: there are no modules */
    bool hybrid;
    bool art;
    bool has_cst_config;        /* likewise the other one */
    bool has_power_ctl;
    uint64_t cst_config;        /* of MSR_PKG_CST_CONFIG_CONTROL after reset */
    uint64_t limit_mask;
    int limit[16];              /* the package state that a value there allows */
    uint64_t power_ctl;         /* of MSR_POWER_CTL after reset */
    uint64_t stuck;             /* bits of it that cannot be changed */
    IdleRapl rapl;
    uint32_t rapl_start;
    uint32_t awake_mw;
    uint32_t thread_mw;         /* of each further thread that is awake */
    uint32_t rest_mw;           /* of a package that is awake beside its cores */
    uint32_t noise_percent;     /* of the power in an update period of the registers */
    int64_t delivery[IDLE_PLACES];  /* until a write or an IPI from there arrives */
    int64_t tsc_ahead[IDLE_CPUS];   /* by so much the TSC of a CPU is */
    bool prewake;
    int64_t prewake_late;
    uint32_t frequency;         /* in percent of the TSC's rate */
    uint32_t ramp_frequency;    /* likewise, for this time after each exit */
    int64_t ramp_ns;
    uint64_t seed;
    uint32_t boot_percent;
    int64_t exit_ppm;           /* what exits take in this boot */
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

/* In mW times ns, which are pJ; and as of the last update of the registers */
typedef struct IdleEnergy {
    uint64_t used;
    uint64_t shown;
} IdleEnergy;

typedef struct IdleCore {
    const IdleState *states;    /* those of its first thread */
    int state;                  /* of its shallowest thread, or IDLE_AWAKE */
    int64_t since;              /* the entry is over */
    unsigned awake_threads;
    int64_t ready;              /* it has left its last state */
    int64_t counter[IDLE_LEVELS];
    IdleEnergy energy;
    uint64_t cst_config;        /* MSR_PKG_CST_CONFIG_CONTROL */
} IdleCore;

/* Cores that share a cache, which sleeps when all of them do. */
typedef struct IdleModule {
    int64_t ready;              /* it has left its last state */
    int64_t counter[IDLE_LEVELS];
} IdleModule;

typedef struct IdlePackage {
    int64_t accounted;          /* counters and energies are as of then */
    int64_t ready;              /* it has left its last state */
    int64_t counter[IDLE_LEVELS];
    IdleEnergy energy;
    IdleEnergy cores_energy;
    uint64_t power_ctl;         /* MSR_POWER_CTL */
} IdlePackage;

/* What ends an idle period. */
typedef enum IdleKind {
    IDLE_BY_DEVICE,             /* a timer is one, too */
    IDLE_BY_WRITE,
    IDLE_BY_IPI,
} IdleKind;

typedef struct IdleCpu {
    CPUState *cs;
    const IdleState *states;
    IdleCore *core;
    IdleModule *module;
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
    IdleKind kind;
    int64_t deadline;           /* the event foreseen, or IDLE_NEVER */
    int level;                  /* from which it woke up */
    int module_level;
    int package_level;
    QEMUTimer *timer;
    int64_t after_exit;         /* of the state that it left; 0: it has passed */

    uint64_t random;
    uint32_t chance_outlier;
    uint32_t chance_spread;
    uint32_t entries[IDLE_STATES];
    uint32_t in_a_row[IDLE_STATES];     /* entries since it was out of use */
    int64_t left[IDLE_STATES];
    int64_t asleep;             /* in which APERF and MPERF stood still */
    int64_t awake_since;        /* it went on last */
    int64_t worked;             /* until it fell asleep before that, see idle_worked() */
    uint64_t aperf_base;
    uint64_t mperf_base;
} IdleCpu;

/* config.c */
extern IdleConfig idle_config;
bool idle_config_read(const char *path, Error **errp);
bool idle_get_level(const char *text, const char *prefix, int *level);
bool idle_get_number(const char *text, uint64_t most, uint64_t *number);
bool idle_get_u32(const char *text, uint32_t *value);

/* truth.c */
IdleState *idle_find_state(IdleState *states, const char *name);
const IdleState *idle_states_of(int cpu);
bool idle_take_truth(char **words, unsigned count);
int64_t idle_draw_factor(uint64_t number, uint32_t percent);

/* topology.c */
bool idle_is_efficient(int cpu);
void idle_topology_init(IdleCpu *idle, CPUState *cs);
void idle_account(IdleCpu *idle, int64_t now);
void idle_core_changed(IdleCpu *idle, int64_t now);
int idle_core_level(const IdleCore *core, int64_t now);
int idle_module_level(const IdleCpu *idle, int64_t now);
int idle_package_level(const IdleCpu *idle, int64_t now);
uint32_t idle_energy_units(const IdleEnergy *energy);
int64_t idle_worked(const IdleCpu *idle, int64_t now);

/* idle.c: the CPUs by their index, and what target/i386 calls */
extern IdleCpu idle_cpus[IDLE_CPUS];
extern int idle_cpu_count;
bool idle_realize(CPUState *cs, const char *path, Error **errp);
void idle_reset(CPUState *cs);
bool idle_enter(CPUState *cs, uint32_t hint, bool irq_break, const uint8_t *line);
bool idle_port(uint32_t number, uint32_t *hint);
void idle_interrupt_raised(CPUState *cs);
void idle_interrupt_taken(CPUState *cs);
bool idle_has_work(CPUState *cs, bool *has_work);
void idle_memory_written(void);
bool idle_memory_watched(ram_addr_t address, unsigned size);
void idle_ipi_begins(void);
void idle_ipi_ends(void);

/* cpuid.c: likewise */
void idle_cpuid(CPUState *cs, uint32_t leaf, uint32_t subleaf, uint32_t *registers);

/* acpi.c: likewise, hw/i386 */
struct Aml;
void idle_declare_states(struct Aml *table);

/* msr.c: likewise */
typedef enum IdleMsr {
    IDLE_MSR_UNKNOWN,
    IDLE_MSR_DONE,
    IDLE_MSR_FAULT,
} IdleMsr;

IdleMsr idle_rdmsr(CPUState *cs, uint32_t msr, uint64_t *value);
IdleMsr idle_wrmsr(CPUState *cs, uint32_t msr, uint64_t value);

#endif
