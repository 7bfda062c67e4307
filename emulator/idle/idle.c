/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model of the idle states of an Intel processor: one idle period of one CPU.
 *
 * A CPU that executes MWAIT or HLT, or reads a port for that, falls asleep. What ends that,
 * an interrupt or a write to the monitored line, begins the exit, which takes as long as the state
 * costs; an event that comes during the entry waits until that is over. Then the CPU
 * goes on. With pre-wake the exit begins ahead of the deadline of the local APIC
 * timer, which is the only event that can be foreseen.
 *
 * Everything is done under the lock of QEMU, in timers and in instructions that may
 * read the clock. idle_has_work(), which QEMU calls at any time, changes nothing.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/main-loop.h"
#include "sysemu/cpu-timers.h"
#include "sysemu/cpus.h"
#include "sysemu/local-time.h"
#include "hw/i386/apic.h"
#include "cpu.h"
#include "idle.h"

/* C3 and C1 auto demotion; SDM volume 4, MSR_PKG_CST_CONFIG_CONTROL */
#define CST_C3_DEMOTION     (1ULL << 25)
#define CST_C1_DEMOTION     (1ULL << 26)

/* For how long a CPU is not in a state until the first periods in it take longer again */
#define PAUSE_NS            10000000

/* SDM volume 4, MSR_POWER_CTL; bit 30 as in turbostat.c of Linux */
#define POWER_CTL_C1E       (1ULL << 1)
#define POWER_CTL_NO_PREWAKE (1ULL << 30)

IdleCpu idle_cpus[IDLE_CPUS];
int idle_cpu_count;

/* A CPU tells its local APIC to send an IPI. */
static bool sending_ipi;

static IdleCpu *idle_of(CPUState *cs)
{
    return &idle_cpus[cs->cpu_index];
}

/* Knuth's MMIX generator; the high bits do. */
static uint32_t next_random(IdleCpu *idle)
{
    idle->random = idle->random * 6364136223846793005ULL + 1442695040888963407ULL;
    return idle->random >> 32;
}

static bool line_changed(const IdleCpu *idle)
{
    return idle->line && memcmp(idle->line, X86_CPU(idle->cs)->env.monitor_data,
                                X86_MONITOR_LINE);
}

/* Whether what is raised ends the idle period. */
static bool is_ended(const IdleCpu *idle)
{
    int raised = idle->cs->interrupt_request & ~CPU_INTERRUPT_POLL;

    return x86_cpu_pending_interrupt(idle->cs, raised) ||
           (raised & CPU_INTERRUPT_INIT) ||
           (idle->irq_break && (raised & CPU_INTERRUPT_HARD));
}

/* The state that a hint asks for; the last of a kind stands for unknown ones of it. */
static int state_of_hint(uint32_t hint)
{
    int found = IDLE_AWAKE;

    for (int i = 0; i < idle_config.state_count; i++) {
        uint32_t known = idle_config.states[i].hint;

        if (known == hint) {
            return i;
        }
        if (known >> 4 == hint >> 4) {
            found = i;
        }
    }
    return found;
}

static bool demotion_is_on(const IdleCpu *idle, int to)
{
    return idle->core->cst_config & (idle_config.states[to].level > 1 ?
                                     CST_C3_DEMOTION : CST_C1_DEMOTION);
}

/* The state that is tried to enter for a hint: not always the one asked for. */
static int choose_state(IdleCpu *idle, uint32_t hint)
{
    int state = state_of_hint(hint);
    uint32_t every;

    if (state == IDLE_AWAKE) {
        return state;
    }
    if (state == 0 && idle_config.state_count > 1 &&
        idle_config.states[1].level == idle_config.states[0].level &&
        (idle->package->power_ctl & POWER_CTL_C1E)) {
        state = 1;
    }
    every = idle->states[state].demote_every;
    if (state > 0 && every && ++idle->entries[state] % every == 0 &&
        demotion_is_on(idle, state - 1)) {
        state--;
    }
    return state;
}

/* The state that the core leaves when this thread wakes up; NULL: none. */
static const IdleState *state_left(const IdleCpu *idle)
{
    if (idle->core->state != IDLE_AWAKE) {
        return &idle->states[idle->core->state];
    }
    /* Another thread of the core is awake: this one is in C1. */
    return idle->state == IDLE_AWAKE ? NULL : &idle->states[0];
}

/* Whether this is one of the first periods in a state. */
static bool is_early(const IdleCpu *idle, const IdleState *st)
{
    int state = st - idle->states;

    return state == idle->state && idle->in_a_row[state] <= st->first_count;
}

static int64_t exit_by_kind(const IdleState *st, IdleKind kind)
{
    if (kind == IDLE_BY_WRITE && st->write_exit != IDLE_SAME_EXIT) {
        return st->write_exit;
    }
    if (kind == IDLE_BY_IPI && st->ipi_exit != IDLE_SAME_EXIT) {
        return st->ipi_exit;
    }
    return st->exit;
}

static int64_t core_exit(const IdleCpu *idle, const IdleState *st, int64_t when)
{
    int64_t exit = exit_by_kind(st, idle->kind);

    if (st->outlier_every &&
        idle->chance_outlier < UINT32_MAX / st->outlier_every) {
        return st->outlier;
    }
    if (idle->core->state != IDLE_AWAKE) {
        for (int i = 0; i < st->step_count; i++) {
            if (when - idle->core->since >= st->steps[i].after) {
                exit = st->steps[i].exit;
            }
        }
    }
    if (is_early(idle, st)) {
        exit += st->first;
    }
    return exit + (((unsigned __int128)idle->chance_spread * (st->spread + 1)) >> 32);
}

static int64_t in_this_boot(int64_t ns)
{
    return (__int128)ns * idle_config.exit_ppm / 1000000;
}

static int64_t package_exit(const IdleCpu *idle, int level)
{
    for (int i = 0; level && i < idle_config.state_count; i++) {
        if (idle->states[i].package == level) {
            return in_this_boot(idle->states[i].package_exit);
        }
    }
    return 0;
}

/* Several states may lead to it. */
static int64_t module_exit(const IdleCpu *idle, int level)
{
    int64_t exit = 0;

    for (int i = 0; level && i < idle_config.state_count; i++) {
        if (idle->states[i].module == level) {
            exit = MAX(exit, idle->states[i].module_exit);
        }
    }
    return in_this_boot(exit);
}

/* What it takes to wake up when that begins then. */
static int64_t exit_latency(const IdleCpu *idle, int64_t when)
{
    const IdleState *st = state_left(idle);

    return st ? in_this_boot(core_exit(idle, st, when)) +
                module_exit(idle, idle_module_level(idle, when)) +
                package_exit(idle, idle_package_level(idle, when)) : 0;
}

/* When the entry is over and the exit can begin. */
static int64_t entered(const IdleCpu *idle)
{
    return idle->core->state == IDLE_AWAKE ? idle->enter : idle->core->since;
}

static void log_period(const IdleCpu *idle, int64_t now)
{
    if (idle_config.log) {
        fprintf(idle_config.log,
                "%d,0x%02x,%" PRId64 ",%" PRId64 ",%" PRId64 ",C%d,PC%d",
                idle->cs->cpu_index, idle->hint, idle->enter, idle->event, now,
                idle->level, idle->package_level);
        if (idle_config.module_cores) {
            fprintf(idle_config.log, ",MC%d", idle->module_level);
        }
        fputc('\n', idle_config.log);
    }
}

static void go_on(IdleCpu *idle, int64_t now)
{
    if (idle->event == IDLE_NEVER) {
        /* It was foreseen, and has not been told to the CPU yet. */
        idle->event = idle->deadline;
    }
    idle->phase = IDLE_WOKEN;
    idle->asleep += now - idle->enter;
    idle->worked = idle_worked(idle, idle->enter);
    idle->awake_since = now;
    if (idle->state != IDLE_AWAKE) {
        idle->left[idle->state] = now;
    }
    idle->cs->local_ns = MAX(idle->cs->local_ns, now);
    log_period(idle, now);
    if (!qemu_cpu_is_self(idle->cs)) {
        qemu_cpu_kick(idle->cs);
    }
}

/*
 * The exit begins, and ends not before a time; nor before that of the core, where
 * another thread began it, that of the module, and that of the package.
 */
static void leave(IdleCpu *idle, int64_t now, int64_t not_before)
{
    bool core_leaves = idle->core->state != IDLE_AWAKE;
    int64_t ready = MAX(now + exit_latency(idle, now), not_before);
    const IdleState *st = state_left(idle);

    /* Who is woken by a write handles no interrupt for it. */
    idle->after_exit = st && idle->kind != IDLE_BY_WRITE ? st->after_exit : 0;
    idle_account(idle, now);
    if (core_leaves) {
        idle->level = idle_core_level(idle->core, now);
    } else {
        idle->level = idle->state == IDLE_AWAKE ? 0 : 1;
    }
    idle->package_level = idle_package_level(idle, now);
    if (idle->package_level) {
        idle->package->ready = now + package_exit(idle, idle->package_level);
    }
    idle->module_level = idle_module_level(idle, now);
    if (idle->module_level) {
        idle->module->ready = MAX(now, idle->package->ready) +
                              module_exit(idle, idle->module_level);
    }
    ready = MAX(ready, MAX(idle->core->ready, idle->package->ready));
    ready = MAX(ready, idle->module->ready);
    if (core_leaves) {
        idle->core->ready = ready;
    }
    idle->phase = IDLE_LEAVING;
    idle_core_changed(idle, now);

    if (ready > now) {
        timer_mod(idle->timer, ready);
    } else {
        timer_del(idle->timer);
        go_on(idle, now);
    }
}

/* How long it takes from the CPU that runs, which writes or sends an IPI, to this one. */
static int64_t delivery(const IdleCpu *idle, IdleKind kind)
{
    const IdleCpu *sender;

    if (kind == IDLE_BY_DEVICE || !current_cpu) {
        return 0;
    }
    sender = idle_of(current_cpu);
    if (sender->core == idle->core) {
        return idle_config.delivery[IDLE_SIBLING];
    }
    if (sender->module == idle->module) {
        return idle_config.delivery[IDLE_MODULE];
    }
    return idle_config.delivery[sender->package == idle->package ? IDLE_PACKAGE : IDLE_REMOTE];
}

/*
 * What ends the idle period has come or was sent. A timer may be due while the CPU executes the
 * instruction by which it falls asleep: it wakes up by that when the instruction has ended.
 */
static void wake(IdleCpu *idle, int64_t now, IdleKind kind)
{
    int64_t begin = MAX(entered(idle), now + delivery(idle, kind));

    if (idle->event == IDLE_NEVER) {
        idle->event = MAX(now, idle->enter);
        idle->kind = kind;
    }
    if (idle->phase != IDLE_ASLEEP) {
        return;
    }
    if (begin > now) {
        idle->phase = IDLE_HELD;
        timer_mod(idle->timer, begin);
    } else {
        leave(idle, now, now);
    }
}

/*
 * The latest time at which the exit can begin for it to end as late after the deadline
 * as it may. What it costs depends on the residence: look at each step of that.
 */
static int64_t latest_begin(const IdleCpu *idle, int64_t now)
{
    const IdleState *st = idle->core->state == IDLE_AWAKE ? NULL :
                          &idle->states[idle->core->state];
    int64_t from = entered(idle);
    int64_t latest = from;

    for (int i = 0; i <= (st ? st->step_count : 0); i++) {
        int64_t until = st && i < st->step_count ?
                        idle->core->since + st->steps[i].after : IDLE_NEVER;
        int64_t begin = idle->deadline +
                        MIN(0, idle_config.prewake_late -
                               exit_latency(idle, MAX(from, now)));

        begin = MIN(begin, until - 1);
        if (begin >= from) {
            latest = begin;
        }
        from = until;
    }
    return latest;
}

/* Begin the exit in time for the event that is foreseen, or wait for that time. */
static void foresee(IdleCpu *idle, int64_t now)
{
    int64_t begin;

    if (idle->phase != IDLE_ASLEEP || idle->deadline == IDLE_NEVER) {
        return;
    }
    begin = latest_begin(idle, now);
    if (begin > now) {
        timer_mod(idle->timer, begin);
    } else {
        leave(idle, now, idle->deadline);
    }
}

/* When a core or package gets to a deeper state, each CPU in it has to begin earlier. */
static void foresee_all(IdlePackage *package, int64_t now)
{
    for (IdleCpu *idle = idle_cpus; idle < idle_cpus + idle_cpu_count; idle++) {
        if (idle->package == package) {
            foresee(idle, now);
        }
    }
}

static void idle_timer(void *opaque)
{
    IdleCpu *idle = opaque;
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);

    switch (idle->phase) {
    case IDLE_ASLEEP:
        foresee(idle, now);
        break;
    case IDLE_HELD:
        leave(idle, now, now);
        break;
    case IDLE_LEAVING:
        go_on(idle, now);
        break;
    case IDLE_RUNNING:
    case IDLE_WOKEN:
        break;
    }
}

static int64_t foreseen(const IdleCpu *idle)
{
    int64_t expiry;

    if (!idle_config.prewake || (idle->package->power_ctl & POWER_CTL_NO_PREWAKE)) {
        return IDLE_NEVER;
    }
    expiry = apic_timer_expiry(X86_CPU(idle->cs)->apic_state);
    return expiry < 0 ? IDLE_NEVER : expiry;
}

/* Entries in a state follow each other unless there is a pause. */
static void count_entry(IdleCpu *idle, int64_t now)
{
    if (now - idle->left[idle->state] > PAUSE_NS) {
        idle->in_a_row[idle->state] = 0;
    }
    idle->in_a_row[idle->state]++;
}

static void fall_asleep(IdleCpu *idle, uint32_t hint)
{
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);

    idle->hint = hint;
    idle->state = choose_state(idle, hint);
    if (idle->state != IDLE_AWAKE) {
        count_entry(idle, now);
    }
    idle->enter = now;
    idle->event = IDLE_NEVER;
    idle->kind = IDLE_BY_DEVICE;
    /* Always both, so that what one state does changes nothing in the others. */
    idle->chance_outlier = next_random(idle);
    idle->chance_spread = next_random(idle);
    idle->phase = IDLE_ASLEEP;
    idle_core_changed(idle, now);

    idle->deadline = MAX(foreseen(idle), now);
    foresee_all(idle->package, now);
}

/*
 * The CPU executes HLT or MWAIT, or reads a port of a state. Returns whether it sleeps; not
 * if what would end that is there already.
 */
bool idle_enter(CPUState *cs, uint32_t hint, bool irq_break, const uint8_t *line)
{
    IdleCpu *idle = idle_of(cs);
    bool sleeps;

    qemu_mutex_lock_iothread();
    /* The shadow of STI ends here. */
    X86_CPU(cs)->env.hflags &= ~HF_INHIBIT_IRQ_MASK;
    idle->irq_break = irq_break;
    idle->line = line;
    idle->phase = IDLE_RUNNING;
    sleeps = !line_changed(idle) && !is_ended(idle);
    if (sleeps) {
        fall_asleep(idle, hint);
    }
    qemu_mutex_unlock_iothread();
    return sleeps;
}

/* Whether reading a port asks for an idle state, and which. */
bool idle_port(uint32_t number, uint32_t *hint)
{
    for (int i = 0; i < idle_config.port_count; i++) {
        if (idle_config.ports[i].number == number) {
            *hint = idle_config.ports[i].hint;
            return true;
        }
    }
    return false;
}

static void wake_where_ended(CPUState *cs, run_on_cpu_data kind)
{
    IdleCpu *idle = idle_of(cs);

    if ((idle->phase == IDLE_ASLEEP || idle->phase == IDLE_LEAVING) &&
        is_ended(idle)) {
        wake(idle, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL), kind.host_int);
    }
}

/*
 * While the main loop raises an interrupt, of a disk, CPUs go on in their thread, and may be ahead
 * of the end of the exit before it is known to them: it waits until they have stopped.
 */
void idle_interrupt_raised(CPUState *cs)
{
    run_on_cpu_data kind = RUN_ON_CPU_HOST_INT(sending_ipi ? IDLE_BY_IPI : IDLE_BY_DEVICE);

    if (local_time_enabled() && !qemu_in_vcpu_thread()) {
        async_run_on_cpu(cs, wake_where_ended, kind);
    } else {
        wake_where_ended(cs, kind);
    }
}

/* The CPU begins to handle an interrupt, the first one after an idle period a bit later. */
void idle_interrupt_taken(CPUState *cs)
{
    IdleCpu *idle = idle_of(cs);

    if (idle->after_exit) {
        icount_advance(idle->after_exit);
        idle->after_exit = 0;
    }
}

void idle_ipi_begins(void)
{
    sending_ipi = true;
}

void idle_ipi_ends(void)
{
    sending_ipi = false;
}

/* CPUs may have written. */
void idle_memory_written(void)
{
    for (IdleCpu *idle = idle_cpus; idle < idle_cpus + idle_cpu_count; idle++) {
        if (idle->phase == IDLE_ASLEEP && line_changed(idle)) {
            wake(idle, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL), IDLE_BY_WRITE);
        }
    }
}

bool idle_memory_watched(ram_addr_t address, unsigned size)
{
    const uint8_t *memory = qemu_map_ram_ptr(NULL, address);

    for (IdleCpu *idle = idle_cpus; idle < idle_cpus + idle_cpu_count; idle++) {
        if (idle->phase == IDLE_ASLEEP && idle->line && memory < idle->line + X86_MONITOR_LINE &&
            memory + size > idle->line) {
            return true;
        }
    }
    return false;
}

/* False where the model has no say: the CPU is not in an idle period. */
bool idle_has_work(CPUState *cs, bool *has_work)
{
    const IdleCpu *idle = idle_of(cs);

    if (idle->phase == IDLE_RUNNING) {
        return false;
    }
    /* POLL becomes HARD when the CPU looks at it. */
    *has_work = idle->phase == IDLE_WOKEN ||
                (cs->interrupt_request & CPU_INTERRUPT_POLL);
    return true;
}

void idle_reset(CPUState *cs)
{
    IdleCpu *idle = idle_of(cs);

    if (!idle->cs) {
        return;
    }
    timer_del(idle->timer);
    idle->phase = IDLE_RUNNING;
    idle->line = NULL;
    idle_core_changed(idle, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL));
}

bool idle_realize(CPUState *cs, const char *path, Error **errp)
{
    IdleCpu *idle;

    if (cs->cpu_index >= IDLE_CPUS) {
        error_setg(errp, "more than %d CPUs", IDLE_CPUS);
        return false;
    }
    if (path && !idle_config.present && !idle_config_read(path, errp)) {
        return false;
    }
    idle_cpu_count = MAX(idle_cpu_count, cs->cpu_index + 1);
    idle = idle_of(cs);
    idle_topology_init(idle, cs);
    idle->random = idle_config.seed * 0x9e3779b97f4a7c15ULL + cs->cpu_index;
    idle->core->cst_config = idle_config.cst_config;
    idle->package->power_ctl = idle_config.power_ctl;
    X86_CPU(cs)->env.tsc_ahead_ns = idle_config.tsc_ahead[cs->cpu_index];
    idle->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, idle_timer, idle);
    return true;
}
