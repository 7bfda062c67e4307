/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model of the idle states of an Intel processor: threads, cores, modules and packages,
 * and what they count.
 *
 * A core is in the state of its shallowest thread, a module and a package in that of
 * their shallowest core. Counters and energies are brought up to date whenever something
 * changes and whenever they are read: between two changes each core is at one level,
 * and so is the package.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "hw/boards.h"
#include "idle.h"

/*
 * Of the energy registers. 976 us is 2^-10 s, the unit of time in
 * MSR_RAPL_POWER_UNIT; the paper "Sleep Well", section 2.4, has "approximately 1 ms".
 * How much the period varies no source says.
 */
#define RAPL_PERIOD_NS  976562
#define RAPL_JITTER_NS  50000

#define PJ_PER_J        1000000000000ULL

static IdleCore cores[IDLE_CPUS];
static IdleModule modules[IDLE_CPUS];
static IdlePackage packages[IDLE_CPUS];

/* Of the cores of a package, the second half are efficient ones. */
bool idle_is_efficient(int cpu)
{
    const CpuTopology *smp = &MACHINE(qdev_get_machine())->smp;
    unsigned core = cpu / smp->threads % smp->cores;

    return idle_config.hybrid && core >= DIV_ROUND_UP(smp->cores, 2);
}

/* The module of a core; each is in one of its own where there are none. Packages share none. */
static IdleModule *module_of(unsigned core, unsigned cores_in_package)
{
    unsigned in_package = core % cores_in_package;

    return &modules[core - in_package % MAX(idle_config.module_cores, 1)];
}

void idle_topology_init(IdleCpu *idle, CPUState *cs)
{
    MachineState *machine = MACHINE(qdev_get_machine());
    unsigned threads = machine->smp.threads;
    unsigned core = cs->cpu_index / threads;

    idle->cs = cs;
    idle->core = &cores[core];
    idle->module = module_of(core, machine->smp.cores);
    idle->package = &packages[core / machine->smp.cores];
    idle->first_sibling = core * threads;
    idle->siblings = threads;
    idle->states = idle_states_of(cs->cpu_index);
    idle->core->states = idle_states_of(idle->first_sibling);
    idle->core->state = IDLE_AWAKE;
    idle->core->since = IDLE_NEVER;
}

/*
 * The state that the level of a core belongs to: that it is in, or what a step of it leads
 * to. A level without a state is like the deepest state above it; NULL: like being awake.
 */
static const IdleState *state_of_level(const IdleCore *core, int level)
{
    const IdleState *found = NULL;

    if (core->states[core->state].level == level) {
        return &core->states[core->state];
    }
    for (int i = 0; i < idle_config.state_count; i++) {
        if (core->states[i].level <= level) {
            found = &core->states[i];
        }
    }
    return found;
}

static bool is_awake(const IdleCore *core, int64_t now)
{
    return core->state == IDLE_AWAKE || now < core->since;
}

int idle_core_level(const IdleCore *core, int64_t now)
{
    const IdleState *st;
    int level;

    if (is_awake(core, now)) {
        return 0;
    }
    st = &core->states[core->state];
    level = st->first_level;
    for (int i = 0; i < st->step_count; i++) {
        if (now - core->since >= st->steps[i].after &&
            st->steps[i].level != IDLE_SAME_LEVEL) {
            level = st->steps[i].level;
        }
    }
    return level;
}

/* When the level changes next if nothing happens. */
static int64_t next_change(const IdleCore *core, int64_t now)
{
    const IdleState *st;

    if (core->state == IDLE_AWAKE) {
        return IDLE_NEVER;
    }
    if (now < core->since) {
        return core->since;
    }
    st = &core->states[core->state];
    for (int i = 0; i < st->step_count; i++) {
        if (core->since + st->steps[i].after > now) {
            return core->since + st->steps[i].after;
        }
    }
    return IDLE_NEVER;
}

/* The state that a core is in; NULL: it is awake, or as if it were. */
static const IdleState *current_state(const IdleCore *core, int64_t now)
{
    return is_awake(core, now) ? NULL : state_of_level(core, idle_core_level(core, now));
}

static uint64_t core_power(const IdleCore *core, int64_t now)
{
    const IdleState *st = current_state(core, now);

    if (st) {
        return st->power_mw;
    }
    return idle_config.awake_mw + idle_config.thread_mw * MAX(core->awake_threads, 1) -
           idle_config.thread_mw;
}

/* Beside its cores; where several states lead to one of the package, the most. */
static uint64_t package_power(int level)
{
    uint64_t power = level ? 0 : idle_config.rest_mw;

    for (int i = 0; level && i < idle_config.state_count; i++) {
        if (idle_config.states[i].package == level) {
            power = MAX(power, idle_config.states[i].rest_mw);
        }
    }
    return power;
}

/* Run the code for each CPU that is the first thread of a core of the package. */
#define FOREACH_CORE(cpu, of)                                           \
    for ((cpu) = idle_cpus; (cpu) < idle_cpus + idle_cpu_count; (cpu)++) \
        if ((cpu)->cs && (cpu)->package == (of) &&                      \
            (cpu)->cs->cpu_index == (cpu)->first_sibling)

/* A module is in the state of its shallowest core. */
int idle_module_level(const IdleCpu *idle, int64_t now)
{
    int level = IDLE_LEVELS - 1;
    const IdleCpu *cpu;

    if (!idle_config.module_cores) {
        return 0;
    }
    FOREACH_CORE(cpu, idle->package) {
        const IdleState *st = current_state(cpu->core, now);

        if (cpu->module == idle->module) {
            level = MIN(level, st ? st->module : 0);
        }
    }
    return level;
}

int idle_package_level(const IdleCpu *idle, int64_t now)
{
    int level = IDLE_LEVELS - 1;
    const IdleCpu *cpu;

    if (!idle_config.present) {
        return 0;
    }
    FOREACH_CORE(cpu, idle->package) {
        uint64_t allowed = cpu->core->cst_config & idle_config.limit_mask;
        const IdleState *st = current_state(cpu->core, now);

        level = MIN(level, st ? st->package : 0);
        level = MIN(level, idle_config.limit[allowed]);
    }
    return level;
}

/* The last update of the energy registers up to a time. */
static int64_t last_update(int64_t now)
{
    int64_t number = now / RAPL_PERIOD_NS;
    int64_t time;

    do {
        /* Fibonacci hashing */
        uint64_t hash = (idle_config.seed + number) * 0x9e3779b97f4a7c15ULL;

        time = number * RAPL_PERIOD_NS + (hash >> 32) % RAPL_JITTER_NS;
        number--;
    } while (time > now && number >= 0);
    return time;
}

/* The energy of a power for a time that is in one update period. */
static uint64_t energy_of(uint64_t power, int64_t time, int64_t factor_ppm)
{
    return idle_config.noise_percent ? power * time * factor_ppm / 1000000 : power * time;
}

/* Some time passes, of which a part, or none, is before the last update. */
static void use_energy(IdleEnergy *energy, uint64_t power, int64_t time, int64_t shown,
                       int64_t factor_ppm)
{
    if (shown > 0) {
        energy->shown = energy->used + energy_of(power, shown, factor_ppm);
    }
    energy->used += energy_of(power, time, factor_ppm);
}

static int64_t next_change_in(const IdlePackage *package, int64_t until)
{
    const IdleCpu *cpu;

    FOREACH_CORE(cpu, package) {
        until = MIN(until, next_change(cpu->core, package->accounted));
    }
    if (idle_config.noise_percent) {
        until = MIN(until, (package->accounted / RAPL_PERIOD_NS + 1) * RAPL_PERIOD_NS);
    }
    return until;
}

static bool is_first_in_module(const IdleCpu *cpu)
{
    return cpu->module - modules == cpu->core - cores;
}

/* Everything in the package counts up to now. */
void idle_account(IdleCpu *idle, int64_t now)
{
    IdlePackage *package = idle->package;
    IdleCpu *cpu;

    while (package->accounted < now) {
        int64_t begin = package->accounted;
        int64_t end = next_change_in(package, now);
        int64_t time = end - begin;
        int64_t shown = last_update(end) - begin;
        int64_t factor = idle_draw_factor(begin / RAPL_PERIOD_NS, idle_config.noise_percent);
        int level = idle_package_level(idle, begin);
        uint64_t power = 0;

        FOREACH_CORE(cpu, package) {
            uint64_t of_core = core_power(cpu->core, begin);

            cpu->core->counter[idle_core_level(cpu->core, begin)] += time;
            use_energy(&cpu->core->energy, of_core, time, shown, factor);
            power += of_core;
            if (is_first_in_module(cpu)) {
                cpu->module->counter[idle_module_level(cpu, begin)] += time;
            }
        }
        package->counter[level] += time;
        use_energy(&package->cores_energy, power, time, shown, factor);
        use_energy(&package->energy, power + package_power(level), time, shown, factor);
        package->accounted = end;
    }
}

uint32_t idle_energy_units(const IdleEnergy *energy)
{
    unsigned __int128 shown = energy->shown;

    /* Bits 12 to 8: the unit is 2^-n J. SDM volume 4, MSR_RAPL_POWER_UNIT */
    shown <<= idle_config.rapl.unit >> 8 & 0x1f;
    return shown / PJ_PER_J + idle_config.rapl_start;
}

/*
 * What a CPU has done while it was awake, in ns at a hundredth of the rate of the TSC: of that
 * APERF is made. For a time after each exit it is slow, or fast.
 */
int64_t idle_worked(const IdleCpu *idle, int64_t now)
{
    int64_t awake = now - idle->awake_since;
    int64_t ramp = MIN(awake, idle_config.ramp_ns);

    return idle->worked + ramp * idle_config.ramp_frequency +
           (awake - ramp) * idle_config.frequency;
}

static bool thread_is_awake(const IdleCpu *thread)
{
    return (thread->phase != IDLE_ASLEEP && thread->phase != IDLE_HELD) ||
           thread->state == IDLE_AWAKE;
}

/* A thread of the core began or ended to be idle. */
void idle_core_changed(IdleCpu *idle, int64_t now)
{
    IdleCore *core = idle->core;
    int state = idle_config.state_count - 1;
    unsigned awake = 0;

    idle_account(idle, now);
    for (unsigned i = 0; i < idle->siblings; i++) {
        IdleCpu *thread = &idle_cpus[idle->first_sibling + i];

        state = MIN(state, thread_is_awake(thread) ? IDLE_AWAKE : thread->state);
        awake += thread_is_awake(thread);
    }
    core->awake_threads = awake;
    if (state != core->state) {
        core->state = state;
        core->since = state == IDLE_AWAKE ? IDLE_NEVER :
                                            now + core->states[state].entry;
    }
}
