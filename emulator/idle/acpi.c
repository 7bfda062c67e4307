/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model of the idle states of an Intel processor: those that its firmware declares, _CST of
 * ACPI. ACPI 6.5, sections 8.4.1.1 and 6.4.3.7.
 */

#include "qemu/osdep.h"
#include "hw/acpi/aml-build.h"
#include "idle.h"

#define REGISTER_SYSTEM_IO      0x01
#define REGISTER_FFIXED_HW      0x7f

static uint32_t port_of(const IdleState *st)
{
    for (int i = 0; i < idle_config.port_count; i++) {
        if (idle_config.ports[i].hint == st->hint) {
            return idle_config.ports[i].number;
        }
    }
    return 0;
}

/*
 * How to enter the state: read a port, or MWAIT with a hint, for which the fields of the
 * register are a vendor, a class and an address (Intel Processor Vendor-Specific ACPI, table 2).
 */
static Aml *entry_of(const IdleState *st)
{
    uint32_t port = port_of(st);
    uint32_t address = port ?: st->hint;
    uint8_t resource[] = {
        0x82, 12, 0,
        port ? REGISTER_SYSTEM_IO : REGISTER_FFIXED_HW,
        port ? 8 : 1,
        port ? 0 : 2,
        port ? 0 : 1,
        address, address >> 8, address >> 16, address >> 24, 0, 0, 0, 0,
        0x79, 0,
    };

    return aml_buffer(sizeof(resource), resource);
}

/* Its power is not known. */
static Aml *declaration_of(const IdleState *st)
{
    Aml *package = aml_package(4);

    aml_append(package, entry_of(st));
    aml_append(package, aml_int(st->acpi_type));
    aml_append(package, aml_int(st->acpi_latency));
    aml_append(package, aml_int(0));
    return package;
}

/* The same for each CPU, whose name is that of build_cpus_aml(). */
void idle_declare_states(Aml *table)
{
    unsigned count = 0;

    for (int i = 0; i < idle_config.state_count; i++) {
        count += !!idle_config.states[i].acpi_type;
    }
    for (int cpu = 0; count && cpu < idle_cpu_count; cpu++) {
        Aml *scope = aml_scope("\\_SB.CPUS.C%.03X", cpu);
        Aml *package = aml_package(count + 1);

        aml_append(package, aml_int(count));
        for (int i = 0; i < idle_config.state_count; i++) {
            if (idle_config.states[i].acpi_type) {
                aml_append(package, declaration_of(&idle_config.states[i]));
            }
        }
        aml_append(scope, aml_name_decl("_CST", package));
        aml_append(table, scope);
    }
}
