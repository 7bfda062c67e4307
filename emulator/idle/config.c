/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model of the idle states of an Intel processor: the file that describes it. The
 * comment above each function says which line it takes; what the words of the line
 * "truth" mean is in emulator/processor.md.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/cutils.h"
#include "idle.h"

/* Where it is not said otherwise, what TRUTH says is in ns. */
#define LONGEST_NS      1000000000

/* The kernel takes an energy register that reads as 0 for one that is not there. */
IdleConfig idle_config = { .seed = 1, .rapl_start = 0x10000, .frequency = 100 };

/* A level or package state by its name: C6 or PC6. */
static bool get_level(const char *text, const char *prefix, int *level)
{
    unsigned long number;

    if (!g_str_has_prefix(text, prefix) ||
        qemu_strtoul(text + strlen(prefix), NULL, 10, &number) ||
        number >= IDLE_LEVELS) {
        return false;
    }
    *level = number;
    return true;
}

static bool get_number(const char *text, uint64_t most, uint64_t *number)
{
    return text && *text && !qemu_strtou64(text, NULL, 0, number) && *number <= most;
}

static bool get_ns(const char *text, int64_t *ns)
{
    uint64_t number;

    if (!get_number(text, LONGEST_NS, &number)) {
        return false;
    }
    *ns = number;
    return true;
}

static bool get_u32(const char *text, uint32_t *value)
{
    uint64_t number;

    if (!get_number(text, UINT32_MAX, &number)) {
        return false;
    }
    *value = number;
    return true;
}

static IdleState *find_state(const char *name)
{
    for (int i = 0; i < idle_config.state_count; i++) {
        if (!strcmp(idle_config.states[i].name, name)) {
            return &idle_config.states[i];
        }
    }
    return NULL;
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
    return count == 2 || get_level(parts[2], "C", &step->level);
}

/* N/NS */
static bool take_outlier(IdleState *st, const char *value)
{
    g_auto(GStrv) parts = g_strsplit(value, "/", -1);

    return g_strv_length(parts) == 2 && get_u32(parts[0], &st->outlier_every) &&
           st->outlier_every && get_ns(parts[1], &st->outlier);
}

static bool take_demotion(IdleState *st, const char *value)
{
    if (st == idle_config.states || !get_u32(value, &st->demote_every) ||
        !st->demote_every) {
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
    } else if (!strcmp(name, "spread")) {
        return get_ns(value, &st->spread);
    } else if (!strcmp(name, "package")) {
        return get_ns(value, &st->package_exit);
    } else if (!strcmp(name, "power")) {
        return get_u32(value, &st->power_mw);
    } else if (!strcmp(name, "level")) {
        return get_level(value, "C", &st->first_level);
    } else if (!strcmp(name, "after")) {
        return take_step(st, value);
    } else if (!strcmp(name, "outlier")) {
        return take_outlier(st, value);
    } else if (!strcmp(name, "demote")) {
        return take_demotion(st, value);
    }
    return false;
}

/* NAME:exit_ns[:option,...] */
static bool take_state(const char *word)
{
    g_auto(GStrv) parts = g_strsplit(word, ":", -1);
    g_auto(GStrv) options = NULL;
    IdleState *st = find_state(parts[0]);

    if (!st || g_strv_length(parts) > 3 || !get_ns(parts[1], &st->exit)) {
        return false;
    }
    options = g_strsplit(parts[2] ?: "", ",", -1);
    for (unsigned i = 0; options[i]; i++) {
        if (!take_option(st, options[i])) {
            return false;
        }
    }
    return true;
}

/* A percentage of the rate of the TSC. */
static bool get_frequency(const char *text, uint32_t *frequency)
{
    uint64_t number;

    if (!get_number(text, 999, &number) || !number) {
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

static bool take_word(const char *word)
{
    const char *value = strchr(word, '=');

    if (strchr(word, ':')) {
        return take_state(word);
    } else if (!strcmp(word, "prewake") || g_str_has_prefix(word, "prewake=")) {
        idle_config.prewake = true;
        idle_config.power_ctl &= ~(1ULL << 30);
        return !value || get_ns(value + 1, &idle_config.prewake_late);
    } else if (!strcmp(word, "no-pc6")) {
        return take_no_pc6();
    } else if (g_str_has_prefix(word, "frequency=")) {
        return get_frequency(value + 1, &idle_config.frequency);
    } else if (g_str_has_prefix(word, "ramp=")) {
        return take_ramp(value + 1);
    } else if (g_str_has_prefix(word, "seed=")) {
        return get_number(value + 1, UINT32_MAX, &idle_config.seed);
    } else if (g_str_has_prefix(word, "awake=")) {
        return get_u32(value + 1, &idle_config.awake_mw);
    } else if (g_str_has_prefix(word, "uncore=")) {
        return get_u32(value + 1, &idle_config.uncore_mw);
    } else if (g_str_has_prefix(word, "rapl=")) {
        return get_u32(value + 1, &idle_config.rapl_start);
    }
    return false;
}

static bool take_truth(char **words, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (!take_word(words[i])) {
            return false;
        }
    }
    return true;
}

/* state NAME HINT LEVEL [PACKAGE] */
static bool take_state_line(char **words, unsigned count)
{
    IdleState *st = &idle_config.states[idle_config.state_count];

    if (count < 3 || count > 4 || idle_config.state_count == IDLE_STATES ||
        g_strlcpy(st->name, words[0], sizeof(st->name)) >= sizeof(st->name) ||
        !get_u32(words[1], &st->hint) || !get_level(words[2], "C", &st->level) ||
        (count == 4 && !get_level(words[3], "PC", &st->package))) {
        return false;
    }
    st->first_level = st->level;
    idle_config.state_count++;
    return true;
}

/* port NUMBER HINT */
static bool take_port_line(char **words, unsigned count)
{
    IdlePort *port = &idle_config.ports[idle_config.port_count];

    if (count != 2 || idle_config.port_count == IDLE_PORTS ||
        !get_u32(words[0], &port->number) || port->number < 0x100 || !get_u32(words[1], &port->hint)) {
        return false;
    }
    idle_config.port_count++;
    return true;
}

/* counter LEVEL MSR */
static bool take_counter_line(char **words, unsigned count)
{
    int level;

    if (count != 2) {
        return false;
    }
    return get_level(words[0], "PC", &level) ?
           get_u32(words[1], &idle_config.package_msr[level]) :
           get_level(words[0], "C", &level) &&
           get_u32(words[1], &idle_config.core_msr[level]);
}

/* zero MSR */
static bool take_zero_line(char **words, unsigned count)
{
    return count == 1 && idle_config.zero_count < IDLE_LEVELS &&
           get_u32(words[0], &idle_config.zero_msr[idle_config.zero_count++]);
}

/* cst-config VALUE MASK ENCODING=PACKAGE... */
static bool take_cst_config_line(char **words, unsigned count)
{
    if (count < 2 || !get_number(words[0], UINT64_MAX, &idle_config.cst_config) ||
        !get_number(words[1], ARRAY_SIZE(idle_config.limit) - 1,
                    &idle_config.limit_mask)) {
        return false;
    }
    /* What means nothing limits nothing. */
    for (unsigned i = 0; i < ARRAY_SIZE(idle_config.limit); i++) {
        idle_config.limit[i] = IDLE_LEVELS - 1;
    }
    for (unsigned i = 2; i < count; i++) {
        g_auto(GStrv) parts = g_strsplit(words[i], "=", 2);
        uint64_t value;

        if (!parts[1] || !get_number(parts[0], idle_config.limit_mask, &value) ||
            !get_level(parts[1], "PC", &idle_config.limit[value])) {
            return false;
        }
    }
    return true;
}

/* power-ctl VALUE */
static bool take_power_ctl_line(char **words, unsigned count)
{
    return count == 1 && get_number(words[0], UINT64_MAX, &idle_config.power_ctl);
}

/* rapl UNIT PACKAGE-MSR [CORES-MSR] */
static bool take_rapl_line(char **words, unsigned count)
{
    IdleRapl *rapl = &idle_config.rapl;

    rapl->unit_msr = 0x606;
    return (count == 2 || count == 3) &&
           get_number(words[0], UINT64_MAX, &rapl->unit) &&
           get_u32(words[1], &rapl->package_msr) &&
           (count == 2 || get_u32(words[2], &rapl->cores_msr));
}

/* log PATH */
static bool take_log_line(char **words, unsigned count)
{
    if (count != 1) {
        return false;
    }
    idle_config.log = fopen(words[0], "w");
    if (!idle_config.log) {
        return false;
    }
    /* Complete when the emulator is killed */
    setvbuf(idle_config.log, NULL, _IOLBF, BUFSIZ);
    fputs("cpu,hint,enter_ns,event_ns,exit_ns,level,package\n", idle_config.log);
    return true;
}

/* cpu PROPERTIES: for whoever starts the emulator */
static bool take_cpu_line(char **words, unsigned count)
{
    return count == 1;
}

static const struct {
    const char *name;
    bool (*take)(char **words, unsigned count);
} lines[] = {
    { "cpu", take_cpu_line },
    { "state", take_state_line },
    { "counter", take_counter_line },
    { "zero", take_zero_line },
    { "cst-config", take_cst_config_line },
    { "power-ctl", take_power_ctl_line },
    { "rapl", take_rapl_line },
    { "truth", take_truth },
    { "port", take_port_line },
    { "log", take_log_line },
};

static bool take_line(char **words)
{
    for (unsigned i = 0; i < ARRAY_SIZE(lines); i++) {
        if (!strcmp(words[0], lines[i].name)) {
            return lines[i].take(words + 1, g_strv_length(words) - 1);
        }
    }
    return false;
}

/* The words of a line, without those that are empty; none of a comment. */
static GStrv split_line(char *line)
{
    GStrv words;
    unsigned count = 0;

    words = g_strsplit_set(*line == '#' ? "" : line, " \t", -1);
    for (unsigned i = 0; words[i]; i++) {
        if (*words[i]) {
            words[count++] = words[i];
        } else {
            g_free(words[i]);
        }
    }
    words[count] = NULL;
    return words;
}

bool idle_config_read(const char *path, Error **errp)
{
    g_autofree char *text = NULL;
    g_auto(GStrv) all = NULL;

    if (!g_file_get_contents(path, &text, NULL, NULL)) {
        error_setg(errp, "cannot read '%s'", path);
        return false;
    }
    all = g_strsplit(text, "\n", -1);
    for (unsigned i = 0; all[i]; i++) {
        g_autofree char *copy = g_strdup(all[i]);
        g_auto(GStrv) words = split_line(copy);

        if (words[0] && !take_line(words)) {
            error_setg(errp, "%s, line %u: cannot use '%s'", path, i + 1, all[i]);
            return false;
        }
    }
    idle_config.present = true;
    return true;
}
