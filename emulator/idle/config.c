/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model of the idle states of an Intel processor: the file that describes it. The
 * comment above each function says which line it takes.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/cutils.h"
#include "qemu/host-utils.h"
#include "idle.h"

/* The kernel takes an energy register that reads as 0 for one that is not there. */
IdleConfig idle_config = { .seed = 1, .rapl_start = 0x10000, .frequency = 100 };

/* Why a line cannot be used, where there is more to say. */
static const char *problem;

/* A level or package state by its name: C6 or PC6. */
bool idle_get_level(const char *text, const char *prefix, int *level)
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

bool idle_get_number(const char *text, uint64_t most, uint64_t *number)
{
    return text && *text && !qemu_strtou64(text, NULL, 0, number) && *number <= most;
}

bool idle_get_u32(const char *text, uint32_t *value)
{
    uint64_t number;

    if (!idle_get_number(text, UINT32_MAX, &number)) {
        return false;
    }
    *value = number;
    return true;
}

/* Says what is wrong where one cannot see it. */
static bool refuse(const char *why)
{
    problem = why;
    return false;
}

static bool has_hint(uint32_t hint)
{
    for (int i = 0; i < idle_config.state_count; i++) {
        if (idle_config.states[i].hint == hint) {
            return true;
        }
    }
    return false;
}

/* A module and a package sleep no deeper than what is in them, and demotion takes the state before. */
static bool check_state(const IdleState *st)
{
    if (has_hint(st->hint) || idle_find_state(idle_config.states, st->name)) {
        return refuse("there is such a state");
    }
    if (idle_config.state_count && st->level < st[-1].level) {
        return refuse("the state before it is deeper");
    }
    if (st->module > st->level) {
        return refuse("the module would be deeper than its cores");
    }
    if (st->package > st->level) {
        return refuse("the package would be deeper than its cores");
    }
    if (st->module && !idle_config.module_cores) {
        return refuse("there are no modules");
    }
    if (idle_config.module_cores && st->package > st->module) {
        return refuse("the package would be deeper than its modules");
    }
    return true;
}

/* state NAME HINT LEVEL [MODULE] [PACKAGE] */
static bool take_state_line(char **words, unsigned count)
{
    IdleState *st = &idle_config.states[idle_config.state_count];
    unsigned used = 3;

    if (count < 3 || idle_config.state_count == IDLE_STATES ||
        g_strlcpy(st->name, words[0], sizeof(st->name)) >= sizeof(st->name) ||
        !idle_get_u32(words[1], &st->hint) || !idle_get_level(words[2], "C", &st->level)) {
        return false;
    }
    if (used < count && idle_get_level(words[used], "MC", &st->module)) {
        used++;
    }
    if (used < count && idle_get_level(words[used], "PC", &st->package)) {
        used++;
    }
    if (used < count || !check_state(st)) {
        return false;
    }
    st->first_level = st->level;
    st->write_exit = IDLE_SAME_EXIT;
    st->ipi_exit = IDLE_SAME_EXIT;
    idle_config.state_count++;
    return true;
}

/* module CORES */
static bool take_module_line(char **words, unsigned count)
{
    uint64_t cores;

    if (count != 1 || !idle_get_number(words[0], IDLE_CPUS, &cores) || !is_power_of_2(cores)) {
        return false;
    }
    if (idle_config.state_count) {
        return refuse("it has to be before the states");
    }
    idle_config.module_cores = cores;
    return true;
}

/* hybrid */
static bool take_hybrid_line(char **words, unsigned count)
{
    idle_config.hybrid = true;
    return !count;
}

/* art: the TSC is made of a clock that devices may have, too */
static bool take_art_line(char **words, unsigned count)
{
    idle_config.art = true;
    return !count;
}

/* acpi NAME TYPE LATENCY */
static bool take_acpi_line(char **words, unsigned count)
{
    IdleState *st = count == 3 ? idle_find_state(idle_config.states, words[0]) : NULL;
    uint64_t type;

    if (st && st->acpi_type) {
        return refuse("there is such a line");
    }
    /* ACPI 6.5, section 8.4.1.1 */
    if (!st || !idle_get_number(words[1], 3, &type) || !type ||
        !idle_get_u32(words[2], &st->acpi_latency)) {
        return false;
    }
    st->acpi_type = type;
    return true;
}

/* port NUMBER HINT */
static bool take_port_line(char **words, unsigned count)
{
    IdlePort *port = &idle_config.ports[idle_config.port_count];

    if (count != 2 || idle_config.port_count == IDLE_PORTS ||
        !idle_get_u32(words[0], &port->number) || port->number < 0x100 ||
        !idle_get_u32(words[1], &port->hint)) {
        return false;
    }
    for (int i = 0; i < idle_config.port_count; i++) {
        if (idle_config.ports[i].number == port->number) {
            return refuse("there is such a port");
        }
    }
    if (!has_hint(port->hint)) {
        return refuse("no state before it has this hint");
    }
    idle_config.port_count++;
    return true;
}

/* counter LEVEL MSR */
static bool take_counter_line(char **words, unsigned count)
{
    uint32_t *msr;
    int level;

    if (count != 2) {
        return false;
    }
    if (idle_get_level(words[0], "PC", &level)) {
        msr = &idle_config.package_msr[level];
    } else if (idle_get_level(words[0], "MC", &level)) {
        if (!idle_config.module_cores) {
            return refuse("there are no modules");
        }
        msr = &idle_config.module_msr[level];
    } else if (idle_get_level(words[0], "C", &level)) {
        msr = &idle_config.core_msr[level];
    } else {
        return false;
    }
    return *msr ? refuse("there is such a counter") : idle_get_u32(words[1], msr);
}

/* zero MSR */
static bool take_zero_line(char **words, unsigned count)
{
    return count == 1 && idle_config.zero_count < IDLE_LEVELS &&
           idle_get_u32(words[0], &idle_config.zero_msr[idle_config.zero_count++]);
}

/* cst-config VALUE MASK ENCODING=PACKAGE... */
static bool take_cst_config_line(char **words, unsigned count)
{
    if (count < 2 || !idle_get_number(words[0], UINT64_MAX, &idle_config.cst_config) ||
        !idle_get_number(words[1], ARRAY_SIZE(idle_config.limit) - 1,
                         &idle_config.limit_mask)) {
        return false;
    }
    idle_config.has_cst_config = true;
    /* What means nothing limits nothing. */
    for (unsigned i = 0; i < ARRAY_SIZE(idle_config.limit); i++) {
        idle_config.limit[i] = IDLE_LEVELS - 1;
    }
    for (unsigned i = 2; i < count; i++) {
        g_auto(GStrv) parts = g_strsplit(words[i], "=", 2);
        uint64_t value;

        if (!parts[1] || !idle_get_number(parts[0], idle_config.limit_mask, &value) ||
            !idle_get_level(parts[1], "PC", &idle_config.limit[value])) {
            return false;
        }
    }
    return true;
}

/* power-ctl VALUE */
static bool take_power_ctl_line(char **words, unsigned count)
{
    idle_config.has_power_ctl = true;
    return count == 1 && idle_get_number(words[0], UINT64_MAX, &idle_config.power_ctl);
}

/* rapl UNIT PACKAGE-MSR [CORES-MSR] */
static bool take_rapl_line(char **words, unsigned count)
{
    IdleRapl *rapl = &idle_config.rapl;

    if (rapl->unit_msr) {
        return refuse("it has the registers of the other vendor");
    }
    rapl->unit_msr = 0x606;
    return (count == 2 || count == 3) &&
           idle_get_number(words[0], UINT64_MAX, &rapl->unit) &&
           idle_get_u32(words[1], &rapl->package_msr) &&
           (count == 2 || idle_get_u32(words[2], &rapl->cores_msr));
}

/* rapl-still MSR */
static bool take_rapl_still_line(char **words, unsigned count)
{
    return count == 1 && idle_get_u32(words[0], &idle_config.rapl.still_msr);
}

/* rapl-amd UNIT: AMD PPR of family 19h, "Core::X86::Msr::RAPL_PWR_UNIT" and what follows it */
static bool take_rapl_amd_line(char **words, unsigned count)
{
    IdleRapl *rapl = &idle_config.rapl;

    if (rapl->unit_msr) {
        return refuse("it has the registers of the other vendor");
    }
    rapl->unit_msr = 0xc0010299;
    rapl->core_msr = 0xc001029a;
    rapl->package_msr = 0xc001029b;
    return count == 1 && idle_get_number(words[0], UINT64_MAX, &rapl->unit);
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
    fprintf(idle_config.log, "cpu,hint,enter_ns,event_ns,exit_ns,level,package%s\n",
            idle_config.module_cores ? ",module" : "");
    return true;
}

/* cpu PROPERTIES: for whoever starts the emulator */
static bool take_cpu_line(char **words, unsigned count)
{
    return count == 1;
}

static struct {
    const char *name;
    bool (*take)(char **words, unsigned count);
    bool more;                  /* there may be several */
    bool seen;
} lines[] = {
    { "cpu", take_cpu_line },
    { "module", take_module_line },
    { "hybrid", take_hybrid_line },
    { "art", take_art_line },
    { "state", take_state_line, true },
    { "counter", take_counter_line, true },
    { "zero", take_zero_line, true },
    { "cst-config", take_cst_config_line },
    { "power-ctl", take_power_ctl_line },
    { "rapl", take_rapl_line },
    { "rapl-still", take_rapl_still_line },
    { "rapl-amd", take_rapl_amd_line },
    { "truth", idle_take_truth },
    { "port", take_port_line, true },
    { "acpi", take_acpi_line, true },
    { "log", take_log_line },
};

static bool take_line(char **words)
{
    problem = NULL;
    for (unsigned i = 0; i < ARRAY_SIZE(lines); i++) {
        if (strcmp(words[0], lines[i].name)) {
            continue;
        }
        if (lines[i].seen && !lines[i].more) {
            return refuse("there is such a line");
        }
        lines[i].seen = true;
        return lines[i].take(words + 1, g_strv_length(words) - 1);
    }
    return refuse("it begins with no known word");
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
            error_setg(errp, "%s, line %u: cannot use '%s'%s%s", path, i + 1, all[i],
                       problem ? ": " : "", problem ?: "");
            return false;
        }
    }
    if (!idle_config.state_count) {
        error_setg(errp, "%s: it has no line 'state'", path);
        return false;
    }
    /* What an exit takes differs from boot to boot. */
    idle_config.exit_ppm = idle_draw_factor(0, idle_config.boot_percent);
    idle_config.present = true;
    return true;
}
