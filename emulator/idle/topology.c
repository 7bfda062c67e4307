/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model of the idle states of an Intel processor: threads, cores and packages, and
 * what they count.
 *
 * A core is in the state of its shallowest thread, a package in that of its
 * shallowest core. Counters and energies are brought up to date whenever something
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
static IdlePackage packages[IDLE_CPUS];

void idle_topology_init(IdleCpu *idle, CPUState *cs)
{
    MachineState *machine = MACHINE(qdev_get_machine());
    unsigned threads = machine->smp.threads;
    unsigned core = cs->cpu_index / threads;

    idle->cs = cs;
    idle->core = &cores[core];
    idle->package = &packages[core / machine->smp.cores];
    idle->first_sibling = core * threads;
    idle->siblings = threads;
    idle->core->state = IDLE_AWAKE;
    idle->core->since = IDLE_NEVER;
}

/*
 * The state that a level belongs to: st itself, or what a step of it leads to. A level
 * without a state is like the deepest state above it; NULL: like being awake.
 */
static const IdleState *state_of_level(const IdleState *st, int level)
{
    const IdleState *found = NULL;

    if (st->level == level) {
        return st;
    }
    for (int i = 0; i < idle_config.state_count; i++) {
        if (idle_config.states[i].level <= level) {
            found = &idle_config.states[i];
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
    st = &idle_config.states[core->state];
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
    st = &idle_config.states[core->state];
    for (int i = 0; i < st->step_count; i++) {
        if (core->since + st->steps[i].after > now) {
            return core->since + st->steps[i].after;
        }
    }
    return IDLE_NEVER;
}

/* What a core allows its package. */
static int package_level_of(const IdleCore *core, int64_t now)
{
    const IdleState *st;

    if (is_awake(core, now)) {
        return 0;
    }
    st = state_of_level(&idle_config.states[core->state],
                        idle_core_level(core, now));
    return st ? st->package : 0;
}

static uint64_t core_power(const IdleCore *core, int64_t now)
{
    const IdleState *st;

    if (is_awake(core, now)) {
        return idle_config.awake_mw;
    }
    st = state_of_level(&idle_config.states[core->state],
                        idle_core_level(core, now));
    return st ? st->power_mw : idle_config.awake_mw;
}

/* Run the code for each CPU that is the first thread of a core of the package. */
#define FOREACH_CORE(cpu, of)                                           \
    for ((cpu) = idle_cpus; (cpu) < idle_cpus + idle_cpu_count; (cpu)++) \
        if ((cpu)->cs && (cpu)->package == (of) &&                      \
            (cpu)->cs->cpu_index == (cpu)->first_sibling)

int idle_package_level(const IdleCpu *idle, int64_t now)
{
    int level = IDLE_LEVELS - 1;
    const IdleCpu *cpu;

    if (!idle_config.present) {
        return 0;
    }
    FOREACH_CORE(cpu, idle->package) {
        uint64_t allowed = cpu->core->cst_config & idle_config.limit_mask;

        level = MIN(level, package_level_of(cpu->core, now));
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

static void account_energy(IdlePackage *package, uint64_t power,
                           uint64_t cores_power, int64_t until)
{
    int64_t length = until - package->accounted;
    int64_t shown = last_update(until) - package->accounted;

    if (shown > 0) {
        package->shown_energy = package->energy + power * shown;
        package->shown_cores_energy = package->cores_energy + cores_power * shown;
    }
    package->energy += power * length;
    package->cores_energy += cores_power * length;
}

static int64_t next_change_in(const IdlePackage *package, int64_t until)
{
    const IdleCpu *cpu;

    FOREACH_CORE(cpu, package) {
        until = MIN(until, next_change(cpu->core, package->accounted));
    }
    return until;
}

/* Everything in the package counts up to now. */
void idle_account(IdleCpu *idle, int64_t now)
{
    IdlePackage *package = idle->package;
    IdleCpu *cpu;

    while (package->accounted < now) {
        int64_t begin = package->accounted;
        int64_t end = next_change_in(package, now);
        int level = idle_package_level(idle, begin);
        uint64_t power = 0;

        FOREACH_CORE(cpu, package) {
            cpu->core->counter[idle_core_level(cpu->core, begin)] += end - begin;
            power += core_power(cpu->core, begin);
        }
        package->counter[level] += end - begin;
        account_energy(package, power + (level ? 0 : idle_config.uncore_mw),
                       power, end);
        package->accounted = end;
    }
}

uint32_t idle_energy_units(const IdleCpu *idle, bool of_cores)
{
    const IdlePackage *package = idle->package;
    unsigned __int128 energy = of_cores ? package->shown_cores_energy :
                                          package->shown_energy;

    /* Bits 12 to 8: the unit is 2^-n J. SDM volume 4, MSR_RAPL_POWER_UNIT */
    energy <<= idle_config.rapl.unit >> 8 & 0x1f;
    return energy / PJ_PER_J + idle_config.rapl_start;
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

    idle_account(idle, now);
    for (unsigned i = 0; i < idle->siblings; i++) {
        IdleCpu *thread = &idle_cpus[idle->first_sibling + i];

        state = MIN(state, thread_is_awake(thread) ? IDLE_AWAKE : thread->state);
    }
    if (state != core->state) {
        core->state = state;
        core->since = state == IDLE_AWAKE ? IDLE_NEVER :
                                            now + idle_config.states[state].entry;
    }
}
