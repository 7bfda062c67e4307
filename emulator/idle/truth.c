/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model of the idle states of an Intel processor: what they cost, the line "truth" of its
 * file. What the words mean is in emulator/processor.md.
 */

#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "hw/boards.h"
#include "idle.h"

#include <math.h>

/* Where it is not said otherwise, what TRUTH says is in ns. */
#define LONGEST_NS      1000000000

static bool get_ns(const char *text, int64_t *ns)
{
    uint64_t number;

    if (!idle_get_number(text, LONGEST_NS, &number)) {
        return false;
    }
    *ns = number;
    return true;
}

IdleState *idle_find_state(IdleState *states, const char *name)
{
    for (int i = 0; i < idle_config.state_count; i++) {
        if (!strcmp(states[i].name, name)) {
            return &states[i];
        }
    }
    return NULL;
}

/* A copy of the states for one CPU, which differ from then on. */
static IdleState *own_states(unsigned cpu)
{
    if (!idle_config.own[cpu]) {
        idle_config.own[cpu] = g_memdup2(idle_config.states, sizeof(idle_config.states));
    }
    return idle_config.own[cpu];
}

const IdleState *idle_states_of(int cpu)
{
    return idle_config.own[cpu] ?: idle_config.states;
}

static unsigned cpu_count(void)
{
    return MIN(MACHINE(qdev_get_machine())->smp.max_cpus, IDLE_CPUS);
}

/* T/NS or T/NS/LEVEL; steps come in the order of their times. */
static bool take_step(IdleState *st, const char *value)
{
    g_auto(GStrv) parts = g_strsplit(value, "/", -1);
    unsigned count = g_strv_length(parts);
    IdleStep *step = &st->steps[st->step_count];

    if (st->step_count == IDLE_STEPS || count < 2 || count > 3 ||
        !get_ns(parts[0], &step->after) || !get_ns(parts[1], &step->exit)) {
        return false;
    }
    step->level = IDLE_SAME_LEVEL;
    if (st->step_count && step->after <= step[-1].after) {
        return false;
    }
    st->step_count++;
    return count == 2 || idle_get_level(parts[2], "C", &step->level);
}

/* N/NS */
static bool take_count(const char *value, uint32_t *count, int64_t *ns)
{
    g_auto(GStrv) parts = g_strsplit(value, "/", -1);

    return g_strv_length(parts) == 2 && idle_get_u32(parts[0], count) && *count &&
           get_ns(parts[1], ns);
}

static bool take_demotion(IdleState *st, const char *value)
{
    if (!strcmp(st->name, idle_config.states[0].name) || !idle_config.has_cst_config ||
        !idle_get_u32(value, &st->demote_every) || !st->demote_every) {
        return false;
    }
    /* C1 and C3 auto demotion, as the firmware of real machines switches them on */
    idle_config.cst_config |= 3ULL << 25;
    return true;
}

static bool take_option(IdleState *st, const char *option)
{
    g_auto(GStrv) parts = g_strsplit(option, "=", 2);
    const char *name = parts[0], *value = parts[1];

    if (!value) {
        return false;
    } else if (!strcmp(name, "entry")) {
        return get_ns(value, &st->entry);
    } else if (!strcmp(name, "write")) {
        return get_ns(value, &st->write_exit);
    } else if (!strcmp(name, "ipi")) {
        return get_ns(value, &st->ipi_exit);
    } else if (!strcmp(name, "spread")) {
        return get_ns(value, &st->spread);
    } else if (!strcmp(name, "module")) {
        return st->module && get_ns(value, &st->module_exit);
    } else if (!strcmp(name, "package")) {
        return st->package && get_ns(value, &st->package_exit);
    } else if (!strcmp(name, "power")) {
        return idle_get_u32(value, &st->power_mw);
    } else if (!strcmp(name, "rest")) {
        return st->package && idle_get_u32(value, &st->rest_mw);
    } else if (!strcmp(name, "level")) {
        return idle_get_level(value, "C", &st->first_level);
    } else if (!strcmp(name, "after")) {
        return take_step(st, value);
    } else if (!strcmp(name, "outlier")) {
        return take_count(value, &st->outlier_every, &st->outlier);
    } else if (!strcmp(name, "first")) {
        return take_count(value, &st->first_count, &st->first);
    } else if (!strcmp(name, "after-exit")) {
        return get_ns(value, &st->after_exit);
    } else if (!strcmp(name, "demote")) {
        return take_demotion(st, value);
    }
    return false;
}

/* exit_ns[:option,...] of one of these states. Options that are not named stay as they are. */
static bool take_costs(IdleState *states, const char *name, char **costs)
{
    g_auto(GStrv) options = NULL;
    IdleState *st = idle_find_state(states, name);

    if (!st || !get_ns(costs[0], &st->exit)) {
        return false;
    }
    /* The steps of one CPU stand for those of all. */
    if (costs[1] && strstr(costs[1], "after=")) {
        st->step_count = 0;
    }
    options = g_strsplit(costs[1] ?: "", ",", -1);
    for (unsigned i = 0; options[i]; i++) {
        if (!take_option(st, options[i])) {
            return false;
        }
    }
    return true;
}

/* NAME@core and NAME@atom: all CPUs of that type. */
static bool take_type(const char *name, const char *type, char **costs)
{
    bool efficient = !strcmp(type, "atom");

    if (!idle_config.hybrid || (!efficient && strcmp(type, "core"))) {
        return false;
    }
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++) {
        if (idle_is_efficient(cpu) == efficient &&
            !take_costs(own_states(cpu), name, costs)) {
            return false;
        }
    }
    return true;
}

static bool is_of_type(const char *word)
{
    const char *at = strchr(word, '@');

    return at && g_ascii_isalpha(at[1]);
}

/* NAME[@CPU]:exit_ns[:option,...], where CPU is a number or a type. */
static bool take_state(const char *word)
{
    g_auto(GStrv) parts = g_strsplit(word, ":", -1);
    g_auto(GStrv) name = g_strsplit(parts[0], "@", 2);
    uint64_t cpu;

    if (g_strv_length(parts) > 3) {
        return false;
    }
    if (!name[1]) {
        return take_costs(idle_config.states, name[0], parts + 1);
    }
    if (is_of_type(parts[0])) {
        return take_type(name[0], name[1], parts + 1);
    }
    return idle_get_number(name[1], cpu_count() - 1, &cpu) &&
           take_costs(own_states(cpu), name[0], parts + 1);
}

/* A percentage of the rate of the TSC. */
static bool get_frequency(const char *text, uint32_t *frequency)
{
    uint64_t number;

    if (!idle_get_number(text, 999, &number) || !number) {
        return false;
    }
    *frequency = number;
    return true;
}

/* NS/PERCENT */
static bool take_ramp(const char *value)
{
    g_auto(GStrv) parts = g_strsplit(value, "/", -1);

    return g_strv_length(parts) == 2 && get_ns(parts[0], &idle_config.ramp_ns) &&
           get_frequency(parts[1], &idle_config.ramp_frequency);
}

/* NS/NS/NS/NS: from a sibling, within the module, within the package, and from another one. */
static bool take_delivery(const char *value)
{
    g_auto(GStrv) parts = g_strsplit(value, "/", -1);

    for (int place = 0; place < IDLE_PLACES; place++) {
        if (!parts[place] || !get_ns(parts[place], &idle_config.delivery[place])) {
            return false;
        }
    }
    return !parts[IDLE_PLACES];
}

/* CPU/NS */
static bool take_tsc_ahead(const char *value)
{
    g_auto(GStrv) parts = g_strsplit(value, "/", -1);
    uint64_t cpu;

    return g_strv_length(parts) == 2 &&
           idle_get_number(parts[0], cpu_count() - 1, &cpu) &&
           get_ns(parts[1], &idle_config.tsc_ahead[cpu]);
}

/* A bit of MSR_POWER_CTL */
static bool take_stuck(const char *value)
{
    uint64_t bit;

    if (!idle_config.has_power_ctl || !idle_get_number(value, 63, &bit)) {
        return false;
    }
    idle_config.stuck = 1ULL << bit;
    return true;
}

/* A deviation. */
static bool get_percent(const char *text, uint32_t *percent)
{
    uint64_t number;

    if (!idle_get_number(text, 20, &number) || !number) {
        return false;
    }
    *percent = number;
    return true;
}

/* The package can go no deeper than PC2: the largest value that says so. */
static bool take_no_pc6(void)
{
    for (int i = ARRAY_SIZE(idle_config.limit) - 1; i >= 0; i--) {
        if (idle_config.limit[i] == 2) {
            idle_config.cst_config &= ~idle_config.limit_mask;
            idle_config.cst_config |= i;
            return true;
        }
    }
    return false;
}

/* [=NS] */
static bool take_prewake(const char *value)
{
    idle_config.prewake = true;
    idle_config.power_ctl &= ~(1ULL << 30);
    return idle_config.has_power_ctl && (!value || get_ns(value + 1, &idle_config.prewake_late));
}

static bool take_word(const char *word)
{
    const char *value = strchr(word, '=');

    if (strchr(word, ':')) {
        return take_state(word);
    } else if (!strcmp(word, "prewake") || g_str_has_prefix(word, "prewake=")) {
        return take_prewake(value);
    } else if (!strcmp(word, "no-pc6")) {
        return take_no_pc6();
    } else if (g_str_has_prefix(word, "frequency=")) {
        return get_frequency(value + 1, &idle_config.frequency);
    } else if (g_str_has_prefix(word, "delivery=")) {
        return take_delivery(value + 1);
    } else if (g_str_has_prefix(word, "tsc-ahead=")) {
        return take_tsc_ahead(value + 1);
    } else if (g_str_has_prefix(word, "ramp=")) {
        return take_ramp(value + 1);
    } else if (g_str_has_prefix(word, "stuck=")) {
        return take_stuck(value + 1);
    } else if (g_str_has_prefix(word, "boot=")) {
        return get_percent(value + 1, &idle_config.boot_percent);
    } else if (g_str_has_prefix(word, "seed=")) {
        return idle_get_number(value + 1, UINT32_MAX, &idle_config.seed);
    } else if (g_str_has_prefix(word, "awake=")) {
        return idle_get_u32(value + 1, &idle_config.awake_mw);
    } else if (g_str_has_prefix(word, "thread=")) {
        return idle_get_u32(value + 1, &idle_config.thread_mw);
    } else if (g_str_has_prefix(word, "rest=")) {
        return idle_get_u32(value + 1, &idle_config.rest_mw);
    } else if (g_str_has_prefix(word, "noise=")) {
        return get_percent(value + 1, &idle_config.noise_percent);
    } else if (g_str_has_prefix(word, "rapl=")) {
        return idle_get_u32(value + 1, &idle_config.rapl_start);
    }
    return false;
}

/* Which CPUs a word is about. */
enum scope { OF_ALL, OF_TYPE, OF_ONE, SCOPES };

static enum scope scope_of(const char *word)
{
    return !strchr(word, '@') ? OF_ALL : is_of_type(word) ? OF_TYPE : OF_ONE;
}

/* What is said of more CPUs holds for each of them, in whichever order the words are. */
bool idle_take_truth(char **words, unsigned count)
{
    for (int scope = OF_ALL; scope < SCOPES; scope++) {
        for (unsigned i = 0; i < count; i++) {
            if (scope_of(words[i]) == scope && !take_word(words[i])) {
                return false;
            }
        }
    }
    return true;
}

/* A number above 0 and up to 1, which depends on the seed and this only. */
static double drawn(uint64_t number)
{
    uint64_t hash = (idle_config.seed << 32 | number) * 0x9e3779b97f4a7c15ULL;

    /* The finalizer of splitmix64: seeds and numbers follow each other. */
    hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9ULL;
    hash = (hash ^ hash >> 27) * 0x94d049bb133111ebULL;
    hash ^= hash >> 31;
    return ((hash >> 11) + 1) * 0x1p-53;
}

/*
 * A factor in ppm that is normally distributed around 1 with this deviation: the one of this number
 * and the seed. The method of Box and Muller makes it.
 */
int64_t idle_draw_factor(uint64_t number, uint32_t percent)
{
    double normal = 0;

    if (percent) {
        normal = sqrt(-2 * log(drawn(2 * number))) * cos(2 * M_PI * drawn(2 * number + 1));
    }
    return MAX(0, 1e6 + 1e4 * percent * normal);
}
