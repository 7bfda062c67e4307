/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model of the idle states of an Intel processor: its model-specific registers. SDM
 * volume 4 for all of them.
 *
 * A register for power that the processor lacks raises #GP, as on hardware; what is
 * no such register is left to QEMU.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "idle.h"

#define MSR_MPERF               0xe7
#define MSR_APERF               0xe8
#define MSR_CST_CONFIG          0xe2
#define MSR_POWER_CTL           0x1fc

/* MSR_MODULE_C6_RES_MS counts at 1 MHz (turbostat.c of Linux). */
#define NS_PER_MODULE_TICK      1000

/* Residency counters have 60 bits. */
#define COUNTER_MASK            MAKE_64BIT_MASK(0, 60)

/* Bit 15 of MSR_PKG_CST_CONFIG_CONTROL locks itself and what is below it. */
#define CST_LOCK                (1ULL << 15)
#define CST_LOCKED              MAKE_64BIT_MASK(0, 16)

/*
 * Residency counters and limits of them, RAPL: what some processor has and others
 * have not. 0x3f8 to 0x3fe and 0x630 to 0x632 residency, 0x60a to 0x60d and 0x633
 * to 0x635 limits, 0x606 to 0x64d and 0xc0010299 to 0xc001029b RAPL, 0x660 and 0x664 core
 * C1 and module C6.
 */
static const struct { uint32_t first, last; } power_msrs[] = {
    { 0x3f8, 0x3fe }, { 0x606, 0x606 }, { 0x60a, 0x60d }, { 0x610, 0x614 },
    { 0x618, 0x61c }, { 0x630, 0x635 }, { 0x638, 0x63b }, { 0x640, 0x642 },
    { 0x64d, 0x64d }, { 0x658, 0x65b }, { 0x660, 0x660 }, { 0x664, 0x664 },
    { 0xc0010299, 0xc001029b },
};

static bool is_power_msr(uint32_t msr)
{
    for (unsigned i = 0; i < ARRAY_SIZE(power_msrs); i++) {
        if (msr >= power_msrs[i].first && msr <= power_msrs[i].last) {
            return true;
        }
    }
    return false;
}

static bool is_zero_msr(uint32_t msr)
{
    for (int i = 0; i < idle_config.zero_count; i++) {
        if (idle_config.zero_msr[i] == msr) {
            return true;
        }
    }
    return false;
}

/* What counts time shows cycles of the TSC. */
static uint64_t cycles(const IdleCpu *idle, int64_t ns)
{
    return cpu_ns_to_tsc(&X86_CPU(idle->cs)->env, ns);
}

/* A register may count more than one level. */
static bool read_counter(const IdleCpu *idle, uint32_t msr, uint64_t *value)
{
    uint64_t sum = 0;
    bool found = false;

    for (int i = 0; i < IDLE_LEVELS; i++) {
        if (idle_config.module_msr[i] == msr) {
            *value = idle->module->counter[i] / NS_PER_MODULE_TICK;
            return true;
        }
        if (idle_config.core_msr[i] == msr) {
            sum += idle->core->counter[i];
            found = true;
        }
        if (idle_config.package_msr[i] == msr) {
            sum += idle->package->counter[i];
            found = true;
        }
    }
    *value = cycles(idle, sum) & COUNTER_MASK;
    return found;
}

static bool read_rapl(const IdleCpu *idle, uint32_t msr, uint64_t *value)
{
    const IdleRapl *rapl = &idle_config.rapl;

    if (msr == rapl->unit_msr) {
        *value = rapl->unit;
    } else if (msr == rapl->package_msr) {
        *value = idle_energy_units(&idle->package->energy);
    } else if (msr == rapl->cores_msr) {
        *value = idle_energy_units(&idle->package->cores_energy);
    } else if (msr == rapl->core_msr) {
        *value = idle_energy_units(&idle->core->energy);
    } else if (rapl->still_msr && msr == rapl->still_msr) {
        *value = 0;
    } else {
        return false;
    }
    return true;
}

static IdleMsr read_msr(const IdleCpu *idle, uint32_t msr, int64_t now,
                        uint64_t *value)
{
    switch (msr) {
    case 0:
        /* Which stands for a register that the processor lacks, here */
        return IDLE_MSR_UNKNOWN;
    case MSR_CST_CONFIG:
        *value = idle->core->cst_config;
        return idle_config.has_cst_config ? IDLE_MSR_DONE : IDLE_MSR_FAULT;
    case MSR_POWER_CTL:
        *value = idle->package->power_ctl;
        return idle_config.has_power_ctl ? IDLE_MSR_DONE : IDLE_MSR_FAULT;
    case MSR_MPERF:
        *value = idle->mperf_base + cycles(idle, now - idle->asleep);
        return IDLE_MSR_DONE;
    case MSR_APERF:
        *value = idle->aperf_base + cycles(idle, idle_worked(idle, now) / 100);
        return IDLE_MSR_DONE;
    }
    if (read_counter(idle, msr, value) || read_rapl(idle, msr, value)) {
        return IDLE_MSR_DONE;
    }
    if (!is_power_msr(msr)) {
        return IDLE_MSR_UNKNOWN;
    }
    *value = 0;
    return is_zero_msr(msr) ? IDLE_MSR_DONE : IDLE_MSR_FAULT;
}

static IdleMsr write_cst_config(IdleCpu *idle, uint64_t value)
{
    uint64_t *config = &idle->core->cst_config;

    if (!idle_config.has_cst_config ||
        ((*config & CST_LOCK) && ((*config ^ value) & CST_LOCKED))) {
        return IDLE_MSR_FAULT;
    }
    *config = value;
    return IDLE_MSR_DONE;
}

static IdleMsr write_msr(IdleCpu *idle, uint32_t msr, int64_t now, uint64_t value)
{
    uint64_t unused;

    switch (msr) {
    case MSR_CST_CONFIG:
        return write_cst_config(idle, value);
    case MSR_POWER_CTL:
        if (!idle_config.has_power_ctl) {
            return IDLE_MSR_FAULT;
        }
        idle->package->power_ctl = (value & ~idle_config.stuck) |
                                   (idle->package->power_ctl & idle_config.stuck);
        return IDLE_MSR_DONE;
    case MSR_MPERF:
        idle->mperf_base = value - cycles(idle, now - idle->asleep);
        return IDLE_MSR_DONE;
    case MSR_APERF:
        idle->aperf_base = value - cycles(idle, idle_worked(idle, now) / 100);
        return IDLE_MSR_DONE;
    }
    /* The others can only be read. */
    return read_msr(idle, msr, now, &unused) == IDLE_MSR_UNKNOWN ?
           IDLE_MSR_UNKNOWN : IDLE_MSR_FAULT;
}

static IdleMsr access_msr(CPUState *cs, uint32_t msr, uint64_t *value, bool is_write)
{
    IdleCpu *idle = &idle_cpus[cs->cpu_index];
    IdleMsr result;
    int64_t now;

    if (!idle_config.present) {
        return IDLE_MSR_UNKNOWN;
    }
    qemu_mutex_lock_iothread();
    now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    idle_account(idle, now);
    result = is_write ? write_msr(idle, msr, now, *value) :
                        read_msr(idle, msr, now, value);
    qemu_mutex_unlock_iothread();
    return result;
}

IdleMsr idle_rdmsr(CPUState *cs, uint32_t msr, uint64_t *value)
{
    return access_msr(cs, msr, value, false);
}

IdleMsr idle_wrmsr(CPUState *cs, uint32_t msr, uint64_t value)
{
    return access_msr(cs, msr, &value, true);
}
