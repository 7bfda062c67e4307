/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model of the idle states of an Intel processor: what CPUID says of types of core, of
 * modules, and of the clock that the TSC is made of, of which QEMU knows nothing. SDM
 * volume 2A, CPUID.
 */

#include "qemu/osdep.h"
#include "qemu/host-utils.h"
#include "cpu.h"
#include "idle.h"

#define LEAF_LIMIT          0
#define LEAF_CACHES         4
#define LEAF_FEATURES       7
#define LEAF_TSC            0x15
#define LEAF_TYPE           0x1a
#define LEAF_TOPOLOGY       0x1f

#define CACHES_L2           2       /* sub-leaf */
#define FEATURES_EBX_ADJUST (1U << 1)
#define FEATURES_EDX_HYBRID (1U << 15)

/* The clock of the emulator, which the local APIC timer has, too, counts ns. */
#define ART_KHZ             1000000

/* With a native model of 1 */
#define TYPE_ATOM           0x20000001
#define TYPE_CORE           0x40000001

enum { EAX, EBX, ECX, EDX, REGISTERS };

static void clear(uint32_t *registers)
{
    memset(registers, 0, REGISTERS * sizeof(*registers));
}

/* CPUs of a module, with those that are not there. */
static unsigned cpus_of_module(CPUState *cs)
{
    return pow2ceil(cs->nr_threads) * MIN(idle_config.module_cores, pow2ceil(cs->nr_cores));
}

/* Cores of a module share a cache. */
static void set_sharing(CPUState *cs, uint32_t *registers)
{
    registers[EAX] &= ~(0xfffU << 14);
    registers[EAX] |= (cpus_of_module(cs) - 1) << 14;
}

/* A level: how far to shift the APIC ID for what is above it, how many CPUs, and its type. */
static void set_topology(CPUState *cs, uint32_t subleaf, uint32_t *registers)
{
    unsigned threads = pow2ceil(cs->nr_threads);
    const struct { unsigned ids, cpus; } levels[] = {
        { threads, cs->nr_threads },
        { cpus_of_module(cs), cs->nr_threads * MIN(idle_config.module_cores, cs->nr_cores) },
        { threads * pow2ceil(cs->nr_cores), cs->nr_threads * cs->nr_cores },
    };

    registers[ECX] = subleaf;
    registers[EDX] = X86_CPU(cs)->apic_id;
    if (subleaf < ARRAY_SIZE(levels)) {
        registers[EAX] = ctz32(levels[subleaf].ids);
        registers[EBX] = levels[subleaf].cpus;
        registers[ECX] |= (subleaf + 1) << 8;
    }
}

/* The leaves that QEMU does not have are empty; it would say what its last one does. */
static void extend(CPUState *cs, uint32_t leaf, uint32_t *registers)
{
    if (leaf == LEAF_LIMIT) {
        registers[EAX] = MAX(registers[EAX], LEAF_TOPOLOGY);
    } else if (leaf > X86_CPU(cs)->env.cpuid_level && leaf <= LEAF_TOPOLOGY) {
        clear(registers);
    }
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    return b ? common_divisor(b, a % b) : a;
}

/* That there is IA32_TSC_ADJUST, which QEMU reads as 0, and how the TSC comes from the clock. */
static void set_art(CPUState *cs, uint32_t leaf, uint32_t subleaf, uint32_t *registers)
{
    uint32_t khz = X86_CPU(cs)->env.tsc_khz ?: ART_KHZ;

    if (leaf == LEAF_FEATURES && !subleaf) {
        registers[EBX] |= FEATURES_EBX_ADJUST;
    } else if (leaf == LEAF_TSC) {
        clear(registers);
        registers[EAX] = ART_KHZ / common_divisor(ART_KHZ, khz);
        registers[EBX] = khz / common_divisor(ART_KHZ, khz);
        registers[ECX] = ART_KHZ * 1000;
    }
}

/* What QEMU says is in the registers. */
void idle_cpuid(CPUState *cs, uint32_t leaf, uint32_t subleaf, uint32_t *registers)
{
    bool modules = idle_config.module_cores, hybrid = idle_config.hybrid;

    if (modules || hybrid || idle_config.art) {
        extend(cs, leaf, registers);
    }
    if (idle_config.art) {
        set_art(cs, leaf, subleaf, registers);
    }
    if (leaf == LEAF_CACHES && subleaf == CACHES_L2 && modules) {
        set_sharing(cs, registers);
    } else if (leaf == LEAF_FEATURES && !subleaf && hybrid) {
        registers[EDX] |= FEATURES_EDX_HYBRID;
    } else if (leaf == LEAF_TYPE && hybrid) {
        clear(registers);
        registers[EAX] = idle_is_efficient(cs->cpu_index) ? TYPE_ATOM : TYPE_CORE;
    } else if (leaf == LEAF_TOPOLOGY && modules) {
        clear(registers);
        set_topology(cs, subleaf, registers);
    }
}
